"""Small profiles of our own making, in the forms that torch_npu and msprof write."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.workload.processor import Processor

BEGIN_US = 1_764_000_000_000_000  # a start has 16 digits before its point

NAMES_2025 = tuple(
    """
    Step Id;Device_id;Model ID;Task ID;Stream ID;Name;Type;OP State;Accelerator Core
    Start Time(us);Duration(us);Wait Time(us);Block Dim;Mix Block Dim;HF32 Eligible
    Input Shapes;Input Data Types;Input Formats
    Output Shapes;Output Data Types;Output Formats
    Context ID;aicore_time(us);aic_total_cycles;aiv_time(us);aiv_total_cycles
    cube_utilization(%)
    """.strip()
    .replace("\n    ", ";")
    .split(";")
)
NAMES_MSPROF = {
    "Name": "Op Name",
    "Type": "OP Type",
    "Accelerator Core": "Task Type",
    "Start Time(us)": "Task Start Time(us)",
    "Duration(us)": "Task Duration(us)",
    "Wait Time(us)": "Task Wait Time(us)",
}

Row = dict[str, str]

SMALL = Processor(
    "Ascend910B4",
    20,
    40,
    1650,
    0.8e12,
    0.82,
    3.5e12,
    96 << 20,
    0.48,
    0.03,
    0.5,
    0.005,
    (0.9, 1.29),
    (0.85, 1.15),
)
LARGE = Processor(
    "Ascend910B2",
    24,
    48,
    1800,
    1.6e12,
    0.82,
    5.2e12,
    192 << 20,
    0.48,
    0.03,
    0.5,
    0.005,
    (0.9, 1.29),
    (0.85, 1.15),
)
LARGE_TOO = Processor(
    "Ascend910_9381",
    24,
    48,
    1800,
    1.6e12,
    0.82,
    5.2e12,
    192 << 20,
    0.48,
    0.03,
    0.5,
    0.005,
    (0.9, 1.29),
    (0.85, 1.15),
)
KNOWN = (SMALL, LARGE, LARGE_TOO)


def launch(
    kind: str,
    start: float,
    duration: float,
    *,
    step: str = "7",
    core: str = "AI_VECTOR_CORE",
    inputs: str = "64,128",
    dtypes: str = "FLOAT",
    outputs: str = "64,128",
    out_dtypes: str = "FLOAT",
    blocks: int = 40,
    megahertz: float = 1650.0,
    **more: str,
) -> Row:
    """A row of kernel_details.csv; times in microseconds, the start after `BEGIN_US`."""
    formats = ";".join(["ND"] * (dtypes.count(";") + 1))
    cycles = f"{megahertz * blocks * duration:.0f}"
    cube = core in ("AI_CORE", "MIX_AIC")
    row = dict.fromkeys(NAMES_2025, "N/A")
    row |= {
        "Step Id": step,
        "Device_id": "0",
        "Name": f"aclnn{kind}_{kind}AiCore_{kind}",
        "Type": kind,
        "Accelerator Core": core,
        "Start Time(us)": f"{BEGIN_US + int(start)}.{round(start % 1 * 1000):03d}\t",
        "Duration(us)": f"{duration:.3f}",
        "Wait Time(us)": "0",
        "Block Dim": str(blocks),
        "Input Shapes": f'"{inputs}"',
        "Input Data Types": dtypes,
        "Input Formats": formats,
        "Output Shapes": f'"{outputs}"',
        "Output Data Types": out_dtypes,
        "Output Formats": "ND",
        "aicore_time(us)": f"{duration:.3f}" if cube else "0",
        "aic_total_cycles": cycles if cube else "0",
        "aiv_time(us)": "0" if cube else f"{duration:.3f}",
        "aiv_total_cycles": "0" if cube else cycles,
    }
    return row | more


def talk(
    start: float, duration: float, *, step: str = "7", core: str = "COMMUNICATION"
) -> Row:
    """A collective."""
    row = launch("hcom_allReduce_", start, duration, step=step, core=core)
    unlisted = dict.fromkeys((name for name in NAMES_2025 if "put " in name), "N/A")
    name = "hcom_allReduce__128_3_1"
    return row | unlisted | {"Name": name, "Block Dim": "0"}


def step_of_a_model() -> list[Row]:
    """One step: four operators, six launches, and a collective."""
    return [
        launch(
            "RmsNorm",
            0.0,
            30.0,
            inputs="4096,1024;1024",
            dtypes="DT_BF16;DT_BF16",
            outputs="4096,1024;4096,1",
            out_dtypes="DT_BF16;FLOAT",
        ),
        launch(
            "MatMulV3",
            30.5,
            80.125,
            core="AI_CORE",
            blocks=20,
            inputs="4096,1024;1024,2048",
            dtypes="DT_BF16;DT_BF16",
            outputs="4096,2048",
            out_dtypes="DT_BF16",
        ),
        launch(
            "Add",
            120.0,
            40.0,
            inputs="4096,1024;4096,1024",
            dtypes="DT_BF16;DT_BF16",
            outputs="4096,1024",
            out_dtypes="DT_BF16",
        ),
        launch(
            "Add",
            160.0,
            42.0,
            inputs="4096,1024;4096,1024",
            dtypes="DT_BF16;DT_BF16",
            outputs="4096,1024",
            out_dtypes="DT_BF16",
        ),
        launch("Add", 210.0, 3.0, inputs="64,128;", dtypes="FLOAT;FLOAT"),
        launch(
            "Range",
            220.0,
            5.0,
            inputs=";;",
            dtypes="INT64;INT64;INT64",
            outputs="4096",
            out_dtypes="INT64",
        ),
        talk(230.0, 500.0),
    ]


def write_table(
    path: Path,
    rows: Iterable[Mapping[str, str]],
    names: Sequence[str] = NAMES_2025,
    *,
    ends: str = "\n",
) -> Path:
    """Write rows as a table with these columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(
            file, names, extrasaction="ignore", lineterminator=ends, restval="N/A"
        )
        table.writeheader()
        table.writerows(rows)
    return path


def write_rank(folder: Path, rank: int, rows: Sequence[Row]) -> Path:
    """A folder as torch_npu leaves it, with the summaries that fit the rows."""
    place = folder / f"host_{rank}_ascend_pt"
    output = place / "ASCEND_PROFILER_OUTPUT"
    write_table(output / "kernel_details.csv", rows)
    info = {
        "cann_version": "8.3.RC1",
        "torch_npu_version": "2.7.1",
        "rank_id": str(rank),
    }
    (place / f"profiler_info_{rank}.json").write_text(json.dumps(info))
    return place


def write_database(
    path: Path, rows: Sequence[Row], *, blocks: str = "blockDim"
) -> Path:
    """The same launches as a database of schema 1.0."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts: dict[str, int] = {}

    def text(value: str) -> int:
        return texts.setdefault(value.strip('"'), len(texts))

    base = sqlite3.connect(path)
    base.executescript(
        f"""
        CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER,
          globalTaskId INTEGER);
        CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER,
          {blocks} INTEGER, taskType INTEGER, opType INTEGER, inputFormats INTEGER,
          inputDataTypes INTEGER, inputShapes INTEGER, outputFormats INTEGER,
          outputDataTypes INTEGER, outputShapes INTEGER);
        CREATE TABLE COMMUNICATION_OP (opName INTEGER, opType INTEGER, startNs INTEGER,
          endNs INTEGER);
        CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
        CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER, name INTEGER, value NUMERIC);
        """
    )
    spans: dict[str, list[int]] = {}
    for task, row in enumerate(rows):
        start = int(row["Start Time(us)"].strip().replace(".", ""))
        end = start + round(float(row["Duration(us)"]) * 1000)
        spans.setdefault(row["Step Id"], []).extend((start, end))
        if row["Accelerator Core"] == "COMMUNICATION":
            ids = (text(row["Name"]), text(row["Type"]))
            base.execute(
                "INSERT INTO COMMUNICATION_OP VALUES (?,?,?,?)", (*ids, start, end)
            )
            continue
        base.execute("INSERT INTO TASK VALUES (?, ?, 0, ?)", (start, end, task))
        held = [
            text(row[name])
            for name in (
                "Accelerator Core",
                "Type",
                "Input Formats",
                "Input Data Types",
                "Input Shapes",
                "Output Formats",
                "Output Data Types",
                "Output Shapes",
            )
        ]
        base.execute(
            "INSERT INTO COMPUTE_TASK_INFO VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            (text(row["Name"]), task, int(row["Block Dim"]), *held),
        )
        for name, column, factor in (
            ("aic_total_time", "aicore_time(us)", 1000),
            ("aic_total_cycles", "aic_total_cycles", 1),
            ("aiv_total_time", "aiv_time(us)", 1000),
            ("aiv_total_cycles", "aiv_total_cycles", 1),
        ):
            value = float(row[column]) * factor
            base.execute(
                "INSERT INTO TASK_PMU_INFO VALUES (?,?,?)", (task, text(name), value)
            )
    for step, times in spans.items():
        base.execute(
            "INSERT INTO STEP_TIME VALUES (?,?,?)", (int(step), min(times), max(times))
        )
    base.executemany(
        "INSERT INTO STRING_IDS VALUES (?, ?)", ((n, v) for v, n in texts.items())
    )
    base.commit()
    base.close()
    return path
