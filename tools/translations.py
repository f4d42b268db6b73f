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


_DEMONSTRATION_TYPES = ("correctness", "tiling", "synchronisation")
# In memories that older releases wrote.
_EARLIER_TYPES = (
    "sync_error",
    "memory_error",
    "tiling_error",
    "precision_error",
    "host_error",
    "performance_optimization",
)
Key = tuple[str, str]
# Which argument is the text; else the first.
_ARGUMENT = {"translate": 1, "QT_TRANSLATE_NOOP": 1, "StatusStyle": 2}


class NotTranslatable(Exception):
    """A call whose text cannot be read without running the program."""


def window_modules() -> list[Path]:
    """Every module of the window; the command line speaks English."""
    terminal = {
        *(WINDOW / "commands").rglob("*.py"),
        WINDOW / "cli.py",
        WINDOW / "services" / "wiring.py",
    }
    return sorted(set(WINDOW.rglob("*.py")) - terminal)


@cache
def sources() -> dict[Key, Source]:
    """Every text of the window, by context and text: calls in the modules, then the tables."""
    texts: dict[Key, Source] = {}

    def add(context: str, text: str, place: str) -> None:
        if text:
            source = texts.setdefault((context, text), Source(context, text))
            source.places.append(place)

    for path in window_modules():
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        in_module = (*calls(tree, name), *_table_words(tree, name))
        for context, text, line in in_module:
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

    commands = "resources/commands.toml"
    for title in (*MENUS.values(), *PARTS.values()):
        yield "Actions", title, commands
    for spec in ACTIONS:
        yield "Actions", spec.title, commands
        yield "Actions", spec.tip, commands
    table = "sage_desktop/services/settings_table.py"
    for title, _icon, words in PAGES.values():
        yield "Settings", title, table
        yield "Settings", words, table
    for entry in settings():
        texts = [entry.title, entry.meaning, entry.group]
        # The choices of other pages are names of products.
        if entry.page in ("appearance", "method"):
            texts += [CHOICE_WORDS.get(choice, choice) for choice in entry.choices]
        for text in texts:
            yield "Settings", text, f"{table} ({entry.key})"
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
    """Types of experiences that ship, and those the distilling model chooses among."""
    from core.memory.records import MINED_TYPES, TYPES

    yield from _DEMONSTRATION_TYPES
    yield from (seed["type"] for seed in _seeds())
    yield from (*TYPES, *MINED_TYPES)
    yield from _EARLIER_TYPES


def _seeds() -> Iterator[dict[str, str]]:
    """The experiences that ship, as their files have them."""
    for file in sorted((ROOT / "resources" / "seeds").glob("*.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        yield from table.get("item", ())


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
        position = _ARGUMENT.get(_function_name(call), 0)
        argument = call.args[position]
        if isinstance(argument, ast.Constant):
            yield context, str(argument.value), call.lineno
        elif isinstance(argument, ast.JoinedStr | ast.BinOp | ast.IfExp):
            fault = "the text is put together before it is translated"
            raise NotTranslatable(f"{name}:{call.lineno}: {fault}")


def _table_words(tree: ast.Module, name: str) -> Iterator[tuple[str, str, int]]:
    """(context, text, line) of the dictionaries of `TABLES` that are in a module."""
    contexts = {
        table: context
        for module, table, context in TABLES
        if name.endswith(f"sage_desktop/{module}")
    }
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=table)], value=ast.Dict() as entries)
                | ast.AnnAssign(target=ast.Name(id=table), value=ast.Dict() as entries)
            ) if table in contexts:
                for words in map(_words_of, entries.values):
                    if words is not None:
                        yield contexts[table], str(words.value), words.lineno


def _words_of(value: ast.expr) -> ast.Constant | None:
    """The words in a value of a table: the value itself, or the last element of a tuple."""
    words = value.elts[-1] if isinstance(value, ast.Tuple) else value
    return words if isinstance(words, ast.Constant) else None


def helpers(tree: ast.Module) -> dict[str, str]:
    """What translates its argument in this module, a function or a `partial` -> context it names."""
    contexts = {}
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=helper)],
                value=ast.Call(
                    func=ast.Name(id="partial"),
                    args=[ast.Attribute(attr="translate"), ast.Constant(value=context)],
                ),
            ):
                contexts[helper] = str(context)
            case ast.FunctionDef(name=helper) if len(node.args.args) == 1:
                for context in _contexts_in(node):
                    contexts[helper] = context
    return contexts


def _contexts_in(function: ast.FunctionDef) -> Iterator[str]:
    """The contexts in which a function translates what it is given by name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _function_name(node) == "translate":
            context, text = node.args[:2]
            if isinstance(context, ast.Constant) and isinstance(text, ast.Name):
                yield str(context.value)


def _calls(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.Call]]:
    """(class, call) of every call below a node; `owner` is the class around it."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        if isinstance(child, ast.Call):
            yield inside, child
        yield from _calls(child, inside)


def _function_name(call: ast.Call) -> str:
    """Of the function or method that is called; empty where it has none."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return getattr(call.func, "id", "")


def _context(
    call: ast.Call, owner: str, helpers: dict[str, str], name: str
) -> str | None:
    """The context a call translates in; None where it translates nothing.

    Args:
        call: In the module.
        owner: Class it is in.
        helpers: As `helpers` gives them.
        name: Of the module.

    Raises:
        NotTranslatable: `tr` of another object than `self` is called.
    """
    function = _function_name(call)
    if function == "StatusStyle" and len(call.args) == 3:
        return "Verdicts"
    if function in _ARGUMENT and len(call.args) >= 2:
        first = call.args[0]
        return str(first.value) if isinstance(first, ast.Constant) else None
    match call.func:
        case ast.Name():
            return helpers.get(function)
        case ast.Attribute(attr="tr", value=ast.Name(id="self")):
            return owner
        case ast.Attribute(attr="tr"):
            fault = "only `self.tr` has the context of its class"
            raise NotTranslatable(f"{name}:{call.lineno}: {fault}")
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
    texts = {}
    for context in ET.parse(file).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            translation = message.find("translation")
            # The type of one that is not finished, or no longer used, says so.
            if translation is None or translation.get("type"):
                continue
            source = message.findtext("source", "")
            forms = [form.text or "" for form in translation.iter("numerusform")]
            if not forms:
                forms = [translation.text or ""]
            texts[name, source] = tuple(forms)
    return texts


def missing(language: str) -> list[Source]:
    """Sources without a finished translation; English needs one only where a number decides."""
    texts = translations(language)
    return [
        source
        for key, source in _sources_of(language).items()
        if not all(texts.get(key, ("",)))
    ]


def _sources_of(language: str) -> dict[Key, Source]:
    """The sources that a language translates."""
    if language != "en":
        return sources()
    return {key: source for key, source in sources().items() if source.plural}


def write(language: str, texts: dict[Key, tuple[str, ...]]) -> None:
    """Write the Linguist file: every source in order of context and text, without those that are gone.

    Args:
        language: Of the file.
        texts: As `translations` gives them.
    """
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en")
    contexts: dict[str, ET.Element] = {}
    for key, source in sorted(_sources_of(language).items()):
        context = contexts.get(source.context)
        if context is None:
            context = contexts[source.context] = ET.SubElement(root, "context")
            ET.SubElement(context, "name").text = source.context
        form_count = LANGUAGES[language] if source.plural else 1
        forms = texts.get(key, ("",) * form_count)
        _add_message(context, source, forms)
    ET.indent(root, "  ")
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
    body = ET.tostring(root, encoding="unicode")
    ts_file(language).write_text(f"{head}{body}\n", encoding="utf-8")


def _add_message(context: ET.Element, source: Source, forms: tuple[str, ...]) -> None:
    """Add a source with its translation, unfinished where a form is empty."""
    attributes = {"numerus": "yes"} if source.plural else {}
    message = ET.SubElement(context, "message", attributes)
    ET.SubElement(message, "source").text = source.text
    translation = ET.SubElement(message, "translation")
    if not all(forms):
        translation.set("type", "unfinished")
    if source.plural:
        for form in forms:
            ET.SubElement(translation, "numerusform").text = form
    else:
        translation.text = forms[0]


def compiled(language: str) -> bytes:
    """The Linguist file as Qt loads it."""
    import PySide6

    name = "lrelease.exe" if sys.platform == "win32" else "lrelease"
    tool = Path(PySide6.__file__).parent / name
    with tempfile.TemporaryDirectory() as folder:
        qm_file = Path(folder) / "language.qm"
        files = [str(ts_file(language)), "-qm", str(qm_file)]
        command = [str(tool), "-silent", "-nounfinished", *files]
        subprocess.run(command, check=True)
        return qm_file.read_bytes()


def main() -> int:
    """Bring all files up to date; tells what waits for a translation."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        write(language, translations(language))
        ts_file(language).with_suffix(".qm").write_bytes(compiled(language))
        for source in missing(language):
            text = f"{source.context}: {source.text!r}"
            sys.stdout.write(f"{language}: not translated: {text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
