"""What of the window is translated: finds every source text, keeps the `.ts` files, compiles them.

`python -m tools.translations` (that is `make translations`) brings `resources/translations/*.ts` up to
date and compiles them to `.qm`. Qt's own `lupdate` cannot do the first half: part of the words stand in
tables (commands, settings, the meanings of the method's parameters), and modules name their context once.
The files are ordinary Qt Linguist files.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tools import core_texts

ROOT = Path(__file__).resolve().parents[1]
WINDOW = ROOT / "sage_desktop"
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = {"zh_CN": 1, "en": 2}  # language -> plural forms; English has only those
_PLURAL = "%n"
TABLES = (
    ("shell/event_words.py", "_STEPS", "Events"),
    ("panels/memory/appearance.py", "_STEPS", "Undo"),
    ("panels/memory/appearance.py", "_DONE", "Undo"),
    ("panels/memory/appearance.py", "_ORIGINS", "Verdicts"),
    ("panels/review/header.py", "_PICKS", "ReviewHeader"),
    ("panels/trajectory/live.py", "_KINDS", "AgentSteps"),
    ("shell/status.py", "_STATES", "StatusBar"),
    ("ui/widgets/verdicts.py", "_PURPOSES", "Verdicts"),
    ("ui/widgets/verdicts.py", "_OBJECTIVES", "Verdicts"),
    ("ui/widgets/verdicts.py", "_OBJECTIVE_WORDS", "Verdicts"),
    ("ui/widgets/verdicts.py", "_ORIGINS", "Verdicts"),
)
"""(module, dictionary, context) of words translated at use; of tuples the last element is the words."""


@dataclass
class Source:
    """One text to translate; `places` are `file:line` for people."""

    context: str
    text: str
    places: list[str] = field(default_factory=list)

    @property
    def plural(self) -> bool:
        """Whether the text depends on a number."""
        return _PLURAL in self.text


Key = tuple[str, str]
# Which argument is the text; else the first.
_ARGUMENT = {"translate": 1, "QT_TRANSLATE_NOOP": 1, "StatusStyle": 2}


class NotTranslatable(Exception):
    """A call whose text cannot be read without running the program."""


def window_modules() -> list[Path]:
    """Every module of the window; the command line speaks English."""
    terminal = {WINDOW / name for name in ("cli.py", "services/wiring.py")}
    return [
        path
        for path in sorted(WINDOW.rglob("*.py"))
        if path not in terminal and WINDOW / "commands" not in path.parents
    ]


@cache
def sources() -> dict[Key, Source]:
    """Every text of the window, by context and text: calls in the modules, then the tables."""
    texts: dict[Key, Source] = {}

    def add(context: str, text: str, place: str) -> None:
        if text:
            texts.setdefault((context, text), Source(context, text)).places.append(
                place
            )

    for path in window_modules():
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for context, text, line in calls(tree, name):
            add(context, text, f"{name}:{line}")
        for context, text, line in _table_words(tree, name):
            add(context, text, f"{name}:{line}")
    for context, text, place in tables():
        add(context, text, place)
    for text, place in core_texts.sources():
        add("Core", text, place)
    return texts


def tables() -> Iterator[tuple[str, str, str]]:
    """(context, text, place) of words that stand in tables of plain data."""
    from core.method.methods import METHODS
    from sage_desktop.services.settings_table import CHOICE_WORDS, PAGES, settings
    from sage_desktop.ui.action_table import ACTIONS, MENUS, PARTS
    from sage_desktop.ui.widgets.verdicts import kind_text

    for title in (*MENUS.values(), *PARTS.values()):
        yield "Actions", title, "resources/commands.toml"
    for spec in ACTIONS:
        yield "Actions", spec.title, "resources/commands.toml"
        yield "Actions", spec.tip, "resources/commands.toml"
    for title, _icon, words in PAGES.values():
        yield "Settings", title, "sage_desktop/services/settings_table.py"
        yield "Settings", words, "sage_desktop/services/settings_table.py"
    for entry in settings():
        choices = [CHOICE_WORDS.get(choice, choice) for choice in entry.choices]
        looks = (
            choices if entry.page in ("appearance", "method") else []
        )  # the others are names of products
        for text in (entry.title, entry.meaning, entry.group, *looks):
            yield (
                "Settings",
                text,
                f"sage_desktop/services/settings_table.py ({entry.key})",
            )
    for method in METHODS.values():
        yield "Methods", method.title, "core/method/methods.py"
        yield "Methods", method.description, "core/method/methods.py"
    for state in ("done", "failed", "cancelled", "interrupted"):
        yield "Events", state, "core/engine/events.py"
    for kind in _kinds():
        yield "Kinds", kind_text(kind), "resources/seeds"
    for category in sorted({seed["category"] for seed in _seeds()}):
        yield "Categories", category, "resources/seeds"


def _kinds() -> Iterator[str]:
    """Types of experiences that ship, and those the distilling model is told to choose among."""
    from core.memory.records import MINED_TYPES, TYPES

    yield from ("correctness", "tiling", "synchronisation")  # of the demonstration
    yield from (seed["type"] for seed in _seeds())
    yield from (*TYPES, *MINED_TYPES)
    yield from (
        "sync_error",
        "memory_error",
        "tiling_error",
    )  # of memories older releases wrote
    yield from ("precision_error", "host_error", "performance_optimization")


def _seeds() -> Iterator[dict[str, str]]:
    for file in sorted((ROOT / "resources" / "seeds").glob("*.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8")).get("item", ())


def calls(tree: ast.Module, name: str) -> Iterator[tuple[str, str, int]]:
    """(context, text, line) of every call that translates a literal.

    Raises:
        NotTranslatable: A text is put together before it is translated, or the object asked is not `self`.
    """
    own_helpers = helpers(tree)
    for owner, call in _calls(tree, ""):
        context = _context(call, owner, own_helpers, name)
        if context is None:
            continue
        argument = call.args[_ARGUMENT.get(_called(call), 0)]
        if isinstance(argument, ast.Constant):
            yield context, str(argument.value), call.lineno
        elif isinstance(argument, ast.JoinedStr | ast.BinOp | ast.IfExp):
            raise NotTranslatable(
                f"{name}:{call.lineno}: the text is put together before it is translated"
            )


def _table_words(tree: ast.Module, name: str) -> Iterator[tuple[str, str, int]]:
    """(context, text, line) of the dictionaries of `TABLES` that are in a module."""
    contexts = {
        table: context
        for module, table, context in TABLES
        if name.endswith(f"sage_desktop/{module}")
    }
    for node in tree.body:
        target = (
            node.targets[0]
            if isinstance(node, ast.Assign)
            else getattr(node, "target", None)
        )
        context = contexts.get(getattr(target, "id", ""))
        if context is not None and isinstance(node.value, ast.Dict):
            for value in node.value.values:
                words = value.elts[-1] if isinstance(value, ast.Tuple) else value
                if isinstance(words, ast.Constant):
                    yield context, str(words.value), words.lineno


def helpers(tree: ast.Module) -> dict[str, str]:
    """What translates its argument in this module, a function or a `partial` -> context it names."""
    found = {}
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=called)],
                value=ast.Call(
                    func=ast.Name(id="partial"),
                    args=[ast.Attribute(attr="translate"), ast.Constant(value=context)],
                ),
            ):
                found[called] = str(context)
        if isinstance(node, ast.FunctionDef) and len(node.args.args) == 1:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call) and _called(inner) == "translate":
                    context, text = inner.args[:2]
                    if isinstance(context, ast.Constant) and isinstance(text, ast.Name):
                        found[node.name] = str(context.value)
    return found


def _calls(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        if isinstance(child, ast.Call):
            yield inside, child
        yield from _calls(child, inside)


def _called(call: ast.Call) -> str:
    return (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else getattr(call.func, "id", "")
    )


def _context(
    call: ast.Call, owner: str, helpers: dict[str, str], name: str
) -> str | None:
    called = _called(call)
    if called == "StatusStyle" and len(call.args) == 3:
        return "Verdicts"
    if called in _ARGUMENT and len(call.args) >= 2:
        first = call.args[0]
        return str(first.value) if isinstance(first, ast.Constant) else None
    if isinstance(call.func, ast.Name):
        return helpers.get(called)
    if called == "tr" and isinstance(call.func, ast.Attribute):
        if not (isinstance(call.func.value, ast.Name) and call.func.value.id == "self"):
            raise NotTranslatable(
                f"{name}:{call.lineno}: only `self.tr` has the context of its class"
            )
        return owner
    return None


# ---- the files


def ts_file(language: str) -> Path:
    """The Linguist file of a language."""
    return FOLDER / f"sage_{language}.ts"


def translations(language: str) -> dict[Key, tuple[str, ...]]:
    """Finished translations; one text, or one for each plural form."""
    file = ts_file(language)
    if not file.is_file():
        return {}
    found = {}
    for context in ET.parse(file).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type"):
                continue
            forms = [form.text or "" for form in translation.iter("numerusform")]
            found[name, message.findtext("source", "")] = tuple(forms) or (
                translation.text or "",
            )
    return found


def missing(language: str) -> list[Source]:
    """Sources without a finished translation; English needs one only where a number decides."""
    done = translations(language)
    return [
        source
        for key, source in sources().items()
        if not all(done.get(key, ("",))) and (language != "en" or source.plural)
    ]


def write(language: str, done: dict[Key, tuple[str, ...]]) -> None:
    """Write the Linguist file: every source in order of context and text, without those that are gone."""
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en")
    contexts: dict[str, ET.Element] = {}
    for key, source in sorted(sources().items()):
        if language == "en" and not source.plural:
            continue
        context = contexts.get(source.context)
        if context is None:
            context = contexts[source.context] = ET.SubElement(root, "context")
            ET.SubElement(context, "name").text = source.context
        message = ET.SubElement(
            context, "message", {"numerus": "yes"} if source.plural else {}
        )
        ET.SubElement(message, "source").text = source.text
        translation = ET.SubElement(message, "translation")
        forms = done.get(key, ("",) * (LANGUAGES[language] if source.plural else 1))
        if not all(forms):
            translation.set("type", "unfinished")
        if source.plural:
            for form in forms:
                ET.SubElement(translation, "numerusform").text = form
        else:
            translation.text = forms[0]
    ET.indent(root, "  ")
    text = ET.tostring(root, encoding="unicode")
    ts_file(language).write_text(
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{text}\n',
        encoding="utf-8",
    )


def compiled(language: str) -> bytes:
    """The Linguist file as Qt loads it."""
    import PySide6

    tool = Path(PySide6.__file__).parent / (
        "lrelease.exe" if sys.platform == "win32" else "lrelease"
    )
    with tempfile.TemporaryDirectory() as place:
        compiled = Path(place) / "made.qm"
        command = [
            str(tool),
            "-silent",
            "-nounfinished",
            str(ts_file(language)),
            "-qm",
            str(compiled),
        ]
        subprocess.run(command, check=True)
        return compiled.read_bytes()


def main() -> int:
    """Bring all files up to date; tells what waits for a translation."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        write(language, translations(language))
        ts_file(language).with_suffix(".qm").write_bytes(compiled(language))
        for source in missing(language):
            sys.stdout.write(
                f"{language}: not translated: {source.context}: {source.text!r}\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
