"""Share of prompt tokens a server can take from its prefix cache over one trajectory, beside other orders.

Thirty rounds of real prompts (rules, protocol, skills, task text of the application) with sections of fixed
size: hot rules 8 K, retrieved experiences 2.5 K, kernel 9 K (a fifth changes each round), feedback 1.5 K
tokens. A prompt shares the longest common prefix with any prompt before it, in whole blocks. Tokens are
estimated (est-qwen-v1). Deterministic.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.agent.prompt.attempts import ledger_line
from core.agent.prompt.round_prompt import ContextBuilder, RoundView, TaskView
from core.evaluation.records import (
    BuildReport,
    CompilerMessage,
    Evaluation,
    Latency,
    LatencyOrigin,
    VerdictClass,
)
from core.memory.records import CodeDiff, Experience, MemoryItem, Origin
from core.memory.store import MemoryStore
from core.memory.tokens import EstimatedTokens
from core.method.objective import Objective
from core.operators.catalogue import catalogue_operator
from core.workspace import Workspace

ROUNDS = 30
FIRST_CORRECT = 12
BLOCKS = (16, 128, 2048)
GOAL = 0.5
HOT, RETRIEVED, KERNEL, FEEDBACK = 8_000, 2_500, 9_000, 1_500
COUNTER = EstimatedTokens()
_WORDS = """
tile core queue offset block length buffer mask
repeat stride pipe event vector scalar cast reduce
"""
WORDS = _WORDS.split()


@dataclass(frozen=True)
class Call:
    """One prompt by parts, in the application's order."""

    system: str
    hot: str
    before_retrieved: str
    retrieved: str
    request: str


def prose(tokens: int, chance: random.Random, line: int = 12) -> str:
    """Text of about `tokens` tokens in lines of `line` words."""
    lines: list[str] = []
    count = 0
    while count < tokens:
        lines.append(
            " ".join(
                f"{chance.choice(WORDS)}{chance.randrange(99)}" for _ in range(line)
            )
        )
        count += COUNTER.count(lines[-1] + "\n")
    return "\n".join(lines)


def items(folder: Path, chance: random.Random) -> tuple[MemoryItem, ...]:
    """Experiences of which five make up the retrieved section."""
    with Workspace.open(folder / "bench.sage") as workspace:
        store = MemoryStore(workspace)
        for number in range(40):
            code = CodeDiff(prose(180, chance), prose(180, chance))
            text = Experience(
                f"experience {number}",
                "api_misuse",
                "Math",
                "",
                code,
                prose(90, chance),
            )
            store.add_item(text, origin=Origin.SEED, uid=f"seed-{number:04d}")
        return store.items()


def evaluation(round_number: int, chance: random.Random) -> Evaluation:
    """A failure with compiler messages until the first correct round, then correct kernels."""
    if round_number >= FIRST_CORRECT:
        latency = Latency(
            20.0 + chance.random(),
            "us",
            LatencyOrigin.MODELLED,
            "bench",
            0,
            None,
            "none",
        )
        return Evaluation(
            "c", "Lerp", VerdictClass.PASS, "", BuildReport(ok=True), latency=latency
        )
    messages = tuple(
        CompilerMessage(
            "error",
            prose(FEEDBACK // 8, chance).replace("\n", " "),
            "op_kernel/lerp.cpp",
            number,
        )
        for number in range(8)
    )
    report = BuildReport(ok=False, stage="kernel", messages=messages)
    return Evaluation(
        "c", "Lerp", VerdictClass.FAIL_BUILD, messages[0].text[:120], report
    )


def trajectory(bank: Sequence[MemoryItem]) -> list[Call]:
    """All calls of one trajectory: diagnose and candidate of every round."""
    chance = random.Random(1)
    operator = catalogue_operator("Lerp")
    hot = "Resident rules (always in force; name by id those you apply):\n" + prose(
        HOT, chance
    )
    kernel = prose(KERNEL, chance, line=8).split("\n")
    context = ContextBuilder(10**9)
    calls: list[Call] = []
    ledger: list[str] = []
    last_evaluation: Evaluation | None = None
    for number in range(1, ROUNDS + 1):
        objective = Objective.CORR if number <= FIRST_CORRECT else Objective.OPT
        task = TaskView(operator, objective, ROUNDS, "bench", hot)
        files = {"op_kernel/lerp.cpp": "\n".join(kernel)} if last_evaluation else {}
        state = RoundView(tuple(ledger), files, last_evaluation)
        retrieved = chance.sample(list(bank), 5)
        prompts = [
            context.candidate(task, state, "the diagnosis of the round", retrieved)
        ]
        if last_evaluation is not None:
            prompts.insert(0, context.diagnose(task, state))
        calls += [
            _parts(prompt.messages[0].content, prompt.messages[1].content, hot)
            for prompt in prompts
        ]
        at = chance.randrange(len(kernel) * 4 // 5)
        size = len(kernel) // 5
        kernel[at : at + size] = prose(KERNEL // 5, chance, line=8).split("\n")[:size]
        last_evaluation = evaluation(number, chance)
        ledger.append(
            ledger_line(
                number,
                objective.value,
                last_evaluation,
                last_evaluation.cause,
                new_best=False,
            )
        )
    return calls


def _parts(system: str, user: str, hot: str) -> Call:
    rules = system.removesuffix(hot)
    assert rules != system
    head, mark, tail = user.partition("# Retrieved experiences")
    retrieved, now, request = (
        (mark + tail).rpartition("# Now") if mark else ("", "", "")
    )
    return Call(rules, hot, head, retrieved, now + request)


def shuffled(text: str, number: int) -> str:
    """The hot rules in another order each round, as by utility."""
    lines = text.split("\n")
    random.Random(number).shuffle(lines)
    return "\n".join(lines)


ORDERS: dict[str, Callable[[Call, int], str]] = {
    "this application": lambda c, _n: (
        c.system + c.hot + c.before_retrieved + c.retrieved + c.request
    ),
    "retrieved before hot rules": lambda c, _n: (
        c.system + c.retrieved + c.hot + c.before_retrieved + c.request
    ),
    "hot rules sorted every round": lambda c, n: (
        c.system + shuffled(c.hot, n) + c.before_retrieved + c.retrieved + c.request
    ),
    "clock on top": lambda c, n: (
        f"{n:06d} s\n{c.system}{c.hot}{c.before_retrieved}{c.retrieved}{c.request}"
    ),
}


def common_prefix(first: str, second: str) -> str:
    """What two texts have in common at their beginning, by bisection."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
        )
    return first[:low]


def shares(prompts: Sequence[str]) -> tuple[int, dict[int, float]]:
    """Prompt tokens in all, and the cached share of them by block size."""
    total, cached = 0, dict.fromkeys(BLOCKS, 0)
    for number, prompt in enumerate(prompts):
        total += COUNTER.count(prompt)
        common = max(
            (common_prefix(prompt, earlier) for earlier in prompts[:number]),
            key=len,
            default="",
        )
        tokens = COUNTER.count(common)
        for block in BLOCKS:
            cached[block] += tokens // block * block
    return total, {block: cached[block] / total for block in BLOCKS}


def main() -> int:
    """Print the table; 1 when the goal is missed."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        calls = trajectory(items(Path(folder), random.Random(2)))
    print(
        f"{len(calls)} calls of {ROUNDS} rounds: share of prompt tokens in a common prefix, by block size"
    )
    print(
        f"{'order':<30}{'prompt tokens':>15}"
        + "".join(f"{f'{block}-token':>12}" for block in BLOCKS)
    )
    reached = 0.0
    for name, order in ORDERS.items():
        total, share = shares(
            [order(call, number) for number, call in enumerate(calls)]
        )
        print(
            f"{name:<30}{total:>15,}"
            + "".join(f"{share[block]:>12.1%}" for block in BLOCKS)
        )
        reached = reached or share[16]
    candidates = [
        order
        for call in calls
        if call.retrieved
        for order in [ORDERS["this application"](call, 0)]
    ]
    _, share = shares(candidates)
    print(
        f"{'this, candidate calls only':<45}"
        + "".join(f"{share[block]:>12.1%}" for block in BLOCKS)
    )
    verdict = "reached" if reached >= GOAL else "MISSED"
    print(f"goal: at least {GOAL:.0%} at 16 tokens: {verdict} ({reached:.1%})")
    return 0 if reached >= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
