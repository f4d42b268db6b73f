"""A finished kernel on its way out, and what an aclnn function of it looks like."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.spec import AttributeSpec, OperatorSpec, TensorSpec

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_MOST_NAMED = 40
_ACL = {
    "int": "int64_t {}",
    "float": "double {}",
    "bool": "bool {}",
    "str": "char *{}",
    "int_list": "const aclIntArray *{}",
    "float_list": "const aclFloatArray *{}",
    "bool_list": "const aclBoolArray *{}",
}


@dataclass(frozen=True)
class ExportedKernel:
    """A kernel, and the words on it in what it is exported as.

    Attributes:
        spec: The operator.
        candidate: Its sources.
        origin: Where it is from, and what the judge said of it.
    """

    spec: OperatorSpec
    candidate: Candidate
    origin: str

    @property
    def signature(self) -> str:
        """The first phase of its aclnn call, as CANN generates it."""
        inputs = {tensor.name for tensor in self.spec.inputs}
        outputs = [each for each in self.spec.outputs if each.name not in inputs]
        parameters = [
            *map(_tensor, self.spec.inputs),
            *map(_attribute, self.spec.attributes),
            *map(_tensor, outputs),
            "uint64_t *workspaceSize",
            "aclOpExecutor **executor",
        ]
        parameter_list = ", ".join(parameters)
        return f"aclnn{self.spec.name}GetWorkspaceSize({parameter_list})"


def vendor_name(kernels: Sequence[ExportedKernel], own: str = "") -> str:
    """Name of a package below `opp/vendors`, which no package of other operators has.

    Args:
        kernels: What is in it.
        own: The user's own name for it.

    Raises:
        InvalidInput: `own` is no name that CANN, Python and PyTorch take; an operator is there twice.
    """
    names = [kernel.spec.name for kernel in kernels]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput("--operator", name, "is named twice")
    if own and not _NAME.fullmatch(own):
        remedy = "Use lower-case letters, digits and _, a letter first, 60 at most."
        raise InvalidInput("--vendor", own, "cannot be the name of a package", remedy)
    if own:
        return own
    snake = kernels[0].spec.snake_name
    if len(kernels) == 1 and len(snake) <= _MOST_NAMED:
        return f"sage_{snake}"
    # The same operators give the same name, in whichever order they are.
    text = "\n".join(sorted(names))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"sage_{digest[:12]}"


def _tensor(tensor: TensorSpec) -> str:
    kind = "aclTensorList" if tensor.is_list else "aclTensor"
    return f"const {kind} *{tensor.name}"


def _attribute(attribute: AttributeSpec) -> str:
    return _ACL[attribute.type].format(attribute.name)
