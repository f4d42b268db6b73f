"""Records are made by several threads from the first one on."""

from __future__ import annotations

import subprocess
import sys

_RACE = """
import sys, threading
from dataclasses import make_dataclass
from core.records_json import convert, decode, from_json

sys.setswitchinterval(1e-6)
for number in range(300):
    inner = make_dataclass(f"Inner{number}", [("a", str, ""), ("b", "tuple[str, ...]", ())], frozen=True)
    outer = make_dataclass(f"Outer{number}", [("x", str, ""), ("y", inner, None), ("z", list[inner], None)])
    text = '{"x": "1", "y": {"a": "2", "b": ["q"]}, "z": [{"a": "1"}]}'
    start, found = threading.Barrier(3), []

    def work(read):
        start.wait()
        found.append(read())

    reads = (
        lambda: decode(text, outer),
        lambda: from_json(text, outer, "test"),
        lambda: convert([decode(text, object)], outer)[0],
    )
    threads = [threading.Thread(target=work, args=(read,)) for read in reads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record.y.b for record in found] == [("q",)] * 3
"""


def test_threads_may_decode_a_type_for_the_first_time_at_once() -> None:
    """With msgspec 0.22 alone this ends the process (it did end the window, once in a dozen starts)."""
    done = subprocess.run(
        [sys.executable, "-c", _RACE], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
