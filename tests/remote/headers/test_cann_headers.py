"""The twin takes what CANN's headers take, as `tools/cann_headers/probes.txt` lists it.

The twin's column is checked always, the others with the CANN that `SAGE_CANN_HEADERS` names.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from remote.judge.witness.check import Witness
from remote.judge.witness.header_set import HeaderSet
from tools.cann_headers.candidates import OwnKernel, own_kernels
from tools.cann_headers.fields import field_probes
from tools.cann_headers.hosts import STANDARDS, host_refusals
from tools.cann_headers.names import absent_names, undeclared_names
from tools.cann_headers.probes import COLUMNS, TWIN, Probe, probes, refused_codes
from tools.cann_headers.sets import Flags, flags_of, named_sets, twin_flags

SETS = named_sets(Path(tempfile.gettempdir()) / "sage-cann-headers")
OWN = tuple(own_kernels()) if SETS else ()
NEWER = "newer than CANN 8.1"


def verdicts(column: str, flags: Flags, folder: Path) -> dict[str, bool]:
    """Probes whose answer is another than the table says -> the answer."""
    table = probes()
    no = refused_codes(table, "kernel", flags.kernel, folder)
    no |= refused_codes(table, "host", flags.host, folder)
    accepted = {probe.code: probe.code not in no for probe in table}
    return {
        probe.code: accepted[probe.code]
        for probe in table
        if accepted[probe.code] != probe.expected[column]
    }


def test_the_twin_takes_what_the_table_of_probes_says(tmp_path: Path) -> None:
    flags = twin_flags(tmp_path / "headers")
    assert verdicts(TWIN, flags, tmp_path) == {}


def test_a_compiler_that_cannot_be_used_accepts_no_probe(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no-such-standard"):
        refused_codes(probes(), "host", ["-std=no-such-standard"], tmp_path)


def test_the_twin_takes_nothing_that_cann_refuses() -> None:
    lax = [probe for probe in probes() if is_lax(probe)]
    assert [probe.code for probe in lax if not probe.reason.startswith(NEWER)] == []
    differing = [probe for probe in probes() if len(set(probe.expected.values())) > 1]
    assert [probe.code for probe in differing if not probe.reason] == []


def is_lax(probe: Probe) -> bool:
    return probe.expected[TWIN] and not all(probe.expected[each] for each in COLUMNS)


@pytest.mark.parametrize("headers", SETS, ids=lambda headers: headers.version)
def test_cann_takes_what_the_table_of_probes_says(
    headers: HeaderSet, tmp_path: Path
) -> None:
    assert verdicts(headers.layout, flags_of(headers), tmp_path) == {}


@pytest.mark.parametrize("headers", SETS, ids=lambda headers: headers.version)
def test_fields_of_the_reference_have_the_types_of_cann(
    headers: HeaderSet, tmp_path: Path
) -> None:
    fields = field_probes(headers.layout)
    assert len(fields) > 100
    no = refused_codes(fields, "kernel", flags_of(headers).kernel, tmp_path)
    assert no == set()


@pytest.mark.parametrize("headers", SETS, ids=lambda headers: headers.version)
def test_names_of_the_reference_are_declared_by_cann(
    headers: HeaderSet, tmp_path: Path
) -> None:
    """Neither list may name what is there: they only shrink."""
    undeclared = undeclared_names(flags_of(headers), tmp_path)
    assert undeclared == absent_names(headers.layout)


@pytest.mark.parametrize("headers", SETS, ids=lambda headers: headers.version)
@pytest.mark.parametrize("own", OWN, ids=lambda own: own.label)
def test_op_host_of_ours_is_taken_in_both_standards(
    headers: HeaderSet, own: OwnKernel, tmp_path: Path
) -> None:
    """That of the project's template, and that of older ones."""
    folders = [flag for flag in flags_of(headers).host if not flag.startswith("-std=")]
    for standard in STANDARDS:
        flags = (f"-std={standard}", *folders)
        refusals = host_refusals(own.candidate.files, flags, tmp_path / standard)
        assert refusals == {}


@pytest.mark.parametrize("headers", SETS, ids=lambda headers: headers.version)
@pytest.mark.parametrize("own", OWN, ids=lambda own: own.label)
def test_our_kernels_are_accepted_by_cann(
    headers: HeaderSet, own: OwnKernel, sandbox: Sandbox
) -> None:
    files, children = own.candidate.files, ChildGroup("headers")
    witness = Witness.of(sandbox)
    answer = witness.check(headers, own.names, files, own.signatures, children)
    assert answer.is_accepted, (answer.cause, answer.unusable)
