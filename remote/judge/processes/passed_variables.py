"""Environment variables that are handed on to processes which have no business with a person's keys.

Keys of model servers often lie in variables of names the person chose. So the list says what is passed on.
"""

from __future__ import annotations

import re

# Programs, libraries, places, language; compilers and what they look at; CANN and torch_npu of this computer.
_PASSED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LANGUAGE|LC_\w+|XDG_(?:CACHE_HOME|RUNTIME_DIR)|PYTHONPATH|"
    r"VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|LIBRARY_PATH|CPATH|CPLUS_INCLUDE_PATH|"
    r"C_INCLUDE_PATH|GCC_EXEC_PREFIX|COMPILER_PATH|SDKROOT|MACOSX_DEPLOYMENT_TARGET|DEVELOPER_DIR|CC|CXX|"
    r"CMAKE_PREFIX_PATH|TOOLCHAIN_HOME|(?:OMP|MKL|OPENBLAS)_NUM_THREADS|"
    r"(?:SAGE|ASCEND|NPU|HCCL|TORCH|PYTORCH)_\w+"
)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|ENDPOINT", re.IGNORECASE)


def is_passed(name: str) -> bool:
    """Whether a variable of this name is passed on."""
    return bool(_PASSED.fullmatch(name)) and not _SECRET.search(name)
