"""A header set: the include folders of one CANN installation, copied, with version and digest.

On disk it is a folder with `headers.json` (the fields of `HeaderSet` but the folder) beside the include folders, which
lie as in the installation. `remote.headers` makes it; here it is read, by the judge of whatever machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remote.judge.faults import EnvironmentFault

FORMAT = 1
RECORD = "headers.json"


@dataclass(frozen=True)
class Layout:
    """How CANN lays out its headers.

    Attributes:
        kernel: Include folders of op_kernel, in order.
        host: Include folders of op_host, in order.
        sentinels: A file of each part -> what it is for; all are there in an installation of this layout.
        defines: Macros beside `KERNEL_DEFINES`.
    """

    kernel: tuple[str, ...]
    host: tuple[str, ...]
    sentinels: Mapping[str, str]
    defines: tuple[str, ...] = ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders that hold all include folders."""
        folders = sorted({*self.kernel, *self.host})
        return tuple(
            folder
            for folder in folders
            if not any(folder.startswith(f"{other}/") for other in folders)
        )


_CPU_SIDE = "tools/tikicpulib/lib/include"
_BASIC = "ascendc/include/basic_api"
_HIGH = "ascendc/include/highlevel_api"
_SENTINELS = {
    f"{_CPU_SIDE}/kern_fwk.h": "the CPU side of the kernel headers",
    f"{_CPU_SIDE}/stub_fun.h": "declarations of the device's instructions",
    "include/register/op_def_registry.h": "headers of op_host",
    "include/exe_graph/runtime/tiling_context.h": "headers of op_host",
    f"{_HIGH}/kernel_tiling/kernel_tiling.h": "tiling structs of the kernel library",
}
_ASC_PARTS = ("adv_api", "basic_api", "c_api", "utils")
# Newest first: an installation of CANN 9 has links at the places of CANN 8.
LAYOUTS: Mapping[str, Layout] = {
    "asc": Layout(
        kernel=(
            *(_CPU_SIDE, "include", "asc"),
            *(f"asc/impl/{name}" for name in _ASC_PARTS),
            *("asc/include", "asc/include/adv_api", "asc/include/adv_api/matmul"),
            *("asc/include/aicpu_api", "asc/include/basic_api", "asc/include/c_api"),
            *("asc/include/interface", "asc/include/tiling", "asc/include/utils"),
            _HIGH,
        ),
        host=("include", "asc/include", _HIGH),
        sentinels={
            "asc/include/kernel_operator.h": "headers of op_kernel",
            "asc/impl/basic_api/kernel_tensor_impl.h": "headers of op_kernel",
            **_SENTINELS,
        },
        defines=("__NPU_ARCH__=2201",),
    ),
    "ascendc": Layout(
        kernel=(
            *(_CPU_SIDE, "include", _BASIC, f"{_BASIC}/impl", f"{_BASIC}/interface"),
            *(_HIGH, f"{_HIGH}/lib", f"{_HIGH}/impl", f"{_HIGH}/lib/matmul"),
        ),
        host=("include", _HIGH),
        sentinels={
            f"{_BASIC}/kernel_operator.h": "headers of op_kernel",
            f"{_HIGH}/lib/kernel_api.h": "headers of op_kernel",
            **_SENTINELS,
        },
    ),
}


@dataclass(frozen=True)
class HeaderSet:
    """The headers of one CANN.

    Attributes:
        folder: Where they lie.
        version: As CANN spells it, e.g. `8.1.RC1`.
        layout: A key of `LAYOUTS`.
        digest: sha256 over paths and texts of all files.
    """

    folder: Path
    version: str
    layout: str
    digest: str

    @property
    def label(self) -> str:
        """What a person reads."""
        return f"CANN {self.version}"

    @property
    def defines(self) -> tuple[str, ...]:
        """Macros of this layout."""
        return LAYOUTS[self.layout].defines

    def kernel_folders(self) -> list[Path]:
        """Include folders of op_kernel, in order."""
        return [self.folder / name for name in LAYOUTS[self.layout].kernel]

    def host_folders(self) -> list[Path]:
        """Include folders of op_host, in order."""
        return [self.folder / name for name in LAYOUTS[self.layout].host]


def read_header_set(folder: Path) -> HeaderSet:
    """The header set in a folder.

    Raises:
        EnvironmentFault: There is none, or it was written by a newer release.
    """
    path = folder / RECORD
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        fields = {name: record[name] for name in ("version", "layout", "digest")}
        is_readable = record["format"] == FORMAT and fields["layout"] in LAYOUTS
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EnvironmentFault(
            f"The CANN headers in {folder} cannot be read: {path.name}: {error!r}. "
            "Remove them with `sage headers remove` and add them again."
        ) from error
    if not is_readable:
        raise EnvironmentFault(
            f"The CANN headers in {folder} were added by another release of SAGE "
            f"(format {record['format']!r}, layout {fields['layout']!r}). Add them again."
        )
    return HeaderSet(folder, **{name: str(value) for name, value in fields.items()})


def header_sets_below(folder: Path) -> list[HeaderSet]:
    """The header sets of a folder that holds some, by version.

    Raises:
        EnvironmentFault: One cannot be read.
    """
    folders = [record.parent for record in sorted(folder.glob(f"*/{RECORD}"))]
    return [read_header_set(each) for each in folders if not each.name.startswith(".")]
