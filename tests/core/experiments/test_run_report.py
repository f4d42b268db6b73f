"""The page of a run: it holds what the workspace holds, says where latencies come from, and needs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.engine.forking import fork
from core.evaluation.records import TIME_MODEL
from core.experiments.reports.figures import speedups_figure
from core.experiments.reports.run_page import run_page
from core.experiments.reports.run_report import (
    RunReport,
    run_report,
    trajectories_since,
)
from core.experiments.running.trials import Trial
from core.models.prices import Prices
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.gui import sample_workspace

HOSTILE = "<script>alert(1)</script><img src=http://x/y>"
NAMES = {
    "AbsMath",
    "RmsNorm",
    "SwiGlu",
    "Ascend",
    "torch",
    "npu",
    "Fast",
    "self",
    "first",
    "best",
    "Token",
    "UTC",
    "CPU",
    "docs",
    "operators",
    "sage",
    "sample",
    "twin",
}
_LOADS = {
    "src",
    "href",
    "data",
    "action",
    "poster",
    "srcset",
    "background",
    "formaction",
    "xlink:href",
}


class Page(HTMLParser):
    """Text, tags, and what the page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.words: list[str] = []
        self.classes: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        self.classes += (found.get("class") or "").split()
        self.loads += [value or "" for name, value in attrs if name in _LOADS]
        assert not [name for name, _ in attrs if name.startswith("on")], (
            "no script in an attribute"
        )

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_workspace.build(tmp_path_factory.mktemp("run") / "sample.sage")


@pytest.fixture
def workspace(path: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open_readonly(path) as source:
        copy = source.backup(tmp_path / "copy.sage")
    with Workspace.open(copy) as opened:
        yield opened


def told(workspace: Workspace, **options: object) -> tuple[RunReport, str]:
    report = run_report(workspace, "sample", **options)
    return report, run_page(report)


def test_the_page_tells_operators_failures_memory_and_the_best_kernels_change(
    workspace: Workspace,
) -> None:
    report, text = told(workspace)
    page = Page(text)
    (story,) = report.stories
    assert (story.first.number, story.best.number) == (3, 6)
    assert "9.63 µs" in page.text
    assert "2.27×" in page.text
    assert "modelled by twin cycle model, Ascend910B1 model" in page.text
    assert page.text.count("modelled by") >= 3 + len(
        [r for r in story.rounds if r.latency]
    ), "every latency"
    assert dict(report.failures) == {"fail-build": 1, "fail-run": 1, "fail-result": 1}
    assert "1024 of 65536 elements differ, max abs 1.4" in page.text
    assert {"add", "del", "hunk", "file"} <= set(page.classes)
    assert "seed-0003" in page.text
    assert report.credits[0].uid == "seed-0005", "the largest change first"
    assert ("RmsNorm", "queued", "") in report.left


def test_the_page_loads_nothing_and_shows_texts_of_others_as_texts(
    workspace: Workspace,
) -> None:
    with workspace.transaction() as db:
        db.execute("UPDATE round SET cause = ? WHERE verdict = 'fail-run'", (HOSTILE,))
        db.execute("UPDATE trajectory SET stop_reason = ?", (HOSTILE,))
        db.execute("UPDATE item SET title = ? || uid", (HOSTILE,))
        db.execute("UPDATE queue_entry SET reason = ?, label = ?", (HOSTILE, HOSTILE))
        digest, files = db.execute(
            "SELECT digest, files FROM candidate JOIN round ON candidate = digest WHERE round = 6"
        ).fetchone()
        hostile = files.replace(
            '{"', f'{{"op_kernel/x.h": "{workspace.put_text(HOSTILE)}", "', 1
        )
        db.execute("UPDATE candidate SET files = ? WHERE digest = ?", (hostile, digest))
    page = Page(told(workspace)[1])
    assert not page.tags & {
        "script",
        "img",
        "iframe",
        "link",
        "object",
        "embed",
        "form",
        "base",
        "audio",
    }
    assert all(load.startswith("#") for load in page.loads), page.loads
    assert page.text.count("<script>alert(1)</script>") >= 5, (
        "title, cause, reason, label and diff"
    )


def test_the_page_can_be_read_in_the_dark_and_on_paper(workspace: Workspace) -> None:
    page = told(workspace)[1]
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6})", part))
        for part in style.split("prefers-color-scheme: dark")
    )
    for colours in (light, light | dark):
        grounds = [colours[name] for name in ("base", "side", "add", "del")]
        assert min(contrast(colours["ink"], ground) for ground in grounds) >= 7
        assert (
            min(
                contrast(colours[name], colours["base"])
                for name in ("muted", "mark", "good")
            )
            >= 4.5
        )

    assert "@media print" in style


def contrast(one: str, other: str) -> float:
    """Of WCAG 2."""

    def light(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_a_replay_has_its_watermark_and_a_live_run_its_tokens_and_cost(
    workspace: Workspace,
) -> None:
    report, text = told(workspace)
    assert "replayed" in report.watermarks
    assert 'content: "replayed"' in text
    with workspace.transaction() as db:
        db.execute("UPDATE trajectory SET provider_origin = 'live'")
        for number in range(3):
            db.execute(
                "INSERT INTO model_call(trajectory_uid, round, purpose, subject, attempt, prompt, reply, "
                "prompt_tokens, completion_tokens, cached_tokens, seconds, at) "
                "VALUES ('trajectory-1', ?, 'candidate', '', 1, '', '', 1000, 100, 0, 60, '')",
                (number,),
            )
    report, text = told(workspace, prices={"sample": Prices(1.0, 0.1, 10.0)})
    assert "replayed" not in report.watermarks
    assert 'content: "replayed"' not in text
    assert report.arms[0].tokens == 3300
    assert report.arms[0].cost == pytest.approx(0.006)
    assert "3,300 0.0060 3.0" in Page(text).text, "tokens, cost, minutes"


def test_what_a_person_edited_is_told_apart_and_is_in_no_figure(
    workspace: Workspace,
) -> None:
    before = told(workspace)[0]
    made = fork(workspace, "trajectory-1", 3, {"op_kernel/a.cpp": "int mine;"})
    with workspace.transaction() as db:
        db.execute(
            "UPDATE trajectory SET state = 'finished' WHERE uid = ?", (made.trajectory,)
        )
        db.execute(
            "UPDATE round SET verdict = 'fail-build', evaluation = (SELECT evaluation FROM round WHERE "
            "trajectory_uid = 'trajectory-1' AND verdict = 'fail-build') WHERE author = 'person'"
        )
    report, text = told(workspace)
    assert report.arms == before.arms, "neither rates nor cost count it"
    (edited,) = [story for story in report.stories if story.edited]
    assert [(one.number, one.copied, one.by_hand) for one in edited.rounds] == [
        (1, True, False),
        (2, True, False),
        (3, True, False),
        (4, False, True),
    ]
    assert (
        dict(report.failures)["fail-build"] == dict(before.failures)["fail-build"] + 1
    ), "no round twice"
    page = Page(text).text
    assert "yes · edited by a person" in page
    assert "earned no credit and counts in no figure" in page


def test_only_what_was_worked_on_since_is_told(workspace: Workspace) -> None:
    assert len(trajectories_since(workspace.db, "")) == 2
    later = trajectories_since(workspace.db, "2999-01-01T00:00:00+00:00")
    assert later == frozenset()
    report, text = told(workspace, only=later)
    assert report.stories == ()
    assert "No operator has a result yet" in Page(text).text


def test_the_command_writes_the_page_or_says_why_not(
    path: Path, tmp_path: Path
) -> None:
    def sage(*arguments: object) -> tuple[int, str]:
        found = CliRunner().invoke(
            main, ["report", "--workspace", str(path), *map(str, arguments)]
        )
        return found.exit_code, found.output

    out = tmp_path / "run.html"
    assert sage("--out", out)[0] == 0
    assert "AbsMath" in out.read_text()
    assert sage("--out", out, "--since", "2999-01-01")[0] == 0
    assert "No operator has a result yet" in out.read_text()
    code, words = sage("--out", tmp_path / "gone" / "run.html")
    assert code == 2
    assert "gone/run.html cannot be written" in words
    assert sage("--out", out, "--since", "yesterday")[0] == 2


def _timed(operator: str, best: float) -> Trial:
    """A correct operator whose first kernel took 100 us."""
    return Trial(
        arm="sage",
        backbone="model",
        repeat=1,
        operator=operator,
        level=1,
        reported=True,
        complete=True,
        confined=True,
        compiled=True,
        correct=True,
        paper=True,
        benchmark=True,
        ulp=True,
        t_first=100.0,
        t_best=best,
        t_reference=None,
        reference_of="",
        origin=f"modelled-{TIME_MODEL}",
        method="",
        model="model",
        model_origin="live",
        judge="",
        inputs="",
        memory="",
        rounds=1,
        model_calls=1,
        tokens=None,
        tokens_estimated=False,
        cost=None,
        seconds=None,
        trajectory=operator,
    )


def test_of_hundreds_of_operators_the_slowest_and_the_fastest_are_drawn() -> None:
    """A label for each of thousands took minutes and hundreds of megabytes."""
    few = speedups_figure([_timed("Abs", 50.0)], "sage")
    assert "Abs" in few
    trials = [_timed(f"Op{number:03d}x", 100.0 - number / 5) for number in range(400)]
    many = speedups_figure(trials, "sage")
    drawn = [trial.operator for trial in trials if trial.operator in many]
    assert drawn == [f"Op{number:03d}x" for number in (*range(75), *range(325, 400))]
    assert "smallest and largest of 400" in many
