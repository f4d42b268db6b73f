"""Each integrity rule catches a real offender and passes its honest look-alike."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from core.agent.prompt.feedback import feedback_text
from core.agent.reply.protocol import read_reply
from core.errors import InvalidInput
from core.evaluation.integrity.checks import CHECKS
from core.evaluation.integrity.rules import (
    load_rules,
    parse_rules,
    shipped_rules,
    shipped_text,
)
from core.evaluation.integrity.source import read_source
from core.evaluation.integrity.verdict import Guarded, violations
from core.evaluation.records import Candidate, VerdictClass
from core.operators.catalogue import catalogue_operator
from tests.core.agent.scripted import CommentEvaluator
from tests.scripted_session import RESOURCES, pack

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


FOREIGN = "foreign-include"
HONEST = {name: rows[-1] for name, rows in demo_kernels().items()}


def rules_broken(operator: str, files: dict[str, str]) -> list[str]:
    return [
        found.rule.removeprefix("integrity/")
        for found in violations(catalogue_operator(operator), Candidate(files))
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
    assert [rules_broken(operator, files) for files in demo_kernels()[operator]] == [
        [] for _ in demo_kernels()[operator]
    ]


IN_KERNEL = [
    ("SwiGlu", "AscendC::SwiGLU(y, a, b, 1.0f);", "high-level-substitution"),
    ("SwiGlu", "Silu<float, false>(y, a, 64);", "high-level-substitution"),
    (
        "SwiGlu",
        "auto act = AscendC::Sigmoid<float>; act(y, a, 64);",
        "high-level-substitution",
    ),
    (
        "SwiGlu",
        "namespace A = AscendC; A::Swish(y, a, 64, 1.0f);",
        "high-level-substitution",
    ),
    (
        "SwiGlu",
        "#define ACT Silu\nvoid f() { ACT(y, a, 64); }",
        "high-level-substitution",
    ),
    (
        "SwiGlu",
        "void Silu(int n) { AscendC::Silu(y, a, n); }",
        "high-level-substitution",
    ),
    (
        "SwiGlu",
        "#define GLUE(a, b) a##b\nvoid f() { GLUE(Si, lu)(y, a, 64); }",
        "hidden-name",
    ),
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
    ("AbsMath", "#ifdef __OPTIMIZE_SIZE__", "evaluator-branch"),
    ("RmsNorm", "#include <sys/stat.h>", "outside-world"),
    ("AbsMath", '#include "../../../reference/abs_math.h"', "foreign-include"),
    ("AbsMath", '#if 0\n#else\n#include "expert_abs.h"\n#endif', "foreign-include"),
    ("AbsMath", '#include "expert_abs.h"', "foreign-include"),
    ("AbsMath", '#include "tiling_base/expert_abs.h"', "foreign-include"),
    ("AbsMath", "void f() { twin::Current(); }", "judge-tampering"),
    ("AbsMath", "namespace tw = ::twin;", "judge-tampering"),
    ("AbsMath", "#ifdef TWIN_KERNEL_SIDE", "judge-tampering"),
    ("AbsMath", "#if !defined(__clang__) && 1", "evaluator-branch"),
    ("AbsMath", '#if __has_include("kernel_log.h")', "evaluator-branch"),
    (
        "AbsMath",
        '__attribute__((used, no_sanitize("thread"))) void f() {}',
        "hidden-code",
    ),
    ("AbsMath", '#pragma GCC optimize("Ofast")', "hidden-code"),
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
    found = violations(catalogue_operator(operator), Candidate(files))
    hits = [entry for entry in found if entry.rule == f"integrity/{rule}"]
    assert hits, found
    lines = files[path].split("\n")
    assert (hits[-1].file, lines[hits[-1].line - 1].strip()) in {
        (path, line.strip()) for line in code.split("\n")
    }


def test_a_carriage_return_alone_begins_a_line() -> None:
    files = dict(HONEST["AbsMath"])
    files[host_path(files)] += '\nint a;\r#include "../../expert.h"\n'
    assert rules_broken("AbsMath", files) == [FOREIGN]


def test_every_header_of_the_toolkit_may_be_named_in_quotes() -> None:
    table = (RESOURCES / "twin" / "headers.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(table)["header"]
    named = [name for group in groups for name in group["names"]]
    lines = "".join(f'#include "{name}"\n' for name in named)
    files = dict(HONEST["AbsMath"])
    files[kernel_path(files)] = f"{lines}{files[kernel_path(files)]}"
    assert "ascendc/host_api/tiling/template_argument.h" in named
    assert rules_broken("AbsMath", files) == []


def test_no_rule_is_without_an_offender_here() -> None:
    rules = shipped_rules()
    shown = {rule for _, _, rule in (*IN_KERNEL, *IN_HOST)}
    elsewhere = {"shape-detection"}  # the test below
    assert (
        shown | elsewhere == {pattern.name for pattern in rules.patterns} | rules.checks
    )


HONEST_LOOKS = [
    (
        "SwiGlu",
        "// not AscendC::SwiGLU(y, a, b): that is the operator itself",
        "high-level-substitution",
    ),
    (
        "SwiGlu",
        "/* Sigmoid(y, a, 64) is written out: no aclnnSwiGlu is called */",
        "built-in-operator",
    ),
    ("SwiGlu", 'void f() { printf("Silu(%d) at::sigmoid", 3); }', "framework-call"),
    (
        "SwiGlu",
        "class K { void Sigmoid(int n) { AscendC::Exp(y, a, n); } void Go() { Sigmoid(64); } };",
        "high-level-substitution",
    ),
    (
        "SwiGlu",
        "int SigmoidTile(int n) { return n; } int s = SigmoidTile(3);",
        "high-level-substitution",
    ),
    ("SwiGlu", "void f() { helper.Silu(3); }", "high-level-substitution"),
    ("SwiGlu", "#define TILE(n) ((n) * 2)\nint f() { return TILE(4); }", "hidden-name"),
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
    ("AbsMath", '#if 0\n#include "expert_abs.h"\n#endif', FOREIGN),
    (
        "AbsMath",
        "static std::map<int, int> kSize = {{0, 4}}; int f() { return kSize[0] + kSize.at(1); }",
        "kept-state",
    ),
    (
        "AbsMath",
        '#include "kernel_tiling/kernel_tiling.h"\n#include "iostream"\n#include "cstdio"',
        FOREIGN,
    ),
    ("AbsMath", '#include "stdarg.h"', FOREIGN),
    ("AbsMath", '#include "kernel_operator.h"\n#include "lib/matmul_intf.h"', FOREIGN),
    (
        "AbsMath",
        "void f() { if (n == 0 || n == 1 || cores == 24 || bytes == 4096) { return; } }",
        "shape-detection",
    ),
    (
        "AbsMath",
        "int filesystem_block = 512; int opened(int n); int system_cores = 20;",
        "outside-world",
    ),
    (
        "AbsMath",
        "int twin_rows = 2; class Twins { int Current() { return twin_rows; } };",
        "judge-tampering",
    ),
    (
        "AbsMath",
        "#if defined(__CCE_AICORE__) && __CCE_AICORE__ == 220\n#endif",
        "evaluator-branch",
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
    ("AbsMath", "#ifndef __OPTIMIZED_TRANSDUCER_H__", "evaluator-branch"),
    (
        "AbsMath",
        "struct A { static int k[] = {1}; }; struct B { static int k[] = {2}; }; int f() { return A::k[0]; }",
        "kept-state",
    ),
    (
        "RmsNorm",
        '#include "experiment/metadef/common/util/error_manager/error_manager.h"',
        FOREIGN,
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
    assert rules_broken(operator, files) == []


def test_no_rule_is_without_an_honest_look_alike_here() -> None:
    rules = shipped_rules()
    shown = {rule for _, _, rule in (*HONEST_LOOKS, *HONEST_HOSTS)}
    assert shown == {pattern.name for pattern in rules.patterns} | rules.checks


def test_tiling_tuned_to_the_cases_is_caught_and_thresholds_are_not() -> None:
    operator = catalogue_operator("AbsMath")
    counts = []
    for case in operator.cases:
        for made in case.inputs.values():
            count = 1
            for size in made.shape:
                count *= size
            counts.append(count)
    secret = max(count for count in counts if count & (count - 1))
    files = dict(HONEST["AbsMath"])
    path = host_path(files)
    honest = {
        **files,
        path: f"{files[path]}\nint t(int n) {{ return n > {secret} ? 2 : 1; }}\n",
    }
    assert rules_broken("AbsMath", honest) == []
    for cheat in (
        f"n == {secret}",
        f"n == {secret}u",
        f"{secret} == n",
        f"n != {secret}L",
    ):
        tuned = {
            **files,
            path: f"{files[path]}\nint t(int n) {{ return {cheat} ? 2 : 1; }}\n",
        }
        assert rules_broken("AbsMath", tuned) == ["shape-detection"], cheat


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("void f() { tw\\\nin::core(); }", "judge-tampering"),
        ("void f() { twin \\\n  ::core(); }", "judge-tampering"),
        ("#if\\\ndef __GNUC__\n#endif", "evaluator-branch"),
        ("%:ifdef __GNUC__\n%:endif", "evaluator-branch"),
        ("sta\\\ntic int n = 0; void f() { n++; }", "kept-state"),
    ],
)
def test_spliced_lines_and_digraphs_hide_nothing_and_move_nothing(
    code: str, rule: str
) -> None:
    files = dict(HONEST["AbsMath"])
    path = kernel_path(files)
    before = files[path].count("\n")
    files[path] += f"{code}\nvoid g() {{ twin::Current(); }}\n"
    found = violations(catalogue_operator("AbsMath"), Candidate(files))
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
    violations(catalogue_operator("SwiGlu"), Candidate(files))
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT)
    assert ended.returncode == 0


def test_headers_of_the_candidate_itself_are_its_own() -> None:
    files = dict(HONEST["AbsMath"])
    files["op_kernel/parts/tile.h"] = "#pragma once\n"
    files[kernel_path(files)] += (
        '\n#include "parts/tile.h"\n#include "../op_host/abs_math_tiling.h"\n'
    )
    assert rules_broken("AbsMath", files) == []


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
    assert source.includes()[0][:2] == ("k.h", True)


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


def test_the_rule_file_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "integrity.toml"
    assert load_rules(path) == shipped_rules()
    path.write_text(
        shipped_text()
        .replace("kept-state = true", "kept-state = false")
        .replace("# Lerp", 'AbsMath = ["Abs"]\n# Lerp'),
        encoding="utf-8",
    )
    mine = load_rules(path)
    operator = catalogue_operator("AbsMath")
    kernel = '#include "kernel_operator.h"\nstatic int n = 0;\nvoid f() { Abs(y, x, n++); DataCopy(a, b, 8); }\n'
    found = violations(operator, Candidate({"op_kernel/abs_math.cpp": kernel}), mine)
    assert [(entry.rule, entry.line) for entry in found] == [
        ("integrity/high-level-substitution", 3)
    ]


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
