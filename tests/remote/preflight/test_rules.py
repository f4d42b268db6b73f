"""Every rule of the language lint: an offender is caught on its line, its look-alikes pass."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from remote.judge.job import Interface
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.project import (
    check_operator_definition,
    declared_operator,
)
from remote.toolchains.preflight.report import LintReport
from remote.toolchains.preflight.rules import PREFIX, rules
from tests.own_kernels import own_kernel

DATA = Path(__file__).parents[2] / "data"
SAMPLE = DATA / "preflight"
KERNEL, HOST = "op_kernel/halve_add.cpp", "op_host/halve_add.cpp"
MARK = re.compile(r"// !([a-z-]+)")
TWIN = Path(str(resources.files("resources") / "twin"))


@pytest.fixture(scope="module")
def preflight(build_cache: Path) -> Preflight:
    return Preflight(TWIN, build_cache / "preflight")


def lint(
    preflight: Preflight, files: Mapping[str, str], operator: Interface
) -> LintReport:
    return asyncio.run(preflight.lint(operator, Candidate(files)))


def halve_add(*edits: tuple[str, str, str]) -> dict[str, str]:
    files = dict(read_candidate(DATA / "kernels" / "HalveAdd").files)
    for path, old, new in edits:
        assert old in files[path]
        files[path] = files[path].replace(old, new)
    return files


def halve_add_operator(*dtypes: str) -> Interface:
    """Its interface; with `dtypes`, only these of it, which is quicker."""
    operator = declared_operator(Candidate(halve_add()))
    inputs, outputs = (
        tuple(replace(tensor, dtypes=dtypes or tensor.dtypes) for tensor in side)
        for side in (operator.inputs, operator.outputs)
    )
    return replace(operator, inputs=inputs, outputs=outputs)


def broken(report: LintReport) -> set[tuple[str, int, str]]:
    return {
        (found.file, found.line, found.rule.removeprefix(PREFIX))
        for found in report.findings
    }


def test_marked_lines_and_no_others_break_their_rule(preflight: Preflight) -> None:
    files = read_candidate(SAMPLE).files
    marked = {
        (path, number, rule)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        for rule in MARK.findall(line)
        if number > 2
    }
    report = lint(preflight, files, declared_operator(Candidate(files)))
    assert broken(report) == marked
    # Whatever is not marked here is a rule about names, tested below.
    named = {"entry-name", "entry-signature", "opdef-name", "tiling-header"}
    assert {rule for _, _, rule in marked} == set(rules()) - named


@pytest.mark.slow
def test_our_own_kernels_pass(preflight: Preflight) -> None:
    """No false alarm on any kernel we wrote and run."""
    for name in sorted(
        path.parent.name for path in (DATA / "kernels").glob("*/op_host")
    ):
        candidate = own_kernel(name)
        report = lint(preflight, candidate.files, declared_operator(candidate))
        assert (name, report.errors, report.note) == (name, (), "")


@pytest.mark.parametrize(
    ("rule", "path", "old", "new"),
    [
        ("entry-name", KERNEL, "void halve_add(", "void halve_add_custom("),
        ("entry-signature", KERNEL, "GM_ADDR y, GM_ADDR workspace", "GM_ADDR y"),
        ("opdef-name", HOST, "HalveAdd", "HalveAddCustom"),
        ("opdef-name", HOST, "OP_ADD(HalveAdd);", ""),
        ("tiling-header", HOST, '"halve_add_tiling.h"', '"halve_tiling.h"'),
    ],
)
def test_names_that_do_not_fit_the_operator(
    preflight: Preflight, rule: str, path: str, old: str, new: str
) -> None:
    report = lint(preflight, halve_add((path, old, new)), halve_add_operator("float32"))
    assert rule in {found.rule.removeprefix(PREFIX) for found in report.errors}
    assert all(
        found.file == path for found in report.errors if found.rule == PREFIX + rule
    )


def test_an_entry_may_have_its_underscores_elsewhere(preflight: Preflight) -> None:
    """CANN and NPUKernelBench part the words of some names differently: apply_adam_w_v2, apply_adam_wv2."""
    files = halve_add((KERNEL, "void halve_add(", "void halvea_dd("))
    assert lint(preflight, files, halve_add_operator("float32")).errors == ()


def test_every_dtype_of_the_interface_is_looked_at(preflight: Preflight) -> None:
    """`DTYPE_X1` is half in the second column only: adding two of them breaks no rule in the first."""
    line = "DTYPE_Y sum = xGm.GetValue(0) + otherGm.GetValue(0);\n        yGm.SetValue(0, sum);"
    files = halve_add(
        (KERNEL, "CopyOut(done, count);", f"CopyOut(done, count);\n            {line}")
    )
    report = lint(preflight, files, halve_add_operator())
    assert [found.rule for found in report.findings] == [f"{PREFIX}half-arithmetic"]


def test_code_of_the_twin_is_never_blamed(preflight: Preflight) -> None:
    """Macros of the API hold casts and doubles of ours; the kernel's line must not be blamed for them."""
    line = 'ascendc_assert(length > 0, "%u", length); PRINTF("%f", 0.5f); if ASCEND_IS_AIV { length = 1; }'
    files = halve_add(
        (KERNEL, "CopyOut(done, count);", f"CopyOut(done, count);\n            {line}")
    )
    assert lint(preflight, files, halve_add_operator("float32")).findings == ()


def test_an_unchanged_candidate_is_not_parsed_again(build_cache: Path) -> None:
    files = halve_add((KERNEL, "BUFFER_NUM = 2", "BUFFER_NUM = 1"))
    first = Preflight(TWIN, build_cache / "preflight")
    report = lint(first, files, halve_add_operator("float32"))
    without_python = Preflight(
        TWIN, build_cache / "preflight", python="/nowhere/python"
    )
    assert report.note == ""
    assert lint(without_python, files, halve_add_operator("float32")) == report


def test_a_lint_that_cannot_run_says_so(build_cache: Path, tmp_path: Path) -> None:
    lame = tmp_path / "python"
    lame.write_text(
        f'#!/bin/sh\nexec {sys.executable} -S "$@"\n'
    )  # no site-packages: no libclang
    lame.chmod(0o755)
    for python, why in (
        ("/nowhere/python", "cannot be started"),
        (str(lame), "its process failed"),
    ):
        report = lint(
            Preflight(TWIN, tmp_path, python=python), halve_add(), halve_add_operator()
        )
        assert report.findings == ()
        assert report.note.startswith("The language lint did not run")
        assert why in report.note


def test_a_lint_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    slow = Preflight(TWIN, tmp_path, time_limit_s=0.05)
    assert "longer than" in lint(slow, halve_add(), halve_add_operator()).note


@pytest.mark.parametrize(
    "comment", ["/* 先检查分块长度，再继续 */ ", "/* page\f\u2028 */\n"]
)
def test_what_a_macro_of_the_api_writes_is_not_the_kernels_behind_any_comment(
    comment: str, preflight: Preflight
) -> None:
    before = "        pipe.InitBuffer(sumBuffer"
    files = halve_add(
        (KERNEL, before, f"{comment}ascendc_assert(1.0 * tileLength > 0.5);\n{before}")
    )
    assert broken(lint(preflight, files, halve_add_operator("float32"))) == set()


def test_a_definition_made_by_macros_is_one() -> None:
    by_macro = {
        HOST: "OPDEF_BEGIN(Neg)\nOPDEF_TENSORLIST(Input, x)\nOPDEF_END(Neg)\nOP_ADD(ForeachNeg);\n"
    }
    assert (
        list(check_operator_definition(Interface("ForeachNeg", "", (), ()), by_macro))
        == []
    )
    (missing,) = check_operator_definition(
        Interface("ForeachAbs", "", (), ()), by_macro
    )
    macro = "#define OPDEF(N) class Foreach##N : public OpDef {}; OP_ADD(Foreach##N)"
    whole = {HOST: "OPDEF(Abs)", "op_host/defs.h": macro}
    assert (
        list(check_operator_definition(Interface("ForeachAbs", "", (), ()), whole))
        == []
    )
    assert "no class derived from OpDef" in missing.message
