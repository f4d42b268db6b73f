"""What of an expert's answer is judged: what its CMakeLists.txt builds for the operator, unchanged."""

from __future__ import annotations

import importlib.util
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"


def copied(answer: Path, into: Path) -> tuple[set[str], list[str]]:
    spec = importlib.util.spec_from_file_location(
        "answer_project", BENCH / "answer_project.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    left_out = module.copy_project(answer, into)
    return {
        path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()
    }, left_out


def answer(folder: Path, lists: str | None) -> Path:
    files = {
        "op_host/x_def.cpp": '#include "x_tiling.h"\n',
        "op_host/x_tiling.h": "#pragma once\n",
        "op_host/x_l0.cpp": '#include "x_l0.h"\n',
        "op_host/x_l0.h": "#pragma once\n",
        "op_kernel/x.cpp": '#include "part/inner.h"\n',
        "op_kernel/part/inner.h": "#pragma once\n",
    }
    for name, text in (
        files if lists is None else {**files, "CMakeLists.txt": lists}
    ).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_library_beside_the_operator_is_left_out_with_its_headers(
    tmp_path: Path,
) -> None:
    lists = (
        "target_sources(op_host_aclnnInner PRIVATE\n    op_host/x_def.cpp\n)\n"
        "# target_sources(optiling PRIVATE op_host/x_l0.cpp)\n"
        "target_sources(opapi PRIVATE op_host/x_l0.cpp)\n"
    )
    kept, left_out = copied(answer(tmp_path / "answer", lists), tmp_path / "project")
    assert left_out == ["op_host/x_l0.cpp", "op_host/x_l0.h"]
    assert kept == {
        "op_host/x_def.cpp",
        "op_host/x_tiling.h",
        "op_kernel/x.cpp",
        "op_kernel/part/inner.h",
    }


def test_without_a_list_of_its_own_sources_everything_is_kept(tmp_path: Path) -> None:
    placeholder = "target_sources(optiling PRIVATE op_host/custom_op.cpp)\n"
    for number, lists in enumerate((None, placeholder)):
        kept, left_out = copied(
            answer(tmp_path / f"a{number}", lists), tmp_path / f"p{number}"
        )
        assert left_out == []
        assert len(kept) == 6
