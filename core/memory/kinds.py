"""The types of experience the memory knows: what prompts offer, drafts use and filters list."""

from __future__ import annotations

# Of an experience distilled from a trajectory.
TYPES = (
    "compile_error",
    "build_failure",
    "runtime_failure",
    "wrong_result",
    "api_misuse",
    "synchronisation",
    "precision",
    "correctness",
    "tiling",
    "performance",
    "algorithmic_optimization",
    "debugging",
)
# Of an experience mined from an expert's kernel.
MINED_TYPES = ("implementation_pattern", "performance", "api_usage")
