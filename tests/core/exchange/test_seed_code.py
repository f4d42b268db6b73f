"""The code the cold-start bank calls correct compiles against the CPU twin's headers.

A seed shows a few lines; what they leave to their reader is declared here. A seed whose code is not C++, or
is a fragment that stands in no single function, is named in `FRAGMENTS` with what it is instead.
"""

from __future__ import annotations

import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from core.exchange.seeds import cold_start_bank
from remote.judge.building.twin_sources import TwinSources, placed_headers

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
struct Names {
    using T = float;
    static constexpr uint32_t BUFFERS = 4, MAX_TILES = 4;
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue, queue, queueB;
    TQue<TPosition::VECOUT, 2> queueZ;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<T> xGm, yGm, bGm, partialGm;
    LocalTensor<T> x, y, z, a, b, xLocal, yLocal, row, buffer, total, value, partial, ones;
    LocalTensor<float> aFloat, bFloat, work, sum, sums, tmpFloat, xFloat, sumFloat, workFloat;
    LocalTensor<half> xHalf, outHalf;
    LocalTensor<int64_t> inInt64;
    LocalTensor<uint8_t> bits;
    DataCopyExtParams bytes, oneElement;
    DataCopyPadExtParams<T> noPadding;
    uint32_t offset, count, n, block, first, perBlock, r, tile, tileLength, tiles, rows, width, fill;
    uint32_t gapBytes, totalLength, coreLength, tileElements, paddedWidth, ubBytes, buffers, myLength;
    uint64_t lanes, mask[2];
    T scale, one;
    struct { float reciprocal, reciprocalOfWidth; } tilingData;
    void CopyIn(uint32_t, uint32_t) {}
    void Compute(uint32_t) {}
    void CopyOut(uint32_t, uint32_t) {}
    void Work(uint32_t = 0) {}
    void SumPartials() {}
    void ClearOutput() {}
    void SmallRows() {}
    void LongRows() {}
};
"""
HOST = """#include "register/tilingdata_base.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(SeedTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, totalLength);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Seed, SeedTilingData)
static ge::graphStatus TilingFunc(gert::TilingContext*) { return ge::GRAPH_SUCCESS; }
}
namespace ge {
static graphStatus InferShape(gert::InferShapeContext*) { return GRAPH_SUCCESS; }
static graphStatus InferDataType(gert::InferDataTypeContext*) { return GRAPH_SUCCESS; }
}
using namespace ops;
constexpr uint32_t MIN_BYTES_PER_CORE = 1, BUFFERS = 4;
"""
TILING = {"0003", "0005", "0008", "0106", "0107", "0142"}  # stand in a tiling function
TILING_NAMES = """auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint32_t totalBytes = 1, blocksPerCore = 1, perBlock = 8, total = 1, userBytes = 1;
  optiling::SeedTilingData tiling; auto shape = context->GetInputShape(0); {"""
DEFINITION = {"0110", "0145", "0146", "0147"}  # stand in the constructor of an OpDef
OWN_NAMES = {  # where a seed means another thing by a name
    "0021": "LocalTensor<T> tile;",
    "0112": "float sum;",
    "0113": "float value;",
    "0114": "half a, b;",
    "0122": "uint32_t total;",
    "0129": "TBuf<TPosition::VECCALC> work; uint32_t bytes;",
    "0137": "TBuf<TPosition::VECCALC> x, y;",
    "0150": "float maximum;",
}
FRAGMENTS = {
    "0004": "members and Init",
    "0010": "host and kernel",
    "0012": "a signature",
    "0022": "an outline of Process",
    "0023": "header and host",
    "0024": "an entry's body",
    "0105": "includes and a statement",
    "0108": "a class",
    "0109": "an entry's body",
    "0115": "a member function",
    "0119": "a path",
    "0120": "advice",
    "0126": "advice",
    "0127": "advice",
    "0128": "an outline",
    "0141": "an include",
    "0143": "a binding to PyTorch",
    "0144": "a class",
    "0151": "a call of the runtime",
}


def compile_errors(folder: Path, name: str, source: str) -> list[str]:
    """Return the lines of the compiler that name an error."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    (folder / name).write_text(source, encoding="utf-8")
    with resources.as_file(resources.files("resources") / "twin") as twin:
        include = placed_headers(TwinSources(twin), folder / "headers")
        said = subprocess.run(
            [
                compiler,
                "-std=c++17",
                "-fsyntax-only",
                "-I",
                str(include),
                str(folder / name),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    found = [line for line in said.stderr.splitlines() if "error" in line]
    return found or ([] if said.returncode == 0 else [said.stderr])


@pytest.mark.slow
def test_what_the_bank_calls_correct_compiles(tmp_path: Path) -> None:
    kernel, host, left = [KERNEL], [HOST], set()
    for uid, seed in cold_start_bank():
        number, code = (
            uid.removeprefix("seed-"),
            f'\n#line 1 "{uid}"\n{seed.code_diff.correct_code}\n;',
        )
        if number in FRAGMENTS:
            left.add(number)
        elif number in TILING:
            body = f"{TILING_NAMES}{code} }} return ge::GRAPH_SUCCESS;"
            host.append(
                f"ge::graphStatus S{number}(gert::TilingContext* context) {{ {body} }}\n"
            )
        elif number in DEFINITION:
            host.append(
                f'struct S{number} : OpDef {{ S{number}() : OpDef("{uid}") {{ {code} }} }};\n'
            )
        else:
            own = OWN_NAMES.get(number, "")
            kernel.append(
                f"struct S{number} : Names {{ {own} void Run() {{ {code} }} }};\n"
            )
    assert left == set(FRAGMENTS)
    assert len(kernel) + len(host) > 50
    assert compile_errors(tmp_path, "kernel.cpp", "".join(kernel)) == []
    assert compile_errors(tmp_path, "host.cpp", "".join(host)) == []


@pytest.mark.slow
def test_the_check_can_fail(tmp_path: Path) -> None:
    wrong = "struct S : Names { void Run() { Muls(y, x, -1, count, 3); } };\n"
    assert compile_errors(tmp_path, "kernel.cpp", KERNEL + wrong)
