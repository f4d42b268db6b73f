"""The use of resident rules is asked for, never guessed: silence is not "none", a wrong name is reported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from core.agent.reply.gate import validate_reply
from core.agent.reply.protocol import read_reply
from core.agent.reply.reply_edits import combine
from core.agent.run.records import CorrectionAsked, ProgressNote, StopKind
from core.curation.curator import Curator
from core.memory.replay.verification import verify
from core.models.port import ModelRequest, Purpose
from core.replay.provider import ReplayProvider
from core.replay.session_file import Session, SessionReply
from tests.core.agent.scripted import Model, files, reply_text, session
from tests.scenario import PlayedOperator

FILES = "## Files\n### op_host/a.cpp\n```\nh\n```\n### op_kernel/a.cpp\n```\nk\n```\n"
USED = "## Resident rules used\n"


def messages(text: str, residents: Sequence[str] = ("m1", "m2")) -> list[str]:
    found = validate_reply(
        read_reply(text), (), {}, may_finish=True, residents=residents
    )
    return [complaint.message for complaint in found]


@pytest.mark.parametrize(
    "said", ["none", "None.", "- none", "(none)", "*none*", "N/A", "no rules", "无"]
)
def test_none_is_an_answer(said: str) -> None:
    assert messages(f"{USED}{said}\n{FILES}") == []


@pytest.mark.parametrize("section", ["", USED, f"{USED}I kept m1 in mind.\n"])
def test_silence_is_asked_about_when_and_only_when_rules_were_listed(
    section: str,
) -> None:
    (message,) = messages(section + FILES)
    assert "`## Resident rules used`" in message
    assert "none" in message
    assert messages(section + FILES, residents=()) == []


def test_unknown_rules_are_reported_back() -> None:
    (message,) = messages(f"{USED}- [m1]: tail\n- [m7]: made up\n{FILES}")
    assert "[m7]" in message
    assert "[m1]" not in message


def test_the_last_word_on_the_rules_counts_and_a_correction_may_leave_them_out() -> (
    None
):
    first = read_reply(f"{USED}- [m1]: tail\n- [m7]: made up\n{FILES}")
    again = combine(first, read_reply(f"{USED}- [m2]: queues\n"))
    assert [use.uid for use in again.resident] == ["m2"]
    silent = combine(again, read_reply("## Adoption\n- [m3] adopted: x\n"))
    assert [use.uid for use in silent.resident] == ["m2"]
    assert silent.resident_stated


def test_a_reply_that_ends_the_episode_is_not_asked() -> None:
    assert messages("## Done\nno gain left\n") == []


# ---- in the loop


def resident(bench: PlayedOperator, uid: str = "seed-0001") -> float:
    """Make an item resident, well used so far; returns its access frequency."""
    Curator(bench.store).pin(uid)
    bench.workspace.db.execute("UPDATE item SET p_hat_ema = 0.5 WHERE uid = ?", (uid,))
    return bench.store.item(uid).p_hat


def replies(*sections: str) -> Callable[[ModelRequest], str]:
    """Sends a correct kernel with the section at first, then corrections with the others; never optimizes."""

    def answer(request: ModelRequest) -> str:
        records = dict.fromkeys(request.retrieved, "not_adopted")
        if request.purpose is Purpose.CORRECTION:
            return sections[request.attempt]
        if request.purpose is Purpose.CANDIDATE:
            return reply_text(records, files("AbsMath", "pass 9.0")).replace(
                f"{USED}none\n", sections[0]
            )
        if request.purpose is Purpose.REPAIR:
            return reply_text(records, {}).replace("## Files", "## Done\nno idea left")
        return "nothing"

    return answer


def asked(bench: PlayedOperator) -> list[str]:
    found = [event for event in bench.events if isinstance(event, CorrectionAsked)]
    return [message for event in found for message in event.complaints]


def test_a_missing_section_is_asked_for_and_the_answer_is_stored(
    bench: PlayedOperator,
) -> None:
    before = resident(bench)
    model = Model(replies("", f"{USED}- [seed-0001]: in the copy\n"))
    asyncio.run(bench.run(model))
    assert len(asked(bench)) == 1
    assert bench.rows("SELECT round, rationale, counted FROM hot_use") == [
        (1, "in the copy", 1)
    ]
    assert bench.store.item("seed-0001").p_hat > before
    prompt = model.requests[0].messages[0].content
    assert (
        "`## Resident rules used` is needed when this prompt lists resident rules"
        in prompt
    )


def test_a_rule_of_the_models_own_making_is_asked_about(bench: PlayedOperator) -> None:
    resident(bench)
    sections = (
        f"{USED}- [seed-0001]: tail\n- [seed-9999]: ?\n",
        f"{USED}- [seed-0001]: tail\n",
    )
    asyncio.run(bench.run(replies(*sections)))
    (message,) = asked(bench)
    assert "[seed-9999]" in message
    assert bench.rows("SELECT count(*) FROM hot_use") == [(1,)]


def test_without_resident_rules_nothing_is_asked(bench: PlayedOperator) -> None:
    asyncio.run(bench.run(replies("")))
    assert asked(bench) == []
    assert bench.rows("SELECT residents_stated FROM round WHERE round = 1") == [(None,)]


def test_none_lets_the_frequency_fall(bench: PlayedOperator) -> None:
    before = resident(bench)
    asyncio.run(bench.run(replies(f"{USED}none\n")))
    assert bench.store.item("seed-0001").p_hat < before


def test_a_model_that_never_says_ends_the_episode_as_one_without_adoption_records_does(
    bench: PlayedOperator,
) -> None:
    resident(bench)
    stop = asyncio.run(bench.run(replies("", FILES, FILES, FILES)))
    assert stop.kind is StopKind.UNRESOLVED
    assert bench.evaluator.asked == []


def recorded(section: str, *corrections: str) -> Session:
    """AbsMath as recorded with a memory where seed-0001 was pinned; its first reply has that section."""
    whole = session(("AbsMath",))
    rows: list[SessionReply] = []
    for row in whole.replies:
        if row.round > 1:
            continue
        if row.purpose == "candidate":
            text = reply_text(
                {"seed-0002": "not_adopted"}, files("AbsMath", "pass 9.0")
            )
            retrieved = ("seed-0002",)
            rows.append(
                replace(
                    row,
                    text=text.replace(f"{USED}none\n", section),
                    retrieved=retrieved,
                )
            )
            rows += [
                replace(
                    row,
                    purpose="correction",
                    attempt=number,
                    text=text,
                    retrieved=retrieved,
                )
                for number, text in enumerate(corrections, start=1)
            ]
        else:
            rows.append(row)
    return replace(whole, replies=tuple(rows))


@pytest.mark.parametrize("section", ["", f"{USED}- [seed-9999]: ?\n"])
def test_a_recording_that_never_asked_is_played_as_it_is(
    bench: PlayedOperator, section: str
) -> None:
    """What was not stated is recorded as that: nothing is used, and nothing is taken for unused."""
    before = resident(bench)
    stop = asyncio.run(bench.run(ReplayProvider(recorded(section))))
    assert stop.kind is StopKind.CORRECT
    assert asked(bench) == []
    assert bench.verdicts()[0] == ("corr", "pass")
    stated = int(bool(section))
    assert bench.rows("SELECT residents_stated FROM round WHERE round = 1") == [
        (stated,)
    ]
    after = bench.store.item("seed-0001").p_hat
    assert after == before if not section else after < before
    notes = [event.text for event in bench.events if isinstance(event, ProgressNote)]
    assert any("seed-9999" in note for note in notes) is bool(section)


def test_a_recording_that_was_asked_is_played_with_its_answer(
    bench: PlayedOperator,
) -> None:
    resident(bench)
    asyncio.run(
        bench.run(ReplayProvider(recorded("", f"{USED}- [seed-0001]: in the copy\n")))
    )
    assert len(asked(bench)) == 1
    assert bench.rows("SELECT rationale FROM hot_use") == [("in the copy",)]


def test_the_log_folds_to_the_same_frequency_whatever_was_stated(
    bench: PlayedOperator,
) -> None:
    Curator(bench.store).pin("seed-0001")
    asyncio.run(bench.run(ReplayProvider(recorded(""))))
    assert verify(bench.workspace) == ()
