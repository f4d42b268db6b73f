"""A stand-in for an installed CANN: programs and libraries that take and give what CANN documents.

For tests only; it never ships and nothing it gives is a result of hardware. Kernels are built and run by the
CPU twin behind the same interfaces (msopgen, build.sh, package, aclnn, torch_npu), so that everything of ours
between them is the real thing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DEVICE = "Ascend910B1"
VERSION = "8.5.1"
CMAKE_FUNCTIONS = "compiler/tikcpp/ascendc_kernel_cmake"

_SET_ENV = """\
export ASCEND_HOME_PATH="{home}"
export PATH="{home}/bin:$PATH"
export LD_LIBRARY_PATH="{home}/lib64:$LD_LIBRARY_PATH"
export PYTHONPATH="{home}/python:$PYTHONPATH"
export STAND_IN_CACHE="{cache}"
export SAGE_CANN_READ="{home}:{cache}:{root}${{SAGE_CANN_READ:+:$SAGE_CANN_READ}}"
export SAGE_CANN_WRITE="{cache}${{SAGE_CANN_WRITE:+:$SAGE_CANN_WRITE}}"
export SAGE_CANN_VARIABLES="STAND_IN_CACHE STAND_IN_SICK"
"""
_PROGRAM = """\
#!/bin/sh
PYTHONPATH="{root}:$PYTHONPATH" exec "{python}" -m tests.remote.cann_stand_in.{module} "$@"
"""
SMI = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.2.0                   Version: 25.2.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B1               | OK            | 91.0        36                0    / 0             |
| 0                         | 0000:41:00.0  | 0           0    / 0          3401 / 65536         |
+===========================+===============+====================================================+
| 1     910B1               | OK            | 95.4        37                0    / 0             |
| 0                         | 0000:42:00.0  | 0           0    / 0          3400 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 0                                                            |
| No running processes found in NPU 1                                                            |
+===========================+===============+====================================================+
"""


def install(home: Path, cache: Path) -> Path:
    """Make a toolkit in `home`; its `set_env.sh`. `cache` holds what the twin compiles behind it."""
    for folder in ("bin", "lib64", "python"):
        (home / folder).mkdir(parents=True)
    programs = {
        "msopgen": "msopgen",
        "stand-in-build": "build",
        "mssanitizer": "device_tools mssanitizer",
        "msprof": "device_tools msprof",
    }
    for name, module in programs.items():
        _write_program(
            home / "bin" / name,
            _PROGRAM.format(root=ROOT, python=sys.executable, module=module),
        )
    (home / "npu-smi.txt").write_text(SMI)
    _write_program(home / "bin" / "npu-smi", f'#!/bin/sh\ncat "{home}/npu-smi.txt"\n')
    (home / CMAKE_FUNCTIONS).mkdir(parents=True)
    shutil.copy(HERE / "asc-config.cmake", home / CMAKE_FUNCTIONS)
    shutil.copytree(HERE / "torch_npu", home / "python" / "torch_npu")
    (home / "version.cfg").write_text(
        f"# version: 1.0\nruntime_running_version=[7.9.0:{VERSION}]\n"
    )
    for library in ("libnnopbase.so", "libascendcl.so"):
        subprocess.run(
            [
                "g++",
                "-shared",
                "-fPIC",
                "-O1",
                "-std=c++17",
                "-o",
                home / "lib64" / library,
                HERE / "acl.cpp",
            ]
            if library == "libnnopbase.so"
            else [
                "g++",
                "-shared",
                "-o",
                home / "lib64" / library,
                "-L",
                home / "lib64",
                "-lnnopbase",
            ],
            check=True,
        )
    set_env = home / "set_env.sh"
    set_env.write_text(_SET_ENV.format(home=home, cache=cache, root=ROOT))
    return set_env


def _write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
