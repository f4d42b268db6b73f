"""The OpenCode task: valid skills, a configuration that allows the judge only, nothing hidden given away."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from skills_ref.validator import validate

from core.agent.prompt import templates
from core.agent.prompt.opencode_task import opencode_task
from core.errors import InvalidInput
from core.operators.catalogue import catalogue_operator
from core.whole_file import write_files

OPERATOR = catalogue_operator("RmsNorm")


@pytest.mark.parametrize("name", [templates.GENERATOR, templates.OPTIMIZER])
def test_the_skills_are_valid_for_the_reference_validator(
    name: str, tmp_path: Path
) -> None:
    with resources.as_file(resources.files("resources") / "skills" / name) as folder:
        assert validate(folder) == []
    write_files(opencode_task(OPERATOR, "RmsNorm"), tmp_path / "t")
    assert validate(tmp_path / "t" / ".opencode" / "skills" / name) == []


PAPER = (  # Appendix, "Generated Kernel and Skill-Based Task Instruction"
    "Use the ascend-kernel-generator skill to generate the {category} operator {name} until it passes"
    " compilation and correctness tests, and then use the ascend-kernel-optimizer skill for continual"
    " optimization. You may execute at most 30 iterations in total; once this budget is reached, stop"
    " immediately regardless of progress. Follow the complete skill workflows and do not use any "
    "hacking shortcuts. Code references are restricted to the skill's own examples directory, and "
    "examples for other operators must not be inspected. When an error occurs, proactively apply the "
    "debugging techniques provided in the skill references to localize the faulty code. The local "
    "SocVersion is ascend910_93"
)


def test_the_instruction_is_the_papers() -> None:
    task = opencode_task(OPERATOR, "RmsNorm", soc="Ascend910_9382")["TASK.md"]
    wanted = PAPER.format(category=OPERATOR.category, name=OPERATOR.name)
    assert f"{wanted} (Ascend910_9382)." in " ".join(task.split())
    assert "--candidate . --soc Ascend910_9382" in task


@pytest.mark.parametrize(
    ("soc", "said"),
    [
        ("Ascend910B4-1", " The local SocVersion is ascend910b (Ascend910B4-1)."),
        ("ascend910_93", " The local SocVersion is ascend910_93."),
        ("Ascend310P3", " The local SocVersion is ascend310p (Ascend310P3)."),
        ("Kirin", " The local SocVersion is kirin."),
        ("", ""),
    ],
)
def test_the_processor_is_named_as_op_host_names_it(soc: str, said: str) -> None:
    assert templates.processor(soc) == said


def test_only_the_judge_may_be_run_and_only_the_project_be_written() -> None:
    files = opencode_task(OPERATOR, "RmsNorm", rounds=12)
    permission = json.loads(files["opencode.json"])["permission"]
    judge = "sage evaluate --feedback --operator RmsNorm --candidate ."
    assert permission["bash"] == {"*": "deny", judge: "allow"}
    assert next(iter(permission["edit"].items())) == ("*", "deny")
    assert set(permission["edit"]) == {"*", "op_host/**", "op_kernel/**"}
    assert judge in files["TASK.md"]
    assert "at most 12 iterations" in files["TASK.md"]


def test_hidden_cases_and_references_stay_here() -> None:
    whole = "\n".join(opencode_task(OPERATOR, "RmsNorm").values())
    hidden = [case.name for case in OPERATOR.cases if case.hidden]
    assert hidden
    assert not [name for name in hidden if name in whole]
    assert (OPERATOR.folder / "reference.py").read_text(encoding="utf-8")[
        :200
    ] not in whole


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(InvalidInput, match="not empty"):
        write_files(opencode_task(OPERATOR, "RmsNorm"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
