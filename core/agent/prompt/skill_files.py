"""The skills of the prompts as files a coding agent finds: one folder each, as the Agent Skills format says.

The texts are those of `resources/skills`, byte for byte, which
`core.agent.prompt.templates` puts into prompts too. Where agents look is from their
documentation: OpenCode `.opencode/skills`, Claude Code `.claude/skills`, Codex
`.agents/skills`; the user's own are in the same folders at home, OpenCode's in
`~/.config/opencode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from core.agent.prompt import templates
from core.errors import InvalidInput
from core.whole_file import write_files, writing_folder

SKILLS = (templates.GENERATOR, templates.OPTIMIZER)
IN_PROJECT: Mapping[str, str] = {
    "opencode": ".opencode/skills",
    "claude": ".claude/skills",
    "codex": ".agents/skills",
}
AT_HOME: Mapping[str, str] = {**IN_PROJECT, "opencode": ".config/opencode/skills"}


def skill_files() -> dict[str, str]:
    """Path below a folder of skills -> text."""
    root = resources.files("resources") / "skills"
    return {
        f"{name}/{path}": text
        for name in SKILLS
        for path, text in templates.texts_below(root / name)
    }


def install_skills(folder: Path) -> tuple[Path, ...]:
    """Write the skills below `folder`, replacing what an earlier version wrote, and return what was written.

    Raises:
        InvalidInput: A file there is not ours or was changed, or the folder cannot be
            written.
    """
    with writing_folder(folder):
        for name in SKILLS:
            head = folder / name / "SKILL.md"
            if head.is_symlink() or (head.exists() and not _ours(head, name)):
                raise InvalidInput(
                    str(head), "file", "is not a skill of SAGE", "Move it away first."
                )
    files = skill_files()
    write_files(files, folder, new=False)
    return tuple(folder / path for path in files)


def _ours(head: Path, name: str) -> bool:
    return head.read_text(encoding="utf-8", errors="replace").startswith(
        f"---\nname: {name}\n"
    )
