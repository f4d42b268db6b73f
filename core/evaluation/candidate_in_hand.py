"""When a fault of our own code is a candidate's: what raised it had that candidate in hand.

A text that a reader of ours fails at would otherwise be judged again and again, or end the run. What the machine
did, and what was raised on purpose for it, passes through.
"""

from __future__ import annotations

import errno
import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

# Only names of files that a candidate chose give these, below a folder that is new.
_ERRORS_OF_NAMES = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG)
_MACHINE_SHORTAGE = re.compile(r"DefaultCPUAllocator|can't start new thread")
_MOST_WORDS, _MOST_TRACE = 200, 20_000
_ROOT = Path(__file__).resolve().parents[2]


class CandidateFault(Exception):
    """Our own code failed at a candidate; the text says where, and at which file where that is known.

    Attributes:
        file: The candidate's, empty where it is not known.
        trace: All of how it came to that, our own files named within the program.
    """

    def __init__(self, error: Exception, files: Mapping[str, str]) -> None:
        self.file = _file_in_hand(error, files)
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if Path(frame.filename).is_relative_to(_ROOT)]
        where = own[-1]
        words = " ".join(str(error).split())
        if len(words) > _MOST_WORDS:
            words = f"{words[:_MOST_WORDS]}…"
        candidate = f"this candidate ({self.file})" if self.file else "this candidate"
        super().__init__(
            f"the judge cannot read {candidate}: {type(error).__name__} in "
            f"{Path(where.filename).name}:{where.lineno}: {words}"
        )
        trace = "".join(traceback.format_exception(error)).replace(f"{_ROOT}/", "")
        self.trace = trace[-_MOST_TRACE:]


@contextmanager
def candidate_in_hand(
    files: Mapping[str, str],
    passing: tuple[type[Exception], ...] = (),
    apart: str = "",
) -> Iterator[None]:
    """Count what the code within fails at as the candidate's doing.

    Args:
        files: The candidate, path -> text.
        passing: What that code raises on purpose of things other than the candidate.
        apart: A module whose functions get nothing of the candidate.

    Raises:
        CandidateFault: The code failed, and not for want of memory, disk or threads.
    """
    try:
        yield
    except passing:
        raise
    except Exception as error:
        if _is_of_machine(error) or apart in _modules(error):
            raise
        raise CandidateFault(error, files) from error


def _is_of_machine(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno not in _ERRORS_OF_NAMES
    return isinstance(error, MemoryError) or bool(_MACHINE_SHORTAGE.search(str(error)))


def _modules(error: Exception) -> set[str]:
    """Modules of the functions through which an error came."""
    frames = traceback.walk_tb(error.__traceback__)
    return {frame.f_globals.get("__name__", "") for frame, _ in frames} - {""}


def _file_in_hand(error: Exception, files: Mapping[str, str]) -> str:
    """The file that the innermost of our functions with one held, as its path or its text."""
    paths = {text: path for path, text in files.items() if text}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            held = getattr(value, "path", value)
            if isinstance(held, str) and (held in files or held in paths):
                return held if held in files else paths[held]
    return ""
