"""The headers of a CANN that the developer has: `SAGE_CANN_HEADERS` names its folder, or a copy of its headers.

What they say of all our kernels, `tools/cann_headers` asks; here, that the feature works with genuine ones.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remote.headers.kept import KeptHeaders
from remote.judge.building.builder import Signature
from remote.judge.job import Names
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from remote.judge.witness.check import HeaderCheck, Witness
from remote.judge.witness.header_set import HeaderSet
from tests.own_kernels import own_kernel

# One of them will do; all are asked by `tools/cann_headers`.
GENUINE = os.environ.get("SAGE_CANN_HEADERS", "").partition(os.pathsep)[0]
pytestmark = pytest.mark.skipif(
    not GENUINE, reason="SAGE_CANN_HEADERS names no headers of a CANN"
)
KERNEL = "op_kernel/abs_math.cpp"
LINE = "Abs(y, x, count);"
STRIDES = "static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0}"


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> HeaderSet:
    kept = KeptHeaders(tmp_path_factory.mktemp("headers"))
    return kept.add_from_folder(Path(GENUINE), lambda _text: None).headers


def check(sandbox: Sandbox, headers: HeaderSet, old: str, new: str) -> HeaderCheck:
    files = dict(own_kernel("AbsMath").files)
    assert old in files[KERNEL]
    files[KERNEL] = files[KERNEL].replace(old, new)
    signatures = [
        Signature((("x", dtype),), (("y", dtype),)) for dtype in ("float16", "float32")
    ]
    return Witness.of(sandbox).check(
        headers, Names("AbsMath", "abs_math"), files, signatures, ChildGroup("test")
    )


def test_an_honest_kernel_is_accepted(sandbox: Sandbox, headers: HeaderSet) -> None:
    answer = check(sandbox, headers, LINE, LINE)
    assert answer.is_accepted, answer


def test_addresses_of_local_tensors_are_numbers(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    use = "uint64_t address = static_cast<uint64_t>(x.GetPhyAddr());"
    answer = check(sandbox, headers, LINE, f"{LINE} {use}")
    assert answer.is_accepted, answer


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(
            STRIDES,
            STRIDES.replace("0, 0, 0}", "static_cast<int64_t>(offset), 0, 0}"),
            "narrowing conversion",
            id="a stride of 64 bits",
        ),
        pytest.param(
            LINE,
            f"{LINE} ListTensorDesc list;",
            "ListTensorDesc",
            id="a type of a header that is not included",
        ),
    ],
)
def test_what_cann_does_not_take_is_refused_on_its_line(
    sandbox: Sandbox, headers: HeaderSet, old: str, new: str, words: str
) -> None:
    answer = check(sandbox, headers, old, new)
    line = own_kernel("AbsMath").files[KERNEL].partition(old)[0].count("\n") + 1
    assert {(each.file, each.line) for each in answer.messages} == {(KERNEL, line)}
    assert words in answer.cause
    assert str(headers.folder) not in answer.cause
