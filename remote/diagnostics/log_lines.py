"""Log lines of an Ascend build or run, freed of what says who printed them and when.

The same message reaches a log several times: from the compiler, from the repository manager, from opc's
traceback and once more in a summary. Freed of its wrapping it is the same text, and can be folded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# What gcc says on a desktop that speaks Chinese, as far as the place of the message matters.
_GCC_WORDS = (
    ("致命错误：", " fatal error: "),
    ("错误：", " error: "),
    ("：没有那个文件或目录", ": No such file or directory"),
)
_QUOTES = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "`": "'",
        "\u00a0": " ",
    }
)
_WRAPPINGS = tuple(
    re.compile(pattern)
    for pattern in (
        # who printed it: ranks and workers of a launcher, loggers of Python and torch
        r"[A-Za-z][\w.-]*\s+\| (?=[\[(A-Z])",
        r"\[rank\d+\]:\s*",
        r"\([^()]*\bpid[=-]\s*\d+\)\s*",
        r"(?:ERROR|WARNING|INFO|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \[?[\w.]+:\d+\]\s*",
        r"\[?[EWIF]\d{0,4} (?:[\d:.]+ )?[\w.]+:\d+\]\s*(?:(?:Warning|Error):\s*(?=\S))?",
        r"\[(?:ERROR|FAIL|Error|error|ERR)\]:?\s*",
        r"\[\s*\d{1,3}%\]\s*",
        r"(?:TBE|OP|GE|RUNTIME|ASCENDCL|APP|FE|TEFUSION|PROFILING|CCE|DRV|HCCP)\(\d+(?:,[^)]*)?\):\S*\s*",
        r"\[\d{4}-\d\d-\d\d[ T][\d:.,]+\]\s*",
        r"\[[\w.]+\.(?:py|cc|cpp|h):\d+\]\s*(?:\d+ (?:~?\w+:(?=\s*\S))?\s*)?",
        r"\[(?:log|_log_error|opc_log_full|main|repository_manager|record_compile_error_info)\]\s*",
        r"\[(?:__single_op_compile|clear_debug_dir)\]\s*",
        r"\[ascend\d+\w*\]\s*",
        r"\[(?:core|ai[cv])_\d+\](?:\[[^\]]*\]){2,4}\s*",
        r"[A-Z]\w+_[0-9a-f]{32}(?:_\w+)?\s+",
        r"(?:Execution failed|build ops lib error|build ops error|opbuild ops error|Error Output):\s*",
        r"E[A-Z0-9]\d{4}:?\s*(?:\[PID:\s*\d+\]\s*)?\d{4}-\d\d-\d\d-[\d.:]+\s*(?:\(E[A-Z0-9]\d{4}\):\s*)?",
        r"E[A-Z0-9]\d{4}:?\s*\[PID:\s*\d+\]\s*(?:\(E[A-Z0-9]\d{4}\):\s*)?",
        r"\[PID:\s*\d+\]\s*[\d.:-]*\s*",
        r"\d{4}-\d\d-\d\d[- ]\d\d:\d\d:\d\d[\d.,]*\s*",
        r"\(PID:\d+, Device:-?\d+, RankID:-?\d+\)\s*",
        r"reason is:\[",
        r"FAILED \S+::\S+ - (?=\w)",  # pytest's summary
        r"Exception(?: occured,|:) (?=An error occurred during compile phases)",
        r"An error occurred during compile phases of CompileStage\.\w+, msg is\s*",
    )
)
_CODE = re.compile(r"\bE[A-Z0-9]\d{4}(?=\[PID|:|\s*\[PID)")
_CONTINUED = re.compile(r"^CMake (?:Error|Warning) .*:$")
_TAIL = re.compile(r"\s*(?:\[(?:FUNC|FILE|LINE|THREAD):[^\]]*\])+\s*$")
_CANDIDATE_FOLDERS = ("build_out/autogen", "op_kernel", "op_host", "csrc")
READ = 4000  # characters of a line that are read; what stands further on is data, or a command line
_PATH = re.compile(r"(?<![\w.<\"])/(?:[\w.+@~-]+/)+[\w.+@-]+")
_INNER_STAMP = re.compile(r"\[PID: ?\d+\] [\d:.-]+ |detail:(?=\[PID)")


@dataclass(frozen=True)
class LogLine:
    """One line of a log.

    Attributes:
        number: 1-based line number in the log.
        text: The message, without time stamps, process ids, tags and colours, in straight quotes.
        raw: The line as it was, its first part when it is very long.
        stage_of_compiler: `PRECOMPILE`, `INFERCHANNEL`, `LINKRELOCATE`, ... when the line names it.
        code: Message code of CANN that the line begins with, e.g. `EZ9999`.
    """

    number: int
    text: str
    raw: str
    stage_of_compiler: str = ""
    code: str = ""


def read_lines(log: str) -> list[LogLine]:
    """The lines of a log that say anything, in order."""
    read: list[LogLine] = []
    for number, whole in enumerate(log.splitlines(), start=1):
        raw = whole[:READ]
        text = unwrapped(raw)
        if not text:
            continue
        if read and _CONTINUED.match(
            read[-1].text
        ):  # CMake says what is wrong in the next line
            read[-1] = replace(read[-1], text=f"{read[-1].text} {text}")
            continue
        stage, code = re.search(r"CompileStage\.(\w+)", raw), _CODE.search(raw)
        read.append(
            LogLine(
                number, text, raw, stage[1] if stage else "", code[0] if code else ""
            )
        )
    return read


def unwrapped(raw: str) -> str:
    """The message in a line.

    Example:
        >>> unwrapped("[2026-03-10 18:52:43] [ERROR] [ascend910b] ld.lld: error: undefined symbol: expf")
        'ld.lld: error: undefined symbol: expf'
    """
    text = _COLOUR.sub("", raw).translate(_QUOTES).strip()
    for chinese, english in _GCC_WORDS:
        text = text.replace(f" {chinese}", english).replace(chinese, english)
    before = ""
    while text != before:
        before = text
        for wrapping in _WRAPPINGS:
            match = wrapping.match(text)
            if match:
                text = text[match.end() :].lstrip()
    return _TAIL.sub("", _INNER_STAMP.sub("", text)).strip()


def shown_path(path: str) -> str:
    """A path of the build machine as the candidate knows it: `op_kernel/add.cpp`, else the file's name."""
    parts = path.replace("\\", "/")
    for folder in _CANDIDATE_FOLDERS:
        place = parts.rfind(f"/{folder}/")
        if (
            place >= 0
            and "/build_out/op_kernel/" not in parts[: place + len(folder) + 2]
        ):
            return parts[place + 1 :]
        if parts.startswith(f"{folder}/"):
            return parts
    return parts.rsplit("/", 1)[-1]


def with_short_paths(text: str) -> str:
    """`text` with every absolute path shortened by `shown_path`."""
    return _PATH.sub(lambda match: shown_path(match[0]), text)
