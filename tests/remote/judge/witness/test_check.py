"""What CANN's headers refuse, a candidate is told in their words and with its own line.

The headers are the stand-in of `tests/data/cann_headers`; `test_genuine_headers.py` asks those of a CANN.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from core.evaluation.records import CompilerMessage
from remote.headers.kept import KeptHeaders
from remote.judge.building.builder import Signature
from remote.judge.job import Names
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox
from remote.judge.witness.check import HeaderCheck, Witness
from remote.judge.witness.header_set import HeaderSet
from tests.own_kernels import own_kernel
from tests.remote.headers.stand_in import INSTALLED, kept_stand_in

KERNEL, HOST = "op_kernel/abs_math.cpp", "op_host/abs_math.cpp"
STRIDES = "static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0}"


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> HeaderSet:
    return kept_stand_in(tmp_path_factory.mktemp("headers"))


def check(
    sandbox: Sandbox,
    headers: HeaderSet,
    *changes: tuple[str, str, str],
    dtypes: tuple[str, ...] = ("float16",),
    more: Mapping[str, str] = MappingProxyType({}),
) -> HeaderCheck:
    """AbsMath for some data types, with texts of its files changed and more files."""
    files = {**own_kernel("AbsMath").files, **more}
    for path, old, new in changes:
        assert old in files[path]
        files[path] = files[path].replace(old, new)
    signatures = [Signature((("x", each),), (("y", each),)) for each in dtypes]
    witness = Witness.of(sandbox)
    operator = Names("AbsMath", "abs_math")
    return witness.check(headers, operator, files, signatures, ChildGroup("test"))


def line_of(path: str, text: str) -> int:
    before, _, _ = own_kernel("AbsMath").files[path].partition(text)
    return before.count("\n") + 1


def only(answer: HeaderCheck) -> CompilerMessage:
    (message,) = answer.messages
    assert answer.cause.startswith(str(message))
    return message


@pytest.mark.parametrize("dtypes", [("float16",), ("float16", "float32")])
def test_an_honest_kernel_is_accepted(
    sandbox: Sandbox, headers: HeaderSet, dtypes: tuple[str, ...]
) -> None:
    answer = check(sandbox, headers, dtypes=dtypes)
    assert answer.is_accepted, answer
    assert answer.headers == "CANN 8.0.T1"


def test_a_stride_that_may_not_fit_its_field_is_refused(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    wide = STRIDES.replace("0, 0, 0}", "static_cast<int64_t>(offset), 0, 0}")
    message = only(check(sandbox, headers, (KERNEL, STRIDES, wide)))
    assert (message.file, message.line) == (KERNEL, line_of(KERNEL, STRIDES))
    assert "narrowing conversion" in message.text


def test_what_a_header_asserts_is_told_with_the_line_of_the_kernel(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    answer = check(sandbox, headers, dtypes=("float16", "int32", "float32"))
    message = only(answer)
    assert (message.file, message.line) == (KERNEL, line_of(KERNEL, "Abs(y, x, count)"))
    assert "Abs takes half and float" in message.text
    assert "kernel_vector.h" not in answer.cause
    assert str(headers.folder) not in answer.cause


@pytest.mark.parametrize("guard", ["#pragma once", "#ifndef WIDTH_H\n#define WIDTH_H"])
def test_a_header_of_the_kernel_is_read_for_every_data_type(
    sandbox: Sandbox, headers: HeaderSet, guard: str
) -> None:
    claim = "static_assert(std::is_same<DTYPE_X, ONLY>::value);"
    end = "#endif" if "ifndef" in guard else ""
    lines = [guard, "#define ONLY half", f"namespace width {{ {claim} }}", end]
    header = "\n".join(lines)
    include = '#include "kernel_operator.h"'
    change = (KERNEL, include, f'{include}\n#include "width.h"')
    more = {"op_kernel/width.h": header}
    assert check(sandbox, headers, change, more=more).is_accepted
    answer = check(sandbox, headers, change, more=more, dtypes=("float16", "float32"))
    message = only(answer)
    place = header[: header.index("static_assert")].count("\n") + 1
    assert (message.file, message.line) == ("op_kernel/width.h", place)


def test_the_matrix_library_is_there_for_the_kernel_that_includes_it(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    """Another precompiled header begins it; who does not include the library does not have it."""
    line = "Abs(y, x, count);"
    use = (
        KERNEL,
        line,
        f"matmul::MatmulImpl product; product.SetBatchNum(2, 2); {line}",
    )
    first = '#include "kernel_operator.h"'
    include = (KERNEL, first, f'{first}\n#include "lib/matmul_intf.h"')
    assert check(sandbox, headers, include, use).is_accepted
    wrong = (KERNEL, "(2, 2)", '("two", 2)')
    message = only(check(sandbox, headers, use, wrong, include))
    assert (message.file, message.line) == (KERNEL, line_of(KERNEL, line) + 1)
    named = (KERNEL, first, f'{first}\n// #include "lib/matmul_intf.h"')
    refused = check(sandbox, headers, named, use)
    assert "matmul" in refused.cause


def test_tiling_is_read_as_an_array(sandbox: Sandbox, headers: HeaderSet) -> None:
    line = "Abs(y, x, count);"
    array = "COPY_TILING_WITH_ARRAY(uint32_t, 3, xGm.GetPhyAddr(), parts);"
    use = (KERNEL, line, f"{array} uint32_t one = (*parts)[1]; {line}")
    assert check(sandbox, headers, use).is_accepted
    wrong = (KERNEL, line, f"{array} const float* one = *parts; {line}")
    message = only(check(sandbox, headers, wrong))
    assert (message.file, message.line) == (KERNEL, line_of(KERNEL, line))


def test_a_kernel_may_add_to_a_namespace_of_cann(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    include = '#include "kernel_operator.h"'
    more = f"{include}\nnamespace AscendC {{ constexpr int WIDTH = sizeof(DTYPE_X); }}"
    change = (KERNEL, include, more)
    assert check(sandbox, headers, change, dtypes=("float16", "float32")).is_accepted


def test_op_host_is_compiled_in_the_standard_of_the_project(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    old = "uint32_t perBlock = BLOCK_BYTES / width;"
    seventeen = f"if (auto one = 1; one > 0) {{}} {old}"
    assert check(sandbox, headers, (HOST, old, seventeen)).is_accepted
    new = f"auto one = []<class T>(T value) {{ return value.x; }}; static char8_t two; {old}"
    answer = check(sandbox, headers, (HOST, old, new))
    assert answer.stage == "host"
    assert {(each.file, each.line) for each in answer.messages} == {
        (HOST, line_of(HOST, old))
    }


def test_op_host_misses_the_header_that_it_does_not_include(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    include = '#include "tiling/platform/platform_ascendc.h"'
    answer = check(sandbox, headers, (HOST, include, ""))
    assert answer.stage == "host"
    assert "platform_ascendc" in answer.cause


def test_a_header_that_is_not_there_is_named_as_it_was_included(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    include = '#include "kernel_operator.h"'
    more = f'{include}\n#include "lib/none.h"'
    message = only(check(sandbox, headers, (KERNEL, include, more)))
    assert (message.file, message.line) == (KERNEL, 2)
    assert message.text == "lib/none.h: No such file or directory"


@pytest.mark.parametrize(
    "use",
    [
        "uint64_t address = static_cast<uint64_t>(x.GetPhyAddr());",
        "uint64_t address = x[4].GetPhyAddr() + inQueue.DeQue<DTYPE_X>().GetPhyAddr(8);",
        "auto found = (DTYPE_X*)x.GetPhyAddr(); uint64_t other = (&x)->GetPhyAddr();",
        "__gm__ DTYPE_X* source = xGm.GetPhyAddr();",
    ],
)
def test_addresses_have_the_types_of_the_device(
    sandbox: Sandbox, headers: HeaderSet, use: str
) -> None:
    old = "Abs(y, x, count);"
    answer = check(sandbox, headers, (KERNEL, old, f"{old} {use}"))
    assert answer.is_accepted, answer


def test_the_address_of_a_local_tensor_is_no_pointer(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    old = "Abs(y, x, count);"
    use = "DTYPE_X* pointer = x.GetPhyAddr();"
    message = only(check(sandbox, headers, (KERNEL, old, f"{old} {use}")))
    assert (message.file, message.line) == (KERNEL, line_of(KERNEL, old))


def test_a_kernel_may_be_called_like_a_function_of_c(
    sandbox: Sandbox, headers: HeaderSet
) -> None:
    files = own_kernel("AbsMath").files
    renamed = {
        path.replace("abs_math.cpp", "sqrt.cpp"): text.replace(" abs_math(", " sqrt(")
        for path, text in files.items()
    }
    signature = Signature((("x", "float16"),), (("y", "float16"),))
    operator = Names("AbsMath", "sqrt")
    witness = Witness.of(sandbox)
    included = {
        **renamed,
        "op_kernel/sqrt.cpp": f"#include <cmath>\n{renamed['op_kernel/sqrt.cpp']}",
    }
    answer = witness.check(headers, operator, included, [signature], ChildGroup("test"))
    assert answer.is_accepted, answer


def test_headers_that_do_not_compile_say_nothing_about_the_candidate(
    sandbox: Sandbox, headers: HeaderSet, tmp_path: Path
) -> None:
    broken = HeaderSet(tmp_path, headers.version, headers.layout, "another digest")
    answer = check(sandbox, broken)
    assert not answer.messages
    assert "kernel_operator.h" in answer.unusable


def test_headers_may_be_large_when_they_are_precompiled(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Genuine ones come to 100 MB, which is more than a file of a candidate may have."""
    installed = shutil.copytree(INSTALLED, tmp_path / "installed", symlinks=True)
    (header,) = installed.rglob("kernel_operator.h")
    doubled = "".join(f"#define T{at} T{at - 1} T{at - 1}\n" for at in range(1, 17))
    table = f'#define T0 "{"x" * 1400}"\n{doubled}constexpr char kTable[] = T16;\n'
    header.write_text(f"{header.read_text()}\n{table}")
    kept = KeptHeaders(tmp_path / "kept")
    large = kept.add_from_folder(installed, lambda _text: None).headers
    assert check(sandbox, large).is_accepted
