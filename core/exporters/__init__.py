"""A candidate leaves as files for other tools, and what left can be read back to an equal candidate."""

from core.exporters.answer_folder import export_answer_folder
from core.exporters.six_strings import export_six_strings, read_six_strings

__all__ = ["export_answer_folder", "export_six_strings", "read_six_strings"]
