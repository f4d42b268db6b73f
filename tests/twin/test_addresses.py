"""Vector functions through pointers and as template arguments, with the documented parameters."""

from __future__ import annotations

import re

import pytest
import torch

from tests.twin.harness import INCLUDE, KERNELS, Library, build, compile_error, line_of

CASES = dict(
    re.findall(
        r"^ADDRESS_CASE\(\w+, (\w+), (\w+)\)$",
        (KERNELS / "addresses.cpp").read_text(),
        re.MULTILINE,
    )
)
DTYPES = {
    "half": torch.float16,
    "float": torch.float32,
    "int16_t": torch.int16,
    "uint16_t": torch.int16,
    "int32_t": torch.int32,
}
# Listed one by one in the headers and called in the case `others`, or of the forms of a name that is there.
OF_THEIR_OWN = {
    "MulAddDst",
    "Axpy",
    "Cast",
    "Compare",
    "CompareScalar",
    "Duplicate",
    "ReduceSum",
    "ReduceMax",
    "ReduceMin",
    "ShiftRight",
    "Gelu",
    "FasterGelu",
    "FasterGeluV2",
    "ClampMax",
    "ClampMin",
}


@pytest.fixture(scope="module")
def library() -> Library:
    return build("addresses")


def test_every_function_with_an_address_has_a_case() -> None:
    listed = set()
    for header in ("api/vector_addresses.h", "lib/addresses.h"):
        text = (INCLUDE / "twin" / header).read_text()
        listed |= set(
            re.findall(r"^TWIN_(?:\w+_)?ADDRESS(?:ES)?\((\w+)[,)]", text, re.MULTILINE)
        )
    assert listed == set(CASES) | OF_THEIR_OWN


@pytest.mark.parametrize("name", [*CASES, "others"])
def test_a_pointer_gives_what_the_call_gives(library: Library, name: str) -> None:
    generator = torch.Generator().manual_seed(3)
    values = 0.1 + 0.8 * torch.rand(2, 256, generator=generator)
    dtype = DTYPES[CASES.get(name, "float")]
    if name in ("Acosh", "Floor", "Trunc"):
        values = values + 1
    a, b = values.to(dtype) if dtype.is_floating_point else (values * 1000).to(dtype)
    called, pointed = torch.zeros(512, dtype=dtype), torch.zeros(512, dtype=dtype)
    found = library.run(name, [a, b], [called, pointed]).findings
    assert found == []
    assert torch.equal(called, pointed)
    assert called[:64].any()


def test_a_finding_names_the_call_before(library: Library) -> None:
    found = library.run("misused", [torch.zeros(64)]).finding("alignment")
    assert (found["call"], found["line"]) == (
        "Add",
        line_of(library, "before the pointer"),
    )
    assert "through a pointer or an operator after this line" in found["message"]


def test_other_parameters_do_not_compile() -> None:
    head = '#include "kernel_operator.h"\nusing namespace AscendC;\nusing T = const LocalTensor<float>&;\n'
    said = compile_error(
        head + "void (*count_by_value)(T, T, T, int32_t) = Add<float>;\n"
        "int (*returns)(T, T, T, const int32_t&) = Add<float>;\n"
        "void (*of_the_library)(T, T, const uint32_t) = Exp<float>;\n"
    )
    refused = re.findall(r"^<stdin>:(\d+):\d+: error: ", said, re.MULTILINE)
    assert [int(line) for line in refused] == [4, 5, 6]
