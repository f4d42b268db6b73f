"""Candidates with links and odd names, bundles that grow, files that nest or are pipes: refused in words."""

from __future__ import annotations

import os
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from core import bundle
from core.agent.reply.candidate_files import check_path
from core.errors import InvalidInput, SageError
from core.evaluation.candidate_folder import read_candidate
from core.operators.importers import import_benchmark
from core.outside import json_numbers, read_file
from core.replay.session_file import read_session
from core.trace.chrome import load_trace
from sage_desktop.cli import main
from tests.gui import sample_workspace

ODD_NAMES = (
    "-o.cpp",
    "CON.cpp",
    "aux.h",
    "nul.tiling.cpp",
    "LPT1.hpp",
    "n" * 300 + ".cpp",
    "a\x1b]0;x\x07.cpp",
    "a\nb.cpp",
    "a\u202eb.cpp",
    ".cpp.cpp",
)


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    for part in ("op_host", "op_kernel"):
        (tmp_path / "c" / part).mkdir(parents=True)
        (tmp_path / "c" / part / "abs_math.cpp").write_text("int a;\n")
    return tmp_path / "c"


def test_an_ordinary_folder_is_read(candidate: Path) -> None:
    (candidate / "op_host" / "abs_math_tiling.h").write_text(
        "// größer\n", encoding="utf-8"
    )
    (candidate / "op_kernel" / "inner").mkdir()
    (candidate / "op_kernel" / "inner" / "a-b.v2.hpp").write_text("\n")
    assert len(read_candidate(candidate).files) == 4


def test_a_link_in_a_candidate_is_refused(candidate: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.h").write_text("my key")
    link = candidate / "op_host" / "key.h"
    link.symlink_to(tmp_path / "secret" / "key.h")
    with pytest.raises(InvalidInput, match=r"key\.h: candidate: is a symbolic link"):
        read_candidate(candidate)
    link.unlink()
    link = candidate / "op_host" / "more"
    link.symlink_to(tmp_path / "secret")
    with pytest.raises(InvalidInput, match="more: candidate: is a symbolic link"):
        read_candidate(candidate)
    link.unlink()
    (candidate / "op_kernel").rename(tmp_path / "elsewhere")
    (candidate / "op_kernel").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="op_kernel: candidate: is a symbolic link"):
        read_candidate(candidate)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_odd_name_is_refused(candidate: Path, name: str) -> None:
    assert check_path(f"op_host/{name}")
    try:
        (candidate / "op_host" / name).write_text("int b;\n")
    except OSError:
        return  # no file system of this machine takes it
    with pytest.raises(InvalidInput, match="name"):
        read_candidate(candidate)


@pytest.mark.system
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    made = bundle.export_run(
        sample_workspace.build(tmp_path / "w.sage"), tmp_path / "run.zip"
    )
    bomb = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(made.path) as whole,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in ("manifest.json", "report.json", "report.md"):
            text = whole.read(name)
            if name == "manifest.json":
                size = str(whole.getinfo("run.sage").file_size).encode()
                text = text.replace(b'"bytes": ' + size, b'"bytes": 314572800')
            archive.writestr(name, text)
        with archive.open("run.sage", "w", force_zip64=True) as file:
            for _ in range(300):
                file.write(bytes(1 << 20))
    began = time.process_time()
    with pytest.raises(bundle.CorruptBundle, match="would grow"):
        bundle.read_bundle(bomb)
    assert time.process_time() - began < 0.2  # seconds; unpacking it takes longer
    assert (
        "would grow"
        in CliRunner().invoke(main, ["workspace", "open-run", str(bomb)]).output
    )


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.jsonl")
    for words in (
        ["session", "replay"],
        ["memory", "merge", "--workspace", str(tmp_path / "w.sage")],
        ["diagnose", "--log"],
    ):
        result = CliRunner().invoke(main, [*words, str(tmp_path / "p.jsonl")])
        assert result.exit_code == 2
        assert "not a regular file" in result.output
    with pytest.raises(InvalidInput, match="not a regular file"):
        read_file(tmp_path / "p.jsonl")


def test_a_device_without_end_is_no_log() -> None:
    result = CliRunner().invoke(main, ["diagnose", "--log", "/dev/zero"])
    assert result.exit_code == 2
    assert "not a regular file" in result.output


def test_a_pipe_among_tasks_is_no_task(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    os.mkfifo(tmp_path / "set" / "f.py")
    words = ["operators", "import", str(tmp_path / "set"), "--into", str(tmp_path)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    level = tmp_path / "KernelBench" / "level1"
    level.mkdir(parents=True)
    os.mkfifo(level / "1_Pipe.py")
    (tmp_path / "secret.py").write_text("key = 1\n")
    (level / "2_Link.py").symlink_to(tmp_path / "secret.py")
    report, folders = import_benchmark(tmp_path / "KernelBench", tmp_path / "out")
    assert not folders
    said = {fault.file: str(fault.problem) for fault in report.faults}
    assert "not a regular file" in said["level1/1_Pipe.py"]
    assert "leads out of the folder" in said["level1/2_Link.py"]


@pytest.mark.parametrize("odd", ["a pipe", "a link"])
def test_seeds_are_files_of_their_folder(tmp_path: Path, odd: str) -> None:
    workspace = sample_workspace.build(tmp_path / "w.sage")
    (tmp_path / "seeds").mkdir()
    seed = tmp_path / "seeds" / "p.toml"
    if odd == "a pipe":
        os.mkfifo(seed)
    else:
        (tmp_path / "private.toml").write_text("[[item]]\n")
        seed.symlink_to(tmp_path / "private.toml")
    words = ["memory", "import", str(tmp_path / "seeds"), "--workspace", str(workspace)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "p.toml" in result.output
    assert "regular file" in result.output or "out of the folder" in result.output


def test_packed_files_have_an_end(tmp_path: Path) -> None:
    packer = zlib.compressobj(wbits=31)
    nothing = bytes(1 << 20)
    data = b"".join(packer.compress(nothing) for _ in range(300)) + packer.flush()
    (tmp_path / "trace.json.gz").write_bytes(data)
    (tmp_path / "session.jsonl.gz").write_bytes(data)
    with pytest.raises(InvalidInput, match="has more than 256 MiB"):
        load_trace(tmp_path / "trace.json.gz")
    with pytest.raises(InvalidInput, match="has more than 190 MiB"):
        read_session(tmp_path / "session.jsonl.gz")


@pytest.mark.parametrize(
    "deep", ["[" * 100_000, '{"a":' * 5_000, "[" * 100 + "]" * 100]
)
def test_deep_json_is_refused_with_its_place(tmp_path: Path, deep: str) -> None:
    workspace = sample_workspace.build(tmp_path / "w.sage")
    file = tmp_path / "deep.json"
    header = '{"kind": "session", "origin": "scripted", "x": '
    for text, words in (
        (header + deep, ["session", "replay", str(file)]),
        (
            '{"kind": "memory", "format": 1, "x": ' + deep,
            ["memory", "merge", str(file)],
        ),
        (
            '[{"title": "a", "type": "b", "category": "c", "x": ' + deep,
            ["memory", "merge", str(file)],
        ),
        ('{"title": ' + deep, ["memory", "add", str(file)]),
    ):
        file.write_text(text)
        of = ["--workspace", str(workspace)] if words[0] == "memory" else []
        result = CliRunner().invoke(main, [*words, *of])
        assert result.exit_code == 2, result.output
        assert "deep.json" in result.output
        assert (
            "nests" in result.output
            or "truncated" in result.output
            or "malformed" in result.output
        )


def test_deep_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "reference.py").write_text("")
    for deep in ("[" * 5_000, "[" * 90 + "]" * 90, "{a = " * 90 + "1" + "}" * 90):
        (tmp_path / "operator.toml").write_text(f"format = 1\nname = {deep}\n")
        result = CliRunner().invoke(main, ["operators", "list", str(tmp_path)])
        assert result.exit_code == 2, result.output
        assert "operator.toml" in result.output
        assert "nests more than 64" in result.output


@pytest.mark.parametrize(
    "odd", ["+".join(["1"] * 20_000), "(" * 500 + "1" + ")" * 500, "9" * 5_000, "\x00"]
)
def test_one_odd_file_is_the_fault_of_one_task(tmp_path: Path, odd: str) -> None:
    level = tmp_path / "KernelBench" / "level1"
    level.mkdir(parents=True)
    task = (
        "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self, dim):\n"
        "        super().__init__()\n        self.dim = dim\n    def forward(self, x):\n"
        "        return torch.sum(x, dim=self.dim)\n\ndim = {}\n\ndef get_inputs():\n"
        "    return [torch.rand(4, dim)]\n\ndef get_init_inputs():\n    return [dim]\n"
    )
    (level / "1_Whole.py").write_text(task.format("1"))
    (level / "2_Odd.py").write_text(task.format(odd))
    try:
        report, folders = import_benchmark(tmp_path / "KernelBench", tmp_path / "out")
    except SageError as error:  # pragma: no cover - what is to be shown not to happen
        pytest.fail(f"the import ended: {error}")
    assert [task.name for task in report.tasks if task.name == "Whole"] == ["Whole"]
    assert len(folders) + len(report.faults) == 2
    assert all("2" in fault.task or "2_Odd" in fault.file for fault in report.faults)


def test_numbers_of_a_judge_may_be_infinite_and_its_depth_is_bounded() -> None:
    assert json_numbers('{"worst": Infinity, "share": NaN}', "result.json")[
        "worst"
    ] == float("inf")
    for text in ('{"worst": ', "[" * 100_000, "[" * 100 + "]" * 100):
        with pytest.raises(InvalidInput, match=r"result\.json"):
            json_numbers(text, "result.json")
