"""The shipped skills are valid Agent Skills, and their example is a project the protocol would accept."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from core.agent.prompt import templates
from core.agent.reply.candidate_files import check_path, elided_line
from core.memory.tokens import EstimatedTokens

SKILLS = (templates.GENERATOR, templates.OPTIMIZER)
_NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
_KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}


def front_matter(name: str) -> dict[str, str]:
    """Top-level keys of the YAML mapping; values unquoted."""
    text = (resources.files("resources") / "skills" / name / "SKILL.md").read_text(
        encoding="utf-8"
    )
    assert text.startswith("---\n")
    head = text.split("\n---\n", 1)[0].removeprefix("---\n")
    pairs = (
        line.split(":", 1) for line in head.split("\n") if not line.startswith(" ")
    )
    return {key: value.strip().strip('"') for key, value in pairs}


@pytest.mark.parametrize("name", SKILLS)
def test_the_front_matter_follows_the_specification(name: str) -> None:
    keys = front_matter(name)
    assert set(keys) <= _KEYS
    assert keys["name"] == name
    assert _NAME.match(keys["name"])
    assert 0 < len(keys["description"]) <= 480, (
        "one line that also the strictest client takes"
    )
    assert not re.search(r"[<>]|: ", keys["description"])
    assert len(keys["compatibility"]) <= 500


@pytest.mark.parametrize("name", SKILLS)
def test_the_body_is_short_and_free_of_client_expansions(name: str) -> None:
    body = templates.skill(name, references=False)
    assert EstimatedTokens().count(body) < 5000
    assert body.count("\n") < 500
    assert "---" not in body.split("\n")[0:3]
    assert not re.search(r"\$ARGUMENTS|\$\d|!`", body)


def test_every_reference_named_in_a_skill_exists() -> None:
    for name in SKILLS:
        folder = resources.files("resources") / "skills" / name
        body = templates.skill(name, references=False)
        for path in re.findall(r"`(references/[\w.-]+|examples/\w+)`", body):
            place = folder
            for part in path.split("/"):
                place = place / part
            assert place.is_file() or place.is_dir(), path


def test_the_example_is_a_whole_project() -> None:
    folder = (
        resources.files("resources")
        / "skills"
        / templates.GENERATOR
        / "examples"
        / "add_custom"
    )
    paths = [
        f"{root.name}/{entry.name}"
        for root in folder.iterdir()
        for entry in root.iterdir()
    ]
    assert sorted(paths) == [
        "op_host/add_custom.cpp",
        "op_host/add_custom_tiling.h",
        "op_kernel/add_custom.cpp",
    ]
    for path in paths:
        assert check_path(path) == ""
        root, name = path.split("/")
        assert elided_line((folder / root / name).read_text(encoding="utf-8")) == 0
