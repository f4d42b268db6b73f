"""Integrity on the syntax tree: names as they resolve, in the words of the text rules, with file and line."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.integrity.fresh_shapes import fresh_cases
from core.evaluation.integrity.rules import parse_rules, shipped_rules, shipped_text
from core.evaluation.integrity.verdict import violations
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.catalogue import catalogue_operator
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.preflight.evaluator import Preflighted
from tests.remote.preflight.test_evaluation import Recording

KERNELS = Path(__file__).parents[2] / "data" / "kernels"
TWIN = Path(str(resources.files("resources") / "twin"))
KERNEL = "op_kernel/abs_math.cpp"
HOST = "op_host/abs_math.cpp"
OPERATOR = replace(catalogue_operator("AbsMath"), deny=("Exp",))


@pytest.fixture(scope="module")
def preflight(build_cache: Path) -> Preflight:
    return Preflight(TWIN, build_cache / "preflight")


def with_code(path: str, code: str) -> tuple[Candidate, int]:
    """AbsMath with `code` at the end of a file, and the line it begins at."""
    files = dict(read_candidate(KERNELS / "AbsMath").files)
    line = files[path].count("\n") + 1
    files[path] += code + "\n"
    return Candidate(files), line


def judged(preflight: Preflight, candidate: Candidate, **options: object) -> Evaluation:
    judge = Preflighted(Recording(), preflight, **options)  # type: ignore[arg-type]
    return asyncio.run(judge.evaluate(OPERATOR, candidate, lambda _text: None))


JOIN = "#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n"
CORE = "AscendC::LocalTensor<float> a; "
DENIED = "high-level-substitution"


@pytest.mark.parametrize(
    ("path", "code", "rule", "said", "below"),
    [
        (KERNEL, f'{JOIN}J(__a, sm)("nop");', "hidden-code", "asm", 2),
        (
            KERNEL,
            "float* f(AscendC::LocalTensor<float> a) { return a.data(); }",
            "simulator-member",
            "uses what no device has: AscendC::LocalTensor::data()",
            0,
        ),
        (KERNEL, f"void f() {{ {CORE}Exp(a, a, 8); }}", DENIED, "uses Exp", 0),
        (KERNEL, f"void f() {{ {CORE}AscendC::Exp(a, a, 8); }}", DENIED, "uses Exp", 0),
        (
            KERNEL,
            f"namespace A = AscendC;\nvoid f() {{ {CORE}A::Exp(a, a, 8); }}",
            DENIED,
            "uses Exp",
            1,
        ),
        (
            KERNEL,
            f"#define ACT Exp\nvoid f() {{ {CORE}ACT(a, a, 8); }}",
            DENIED,
            "uses Exp",
            1,
        ),
        (
            KERNEL,
            f"{JOIN}void f() {{ {CORE}J(E, xp)(a, a, 8); }}",
            DENIED,
            "uses Exp",
            2,
        ),
        (
            KERNEL,
            f"void f() {{ {CORE}E\\\nxp(a, a, 8); }}",
            DENIED,
            "uses Exp",
            0,
        ),
        (
            KERNEL,
            "class K { void Exp(int) { AscendC::LocalTensor<float> a; AscendC::Exp(a, a, 8); } };",
            DENIED,
            "uses Exp",
            0,
        ),
        (
            HOST,
            "bool f(long n) { return 1010009L != n; }",
            "shape-detection",
            "compares with 1010009",
            0,
        ),
        (
            KERNEL,
            f"{JOIN}__attribute__((J(con, structor))) void f() {{}}",
            "hidden-code",
            "constructor",
            2,
        ),
        (
            KERNEL,
            f"void Exp(int) {{}}\nvoid f() {{ {CORE}\nExp(a, a, 8); }}",
            "high-level-substitution",
            "uses Exp, which does the operator's core work",
            2,
        ),
        (
            KERNEL,
            "void Exp(int) {}\ntemplate <class T> void g(T t) {\nExp(t, t, 8); }\nvoid f() { "
            + CORE
            + "g(a); }",
            "high-level-substitution",
            "uses Exp",
            2,
        ),
        (
            HOST,
            "void g(const char* n) {\n(::system)(n); }",
            "outside-world",
            "files, processes",
            1,
        ),
        (HOST, "auto* const f = &::system;", "outside-world", "system()", 0),
        (
            HOST,
            'extern "C" int unlink(const char*);\nint f() { return (unlink)(""); }',
            "outside-world",
            "unlink()",
            1,
        ),
        (
            HOST,
            f"#include <chrono>\n{JOIN}namespace q = std;\nauto n = q::J(chr, ono)::system_clock::now();",
            "outside-world",
            "std::chrono",
            4,
        ),
        (
            HOST,
            "#define F <dirent.h>\n#include F",
            "outside-world",
            "#include <dirent.h>",
            1,
        ),
        (
            HOST,
            "#define F <future>\n#include F\nnamespace q = std;\nauto f = q::async([] {});",
            "own-threads",
            "std::async()",
            3,
        ),
        (
            HOST,
            '#define F "/etc/hostname"\n#include F',
            "foreign-include",
            "includes hostname, which is not part of the candidate",
            1,
        ),
        (
            HOST,
            "constexpr int N = 1009 * 1001;\nbool f(int n) {\nreturn n == N; }",
            "shape-detection",
            "compares with 1010009, the element count of x in a test case",
            2,
        ),
    ],
)
def test_what_the_text_hides_the_tree_shows(
    preflight: Preflight, path: str, code: str, rule: str, said: str, below: int
) -> None:
    candidate, line = with_code(path, code)
    assert violations(candidate) == ()
    found = judged(preflight, candidate)
    assert found.verdict is VerdictClass.FAIL_INTEGRITY
    places = [
        (hit.file, hit.line)
        for hit in found.findings
        if hit.rule == f"integrity/{rule}" and said in hit.message
    ]
    assert (path, line + below) in places, found.findings


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (KERNEL, "void f() { int64_t here = block_idx + block_num; (void)here; }"),
        (
            KERNEL,
            '#define SAY(...) printf(__VA_ARGS__)\nvoid f() { SAY("%d", 1); assert(1 == 1); }',
        ),
        (
            KERNEL,
            "#define GET(d, t) GET_TILING_DATA(d, t)\nvoid f(GM_ADDR t) { GET(d, t); (void)d; }",
        ),
        (
            KERNEL,
            (
                "#define T_(d, t) GET_TILING_DATA(d, t)\n#define L(f, ...) printf(f, ##__VA_ARGS__)\n"
                'void f(GM_ADDR t) { T_(d, t); L("%d", (int)sizeof d); }'
            ),
        ),
        (
            KERNEL,
            (
                "struct C { int n; int m[8]; };\nconstexpr C F(const int a[]) { return {1, {a[1], a[2]}}; }\n"
                "constexpr int t[8] = {1, 2};\nconstexpr C c = F(t);"
            ),
        ),
        (KERNEL, "struct H { void Exp(int) {} };\nvoid f(H helper) { helper.Exp(3); }"),
        (KERNEL, "// not AscendC::Exp(a, a, 8)\nint ExpTile(int n) { return n; }"),
        (KERNEL, '#if 0\n#include "expert_abs.h"\n#endif'),
        (
            KERNEL,
            '#include "kernel_tiling/kernel_tiling.h"\n#include "lib/matmul_intf.h"',
        ),
        (HOST, '#include "iostream"\n#include "cstdio"\n#include "stdarg.h"'),
        (
            HOST,
            "bool f(int n) { return n == 0 || n == 1 || n == 24 || n == 4096; }",
        ),
        (KERNEL, "class K { void Exp(int n) { (void)n; } void Go() { Exp(3); } };"),
        (HOST, "#include <chrono>"),
        (
            HOST,
            "struct Q { void remove(int) {} int time() { return 1; } };\nint f(Q q) { return q.time(); }",
        ),
        (HOST, "#include <list>\nvoid f(std::list<int> l) { l.remove(3); }"),
        (
            HOST,
            "#include <algorithm>\nauto f(int* b) { return std::remove(b, b + 3, 1); }",
        ),
        (HOST, "int f(int n) { return n > 1010009 ? 1 : n - 1024; }"),
    ],
)
def test_what_only_looks_alike_goes_on(
    preflight: Preflight, path: str, code: str
) -> None:
    found = judged(preflight, with_code(path, code)[0])
    assert found.verdict is VerdictClass.PASS, found.findings


def test_the_rule_file_of_the_person_holds_for_the_tree_too(
    preflight: Preflight,
) -> None:
    candidate, _ = with_code(
        KERNEL, "constexpr int N = 1009 * 1001;\nbool f(int n) { return n == N; }"
    )
    mine = parse_rules(
        shipped_text().replace("shape-detection = true", "shape-detection = false"),
        "mine",
    )
    assert judged(preflight, candidate, rules=mine).verdict is VerdictClass.PASS
    assert (
        judged(preflight, candidate, rules=shipped_rules()).verdict
        is VerdictClass.FAIL_INTEGRITY
    )


@pytest.mark.parametrize("header", ["../../../reference/abs_math.h", "expert_abs.h"])
def test_a_header_that_is_not_there_is_named(preflight: Preflight, header: str) -> None:
    candidate, line = with_code(KERNEL, f'#include "{header}"')
    found = judged(preflight, candidate)
    assert found.verdict is VerdictClass.FAIL_INTEGRITY
    assert f"'{header}' file not found" in found.cause
    assert found.findings[0].line == line


def test_every_header_of_the_toolkit_may_be_named_in_quotes(
    preflight: Preflight,
) -> None:
    groups = tomllib.loads((TWIN / "headers.toml").read_text(encoding="utf-8"))
    named = [name for group in groups["header"] for name in group["names"]]
    for_kernel = [name for name in named if name.startswith(("kernel_", "lib/"))]
    lines = "\n".join(f'#include "{name}"' for name in for_kernel)
    found = judged(preflight, with_code(KERNEL, lines)[0])
    assert not [
        hit for hit in found.findings if hit.rule == "integrity/foreign-include"
    ]


def test_what_clang_cannot_read_does_not_pass(preflight: Preflight) -> None:
    candidate, line = with_code(
        KERNEL, "inline int f(int n) {\nint l[n] = {}; return l[0]; }"
    )
    found = judged(preflight, candidate)
    assert (found.verdict, found.findings[0].line) == (
        VerdictClass.FAIL_INTEGRITY,
        line + 1,
    )
    assert "cannot be checked (clang:" in found.cause


def test_the_interface_beside_op_host_need_not_be_readable(
    preflight: Preflight,
) -> None:
    """Public projects keep it there; the twin replaces that library and does not compile it."""
    candidate, _ = with_code(KERNEL, "")
    api = '#include "aclnn/aclnn_base.h"\naclnnStatus aclnnAbsMathX(aclTensor* x) { return Call(x); }\n'
    beside = Candidate({**candidate.files, "op_host/op_api.cpp": api})
    found = judged(preflight, beside)
    assert not [
        hit for hit in found.findings if hit.rule == "integrity/unreadable-code"
    ], found.findings


@pytest.mark.system
def test_a_kernel_that_brings_the_lint_down_does_not_pass(
    preflight: Preflight, build_cache: Path
) -> None:
    """Constants that take long: no answer is no proof of innocence."""
    asyncio.run(
        preflight.lint(
            _described(), with_code(KERNEL, "// the headers are precompiled")[0]
        )
    )
    hasty = Preflight(TWIN, build_cache / "preflight", time_limit_s=2.0)
    spin = "constexpr long s(long n) { long t = 0; for (long i = 0; i < n; ++i) { t += i % 7; } return t; }"
    many = "\n".join(f"constexpr long v{i} = s({100000 + i});" for i in range(2000))
    found = judged(hasty, with_code(KERNEL, f"{spin}\n{many}")[0])
    assert found.verdict is VerdictClass.FAIL_INTEGRITY
    assert "cannot be checked" in found.cause
    hasty.close()


def _described() -> Mapping[str, object]:
    from remote.toolchains.twin.toolchain import describe_operator

    return describe_operator(OPERATOR)


def test_fresh_shapes_are_close_unseen_and_permitted() -> None:
    for name in ("AbsMath", "RmsNorm", "Lerp", "Swish"):
        operator = catalogue_operator(name)
        fresh = fresh_cases(operator)
        seen = {
            tuple(made.shape for made in case.inputs.values())
            for case in operator.cases
        }
        assert 1 <= len(fresh) <= 4, name
        for case in fresh:
            assert tuple(made.shape for made in case.inputs.values()) not in seen
            assert case.timed
            assert not case.hidden
