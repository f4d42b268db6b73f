"""What the twin is made of: headers of one list, processors of one table, for every reader the same."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from core.evaluation.records import TIME_MODEL
from remote.hosts.soc import soc_named
from remote.judge.building.processors import parsed_processors, processors
from remote.judge.building.twin_sources import TwinSources, placed_headers
from remote.toolchains.twin.toolchain import modelled_processors
from tests.remote.helpers import TWIN

FORWARDING = re.compile(r"(?:\s|//[^\n]*|#pragma once|#include [<\"][^\n]*)*")


def test_no_header_is_written_by_hand_that_only_includes_others() -> None:
    include = TWIN / "include"
    written = [
        path.relative_to(include) for path in include.rglob("*") if path.is_file()
    ]
    of_cann = [path for path in written if path.parts[0] != "twin"]
    found = [
        path
        for path in of_cann
        if FORWARDING.fullmatch((include / path).read_text(encoding="utf-8"))
    ]
    assert found == [
        Path("kernel_operator.h")
    ]  # the entry of the kernel API: all of it, in order


def test_every_made_header_brings_in_what_exists(tmp_path: Path) -> None:
    include = placed_headers(TwinSources(TWIN), tmp_path)
    made = [
        path
        for path in include.rglob("*.h")
        if not (TWIN / "include" / path.relative_to(include)).exists()
    ]
    assert len(made) > 150
    for path in made:
        for name in re.findall(r'#include "(.+)"', path.read_text(encoding="utf-8")):
            assert (include / name).is_file(), (
                f"{path.relative_to(include)} includes {name}"
            )


def test_headers_follow_the_list_and_are_written_once(tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    shutil.copytree(TWIN, twin)
    sources = TwinSources(twin)
    first = placed_headers(sources, tmp_path / "made")
    stamp = first.stat().st_mtime_ns
    assert placed_headers(sources, tmp_path / "made") == first
    assert first.stat().st_mtime_ns == stamp
    listed = (twin / "headers.toml").read_text(encoding="utf-8")
    (twin / "headers.toml").write_text(
        f'{listed}\n[[header]]\nincludes = ["kernel_operator.h"]\nnames = ["lib/newer.h"]\n',
        encoding="utf-8",
    )
    second = placed_headers(sources, tmp_path / "made")
    assert second != first
    assert '#include "kernel_operator.h"' in (second / "lib" / "newer.h").read_text(
        encoding="utf-8"
    )
    (twin / "include" / "lib").mkdir(exist_ok=True)
    (twin / "include" / "lib" / "newer.h").write_text(
        "#pragma once\n", encoding="utf-8"
    )
    with pytest.raises(ValueError, match=r"'lib/newer.h' is there twice"):
        sources.texts()


def test_one_table_of_processors_serves_everybody() -> None:
    table = processors(TWIN / "processors.toml")
    assert modelled_processors(TWIN) == tuple(table.modelled)
    header = TwinSources(TWIN).texts()[0]["include/twin/processors.h"]
    assert f"kTimeModel = {TIME_MODEL};" in header
    for name, one in table.modelled.items():
        assert (
            f'{{"{name}", "{one.family.compute_unit}", {one.cube_cores}, {one.vector_cores}, '
            in header
        )
        assert (soc_named(name).compute_unit, soc_named(name).architecture) == (
            one.family.compute_unit,
            one.family.architecture,
        )


def test_a_processor_of_no_family_is_told() -> None:
    text = (TWIN / "processors.toml").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="no family has a pattern for 'Ascend000'"):
        parsed_processors(text.replace('"Ascend910B1"', '"Ascend000"'))
