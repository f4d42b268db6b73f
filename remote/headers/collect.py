"""Finds the headers of an installed CANN and packs them, here or on a host.

    python collect.py plan.json FOLDER

does what the fields of `Plan` say and leaves `headers.tar.gz` with `headers.json` in FOLDER, or `problem.json` where
it found none. The standard library of Python 3.8 is enough, and no other module of ours: a host gets this file alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import itertools
import json
import os
import re
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ARCHIVE, FACTS, PROBLEM = "headers.tar.gz", "headers.json", "problem.json"
MOST_FILES, MOST_BYTES = 20000, 128 << 20
# CANN 8 has headers with the suffix of C++ modules.
_SUFFIXES = (".h", ".hpp", ".hh", ".inc", ".inl", ".ipp", ".tpp", ".cpp", ".cppm")
_TELL_EVERY = 500  # files

# Around a place that a person names: it may hold several versions, or be the folder of one architecture.
_HOMES = (".", "latest", "cann", "ascend-toolkit/latest", "..")
_USUAL_PLACES = (
    "/usr/local/Ascend/cann",
    "/usr/local/Ascend/ascend-toolkit/latest",
    "~/Ascend/cann",
    "~/Ascend/ascend-toolkit/latest",
)
_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
# Where an installation says its version, and how; the number that its parts have comes last.
_VERSION_FILES = (
    "ascend_toolkit_install.info",
    "toolkit/version.info",
    "compiler/version.info",
    "share/info/*/version.info",
    "version.info",
)
_VERSION_LINES = (r"version=(.+)", r"version_dir=(?:cann-)?(.+)", r"Version=(.+)")
_VERSION = re.compile(r"[0-9A-Za-z][\w.+-]{0,40}")


@dataclasses.dataclass(frozen=True)
class Shape:
    """What a layout needs: folders, and a file of each part with what that part is for."""

    roots: Sequence[str]
    sentinels: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Installation:
    """The headers of one CANN: layout, version, and the folder of the layout -> where it lies."""

    layout: str
    version: str
    roots: Mapping[str, Path]


class NotFound(Exception):
    """No headers are where they were looked for; says where, and which file is missing."""


def places(named: str, environment: Mapping[str, str]) -> list[Path]:
    """Where to look: the place that was named, else where CANN's own set-up and installer put it."""
    if named:
        return [Path(named).expanduser()]
    set_up = [environment[name] for name in _VARIABLES if environment.get(name)]
    return [Path(place).expanduser() for place in (*set_up, *_USUAL_PLACES)]


def find(where: Sequence[Path], shapes: Mapping[str, Shape]) -> Installation:
    """The first installation at `where`, in the first layout of `shapes` that it has whole.

    Raises:
        NotFound: There is none, or it does not say its version.
    """
    nearest: tuple[int, str] = (0, "")
    for place, name in itertools.product(where, _HOMES):
        home = place / name
        bases = _bases(home)
        for layout, shape in shapes.items():
            sentinels = shape.sentinels
            missing = [path for path in sentinels if _base_of(path, bases) is None]
            if not missing:
                roots = _roots(shape, bases)
                return Installation(layout, _version(bases), roots)
            # The place that comes nearest is named: there a part was not installed.
            matched = len(sentinels) - len(missing)
            if matched > nearest[0]:
                first = missing[0]
                why = f"{home}: {first} is missing ({sentinels[first]})"
                nearest = (matched, why)
    looked = ", ".join(str(place) for place in where)
    raise NotFound(nearest[1] or f"no CANN is in {looked}")


def _bases(home: Path) -> list[Path]:
    """Folders of an installation from which the paths of a layout count."""
    architectures = sorted(home.glob("*-linux")) if home.is_dir() else []
    return [home, *architectures, home / "compiler"]


def _base_of(path: str, bases: Sequence[Path]) -> Path | None:
    """The first folder from which a path leads to a file; None where none does."""
    for base in bases:
        if (base / path).is_file():
            return base
    return None


def _roots(shape: Shape, bases: Sequence[Path]) -> dict[str, Path]:
    """Where each folder of a layout lies: where its sentinel does, else the first that is there."""
    roots: dict[str, Path] = {}
    for root in shape.roots:
        below = f"{root}/"
        witnesses = [path for path in shape.sentinels if path.startswith(below)]
        bases_of_witnesses = [_base_of(path, bases) for path in witnesses]
        having = [base for base in bases_of_witnesses if base is not None]
        with_folder = [base for base in bases if (base / root).is_dir()]
        candidates = having or with_folder
        if candidates:
            roots[root] = (candidates[0] / root).resolve()
    return roots


def _version(bases: Sequence[Path]) -> str:
    """The version an installation says it has; raises NotFound where no file says one."""
    # The kind of line counts before the place.
    for line, base, pattern in itertools.product(_VERSION_LINES, bases, _VERSION_FILES):
        whole_line = re.compile(f"^{line}$", re.MULTILINE)
        for path in sorted(base.glob(pattern)):
            text = path.read_text(encoding="utf-8", errors="replace")
            match = whole_line.search(text)
            version = match[1].strip() if match else ""
            if _VERSION.fullmatch(version):
                return version
    names = ", ".join(_VERSION_FILES)
    raise NotFound(f"{bases[0]}: no file says the version of CANN ({names})")


def contents(
    installation: Installation, tell: Callable[[str], None]
) -> Iterator[tuple[str, bytes]]:
    """Path and text of every header, in order.

    Where the installation has a link to a header, the text is one #include of it: a header behind a link
    finds its neighbours from where it really lies.

    Raises:
        NotFound: There is more than headers of CANN are.
    """
    homes = dict(installation.roots)
    files = sorted(
        (f"{root}/{name}", root, name)
        for root, place in homes.items()
        for name in _headers_below(place)
    )
    if len(files) > MOST_FILES:
        raise NotFound(f"{len(files)} headers are too many; CANN has some thousands")
    total = 0
    for number, (path, root, name) in enumerate(files):
        if number % _TELL_EVERY == 0:
            tell(f"reading headers: {number} of {len(files)}")
        literal = homes[root] / name
        real = literal.resolve()
        target = _path_of(real, homes) if real != literal else path
        if target is None:
            continue  # a link that leads out of the headers
        if target != path:
            there = os.path.relpath(target, Path(path).parent)
            yield path, f'#include "{there}"\n'.encode()
            continue
        text = real.read_bytes()
        total += len(text)
        if total > MOST_BYTES:
            raise NotFound(f"the headers are larger than {MOST_BYTES >> 20} MiB")
        yield path, text


def _headers_below(folder: Path) -> Iterator[str]:
    """Names of the headers below a folder, through links to folders as well; a folder is entered once a way."""
    # A folder, what stands before its names, and the real folders it lies in.
    waiting: list[tuple[Path, str, tuple[Path, ...]]] = [(folder, "", (folder,))]
    while waiting:
        place, prefix, above = waiting.pop()
        for entry in sorted(place.iterdir()):
            name = prefix + entry.name
            if entry.is_dir():
                real = entry.resolve()
                # A link to a folder that holds it would lead in circles.
                if real not in above:
                    waiting.append((entry, f"{name}/", (*above, real)))
            elif entry.suffix in _SUFFIXES and entry.is_file():
                yield name


def _path_of(real: Path, homes: Mapping[str, Path]) -> str | None:
    """The path of a file in the layout; None for one outside it."""
    for root, place in homes.items():
        try:
            return f"{root}/{real.relative_to(place).as_posix()}"
        except ValueError:
            continue
    return None


def pack(files: Iterator[tuple[str, bytes]], archive: Path) -> str:
    """Write files into an archive; sha256 over their paths and texts."""
    total = hashlib.sha256()
    with tarfile.open(archive, "w:gz", compresslevel=6) as target:
        for path, text in files:
            head = f"{path}\0{len(text)}\0"
            total.update(head.encode())
            total.update(text)
            member = tarfile.TarInfo(path)
            member.size = len(text)
            target.addfile(member, io.BytesIO(text))
    return total.hexdigest()


def collect(
    named: str,
    shapes: Mapping[str, Shape],
    folder: Path,
    tell: Callable[[str], None],
) -> dict[str, str]:
    """Pack the headers of the CANN at a place into `folder / ARCHIVE`; `layout`, `version` and `digest` of them.

    Args:
        named: The place; empty for where CANN usually is.
        shapes: The layouts by name, the first that fits counts.
        folder: Takes the archive.
        tell: Hears how far it is.

    Raises:
        NotFound: There are no headers.
        OSError: They cannot be read, or the archive cannot be written.
    """
    installation = find(places(named, os.environ), shapes)
    tell(f"CANN {installation.version}")
    digest = pack(contents(installation, tell), folder / ARCHIVE)
    return {
        "layout": installation.layout,
        "version": installation.version,
        "digest": digest,
    }


def main(arguments: Sequence[str]) -> int:
    """Entry of the script."""
    plan = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    folder = Path(arguments[1])
    shapes = {name: Shape(**fields) for name, fields in plan["shapes"].items()}

    def tell(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    try:
        facts = collect(plan["place"], shapes, folder, tell)
    except (NotFound, OSError) as error:
        (folder / PROBLEM).write_text(json.dumps(str(error)), encoding="utf-8")
        return 0
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
