"""Python text of a benchmark's C++ binding: how much room it gives each output, and which ones it hands back.

Bindings are short functions that compute shapes, allocate tensors and make one EXEC_NPU_CMD call. What is
outside the little C++ they use is not translated; the importer then does without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.cpp_text import code_of
from core.operators.importers.cpp_source import split_arguments, top_level

CALL = "npu_call"  # the function the translated text hands the arguments of EXEC_NPU_CMD to

_HEAD = re.compile(r"\b(\w+)\s*\(([^{};]*)\)\s*\{")
_NOT_FUNCTIONS = {
    "if",
    "for",
    "while",
    "switch",
    "PYBIND11_MODULE",
    "TORCH_LIBRARY",
    "TORCH_LIBRARY_IMPL",
}
_TYPE = r"(?:const\s+)?(?:unsigned\s+)?[A-Za-z_][\w:]*(?:<[\w:<>,\s*]*>)?(?:\s+const)?"
_DECLARATION = re.compile(
    rf"({_TYPE})(?:\s*[&*]+\s*|\s+)(\w+)\s*(=|\(|\{{|$)(.*)", re.DOTALL
)
_ASSIGNMENT = re.compile(r"([\w.\[\]()\s+-]+?)\s*([-+*/]?)=(?!=)\s*(.*)", re.DOTALL)
_STEP = re.compile(r"(?:\+\+\s*(\w+)|(\w+)\s*\+\+)")
_CAST = re.compile(
    r"\(\s*(?:const\s+)?(?:u?int\d*_t|int|long|size_t|double|float|bool|char\s*\*)\s*\)(?=\s*[\w(])"
)
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_TEMPLATE = re.compile(r"(\w+)\s*<[\w:\s*,]+>\s*\(")
_NUMBER = re.compile(r"\b(\d[\d.]*(?:e[-+]?\d+)?)(?:[fF]|[uUlL]+)\b")
_OPTIONAL = re.compile(r"(\w+)\s*\.\s*(has_value|value_or|value)\s*\(")
_WORDS = {"true": "True", "false": "False", "nullptr": "None", "nullopt": "None"}
_UNKNOWN = re.compile(r"\b(?:while|do|switch|goto|try|new|delete)\b|\[\s*[&=]")


class NotTranslated(Exception):  # never leaves this module
    """The binding uses C++ beyond what is translated."""


def translate_binding(text: str) -> str:
    """Python functions of the same names as the functions of a binding file.

    They call `npu_call` with the arguments of EXEC_NPU_CMD and expect the names that the adapter of the
    imported task defines (`empty`, `vector`, ...). Functions that cannot be translated are left out.
    """
    strings: list[str] = []

    def keep(match: re.Match[str]) -> str:
        strings.append(match[0])
        return f"string_{len(strings) - 1}_"

    code = _STRING.sub(keep, code_of(text))  # what looks like code in a string is none
    functions = []
    for head in _HEAD.finditer(code):
        if head[1] in _NOT_FUNCTIONS or code[: head.start()].count("{") != code[
            : head.start()
        ].count("}"):
            continue
        try:
            lines = [
                f"def {head[1]}({_parameters(head[2])}):",
                *_block(_inside(code, head.end() - 1)[0], 1),
                "    return []",
            ]
            function = re.sub(
                r"string_(\d+)_",
                lambda match: strings[int(match[1])],
                "\n".join(lines) + "\n",
            )
            compile(function, head[1], "exec")
        except (NotTranslated, SyntaxError):
            continue
        functions.append(function)
    return "\n".join(functions)


def _parameters(text: str) -> str:
    names = []
    for part in split_arguments(text):
        declared, _, default = part.partition("=")
        words = re.findall(r"\w+", declared)
        if words:
            names.append(
                words[-1] + (f"={_expression(default)}" if default.strip() else "")
            )
    return ", ".join(names)


def _inside(text: str, opening: int) -> tuple[str, int]:
    """What stands between the bracket at `opening` and its partner, and where the partner ends."""
    close = {"{": "}", "(": ")"}[text[opening]]
    place = _first(text, close, text[opening], opening)
    return text[opening + 1 : place], place + 1


def _block(text: str, level: int) -> list[str]:
    """Lines of all statements of a block, `pass` when there is none."""
    place, lines = 0, []
    while place < len(text):
        python, place = _statement(text, place, level)
        lines += python
    return lines or ["    " * level + "pass"]


def _statement(text: str, place: int, level: int) -> tuple[list[str], int]:
    place += len(text[place:]) - len(text[place:].lstrip())
    indent = "    " * level
    if place >= len(text):
        return [], place
    if text[place] == "{":
        inner, end = _inside(text, place)
        return _block(inner, level), end
    word = re.match(r"(if|for)\s*\(", text[place:])
    if word is None:
        end = _first(text, ";", "({", place)
        return [indent + line for line in _simple(text[place:end].strip())], end + 1
    header, end = _inside(text, place + word.end() - 1)
    body, end = _statement(text, end, level + 1)
    body = body or [f"{indent}    pass"]
    if word[1] == "for":
        return [
            *(indent + line for line in _loop(header)),
            *body,
            *_steps(header, indent),
        ], end
    lines = [f"{indent}if {_expression(header)}:", *body]
    other = re.match(r"\s*else\b", text[end:])
    if other:
        body, end = _statement(text, end + other.end(), level + 1)
        lines += [f"{indent}else:", *(body or [f"{indent}    pass"])]
    return lines, end


def _first(text: str, sign: str, brackets: str, start: int) -> int:
    for place in top_level(text, sign, brackets, start):
        return place
    raise NotTranslated


def _loop(header: str) -> Iterator[str]:
    """The lines in front of a loop's body: over a collection, or counting up by one."""
    if ";" not in header:
        name, _, collection = header.rpartition(":")
        words = re.findall(r"\w+", name)
        yield f"for {words[-1]} in list({_expression(collection)}):"
        return
    start, condition, step = (part.strip() for part in header.split(";"))
    match = _STEP.fullmatch(step)
    if match is None:
        raise NotTranslated
    yield from _simple(start)
    yield f"while {_expression(condition)}:"


def _steps(header: str, indent: str) -> list[str]:
    if ";" not in header:
        return []
    return [f"{indent}    {line}" for line in _simple(header.split(";")[2].strip())]


def _simple(text: str) -> list[str]:
    """One statement without a block of its own."""
    if not text:
        return []
    if _UNKNOWN.search(text) or text in ("break", "continue"):
        raise NotTranslated
    if text.startswith("throw"):
        return ["raise ValueError"]
    if text.startswith(("TORCH_CHECK", "using ")):
        return []
    returned = re.match(r"return\b(.*)", text, re.DOTALL)
    if returned:
        return [f"return {_expression(returned[1]) or '[]'}"]
    call = re.match(r"EXEC_NPU_CMD\s*\((.*)\)$", text, re.DOTALL)
    if call:
        return [
            f"{CALL}({', '.join(_expression(part) for part in split_arguments(call[1])[1:])})"
        ]
    step = _STEP.fullmatch(text)
    if step:
        return [f"{step[1] or step[2]} += 1"]
    declared = _DECLARATION.fullmatch(text)
    if declared:
        return [
            f"{declared[2]} = {_initial(declared[1], declared[3], declared[4].strip())}"
        ]
    assigned = _ASSIGNMENT.fullmatch(text)
    if assigned:
        target = re.sub(r"\.\s*back\s*\(\s*\)", "[-1]", assigned[1])
        return [
            f"{target} {'//' if assigned[2] == '/' else assigned[2]}= {_expression(assigned[3])}"
        ]
    return [_expression(text)]


def _initial(kind: str, how: str, rest: str) -> str:
    """What a declared variable starts as."""
    if "<" in kind and ">" not in kind:
        raise NotTranslated
    if how == "=":
        return _expression(rest)
    if how == "":
        return (
            "vector()" if "vector" in kind else "Tensor()" if "Tensor" in kind else "0"
        )
    inner = rest.rstrip()[:-1]
    parts = [_expression(part) for part in split_arguments(inner)]
    if "vector" in kind:
        return (
            f"vector([{', '.join(parts)}])"
            if how == "{"
            else f"vector({', '.join(parts)})"
        )
    if len(parts) != 1:
        raise NotTranslated
    return parts[0]


def _expression(text: str) -> str:
    """An expression; integers are divided as in C++."""
    text = text.strip()
    question = next(top_level(text, "?", "({["), -1)
    if question >= 0:
        colon = next(top_level(text.replace("::", ";;"), ":", "({["), -1)
        if colon < question:
            raise NotTranslated
        yes, no = (
            _expression(text[question + 1 : colon]),
            _expression(text[colon + 1 :]),
        )
        return f"({yes} if {_expression(text[:question])} else {no})"
    return _operators(text).strip()


def _operators(text: str) -> str:
    text = _CAST.sub("", text)
    text = _TEMPLATE.sub(r"\1(", text)
    text = re.sub(r"\b(?:\w+\s*::\s*)+(?=\w)", "", text)
    text = re.sub(r"\bk[A-Z]\w*\b", "None", text)
    text = re.sub(r"\.\s*c_str\s*\(\s*\)", "", text)
    comma = {"value_or": ", "}
    text = _OPTIONAL.sub(
        lambda match: f"{match[2]}({match[1]}{comma.get(match[2], '')}", text
    )
    text = _NUMBER.sub(r"\1", text)
    text = re.sub(
        r"\b(?:true|false|nullptr|nullopt)\b", lambda match: _WORDS[match[0]], text
    )
    text = text.replace("&&", " and ").replace("||", " or ").replace("->", ".")
    text = re.sub(r"!(?!=)", " not ", text)
    text = re.sub(r"(^|[(,=])\s*[&*](?=\w)", r"\1", text)
    text = re.sub(r"(?<!/)/(?!/)", "//", text)
    return re.sub(r"\s+", " ", text.replace("{", "vector([").replace("}", "])"))
