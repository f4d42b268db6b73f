"""The script of `dry_run`, run by a real bash with stand-ins for CANN's programs.

The stand-ins make the layout that msopgen and build.sh document; they say nothing about a real toolkit.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_candidate, read_candidate_for
from core.evaluation.records import Candidate
from core.operators.importers import import_benchmark
from core.operators.loader import load_operator
from remote.diagnostics.diagnosis import diagnose
from remote.toolchains.cann.project import CHECKOUT, dry_run, plan_build
from tests.remote.cann_stand_in import CMAKE_FUNCTIONS, HERE, SMI
from tests.remote.test_cards import A3

DATA = Path(__file__).parents[2] / "data"
TASKS = DATA / "importers" / "npukernelbench"
OPERATOR = load_operator(
    Path(__file__).parents[3] / "resources" / "operators" / "AbsMath"
)
CANDIDATE = Candidate(
    {
        "op_host/abs_math.cpp": "// host 'quoted' $HOME `x`\n",
        "op_host/abs_math_tiling.h": "// tiling\n",
        "op_kernel/abs_math.cpp": "// SAGE_END\n// kernel without a last line end",
    }
)
MSOPGEN = r"""#!/usr/bin/env python3
import json, pathlib, sys
given = dict(zip(sys.argv[2::2], sys.argv[3::2]))
(interface,) = json.loads(pathlib.Path(given["-i"]).read_text())
project = pathlib.Path(given["-out"])
for folder in ("op_host", "op_kernel"):
    (project / folder).mkdir(parents=True)
    (project / folder / "generated.cpp").write_text("stub")
    (project / folder / "CMakeLists.txt").write_text(given["-c"])
variables = {"ASCEND_COMPUTE_UNIT": {"type": "STRING", "value": ""}}
(project / "CMakePresets.json").write_text(json.dumps({"configurePresets": [{"cacheVariables": variables}]}))
(project / "build.sh").write_text(pathlib.Path(__file__).with_name("build.sh").read_text())
(project / "name").write_text(interface["op"])
"""
BUILD = r"""[ -z "$ASCEND_CUSTOM_OPP_PATH" ] || exit 9
mkdir -p build_out
cat > build_out/custom_opp_test.run <<'EOF'
into="${2#--install-path=}/vendors/$(python3 -c 'import json
print(json.load(open("project/CMakePresets.json"))["configurePresets"][0]["cacheVariables"]["vendor_name"]["value"])')"
mkdir -p "$into/op_api/lib" "$into/op_api/include" "$into/op_tiling" "$into/kernel"
touch "$into/op_api/lib/libcust_opapi.so" "$into/op_api/include/aclnn_abs_math.h"
touch "$into/op_tiling/libcust_opmaster_rt2.0.so"
KERNEL
EOF
"""


@pytest.fixture
def cann(tmp_path: Path) -> Path:
    """A folder that looks like an installed CANN, with stand-in programs."""
    home = tmp_path / "cann"
    home.mkdir()
    (home / "set_env.sh").write_text(
        f'export ASCEND_HOME_PATH="{home}"\nexport PATH="{home}:$PATH"\n'
    )
    (home / "msopgen").write_text(MSOPGEN)
    (home / "msopgen").chmod(0o755)
    (home / "build.sh").write_text(
        BUILD.replace("KERNEL", 'touch "$into/kernel/AbsMath_0123.o"')
    )
    return home


def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **variables}
    return subprocess.run(
        ["bash"],
        input=script,
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )


def test_the_dry_run_pasted_into_bash_builds_the_package(
    tmp_path: Path, cann: Path
) -> None:
    plan = plan_build(
        OPERATOR,
        CANDIDATE,
        "Ascend910B3",
        str(tmp_path / "w"),
        str(cann / "set_env.sh"),
    )
    done = run(dry_run(plan), ASCEND_CUSTOM_OPP_PATH="/somebody/else")
    assert done.returncode == 0, done.stderr
    project = Path(plan.folder) / "project"
    assert (project / "name").read_text() == "AbsMath"
    assert (project / "op_host" / "CMakeLists.txt").read_text() == "ai_core-Ascend910B3"
    assert not list(project.glob("op_*/generated.cpp"))
    presets = json.loads((project / "CMakePresets.json").read_text())
    variables = presets["configurePresets"][0]["cacheVariables"]
    assert variables["ASCEND_COMPUTE_UNIT"]["value"] == "ascend910b"
    assert variables["ASCEND_CANN_PACKAGE_PATH"]["value"] == str(cann)
    package = Path(plan.run_environment["ASCEND_CUSTOM_OPP_PATH"])
    assert (package / "op_api" / "lib" / "libcust_opapi.so").exists()


def test_sources_arrive_unchanged(tmp_path: Path, cann: Path) -> None:
    plan = plan_build(
        OPERATOR,
        CANDIDATE,
        "Ascend910B3",
        str(tmp_path / "w"),
        str(cann / "set_env.sh"),
    )
    run(dry_run(plan))
    for path, text in CANDIDATE.files.items():
        arrived = (Path(plan.folder) / "project" / path).read_text()
        assert arrived.rstrip("\n") == text.rstrip("\n")


def test_a_build_that_ends_well_without_a_kernel_has_failed(
    tmp_path: Path, cann: Path
) -> None:
    (cann / "build.sh").write_text(BUILD.replace("KERNEL", ":"))
    plan = plan_build(
        OPERATOR,
        CANDIDATE,
        "Ascend910B3",
        str(tmp_path / "w"),
        str(cann / "set_env.sh"),
    )
    done = run(dry_run(plan))
    assert done.returncode == 1
    assert "No kernel binary was built (AbsMath_*.o)." in done.stderr


def test_a_build_without_a_package_points_at_its_log(
    tmp_path: Path, cann: Path
) -> None:
    (cann / "build.sh").write_text("echo op_host/abs_math.cpp:3:1: error: boom\n")
    plan = plan_build(
        OPERATOR,
        CANDIDATE,
        "Ascend910B3",
        str(tmp_path / "w"),
        str(cann / "set_env.sh"),
    )
    done = run(dry_run(plan))
    assert done.returncode == 1
    assert "build.sh made no package" in done.stderr
    found = diagnose((Path(plan.folder) / "build.log").read_text()).cause
    assert (found.stage, found.line_number) == ("host", 3)


def test_a_step_that_fails_does_not_close_the_terminal(
    tmp_path: Path, cann: Path
) -> None:
    (cann / "msopgen").write_text("#!/bin/sh\nexit 4\n")
    plan = plan_build(
        OPERATOR, CANDIDATE, "Ascend910B3", "$HOME/w", str(cann / "set_env.sh")
    )
    done = run(
        f'{dry_run(plan)}echo "still here: $ASCEND_CUSTOM_OPP_PATH"\n',
        HOME=str(tmp_path),
    )
    assert done.stdout.splitlines()[-1] == "still here: "
    (work,) = (tmp_path / "w").iterdir()
    assert (work / "candidate").exists()
    assert not list((work / "project").glob("op_kernel/abs_math.cpp"))


def test_a_host_without_cann_says_so_and_is_the_machines_fault(tmp_path: Path) -> None:
    done = run(
        dry_run(plan_build(OPERATOR, CANDIDATE, "Ascend910B3", str(tmp_path / "w")))
    )
    assert done.returncode == 1
    assert diagnose(done.stdout, done.stderr).cause.environment


def test_candidates_have_folders_and_packages_of_their_own() -> None:
    other = Candidate({**CANDIDATE.files, "op_kernel/abs_math.cpp": "// other\n"})
    plans = [
        plan_build(OPERATOR, each, "Ascend910_9382", "/w")
        for each in (CANDIDATE, other)
    ]
    assert plans[0].folder != plans[1].folder
    assert plans[0].vendor != plans[1].vendor
    assert {plan.soc.compute_unit for plan in plans} == {"ascend910_93"}


def test_an_unknown_soc_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Ascend910Z"):
        plan_build(OPERATOR, CANDIDATE, "Ascend910Z", "/w")


needs_cmake = pytest.mark.skipif(
    shutil.which("cmake") is None, reason="CANN's own builds need cmake"
)


@pytest.fixture
def bare(cann: Path) -> Path:
    """A CANN without msopgen, which brings the CMake functions instead."""
    (cann / "msopgen").unlink()
    functions = cann / CMAKE_FUNCTIONS
    functions.mkdir(parents=True)
    shutil.copy(HERE / "asc-config.cmake", functions)
    build = (
        (cann / "build.sh")
        .read_text()
        .replace('"project/CMakePresets.json"', '"CMakePresets.json"')
    )
    installed = build.replace("$(python3 -c", "$(cd project && python3 -c")
    (cann / "stand-in-build").write_text(f"#!/bin/bash\n{installed}")
    (cann / "stand-in-build").chmod(0o755)
    return cann


@needs_cmake
def test_without_msopgen_our_own_project_builds_the_package(
    tmp_path: Path, bare: Path
) -> None:
    set_env = str(bare / "set_env.sh")
    plan = plan_build(
        OPERATOR, CANDIDATE, "Ascend910B3", str(tmp_path / "w"), set_env, "-g -O0"
    )
    done = run(dry_run(plan), ASCEND_CUSTOM_OPP_PATH="/somebody/else")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = Path(plan.folder)
    assert (folder / "project.from").read_text() == "ours\n"
    assert (folder / "project/build_out/options.txt").read_text() == "ALL -g;-O0\n"
    assert (folder / plan.package / "op_api/lib/libcust_opapi.so").exists()


@needs_cmake
def test_a_cann_with_neither_is_the_machines_fault(tmp_path: Path, bare: Path) -> None:
    shutil.rmtree(bare / CMAKE_FUNCTIONS)
    plan = plan_build(
        OPERATOR,
        CANDIDATE,
        "Ascend910B3",
        str(tmp_path / "w"),
        str(bare / "set_env.sh"),
    )
    done = run(dry_run(plan))
    assert done.returncode == 1
    found = diagnose((Path(plan.folder) / "build.log").read_text())
    assert "lacks msopgen and the CMake functions" in found.cause.line
    assert found.cause.environment


@needs_cmake
def test_a_task_of_npukernelbench_is_built_in_the_benchmarks_own_project(
    tmp_path: Path, cann: Path
) -> None:
    import_benchmark(TASKS, tmp_path / "operators", only=["HalveAdd"])
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    project = tmp_path / "checkout/libs/common_include/msopgen"
    for name in ("op_host", "op_kernel", "validation"):
        (project / name).mkdir(parents=True)
        (project / name / "CMakeLists.txt").write_text("find_package(Torch REQUIRED)\n")
    both = {
        "ASCEND_COMPUTE_UNIT": {"type": "STRING", "value": "ascend910_93;ascend910b"}
    }
    (project / "CMakePresets.json").write_text(
        json.dumps({"configurePresets": [{"cacheVariables": both}]})
    )
    build = (
        (cann / "build.sh")
        .read_text()
        .replace("abs_math", "halve_add")
        .replace("AbsMath", "HalveAdd")
    )
    (project / "build.sh").write_text(
        f"{build}cd validation && cmake -B ../../build > /dev/null\n"
    )
    candidate = read_candidate(DATA / "kernels" / "HalveAdd")
    plan = plan_build(
        task, candidate, "Ascend910_9382", str(tmp_path / "w"), str(cann / "set_env.sh")
    )
    done = run(dry_run(plan), **{CHECKOUT: str(tmp_path / "checkout")})
    assert done.returncode == 0, done.stdout + done.stderr
    folder = Path(plan.folder)
    assert (folder / "project.from").read_text() == "NPUKernelBench\n"
    presets = json.loads((folder / "project/CMakePresets.json").read_text())[
        "configurePresets"
    ][0]
    assert presets["cacheVariables"]["ASCEND_COMPUTE_UNIT"]["value"] == "ascend910_93"
    assert "Torch" not in (folder / "project/validation/CMakeLists.txt").read_text()
    # Without the checkout on the host, msopgen makes the same layout.
    again = run(dry_run(plan))
    assert (folder / "project.from").read_text() == "msopgen\n", again.stderr


def test_an_answer_of_the_benchmark_may_be_a_kernel_alone(tmp_path: Path) -> None:
    import_benchmark(TASKS, tmp_path / "operators", only=["HalveAdd"])
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    kernel = (
        "__aicore__ inline void Init(GM_ADDR x1, GM_ADDR workspace) {}\n"
        'extern "C" __global__ __aicore__ void halve_add(\n'
        "    GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace)\n{}\n"
    )
    place = tmp_path / "mine/answer/0/op_kernel"
    place.mkdir(parents=True)
    (place / "halve_add.cpp").write_text(kernel)
    files = read_candidate_for(task, tmp_path / "mine").files
    question = tmp_path / "operators/HalveAdd/question/op_host/halve_add.cpp"
    assert files["op_host/halve_add.cpp"] == question.read_text()
    assert (
        "GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)"
        in files["op_kernel/halve_add.cpp"]
    )
    assert "Init(GM_ADDR x1, GM_ADDR workspace) {}" in files["op_kernel/halve_add.cpp"]
    (tmp_path / "mine/validation").mkdir()
    with pytest.raises(
        InvalidInput, match="op_host"
    ):  # a task's own folder: its answer stays closed
        read_candidate_for(task, tmp_path / "mine")


BOARD = """\
        NPU ID                         : 0
        Chip Name                      : Ascend910
        NPU Name                       : 9382
"""


@pytest.mark.parametrize(
    ("table", "soc", "unit"),
    [
        (SMI, "Ascend910B1", "ascend910b"),
        (A3, "Ascend910_9382", "ascend910_93"),
        ("no card", "", ""),
    ],
)
def test_the_soc_is_told_by_the_host_when_nobody_names_it(
    tmp_path: Path, cann: Path, table: str, soc: str, unit: str
) -> None:
    (cann / "table").write_text(table)
    (cann / "board").write_text(BOARD)
    shown = f'case "$*" in *board*) cat {cann}/board ;; *) cat {cann}/table ;; esac'
    (cann / "npu-smi").write_text(f"#!/bin/sh\n{shown}\n")
    (cann / "npu-smi").chmod(0o755)
    plan = plan_build(
        OPERATOR, CANDIDATE, "", str(tmp_path / "w"), str(cann / "set_env.sh")
    )
    done = run(dry_run(plan))
    if not soc:
        assert done.returncode == 1
        assert "No SoC version can be told" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    project = Path(plan.folder) / "project"
    assert (project / "op_host" / "CMakeLists.txt").read_text() == f"ai_core-{soc}"
    presets = json.loads((project / "CMakePresets.json").read_text())[
        "configurePresets"
    ][0]
    assert presets["cacheVariables"]["ASCEND_COMPUTE_UNIT"]["value"] == unit
