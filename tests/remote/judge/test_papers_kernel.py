"""The kernel the paper prints: built and judged as it stands in the paper, which is read and not kept here.

It is one for decoding with pages: bfloat16, both rope parts, no page left out, none cut by a length, a page
as sparse block, at most 16 rows a page, a multiple of 8 pages. It was written for nothing else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from core.evaluation.integrity.verdict import violations
from core.evaluation.records import Candidate
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec
from remote.judge.judge import Judge
from tests.remote.helpers import ROOT, job, judge_job

PAPER = Path(
    os.environ.get("SAGE_PAPER") or ROOT.parent / "shared" / "paper" / "sage.tex"
)
PRINTED = re.compile(
    r"\\texttt\{(op\\_[^\n]*)\}\}\n\\begin\{lstlisting\}\[[^\n]*\]\n(.*?)\\end\{lstlisting\}",
    re.DOTALL,
)
CASE = """
[[case]]
name = "{name}"
dtype = ["bfloat16"]
timed = {timed}
attributes = {{ scale_value = 0.05, layout_kv = "PA_BSND", sparse_block_size = {rows}, sparse_mode = {mode} }}
inputs.query = {{ shape = [{batch}, {queries}, {heads}, 512], fill = "uniform(-1,1)" }}
inputs.key = {{ shape = [{blocks}, {rows}, 1, 512], fill = "uniform(-1,1)" }}
inputs.value = {{ shape = [{blocks}, {rows}, 1, 512], fill = "uniform(-1,1)" }}
inputs.sparse_indices = {{ shape = [{batch}, {queries}, 1, {pages}] }}
inputs.block_table = {{ shape = [{batch}, {pages}] }}
inputs.actual_seq_lengths_kv = {{ shape = [{batch}], fill = "integers({shortest},{longest})" }}
inputs.query_rope = {{ shape = [{batch}, {queries}, {heads}, 64], fill = "uniform(-1,1)" }}
inputs.key_rope = {{ shape = [{blocks}, {rows}, 1, 64], fill = "uniform(-1,1)" }}
"""

pytestmark = pytest.mark.skipif(
    not PAPER.is_file(), reason="the paper's source is not beside the checkout"
)


def case(
    name: str,
    batch: int,
    queries: int,
    heads: int,
    rows: int,
    pages: int,
    *,
    cut: bool = False,
) -> str:
    whole = rows * pages
    lengths = (whole // 2, whole // 2 + 1) if cut else (whole, whole + 1)
    return CASE.format(
        name=name,
        batch=batch,
        queries=queries,
        heads=heads,
        rows=rows,
        pages=pages,
        mode=0,
        blocks=batch * pages + 1,
        shortest=lengths[0],
        longest=lengths[1],
        timed="false" if cut else "true",
    )


@pytest.fixture(scope="module")
def kernel() -> Candidate:
    printed = PRINTED.findall(PAPER.read_text(encoding="utf-8"))
    return Candidate(
        {path.split("}")[0].replace("\\", ""): text for path, text in printed}
    )


def decoding(folder: Path, *, every_page: bool) -> OperatorSpec:
    """SparseFlashAttention of the catalogue, for decoding; `every_page`: a query selects all its pages."""
    known = ROOT / "resources" / "operators" / "SparseFlashAttention"
    text = (known / "operator.toml").read_text(encoding="utf-8").split("[[case]]")[0]
    text = text.replace('["float16", "bfloat16"]', '["bfloat16"]').replace(
        '["int32", "int32"]', '["int32"]'
    )
    cases = (
        case("eight-pages", 1, 1, 16, 16, 8),
        case("two-entries", 2, 2, 32, 16, 16),
        case("many-heads", 1, 1, 128, 16, 32),
        case("cut-by-the-length", 1, 1, 16, 16, 8, cut=True),
    )
    reference = (known / "reference.py").read_text(encoding="utf-8")
    drawn = "torch.randint(-(-most // 2), most + 1,"
    assert drawn in reference
    if every_page:
        reference = reference.replace(drawn, "torch.randint(most, most + 1,")
    place = folder / "SparseFlashAttention"
    place.mkdir()
    (place / "operator.toml").write_text(text + "".join(cases))
    (place / "reference.py").write_text(reference)
    return load_operator(place)


@pytest.mark.system
def test_it_is_right_for_what_it_was_written_for_and_no_rule_refuses_it(
    judge: Judge, build_cache: Path, kernel: Candidate, tmp_path: Path
) -> None:
    operator = decoding(tmp_path, every_page=True)
    assert violations(kernel) == ()
    cases = ["eight-pages", "two-entries", "many-heads"]
    result = judge_job(judge, job(operator, kernel, build_cache, cases))
    assert (result["verdict"], result["cause"]) == ("pass", "")
    assert [
        finding for finding in result["findings"] if finding["severity"] == "error"
    ] == []


def test_what_it_does_not_support_is_told(
    judge: Judge, build_cache: Path, kernel: Candidate, tmp_path: Path
) -> None:
    left_out = decoding(tmp_path, every_page=False)
    result = judge_job(judge, job(left_out, kernel, build_cache, ["eight-pages"]))
    assert result["verdict"] == "fail-run"
    assert "ub-overflow" in result["cause"], "page -1 is looked up"
    (tmp_path / "cut").mkdir()
    cut = decoding(tmp_path / "cut", every_page=True)
    result = judge_job(judge, job(cut, kernel, build_cache, ["cut-by-the-length"]))
    assert result["verdict"].startswith("fail")
