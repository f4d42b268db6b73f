"""What holds a launch up: its cost, a pipe, a wait, uneven work, no overlap.

A launch takes a fixed cost plus the time of its slowest core. Which core is critical is
not only a matter of which ends last: in a kernel of cube and vector cores the one that ends
last often only waits for the other. The label then names the core that is waited for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.evaluation.records import PipeProfile, PipeTimes

PIPES = ("scalar", "vector", "mte1", "mte2", "mte3", "cube", "fixpipe")
_LEADS = 0.5  # share of the critical core's time from which a pipe bounds it
_SERIAL = 0.8  # share all pipes together reach when they run one after the other
_UNEVEN = 1.5  # slowest core by the mean of its kind, from which the split bounds it
_TOGETHER = 0.95  # cores that end this close to the last one end together


@dataclass(frozen=True)
class Bottleneck:
    """The answer for one profile.

    Attributes:
        label: What it is in a few words, e.g. `bound by mte2 of AIV 3`.
        critical: Of the cores that end last, the one whose pipe works longest; None
            without cores. Where the label says that its kind waits, another core holds it up.
        kernel_us: Time of the slowest core, 0 when the clock is not known.
        launch_us: Fixed cost of the launch, 0 when it is not known.
    """

    label: str
    critical: PipeTimes | None
    kernel_us: float
    launch_us: float

    @property
    def is_launch(self) -> bool:
        """Whether the launch costs more than the work behind it.

        False where the clock or the cost of the launch is not known.
        """
        return self.launch_us > self.kernel_us > 0


def core_name(core: PipeTimes) -> str:
    """`AIC 0`, `AIV 3`; `core 3` where the profile does not say what the core is."""
    kind = core.unit.upper() or "core"
    return f"{kind} {core.core}"


def pipe_shares(core: PipeTimes) -> str:
    """`mte2 82%, scalar 5%`: share of each pipe of the time of its core, the busiest first.

    A pipe without cycles is left out.
    """
    total = core.total_cycles or 1.0
    cycles = _pipe_cycles(core)
    busiest_first = sorted(PIPES, key=lambda name: -cycles[name])
    shares = []
    for name in busiest_first:
        if cycles[name]:
            share = cycles[name] / total
            shares.append(f"{name} {share:.0%}")
    return ", ".join(shares)


def _pipe_cycles(core: PipeTimes) -> dict[str, float]:
    return {name: float(getattr(core, name)) for name in PIPES}


def bottleneck(profile: PipeProfile) -> Bottleneck:
    """Return what the launch is bound by."""
    if not profile.cores:
        return Bottleneck(
            "not known: the profile holds no core", None, 0.0, profile.launch_us
        )
    longest = max(core.total_cycles for core in profile.cores)
    kernel_us = longest / profile.clock_mhz if profile.clock_mhz else 0.0
    critical = critical_core(profile)
    label = _label(profile, critical)
    limit = Bottleneck(label, critical, kernel_us, profile.launch_us)
    if not limit.is_launch:
        return limit
    share = profile.launch_us / (profile.launch_us + kernel_us)
    label = f"bound by the cost of the launch ({share:.0%} of the time)"
    return replace(limit, label=label)


def bound_text(profile: PipeProfile) -> str:
    """What bounds a launch, in one line.

    The label comes first, then the busiest pipe of the critical core, which is not the
    core of the label where kinds wait for each other. What that core moves follows where
    it is known. Without cores, or where the launch costs most, it is the label alone.
    """
    limit = bottleneck(profile)
    core = limit.critical
    if core is None or limit.is_launch:
        return limit.label
    pipe, busy = _busiest(core)
    share = busy / (core.total_cycles or 1.0)
    works = f"{pipe} works {share:.0%} of its time"
    parts = [limit.label, works]
    if core.gm_rate and core.gm_read + core.gm_written:
        parts.append(hbm_text(core))
    return ", ".join(parts)


def hbm_text(core: PipeTimes) -> str:
    """Bytes a cycle a core moves, beside the most it may move from and to HBM.

    A profile does not say which bytes came from L2; only of a higher rate is it plain that
    some did.

    Args:
        core: Its `gm_rate` must be known (above 0).
    """
    rate = (core.gm_read + core.gm_written) / (core.total_cycles or 1.0)
    if rate > core.gm_rate:
        beside = f"with L2; HBM alone gives at most {core.gm_rate:.1f}"
    else:
        beside = f"from L2 or HBM; HBM gives at most {core.gm_rate:.1f}"
    return f"{rate:.1f} bytes a cycle {beside}"


def critical_core(profile: PipeProfile) -> PipeTimes:
    """Of the cores that end with the last one, that of the pipe that worked longest."""
    longest = max(core.total_cycles for core in profile.cores)
    end = _TOGETHER * longest
    last = [core for core in profile.cores if core.total_cycles >= end]

    def rank(core: PipeTimes) -> tuple[float, float, int]:
        _pipe, busy = _busiest(core)
        return busy, core.total_cycles, -core.core

    return max(last, key=rank)


def busiest_of_other_kind(profile: PipeProfile) -> PipeTimes | None:
    """The core whose pipe works longest among those of the kind the critical core is not of.

    None where all cores are of one kind.
    """
    kinds = {core.unit for core in profile.cores}
    if not {"aic", "aiv"} <= kinds:
        return None
    critical = critical_core(profile)
    own_kind = {"", critical.unit}
    others = [core for core in profile.cores if core.unit not in own_kind]
    return max(others, key=lambda core: _busiest(core)[1])


def waits(profile: PipeProfile) -> str:
    """Which kind of core waits for the other, e.g. `AIC waits for AIV`.

    Empty where neither waits, and where all cores are of one kind.
    """
    other_core = busiest_of_other_kind(profile)
    if other_core is None:
        return ""
    critical = critical_core(profile)
    _pipe, critical_busy = _busiest(critical)
    _pipe, other_busy = _busiest(other_core)
    critical_kind = critical.unit.upper()
    other_kind = other_core.unit.upper()
    # From so many cycles on a core works rather than waits.
    working = _LEADS * (critical.total_cycles or 1.0)
    if critical_busy < working and critical_busy < other_busy:
        return f"{critical_kind} waits for {other_kind}"
    if other_busy < working:
        return f"{other_kind} waits for {critical_kind}"
    return ""


def _label(profile: PipeProfile, critical: PipeTimes) -> str:
    """The label, the cost of the launch aside."""
    name = core_name(critical)
    pipe, busy = _busiest(critical)
    total = critical.total_cycles or 1.0
    waiting = waits(profile)
    holder = busiest_of_other_kind(profile)
    if holder is not None and waiting.startswith(f"{critical.unit.upper()} waits"):
        holding_pipe, _busy = _busiest(holder)
        return f"bound by {holding_pipe} of {core_name(holder)}: {waiting}"
    alike = [core for core in profile.cores if core.unit == critical.unit]
    mean = sum(core.total_cycles for core in alike) / len(alike)
    if total >= _UNEVEN * mean:
        times = f"{total / mean:.1f} times the mean"
        return f"bound by uneven work: {name} takes {times}, most of it {pipe}"
    if busy >= _LEADS * total:
        return f"bound by {pipe} of {name}"
    together = sum(_pipe_cycles(critical).values())
    if together >= _SERIAL * total:
        return f"bound by no single pipe: the pipes of {name} run one after the other"
    share = f"{busy / total:.0%}"
    busiest = f"its busiest pipe, {pipe}, works {share} of the time"
    return f"bound by waits on {name}: {busiest}"


def _busiest(core: PipeTimes) -> tuple[str, float]:
    """Name and cycles of the pipe of a core that works longest."""
    cycles = _pipe_cycles(core)
    pipe = max(PIPES, key=lambda name: cycles[name])
    return pipe, cycles[pipe]
