"""How many of the lessons a prompt retrieves help it: precision@5 and recall@5 on labelled prompts.

The prompts of `retrieval_labels.toml` (first rounds of operators, and failures with their diagnosis) search
the seed bank with the retriever a run uses. Beside the query of the product stands the one that is only the
operator's prose. Intervals are 95 % bootstrap over prompts. `first` and `failure` are kept apart, and so are
the two halves of the labels: what is adjusted is adjusted by the open half, the held-out half only judges.
`--labels FILE` judges by other labels; `retrieval_labels_second.toml` holds those of a second reader.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import random
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.agent.retrieval.query import retrieval_query
from core.evaluation.records import BuildReport, Evaluation, VerdictClass
from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.encoder import EncoderClient
from core.memory.records import ItemFilter
from core.memory.retrieval.retriever import HybridRetriever, Retriever
from core.memory.said import labels
from core.memory.store import MemoryStore
from core.operators.catalogue import catalogue_operator
from core.operators.kinds_of_work import kinds_of_work
from core.operators.spec import OperatorSpec
from core.workspace import Workspace

K = 5
_LABELS = Path(__file__).with_name("retrieval_labels.toml")
_ENCODER_SECONDS = 60.0
_RESAMPLES = 2000
Search = Callable[[str, "Labelled"], Sequence[str]]


@dataclass(frozen=True)
class Labelled:
    """One prompt with the lessons that help it; `cause` and `diagnosis` are empty for a first prompt."""

    operator: OperatorSpec
    useful: frozenset[str]
    cause: str = ""
    diagnosis: str = ""

    @property
    def kind(self) -> str:
        """`first` or `failure`."""
        return "failure" if self.cause else "first"

    @property
    def held_out(self) -> bool:
        """Which half the prompt belongs to; by the sha256 of its key."""
        return (
            hashlib.sha256(f"{self.operator.name}{self.cause}".encode()).digest()[0] % 2
            == 1
        )

    def query(self) -> str:
        """What the product asks the memory."""
        if not self.cause:
            return retrieval_query(self.operator, None, "")
        build = BuildReport(ok=False)
        failed = Evaluation(
            "", self.operator.name, VerdictClass.FAIL_BUILD, self.cause, build
        )
        return retrieval_query(self.operator, failed, self.diagnosis)

    def prose(self) -> str:
        """The operator's prose alone, as releases before asked at the first round; failures are the same."""
        operator = self.operator
        return (
            self.query()
            if self.cause
            else f"{operator.name}\n{operator.summary}\n{operator.category}"
        )


def labelled(path: Path) -> Iterator[Labelled]:
    """Read the labels; of first prompts the lessons that no prompt says anyway, where there are any."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    said_anyway = {uid for (uid, _, _), is_told in labels().items() if is_told}
    for entry in [*entries["first"], *entries["failure"]]:
        cause, useful = entry.get("cause", ""), frozenset(entry["useful"])
        if not cause:
            useful -= said_anyway
        if useful:
            operator = catalogue_operator(entry["operator"])
            yield Labelled(operator, useful, cause, entry.get("diagnosis", ""))


def scores(prompt: Labelled, uids: Sequence[str]) -> tuple[float, float]:
    """Precision and recall among the first K; what retrieves nothing is never wrong."""
    first_uids = set(uids[:K])
    hits = len(prompt.useful & first_uids)
    return hits / len(first_uids) if first_uids else 1.0, hits / len(prompt.useful)


def _filters(prompt: Labelled) -> ItemFilter:
    """As a round retrieves."""
    tensors = prompt.operator.inputs
    dtypes = {dtype.value for tensor in tensors for dtype in tensor.dtypes}
    return ItemFilter(
        soc="ascend910b",
        dtypes=tuple(sorted(dtypes)),
        work=None if prompt.cause else kinds_of_work(prompt.operator),
        once=True,
        news=not prompt.cause,
    )


def _interval(values: Sequence[float]) -> str:
    chance = random.Random(0)
    means = sorted(
        sum(chance.choices(values, k=len(values))) / len(values)
        for _ in range(_RESAMPLES)
    )
    mean, low, high = (
        sum(values) / len(values),
        means[_RESAMPLES // 40],
        means[-_RESAMPLES // 40],
    )
    return f"{mean:.2f} [{low:.2f} … {high:.2f}]"


def report(name: str, search: Search, prompts: Sequence[Labelled]) -> None:
    """Print both measures of both queries for every kind and half."""
    for kind, half in itertools.product(("first", "failure"), ("open", "held-out")):
        is_held_out = half == "held-out"
        group = [
            prompt
            for prompt in prompts
            if prompt.kind == kind and prompt.held_out == is_held_out
        ]
        for label, query in (("prose", Labelled.prose), ("product", Labelled.query)):
            if kind == "failure" and label == "prose":
                continue
            pairs = [scores(prompt, search(query(prompt), prompt)) for prompt in group]
            precision = _interval([precision for precision, _recall in pairs])
            recall = _interval([recall for _precision, recall in pairs])
            print(
                f"  {name:<7} {kind:<8} {half:<9} {label:<8} n={len(group):<3}"
                f" P@{K} {precision}   R@{K} {recall}"
            )


def main() -> None:
    """Search by words alone and with the encoder."""
    parser = argparse.ArgumentParser(
        description="Measure how many of the retrieved lessons help."
    )
    parser.add_argument(
        "--labels",
        type=Path,
        default=_LABELS,
        metavar="FILE",
        help="labels to judge by",
    )
    prompts = tuple(labelled(parser.parse_args().labels))
    print(
        f"{len(prompts)} labelled prompts, seed bank of {len(cold_start_bank())} lessons"
    )
    with tempfile.TemporaryDirectory() as folder:
        store = MemoryStore(Workspace.open(Path(folder) / "bank.sage"))
        add_seeds(store, cold_start_bank())
        words = Retriever(store.workspace)
        report(
            "words",
            lambda q, p: [h.uid for h in words.retrieve(q, K, filters=_filters(p))],
            prompts,
        )
        encoder = EncoderClient()
        hybrid = HybridRetriever(
            store.workspace, encoder, wait_seconds=_ENCODER_SECONDS
        )
        report(
            "hybrid",
            lambda q, p: [h.uid for h in hybrid.retrieve(q, K, filters=_filters(p))],
            prompts,
        )
        if hybrid.last.reason:
            print(f"  no dense part: {hybrid.last.reason}")
        encoder.close()
        store.workspace.close()


if __name__ == "__main__":
    main()
