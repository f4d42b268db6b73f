"""A candidate leaves as files for other tools, and what left can be read back to an equal candidate."""

from core.exporters.projects import (
    export_answer_folder,
    export_msopgen_project,
)
from core.exporters.six_strings import export_six_strings, read_six_strings

__all__ = [
    "export_answer_folder",
    "export_msopgen_project",
    "export_six_strings",
    "read_six_strings",
]
