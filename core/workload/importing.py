"""From files of a profiler to a `Workload`."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SageError
from core.workload.collector import Collector, RankTotals
from core.workload.kernel_csv import Progress, read_kernel_csv
from core.workload.kernel_db import read_kernel_db
from core.workload.launches import Launch
from core.workload.processor import Processor, recognised
from core.workload.records import Check, Source, Workload
from core.workload.sources import ProfileSource, profile_sources
from core.workload.summaries import checks_of, step_times


def import_profile(
    paths: Sequence[Path],
    name: str,
    processors: Sequence[Processor],
    *,
    part: str = "",
    progress: Progress = lambda _read: None,
) -> Workload:
    """Read profiles, every rank into one workload.

    Args:
        paths: Files and folders of torch_npu and msprof.
        name: What a person calls it.
        processors: The processors there are.
        part: The processor, where a person names it.
        progress: Gets the bytes that were read since it was last called; what it raises
            ends the reading.

    Raises:
        SageError: Nothing can be read, or a file is not as it should be; names file,
            row and column.
    """
    if part and part not in {processor.name for processor in processors}:
        listed = ", ".join(processor.name for processor in processors)
        remedy = "Known are: {names}."
        raise SageError(
            "There is no processor {part!r}.", remedy, part=part, names=listed
        )
    warnings: list[str] = []
    collector = Collector()
    sources: list[Source] = []
    origins = profile_sources(paths, warnings.append)
    for origin in origins:
        for file in origin.files:
            before = len(collector)
            for launch in _launches(file, warnings.append, progress):
                collector.add(launch, origin.rank, str(file))
            rows = len(collector) - before
            sources.append(Source(str(file), _digest(file), origin.rank, rows))
    if not len(collector):
        listed = ", ".join(str(path) for path in paths)
        raise SageError("There is no launch in {paths}.", paths=listed)
    totals = {origin.rank: collector.totals(origin.rank) for origin in origins}
    checks: list[Check] = []
    for origin in origins:
        of_rank = totals[origin.rank]
        checks += checks_of(origin.rank, origin.folder, of_rank, warnings.append)
    read = _Read(collector, origins, sources, checks, totals)
    return _workload(name, read, processors, part, warnings)


def profile_bytes(paths: Sequence[Path]) -> int:
    """How much `import_profile` reads of `paths`.

    Raises:
        InvalidInput: A path holds no profile, or is named twice.
    """
    sources = profile_sources(paths, lambda _warning: None)
    return sum(file.stat().st_size for source in sources for file in source.files)


@dataclass(frozen=True)
class _Read:
    """What was read of the files."""

    collector: Collector
    origins: Sequence[ProfileSource]
    sources: Sequence[Source]
    checks: Sequence[Check]
    totals: Mapping[str, RankTotals]


def _launches(
    file: Path, warn: Callable[[str], None], progress: Progress
) -> Iterator[Launch]:
    if file.suffix == ".db":
        yield from read_kernel_db(file, warn, progress)
    else:
        yield from read_kernel_csv(file, warn, progress)


def _digest(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _workload(
    name: str,
    read: _Read,
    processors: Sequence[Processor],
    part: str,
    warnings: list[str],
) -> Workload:
    collector, origins = read.collector, read.origins
    groups, communication = collector.groups()
    versions: dict[str, str] = {}
    for origin in origins:
        versions = {**origin.versions, **versions}
    if not any(group.has_shapes for group in groups):
        warnings.append(
            "No launch has shapes, so nothing can be ranked against a floor and no task "
            "be made. Profile again with profiler_level=Level1 and record_shapes=True."
        )
    outside = collector.outside_steps()
    if outside:
        warnings.append(f"{outside:,} launches outside of every step are left out.")
    parts = (
        (part,)
        if part
        else tuple(
            processor.name for processor in recognised(collector.samples, processors)
        )
    )
    computing, talking, spans = 0.0, 0.0, []
    for origin in origins:
        totals = read.totals[origin.rank]
        computing += _usual_step(totals.computing_us)
        talking += _usual_step(totals.communication_us)
        spans.append(_span_us(origin, totals.span_us))
    whole = None if None in spans else sum(span for span in spans if span)
    return Workload(
        name=name,
        sources=tuple(read.sources),
        steps=max(collector.steps_of(origin.rank) for origin in origins),
        has_steps=collector.has_steps,
        step_us=whole,
        computing_us=computing,
        communication_us=talking,
        groups=groups,
        communication=communication,
        parts=parts,
        part_is_named=bool(part),
        versions=versions,
        checks=tuple(read.checks),
        warnings=tuple(warnings),
    )


def _span_us(origin: ProfileSource, spans: dict[str, float]) -> float | None:
    """A step of a rank, by its own summary where there is one."""
    whole_us = {
        step: times.whole_us for step, times in step_times(origin.folder).items()
    }
    listed = {step: whole_us.get(step, span) for step, span in spans.items()}
    return _usual_step(listed or whole_us) if listed or whole_us else None


def _usual_step(by_step: dict[str, float]) -> float:
    """The median over steps; what lies outside of steps counts where there are none."""
    named = [value for step, value in by_step.items() if step]
    values = named or list(by_step.values())
    return statistics.median(values) if values else 0.0
