"""Profiles as they are in the field, each form as a small file of our own making."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import InvalidInput, SageError
from core.workload.importing import import_profile
from core.workload.records import Workload
from tests.core.workload.profiles import (
    BEGIN_US,
    KNOWN,
    NAMES_2025,
    NAMES_MSPROF,
    Row,
    launch,
    step_of_a_model,
    talk,
    write_database,
    write_rank,
    write_table,
)

# The peak comes from /proc: getrusage also counts what the process that forked this one held.
MILLION = """
import re, resource, sys
from pathlib import Path
from core.workload.importing import import_profile
workload = import_profile([Path(sys.argv[1])], "large", ())
used = resource.getrusage(resource.RUSAGE_SELF)
seconds = used.ru_utime + used.ru_stime
status = Path("/proc/self/status").read_text()
peak_kib = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1])
print(workload.rows, seconds, peak_kib / 1024, len(workload.groups))
"""


def read(*paths: Path, part: str = "") -> Workload:
    return import_profile(paths, "test", KNOWN, part=part)


def what_ran(workload: Workload) -> list[tuple[object, ...]]:
    """What a workload says of every signature, whatever it was read from."""
    rows = [
        (one.operator, one.core, one.inputs, one.outputs, one.calls, one.median_us)
        for one in workload.groups
    ]
    return sorted(rows, key=str)


@pytest.fixture
def plain(tmp_path: Path) -> Workload:
    return read(
        write_table(tmp_path / "plain" / "kernel_details.csv", step_of_a_model())
    )


def test_launches_are_grouped_by_what_they_were_called_with(plain: Workload) -> None:
    add = plain.of_operator("Add")
    assert [(one.calls, one.median_us) for one in add] == [(2, 41.0), (1, 3.0)]
    assert [str(tensor) for tensor in add[1].inputs] == [
        "64 × 128 float32",
        "scalar float32",
    ]
    norm = plain.of_operator("RmsNorm")[0]
    assert [str(tensor) for tensor in norm.outputs] == [
        "4096 × 1024 bfloat16",
        "4096 × 1 float32",
    ]
    assert plain.computing_us == pytest.approx(200.125)
    assert plain.step_us == pytest.approx(730.0)


def test_communication_stands_apart(plain: Workload, tmp_path: Path) -> None:
    assert [(one.operator, one.total_us) for one in plain.communication] == [
        ("hcom_allReduce_", 500.0)
    ]
    assert not any(one.operator.startswith("hcom") for one in plain.groups)
    older = [*step_of_a_model()[:-1], talk(230.0, 500.0, core="HCCL")]
    assert read(write_table(tmp_path / "kernel_details.csv", older)).communication


def as_msprof(rows: Sequence[Row], folder: Path) -> Path:
    names = [NAMES_MSPROF.get(name, name) for name in NAMES_2025 if name != "Step Id"]
    renamed = [
        {NAMES_MSPROF.get(key, key): value for key, value in row.items()}
        for row in rows
    ]
    output = folder / "PROF_000001_2025_ABC" / "mindstudio_profiler_output"
    write_table(output / "op_summary_20251124100000.csv", renamed, names)
    return folder


def as_slices(rows: Sequence[Row], folder: Path) -> Path:
    names = [NAMES_MSPROF.get(name, name) for name in NAMES_2025]
    renamed = [
        {NAMES_MSPROF.get(key, key): value for key, value in row.items()}
        for row in rows
    ]
    output = folder / "PROF_000001_2025_ABC" / "mindstudio_profiler_output"
    for index in range(2):
        part = renamed[index * 4 : index * 4 + 4]
        write_table(
            output / f"op_summary_slice_{index}_2025112410000{index}.csv", part, names
        )
    return folder


def as_2026(rows: Sequence[Row], folder: Path) -> Path:
    new = {"Block Dim": "Block Num", "Mix Block Dim": "Mix Block Num"}
    renamed = [{new.get(key, key): value for key, value in row.items()} for row in rows]
    names = [new.get(name, name) for name in NAMES_2025]
    return write_table(folder / "kernel_details.csv", renamed, names)


def as_2023(rows: Sequence[Row], folder: Path) -> Path:
    late = ("Device_id", "OP State", "HF32 Eligible")
    names = [name for name in NAMES_2025 if name not in late]
    names += ["aic_mac_fp16_ratio", "aic_l0a_read_bw(GB/s)"]
    return write_table(folder / "kernel_details.csv", rows, names, ends="\r\n")


def as_shuffled(rows: Sequence[Row], folder: Path) -> Path:
    names = [*NAMES_2025, "A Column Of Tomorrow"]
    random.Random(3).shuffle(names)
    return write_table(folder / "kernel_details.csv", rows, names)


def as_brackets(rows: Sequence[Row], folder: Path) -> Path:
    other = {"FLOAT": "FP32", "DT_BF16": "BF16"}
    written = []
    for row in rows:
        shapes = {
            name: re.sub(r"[\d,]+", lambda match: f"[{match[0]}]", row[name]).strip('"')
            for name in ("Input Shapes", "Output Shapes")
            if row[name] != "N/A"
        }
        types = {
            name: ";".join(other.get(one, one) for one in row[name].split(";"))
            for name in ("Input Data Types", "Output Data Types")
        }
        written.append(row | shapes | types)
    return write_table(folder / "kernel_details.csv", written)


def as_database(rows: Sequence[Row], folder: Path) -> Path:
    output = folder / "host_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    write_database(output / "ascend_pytorch_profiler_0.db", rows)
    return folder


def as_database_2026(rows: Sequence[Row], folder: Path) -> Path:
    return write_database(folder / "msprof_20260203.db", rows, blocks="blockNum")


def as_other_order(rows: Sequence[Row], folder: Path) -> Path:
    return write_table(folder / "kernel_details.csv", list(reversed(rows)))


FORMS = (
    as_msprof,
    as_slices,
    as_2026,
    as_2023,
    as_shuffled,
    as_brackets,
    as_database,
    as_database_2026,
    as_other_order,
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_says_the_same(
    form: object, plain: Workload, tmp_path: Path
) -> None:
    assert callable(form)
    workload = read(form(step_of_a_model(), tmp_path / "form"))
    assert what_ran(workload) == what_ran(plain)
    assert workload.parts == plain.parts == ("Ascend910B4",)
    assert workload.communication == plain.communication
    assert workload.warnings == ()
    exposed = {(one.operator, one.inputs): one.exposed for one in workload.groups}
    assert exposed == {(one.operator, one.inputs): one.exposed for one in plain.groups}


def test_a_start_of_nineteen_digits_keeps_its_nanoseconds(tmp_path: Path) -> None:
    rows = [
        launch("Add", 0.0, 10.0),
        launch("Mul", 11.999, 1.0),
        launch("Sub", 15.0, 1.0),
    ]
    workload = read(write_table(tmp_path / "kernel_details.csv", rows))
    exposed = {one.operator: one.exposed for one in workload.groups}
    assert exposed == {"Add": 1.0, "Mul": 0.0, "Sub": 0.0}  # gaps of 1.999 and 2.001 µs
    assert len(str(BEGIN_US)) == 16


def test_a_rank_is_a_folder_and_a_step_that_of_all_ranks(tmp_path: Path) -> None:
    for rank in (0, 1):
        write_rank(tmp_path, rank, step_of_a_model())
    workload = read(tmp_path)
    assert workload.ranks == ("0", "1")
    assert workload.of_operator("Add")[0].calls == 4
    assert workload.versions == {"cann": "8.3.RC1", "torch_npu": "2.7.1"}
    assert workload.step_us == pytest.approx(1460.0)


def test_a_step_that_lost_its_first_calls_does_not_count(tmp_path: Path) -> None:
    rows = [
        launch("Add", 1000.0 * step + 20 * call, 10.0, step=str(step))
        for step in range(5)
        for call in range(10 if step else 8)
    ]
    workload = read(write_table(tmp_path / "kernel_details.csv", rows))
    assert (workload.steps, workload.of_operator("Add")[0].calls) == (5, 10)


def test_an_operator_of_few_steps_counts_for_its_share(tmp_path: Path) -> None:
    rows = [launch("Add", 100.0 * step, 10.0, step=str(step)) for step in range(10)]
    rows.append(launch("Log", 50.0, 10.0, step="0"))
    workload = read(write_table(tmp_path / "kernel_details.csv", rows))
    assert workload.of_operator("Log")[0].calls == pytest.approx(0.1)


def test_what_lies_outside_of_steps_is_left_out_and_told(tmp_path: Path) -> None:
    rows = [*step_of_a_model(), launch("Warm", 900.0, 77.0, step="")]
    workload = read(write_table(tmp_path / "kernel_details.csv", rows))
    assert not workload.of_operator("Warm")
    assert any("outside of every step" in warning for warning in workload.warnings)


def test_a_profile_without_steps_is_one_step(tmp_path: Path) -> None:
    rows = [row | {"Step Id": ""} for row in step_of_a_model()]
    workload = read(write_table(tmp_path / "kernel_details.csv", rows))
    assert not workload.has_steps
    assert workload.of_operator("Add")[0].calls == 2


def test_level_0_has_names_only(tmp_path: Path) -> None:
    names = (
        "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)"
    )
    rows = [
        row | {"Type": "N/A", "Accelerator Core": "N/A"} for row in step_of_a_model()
    ]
    rows[-1]["Accelerator Core"] = "HCCL"
    table = write_table(tmp_path / "kernel_details.csv", rows, names.split(","))
    workload = read(table)
    assert not any(group.has_shapes for group in workload.groups)
    assert "Level1" in workload.warnings[0]
    assert workload.parts == ()
    assert workload.communication[0].operator == "hcom_allReduce"


def test_two_columns_are_enough(tmp_path: Path) -> None:
    table = write_table(
        tmp_path / "any.csv", step_of_a_model()[:-1], ["Name", "Duration(us)"]
    )
    workload = read(table)
    assert workload.computing_us == pytest.approx(200.125)
    assert workload.step_us is None
    assert all(group.exposed is None for group in workload.groups)


def test_absent_inputs_scalars_and_storage_formats(tmp_path: Path) -> None:
    attention = launch(
        "FlashAttentionScore",
        0.0,
        10.0,
        core="MIX_AIC",
        blocks=20,
        inputs="4096,1,2048;4096,1,1024;;2048,2048;",
        dtypes="DT_BF16;DT_BF16;DT_UNDEFINED;BOOL;FLOAT",
    )
    convolution = launch("Conv2D", 20.0, 9.0, inputs="32,1,224,224,8", dtypes="FLOAT")
    convolution["Input Formats"] = "NC1HWC0:1"
    unlisted = launch("my_triton_kernel", 30.0, 5.0, inputs="x", dtypes="x")
    for name in unlisted:
        if "put " in name:
            unlisted[name] = "N/A"
    rows = [attention, convolution, unlisted]
    workload = read(write_table(tmp_path / "kernel_details.csv", rows))
    inputs = workload.of_operator("FlashAttentionScore")[0].inputs
    assert [str(tensor) for tensor in inputs[2:]] == [
        "absent",
        "2048 × 2048 bool",
        "scalar float32",
    ]
    assert workload.of_operator("Conv2D")[0].inputs[0].format == "NC1HWC0:1"
    assert not workload.of_operator("my_triton_kernel")[0].has_shapes


def test_a_last_row_that_is_cut_off_is_left_out_and_told(tmp_path: Path) -> None:
    table = write_table(tmp_path / "kernel_details.csv", step_of_a_model())
    table.write_text(table.read_text()[:-90])
    workload = read(table)
    assert workload.rows == 6
    assert "row 8: the last row is cut off" in workload.warnings[0]


def test_a_short_row_between_others_is_an_error(tmp_path: Path) -> None:
    table = write_table(tmp_path / "kernel_details.csv", step_of_a_model())
    lines = table.read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0]
    table.write_text("\n".join(lines))
    with pytest.raises(InvalidInput, match=r"kernel_details.csv: row 4, column 27"):
        read(table)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("Duration(us)", "fast"),
        ("Duration(us)", "nan"),
        ("Duration(us)", "-3"),
        ("Start Time(us)", "1e15"),
        ("Input Shapes", '"4,b"'),
    ],
)
def test_a_cell_that_cannot_be_read_is_named(
    column: str, value: str, tmp_path: Path
) -> None:
    rows = step_of_a_model()
    rows[2][column] = value
    table = write_table(tmp_path / "kernel_details.csv", rows)
    with pytest.raises(InvalidInput, match=re.escape(f"{table}: row 4, {column}: ")):
        read(table)


def test_other_tables_are_refused_with_what_to_give(tmp_path: Path) -> None:
    names = ["OP Type", "Core Type", "Count", "Total Time(us)", "Ratio(%)"]
    table = write_table(tmp_path / "op_statistic.csv", [], names)
    with pytest.raises(InvalidInput, match="summary of operators without launches"):
        read(table)
    empty = write_table(tmp_path / "kernel_details.csv", [])
    with pytest.raises(SageError, match=r"There is no launch in .*kernel_details.csv"):
        read(empty)
    (tmp_path / "none").mkdir()
    with pytest.raises(SageError, match="holds no kernel_details"):
        read(tmp_path / "none")
    with pytest.raises(SageError, match="is named twice"):
        read(*[write_table(tmp_path / "kernel_details.csv", step_of_a_model())] * 2)
    other = tmp_path / "other.db"
    other.write_bytes(b"no database at all, but long enough to be looked at")
    with pytest.raises(InvalidInput, match="not a database"):
        read(other)


def test_rows_are_compared_with_the_summaries_of_the_profile(tmp_path: Path) -> None:
    place = write_rank(tmp_path, 0, step_of_a_model())
    output = place / "ASCEND_PROFILER_OUTPUT"
    steps = (
        "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"
        "7,200.125,500.0,0,500.0,29.875\n"
    )
    (output / "step_trace_time.csv").write_text(steps)
    statistic = (
        "OP Type,Core Type,Count,Total Time(us)\nAdd,AI_VECTOR_CORE,3,85.0\n"
        "RmsNorm,AI_VECTOR_CORE,1,30.0\nMatMulV3,AI_CORE,1,80.125\nRange,AI_VECTOR_CORE,1,5.0\n"
    )
    (output / "op_statistic.csv").write_text(statistic)
    workload = read(tmp_path)
    assert len(workload.checks) == 5
    assert all(check.agrees for check in workload.checks)
    assert workload.step_us == pytest.approx(730.0)
    (output / "step_trace_time.csv").write_text(steps.replace("200.125", "260.0"))
    assert any("computing" in warning for warning in read(tmp_path).warnings)


def test_the_processor_is_told_by_cycles_or_asked_for(tmp_path: Path) -> None:
    rows = [
        launch("Add", 0.0, 50.0, blocks=48, megahertz=1800.0),
        # More blocks than cores: the cycles are those of the cores.
        launch("Mul", 60.0, 50.0, blocks=256, megahertz=1800.0 * 48 / 256),
    ]
    table = write_table(tmp_path / "kernel_details.csv", rows)
    assert read(table).parts == ("Ascend910B2", "Ascend910_9381")
    named = read(table, part="Ascend910B4")
    assert (named.parts, named.part_is_named) == (("Ascend910B4",), True)
    with pytest.raises(SageError, match="There is no processor 'Ascend9000'"):
        read(table, part="Ascend9000")


def test_of_two_exports_of_one_run_the_newest_counts(tmp_path: Path) -> None:
    as_msprof(step_of_a_model(), tmp_path)
    output = tmp_path / "PROF_000001_2025_ABC" / "mindstudio_profiler_output"
    old = output / "op_summary_20251124100000.csv"
    (output / "op_summary_20251124110000.csv").write_text(old.read_text())
    workload = read(tmp_path)
    assert workload.rows == 7
    assert "the newest was read" in workload.warnings[0]


@pytest.mark.system
def test_a_million_rows_take_little_time_and_memory(tmp_path: Path) -> None:
    rows = step_of_a_model()
    table = write_table(tmp_path / "kernel_details.csv", rows)
    header, *lines = table.read_text().splitlines(keepends=True)
    with table.open("w") as file:
        file.write(header)
        for number in range(1_000_000 // len(lines) + 1):
            file.writelines(f"{number // 100}{line[1:]}" for line in lines)
    command = [sys.executable, "-c", MILLION, str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, seconds, megabytes, groups = map(float, done.stdout.split())
    assert count >= 1_000_000
    assert groups == 5
    assert seconds < 20
    assert megabytes < 300


def test_a_length_that_no_tensor_has_is_named(tmp_path: Path) -> None:
    row = launch("aclnnAdd", 30.0, 5.0, inputs=f'"{"9" * 5000},2"', dtypes="FLOAT")
    with pytest.raises(InvalidInput, match="is not a shape"):
        read(write_table(tmp_path / "kernel_details.csv", [row]))
