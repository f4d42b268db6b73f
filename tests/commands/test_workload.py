"""`sage workload`: from a profile to an operator that can be queued, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.operators.catalogue import catalogue_operator
from core.operators.loader import load_operator
from core.operators.measured_kernels import measured_kernels
from sage_desktop.cli import main
from sage_desktop.services import wiring
from tests.core.workload.profiles import launch, step_of_a_model, talk, write_rank


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))


def sage(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["workload", *words], prog_name="sage")
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return write_rank(tmp_path, 0, step_of_a_model())


def test_a_profile_is_imported_and_ranked(profile: Path) -> None:
    text = sage("import", str(profile), "--name", "model")
    assert "model: 7 launches, rank 0, 1 step\n" in text
    assert "Processor: Ascend910B4" in text
    assert "Made by cann 8.3.RC1, torch_npu 2.7.1" in text
    table = sage("rank", "--all")
    assert "RmsNorm" in table
    assert "hcom" not in table
    assert "RmsNorm" in sage("rank", "--workload", "model")
    rows = json.loads(sage("rank", "--json"))
    assert {row["operator"] for row in rows} == {"RmsNorm", "MatMulV3", "Add", "Range"}


def test_nothing_is_ranked_without_a_processor(tmp_path: Path) -> None:
    rows = [
        row | {"aiv_total_cycles": "0", "aic_total_cycles": "0"}
        for row in step_of_a_model()
    ]
    text = sage("import", str(write_rank(tmp_path, 0, rows)), "--name", "dark")
    assert "Next: import it again with the --part it was made on." in text
    text = sage("rank", code=2)
    assert "does not tell the processor" in text
    assert "Import it again with --part" in text
    assert "Ascend910B2" in sage("rank", "--part", "Ascend910B2")
    assert "There is no processor 'Ascend9'" in sage(
        "rank", "--part", "Ascend9", code=2
    )


def test_what_is_not_there_is_named(profile: Path, tmp_path: Path) -> None:
    assert "Import a profile first" in sage("rank", code=2)
    sage("import", str(profile), "--name", "model")
    assert "There are: model." in sage("rank", "--workload", "other", code=2)
    assert "The profile model has no operator 'Nothing'" in sage(
        "task", "Nothing", "--into", str(tmp_path), code=2
    )
    assert "Did you mean MatMulV3?" in sage("task", "MatMul", code=2)
    assert "names all" in sage("task", "MeshNorm", code=2)
    assert "cannot be called '../up'" in sage(
        "import", str(profile), "--name", "../up", code=2
    )


def test_an_operator_of_the_catalogue_becomes_a_task_with_its_reference(
    profile: Path, tmp_path: Path
) -> None:
    sage("import", str(profile), "--name", "model")
    text = sage("task", "RmsNorm", "--into", str(tmp_path / "own"))
    assert "The reference is that of RmsNorm in the catalogue." in text
    spec = load_operator(tmp_path / "own" / "RmsNorm")
    timed = [case for case in spec.cases if case.timed and not case.hidden]
    assert [(case.name, case.calls, case.big, case.derived) for case in timed] == [
        ("profile-1", 1.0, False, False)
    ]
    assert timed[0].inputs["x"].shape == (4096, 1024)
    assert timed[0].inputs["x"].dtype == "bfloat16"
    assert any(case.hidden and case.name.startswith("hidden-1") for case in spec.cases)
    assert [str(kernel) for kernel in measured_kernels(spec)] == [
        "CANN's RmsNorm: 30.0 µs for 4096 × 1024, 1024 bfloat16 on Ascend910B4 (profile model)"
    ]


def test_only_what_the_twin_cannot_run_gets_a_stand_in(tmp_path: Path) -> None:
    def timed(shape: str, core: str = "AI_VECTOR_CORE") -> list[tuple[str, bool, bool]]:
        name = shape.replace(",", "x") + core
        row = launch("Gelu", 0.0, 100.0, core=core, inputs=shape, outputs=shape)
        rank = write_rank(tmp_path / name, 0, [row, talk(200.0, 5.0)])
        sage("import", str(rank), "--name", name)
        sage("task", "Gelu", "--workload", name, "--into", str(tmp_path / name))
        cases = load_operator(tmp_path / name / "Gelu").cases
        return [
            (str(case.inputs["x"].shape), case.big, case.derived)
            for case in cases
            if case.timed and not case.hidden
        ]

    assert timed("4096,6144") == [("(4096, 6144)", False, False)]
    assert timed("8192,6144") == [
        ("(8192, 6144)", True, False),
        ("(171, 6144)", False, True),
    ]
    assert timed("4096,1024", "MIX_AIC")[0] == ("(4096, 1024)", True, False)


def test_a_task_that_is_there_is_taken_as_long_as_it_is_unchanged(
    profile: Path, tmp_path: Path
) -> None:
    sage("import", str(profile), "--name", "model")
    again = ("task", "rms_norm", "--into", str(tmp_path))
    assert "It was there already" not in sage(*again)
    assert "It was there already" in sage(*again)
    reference = tmp_path / "RmsNorm" / "reference.py"
    own = reference.read_text() + "\n# changed\n"
    reference.write_text(own)
    assert "not what this profile makes" in sage(*again, code=2)
    assert reference.read_text() == own


def test_a_task_is_judged_as_the_processor_of_its_profile(
    profile: Path, tmp_path: Path
) -> None:
    sage("import", str(profile), "--name", "model")
    sage("task", "RmsNorm", "--into", str(tmp_path))
    task, other = load_operator(tmp_path / "RmsNorm"), catalogue_operator("RmsNorm")
    usual = wiring.evaluator_for("local", "twin", usual="Ascend910B2")
    assert usual.soc_for(task) == "Ascend910B4"
    assert usual.label_for(task) == "this computer · CPU twin (modelled Ascend910B4)"
    assert usual.soc_for(other) == "Ascend910B2"
    assert (
        wiring.evaluator_for("local", "twin", "Ascend910B3").soc_for(task)
        == "Ascend910B3"
    )
    origin = tmp_path / "RmsNorm" / "workload.json"
    record = json.loads(origin.read_text())
    origin.write_text(json.dumps(record | {"processor": "Ascend910B3 or Ascend910B4"}))
    assert usual.soc_for(task) == "Ascend910B2", "the profile leaves it open"


def test_any_other_operator_becomes_a_template(profile: Path, tmp_path: Path) -> None:
    sage("import", str(profile), "--name", "model")
    assert "Write the summary and reference.py" in sage(
        "task", "Add", "--into", str(tmp_path)
    )
    spec = load_operator(tmp_path / "Add")
    assert [(tensor.name, tensor.dtypes) for tensor in spec.inputs] == [
        ("x0", ("bfloat16", "float32")),
        ("x1", ("bfloat16", "float32")),
    ]
    weights = {case.name: case.weight for case in spec.cases if case.timed}
    assert weights["profile-1"] == 2.0
    assert "what Add computes" in (tmp_path / "Add" / "reference.py").read_text()


def test_without_shapes_there_is_no_task(tmp_path: Path) -> None:
    row = launch("Softplus", 0.0, 50.0)
    row |= dict.fromkeys((name for name in row if "put " in name), "N/A")
    sage(
        "import", str(write_rank(tmp_path, 0, [row, talk(60.0, 5.0)])), "--name", "bare"
    )
    text = sage("task", "Softplus", "--into", str(tmp_path), code=2)
    assert "Profile again with profiler_level=Level1" in text
