"""Screening, distillation without a model, duplicates, merging two items, snapshots, recounting."""

from __future__ import annotations

import pytest

from core.agent.learning.distillation import Attempt, extract
from core.agent.learning.mining import NotDisjoint, mine
from core.curation.curator import Curator
from core.curation.duplicates import find_duplicates
from core.errors import SageError
from core.memory.reading import read_effect
from core.memory.records import CodeDiff, ItemState, Origin
from core.memory.replay.verification import verify
from core.memory.screening import screen
from core.memory.snapshots import begin_session, diff_snapshots, restore_snapshot
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.method.parameters import MethodParameters
from tests.scenario import add_items, experience, play_episode


@pytest.mark.parametrize(
    "changes",
    [
        {
            "summary": "Keeping a harmless EXEC_NPU_CMD fallback helper preserved compatibility."
        },
        {
            "summary": "If forward invokes layers the hack filter rejects the kernel; hide them."
        },
        {
            "summary": "Keep the call for show and execute the real recurrent computation on CPU."
        },
        {"title": "Return the reference output when shapes are odd"},
        {"summary": "Hard-code the expected results of the test cases."},
        {"summary": "Do the reduction on the CPU, the kernel only copies."},
        {"summary": "Call torch.abs instead of the kernel when the shape is odd."},
        {"title": "Delegate to aclnnSoftmax for the hard part"},
        {"summary": "Relax the comparison tolerance until half passes."},
        {"summary": "Detect the hidden test shapes and return early."},
        {"code_diff": CodeDiff("", "auto y = at::softmax(x, 1);")},
        {"code_diff": CodeDiff("", "auto y = at::native::softmax(x, 1);")},
        {
            "code_diff": CodeDiff(
                "", "auto y = torch::nn::functional :: softmax(x, options);"
            )
        },
        {"code_diff": CodeDiff("", 'auto s = "//"; return torch::softmax(x, 1);')},
        {
            "code_diff": CodeDiff(
                "",
                "namespace F = torch::nn::functional;\nreturn F::softmax(x, options);",
            )
        },
        {"code_diff": CodeDiff("", "using at::softmax;\nreturn softmax(x, 1);")},
        {"code_diff": CodeDiff("", "aclnnConvolutionGetWorkspaceSize(x);")},
        {"code_diff": CodeDiff("", "return x.cpu();")},
    ],
)
def test_lessons_of_evasion_go_to_quarantine_with_the_reason(
    store: MemoryStore, changes: dict[str, object]
) -> None:
    uid = store.add_item(experience(1, **changes), origin=Origin.DISTILLED)
    item = store.item(uid)
    assert item.state is ItemState.QUARANTINED
    assert "“" in item.state_reason
    Curator(store).accept(uid, reason="looked at it")  # a person decides
    assert store.item(uid).state is ItemState.ACTIVE


@pytest.mark.parametrize(
    "changes",
    [
        {
            "summary": "The host CPU cannot dereference what GetData returns; read it on the device."
        },
        {
            "summary": "Compute in float32 and cast back: it then matches the reference within an ulp."
        },
        {
            "code_diff": CodeDiff(
                "at::relu(x);", "// at::relu(x) is not ours\nRelu(y, x, n);"
            )
        },
        {
            "code_diff": CodeDiff(
                "", "using at::Tensor;\nauto y = at::native::empty_like(x);"
            )
        },
        {"summary": "Use torch.float32 inputs to see whether rounding is the cause."},
        {
            "error_message": "aclnnLerpCustom or aclnnLerpCustomGetWorkspaceSize not in libopapi.so"
        },
        {"summary": "Do the division of sizes on the host, in the tiling function."},
        {
            "title": "Double buffering hides the copy time",
            "summary": "Check the size of UB.",
        },
    ],
)
def test_honest_lessons_pass(changes: dict[str, object]) -> None:
    assert screen(experience(1, **changes)) == ""


FILES = {"op_kernel/lerp.cpp": "A\nB\nDataCopy(x, y, 44);\nC\nD\n"}
FIXED = {
    "op_kernel/lerp.cpp": "A\nB\nDataCopyPad(x, y, {1, 44, 0, 0, 0}, pad);\nC\nD\n"
}
FASTER = {
    "op_kernel/lerp.cpp": "A\nB2\nDataCopyPad(x, y, {1, 44, 0, 0, 0}, pad);\nC\nD\n"
}


def test_a_trajectory_teaches_without_a_model() -> None:
    attempts = [
        Attempt(1, "fail-run", "DataCopy of 44 bytes at line 3", "", FILES),
        Attempt(
            2, "fail-run", "DataCopy of 40 bytes at line 3", "still the tail", FILES
        ),
        Attempt(
            3,
            "pass",
            "",
            "The tail is not a multiple of 32 bytes. Pad it.",
            FIXED,
            20.0,
        ),
        Attempt(
            4,
            "pass",
            "",
            "One buffer makes copy and compute wait. Use two.",
            FASTER,
            12.0,
        ),
        Attempt(5, "pass", "", "noise", FIXED, 11.9),
    ]
    fix, speed = extract("Lerp", "Math", attempts)
    assert (fix.type, fix.error_message) == (
        "runtime_failure",
        "DataCopy of 40 bytes at line 3",
    )
    assert "DataCopy(x, y, 44);" in fix.code_diff.wrong_code
    assert "DataCopyPad" in fix.code_diff.correct_code
    assert (
        "A" not in fix.code_diff.wrong_code.split()
    )  # only the change and a line around it
    assert fix.summary.endswith("the kernel passed.")
    assert (speed.type, speed.title) == (
        "performance",
        "One buffer makes copy and compute wait.",
    )
    assert "40%" in speed.summary
    assert speed.source == "extracted from rounds 3 and 4 of Lerp"


def test_nothing_is_learned_from_a_trajectory_that_goes_nowhere() -> None:
    same = [
        Attempt(n, "fail-build", f"line {n}: unknown name", "", FILES)
        for n in range(1, 5)
    ]
    assert extract("Lerp", "Math", same) == ()
    assert extract("Lerp", "Math", []) == ()


def test_duplicates_are_proposed_with_the_better_proven_one_first(
    store: MemoryStore,
) -> None:
    add_items(store, 3)
    store.add_item(
        experience(20, title="Rule number 2!"),
        origin=Origin.DISTILLED,
        uid="same-title",
    )
    store.add_item(
        experience(3, title="rule number 3 again", source="x"),
        origin=Origin.DISTILLED,
        uid="same-words",
    )
    play_episode(store, "e1", {"same-words": True})
    pairs = {
        (pair.kept, pair.other): pair.reason
        for pair in find_duplicates(store.workspace.db)
    }
    assert pairs[("m2", "same-title")] == "same title"
    assert pairs[("same-words", "m3")] == "same words"
    assert len(store.items(states=(ItemState.ACTIVE,))) == 5  # nothing was merged


def test_merging_two_items_joins_their_evidence_and_can_be_undone(
    store: MemoryStore,
) -> None:
    add_items(store, 3)
    play_episode(store, "e1", {"m1": True, "m2": False}, operator="A")
    play_episode(store, "e2", {"m2": True}, operator="B")
    play_episode(store, "e3", {"m1": False, "m3": True}, operator="C")
    before = store.items()
    curator = Curator(store)
    curator.join("m1", "m2")
    kept, gone = store.item("m1"), store.item("m2")
    assert (kept.n_ret, kept.n_ado, kept.adopted_operators) == (3, 2, ("A", "B"))
    assert kept.u_m == pytest.approx((1.0 + 1.0 - 0.2) / 3)
    assert gone.state is ItemState.ARCHIVED
    assert gone.state_reason == "merged into m1"
    assert verify(store.workspace) == ()
    with pytest.raises(SageError, match="cannot be joined"):
        curator.join("m3", "m2")
    curator.join("m3", "m1")
    assert store.item("m3").n_ado == 3  # what was merged into m1 comes along
    curator.undo()
    curator.undo()
    assert store.items() == before
    assert verify(store.workspace) == ()


@pytest.fixture
def two_residents(store: MemoryStore) -> MemoryStore:
    add_items(store, 3)
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True, "m2": True}, operator=operator)
    store.set_rule("m1", "First rule.")
    play_episode(store, "one", {})
    store.set_rule("m2", "Second rule.")
    play_episode(store, "two", {}, used=("m1",))
    return store


def test_snapshots_can_be_compared_and_restored_as_a_new_state(
    two_residents: MemoryStore,
) -> None:
    store = two_residents
    one, two = (read_effect(store.workspace.db, uid).seq for uid in ("one", "two"))
    diff = diff_snapshots(store.workspace.db, one, two)
    assert [entry.title for entry in diff.added] == ["rule number 2"]
    assert [change.after.id for change in diff.changed] == [1]
    assert diff.removed == ()
    assert diff.changed[0].after.p_hat > diff.changed[0].before.p_hat
    before = store.items()
    restore_snapshot(store.workspace, one)
    assert [item.uid for item in store.residents()] == ["m1"]
    assert restore_snapshot(store.workspace, one) == 0
    assert verify(store.workspace) == ()
    Curator(store).undo()
    assert store.items() == before
    Curator(store).archive("m2")
    with pytest.raises(SageError, match="m2 is archived"):
        restore_snapshot(store.workspace, two)


class LetterCounter:
    """A counter that charges every character."""

    id = "letters"

    def count(self, text: str) -> int:
        return len(text)


def test_a_new_counter_recounts_every_rule_in_one_event(
    two_residents: MemoryStore,
) -> None:
    store = MemoryStore(two_residents.workspace, LetterCounter())
    before = store.items()
    curator = Curator(store, parameters=MethodParameters(B=24 + 45))
    seq = curator.recount()
    costs = {
        item.uid: (item.L_m, item.tokenizer_id)
        for item in store.items()
        if item.rule_text
    }
    assert costs == {
        "m1": (len("- [m1] rule number 1: First rule.\n"), "letters"),
        "m2": (len("- [m2] rule number 2: Second rule.\n"), "letters"),
    }
    assert len(store.residents()) == 1  # both no longer fit
    assert curator.recount() == 0
    assert verify(store.workspace) == ()
    curator.undo(seq)
    assert store.items() == before


def test_mining_finds_what_the_expert_does_and_refuses_evaluation_operators() -> None:
    candidate = {
        "op_kernel/add.cpp": "// DataCopyPad would be better\nDataCopy(x, y, n);\nAdd(z, x, y, n);"
    }
    calls = (
        "auto id = GetBlockIdx();",
        "DataCopyPad(x, y, p, q);",
        "Muls(z, x, 2, n);",
        "Add(z, x, y, n);",
    )
    expert = {"op_kernel/add.cpp": "\n".join(calls)}
    drafts = mine("Add", "Math", candidate, expert, evaluated=["Lerp"])
    titles = [draft.title for draft in drafts]
    assert titles[0] == "Split the work over all cores"
    assert "Pad copies whose length is not a multiple of 32 bytes" in titles
    assert (
        titles[-1]
        == "Calls an expert uses for Math operators: DataCopyPad, GetBlockIdx, Muls"
    )
    assert "DataCopyPad(x, y, p, q);" in drafts[1].code_diff.correct_code
    assert mine("Add", "Math", expert, expert, evaluated=[]) == ()
    with pytest.raises(NotDisjoint, match="evaluation operator"):
        mine("add", "Math", candidate, expert, evaluated=["Add"])


def test_each_session_of_evolution_has_its_number_and_an_idle_one_leaves_no_gap(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    for session in range(4):
        begin_session(store.workspace)
        if session != 1:
            play_episode(store, f"e{session}", {"m1": True})
    assert sorted(
        {snap.session_id for _, snap in queries.snapshots(store.workspace.db)}
    ) == [1, 2, 3]
    assert verify(store.workspace) == ()
