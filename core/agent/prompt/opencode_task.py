"""An operator as a runnable task for OpenCode: both skills, the filled task instruction, a configuration.

The harness is the user's own; what is written here gives it the paper's instruction,
the skills with their one designated example, and leave to run nothing but the judge.
Cases that are hidden stay hidden.
"""

from __future__ import annotations

import json

from core.agent.prompt import templates
from core.agent.prompt.skill_files import IN_PROJECT, skill_files
from core.agent.prompt.task_text import task_text
from core.operators.spec import OperatorSpec
from core.templates import rendered

USUAL_SOC = "Ascend910B1"  # what `sage evaluate` models unless told otherwise


def opencode_task(
    operator: OperatorSpec, called: str, *, soc: str = USUAL_SOC, rounds: int = 30
) -> dict[str, str]:
    """Files of the task: relative path -> text.

    Args:
        operator: What is to be written.
        called: Its name on the judge's command line: a catalogue name or a
            folder.
        soc: Processor the judge models.
        rounds: T.
    """
    judge = _judge(called, soc)
    task = task_text(operator, rounds, soc, f"the command `{judge}`")
    files = {
        "opencode.json": json.dumps(_configuration(judge), indent=2) + "\n",
        "RULES.md": templates.prompt("rules") + "\n",
        "TASK.md": f"{task}\n\n{templates.fill('opencode_task', judge=judge)}\n",
        "README.md": rendered("opencode/README.md", operator=operator.name),
    }
    return files | {
        f"{IN_PROJECT['opencode']}/{path}": text for path, text in skill_files().items()
    }


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
