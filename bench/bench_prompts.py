"""How many characters of prompts an operator costs from its first prompt to its end, beside the field run's.

In the field run a reader answered eight operators in a folder, seven to the end: 1,424,000 characters, of which
517,000 asked for endings. This plays the seven the same way: `sage run --model manual:FOLDER`, whose prompts are
answered by a script in the shape of that run, as many look-ups in the first round, one round of optimization, and
`## Done`. The kernels are our own, and the second round sends the first one again with a comment. So files and feedback
are not those of that reader, and no reader sees the prompts: the number is one of text, and says nothing about what it
leads to.

    python -m bench.bench_prompts [--only OPERATOR ...] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from core.agent.reply.protocol import render_files
from tests.own_kernels import own_kernel

FIELD = 1_424_000  # characters of the field run
# Operator -> what was looked up in its first round, as many as in the field run.
SHAPES = {
    "LayerNormV4": "WholeReduceSum\nDataCopyPad\nBrcb\nRsqrt\nskeleton_spread_of_all",
    "GroupNormSwish": "SyncAll\nReduceSum\nskeleton_spread_of_all",
    "SwiGlu": "",
    "SelectReduceMaxDSubExpReduceSumDRealDiv": (
        "Select\nCompareScalar\nbool tensor to mask\nReduceMax\nskeleton_pair_difference"
    ),
    "GroupedMatmulSliceMPerTokenDequant": "Matmul\nCast\nskeleton_larger_product",
    "MoeDistDispatchMulExp": "",
    "RmsNormRope": "",
}
_WITHOUT_OPTIMIZATION = frozenset({"SwiGlu"})  # at its bound at once
_RETRIEVED = re.compile(r"^### \[([^\]]+)\]", re.MULTILINE)
_POLL_S = 0.5


@dataclass
class Reader:
    """Answers the prompts in a folder by rule.

    Attributes:
        retrieved: Operator -> uids its round has to resolve.
        rounds: Operator -> candidates it has sent.
        asked: Operators whose look-up is made.
    """

    folder: Path
    retrieved: dict[str, list[str]] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    looked_up: set[str] = field(default_factory=set)

    def answer_all(self) -> None:
        """Write a reply to each prompt that waits without one."""
        state = self.folder / "waiting.json"
        if not state.is_file():
            return
        for entry in json.loads(state.read_text(encoding="utf-8"))["waiting"]:
            reply = self.folder / entry["reply"]
            if reply.exists():
                continue
            prompt = (self.folder / entry["prompt"]).read_text(encoding="utf-8")
            text = self._reply(entry["subject"], entry["purpose"], prompt)
            draft = reply.with_suffix(".part")
            draft.write_text(text, encoding="utf-8")
            draft.replace(reply)

    def _reply(self, operator: str, purpose: str, prompt: str) -> str:
        if purpose == "diagnose":
            last = 1 if operator in _WITHOUT_OPTIMIZATION else 2
            if self.rounds[operator] >= last:
                return "## Done\nIt is at its bound.\n"
            return "## Diagnosis\nThe vector unit works longest, in many short instructions.\n"
        if purpose in ("candidate", "repair", "examined", "correction"):
            return self._candidate(operator, prompt)
        return "None.\n"

    def _candidate(self, operator: str, prompt: str) -> str:
        section = prompt.partition("# Retrieved experiences")[2]
        if section:
            self.retrieved[operator] = _RETRIEVED.findall(section)
        names = SHAPES[operator]
        if names and operator not in self.looked_up:
            self.looked_up.add(operator)
            return f"## Look up\n{names}\n"
        self.rounds[operator] += 1
        records = "\n".join(
            f"- [{uid}] not_adopted: the kernel was there before it."
            for uid in self.retrieved.get(operator, ())
        )
        files = own_kernel(operator).files
        if self.rounds[operator] > 1:
            kernel = next(
                path
                for path in files
                if path.startswith("op_kernel/") and path.endswith(".cpp")
            )
            files = {kernel: f"{files[kernel]}// round {self.rounds[operator]}\n"}
        return (
            "## Diagnosis\nAs it was.\n"
            + (f"## Adoption\n{records}\n" if records else "")
            + f"## Resident rules used\nnone\n## Files\n{render_files(files)}\n"
        )


def play(operators: list[str], folder: Path) -> None:
    """Run the operators to their ends with prompts and replies in `folder`/desk."""
    desk = folder / "desk"
    words = ["run", "--operators", ",".join(operators), "--rounds", "10"]
    words += ["--model", f"manual:{desk}", "--set", "patience=2"]
    words += ["--workspace", str(folder / "run.sage")]
    start = "import sys; from sage_desktop.cli import main; sys.exit(main())"
    reader = Reader(desk)
    with (folder / "run.log").open("w") as log:
        run = subprocess.Popen(
            [sys.executable, "-c", start, *words], stdout=log, stderr=log
        )
        while run.poll() is None:
            reader.answer_all()
            time.sleep(_POLL_S)
    if run.returncode:
        raise SystemExit((folder / "run.log").read_text()[-2000:])


def report(operators: list[str], desk: Path) -> None:
    """Print what each operator cost."""
    total = ending = 0
    for name in sorted(path.name for path in desk.iterdir() if path.is_dir()):
        sizes = {
            path.name: len(path.read_text(encoding="utf-8"))
            for path in (desk / name).glob("*.prompt.md")
        }
        # The last diagnosis is the one that ended the operator.
        diagnoses = [file for file in sorted(sizes) if ".diagnose" in file]
        if diagnoses:
            ending += sizes[diagnoses[-1]]
        characters = sum(sizes.values())
        total += characters
        print(f"{name:<42} {len(sizes):3} prompts {characters:9,} characters")
    each = total / len(operators)
    each_in_field = FIELD / 7
    print(
        f"{len(operators)} operators: {total:,} characters, {each:,.0f} each; "
        f"field run {each_in_field:,.0f} each, {1 - each / each_in_field:.0%} less. "
        f"The prompts that `## Done` answered: {ending:,}."
    )


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description="Characters of prompts an operator.")
    parser.add_argument("--only", nargs="*", default=list(SHAPES), choices=SHAPES)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        play(options.only, folder)
        report(options.only, folder / "desk")


if __name__ == "__main__":
    main()
