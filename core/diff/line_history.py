"""Which version of a kernel wrote a line: blame through the versions of one trajectory, as texts. No storage.

A line keeps its origin while its text stays, blanks around it not counted. A version is compared with the
earlier one that has most of its lines, because an agent that went wrong returns to an older kernel. Runs of
lines that stand elsewhere now, or that come back, keep their origin too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.diff.lines import equal_blocks, lines_of
from core.diff.moved_lines import moved_runs

Place = tuple[str, int]  # path, 0-based line


@dataclass(frozen=True, slots=True)
class Origin:
    """The version that wrote a line, and where the line stood in it (0-based)."""

    version: int
    path: str
    line: int


@dataclass(frozen=True)
class Version:
    """A version with the origin of each of its lines.

    Attributes:
        number: As the caller counts.
        base: The earlier version it was compared with; None for the first one.
        lines: Path -> lines, blanks around them cut.
        origins: Path -> origin of each line.
    """

    number: int
    base: int | None
    lines: Mapping[str, tuple[str, ...]]
    origins: Mapping[str, tuple[Origin, ...]]

    def own_lines(self) -> dict[str, frozenset[int]]:
        """Path -> 0-based lines this version wrote itself."""
        return {
            path: frozenset(
                n for n, origin in enumerate(row) if origin.version == self.number
            )
            for path, row in self.origins.items()
        }


def line_history(
    versions: Iterable[tuple[int, Mapping[str, str]]],
) -> tuple[Version, ...]:
    """Origins of all lines of all versions.

    Args:
        versions: Numbers and files (path -> whole text), oldest first.
    """
    history: list[Version] = []
    for number, files in versions:
        lines = {path: _stripped(text) for path, text in sorted(files.items())}
        base = _base(history, lines)
        origins = _unmoved_origins(base, lines) if base is not None else {}
        other_versions = [version for version in history if version is not base]
        if base is not None:
            origins |= _moved(base, lines, origins, all_lines=False)
        for other in other_versions:
            origins |= _moved(other, lines, origins, all_lines=True)
        of_files = {
            path: tuple(
                origins.get((path, n)) or Origin(number, path, n)
                for n in range(len(rows))
            )
            for path, rows in lines.items()
        }
        base_number = base.number if base is not None else None
        history.append(Version(number, base_number, lines, of_files))
    return tuple(history)


def _stripped(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines_of(text))


def _base(
    history: Sequence[Version], lines: Mapping[str, Sequence[str]]
) -> Version | None:
    """The version that has most of these lines, the latest of several.

    Blank lines do not count, and neither does where a line stands.
    """

    def line_counts(files: Mapping[str, Sequence[str]]) -> Counter[str]:
        """How often each line that is not blank occurs in all files."""
        return Counter(line for rows in files.values() for line in rows if line)

    newer = line_counts(lines)

    def shared(version: Version) -> int:
        return (newer & line_counts(version.lines)).total()

    return max(reversed(history), key=shared, default=None)


def _unmoved_origins(
    base: Version, lines: Mapping[str, Sequence[str]]
) -> dict[Place, Origin]:
    """Origins of the lines that stand where they stood, between the same neighbours."""
    unmoved: dict[Place, Origin] = {}
    for path, new in lines.items():
        old, origins = base.lines.get(path, ()), base.origins.get(path, ())
        if old == new:
            unmoved |= {(path, n): origin for n, origin in enumerate(origins)}
            continue
        for block in equal_blocks(old, new):
            of_block = origins[block.old_start : block.old_end]
            for line, origin in enumerate(of_block, start=block.new_start):
                unmoved[path, line] = origin
    return unmoved


def _moved(
    source: Version,
    lines: Mapping[str, Sequence[str]],
    settled: Mapping[Place, Origin],
    *,
    all_lines: bool,
) -> dict[Place, Origin]:
    """Origins of runs of lines that one older version has elsewhere, in whatever file.

    How long such a run must be is decided by `moved_runs`.

    Args:
        source: The older version.
        lines: The newer version's, path -> lines.
        settled: Origins that are known already; these lines are not looked for.
        all_lines: Also take lines of `source` that are an origin in `settled`; without it
            each of its lines has at most one place in the newer version.
    """
    places = {n: place for n, place in _numbered(lines).items() if place not in settled}
    if not places:
        return {}
    come = {n: lines[path][line] for n, (path, line) in places.items()}
    used = set() if all_lines else set(settled.values())
    old = _numbered(source.lines)
    removed = {
        n: source.lines[path][line]
        for n, (path, line) in old.items()
        if source.origins[path][line] not in used
    }
    moved = {}
    for run in moved_runs(removed, come):
        for k in range(run.length):
            path, line = old[run.left + k]
            moved[places[run.right + k]] = source.origins[path][line]
    return moved


def _numbered(lines: Mapping[str, Sequence[str]]) -> dict[int, Place]:
    """One number for each line of all files, with a gap between files, so that no run leads into the next."""
    numbered: dict[int, Place] = {}
    start = 0
    for path, rows in lines.items():
        numbered |= {start + n: (path, n) for n in range(len(rows))}
        start += len(rows) + 1
    return numbered
