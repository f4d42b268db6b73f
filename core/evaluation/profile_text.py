"""The profile of a launch for the model.

What the launch costs, its critical core and the pipes of it, its most expensive lines, and
which kind of core waits for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.evaluation.bottleneck import (
    PIPES,
    bottleneck,
    busiest_of_other_kind,
    core_name,
    hbm_text,
    pipe_shares,
    waits,
)
from core.evaluation.records import (
    LEAST_SHARE,
    CaseResult,
    Evaluation,
    LineTimes,
    PipeProfile,
    PipeTimes,
)
from core.evaluation.roofline import slowest_timed
from core.visible import one_line

_CORES = 6  # rows of a diagnostic
MOST_LINES = 5  # of a kernel, with which one begins
_ALIKE = 0.95  # of the slowest core's time, from which all cores of a kind work alike
_NAME = 120  # characters of a file or call
_KINDS = {"aic": "cube cores (AIC)", "aiv": "vector cores (AIV)"}


def profile_text(profile: PipeProfile, of: str = "") -> str:
    """The profile of a launch, empty where it holds no core.

    The share of a pipe is that of the time of the core it belongs to.

    Args:
        profile: Of the launch.
        of: Which launch it was, where nothing around the text says so.
    """
    if not profile.cores:
        return ""
    critical = bottleneck(profile).critical
    lines = [_head(profile, of)]
    if critical is not None:
        shares = pipe_shares(critical) or "no pipe works"
        alike = [core for core in profile.cores if core.unit == critical.unit]
        lines.append(f"- critical {core_name(critical)}: {shares}")
        lines += _moved(critical, len(alike))
    waiting = waits(profile)
    if waiting:
        lines.append(f"- {waiting}")
    lines += _kinds(profile)
    lines += line_rows(critical)
    # The kind that ends first may still be what the other one waits for.
    lines += line_rows(busiest_of_other_kind(profile))
    return "\n".join(lines)


def _head(profile: PipeProfile, of: str) -> str:
    """Where the numbers come from, what the launch costs, what bounds it."""
    limit = bottleneck(profile)
    # Of cores that are as slow the first.
    slowest = max(profile.cores, key=lambda core: (core.total_cycles, -core.core))
    text = "Profile"
    if of:
        text += f" of {of}"
    text += f" ({profile.origin.value}): "
    if limit.launch_us:
        text += f"launch costs {limit.launch_us:.2f} us; "
    name = core_name(slowest)
    text += f"slowest {name} takes {slowest.total_cycles:.0f} cycles"
    if limit.kernel_us:
        text += f" ({limit.kernel_us:.2f} us)"
    return f"{text}; {limit.label}"


def _moved(core: PipeTimes, launched: int) -> Iterator[str]:
    """What a core moves, beside the most HBM gives it.

    A rate that stands alone is taken for a constant.
    """
    moved = core.gm_read + core.gm_written
    if not moved or not core.gm_rate or not core.total_cycles:
        return
    name = core_name(core)
    read_kb = core.gm_read / 1e3
    written_kb = core.gm_written / 1e3
    shared = "as the only one of its kind"
    if launched > 1:
        shared = f"while {launched} of its kind share it"
    yield (
        f"- {name} moves {read_kb:.1f} kB in and {written_kb:.1f} kB out, "
        f"together {hbm_text(core)} {shared}"
    )


def _kinds(profile: PipeProfile) -> Iterator[str]:
    """How many cores of each kind worked, and how long."""
    for unit in _units(profile):
        times = [core.total_cycles for core in profile.cores if core.unit == unit]
        count = len(times)
        shortest, longest = min(times), max(times)
        cycles = f"{longest:.0f} cycles"
        if shortest < longest:
            cycles = f"{shortest:.0f} to {cycles}"
        name = _KINDS.get(unit, "cores")
        yield f"- {count} {name}: {cycles}"


def line_rows(core: PipeTimes | None, of: str = "") -> list[str]:
    """The most expensive lines of a core under a heading, one row each.

    Empty without a core, or where its lines are not known.

    Args:
        core: Of a launch.
        of: Which launch it was, where nothing around the rows says so.
    """
    lines = core.costly_lines[:MOST_LINES] if core is not None else ()
    if core is None or not lines:
        return []
    which = f" in {of}" if of else ""
    heading = f"Most expensive lines of {core_name(core)}{which}:"
    return [heading, *(_line_row(line, core) for line in lines)]


def further_line_rows(evaluation: Evaluation) -> list[str]:
    """The most expensive lines of the timed cases beside the slowest, whose profile has its own.

    A case that the launch bounds has none. Cases in which the same lines cost most are named
    together, for what a call costs there differs little.
    """
    slowest = slowest_timed(evaluation)
    bound = [case for case in evaluation.cases if case.critical is not None]
    bound.sort(key=lambda case: case is not slowest)
    rows: list[str] = []
    alike: dict[_Places, list[str]] = {}
    for case in bound:
        places = _costly_places(case)
        if places and places not in alike and case is not slowest:
            rows += line_rows(case.critical, of=case.case)
        alike.setdefault(places, []).append(case.case)
    alike.pop(frozenset(), None)
    for first, *other_cases in alike.values():
        if other_cases:
            others = ", ".join(other_cases)
            rows.append(f"The lines that cost most in {first} do so in {others} too.")
    return rows


# File, line and call of some lines.
_Places = frozenset[tuple[str, int, str]]


def _costly_places(case: CaseResult) -> _Places:
    """The lines that `line_rows` shows of a case."""
    if case.critical is None:
        return frozenset()
    lines = case.critical.costly_lines[:MOST_LINES]
    return frozenset((line.file, line.line, line.call) for line in lines)


def _line_row(line: LineTimes, core: PipeTimes) -> str:
    """What a line calls, how often, and what a call costs and moves."""
    calls = max(line.calls, 1)
    cycles = line.cycles / calls
    parts = [f"{calls} calls" if calls > 1 else "1 call", f"{cycles:.1f} cycles a call"]
    if _counts(line.blocked, core):
        parts[-1] += f" ({line.blocked / calls:.1f} wait for copies the other way)"
    if line.moved:
        moved = line.moved / calls
        parts.append(f"{moved:.0f} bytes a call")
    if line.lanes:
        lanes = line.lanes / calls
        parts.append(f"{lanes:.0f} elements a call")
    if core.total_cycles:
        share = line.cycles / core.total_cycles
        parts.append(f"{share:.0%} of the core")
    if _counts(line.idle, core):
        parts.append(_idle_text(line, calls))
    file = one_line(line.file, _NAME)
    name = one_line(line.call, _NAME)
    figures = ", ".join(parts)
    return f"- {file}:{line.line} {name} ({line.pipe}): {figures}"


def _counts(cycles: float, core: PipeTimes) -> bool:
    """Whether so many cycles of a core are worth a word."""
    return cycles >= LEAST_SHARE * core.total_cycles > 0


def _idle_text(line: LineTimes, calls: int) -> str:
    """How long the pipe does nothing before a call, and how much of it a flag alone keeps it."""
    text = f"{line.pipe} idle for {line.idle / calls:.1f} before a call"
    if line.held:
        text += f", {line.held / line.idle:.0%} of it held by flags"
    return text


def core_rows(profile: PipeProfile) -> list[str]:
    """Cycles by pipe of the slowest cores of each kind and of its fastest.

    They show an uneven share. Of a kind whose cores work alike there is no row: its
    critical core stands in the profile.
    """
    units = _units(profile)
    most = _CORES // max(len(units), 1)
    rows: list[str] = []
    for unit in units:
        cores = [core for core in profile.cores if core.unit == unit]
        if _work_alike(cores):
            continue
        cores.sort(key=lambda core: (-core.total_cycles, core.core))
        # The slowest, and the fastest to compare them with.
        if len(cores) > most:
            cores = [*cores[: most - 1], cores[-1]]
        rows += [_row(core) for core in cores]
    return rows


def _units(profile: PipeProfile) -> tuple[str, ...]:
    """Kinds of cores in the order of the profile."""
    return tuple(dict.fromkeys(core.unit for core in profile.cores))


def _work_alike(cores: Sequence[PipeTimes]) -> bool:
    if len(cores) < 2:
        return False
    times = [core.total_cycles for core in cores]
    return min(times) >= _ALIKE * max(times)


def _row(core: PipeTimes) -> str:
    cycles = {pipe: getattr(core, pipe) for pipe in PIPES}
    busy_pipes = [f"{pipe} {spent:.0f}" for pipe, spent in cycles.items() if spent]
    busy = ", ".join(busy_pipes)
    return f"- {core_name(core)}: {core.total_cycles:.0f} cycles; {busy}"
