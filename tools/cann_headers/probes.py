"""Probes of the API: one statement each, and which of the twin and CANN's headers accept it.

`probes.txt` says what is expected, so that the twin never takes more than CANN by accident.
All probes of a side are one translation unit; each is a file of its own to the compiler.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROBES = Path(__file__).parent / "probes.txt"
TWIN, OLD, NEW = "twin", "ascendc", "asc"
COLUMNS = (TWIN, OLD, NEW)  # of the table; the last two are layouts of header sets
_ACCEPTS = {"+": True, "-": False}
_ROW = re.compile(r"(kernel|host) +([-+]) +([-+]) +([-+]) +(.+?)(?: +// (.+))?")
_ERROR = re.compile(r"^(\S+?):\d+:(?:\d+:)? (?:fatal )?error: ", re.MULTILINE)
_PROBE = re.compile(r"(?:In file included from )?probe(\d+):\d+:")
_HEAD = {
    "kernel": """\
#include "kernel_operator.h"
using namespace AscendC;
template <class T> using Local = LocalTensor<T>;
template <class T> using Global = GlobalTensor<T>;
#define GIVEN Local<half> h, Local<half> h2, Local<float> f, Local<float> f2, Local<int32_t> i, \\
    Local<int32_t> i2, Local<uint32_t> u, Local<int16_t> s, Local<uint16_t> us, Local<int8_t> b, \\
    Local<uint8_t> ub, Local<bfloat16_t> bf, Local<int64_t> l, Global<half> gh, Global<float> gf, \\
    Global<int64_t> gl, TPipe& pipe, TQue<TPosition::VECIN, 2>& queue, \\
    TQue<TPosition::VECIN, 0>& queue0, TBuf<TPosition::VECCALC>& buffer, GM_ADDR gm, uint32_t n, \\
    int64_t wide, uint64_t mask
""",
    "host": """\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(MyTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 4, parts);
END_TILING_DATA_DEF
}
using optiling::MyTilingData;
#define GIVEN MyTilingData& tiling, void* raw, gert::TilingContext* context
""",
}


@dataclass(frozen=True)
class Probe:
    """A statement, and the headers that are expected to accept it.

    Attributes:
        side: `kernel` or `host`.
        code: The statement.
        expected: Column of the table -> whether the statement compiles there.
        reason: Why the twin differs; empty where it does not.
    """

    side: str
    code: str
    expected: Mapping[str, bool]
    reason: str = ""


def probes() -> tuple[Probe, ...]:
    """All probes of the table.

    Raises:
        ValueError: A line is no probe; names it.
    """
    rows = []
    lines = PROBES.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise ValueError(f"{PROBES.name}, line {number}: {line!r} is no probe")
        side, *marks, code, reason = row.groups()
        verdicts = [_ACCEPTS[mark] for mark in marks]
        expected = dict(zip(COLUMNS, verdicts, strict=True))
        rows.append(Probe(side, code, expected, reason or ""))
    return tuple(rows)


def refused_codes(
    candidates: Sequence[Probe],
    side: str,
    flags: Sequence[str],
    folder: Path,
    includes: str = "",
) -> frozenset[str]:
    """Compile the probes of one side; the codes of those that the compiler refuses.

    Args:
        candidates: Probes of either side.
        side: The side that is compiled.
        flags: Standard, macros and include folders.
        folder: Where the translation unit is written.
        includes: Lines before it, for headers beside those that every probe has.

    Raises:
        RuntimeError: The compiler fails for another reason than a probe: a flag, a header,
            or a fault of its own.
        OSError: There is no `g++`.
    """
    codes = [probe.code for probe in candidates if probe.side == side]
    lines = [includes, _HEAD[side]]
    for number, code in enumerate(codes):
        lines.append(f'#line 1 "probe{number}"\nvoid probe{number}(GIVEN) {{ {code} }}')
    unit = folder / f"{side}_probes.cpp"
    unit.write_text("\n".join(lines) + "\n", encoding="utf-8")
    # Every error in one line that can be read back, however many there are.
    messages = ["-fmessage-length=0", "-fno-diagnostics-color", "-fmax-errors=0"]
    command = ["g++", *flags, *messages, "-fsyntax-only", str(unit)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    numbers = _probes_with_errors(run.stderr)
    if run.returncode != 0 and not numbers:
        raise RuntimeError(f"g++ ended with {run.returncode}: {run.stderr.strip()}")
    return frozenset(codes[number] for number in numbers)


def _probes_with_errors(output: str) -> set[int]:
    """Numbers of the probes that the errors in a compiler's output belong to.

    An error in a header belongs to the probe that the lines before it name: g++ reports
    there why a candidate of an overloaded name does not fit.

    Raises:
        RuntimeError: No line before an error names a probe.
    """
    numbers: set[int] = set()
    probe = ""
    for line in output.splitlines():
        mention = _PROBE.match(line)
        probe = mention[1] if mention else probe
        if _ERROR.match(line) is None:
            continue
        if not probe:
            raise RuntimeError(f"an error outside all probes: {line}")
        numbers.add(int(probe))
    return numbers
