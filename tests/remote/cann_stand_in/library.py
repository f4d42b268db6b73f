"""The package's aclnn library: arguments become a launch manifest for the twin's program of their dtypes."""

from __future__ import annotations

import sys
from typing import Any

from remote.judge.building.builder import Signature
from remote.judge.building.built_program import Programs
from tests.remote.cann_stand_in import HERE, ROOT

_TYPES = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "string": "char *",
    "list_int": "const aclIntArray *",
    "list_float": "const aclFloatArray *",
    "list_bool": "const aclBoolArray *",
}
_KINDS = {
    "string": "str",
    "list_int": "int_list",
    "list_float": "float_list",
    "list_bool": "bool_list",
}
_HEADER = """\
#ifndef ACLNN_{upper}_H_
#define ACLNN_{upper}_H_
#include "aclnn/acl_meta.h"
extern "C" {{
/* function: aclnn{op}GetWorkspaceSize */
__attribute__((visibility("default")))
aclnnStatus aclnn{op}GetWorkspaceSize(
    {parameters},
    uint64_t *workspaceSize,
    aclOpExecutor **executor);
__attribute__((visibility("default")))
aclnnStatus aclnn{op}(
    void *workspace,
    uint64_t workspaceSize,
    aclOpExecutor *executor,
    aclrtStream stream);
}}
#endif
"""
_LIBRARY = """\
#include "launch.h"
namespace {{
const stand_in::Program programs[] = {{{programs}}};
}}
extern "C" int aclnn{op}GetWorkspaceSize({parameters}, uint64_t* size, stand_in::Executor** executor) {{
    auto* made = new stand_in::Executor("{op}", "{snake}", programs, {count});
    {adds}
    *size = 64;
    *executor = made;
    return 0;
}}
extern "C" int aclnn{op}(void*, uint64_t, stand_in::Executor* executor, void*) {{ return executor->run(); }}
"""


def _parameters(operator: dict[str, Any]) -> list[tuple[str, str]]:
    def tensor(row: dict[str, Any]) -> tuple[str, str]:
        return (
            "const aclTensorList *" if row["is_list"] else "const aclTensor *",
            row["name"],
        )

    inputs = [tensor(row) for row in operator["inputs"]]
    attributes = [(_TYPES[row["type"]], row["name"]) for row in operator["attributes"]]
    return [*inputs, *attributes, *(tensor(row) for row in operator["outputs"])]


def header_of(operator: dict[str, Any]) -> str:
    """`aclnn_<operator>.h` as CANN's generator writes it."""
    parameters = ",\n    ".join(
        f"{kind}{'' if kind.endswith('*') else ' '}{name}"
        for kind, name in _parameters(operator)
    )
    return _HEADER.format(
        op=operator["name"], upper=operator["snake"].upper(), parameters=parameters
    )


def library_of(
    operator: dict[str, Any], programs: list[tuple[Signature, Programs]]
) -> str:
    """Source of `libcust_opapi.so`."""
    python = f"PYTHONPATH={ROOT} {sys.executable} {HERE}/call.py"
    rows = ",".join(
        f'{{"{" ".join(dtype for _, dtype in (*signature.inputs, *signature.outputs))}", '
        f'"{python} {" ".join(map(str, built.all))}"}}'
        for signature, built in programs
    )
    adds = [
        f'made->input({place}, "{row["name"]}", p_{row["name"]});'
        for place, row in enumerate(operator["inputs"])
    ]
    adds += [
        f'made->attribute("{row["name"]}", "{_KINDS.get(row["type"], row["type"])}", p_{row["name"]});'
        for row in operator["attributes"]
    ]
    adds += [
        f'made->output("{row["name"]}", p_{row["name"]});'
        for row in operator["outputs"]
    ]
    parameters = ", ".join(f"{kind} p_{name}" for kind, name in _parameters(operator))
    return _LIBRARY.format(
        op=operator["name"],
        snake=operator["snake"],
        programs=rows,
        count=len(programs),
        parameters=parameters,
        adds="\n    ".join(adds),
    )
