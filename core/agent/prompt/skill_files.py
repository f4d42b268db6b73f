"""The skills of the prompts as files a coding agent finds: one folder each, as the Agent Skills format says.

The texts are those of `resources/skills`, byte for byte, which
`core.agent.prompt.templates` puts into prompts too. Where agents look is from their
documentation: OpenCode `.opencode/skills`, Claude Code `.claude/skills`, Codex
`.agents/skills`; the user's own are in the same folders at home, OpenCode's in
`~/.config/opencode`.
"""

from __future__ import annotations

import hashlib
import json
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
# Beside the skills: sha256 of what was written, by path. What differs from it a person
# has edited.
_WRITTEN = ".sage-skills.json"


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
        InvalidInput: A file there is not ours or was edited since, or the folder cannot
            be written.
    """
    files = skill_files()
    with writing_folder(folder):
        for name in SKILLS:
            head = folder / name / "SKILL.md"
            if head.is_symlink() or (head.exists() and not _ours(head, name)):
                raise InvalidInput(
                    str(head), "file", "is not a skill of SAGE", "Move it away first."
                )
        for path in _edited(folder, files):
            raise InvalidInput(
                str(path),
                "file",
                "was edited since it was written",
                "Move it away first, or take your changes back.",
            )
    record = json.dumps({path: _digest(text) for path, text in files.items()}, indent=1)
    write_files(files | {_WRITTEN: record + "\n"}, folder, new=False)
    return tuple(folder / path for path in files)


def _edited(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Files that are neither what is written now nor what was written last."""
    try:
        digests = json.loads((folder / _WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        digests = {}
    edited = []
    for path, text in files.items():
        place = folder / path
        if not place.exists():
            continue
        digest = _digest(place.read_text(encoding="utf-8", errors="replace"))
        if digest not in (_digest(text), digests.get(path)):
            edited.append(place)
    return edited


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _ours(head: Path, name: str) -> bool:
    return head.read_text(encoding="utf-8", errors="replace").startswith(
        f"---\nname: {name}\n"
    )
