"""Operators that can be queued, as plain rows: the catalogue, imported benchmarks, and the person's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput
from core.operators.catalogue import CATALOGUE, catalogue_folder, operator_names
from core.operators.loader import load_operator
from core.operators.measured_kernels import MeasuredKernel, measured_kernels
from core.operators.spec import OperatorSpec
from sage_desktop.services.operator_facts import benchmark_of


@dataclass(frozen=True)
class OperatorRow:
    """One operator. `source` and `name` are what a queue row keeps."""

    source: str
    name: str
    benchmark: str
    level: int
    category: str
    cases: int
    dtypes: str
    summary: str
    baselines: tuple[MeasuredKernel, ...] = ()

    def facet(self, name: str) -> str:
        """Value under which a facet counts the operator."""
        if name == "level":
            return str(self.level) if self.level else ""
        return str(getattr(self, name))


@dataclass(frozen=True)
class Listing:
    """All rows, by benchmark, level and name; `faults` are folders that could not be read."""

    rows: tuple[OperatorRow, ...]
    faults: tuple[str, ...] = ()


def operator_root(data_dir: Path) -> Path:
    """Where imported and own operators lie: one folder per benchmark, and `own`."""
    return data_dir / "operators"


def list_operators(data_dir: Path) -> Listing:
    """Everything that can be queued. Reads every operator.toml: not for the window's thread."""
    rows, faults = [], []
    for source, name, folder in _folders(data_dir):
        try:
            rows.append(_row(source, load_operator(folder / name)))
        except InvalidInput as error:
            faults.append(str(error))
    rows.sort(
        key=lambda row: (
            row.benchmark != CATALOGUE,
            row.benchmark,
            row.level or 9,
            row.name,
        )
    )
    return Listing(tuple(rows), tuple(faults))


def _folders(data_dir: Path) -> Iterable[tuple[str, str, Path]]:
    """(source, name, folder that holds it)."""
    for name in operator_names():
        yield CATALOGUE, name, catalogue_folder()
    root = operator_root(data_dir)
    for folder in sorted(path for path in root.glob("*") if path.is_dir()):
        for name in operator_names(folder):
            yield str(folder / name), name, folder


def _row(source: str, spec: OperatorSpec) -> OperatorRow:
    """What the list says of an operator."""
    tensors = [*spec.inputs, *spec.outputs]
    # The dtypes of the first tensor that has a choice are those of the operator.
    with_choice = [tensor for tensor in tensors if len(set(tensor.dtypes)) > 1]
    leading = (with_choice or tensors)[0]
    dtypes = " ".join(dict.fromkeys(dtype.value for dtype in leading.dtypes))
    lines = [line for line in spec.summary.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    benchmark = benchmark_of(source, spec)
    return OperatorRow(
        source,
        spec.name,
        benchmark,
        spec.level,
        spec.category,
        len(spec.cases),
        dtypes,
        first,
        measured_kernels(spec),
    )


def matching(
    rows: Sequence[OperatorRow], text: str, facet_values: dict[str, str]
) -> list[OperatorRow]:
    """Rows that hold every word of `text` and the chosen value of every facet."""
    words = text.casefold().split()
    matches = []
    for row in rows:
        texts = (row.name, row.category, row.benchmark, row.dtypes, row.summary)
        searched = " ".join(texts).casefold()
        has_words = all(word in searched for word in words)
        has_values = all(
            not value or row.facet(name) == value
            for name, value in facet_values.items()
        )
        if has_words and has_values:
            matches.append(row)
    return matches


def counts(
    rows: Sequence[OperatorRow], text: str, facet_values: dict[str, str], facet: str
) -> dict[str, int]:
    """Value -> operators, under the search and the other facets."""
    other_facets = {
        name: value for name, value in facet_values.items() if name != facet
    }
    value_counts = Counter(
        row.facet(facet) for row in matching(rows, text, other_facets)
    )
    value_counts.pop("", None)
    return dict(sorted(value_counts.items()))
