"""Fields of the structures that the API reference shows: in CANN's headers they have the same types."""

from __future__ import annotations

import re

from tools.api_reference.entries import public_names
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
        in_kernel = (
            declaration.header.startswith("twin/api/") and declaration.kind == "class"
        )
        is_template = any(form.startswith("template") for form in declaration.forms)
        if not in_kernel or is_template or declaration.space != "AscendC":
            continue
        for form in declaration.forms:
            field = _FIELD.fullmatch(form)
            if field is not None:
                kind, member = field.groups()
                if f"{name}::{member}".startswith(exceptions):
                    continue
                same = f"std::is_same<decltype({name}::{member}), {kind}>::value"
                probes.append(Probe("kernel", f'static_assert({same}, "");', {}))
    return tuple(probes)
