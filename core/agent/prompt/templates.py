"""The texts of Γ as data: prompts and skills in `resources`, read once."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from string import Template

from core.method.parameters import MethodParameters
from core.references.look_up import References

GENERATOR = "ascend-kernel-generator"
OPTIMIZER = "ascend-kernel-optimizer"
# Of the generator's skill: what only helps once something failed, so that no first prompt carries it.
_AFTER_FAILURE = ("references/add-custom.md", "references/debugging.md")
_ADOPTION = re.compile(r"<!-- adoption -->(.*?)<!-- /adoption -->", re.DOTALL)
_UNIT = re.compile(r"(ascend(?:910_9[35]|910b|310[bp]))", re.IGNORECASE)


@cache
def prompt(name: str, *, traced: bool = True) -> str:
    """The text of `resources/prompts/<name>.md` without its trailing newline.

    Args:
        name: Of the file.
        traced: Whether what stands between the two marks of adoption belongs to it; the
            marks never do.
    """
    text = (_folder("prompts") / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")
    return _ADOPTION.sub("" if not traced else r"\1", text)


def fill(name: str, *, traced: bool = True, **values: object) -> str:
    """A prompt with its `$name` placeholders filled.

    A missing one is a bug and raises KeyError.
    """
    return Template(prompt(name, traced=traced)).substitute(
        {key: str(value) for key, value in values.items()}
    )


@cache
def skill(name: str, *, references: bool = True) -> str:
    """A skill as the model reads it: the body of SKILL.md, then its references and its example files.

    What helps after a failure is left out, see `failure_help`.

    Args:
        name: Folder in `resources/skills`.
        references: Whether references and example follow the body; left out when the
            context must shrink.
    """
    folder = _folder("skills") / name
    text = (folder / "SKILL.md").read_text(encoding="utf-8")
    parts = [f'<skill name="{name}">', skill_body(text)]
    if references:
        parts += [
            _attachment(path, content)
            for path, content in _attachments(folder)
            if path not in _AFTER_FAILURE
        ]
    return "\n\n".join([*parts, "</skill>"])


@cache
def references(name: str) -> str:
    """The Markdown references of a skill alone, for an episode that follows another skill."""
    return "\n\n".join(
        _attachment(path, text)
        for path, text in _attachments(_folder("skills") / name)
        if path.startswith("references/") and path not in _AFTER_FAILURE
    )


@cache
def failure_help() -> str:
    """From an error to its cause, and the example step by step: what stands beside a failure."""
    attachments = _attachments(_folder("skills") / GENERATOR)
    return "\n\n".join(
        _attachment(path, text) for path, text in attachments if path in _AFTER_FAILURE
    )


def attached(name: str) -> str:
    """All references and examples of a skill as they stand in a prompt."""
    attachments = _attachments(_folder("skills") / name)
    return "\n\n".join(_attachment(path, text) for path, text in attachments)


def references_digest(
    parameters: MethodParameters, references: References | None
) -> str:
    """Sha256 over the three references of the skills and, unless `references=paper`, what can be looked up.

    It depends on nothing else, so arms that differ in memory alone have the same.
    """
    total = sha256()
    for skill in (GENERATOR, OPTIMIZER):
        total.update(attached(skill).encode())
    if references is not None and parameters.references == "full":
        total.update(references.digest.encode())
    return total.hexdigest()


def processor(soc: str) -> str:
    """The sentence of the task instruction that names the processor.

    Empty where the host decides.

    Op_host declares compute units (`ascend910b`), the runtime names models
    (`Ascend910B1`): it has both.

    Args:
        soc: Model of the processor, empty when it is not known.
    """
    unit = _UNIT.match(soc)
    if unit is None:
        return f" The local SocVersion is {soc.lower()}." if soc else ""
    name = unit.group(1).lower()
    return f" The local SocVersion is {name}{f' ({soc})' if soc != name else ''}."


def skill_body(text: str) -> str:
    """SKILL.md without its YAML front matter (Agent Skills specification)."""
    if not text.startswith("---\n"):
        return text.strip()
    return text.split("\n---\n", 1)[1].strip()


def _attachments(folder: Traversable) -> list[tuple[str, str]]:
    """(relative path, text) of references, then examples, in stable order."""
    return [
        (path, text.rstrip("\n"))
        for name in ("references", "examples")
        if (folder / name).is_dir()
        for path, text in texts_below(folder / name, f"{name}/")
    ]


def texts_below(folder: Traversable, prefix: str = "") -> list[tuple[str, str]]:
    """(relative path behind `prefix`, text) of every file below a folder, in stable order."""
    texts: list[tuple[str, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda child: child.name):
        if entry.is_dir():
            texts += texts_below(entry, f"{prefix}{entry.name}/")
        else:
            texts.append((f"{prefix}{entry.name}", entry.read_text(encoding="utf-8")))
    return texts


def _attachment(path: str, content: str) -> str:
    body = content if path.endswith(".md") else f"````cpp\n{content}\n````"
    return f"<!-- {path} -->\n{body}"


def _folder(name: str) -> Traversable:
    return resources.files("resources") / name
