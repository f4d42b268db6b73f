"""What the runs of one evaluation have had together, and how much that may be."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from remote.judge.processes.children import Finished

# Times what one launch may use. An evaluation of ours uses a tenth of one.
_SHARE = 60


@dataclass
class Account:
    """Shared by all runs of an evaluation; safe to use from several threads.

    Attributes:
        most_s: CPU seconds they may have together, those not counted that the bytes of a
            case explain; infinite for no limit.
        used_s: What they had.
    """

    most_s: float = float("inf")
    used_s: float = 0.0
    _unexplained: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of_launches(cls, limit_s: float) -> Account:
        """For launches of which each may use `limit_s` CPU seconds."""
        return cls(_SHARE * limit_s)

    def add(self, programs: Iterable[Finished], free_s: float) -> None:
        """Note what programs used, of which `free_s` do not count."""
        used_s = sum(program.cpu_s for program in programs)
        with self._lock:
            self.used_s += max(used_s - free_s, 0.0)

    @property
    def is_used_up(self) -> bool:
        """Whether no further run may begin."""
        return self.used_s > self.most_s

    def note_unexplained(self) -> bool:
        """Note an end that machine and candidate can both have caused; whether it is the first."""
        with self._lock:
            self._unexplained += 1
            return self._unexplained == 1
