"""One call of an operator for the stand-in's aclnn library: its launch file in, the twin's programs, outputs
out.

    python call.py TILING KERNEL SIMULATOR launch.tsv
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from core.operators.spec import AttributeSpec, DecidingRule, TensorSpec, TestCase
from remote.judge.building.built_program import Programs
from remote.judge.building.processors import processors
from remote.judge.inputs.case_data import WIDTHS, CaseData, TensorFile
from remote.judge.job import Operator
from remote.judge.json_records import plain
from remote.judge.processes.children import ChildGroup
from remote.judge.processes.launcher import Launcher
from remote.judge.running.launch import RunSettings, launch
from tests.remote.cann_stand_in import ROOT


def main(tiling: str, kernel: str, simulator: str, manifest: str) -> None:
    rows = [line.split("\t") for line in Path(manifest).read_text().splitlines()]
    named = {row[0]: row[1] for row in rows if len(row) == 2}
    folder = Path(manifest).parent
    inputs: dict[str, list[TensorFile]] = {}
    names: dict[int, str] = {}
    for row in rows:
        if row[0] == "absent":
            names[int(row[1])] = row[2]
        if row[0] == "input":
            names[int(row[1])] = row[2]
            path = Path(row[6])
            file = TensorFile(
                row[2],
                row[3],
                _numbers(row[4]),
                _numbers(row[5]),
                path,
                path.stat().st_size,
            )
            inputs.setdefault(row[2], []).append(file)
    outputs = [_output(row, folder) for row in rows if row[0] == "output"]
    attributes = [row for row in rows if row[0] == "attribute"]
    dtypes = {
        name: tuple(sorted({file.dtype for file in files}))
        for name, files in inputs.items()
    }
    operator = Operator(
        named["operator"],
        named["kernel"],
        tuple(
            TensorSpec(names[index], dtypes.get(names[index], ()))
            for index in sorted(names)
        ),
        (),
        tuple(AttributeSpec(row[1], row[2]) for row in attributes),
        DecidingRule.CATALOGUE,
        {},
        "",
        "",
    )
    case = TestCase("", {}, {row[1]: _value(row[2], row[3]) for row in attributes})
    data = CaseData(
        {name: tuple(files) for name, files in inputs.items()},
        tuple(outputs),
        (None,) * len(outputs),
        {},
        (None,) * len(outputs),
    )
    table = ROOT / "resources" / "twin" / "processors.toml"
    settings = RunSettings(
        named["soc"],
        float(named["time_limit"]),
        6144,
        strict=False,
        scratch=folder,
        processor=processors(table).modelled[named["soc"]],
        second_pattern="poison" in named,
    )
    programs = Programs(Path(tiling), Path(kernel), Path(simulator))
    launcher = Launcher(ChildGroup("stand-in"))
    report, _ = launch(operator, case, data, programs, settings, folder, launcher)
    for index, written in enumerate(report.outputs):
        (folder / f"out-{index}.bin").write_bytes(written)
    told = {**plain(report), "trace": "", "outputs": []}
    text = json.dumps(told, separators=(",", ":"), default=sorted)
    (folder / "report.json").write_text(text)


def _numbers(text: str) -> tuple[int, ...]:
    return () if text == "-" else tuple(int(number) for number in text.split(","))


def _output(row: list[str], folder: Path) -> TensorFile:
    shape = _numbers(row[3])
    size = WIDTHS[row[2]]
    for dim in shape:
        size *= dim
    return TensorFile(row[1], row[2], shape, (), folder, size)


def _value(kind: str, text: str) -> Any:
    if kind.endswith("_list"):
        return [
            _value(kind.removesuffix("_list"), part) for part in text.split(",") if part
        ]
    return {"int": int, "float": float, "bool": lambda word: word == "1", "str": str}[
        kind
    ](text)


if __name__ == "__main__":
    main(*sys.argv[1:5])
