"""The way of an agent's candidate for the kernels of `candidates`: rules, preflight, judge on the CPU twin.

What holds of every hostile one, whoever stops it, is `Attempt.complaints`.
"""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from core.evaluation.integrity.verdict import Guarded, violations
from core.evaluation.port import Evaluator
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from core.records_json import to_json
from remote.evaluator import HostEvaluator
from remote.hosts.local import LocalHost
from remote.hosts.port import Host
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.evaluator import Preflighted
from remote.toolchains.twin import TwinToolchain
from tests.remote.helpers import TWIN, candidate, operator
from tests.security.candidates import (
    BUILD,
    FRESH,
    HAZARD,
    JUDGE,
    LANGUAGE,
    NOTHING,
    TEXT,
    TREE,
    Case,
)

CASES = {"special-values-float32", "long-rows-float32", "hidden-prime-length-float32"}
HONEST = Case("honest", "the kernel all others are edits of", ())
LONGEST_S = 180  # none may hang; several processes that use up their CPU time take long on a busy machine
AT_A_TIME = 2


@dataclass(frozen=True)
class Attempt:
    """One candidate judged: its verdict, and wall seconds."""

    case: Case
    found: Evaluation
    seconds: float

    @property
    def latency(self) -> float:
        """Modelled microseconds; no latency is infinitely long."""
        return (
            self.found.latency.value if self.found.latency is not None else float("inf")
        )

    def complaints(self, bench: Bench) -> list[str]:
        """What a hostile candidate got that it should not have."""
        found, text = self.found, to_json(self.found)
        got = {
            f"it took {self.seconds:.0f} s": self.seconds >= LONGEST_S,
            f"void of its choosing: {found.cause}": found.verdict is VerdictClass.VOID,
            f"faster than the honest kernel: {self.latency}": (
                found.verdict is VerdictClass.PASS
                and self.latency < 0.999 * bench.honest.latency
            ),
            "it read the secret": bench.word in text.replace(str(bench.secret), ""),
            "it read a key": os.environ["SAGE_API_KEY"] in text,
        }
        return [
            f"{self.case.kind}, {self.case.name}: {what}"
            for what, true in got.items()
            if true
        ]


class Bench:
    """The pipeline an agent's candidates go through, with something to steal beside it."""

    def __init__(
        self, folder: Path, cache: Path, host: Callable[[], Host] = LocalHost
    ) -> None:
        self.word = uuid.uuid4().hex
        self.folder = folder
        self.secret = folder / "secret"
        self.secret.write_text(f"int {'x' + self.word};\n")
        self.made = folder / "made"
        toolchain = TwinToolchain(cache, TWIN, kernel_time_limit_s=2.0, memory_mb=1024)
        self._judge = HostEvaluator(host(), toolchain)
        self._evaluator = Guarded(
            Preflighted(self._judge, Preflight(TWIN, cache / "preflight"))
        )
        self._runner = asyncio.Runner()
        self.honest = self.judged(HONEST)

    def candidate(self, case: Case) -> Candidate:
        """The honest kernel with the edits of `case`."""
        files = dict(candidate().files)
        for path, old, new in case.edits:
            before, written = files.get(path, ""), new
            for mark, text in (
                ("secret", self.secret),
                ("made", self.made),
                ("marker", self.word),
            ):
                written = written.replace("{" + mark + "}", str(text))
            assert old in before, f"{old!r} is not in {path}"
            files[path] = before.replace(old, written) if old else written
        return Candidate(files)

    def operator(self, case: Case) -> OperatorSpec:
        """AbsMath with three cases of float32: small, timed and hidden."""
        spec = operator()
        kept = tuple(entry for entry in spec.cases if entry.name in CASES)
        assert len(kept) == len(CASES)
        return replace(spec, cases=kept, deny=case.deny)

    def honest_us(self, case: Case) -> float:
        """What the honest kernel takes with as many instructions as a benign candidate has."""
        plain = replace(HONEST, edits=case.work)
        return (self.judged(plain) if case.work else self.honest).latency

    def judged(self, case: Case) -> Attempt:
        """The verdict on one candidate."""
        return self.all_judged([case])[0]

    def all_judged(self, cases: Iterable[Case], *, rules: bool = True) -> list[Attempt]:
        """The verdicts on many, two at a time; without `rules` each goes to the judge as it is."""
        evaluator: Evaluator = self._evaluator if rules else self._judge
        room = asyncio.Semaphore(AT_A_TIME)

        async def one(case: Case) -> Attempt:
            async with room:
                begun = time.monotonic()
                work = evaluator.evaluate(
                    self.operator(case), self.candidate(case), lambda _text: None
                )
                return Attempt(case, await work, time.monotonic() - begun)

        async def every() -> list[Attempt]:
            return await asyncio.gather(*(one(case) for case in cases))

        return self._runner.run(every())

    def layer(self, attempt: Attempt) -> str:
        """Which layer stopped a candidate, in the words of `candidates`."""
        case, found = attempt.case, attempt.found
        if found.verdict is VerdictClass.FAIL_INTEGRITY:
            if any(entry.rule == "integrity/shape-tuned" for entry in found.findings):
                return FRESH
            return TEXT if violations(self.candidate(case)) else TREE
        if found.verdict is VerdictClass.FAIL_BUILD:
            return LANGUAGE if found.build.stage == "preflight" else BUILD
        if found.verdict is VerdictClass.PASS_WITH_HAZARD:
            return HAZARD
        if found.verdict is VerdictClass.PASS and found.latency is not None:
            return NOTHING
        return JUDGE

    def left_behind(self) -> list[str]:
        """Files beside the secret, and processes that name the word."""
        files = [str(path) for path in self.folder.iterdir() if path != self.secret]
        return files + running(self.word)

    def close(self) -> None:
        """End the judge and the lint."""
        self._runner.run(self._evaluator.close())
        self._runner.close()


def running(word: str) -> list[str]:
    """Processes that name `word`, this one left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and folder.name != str(os.getpid()):
            found.append(words.decode(errors="replace"))
    return found
