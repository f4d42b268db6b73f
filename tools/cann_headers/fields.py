"""Fields of the structures that the API reference shows: in CANN's headers they have the same types."""

from __future__ import annotations

import re

from tools.api_reference.entries import public_names
from tools.api_reference.headers import Declaration
from tools.cann_headers.probes import OLD, Probe

NEWER = ("Dn2NzParams::", "DataCopyParams::srcGap", "DataCopyParams::dstGap")
# An address in the twin is one of its own process.
_ADDRESSES = ("TBuffAddr::bufferAddr", "TBuffAddr::bufferHandle")
_FIELD = re.compile(r"((?:u?int(?:8|16|32|64)_t)|bool|float) (\w+)(?: = [^;(]*)?")


def field_probes(layout: str) -> tuple[Probe, ...]:
    """A statement for each integer field of a structure, which holds where the type is the same.

    Args:
        layout: Of the header set that is asked; the older one lacks what is in `NEWER`.
    """
    exceptions = (*_ADDRESSES, *NEWER) if layout == OLD else _ADDRESSES
    probes = []
    for name, declaration in public_names().items():
        if not _is_structure(declaration):
            continue
        for form in declaration.forms:
            field = _FIELD.fullmatch(form)
            if field is None:
                continue
            kind, member = field.groups()
            qualified = f"{name}::{member}"
            if qualified.startswith(exceptions):
                continue
            is_same = f"std::is_same<decltype({qualified}), {kind}>::value"
            probes.append(Probe("kernel", f'static_assert({is_same}, "");', {}))
    return tuple(probes)


def _is_structure(declaration: Declaration) -> bool:
    """Whether it is a structure of kernels, and not of a template, whose fields differ."""
    forms = declaration.forms
    return (
        declaration.kind == "class"
        and declaration.space == "AscendC"
        and declaration.header.startswith("twin/api/")
        and not any(form.startswith("template") for form in forms)
    )
