"""`sage skills`: valid skills where each agent looks, with the text of the prompts."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from skills_ref.validator import validate

from core.agent.prompt import skill_files, templates
from sage_desktop.cli import main

PLACES = {
    "opencode": ".opencode/skills",
    "claude": ".claude/skills",
    "codex": ".agents/skills",
}


@pytest.mark.parametrize("agent", sorted(PLACES))
def test_both_skills_are_valid_and_say_what_the_prompts_say(
    agent: str, tmp_path: Path
) -> None:
    arguments = ["skills", "--for", agent, "--project", str(tmp_path)]
    for _ in range(2):  # again is harmless
        assert CliRunner().invoke(main, arguments).exit_code == 0
    for name in (templates.GENERATOR, templates.OPTIMIZER):
        folder = tmp_path / PLACES[agent] / name
        assert validate(folder) == []
        text = templates.skill(name)
        assert (
            templates.skill_body((folder / "SKILL.md").read_text(encoding="utf-8"))
            in text
        )
        attached = [
            path
            for path in folder.rglob("*")
            if path.is_file() and path.name != "SKILL.md"
        ]
        assert attached
        after_failure = templates.failure_help()
        assert all(
            path.read_text(encoding="utf-8").rstrip("\n") in text + after_failure
            for path in attached
        )


def test_home_is_written_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert (
        CliRunner().invoke(main, ["skills", "--for", "opencode", "--user"]).exit_code
        == 0
    )
    assert (
        tmp_path / "home/.config/opencode/skills" / templates.GENERATOR / "SKILL.md"
    ).is_file()


def test_a_skill_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / ".claude/skills" / templates.OPTIMIZER / "SKILL.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    done = CliRunner().invoke(
        main, ["skills", "--for", "claude", "--project", str(tmp_path)]
    )
    assert done.exit_code == 2
    assert "is not a skill of SAGE" in done.output
    assert theirs.read_text() == "mine"
    assert not (tmp_path / ".claude/skills" / templates.GENERATOR).exists()


def test_a_skill_that_was_edited_is_left_alone_and_one_of_an_earlier_release_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["skills", "--for", "opencode", "--project", str(tmp_path)]
    now = skill_files.skill_files()
    head = f"{templates.GENERATOR}/SKILL.md"
    earlier = {**now, head: now[head] + "\nA line of an earlier release.\n"}
    monkeypatch.setattr(skill_files, "skill_files", lambda: earlier)
    assert CliRunner().invoke(main, arguments).exit_code == 0
    monkeypatch.setattr(skill_files, "skill_files", lambda: now)
    assert CliRunner().invoke(main, arguments).exit_code == 0
    file = tmp_path / PLACES["opencode"] / head
    assert file.read_text(encoding="utf-8") == now[head]
    mine = now[head] + "\nMy own line.\n"
    file.write_text(mine, encoding="utf-8")
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code == 2
    assert "was edited" in refused.output
    assert file.read_text(encoding="utf-8") == mine
