"""An operator as a runnable task for OpenCode: both skills, the filled task instruction, a configuration.

The harness is the user's own; what is written here gives it the paper's instruction, the skills with their
one designated example, and leave to run nothing but the judge. Cases that are hidden stay hidden.
"""

from __future__ import annotations

import json
from pathlib import Path

from core.agent import prompts
from core.agent.skill_files import IN_PROJECT, skill_files
from core.agent.task_text import task_text
from core.errors import InvalidInput
from core.operators.spec import OperatorSpec

USUAL_SOC = "Ascend910B1"  # what `sage evaluate` models unless told otherwise


def opencode_task(
    operator: OperatorSpec, called: str, *, soc: str = USUAL_SOC, rounds: int = 30
) -> dict[str, str]:
    """Files of the task: relative path -> text.

    Args:
        operator: What is to be written.
        called: How the judge is told of it on the command line: a catalogue name or a folder.
        soc: Processor the judge models.
        rounds: T.
    """
    files = {
        "opencode.json": json.dumps(_configuration(_judge(called, soc)), indent=2) + "\n",
        "RULES.md": prompts.prompt("rules") + "\n",
        "TASK.md": _instruction(operator, _judge(called, soc), soc, rounds),
        "README.md": _readme(operator),
    }
    return files | {f"{IN_PROJECT['opencode']}/{path}": text for path, text in skill_files().items()}


def write_task(files: dict[str, str], folder: Path) -> None:
    """Write the files below a folder that is new or empty.

    Raises:
        InvalidInput: It holds something, or cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise InvalidInput(str(folder), "folder", "is not empty", "Choose a new folder.")
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidInput(
            str(folder), "folder", "cannot be written: {error}", error=error.strerror or error
        ) from error


def _configuration(judge: str) -> dict[str, object]:
    """OpenCode's own file, in the form that its versions 1 and 2 read."""
    return {
        "$schema": "https://opencode.ai/config.json",
        "instructions": ["RULES.md"],
        "share": "disabled",
        "permission": {
            "skill": {"*": "deny", "ascend-kernel-*": "allow"},
            "edit": {"*": "deny", "op_host/**": "allow", "op_kernel/**": "allow"},
            "bash": {"*": "deny", judge: "allow"},
            "webfetch": "deny",
            "websearch": "deny",
            "external_directory": "deny",
        },
    }


def _judge(called: str, soc: str) -> str:
    name = f'"{called}"' if " " in called else called
    processor = "" if soc == USUAL_SOC else f" --soc {soc}"
    return f"sage evaluate --feedback --operator {name} --candidate .{processor}"


def _instruction(operator: OperatorSpec, judge: str, soc: str, rounds: int) -> str:
    task = task_text(operator, rounds, soc, f"the command `{judge}`")
    return (
        f"{task}\n\n## Working here\n\nWrite `op_host/` and `op_kernel/` in this folder. One run of "
        f"`{judge}` is one iteration; a failed build counts. Nothing else may be run.\n"
    )


def _readme(operator: OperatorSpec) -> str:
    return (
        f"# {operator.name} for OpenCode\n\n"
        "1. Set up a model for OpenCode, and see that `sage` and `rg` are on the PATH.\n"
        "2. `git init` here: OpenCode matches its permissions against the root of the repository.\n"
        '3. `opencode run "$(cat TASK.md)"`\n\n'
        "OpenCode does not count iterations and its permissions are no sandbox: watch the budget, and run it "
        "where nothing can be lost. Results of such a run are not taken "
        "into a SAGE memory; `sage mcp` does that (docs/agents.md).\n"
    )
