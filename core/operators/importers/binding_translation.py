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
_WORD = re.compile(r"\b(?:true|false|nullptr|nullopt)\b")
_SIGNS = (("&&", " and "), ("||", " or "), ("->", "."))
# Statements that are not translated, and the beginning of a lambda.
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

    def give_back(match: re.Match[str]) -> str:
        return strings[int(match[1])]

    code = _STRING.sub(keep, code_of(text))  # what looks like code in a string is none
    functions = []
    for head in _HEAD.finditer(code):
        name = head[1]
        before = code[: head.start()]
        is_nested = before.count("{") != before.count("}")
        if is_nested or name in _NOT_FUNCTIONS:
            continue
        try:
            translated = _function(head, code)
            function = re.sub(r"string_(\d+)_", give_back, translated)
            compile(function, name, "exec")
        except (NotTranslated, SyntaxError):
            continue
        functions.append(function)
    return "\n".join(functions)


def _function(head: re.Match[str], code: str) -> str:
    """Python of the function whose head is here; one that returns nothing gives no outputs."""
    parameters = _parameters(head[2])
    body, _end = _inside(code, head.end() - 1)
    lines = [
        f"def {head[1]}({parameters}):",
        *_block(body, 1),
        "    return []",
    ]
    return "\n".join(lines) + "\n"


def _parameters(text: str) -> str:
    """Names of the parameters of C++, the last word of each, with their defaults."""
    parameters = []
    for part in split_arguments(text):
        declared, _, default = part.partition("=")
        words = re.findall(r"\w+", declared)
        if not words:
            continue
        parameter = words[-1]
        if default.strip():
            parameter += f"={_expression(default)}"
        parameters.append(parameter)
    return ", ".join(parameters)


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
    """Lines of the statement that begins at `place`, and where it ends.

    Args:
        text: C++ around it.
        place: Where it begins, white space included.
        level: How many levels its lines are indented.
    """
    rest = text[place:]
    place += len(rest) - len(rest.lstrip())
    indent = "    " * level
    if place >= len(text):
        return [], place
    if text[place] == "{":
        inner, end = _inside(text, place)
        return _block(inner, level), end
    word = re.match(r"(if|for)\s*\(", text[place:])
    if word is None:
        end = _first(text, ";", "({", place)
        statement = text[place:end].strip()
        return [indent + line for line in _simple(statement)], end + 1
    opening = place + word.end() - 1
    header, end = _inside(text, opening)
    nothing = [f"{indent}    pass"]
    body, end = _statement(text, end, level + 1)
    if word[1] == "for":
        head = [indent + line for line in _loop(header)]
        return [*head, *(body or nothing), *_steps(header, indent)], end
    condition = _expression(header)
    lines = [f"{indent}if {condition}:", *(body or nothing)]
    other = re.match(r"\s*else\b", text[end:])
    if other:
        body, end = _statement(text, end + other.end(), level + 1)
        lines += [f"{indent}else:", *(body or nothing)]
    return lines, end


def _first(text: str, sign: str, brackets: str, start: int) -> int:
    """Where `sign` stands first outside of brackets; raises NotTranslated where it does not."""
    for place in top_level(text, sign, brackets, start):
        return place
    raise NotTranslated


def _loop(header: str) -> Iterator[str]:
    """The lines in front of a loop's body: over a collection, or counting up by one."""
    if ";" not in header:
        name, _, collection = header.rpartition(":")
        words = re.findall(r"\w+", name)
        values = _expression(collection)
        yield f"for {words[-1]} in list({values}):"
        return
    start, condition, step = map(str.strip, header.split(";"))
    if _STEP.fullmatch(step) is None:
        raise NotTranslated
    yield from _simple(start)
    yield f"while {_expression(condition)}:"


def _steps(header: str, indent: str) -> list[str]:
    """The lines behind a loop's body: what a loop that counts up does last."""
    if ";" not in header:
        return []
    _start, _condition, step = header.split(";")
    return [f"{indent}    {line}" for line in _simple(step.strip())]


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
        # The first is the function of aclnn.
        arguments = split_arguments(call[1])[1:]
        values = ", ".join(map(_expression, arguments))
        return [f"{CALL}({values})"]
    step = _STEP.fullmatch(text)
    if step:
        return [f"{step[1] or step[2]} += 1"]
    declared = _DECLARATION.fullmatch(text)
    if declared:
        kind, name, how, rest = declared.groups()
        value = _initial(kind, how, rest.strip())
        return [f"{name} = {value}"]
    assigned = _ASSIGNMENT.fullmatch(text)
    if assigned:
        target = re.sub(r"\.\s*back\s*\(\s*\)", "[-1]", assigned[1])
        operator = "//" if assigned[2] == "/" else assigned[2]
        value = _expression(assigned[3])
        return [f"{target} {operator}= {value}"]
    return [_expression(text)]


def _initial(kind: str, how: str, rest: str) -> str:
    """What a declared variable starts as."""
    if "<" in kind and ">" not in kind:
        raise NotTranslated
    if how == "=":
        return _expression(rest)
    is_vector = "vector" in kind
    if how == "":
        if is_vector:
            return "vector()"
        return "Tensor()" if "Tensor" in kind else "0"
    inner = rest.rstrip()[:-1]
    parts = [_expression(part) for part in split_arguments(inner)]
    values = ", ".join(parts)
    if is_vector:
        # Braces list its elements; parentheses give its length and what it is filled with.
        return f"vector([{values}])" if how == "{" else f"vector({values})"
    if len(parts) != 1:
        raise NotTranslated
    return parts[0]


def _expression(text: str) -> str:
    """An expression; integers are divided as in C++."""
    text = text.strip()
    question = next(top_level(text, "?", "({["), -1)
    if question >= 0:
        without_scopes = text.replace("::", ";;")
        colon = next(top_level(without_scopes, ":", "({["), -1)
        if colon < question:
            raise NotTranslated
        condition = _expression(text[:question])
        yes = _expression(text[question + 1 : colon])
        no = _expression(text[colon + 1 :])
        return f"({yes} if {condition} else {no})"
    return _operators(text).strip()


def _operators(text: str) -> str:
    """An expression without `? :`, its operators and words replaced one kind after the other."""
    text = _CAST.sub("", text)
    text = _TEMPLATE.sub(r"\1(", text)
    text = re.sub(r"\b(?:\w+\s*::\s*)+(?=\w)", "", text)
    text = re.sub(r"\bk[A-Z]\w*\b", "None", text)
    text = re.sub(r"\.\s*c_str\s*\(\s*\)", "", text)
    text = _OPTIONAL.sub(_optional_call, text)
    text = _NUMBER.sub(r"\1", text)
    text = _WORD.sub(lambda match: _WORDS[match[0]], text)
    for sign, word in _SIGNS:
        text = text.replace(sign, word)
    text = re.sub(r"!(?!=)", " not ", text)
    # Addresses and what pointers point to are the same names in Python.
    text = re.sub(r"(^|[(,=])\s*[&*](?=\w)", r"\1", text)
    text = re.sub(r"(?<!/)/(?!/)", "//", text)
    text = text.replace("{", "vector([").replace("}", "])")
    return re.sub(r"\s+", " ", text)


def _optional_call(match: re.Match[str]) -> str:
    """`x.value_or(` as `value_or(x, `: a function of the adapter, since Python has no optional."""
    comma = ", " if match[2] == "value_or" else ""
    return f"{match[2]}({match[1]}{comma}"
