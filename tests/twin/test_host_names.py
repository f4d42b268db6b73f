"""Newer names of the host side: sizes, structures of the library in both forms, checked C functions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.twin.harness import COMPILER, INCLUDE

PROGRAM = """
#include <cstdio>
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "securec.h"
using namespace AscendC;
// Compiled only: a tiling context exists in a run.
ge::graphStatus Tile(gert::TilingContext* context) { return context->SetSimdNumBlocks(8); }
void sizes(const char* name, uint32_t most, uint32_t least) { std::printf("%s %u %u\\n", name, most, least); }
int main() {
    auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1");
    const TensorShape shape{{64, 128}};
    uint32_t most = 0, least = 0;
    GetRintMaxMinTmpSize(*platform, shape, 4, false, most, least), sizes("Rint", most, least);
    GetCumSumMaxMinTmpSize(shape, 4, true, false, most, least), sizes("CumSum", most, least);
    GetSelectMaxMinTmpSize(shape, TensorShape{{1}}, 4, shape, 1, false, most, least);
    sizes("Select", most, least);
    GetReduceMaxMaxMinTmpSize(shape, TensorDataType::DT_FLOAT, ReducePattern::AR, true, false, most, least);
    sizes("ReduceMax", most, least);
    const auto number = TensorDataType::DT_FLOAT, index = TensorDataType::DT_UINT32;
    GetSortMaxMinTmpSize(shape, number, index, false, SortConfig{}, most, least);
    sizes("Sort", most, least);
    GetNormalizeMaxMinTmpSize(shape, 4, 4, false, true, false, most, least), sizes("Normalize", most, least);
    GetAscendAntiQuantMaxMinTmpSize(shape, shape, false, TensorDataType::DT_INT8, TensorDataType::DT_FLOAT16,
                                    most, least);
    sizes("AscendAntiQuant", most, least);
    sizes("Gelu", GetGeluMaxTmpSize(shape, 4), GetGeluMinTmpSize(shape, 4));

    optiling::SoftMaxTiling field;
    tiling::SoftMaxTiling plain;
    SoftMaxTilingFunc(shape, 4, 1024, field);
    SoftMaxTilingFunc(shape, 4, 1024, plain);
    std::printf("rows %u %u\\n", field.data.srcM, plain.srcM);
    tiling::LayerNormSeparateTiling norm;
    GetLayerNormNDTilingInfo(shape, 1024, 4, false, true, norm);
    std::printf("norm %u %u\\n", norm.aLength, norm.rLength);

    char room[4] = {};
    const bool refused = memcpy_s(room, 3, "abcd", 4) != EOK && strcpy_s(room, 4, "abcd") != EOK;
    const bool kept = memcpy_s(room, 4, "abc", 4) == EOK && room[2] == 'c';
    std::printf("checked %d %d %d\\n", refused, kept, sprintf_s(room, 4, "%d", 12345) == -1);
}
"""


@pytest.mark.system
def test_sizes_structures_and_checked_functions(tmp_path: Path) -> None:
    (tmp_path / "names.cpp").write_text(PROGRAM)
    program = str(tmp_path / "names")
    command = [
        COMPILER,
        "-std=c++17",
        f"-I{INCLUDE}",
        str(tmp_path / "names.cpp"),
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    printed = subprocess.run(
        [program], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in printed.splitlines()]
    sizes = {name: (int(most), int(least)) for name, most, least in rows[:8]}
    assert len(sizes) == 8
    for name, (most, least) in sizes.items():
        assert 0 < least <= most, name
    assert rows[8:] == [
        ["rows", "64", "64"],
        ["norm", "64", "128"],
        ["checked", "1", "1", "1"],
    ]


@pytest.mark.parametrize(
    ("header", "code", "is_taken"),
    [
        ("platform/platform_infos_def.h", "vector<string> names;", True),
        ("register/op_def_registry.h", "vector<string> names;", False),
        ("graph/utils/type_utils.h", "ge::TypeUtils types;", True),
        ("tiling/tiling_api.h", "ge::TypeUtils types;", False),
    ],
)
def test_a_name_comes_with_the_header_that_has_it_in_cann(
    header: str, code: str, is_taken: bool, tmp_path: Path
) -> None:
    source = tmp_path / "names.cpp"
    source.write_text(
        f'#include "{header}"\nnamespace optiling {{ void use() {{ {code} }} }}\n'
    )
    command = [COMPILER, "-std=c++17", f"-I{INCLUDE}", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == is_taken, done.stderr
