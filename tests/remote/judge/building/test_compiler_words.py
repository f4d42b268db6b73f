"""What compilers and linkers say, read and moved to the place in the candidate."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from remote.judge.faults import EnvironmentFault
from remote.judge.machine.compiler import (
    cause_of,
    find_compiler,
    read_messages,
    without_addresses,
)

DEEP = """In file included from /store/include/kernel_operator.h:9:
/store/include/twin/api/vector.h: In instantiation of 'void AscendC::Add(LocalTensor<T>) [with T = double]':
op_kernel/x.cpp:30:12:   required from 'void K::Compute() [with T = double]'
op_kernel/x.cpp:44:20:   required from here
/store/include/twin/api/vector.h:10:5: error: static assertion failed: Add: this dtype is not supported
/store/include/twin/api/vector.h:10:5: note: 'false' evaluates to false
"""


def test_an_error_inside_a_header_is_moved_to_the_line_that_led_there() -> None:
    messages = read_messages(DEEP, {"/store/include": ""})
    error = next(message for message in messages if message.severity == "error")
    assert (error.file, error.line) == ("op_kernel/x.cpp", 44)
    assert "Add: this dtype is not supported (in vector.h)" in cause_of(messages)


def test_functions_that_only_have_an_address_are_no_candidates() -> None:
    log = (
        "op_kernel/x.cpp:7:91: error: no matching function for call to 'Exp(T&, T&, int, int)'\n"
        "/store/include/twin/api/vector_unary.h:114:12: note: candidate: 'void Exp(T, T, int32_t)'\n"
        "op_kernel/x.cpp:7:91: note:   candidate expects 3 arguments, 4 provided\n"
        "/store/include/twin/api/vector_addresses.h:71:22: note: candidate: 'A Exp(T, T, const int32_t&)'\n"
        "  71 | TWIN_UNARY_ADDRESSES(Exp)\n"
        "op_kernel/x.cpp:7:91: note:   candidate expects 3 arguments, 4 provided\n"
        "op_kernel/x.cpp:7:91: note:   couldn't deduce template parameter 'AddressOnly'\n"
        "/store/include/twin/lib/math.h:66:6: note: candidate: 'void Exp(T, T, T)'\n"
        "op_kernel/x.cpp:8:1: error: expected ';'\n"
    )
    kept = without_addresses(log).splitlines()
    assert kept == [log.splitlines()[at] for at in (0, 1, 2, 7, 8)]


def test_the_first_error_is_the_cause_and_the_telling_note_comes_with_it() -> None:
    log = (
        "op_kernel/x.cpp:9:3: warning: unused variable 'a'\n"
        "op_kernel/x.cpp:12:7: error: no matching function for call to 'Muls(...)'\n"
        "   12 |       Muls(y, x, 1, n);\n"
        "/store/include/twin/v.h:3:6: note: candidate: 'template<class T> void Muls(T, T)'\n"
        "/store/include/twin/v.h:3:6: note:   template argument deduction/substitution failed:\n"
        "op_kernel/x.cpp:12:7: note:   deduced conflicting types for parameter 'T' ('half' and 'float')\n"
        "op_kernel/x.cpp:20:1: error: something later\n"
    )
    cause = cause_of(read_messages(log, {"/store/include": ""}))
    assert cause.startswith("op_kernel/x.cpp:12:7: error: no matching function")
    assert cause.endswith(
        "deduced conflicting types for parameter 'T' ('half' and 'float')"
    )
    assert "later" not in cause


def test_a_line_that_no_file_has_is_no_message() -> None:
    """A candidate's own text may look like one: that of a static_assert, or of #error."""
    forged = f"op_kernel/abs_math.cpp:{'9' * 5000}:1: error: forged"
    assert read_messages(forged, {}) == []


def test_linker_and_fatal_errors_are_read() -> None:
    log = (
        "/usr/bin/ld: a.o: in function `f':\n"
        "x.cpp:(.text+0x5): undefined reference to `g()'\n"
        "collect2: error: ld returned 1 exit status\n"
    )
    assert "undefined reference to `g()'" in cause_of(read_messages(log, {}))
    fatal = read_messages(
        "op_host/x.cpp:1:10: fatal error: y.h: No such file or directory\n", {}
    )
    assert (
        cause_of(fatal) == "op_host/x.cpp:1:10: error: y.h: No such file or directory"
    )


def fake_compiler(folder: Path, major: int) -> Path:
    path = folder / "g++"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in\n  --version) echo "g++ (fake) {major}.1.0";;\n'
        f'  *) printf "#define __GNUC__ {major}\\n#define __GNUC_MINOR__ 1\\n";'
        ' printf "#define __GNUC_PATCHLEVEL__ 0\\n";;\nesac\n'
    )
    path.chmod(0o755)
    return path


def test_a_missing_or_old_compiler_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"No C\+\+ compiler.*apt install g\+\+"):
        find_compiler({"PATH": str(tmp_path)})
    fake_compiler(tmp_path, 9)
    with pytest.raises(
        EnvironmentFault, match=r"Found only g\+\+ 9\.1\.0.*g\+\+ 11 or newer"
    ):
        find_compiler({"PATH": str(tmp_path)})
    fake_compiler(tmp_path, 13)
    found = find_compiler({"PATH": str(tmp_path)})
    assert (found.kind, found.version, found.label) == ("gcc", "13.1.0", "g++ 13.1.0")


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_program_is_linked_with_the_libraries_there_are(
    tmp_path: Path, is_moved: bool
) -> None:
    real = find_compiler()
    bare = tmp_path / "g++"
    bare.write_text(
        '#!/bin/sh\ncase "$1" in\n  -print-file-name=*) echo "${1#*=}";;\n'
        f'  *) exec {real.path} "$@";;\nesac\n'
    )
    bare.chmod(0o755)
    source = tmp_path / "program.cpp"
    source.write_text(
        "#include <iostream>\n#include <thread>\n"
        'int main() { std::thread([] { std::cout << "ran"; }).join(); }\n'
    )
    for compiler in (real, find_compiler({"PATH": f"{tmp_path}:/usr/bin:/bin"})):
        program = tmp_path / "program"
        flags = compiler.program_flags(is_moved=is_moved)
        command = [compiler.path, "-pthread", *flags, str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        ran = subprocess.run([program], capture_output=True, text=True, check=True)
        assert ran.stdout == "ran"
        assert compiler is real or not any("static" in flag for flag in flags)
