"""What the environment E answers: build report, findings, verdict, error statistics, latency, profile.

Defined once for every toolchain (CPU twin, CANN) and every host: the judge on a host fills in the records that
the application stores and shows. So this module needs the standard library alone and travels with the judge,
see `remote.judge.program`. In the application JSON goes through `core.records_json`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

# in `Evaluation.facts`: what the judge calls having no sandbox
UNCONFINED = "unconfined"
# the same: whether the headers of the user's CANN take the candidate, in words
CANN_HEADERS = "CANN headers"
NOT_CHECKED = "not checked against CANN"
# the same: of a task made of a profile, what CANN's own kernels took there, with its origin
CANN_PROFILED = "CANN in the profile"
# the same: of a round played again, the stored origin of the latency it was recorded with
RECORDED_ORIGIN = "recorded latency"


class VerdictClass(StrEnum):
    """Outcome of one evaluation. `VOID` is an environment fault: it costs no round and earns no credit."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    PASS_WITH_HAZARD = "pass-with-hazard"  # noqa: S105
    FAIL_BUILD = "fail-build"
    FAIL_RUN = "fail-run"
    FAIL_RESULT = "fail-result"
    FAIL_INTEGRITY = "fail-integrity"  # broke a rule; costs its round, earns no credit
    VOID = "void"


class Severity(StrEnum):
    """How much a finding weighs: errors fail the run, hazards make `pass-with-hazard`, warnings inform."""

    ERROR = "error"
    HAZARD = "hazard"
    WARNING = "warning"
    NOTE = "note"


FAULTS = frozenset({Severity.ERROR, Severity.HAZARD})  # what is wrong in a kernel


class LatencyOrigin(StrEnum):
    """Where a latency comes from; numbers of different origin are never mixed."""

    MEASURED = "measured"
    MODELLED = "modelled"
    REPLAYED = "replayed"


NOT_RUN = "not-run"  # rule of a note on calls of a kernel that no visible case makes
LEAST_SHARE = (
    0.01  # of a core's cycles, from which a line of the kernel is worth naming
)
TIME_MODEL = 4  # of the twin that ships; as `time_model` of its processors.toml


def stored_origin(
    origin: LatencyOrigin, time_model: int = 0, calibration: str = ""
) -> str:
    """What a workspace stores of where a latency comes from, e.g. `measured`, `modelled-3`.

    Times of two time models compare as little as measured and modelled ones, and so do those of a calibrated
    host, e.g. `modelled-3-5f0c22a1`, and of other constants. Files of the first model say `modelled`, so that
    model has no number.
    """
    if time_model < 2:
        return origin.value
    model = f"{origin.value}-{time_model}"
    return f"{model}-{calibration}" if calibration else model


def time_model_of(stored: str) -> int:
    """The time model of a stored origin; 0 where nothing was modelled."""
    origin, _, rest = stored.partition("-")
    if origin != LatencyOrigin.MODELLED:
        return 0
    version = rest.partition("-")[0]
    return int(version) if version.isdecimal() else 1


def calibration_of(stored: str) -> str:
    """The calibration a stored origin names; empty for the constants that ship."""
    _, _, rest = stored.partition("-")
    return rest.partition("-")[2] if is_modelled(stored) else ""


def is_modelled(stored: str) -> bool:
    """Whether a stored origin is that of a modelled latency, of whatever time model."""
    return time_model_of(stored) > 0


def is_superseded(stored: str) -> bool:
    """Whether a stored origin is a time model that the twin no longer has."""
    return 0 < time_model_of(stored) < TIME_MODEL


def origin_words(stored: str) -> str:
    """A stored origin for a person: named are a time model that is not the present one, and a calibration."""
    if is_superseded(stored):
        return f"modelled by time model {time_model_of(stored)}, not comparable"
    if calibration := calibration_of(stored):
        return f"modelled by calibration {calibration}"
    return stored.partition("-")[0]


INSIDE_MODEL = "inside what the model knows"  # of a gain that is no proof


def model_margin(low: float | None, high: float | None) -> float:
    """By how much a kernel must be faster than another for the time model to prove it.

    A quarter of the range: half of it is an error that two kernels of one operator share, and of the rest
    half lies to either side (docs/time.md). 0 where there is no range.
    """
    return 0.0 if low is None or high is None else (high - low) / 4


def is_proven_gain(before: float, after: float, margin: float) -> bool:
    """Whether a kernel is faster beyond what the time model leaves open.

    Args:
        before: Latency of the best kernel before.
        after: Latency of the kernel, same unit and stored origin.
        margin: `Latency.margin` of the kernel.
    """
    return before - after > margin


@dataclass(frozen=True, slots=True)
class Candidate:
    """One generated operator project: relative path (`op_host/...`, `op_kernel/...`) -> whole text."""

    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """sha256 over paths and texts, whatever their order; names build directories and evaluations."""
        total = hashlib.sha256()
        for path in sorted(self.files):
            text = self.files[path].encode()
            total.update(f"{path}\0{len(text)}\0".encode())
            total.update(text)
        return total.hexdigest()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a tool found wrong or risky in a kernel.

    Attributes:
        rule: Stable rule name, e.g. `gm-out-of-bounds`, `ub-overflow`, `queue-undelivered`, `time-limit`.
        severity: Weight of the finding.
        message: One sentence naming the values and the limit that was broken.
        file: Path inside the candidate, empty when unknown.
        line: 1-based line in `file`, 0 when unknown.
        core: Block index of the core, -1 when it concerns no single core.
        call: API call at fault, e.g. `DataCopy`.
        kernel: Kernel entry name.
        tensor: Queue, buffer or GM argument concerned.
        case: Test case in which it appeared.
        limit: The broken limit with unit, e.g. `196608 bytes of UB`.
        count: How many times it was seen (repeats are folded).
        link: CANN document the rule comes from.
    """

    rule: str
    severity: Severity
    message: str
    file: str = ""
    line: int = 0
    core: int = -1
    call: str = ""
    kernel: str = ""
    tensor: str = ""
    case: str = ""
    limit: str = ""
    count: int = 1
    link: str = ""


@dataclass(frozen=True, slots=True)
class CompilerMessage:
    """One diagnostic of a compiler. `severity`: error, warning, note; `file`: in the candidate."""

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """As compilers print it: `file:line:column: severity: text`."""
        numbers = "".join(f":{number}" for number in (self.line, self.column) if number)
        place = f"{self.file}{numbers}: " if self.file else ""
        return f"{place}{self.severity}: {self.text}"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How the build went. `stage` is host, kernel, link or preflight; `cause` explains a failure.

    `digest` is a sha256 over the candidate's sources and the files built from them, which were still the same
    when they were run; empty where nothing was built, and in records written before there were digests.
    """

    ok: bool
    stage: str = ""
    cause: str = ""
    seconds: float = 0.0
    cached: bool = False
    compiler: str = ""
    messages: tuple[CompilerMessage, ...] = ()
    log: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class WrongElement:
    """A wrong element of an output: flat index, and both values as text, so that no digit is lost."""

    index: int
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """Where the wrong elements of an output lie, in at most 64 x 64 cells.

    Attributes:
        shape: Shape of the output.
        rows: Lines of cells.
        columns: Cells in a line.
        flat: Whether the cells follow the elements in order, line after line; otherwise a line of cells
            covers neighbouring rows of the last dimension, and its cells neighbouring columns.
        cells: Two hexadecimal digits a cell, line by line: the share of wrong elements in 255ths, rounded up.
        runs: First element and length of runs of wrong elements, in turn: the first 512. Empty in records
            written before there were runs, as are the values.
        complete: Whether `runs` are all of them.
        elements: Values of some wrong elements: the first 64, and 64 others spread evenly over the rest.
        width: Bytes of an element; 0 where that was not written down.
    """

    shape: tuple[int, ...]
    rows: int
    columns: int
    flat: bool
    cells: str
    runs: tuple[int, ...] = ()
    complete: bool = False
    elements: tuple[WrongElement, ...] = ()
    width: int = 0


@dataclass(frozen=True, slots=True)
class ErrorStatistics:
    """Error of one output against the reference; all outputs of a case folded when `output` is empty.

    rel = |d| / (|ref| + 1e-7); average accuracy = share of elements within the deciding rule; `max_ulp`
    counts units in the last place of the output dtype. Equal inf and NaN count as no error. `map` is None for
    an output without wrong elements, for a hidden case, and in records written before there were maps.
    """

    output: str
    elements: int
    max_abs: float
    avg_abs: float
    max_rel: float
    avg_rel: float
    average_accuracy: float
    max_ulp: float
    mismatched: int
    worst_index: int
    worst_expected: float
    worst_actual: float
    map: ErrorMap | None = None


@dataclass(frozen=True, slots=True)
class RuleVerdicts:
    """The three verdicts on a case; `deciding` is the one that counts: paper, benchmark, ulp or checker."""

    paper: bool
    benchmark: bool
    ulp: bool
    deciding: str
    passed: bool


@dataclass(frozen=True, slots=True)
class LineTimes:
    """What one pipe of a core did for the calls of one line of the kernel.

    Attributes:
        file: As the candidate knows it.
        line: From 1 on.
        call: Name of the instruction or library function.
        pipe: A field of `PipeTimes`.
        calls: How often it was given to the pipe.
        cycles: Of the pipe, all calls together.
        moved: Bytes of copies, all calls together.
        lanes: Elements of vector instructions, all calls together.
        idle: Cycles in which the pipe did nothing before the calls; this and the next two are 0 in records
            that do not say.
        held: Of `idle`, those in which a flag alone kept the pipe from the call.
        blocked: Of `cycles`, those in which a copy waited for bytes of the other direction.
    """

    file: str
    line: int
    call: str
    pipe: str
    calls: int
    cycles: float
    moved: float = 0.0
    lanes: float = 0.0
    idle: float = 0.0
    held: float = 0.0
    blocked: float = 0.0


@dataclass(frozen=True, slots=True)
class PipeTimes:
    """Busy cycles of the pipes of one core (msprof PipeUtilization columns).

    Attributes:
        core: Number among the cores of its unit.
        unit: `aic` (cube core) or `aiv` (vector core), empty in records that do not say.
        gm_read: Bytes copied from global memory; this and the next four are 0 in records that do not say.
        gm_written: Bytes copied to global memory.
        vector_ops: Lanes vector instructions worked on.
        cube_ops: Multiplications and additions of matrix products.
        gm_rate: Bytes a cycle the core may move from and to HBM while all launched cores of its kind do.
        lines: Its most expensive lines, the first most; kept of the critical core and of the busiest of the
            other kind.
    """

    core: int
    total_cycles: float
    scalar: float = 0.0
    vector: float = 0.0
    mte1: float = 0.0
    mte2: float = 0.0
    mte3: float = 0.0
    cube: float = 0.0
    fixpipe: float = 0.0
    unit: str = ""
    gm_read: float = 0.0
    gm_written: float = 0.0
    vector_ops: float = 0.0
    cube_ops: float = 0.0
    gm_rate: float = 0.0
    lines: tuple[LineTimes, ...] = ()

    @property
    def costly_lines(self) -> tuple[LineTimes, ...]:
        """Those of `lines` that take at least `LEAST_SHARE` of the core's cycles."""
        least = LEAST_SHARE * self.total_cycles
        return tuple(line for line in self.lines if line.cycles >= least)


@dataclass(frozen=True, slots=True)
class PipeProfile:
    """Pipe utilisation of one kernel launch.

    `bound` names the busiest pipe of the slowest core, which need not be what bounds the launch: see
    `core.evaluation.bottleneck`. `launch_us` is the fixed cost of the launch, 0 where it is not known.
    `time_model` and `calibration` are as in `Latency`.
    """

    clock_mhz: float
    cores: tuple[PipeTimes, ...]
    bound: str
    origin: LatencyOrigin
    launch_us: float = 0.0
    time_model: int = 0
    calibration: str = ""

    @property
    def stored_origin(self) -> str:
        """As `Latency.stored_origin`."""
        return stored_origin(self.origin, self.time_model, self.calibration)


@dataclass(frozen=True, slots=True)
class DiagnosticResult:
    """Answer of one diagnostic tool: a short structured finding list and the whole log as an attachment.

    `attachments` are files the tool gives beside that, by name, as the judge packed them.
    """

    tool: str
    ok: bool
    summary: str
    findings: tuple[Finding, ...] = ()
    profile: PipeProfile | None = None
    log: str = ""
    attachments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency that always carries what it is.

    Attributes:
        value: Mean per execution in `unit`.
        unit: `us`.
        origin: Measured, modelled or replayed.
        clock: e.g. `torch.npu.Event` or `twin cycle model, warm L2`.
        n: Timed executions (0 when modelled).
        spread: Standard deviation in `unit`, None when there is none.
        device: e.g. `Ascend910B1 model`.
        launch: How much of `value` it costs to start the kernel, independent of its work; None where that is
            not known.
        of: What was timed beside the kernel: a call of torch_npu or PyTorch, or `reference.py` and why.
        time_model: Version of the twin's time model; 0 where nothing was modelled, and in records of the
            first version, which did not say.
        low: Least time in `unit` that the constants of the time model leave; None for measured latencies and
            in records written before there were ranges.
        high: The same, most time.
        calibration: Of the time model's constants, where they were measured on a card; empty for those that ship.
    """

    value: float
    unit: str
    origin: LatencyOrigin
    clock: str
    n: int
    spread: float | None
    device: str
    launch: float | None = None
    of: str = ""
    time_model: int = 0
    low: float | None = None
    high: float | None = None
    calibration: str = ""

    @property
    def range_text(self) -> str:
        """The range that the time model leaves, e.g. `3.30 to 5.00`; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.low:.2f} to {self.high:.2f}"

    @property
    def margin(self) -> float:
        """As `model_margin`."""
        return model_margin(self.low, self.high)

    @property
    def stored_origin(self) -> str:
        """Origin, time model from the second on, calibration: only latencies that agree are compared."""
        return stored_origin(self.origin, self.time_model, self.calibration)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One test case. `status` is pass, wrong-result, wrong-shape, wrong-dtype, run-error or skipped.

    `reference` is the latency of the operator's `torch_npu` implementation on the same device, if measured.
    The latency of the operator adds `weight` times that of the case.
    `bound` says of a timed case what bounds it and how far from that it is, empty where it is not known.
    `critical` is the core whose work its time hangs on, None where the launch costs more than that work.
    """

    case: str
    hidden: bool
    timed: bool
    status: str
    detail: str = ""
    dtype: str = ""
    verdicts: RuleVerdicts | None = None
    statistics: tuple[ErrorStatistics, ...] = ()
    latency: Latency | None = None
    seconds: float = 0.0
    reference: Latency | None = None
    weight: float = 1.0
    bound: str = ""
    critical: PipeTimes | None = None

    @property
    def is_timed(self) -> bool:
        """Whether its latency is a part of the operator's."""
        return self.timed and not self.hidden and self.latency is not None


def weighted_sum(
    latencies: Sequence[tuple[Latency | None, float]],
) -> Latency | None:
    """What the timed cases of an operator add up to, each times its weight.

    Their spreads are of independent runs. Ranges are added end by end: what the constants
    of a time model miss, they miss in every case. None where a case has no latency.
    """
    complete = [(one, weight) for one, weight in latencies if one is not None]
    if not complete or len(complete) < len(latencies):
        return None

    def total(values: Sequence[float | None]) -> float | None:
        pairs = zip(values, complete, strict=True)
        parts = [value * weight for value, (_one, weight) in pairs if value is not None]
        return sum(parts) if len(parts) == len(complete) else None

    spreads = [
        None if one.spread is None else weight * one.spread**2
        for one, weight in complete
    ]
    variance = total(spreads)
    return replace(
        complete[0][0],
        value=sum(one.value * weight for one, weight in complete),
        spread=None if variance is None else math.sqrt(variance),
        launch=total([one.launch for one, _weight in complete]),
        low=total([one.low for one, _weight in complete]),
        high=total([one.high for one, _weight in complete]),
    )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """f_t: everything E answers about one candidate.

    `latency` is T(k), the weighted sum over the fixed set of timed visible cases; rows per case stay in `cases`.
    `facts` names what it was judged with where that can differ: sandbox, versions of CANN, driver, torch_npu.
    `attachments` are files a diagnostic asked for, by name; an evaluation has none.
    """

    candidate: str
    operator: str
    verdict: VerdictClass
    cause: str
    build: BuildReport
    cases: tuple[CaseResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    latency: Latency | None = None
    profile: PipeProfile | None = None
    host: str = ""
    toolchain: str = ""
    device: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default_factory=tuple)
    facts: Mapping[str, str] = field(default_factory=dict)
    attachments: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_unconfined(self) -> bool:
        """Whether the candidate ran without a sandbox, by the person's word: such a result ranks nowhere."""
        return self.facts.get("sandbox") == UNCONFINED

    @property
    def reference_latency(self) -> Latency | None:
        """T_ref: the weighted sum over the timed visible cases, None unless each has one of the same device."""
        timed = self._timed
        references = [case.reference for case in timed if case.reference is not None]
        if (
            not references
            or len(references) < len(timed)
            or len({latency.device for latency in references}) > 1
        ):
            return None
        origins = "; ".join(
            dict.fromkeys(latency.of for latency in references if latency.of)
        )
        total = weighted_sum([(case.reference, case.weight) for case in timed])
        return replace(total, spread=None, of=origins) if total is not None else None

    @property
    def _timed(self) -> list[CaseResult]:
        """The cases that the latency is of."""
        return [
            case
            for case in self.cases
            if case.timed and not case.hidden and case.status != "skipped"
        ]

    @property
    def slowest_gain(self) -> tuple[str, float] | None:
        """The timed case that gains least over T_ref, and its speed-up; None without T_ref."""
        if self.t_reference is None:
            return None
        gains = [
            (case.reference.value / case.latency.value, case.case)
            for case in self._timed
            if case.reference is not None and case.latency is not None
        ]
        gain, name = min(gains)
        return name, gain

    @property
    def t_reference(self) -> float | None:
        """T_ref in microseconds, where it and T(k) were measured by one clock on one device."""
        kernel, reference = self.latency, self.reference_latency
        if kernel is None or reference is None:
            return None
        kernel_device, reference_device = (
            (one.device, one.clock, one.unit) for one in (kernel, reference)
        )
        measured = kernel.origin is reference.origin is LatencyOrigin.MEASURED
        return (
            reference.value if kernel_device == reference_device and measured else None
        )

    @property
    def correct(self) -> bool:
        """Whether every case passed (hazards included; whether a hazard closes an episode is policy)."""
        return self.verdict in (VerdictClass.PASS, VerdictClass.PASS_WITH_HAZARD)
