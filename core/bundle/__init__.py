"""A run as one file: a part of a workspace, a report and the sha256 of each."""

from core.bundle.archive import (
    Bundle,
    CorruptBundle,
    export_run,
    read_bundle,
    unpack,
)

__all__ = ["Bundle", "CorruptBundle", "export_run", "read_bundle", "unpack"]
