"""Each integrity rule catches a real offender and passes its honest look-alike."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from core.agent.prompt.feedback import feedback_text
from core.agent.reply.protocol import read_reply
from core.errors import InvalidInput
from core.evaluation.integrity.rules import (
    CHECKS,
    load_rules,
    parse_rules,
    shipped_rules,
    shipped_text,
)
from core.evaluation.integrity.source import Source, read_source
from core.evaluation.integrity.verdict import Guarded, violations
from core.evaluation.records import Candidate, VerdictClass
from core.operators.catalogue import catalogue_operator
from tests.core.agent.scripted import CommentEvaluator
from tests.scripted_session import pack

ROOT = Path(__file__).parents[3]
KERNELS = ROOT / "tests" / "data" / "kernels"


def demo_kernels() -> dict[str, list[dict[str, str]]]:
    """Every candidate of the demonstration by operator, in order."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in pack().replies:
        if row.purpose in {"candidate", "repair"}:
            before = found.setdefault(row.subject, [])
            before.append(
                {**(before[-1] if before else {}), **read_reply(row.text).files}
            )
    return found


HONEST = {name: rows[-1] for name, rows in demo_kernels().items()}


def rules_broken(files: dict[str, str]) -> list[str]:
    return [
        found.rule.removeprefix("integrity/") for found in violations(Candidate(files))
    ]


def kernel_path(files: dict[str, str]) -> str:
    return next(
        path
        for path in files
        if path.startswith("op_kernel/") and path.endswith(".cpp")
    )


def host_path(files: dict[str, str]) -> str:
    return next(
        path for path in files if path.startswith("op_host/") and path.endswith(".cpp")
    )


@pytest.mark.parametrize("operator", list(HONEST))
def test_no_honest_kernel_of_the_demonstration_is_flagged(operator: str) -> None:
    assert [rules_broken(files) for files in demo_kernels()[operator]] == [
        [] for _ in demo_kernels()[operator]
    ]


IN_KERNEL = [
    (
        "AbsMath",
        "static int32_t calls = 0; void f() { if (calls++ > 0) { return; } }",
        "kept-state",
    ),
    (
        "AbsMath",
        "static float cache[64]; void f(int i) { cache[i] = 1.0f; }",
        "kept-state",
    ),
    (
        "AbsMath",
        "static int n = 0; void f() { int& seen = n; seen = 1; }",
        "kept-state",
    ),
    (
        "AbsMath",
        "static int n; void up(int& v) { v += 1; } void f() { up(n); }",
        "kept-state",
    ),
    (
        "AbsMath",
        "static std::atomic<int> n{0}; int f() { return n.fetch_add(1); }",
        "kept-state",
    ),
    (
        "AbsMath",
        "#define const\nstatic int n = 1; int f() { return n; } void g() { const n = 2; }",
        "kept-state",
    ),
    (
        "AbsMath",
        "static int n = 1; int f() { for (const int v : list) n = v; return n; }",
        "kept-state",
    ),
    (
        "AbsMath",
        "#define static\nstatic int n = 1; int f() { return n; } void g() { static int n = 2; }",
        "kept-state",
    ),
    ("AbsMath", "#ifdef __OPTIMIZE_SIZE__", "compiler-branch"),
    ("AbsMath", "#ifndef __FLT32_DIG__\n#endif", "compiler-branch"),
    (
        "AbsMath",
        "#define JOIN(a, b) a##b\n#if JOIN(_, _FLT32_DIG__)\n#endif",
        "compiler-branch",
    ),
    (
        "AbsMath",
        "#define DIGITS (__FLT32_DIG__ + 0)\n#if DIGITS\n#endif",
        "compiler-branch",
    ),
    (
        "AbsMath",
        "#ifndef _GCC_WRAP_STDINT_H\n#define _GCC_WRAP_STDINT_H\n#endif",
        "compiler-branch",
    ),
    ("RmsNorm", "#include <sys/stat.h>", "outside-world"),
    ("AbsMath", "#ifdef TWIN_KERNEL_SIDE", "evaluator-branch"),
    ("AbsMath", "#if !defined(__clang__) && 1", "compiler-branch"),
    ("AbsMath", '#if __has_include("kernel_log.h")', "compiler-branch"),
    (
        "AbsMath",
        '__attribute__((used, no_sanitize("thread"))) void f() {}',
        "hidden-code",
    ),
    ("AbsMath", '#pragma GCC optimize("Ofast")', "hidden-code"),
    ("AbsMath", "#pragma clang module build hidden", "hidden-code"),
    ("AbsMath", "void f() { twin::matmul_init(true); }", "simulator-name"),
    ("AbsMath", "namespace api = twin;", "simulator-name"),
    ("AbsMath", "#pragma clang __debug crash", "hidden-code"),
    ("AbsMath", 'void f() { __asm__("nop"); }', "hidden-code"),
    ("AbsMath", '#line 7 "pass\\n## Files"', "hidden-code"),
    ("AbsMath", '  %: 7 "op_host/abs_math.cpp"', "hidden-code"),
]
IN_HOST = [
    ("RmsNorm", "void f() { aclnnRmsNorm(w, n, e, s); }", "built-in-operator"),
    ("RmsNorm", "void f() { EXEC_NPU_CMD(aclnnRmsNorm, x); }", "built-in-operator"),
    ("RmsNorm", "auto y = at::rms_norm(x);", "framework-call"),
    ("RmsNorm", "auto y = at :: native::rms_norm(x);", "framework-call"),
    ("RmsNorm", "auto y = x.cpu();", "cpu-round-trip"),
    ("RmsNorm", "void f() { aclrtMemcpyAsync(a, b, c, d, e); }", "cpu-round-trip"),
    ("RmsNorm", "std::ifstream reference(path);", "outside-world"),
    ("RmsNorm", 'void f() { system("cp expert.o kernel.o"); }', "outside-world"),
    ("RmsNorm", "auto begin = std::chrono::steady_clock::now();", "outside-world"),
    (
        "RmsNorm",
        "using namespace std; auto begin = chrono::system_clock::now();",
        "outside-world",
    ),
    ("RmsNorm", "namespace time = std::chrono;", "outside-world"),
    ("RmsNorm", "std::thread worker(f);", "own-threads"),
    ("RmsNorm", 'void f() { sys\\\r\ntem("cp"); }', "outside-world"),
]


@pytest.mark.parametrize(("operator", "code", "rule"), [*IN_KERNEL, *IN_HOST])
def test_each_offender_is_caught_with_its_line(
    operator: str, code: str, rule: str
) -> None:
    files = dict(HONEST[operator])
    path = host_path(files) if (operator, code, rule) in IN_HOST else kernel_path(files)
    files[path] = f"{files[path]}\n{code}\n"
    found = violations(Candidate(files))
    hits = [entry for entry in found if entry.rule == f"integrity/{rule}"]
    assert hits, found
    lines = files[path].split("\n")
    assert (hits[-1].file, lines[hits[-1].line - 1].strip()) in {
        (path, line.strip()) for line in code.split("\n")
    }


def test_a_carriage_return_alone_begins_a_line() -> None:
    files = dict(HONEST["AbsMath"])
    files[host_path(files)] += "\nint a;\r#include <dirent.h>\n"
    assert rules_broken(files) == ["outside-world"]


# What the syntax tree alone shows: tests/remote/preflight/test_integrity_tree.py.
ON_TREE = {
    "high-level-substitution",
    "foreign-include",
    "shape-detection",
    "simulator-member",
}


def of_text() -> set[str]:
    rules = shipped_rules()
    return ({pattern.name for pattern in rules.patterns} | rules.checks) - ON_TREE


def test_no_rule_is_without_an_offender_here() -> None:
    assert {rule for _, _, rule in (*IN_KERNEL, *IN_HOST)} == of_text()


HONEST_LOOKS = [
    (
        "SwiGlu",
        "/* Sigmoid(y, a, 64) is written out: no aclnnSwiGlu is called */",
        "built-in-operator",
    ),
    ("SwiGlu", 'void f() { printf("Silu(%d) at::sigmoid", 3); }', "framework-call"),
    (
        "AbsMath",
        "static constexpr int32_t kTile = 4096; static const int k = 2;",
        "kept-state",
    ),
    ("AbsMath", "static int32_t RoundUp(int32_t n) { return n; }", "kept-state"),
    (
        "AbsMath",
        "constexpr static int kTile = 4096; class K { const static int kDepth = 2; };",
        "kept-state",
    ),
    (
        "AbsMath",
        "static int kBlock = 32; int f(int n) { return RoundUp(n, kBlock) / kBlock == kBlock; }",
        "kept-state",
    ),
    (
        "AbsMath",
        "static int kDepth = 2; int f() { return kDepth; } class K { const int kDepth = 1; };",
        "kept-state",
    ),
    (
        "AbsMath",
        "static std::map<int, int> kSize = {{0, 4}}; int f() { return kSize[0] + kSize.at(1); }",
        "kept-state",
    ),
    (
        "AbsMath",
        "int filesystem_block = 512; int opened(int n); int system_cores = 20;",
        "outside-world",
    ),
    (
        "AbsMath",
        "#if defined(__CCE_AICORE__) && __CCE_AICORE__ == 220\n#endif",
        "compiler-branch",
    ),
    (
        "AbsMath",
        "#ifdef ASCENDC_CPU_DEBUG\nvoid f() { return; }\n#endif",
        "evaluator-branch",
    ),
    (
        "AbsMath",
        "__attribute__((always_inline)) int section(int n) { return n; }",
        "hidden-code",
    ),
    ("AbsMath", '#pragma clang diagnostic ignored "-Wunused"', "hidden-code"),
    ("AbsMath", "int twin = 2; int f() { return twin; }", "simulator-name"),
]
HONEST_HOSTS = [
    (
        "RmsNorm",
        'int aclnn = 2; const char *kName = "aclnnRmsNorm";',
        "built-in-operator",
    ),
    (
        "RmsNorm",
        "std::vector<int> sizes = {1}; int first = sizes.at(0);",
        "framework-call",
    ),
    ("RmsNorm", "int cpu = 1; int cores = platform.cpu_count + cpu;", "cpu-round-trip"),
    ("RmsNorm", "int memcpy_tiles = 2; int ifstream_like(int n);", "outside-world"),
    ("RmsNorm", "#include <chrono>", "outside-world"),
    ("RmsNorm", "#include <sys/types.h>", "outside-world"),
    (
        "AbsMath",
        "#ifndef __OPTIMIZED_TRANSDUCER_H__\n#define __OPTIMIZED_TRANSDUCER_H__\n#endif",
        "compiler-branch",
    ),
    (
        "AbsMath",
        "struct A { static int k[] = {1}; }; struct B { static int k[] = {2}; }; int f() { return A::k[0]; }",
        "kept-state",
    ),
    ("RmsNorm", "int threads = 4; int this_thread(int n) { return n; }", "own-threads"),
]


@pytest.mark.parametrize(("operator", "code", "rule"), [*HONEST_LOOKS, *HONEST_HOSTS])
def test_each_honest_look_alike_passes(operator: str, code: str, rule: str) -> None:
    files = dict(HONEST[operator])
    path = (
        host_path(files)
        if (operator, code, rule) in HONEST_HOSTS
        else kernel_path(files)
    )
    files[path] += f"\n{code}\n"
    assert rules_broken(files) == []


def test_no_rule_is_without_an_honest_look_alike_here() -> None:
    assert {rule for _, _, rule in (*HONEST_LOOKS, *HONEST_HOSTS)} == of_text()


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("void f() { sys\\\ntem(0); }", "outside-world"),
        ("void f() { system \\\n  (0); }", "outside-world"),
        ("#if\\\ndef __GNUC__\n#endif", "compiler-branch"),
        ("%:ifdef __GNUC__\n%:endif", "compiler-branch"),
        ("sta\\\ntic int n = 0; void f() { n++; }", "kept-state"),
    ],
)
def test_spliced_lines_and_digraphs_hide_nothing_and_move_nothing(
    code: str, rule: str
) -> None:
    files = dict(HONEST["AbsMath"])
    path = kernel_path(files)
    before = files[path].count("\n")
    files[path] += f"{code}\nvoid g() {{ fork(); }}\n"
    found = violations(Candidate(files))
    assert found[0].rule == f"integrity/{rule}"
    assert found[0].line == before + 1
    assert found[-1].line == before + code.count("\n") + 2


# Texts in which an expression with two readings of what repeats finds ever more of them.
ENDLESS = {
    "indices": "static int aa = 1; int bb() { return aa" + "[1]" * 20_000 + "; }",
    "open indices": "static int aa;\naa" + "[a" * 30_000,
    "factors": "if (x == " + "1 * " * 15_000 + "1) {}",
    "factors before": "1*" * 30_000,
    "digits": "if (x == " + "1" * 60_000 + ") {}",
    "one static variable again": "static int aa = 1;\n" * 3_000,
    "many static variables": "".join(f"static int a{at} = 1;\n" for at in range(3_000)),
    "first values": "static int a = b(c(\n" * 19_000,
    "chained macros": "".join(
        f"#define A{at} A{at + 1}\n#if A{at}\n" for at in range(3_000)
    ),
    "handed on": "static int aa = 1;" + "swap(" * 12_000,
    "constants": "static int aa = 1;" + "const " * 10_000,
    "attributes": "__attribute__((a" * 4_000 + "[[ " * 20_000,
    "conditions": "#if " * 15_000,
    "headers": "#include <" * 6_000,
    "comments in a directive": "#/*" * 20_000,
    "calls": "Sigmoid(" * 8_000 + "x Sigmoid<" * 6_000,
}


def test_no_text_of_sixty_thousand_characters_holds_the_program_up() -> None:
    """The process may compute for a minute for all of them; the first alone took days."""
    code = """import resource
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from tests.core.evaluation.test_integrity import ENDLESS, HONEST, kernel_path
from core.evaluation.integrity.verdict import violations
from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
for text in ENDLESS.values():
    files = dict(HONEST["AbsMath"])
    files[kernel_path(files)] += text
    violations(Candidate(files))
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT)
    assert ended.returncode == 0


def test_stripping_keeps_the_lines() -> None:
    text = 'a // x \\\n still comment\nb /* 1\n2 */ c "at::x // \\" no" d\n#include "k.h"\n'
    text += 'R"(system(\n))" e \'"\' f'
    source = read_source("op_kernel/a.cpp", text)
    assert source.code.count("\n") >= text.count("\n") - 1
    for gone in ("still", "at::", "system", "no"):
        assert gone not in source.code
    assert [
        part for part in "abcdef" if part in source.code.replace("include", "")
    ] == list("abcdef")


def test_a_broken_rule_is_the_verdict_and_nothing_is_compiled() -> None:
    evaluator = CommentEvaluator()
    files = dict(HONEST["RmsNorm"])
    path = host_path(files)
    files[path] += "\nauto y = at::rms_norm(x);\n"
    line = files[path].count("\n")

    async def judge() -> None:
        found = await Guarded(evaluator).evaluate(
            catalogue_operator("RmsNorm"), Candidate(files), lambda _text: None
        )
        assert found.verdict is VerdictClass.FAIL_INTEGRITY
        assert not found.correct
        assert f"{path}:{line}" in found.cause
        said = feedback_text(found, None)
        assert "framework-call" in said
        assert "Build failed" not in said

    asyncio.run(judge())
    assert evaluator.asked == []


def test_a_text_that_a_rule_fails_at_breaks_the_rules_and_ends_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a line number of 5,000 digits did, and names that stood for each other."""

    def fail_at(path: str, text: str) -> Source:
        return read_source(path, text[: int("9" * 5000)])

    monkeypatch.setattr("core.evaluation.integrity.verdict.read_source", fail_at)
    (broken,) = violations(Candidate({"op_kernel/a.cpp": "int a;"}))
    assert (broken.rule, broken.file) == (
        "integrity/unreadable-code",
        "op_kernel/a.cpp",
    )
    assert "ValueError in test_integrity.py" in broken.message


def test_the_rule_file_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "integrity.toml"
    assert load_rules(path) == shipped_rules()
    path.write_text(
        shipped_text()
        .replace("kept-state = true", "kept-state = false\nhidden-name = true")
        .replace("# Lerp", 'AbsMath = ["Abs"]\n# Lerp'),
        encoding="utf-8",
    )
    mine = load_rules(path)
    kernel = "static int n = 0;\nvoid f() { Abs(y, x, n++); }\n"
    assert violations(Candidate({"op_kernel/abs_math.cpp": kernel}), mine) == ()
    assert "Abs" in mine.denied(catalogue_operator("AbsMath"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("format = 2", "format"),
        ("format = 1\n[checks]\nkept-stat = true", "checks.kept-stat"),
        ("format = 1\n[deny]\nSwish = 'Silu'", "deny.Swish"),
        ("format = 1\n[[pattern]]\nname = 'x'", "pattern"),
        ("format = 1\nnonsense = 1", "nonsense"),
        (
            "format = 1\n[[pattern]]\nname='x'\npaper='p'\nwhere='any'\nregex='('\nmessage='m'",
            "regex",
        ),
    ],
)
def test_a_faulty_rule_file_is_refused_by_field(text: str, named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_rules(text, "integrity.toml")
    assert named in caught.value.field


def test_every_check_of_the_file_exists() -> None:
    assert shipped_rules().checks == frozenset(CHECKS)
