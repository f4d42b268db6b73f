"""Memories that travel: export, import into quarantine, merging in any order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from core.curation.curator import Curator
from core.errors import InvalidInput
from core.exchange.memory_file import export_bank, paper_item, read_bank
from core.exchange.merge import MergeReport, merge_bank
from core.memory.evidence import merged_into
from core.memory.records import Experience, ItemState, Origin, Scope
from core.memory.replay.credit import replay_credit
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.memory.views.queries import item_page
from core.workspace import Workspace
from tests.scenario import add_items, experience, play_episode

MakeStore = Callable[[str], MemoryStore]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeStore]:
    opened = []

    def open_store(name: str) -> MemoryStore:
        workspace = Workspace.open(tmp_path / f"{name}.sage")
        opened.append(workspace)
        return MemoryStore(workspace)

    yield open_store
    for workspace in opened:
        workspace.close()


def export(store: MemoryStore, folder: Path) -> Path:
    path = folder / f"{store.workspace.path.stem}.jsonl"
    path.write_text(export_bank(store.workspace.db), encoding="utf-8")
    return path


def merge(store: MemoryStore, path: Path, **options: object) -> MergeReport:
    return merge_bank(store, read_bank(path), source=path.name, **options)  # type: ignore[arg-type]


@pytest.fixture
def two_banks(make: MakeStore, tmp_path: Path) -> tuple[Path, Path]:
    """Two memories with a common past that went different ways."""
    common = make("common")
    add_items(common, 4)
    play_episode(common, "c1", {"m1": True, "m2": False}, operator="Abs")
    start = export(common, tmp_path)
    left, right = make("left"), make("right")
    for store in (left, right):
        merge(store, start, state=ItemState.ACTIVE)
    play_episode(left, "l1", {"m1": True, "m3": True}, operator="Lerp")
    Curator(left).edit("m2", experience(2, title="Left title", summary="left"))
    left.add_item(experience(10), origin=Origin.DISTILLED)
    play_episode(right, "r1", {"m1": True, "m2": True}, operator="Tril", correct=False)
    play_episode(right, "r2", {"m4": False}, operator="Lerp")
    Curator(right).edit("m2", experience(2, title="Right title"))
    right.set_rule("m4", "A rule.", "code();")
    return export(left, tmp_path), export(right, tmp_path)


def test_merging_in_both_orders_and_twice_gives_byte_equal_exports(
    make: MakeStore, two_banks: tuple[Path, Path]
) -> None:
    left, right = two_banks
    first, second = make("first"), make("second")
    for store, order in (
        (first, (left, right, left)),
        (second, (right, left, right, right)),
    ):
        for path in order:
            merge(store, path)
        assert verify(store.workspace) == ()
        assert store.workspace.check() == ()
    assert export_bank(first.workspace.db) == export_bank(second.workspace.db)
    item = first.item("m1")
    assert (item.n_ret, item.n_ado) == (3, 3)
    assert item.u_m == pytest.approx((1.0 + 0.5 - 0.1) / 3)
    assert set(item.adopted_operators) == {"Abs", "Lerp", "Tril"}
    assert item.n_elig == 4
    assert first.item("m4").rule_text == "A rule."


def test_what_both_changed_is_reported_and_nothing_is_lost(
    make: MakeStore, two_banks: tuple[Path, Path]
) -> None:
    left, right = two_banks
    store = make("target")
    merge(store, left)
    report = merge(store, right)
    assert [(c.uid, c.field, c.kept, c.other) for c in report.conflicts] == [
        ("m2", "title", "Right title", "Left title"),
    ]
    assert store.item("m2").summary == "left"  # changed on one side only
    assert report.added == ()
    assert report.updated == ("m2", "m4")
    assert report.credited == ("m1", "m2", "m4")
    history = {
        row[0]
        for row in store.workspace.db.execute("SELECT fields FROM content_change")
    }
    assert any("Left title" in fields for fields in history)
    again = merge(store, right)
    assert (again.updated, again.credited, again.episodes, again.conflicts) == (
        (),
        (),
        0,
        (),
    )
    assert again.unchanged == 4


def test_import_is_quarantined_and_a_rehearsal_changes_nothing(
    make: MakeStore, two_banks: tuple[Path, Path]
) -> None:
    store = make("target")
    plan = merge(store, two_banks[0], dry_run=True)
    assert len(plan.added) == 5
    assert plan.episodes == 2
    assert store.items() == ()
    assert merge(store, two_banks[0]) == plan
    assert {item.state for item in store.items()} == {ItemState.QUARANTINED}
    assert store.item("m1").state_reason == "merged from left.jsonl"
    Curator(store).accept("m1")
    play_episode(store, "own", {"m1": True}, operator="Own")
    assert store.item("m1").n_ret == 3
    assert verify(store.workspace) == ()


def test_a_team_s_file_of_an_older_release_is_merged(
    store: MemoryStore, make: MakeStore, tmp_path: Path
) -> None:
    add_items(store, 2)
    file = export(store, tmp_path)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows[1:]:
        row["item"]["author"] = "ada"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    assert merge(make("home"), file).added == ("m1", "m2")


def test_evidence_of_items_merged_at_home_travels_with_them(
    make: MakeStore, tmp_path: Path
) -> None:
    home, away, third = make("home"), make("away"), make("third")
    add_items(home, 2)
    play_episode(home, "h1", {"m1": True}, operator="Abs")
    play_episode(home, "h2", {"m2": True}, operator="Lerp")
    Curator(home).join("m1", "m2")
    merge(away, export(home, tmp_path), state=ItemState.ACTIVE)
    states = {item.uid: item.state for item in away.items()}
    assert states == {"m1": ItemState.ACTIVE, "m2": ItemState.ARCHIVED}
    assert (away.item("m1").n_ado, away.item("m1").u_m) == (2, home.item("m1").u_m)
    merge(third, export(away, tmp_path))
    assert third.item("m1").n_ado == 2
    assert merge(home, export(away, tmp_path)).unchanged == 2
    assert verify(third.workspace) == ()


def test_exchange_there_and_back_keeps_the_owner_s_evidence(
    make: MakeStore, tmp_path: Path
) -> None:
    home, away = make("home"), make("away")
    add_items(home, 2)
    play_episode(home, "h1", {"m1": True}, operator="Abs")
    before = home.items()
    merge(away, export(home, tmp_path), state=ItemState.ACTIVE)
    play_episode(away, "a1", {"m2": False}, operator="Lerp")
    report = merge(home, export(away, tmp_path))
    assert report.credited == ("m2",)
    assert home.item("m1") == before[0].__class__(
        **{**vars_of(before[0]), "n_elig": 2, "p_hat": 0.5}
    )
    assert home.item("m2").u_m == -0.2


def vars_of(item: object) -> dict[str, object]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda rows: rows[1:], "line 1"),
        (
            lambda rows: [rows[0].replace('"format":3', '"format":4'), *rows[1:]],
            "format",
        ),
        (
            lambda rows: [
                rows[0],
                rows[1].replace('"uid":"m1"', '"uid":"../x\\n### y"'),
            ],
            "no name of an item",
        ),
        (
            lambda rows: [rows[0], rows[1].replace("rule number 1", "t" * 70_000)],
            "at most 65536 fit",
        ),
        (lambda rows: [rows[0], "{not json", *rows[1:]], "line 2"),
        (
            lambda rows: [rows[0], rows[1].replace('"u_m":', '"u_m":"x",'), *rows[2:]],
            "line 2",
        ),
        (
            lambda rows: [
                rows[0],
                rows[1].replace('"category":"Math"', '"category":" "'),
                *rows[2:],
            ],
            "category",
        ),
        (
            lambda rows: [
                rows[0],
                rows[1].replace('"fields":{', '"fields":{"state":"x",'),
                *rows[2:],
            ],
            "changes",
        ),
    ],
)
def test_damaged_files_are_refused_with_the_place(
    store: MemoryStore,
    tmp_path: Path,
    change: Callable[[list[str]], list[str]],
    place: str,
) -> None:
    add_items(store, 1)
    path = export(store, tmp_path)
    path.write_text("\n".join(change(path.read_text().splitlines())))
    with pytest.raises(InvalidInput, match=place):
        read_bank(path)


def test_paper_export_has_exactly_the_schema(store: MemoryStore) -> None:
    add_items(store, 1)
    play_episode(store, "e1", {"m1": True}, operator="GroupGemm")
    row = json.loads(paper_item(store.item("m1"), None))
    paper = (
        "id, title, type, category, error_message, code_diff, summary, u_m, n_ret, n_ado, adopted_operators, "
        "sigma, "
        "L_m, hot_region, hot_last_used_episode, p_hat, n_elig, density"
    )
    assert list(row) == paper.split(", ")
    assert row["code_diff"] == {
        "wrong_code": "wrong_1();",
        "correct_code": "right_1();",
    }
    assert (row["sigma"], row["hot_region"], row["adopted_operators"]) == (
        "normal",
        False,
        ["GroupGemm"],
    )


def test_a_merged_and_joined_memory_replays_to_its_own_utilities(
    make: MakeStore, two_banks: tuple[Path, Path]
) -> None:
    """`sage memory export --credit atu` is the control: under its own rule a memory finds what it stores."""
    store = make("target")
    for path in two_banks:
        merge(store, path)
    play_episode(store, "here", {"m1": False, "m4": True}, operator="Gelu")
    Curator(store).join("m1", "m2")
    rows = replay_credit(store.workspace)
    assert {row.uid for row in rows} >= {"m1", "m4"}
    assert "m2" not in {row.uid for row in rows}  # is a part of m1 now
    assert [row for row in rows if row.replayed != row.stored] == []
    uniform = {
        row.uid: row.replayed
        for row in replay_credit(store.workspace, credit_rule="uniform")
    }
    assert uniform["m4"] == pytest.approx(1.0)


def test_an_item_shows_the_credit_it_was_given_elsewhere(
    make: MakeStore, two_banks: tuple[Path, Path]
) -> None:
    store = make("target")
    merge(store, two_banks[0])
    merge(store, two_banks[1])
    play_episode(store, "here", {"m1": False}, operator="Gelu")
    earned = item_page(store.workspace.db, "m1").credits
    assert [credit.operator for credit in earned] == ["Abs", "Lerp", "Tril", "Gelu"]
    assert [bool(credit.seq) for credit in earned] == [False, False, False, True]
    assert earned[-1].u_after == store.item("m1").u_m
    assert all(one.u_after == two.u_before for one, two in pairwise(earned))


def test_the_same_scope_spelled_shorter_is_the_same(
    make: MakeStore, tmp_path: Path
) -> None:
    """Files leave out what holds everywhere; that once gave the item another hash and false conflicts."""
    short = msgspec.json.decode(
        b'{"title": "t", "type": "x", "category": "c", "scope": {"soc": ["A"]}}',
        type=Experience,
    )
    whole = Experience("t", "x", "c", scope=Scope(soc=("A",)))
    assert msgspec.json.encode(short) == msgspec.json.encode(whole)
    left, right = make("left"), make("right")
    assert left.add_item(short, origin=Origin.USER) == right.add_item(
        whole, origin=Origin.USER
    )
    text = export_bank(left.workspace.db)
    for field in ("cann", "dtype", "work"):
        text = re.sub(rf',?\\"{field}\\":\[\],?', "", text)
    assert '{\\"soc\\":[\\"A\\"]}' in text  # as an older release wrote it
    path = tmp_path / "old.jsonl"
    path.write_text(text, encoding="utf-8")
    report = merge(right, path)
    assert (report.added, report.updated, report.conflicts) == ((), (), ())
    assert verify(right.workspace) == ()


def test_a_broken_scope_in_a_file_is_refused_with_its_line(
    make: MakeStore, tmp_path: Path
) -> None:
    store = make("left")
    store.add_item(experience(1), origin=Origin.USER)
    text = export_bank(store.workspace.db).replace('\\"dtype\\":[]', '\\"dtype\\":7')
    path = tmp_path / "broken.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 2"):
        read_bank(path)


def test_what_was_merged_into_an_item_is_looked_up_not_searched_for(
    make: MakeStore,
) -> None:
    """A whole look through the items for each of 10,000 made an export take minutes."""
    db = make("left").workspace.db
    seen: list[str] = []
    db.set_trace_callback(seen.append)
    merged_into(db, (1,))
    db.set_trace_callback(None)
    plan = "\n".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {seen[-1]}"))
    assert "item_merged" in plan
    assert "SCAN item\n" not in plan + "\n"


@pytest.mark.parametrize("first", ["rule", "pin"])
@pytest.mark.parametrize("taken_back", [False, True])
def test_a_pin_is_not_a_rule_and_wins_over_none(
    make: MakeStore, tmp_path: Path, first: str, taken_back: bool
) -> None:
    """Pinning an item without a rule writes its title down as one; a rule somebody wrote stands above it."""
    start, wrote, pinned = make("start"), make("wrote"), make("pinned")
    add_items(start, 1)
    for store in (wrote, pinned):
        merge(store, export(start, tmp_path), state=ItemState.ACTIVE)

    def pin() -> None:
        Curator(pinned).pin("m1")
        if taken_back:
            Curator(pinned).undo()

    steps = [
        lambda: wrote.set_rule("m1", "Copy tails with DataCopyPad.", "code();"),
        pin,
    ]
    for step in steps if first == "rule" else reversed(steps):
        step()
    banks = [export(store, tmp_path) for store in (wrote, pinned)]
    merges = [merge(wrote, banks[1]), merge(pinned, banks[0])]
    for store in (wrote, pinned):
        item = store.item("m1")
        assert (item.rule_text, item.rule_example) == (
            "Copy tails with DataCopyPad.",
            "code();",
        )
        assert not item.auto_title
        assert verify(store.workspace) == ()
    assert [report.conflicts for report in merges] == [(), ()]
    assert export_bank(wrote.workspace.db) == export_bank(pinned.workspace.db)
    assert pinned.item("m1").pinned is not taken_back


def test_a_title_that_serves_as_rule_follows_the_title(
    make: MakeStore, tmp_path: Path
) -> None:
    left, right = make("left"), make("right")
    add_items(left, 1)
    merge(right, export(left, tmp_path), state=ItemState.ACTIVE)
    Curator(right).pin("m1")
    Curator(left).edit("m1", experience(1, title="a better title"))
    merge(right, export(left, tmp_path))
    assert (right.item("m1").title, right.item("m1").rule_text) == (
        "a better title",
        "a better title",
    )
    assert right.item("m1").auto_title


def test_what_earlier_releases_wrote_of_used_residents_counts_nothing(
    store: MemoryStore, tmp_path: Path
) -> None:
    """They are no retrievals, and residents earn no credit (docs/method.md, O)."""
    add_items(store, 2)
    play_episode(store, "e", {"m1": True})
    lines = export_bank(store.workspace.db).splitlines()
    episode = json.loads(lines[-1])
    episode["episode"]["credit"]["m2"] = {"adopted": False, "xi": 1.0, "resident": True}
    file = tmp_path / "memory.jsonl"
    header = lines[0].replace('"format":1', '"format":2')
    file.write_text("\n".join([header, *lines[1:-1], json.dumps(episode)]) + "\n")
    with Workspace.open(tmp_path / "other.sage") as other:
        target = MemoryStore(other)
        merge_bank(target, read_bank(file), source="bank", state=ItemState.ACTIVE)
        evidence = {item.uid: (item.u_m, item.n_ret) for item in target.items()}
        assert evidence == {"m1": (1.0, 1), "m2": (0.0, 0)}
        assert verify(other) == ()


def test_an_archived_item_takes_its_credit_along(
    make: MakeStore, tmp_path: Path
) -> None:
    home, team, backup = make("home"), make("team"), make("backup")
    add_items(home, 2)
    merge(team, export(home, tmp_path), state=ItemState.ACTIVE)
    play_episode(home, "e", {"m1": True})
    Curator(home).archive("m1")
    file = export(home, tmp_path)
    assert merge(team, file).credited == ("m1",)
    assert (team.item("m1").n_ret, team.item("m1").state) == (1, ItemState.ACTIVE)
    merge(backup, file)
    assert (backup.item("m1").n_ret, backup.item("m1").state) == (
        1,
        ItemState.ARCHIVED,
    )
    assert merge(backup, export(team, tmp_path)).unchanged == 2
    assert backup.item("m1").state is ItemState.QUARANTINED  # in use by somebody
    for store in (home, team, backup):
        assert verify(store.workspace) == ()


def test_credit_counts_for_items_a_file_of_an_older_release_leaves_out(
    make: MakeStore, tmp_path: Path
) -> None:
    home, team = make("home"), make("team")
    add_items(home, 2)
    merge(team, export(home, tmp_path), state=ItemState.ACTIVE)
    play_episode(home, "e", {"m1": True})
    file = export(home, tmp_path)
    lines = file.read_text().splitlines()
    file.write_text("\n".join(line for line in lines if '"uid":"m1"' not in line))
    assert merge(team, file).credited == ("m1",)
    assert verify(team.workspace) == ()


def test_two_files_in_one_are_merged_as_two(
    make: MakeStore, two_banks: tuple[Path, Path], tmp_path: Path
) -> None:
    """`cat a.jsonl b.jsonl`; a uid that is new and stands there twice."""
    joined = tmp_path / "joined.jsonl"
    joined.write_text("".join(path.read_text() for path in two_banks))
    one, two = make("one"), make("two")
    merge(one, joined)
    for path in two_banks:
        merge(two, path)
    assert export_bank(one.workspace.db) == export_bank(two.workspace.db)


def test_the_index_of_a_merged_memory_is_kept_for_readers(
    make: MakeStore, tmp_path: Path
) -> None:
    """Each search of one that was never run built it again, 6.5 s for 10,000 items."""
    home, team = make("home"), make("team")
    add_items(home, 3)
    merge(team, export(home, tmp_path), state=ItemState.ACTIVE)
    indexed = team.workspace.db.execute("SELECT count(*) FROM document").fetchone()[0]
    assert indexed == 3
