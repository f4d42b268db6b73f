"""Diagnosis of logs: the given real ones against a careful reading, and families on their own."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from remote.diagnostics.device_exceptions import device_exceptions
from remote.diagnostics.diagnosis import diagnose
from remote.diagnostics.families import Stage, families

LOGS = Path(__file__).parents[2] / "data" / "ascend_logs"
EXPECTED = tomllib.loads((LOGS / "expectations.toml").read_text(encoding="utf-8"))[
    "log"
]


def read(name: str) -> str:
    return (LOGS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda row: Path(row["file"]).stem)
def test_a_real_log_is_read_as_a_careful_reader_would(expected: dict[str, Any]) -> None:
    cause = diagnose(read(expected["file"])).cause
    assert (cause.stage, cause.kind) == (expected["stage"], expected["kind"])
    assert expected["cause"] in cause.line
    assert cause.environment is expected.get("environment", False)
    assert cause.hint


def test_every_given_log_has_a_reading() -> None:
    given = {str(path.relative_to(LOGS)) for path in LOGS.glob("*/*.txt")}
    assert given == {row["file"] for row in EXPECTED}
    assert len(given) == 28


def test_an_independent_second_mistake_is_named_too() -> None:
    found = diagnose(read("builds/kernel_undeclared_expf.txt"))
    assert any("'expf'" in cause.line for cause in found.others)
    assert found.cause.count == 2


def test_cores_that_report_one_fault_are_one_exception() -> None:
    (exception,) = device_exceptions(read("runtime/aivec_exception_507035.txt"))
    assert exception.cores == tuple(range(34, 42))
    assert exception.offsets == (0x5C8,)
    assert exception.message == "VEC instruction error: the ub address out of bounds", (
        "not the secondary one"
    )


def test_the_report_of_the_next_core_is_no_message_of_its_own() -> None:
    core = "there is an aivec error exception, core id is {}, error code = 0x10"
    cut = "The extend info: errcode:(0x10, 0, 0) errorStr:"
    full = f"{cut} Illegal instruction of some kind. fixp_error0 info: 0"
    log = "\n".join([core.format(1), cut, core.format(2), full])
    messages = {each.cores: each.message for each in device_exceptions(log)}
    assert messages[(2,)] == "Illegal instruction of some kind"
    assert "core id" not in messages[(1,)]
    log = "\n".join([core.format(1), cut, core.format(2), core.format(3)])
    assert all("core id" not in each.message for each in device_exceptions(log))


def test_a_second_fault_in_a_report_replaces_the_first_ones_words() -> None:
    core = "there is an aivec error exception, core id is 1, error code = 0x0"
    extend = "The extend info: errcode:({}, 0, 0) errorStr: {}"
    log = "\n".join(
        [core, extend.format("0x10", "One."), extend.format("0x20", "Two.")]
    )
    (exception,) = device_exceptions(log)
    assert (exception.message, exception.word) == ("Two", 0x20)


def test_an_error_in_a_header_of_cann_is_led_back_to_the_candidate() -> None:
    cause = diagnose(read("builds/kernel_compare_2nd_param_type.txt")).cause
    assert cause.file.startswith("op_kernel/where_broadcast")
    assert cause.count == 6


def test_a_built_in_operator_that_fails_is_the_machines_fault_once_the_own_one_is_known() -> (
    None
):
    log = read("runtime/no_infershape.txt")
    assert diagnose(log, operator="AddCustom").cause.environment
    assert not diagnose(log, operator="MatMulV2").cause.environment


@pytest.mark.parametrize(
    ("log", "stage", "kind"),
    [
        (
            (
                "op_host/x.cpp:15:37: error: \u2018const struct gert::Shape\u2019 has no member named "
                "\u2018GetStorageShape\u2019"
            ),
            Stage.HOST,
            "shape-confusion",
        ),
        (
            "opbuild ops error: Invalid socVersion ascend910_93 of xxx",
            Stage.PROJECT,
            "soc-unknown",
        ),
        (
            "error: use of undeclared identifier 'SetFlag'; did you mean 'AscendC::SetFlag'?",
            Stage.KERNEL,
            "missing-namespace",
        ),
        (
            "csrc/op.cpp:3:5: error: cannot bind non-const lvalue reference of type 'double&' ConvertTypes(Ts&)",
            Stage.BINDING,
            "binding-rvalue",
        ),
        (
            "[FAIL] aclnnXCustom or aclnnXCustomGetWorkspaceSize not in libopapi.so, or libopapi.sonot found.",
            Stage.LOAD,
            "aclnn-not-found",
        ),
        (
            "ImportError: /x/_lib.so: undefined symbol: _ZN2at4_ops5emptyE",
            Stage.LOAD,
            "symbol-at-load",
        ),
        (
            "[FAIL] ModelNew.__init__() takes 1 positional argument but 4 were given",
            Stage.PYTHON,
            "wrong-arguments",
        ),
        (
            "[FAIL] call aclnnFooCustom failed, error code is 561003",
            Stage.RUN,
            "kernel-not-found",
        ),
        (
            "NPU function error: AclrtSynchronizeDeviceWithTimeout, error code is 507034",
            Stage.RUN,
            "core-timeout",
        ),
        (
            "[FAIL] Output mismatch, max diff: 4.97, location: (14, 22)",
            Stage.CHECK,
            "output-mismatch",
        ),
        (
            "[FAIL] Output mismatch, max diff: nan, location: (0,)",
            Stage.CHECK,
            "nan-in-output",
        ),
        (
            "PermissionError: [Errno 13] Permission denied: '/usr/local/Ascend/opp/vendors/config.ini'",
            Stage.ENVIRONMENT,
            "no-permission",
        ),
        (
            "/x/op_kernel/abc.cpp:3:4: error: something nobody has seen",
            Stage.KERNEL,
            "compile-error",
        ),
    ],
)
def test_a_message_is_staged_by_its_family(log: str, stage: Stage, kind: str) -> None:
    cause = diagnose(log).cause
    assert (cause.stage, cause.kind) == (stage, kind)


def test_symptoms_hide_neither_the_cause_nor_pass_for_it() -> None:
    symptoms = (
        'CMake Error at cmake_install.cmake:62 (file): file INSTALL cannot find "/b/binary/config".\n'
        "CPack Error: Error when generating package: opp\n"
        "gmake: *** [Makefile:293: binary] Error 2\n"
    )
    cause = "/b/op_kernel/add.cpp:7:3: error: use of undeclared identifier 'Foo'\n"
    assert diagnose(symptoms + cause).cause.line.startswith("op_kernel/add.cpp:7:3")
    assert diagnose(symptoms).cause.line.startswith(
        "The log names no cause; it ends with: CMake Error"
    )


def test_the_cause_may_stand_on_the_other_stream() -> None:
    found = diagnose(
        "/b/csrc/op.cpp:9:1: error: expected ';'",
        "Error: Failed to build wheel package",
    )
    assert (found.cause.stage, found.cause.line_number) == (Stage.BINDING, 9)


@pytest.mark.parametrize(
    "log", ["", "\n\n", "-- Build files have been written\n", "\x00\xff\x1b[31m\n"]
)
def test_a_log_without_errors_is_said_to_explain_nothing(log: str) -> None:
    found = diagnose(log)
    assert found.cause.kind == "unexplained"
    assert not found.cause.environment


def test_a_log_cut_off_anywhere_is_still_read() -> None:
    log = read("runtime/mte_write_out_of_range.txt")
    stages = {diagnose(log[:end]).cause.stage for end in range(200, len(log), 97)}
    assert stages == {Stage.RUN}


def test_a_very_long_line_neither_hides_the_cause_nor_takes_long() -> None:
    log = f"g++ {'-Dx ' * 400_000}\n/b/op_kernel/add.cpp:7:3: error: use of undeclared identifier 'Foo'\n"
    before = time.process_time()
    assert diagnose(log).cause.line_number == 7
    assert time.process_time() - before < 2.0


def test_families_are_well_formed() -> None:
    names = {(each.kind, each.stage) for each in families()}
    assert len(names) == len(families())
