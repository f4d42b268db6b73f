"""Calls an operator of a package: the two-phase aclnn call of CANN, by ctypes.

    aclnn<Op>GetWorkspaceSize(inputs, attributes, outputs, uint64_t *size, aclOpExecutor **executor)
    aclnn<Op>(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream)

The binding belongs to the judge. It is made from the header that the package brings, which is compared with
the operator's interface first, and the function is looked up in the candidate's own library alone: an
operator of CANN of the same name cannot take its place.

Source: CANN documents "aclnn API" and "single-operator API call"; numbers from aclDataType.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.cpp_text import code_in_place
from core.operators.spec import TensorSpec
from remote.judge.inputs.case_data import ACL_TYPES
from remote.judge.job import Operator as Interface

_FORMAT_ND = 2
_KINDS = {
    "aclTensor*": "tensor",
    "aclTensorList*": "tensors",
    "aclIntArray*": "int_list",
    "aclFloatArray*": "float_list",
    "aclBoolArray*": "bool_list",
    "int64_t": "int",
    "double": "double",
    "float": "float",
    "bool": "bool",
    "char*": "str",
}
_ARRAYS: dict[str, tuple[Any, str]] = {
    "int_list": (ctypes.c_int64, "aclCreateIntArray"),
    "float_list": (ctypes.c_float, "aclCreateFloatArray"),
    "bool_list": (ctypes.c_bool, "aclCreateBoolArray"),
}
_SCALARS: dict[str, Any] = {
    "int": ctypes.c_int64,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "bool": ctypes.c_bool,
}


class BindingFault(Exception):  # the judge's word for it
    """The package cannot be called by the operator's interface; the message says what differs."""


def header_parameters(header: str, operator: str) -> tuple[tuple[str, str], ...]:
    """(kind, name) of what `aclnn<operator>GetWorkspaceSize` takes, without size and executor.

    Args:
        header: Text of the package's `aclnn_<operator>.h`.
        operator: OpDef name.

    Raises:
        BindingFault: It is not declared, or takes a type that no interface has.
    """
    function = f"aclnn{operator}GetWorkspaceSize"
    match = re.search(rf"\b{function}\s*\((.*?)\)", code_in_place(header), re.DOTALL)
    if match is None:
        raise BindingFault(
            f"The package's header does not declare {function}; is the OpDef called {operator}?"
        )
    parameters = []
    for text in match[1].split(",")[:-2]:
        words = re.findall(r"\w+|\*", text)
        name = words[-1] if len(words) > 1 else ""
        kind = "".join(word for word in words[:-1] if word != "const")
        if kind not in _KINDS:
            raise BindingFault(
                f"{function} takes {' '.join(words)}, which is no tensor and no attribute."
            )
        parameters.append((_KINDS[kind], name))
    return tuple(parameters)


def call_order(
    operator: Interface, parameters: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """Where each parameter's value comes from: `input:x`, `attribute:dim`, `output:y`.

    Raises:
        BindingFault: The header does not fit the interface.
    """
    sources = [
        (_tensor_kind(tensor), f"input:{tensor.name}") for tensor in operator.inputs
    ]
    sources += [(str(a.type), f"attribute:{a.name}") for a in operator.attributes]
    inputs = {tensor.name for tensor in operator.inputs}
    # An output of an input's name is that input, changed in place; it is passed once.
    sources += [
        (_tensor_kind(tensor), f"output:{tensor.name}")
        for tensor in operator.outputs
        if tensor.name not in inputs
    ]
    fits = len(parameters) == len(sources) and all(
        kind == expected or (kind, expected) == ("double", "float")
        for (kind, _), (expected, _) in zip(parameters, sources, strict=True)
    )
    if not fits:
        has = ", ".join(f"{kind} {name}" for kind, name in parameters)
        interface = ", ".join(
            f"{kind} {source.partition(':')[2]}" for kind, source in sources
        )
        raise BindingFault(
            f"aclnn{operator.name} takes ({has}), the operator's interface is ({interface}): "
            "inputs, attributes and outputs of the OpDef must come in the interface's order and types."
        )
    return tuple(source for _, source in sources)


def _tensor_kind(tensor: TensorSpec) -> str:
    return "tensors" if tensor.is_list else "tensor"


class Operator:
    """One operator of a package, ready to be called on tensors of one case.

    Args:
        library: The package's `libcust_opapi.so`.
        name: OpDef name.
        order: As `call_order` gives it, with the kinds of the parameters.
    """

    def __init__(
        self, library: Path, name: str, order: Sequence[tuple[str, str]]
    ) -> None:
        # The runtime's own libraries are found by name: set_env.sh puts them on the loader's path.
        self._base = ctypes.CDLL("libnnopbase.so", mode=ctypes.RTLD_GLOBAL)
        self._acl = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
        package = ctypes.CDLL(str(library))
        try:
            self._size = package[f"aclnn{name}GetWorkspaceSize"]
            self._run = package[f"aclnn{name}"]
        except AttributeError as error:
            raise BindingFault(
                f"{library.name} has no function aclnn{name}."
            ) from error
        self._run.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint64,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]
        self._order = order
        # C arrays and strings that the created objects point into.
        self._alive: list[Any] = []
        self._arguments: list[Any] = []

    def bind(self, values: Mapping[str, Any]) -> None:
        """Fix the arguments of the calls that follow; `values` by source, an absent input is None."""
        self._alive.clear()
        self._arguments = [
            self._argument(kind, values.get(source)) for kind, source in self._order
        ]

    def workspace_size(self) -> tuple[int, ctypes.c_void_p]:
        """First phase: tiling. Bytes of workspace, and the executor for the second phase.

        Raises:
            RuntimeError: CANN refuses; the message is CANN's own.
        """
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        status = self._size(
            *self._arguments, ctypes.byref(size), ctypes.byref(executor)
        )
        if status:
            raise RuntimeError(
                f"GetWorkspaceSize returned {status}: {self.last_error()}"
            )
        return size.value, executor

    def run(
        self, workspace: int, size: int, executor: ctypes.c_void_p, stream: int
    ) -> None:
        """Second phase: launch on `stream`; it returns before the kernel ends.

        Raises:
            RuntimeError: CANN refuses; the message is CANN's own.
        """
        status = self._run(workspace or None, size, executor, stream or None)
        if status:
            raise RuntimeError(f"the launch returned {status}: {self.last_error()}")

    def last_error(self) -> str:
        """What CANN says about the last error of this thread."""
        read = getattr(self._acl, "aclGetRecentErrMsg", None)
        if read is None:
            return ""
        read.restype = ctypes.c_char_p
        return (read() or b"").decode("utf-8", "replace")

    def _argument(self, kind: str, value: Any) -> Any:
        if kind == "tensor":
            return self._tensor(value)
        if kind == "tensors":
            tensors = [self._tensor(tensor) for tensor in value or ()]
            array = (ctypes.c_void_p * len(tensors))(*tensors)
            return self._create(
                "aclCreateTensorList", array, ctypes.c_uint64(len(tensors))
            )
        if kind in _ARRAYS:
            of, create = _ARRAYS[kind]
            array = (of * len(value))(*value)
            return self._create(create, array, ctypes.c_uint64(len(value)))
        if kind == "str":
            text = ctypes.create_string_buffer(str(value).encode())
            self._alive.append(text)
            return text
        return _SCALARS[kind](value)

    def _tensor(self, tensor: Any) -> ctypes.c_void_p:
        """An aclTensor on the memory of a torch tensor, views included; absent ones are null."""
        if tensor is None:
            return ctypes.c_void_p()
        dims = list(tensor.shape)
        storage = tensor.untyped_storage().nbytes() // max(tensor.element_size(), 1)
        return self._create(
            "aclCreateTensor",
            _numbers(dims),
            ctypes.c_uint64(len(dims)),
            ctypes.c_int(ACL_TYPES[str(tensor.dtype).removeprefix("torch.")]),
            _numbers(tensor.stride()),
            ctypes.c_int64(tensor.storage_offset()),
            ctypes.c_int(_FORMAT_ND),
            _numbers([storage]),
            ctypes.c_uint64(1),
            ctypes.c_void_p(tensor.untyped_storage().data_ptr()),
        )

    def _create(self, function: str, *arguments: Any) -> ctypes.c_void_p:
        create = self._base[function]
        create.restype = ctypes.c_void_p
        self._alive.extend(arguments)
        return ctypes.c_void_p(create(*arguments))


def _numbers(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
