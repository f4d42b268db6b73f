"""The built wheel, installed into a new environment, carries everything the demo needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.own_kernels import own_kernel

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` of a new environment holding the wheel; only third-party packages are borrowed from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run(
        [
            *pip,
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            str(folder),
            str(ROOT),
        ],
        check=True,
    )
    (wheel,) = folder.glob("sage_desktop-*.whl")
    environment = folder / "venv"
    venv.create(environment, with_pip=False)
    subprocess.run(
        [*pip, "--python", str(environment), "install", "--no-deps", str(wheel)],
        check=True,
    )
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


@pytest.mark.system
def test_a_kernel_is_judged_from_the_installed_wheel(
    installed_bin: Path, tmp_path: Path
) -> None:
    for path, text in own_kernel("AbsMath").files.items():
        (tmp_path / "abs" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "abs" / path).write_text(text)
    command = [
        "evaluate",
        "--operator",
        "AbsMath",
        "--candidate",
        tmp_path / "abs",
        "--json",
    ]
    result = subprocess.run(
        [installed_bin / "sage", *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["verdict"] == "pass"


@pytest.mark.system
def test_the_wheel_brings_the_demonstration(
    installed_bin: Path, tmp_path: Path
) -> None:
    program = (
        "from core.engine.shipped import demonstration, evolved_memory\n"
        "print(len(demonstration().header.operators), len(evolved_memory().items))\n"
    )
    said = subprocess.run(
        [installed_bin / "python", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    operators, items = map(int, said.stdout.split())
    assert operators >= 6
    assert items > 100


@pytest.mark.system
def test_package_comes_from_the_wheel(installed_bin: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [installed_bin / "python", "-c", "import core; print(core.__file__)"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(installed_bin.parent)


def test_the_wheel_speaks_chinese_without_any_tool(
    installed_bin: Path, tmp_path: Path
) -> None:
    program = (
        "from sage_desktop.shell import help as help_pages\n"
        "from sage_desktop.ui import translation\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from sage_desktop.ui.preferences import Preferences\n"
        "from pathlib import Path\n"
        "app = QCoreApplication([])\n"
        "preferences = Preferences(Path('window.ini'))\n"
        "preferences.set('appearance/language', translation.CHINESE)\n"
        "translation.install(app, preferences)\n"
        "print(app.translate('Actions', '&Run'), *help_pages.guide_pages())\n"
    )
    said = subprocess.run(
        [installed_bin / "python", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": "", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert said.stdout.startswith("运行(&R) 窗口")
    assert "主机" in said.stdout.split()
