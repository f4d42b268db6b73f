"""What must not be learned: lessons that teach how to slip past the judge or to let someone else do the work.

A scan of a public library of verified kernels found such tricks in a third of its best entries, and they
look like the best ones. Utility cannot tell them apart, so text is screened before it enters the memory;
what is found goes to quarantine with the reason, where a person decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.cpp_text import without_comments
from core.memory.records import Experience


@dataclass(frozen=True)
class _Pattern:
    reason: str
    pattern: re.Pattern[str]


def _words(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


_IN_PROSE = (
    _Pattern(
        "it is about passing a check instead of computing the result",
        _words(
            r"(hack|cheat|static|integrity|anti-?cheat)[ -]?(filter|check(er)?|detect(or|ion)|valid\w+|scan)"
            r"|(bypass|evade|fool|trick|satisfy|slip past|get around)\w* ((the|a|its|any) )?(\w+ )?"
            r"(judge|filter|check(er)?|valid\w+|detector|benchmark|harness)"
        ),
    ),
    _Pattern(
        "it keeps a call only for show",
        _words(
            r"(placeholder|dummy|harmless|fake|unused) (call|kernel|launch|EXEC_NPU_CMD)"
            r"|only for (static )?valid"
        ),
    ),
    _Pattern(
        "it lets the CPU or a reference do the work",
        _words(
            r"\b(fall ?back|move|run|do|perform|handle|offload|leave|execut\w+|comput\w+|calculat\w+)"
            r"( \w+){0,5} (on|to) (the )?(host )?cpu\b"
            r"|(call|use|reuse|return)\w*( \w+){0,3} (reference|golden) (model|implementation|output|result)"
        ),
    ),
    _Pattern(
        "it lets a built-in operator do the work",
        _words(
            r"\b(call|use|invok\w+|delegat\w+ to|forward to|return)( \w+){0,3} `?"
            r"(torch(_npu)?\.(?!u?int|b?float|half|bool|double|dtype|tensor|npu\b|allclose|testing|profiler)\w+"
            r"|at::\w+|aclnn(?!\w*Custom)[a-z]\w+)"
        ),
    ),
    _Pattern(
        "it loosens what counts as correct",
        _words(r"\b(loosen|relax|widen|raise)\w*( \w+){0,3} (tolerance|error threshold|rtol|atol)"),
    ),
    _Pattern(
        "it fits the result to the test inputs",
        _words(
            r"\b(detect|recogni[sz]e|special-?case)\w*( \w+){0,4} (test|benchmark|hidden) (case|input|shape)"
            r"|hard-?cod\w+( \w+){0,4} (output|result|expected|test (input|case|shape)s?)"
            r"|(memori[sz]e|cache)( \w+){0,3} (expected|test|reference) (output|result)s?"
        ),
    ),
    _Pattern(
        "it tampers with the measurement",
        _words(r"(patch|override|skip|fake)\w*( \w+){0,3} (timer|timing|warm-?up)"),
    ),
)
_IN_CODE = (
    _Pattern(
        "its code calls a built-in operator of the framework",
        # a binding must allocate its outputs; that computes nothing
        re.compile(
            r"\b(at|torch)(\s*::\s*\w+)*\s*::\s*(?!kernel|empty)\w+\s*(<[^;()]*>\s*)?\(|\baclnn[A-Z]\w+"
        ),
    ),
    _Pattern(
        "its code takes names out of the framework, whose calls then look like its own",
        re.compile(
            r"\b(using\s+(namespace\s+)?|namespace\s+\w+\s*=\s*)(::\s*)?(at|torch)(\s*::\s*[a-z]\w*)*\s*;"
        ),
    ),
    _Pattern(
        "its code moves data to the CPU",
        re.compile(r"\.to\(\s*(at::kCPU|torch::kCPU|['\"]cpu['\"])|\.cpu\(\)"),
    ),
    _Pattern(
        "its code starts processes or loads libraries", re.compile(r"\b(system|popen|fork|dlopen|dlsym)\s*\(")
    ),
)


def screen(experience: Experience) -> str:
    """Return why an experience should be quarantined, empty when nothing was found.

    Prose is read as it stands; of the code only the part it recommends, without comments (a rule that looks
    at comments can be satisfied by them). Wrong code may show what not to do.
    """
    prose = "\n".join((experience.title, experience.error_message, experience.summary))
    for entry in _IN_PROSE:
        found = entry.pattern.search(prose)
        if found:
            return f"{entry.reason} (“{found.group(0).strip()}”)"
    code = without_comments(experience.code_diff.correct_code)
    for entry in _IN_CODE:
        found = entry.pattern.search(code)
        if found:
            return f"{entry.reason} (“{found.group(0).strip()}”)"
    return ""
