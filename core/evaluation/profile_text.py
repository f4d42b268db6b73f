"""The profile of a launch for the model: launch cost, critical core and its pipes, who waits for whom."""

from __future__ import annotations

from collections.abc import Iterator

from core.evaluation.bottleneck import PIPES, bottleneck, core_name, pipe_shares, waits
from core.evaluation.records import LineTimes, PipeProfile, PipeTimes
from core.visible import one_line

_CORES = 6  # rows of a diagnostic
_LINES = 5
_ALIKE = 0.95  # of the slowest core's time, from which all cores of a kind work alike
_NAME = 120  # characters of a file or call


def profile_text(profile: PipeProfile, of: str = "") -> str:
    """The profile of a launch.

    The share of a pipe is that of the time of the core it belongs to.

    Args:
        profile: Of the launch.
        of: Which launch it was, where nothing around the text says so.
    """
    if not profile.cores:
        return ""
    limit = bottleneck(profile)
    slowest = max(profile.cores, key=lambda core: (core.total_cycles, -core.core))
    parts = [f"launch costs {limit.launch_us:.2f} us"] if limit.launch_us else []
    time = f" ({limit.kernel_us:.2f} us)" if limit.kernel_us else ""
    parts.append(
        f"slowest {core_name(slowest)} takes {slowest.total_cycles:.0f} cycles{time}"
    )
    which = f" of {of}" if of else ""
    lines = [
        f"Profile{which} ({profile.origin.value}): {'; '.join(parts)}; {limit.label}"
    ]
    if limit.critical is not None:
        shares = pipe_shares(limit.critical) or "no pipe works"
        lines.append(f"- critical {core_name(limit.critical)}: {shares}")
        lines += _moved(
            limit.critical,
            sum(core.unit == limit.critical.unit for core in profile.cores),
        )
    waiting = waits(profile)
    if waiting:
        lines.append(f"- {waiting}")
    lines += _kinds(profile)
    return "\n".join([*lines, *line_rows(limit.critical)])


def line_rows(core: PipeTimes | None) -> list[str]:
    """The most expensive lines of a core: what they call, how often, and what a call costs."""
    if core is None or not core.lines:
        return []
    rows = [f"Most expensive lines of {core_name(core)}:"]
    return rows + [_line_row(line, core) for line in core.lines[:_LINES]]


def _line_row(line: LineTimes, core: PipeTimes) -> str:
    calls = max(line.calls, 1)
    parts = [
        f"{calls} call" + ("s" if calls > 1 else ""),
        f"{line.cycles / calls:.1f} cycles a call",
    ]
    if line.moved:
        parts.append(f"{line.moved / calls:.0f} bytes a call")
    if line.lanes:
        parts.append(f"{line.lanes / calls:.0f} elements a call")
    share = line.cycles / (core.total_cycles or 1.0)
    place = f"{one_line(line.file, _NAME)}:{line.line}"
    name = one_line(line.call, _NAME)
    return (
        f"- {place} {name} ({line.pipe}): {', '.join(parts)}, {share:.0%} of the core"
    )


def _moved(core: PipeTimes, launched: int) -> Iterator[str]:
    """What the critical core moves, beside the most it can: a rate without that is taken for a constant."""
    moved = core.gm_read + core.gm_written
    if not moved or not core.gm_rate or not core.total_cycles:
        return
    beside = (
        f"while {launched} of its kind share it"
        if launched > 1
        else "as the only one of its kind"
    )
    yield (
        f"- {core_name(core)} moves {core.gm_read / 1e3:.1f} kB in and {core.gm_written / 1e3:.1f} kB out, "
        f"together {moved / core.total_cycles:.1f} bytes a cycle; HBM gives it at most "
        f"{core.gm_rate:.1f} {beside}"
    )


def _kinds(profile: PipeProfile) -> Iterator[str]:
    """How many cores of each kind worked, and how long."""
    for unit in dict.fromkeys(core.unit for core in profile.cores):
        cores = [core for core in profile.cores if core.unit == unit]
        low, high = (pick(core.total_cycles for core in cores) for pick in (min, max))
        spread = f"{low:.0f} to {high:.0f}" if low < high else f"{high:.0f}"
        name = {"aic": "cube cores (AIC)", "aiv": "vector cores (AIV)"}.get(
            unit, "cores"
        )
        yield f"- {len(cores)} {name}: {spread} cycles"


def core_rows(profile: PipeProfile) -> list[str]:
    """Cycles by pipe of the slowest cores of each kind and of the fastest, which shows an uneven share.

    Of cores that work alike the critical one stands in the profile already.
    """
    units = tuple(dict.fromkeys(core.unit for core in profile.cores))
    rows: list[str] = []
    for unit in units:
        cores = [core for core in profile.cores if core.unit == unit]
        times = [core.total_cycles for core in cores]
        if len(cores) > 1 and min(times) >= _ALIKE * max(times):
            continue
        ranked = sorted(cores, key=lambda core: (-core.total_cycles, core.core))
        most = _CORES // len(units)
        rows += map(
            _row, ranked if len(ranked) <= most else [*ranked[: most - 1], ranked[-1]]
        )
    return rows


def _row(core: PipeTimes) -> str:
    pipes = ", ".join(
        f"{pipe} {getattr(core, pipe):.0f}" for pipe in PIPES if getattr(core, pipe)
    )
    return f"- {core_name(core)}: {core.total_cycles:.0f} cycles; {pipes}"
