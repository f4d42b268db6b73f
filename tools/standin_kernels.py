"""Make `resources/standin/kernels.jsonl.gz`: own kernels of graded quality, for runs without a model.

    python -m tools.standin_kernels

Every kernel is one of `tests/data/kernels` with at most one change of its tiling function: a mistake people make, or
a split over too few cores. The change is made in `op_host/*.cpp`, into which the headers of the tiling function are
copied, so that all kernels of an operator share one compile of op_kernel.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.operators.catalogue import catalogue_operator
from tests.own_kernels import own_kernel

TARGET = Path(__file__).parents[1] / "resources" / "standin" / "kernels.jsonl.gz"
_INCLUDE = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)
# Headers of own kernels have no `#if` beside their guard.
_GUARD = re.compile(r"^#ifndef \w+_H\n#define \w+_H\n|^#endif\n", re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """One edit of op_host, what it makes of the kernel, and what undoing it teaches.

    Attributes:
        grade: build, wrong, slow or better.
        old: Text that occurs exactly once.
        new: What stands there instead.
        lesson: In one line; true of the kernel before the change.
        summary: Why.
    """

    grade: str
    old: str
    new: str
    lesson: str
    summary: str


_RETURNED_CORES = ".GetCoreNumAiv();\n}"
_DATA_SIZE = Change(
    "build",
    "->SetDataSize(",
    "->SetDataLength(",
    "Tell the size of the tiling data by SetDataSize",
    "gert::TilingData has SetDataSize; there is no SetDataLength.",
)
VECTOR = (
    Change(
        "build",
        ".GetCoreNumAiv();",
        ".GetCoreNumVec();",
        "Ask PlatformAscendC for vector cores by GetCoreNumAiv",
        "PlatformAscendC counts vector cores by GetCoreNumAiv and cube cores by GetCoreNumAic.",
    ),
    _DATA_SIZE,
    Change(
        "wrong",
        "SetBlockDim(cores == 0 ? 1 : cores)",
        "SetBlockDim((cores + 1) / 2)",
        "Launch as many cores as the work was split over",
        "SetBlockDim has to equal the number of shares; shares of cores that are not launched stay unwritten.",
    ),
    Change(
        "slow",
        _RETURNED_CORES,
        ".GetCoreNumAiv() < 10 ? 1 : 10;\n}",
        "Split over all vector cores, not over a fixed few",
        "With ten cores every core has many tiles; with all of them the copies of the tiles run side by side.",
    ),
    Change(
        "better",
        _RETURNED_CORES,
        ".GetCoreNumAiv() < 24 ? 1 : 24;\n}",
        "Take the number of cores from the platform, not from a constant",
        "A constant number of cores leaves the others idle; PlatformAscendC tells how many there are.",
    ),
)
FLAT = (
    *VECTOR,
    Change(
        "wrong",
        "set_totalLength(static_cast<uint32_t>(total))",
        "set_totalLength(static_cast<uint32_t>(total / unit * unit))",
        "Keep the tail: total length is not rounded down to whole units",
        "Rounded down, the elements after the last whole unit are never written.",
    ),
)
ROWS = (
    *VECTOR,
    Change(
        "wrong",
        "tiling.set_rows(static_cast<uint32_t>(rows));\n    tiling.set_coreRows",
        "tiling.set_rows(static_cast<uint32_t>(rows - rows % 8));\n    tiling.set_coreRows",
        "Keep the last rows: the number of rows is not rounded down",
        "Rounded down to a multiple of eight, the last rows are never written.",
    ),
)
PIECES = (
    *VECTOR,
    Change(
        "wrong",
        "tiling.set_pieces(pieces);",
        "tiling.set_pieces(pieces / 2);",
        "Count the pieces of all chunks of a row",
        "With fewer pieces than the matrix has, the last of them are never written.",
    ),
)
LISTS = (
    *VECTOR,
    Change(
        "wrong",
        "blocks += CeilOf(lengths[count], perBlock);",
        "blocks += lengths[count] / perBlock;",
        "Count a begun block as a whole one",
        "Counted in whole blocks only, the tails of the tensors fall behind the last core's share.",
    ),
)


def cube(cores: str, launched: str) -> tuple[Change, ...]:
    """Changes of a tiling function that asks `MultiCoreMatmulTiling`.

    Args:
        cores: The call that counts them.
        launched: The argument of SetBlockDim, as the kernel has it.
    """
    dim = f"api.SetDim(static_cast<int32_t>(platform.{cores}()));"
    return (
        Change(
            "build",
            f"platform.{cores}()",
            "platform.GetCoreNumCube()",
            f"Ask PlatformAscendC for the cores of a product by {cores}",
            "PlatformAscendC counts cube cores by GetCoreNumAic and vector cores by GetCoreNumAiv.",
        ),
        _DATA_SIZE,
        Change(
            "wrong",
            "api.SetShape(m, n, k);",
            "api.SetShape(m, n, k / 2);",
            "Give SetShape the whole K",
            "SetShape says over how much of K is summed; SetOrgShape only how far rows are apart.",
        ),
        Change(
            "wrong",
            launched,
            launched.replace("tiling.get_cores()", "(tiling.get_cores() / 4 + 1)"),
            "Launch the cores that the tiling of the product uses",
            "Blocks of the result belong to usedCoreNum cores; what is not launched stays unwritten.",
        ),
        Change(
            "slow",
            dim,
            "api.SetDim(4);",
            "Let the tiling of a product use all cores by SetDim",
            "SetDim bounds the cores of MultiCoreMatmulTiling; with four of them the others idle.",
        ),
        Change(
            "better",
            dim,
            "api.SetDim(12);",
            "Give SetDim the number of cores the platform has",
            "A constant bounds the cores of MultiCoreMatmulTiling on every processor alike.",
        ),
    )


CHANGES = {
    "LessEqual": FLAT,
    "Lerp": FLAT,
    "ClipByValue": FLAT,
    "SwiGlu": PIECES,
    "MulSigmoid": PIECES,
    "ForeachAddScalar": LISTS,
    "MseLoss": FLAT,
    "BasicMatmul": cube("GetCoreNumAic", "1 : tiling.get_cores()"),
    "Gemv": ROWS,
    "MatmulBias": cube("GetCoreNumAiv", "(tiling.get_cores() + 1) / 2"),
    "FusedGeluSigmoid": FLAT,
    "HcPost": ROWS,
    "ApplyRotaryPosEmbPartial": ROWS,
}


def one_source(files: dict[str, str]) -> dict[str, str]:
    """The project with the headers of its tiling function copied into op_host's one source.

    Args:
        files: Of a project, by path.
    """
    headers = {
        path.rpartition("/")[2]: text
        for path, text in files.items()
        if path.startswith("op_host/") and path.endswith(".h")
    }
    # The kernel's unit includes its tiling data from there, so that header stays a file.
    shared = {name for name in headers if name.endswith("_tiling.h")}
    source = _host_source(files)
    copied: set[str] = set()

    def text_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in shared or name not in headers:
            return match.group(0)
        if name in copied:
            return ""
        copied.add(name)
        return expanded(_GUARD.sub("", headers[name]))

    def expanded(text: str) -> str:
        return _INCLUDE.sub(text_of, text)

    whole = expanded(files[source])
    rest = {
        path: text
        for path, text in files.items()
        if path.rpartition("/")[2] not in copied or not path.startswith("op_host/")
    }
    return {**rest, source: whole}


def _host_source(files: Mapping[str, str]) -> str:
    """Path of op_host's source."""
    sources = [path for path in files if path.endswith(".cpp")]
    return next(path for path in sources if path.startswith("op_host/"))


def kernels(operator: str) -> Iterator[dict[str, object]]:
    """Every graded kernel of an operator, the best one last."""
    files = one_source(dict(own_kernel(operator).files))
    source = _host_source(files)
    text = files[source]
    category = catalogue_operator(operator).category
    for change in CHANGES[operator]:
        times = text.count(change.old)
        if times != 1:
            raise SystemExit(f"{operator}: {change.old!r} occurs {times} times")
        changed_text = text.replace(change.old, change.new)
        yield {
            "operator": operator,
            "grade": change.grade,
            "category": category,
            "lesson": change.lesson,
            "summary": change.summary,
            "wrong": change.new.strip(),
            "right": change.old.strip(),
            "files": {**files, source: changed_text},
        }
    yield {"operator": operator, "grade": "best", "category": category, "files": files}


def main() -> None:
    """Write the file; equal kernels give equal bytes."""
    lines = []
    for operator in CHANGES:
        lines += [json.dumps(row, sort_keys=True) for row in kernels(operator)]
    text = "\n".join([*lines, ""])
    TARGET.parent.mkdir(exist_ok=True)
    # Without the time, which would make equal texts different files.
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.stdout.write(f"{len(lines)} kernels, {TARGET.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
