"""The manual provider: a script answers through files, a window through an inbox."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from core.errors import SageError
from core.models.folder_desk import FolderDesk
from core.models.manual import (
    InboxDesk,
    Manual,
    prompt_text,
    question_id,
    question_name,
    question_place,
)
from core.models.port import Message, ModelReply, ModelRequest, Purpose


def request(
    text: str = "write", purpose: Purpose = Purpose.CANDIDATE, attempt: int = 0
) -> ModelRequest:
    messages = (Message("system", "rules"), Message("user", text))
    return ModelRequest(purpose, "AbsMath", "corr", 1, messages, attempt=attempt)


def ask(
    folder: Path, asked: ModelRequest, reply: str | None, seconds: float = 2
) -> ModelReply:
    """Ask through the folder; `reply` is dropped as soon as the prompt lies there."""

    def drop(prompt: Path) -> None:
        if reply is not None:
            Path(str(prompt).replace(".prompt.", ".reply.")).write_text(
                reply, encoding="utf-8"
            )

    provider = Manual(FolderDesk(folder, drop, poll_seconds=0.01))
    return asyncio.run(asyncio.wait_for(provider.complete(asked), seconds))


def test_the_prompt_is_written_and_the_reply_read(tmp_path: Path) -> None:
    assert ask(tmp_path, request(), "## Files").text == "## Files"
    prompt = (tmp_path / "AbsMath" / "round-001.prompt.md").read_text(encoding="utf-8")
    assert prompt.index("rules") < prompt.index("write")


def test_the_mark_some_editors_begin_a_file_with_is_no_part_of_the_reply(
    tmp_path: Path,
) -> None:
    assert ask(tmp_path, request(), "\ufeff## Files").text == "## Files"


def test_the_same_question_finds_its_answer_after_a_restart(tmp_path: Path) -> None:
    ask(tmp_path, request(), "first")
    assert ask(tmp_path, request(), None).text == "first"


def test_another_question_never_gets_an_old_answer(tmp_path: Path) -> None:
    ask(tmp_path, request("write"), "first")
    with pytest.raises(TimeoutError):
        ask(tmp_path, request("write something else"), None, 0.5)
    assert any(
        "first" in path.read_text()
        for path in (tmp_path / "AbsMath").glob("*.reply.md.old-*")
    )


def test_an_answer_to_the_question_that_lay_there_before_is_not_taken_for_the_new_one(
    tmp_path: Path,
) -> None:
    """A rule was asked for again while it was being answered; the answer to the older text was taken."""
    with pytest.raises(TimeoutError):
        asyncio.run(
            asyncio.wait_for(
                Manual(FolderDesk(tmp_path)).complete(request("evidence of two")), 0.1
            )
        )
    place = tmp_path / "AbsMath"
    first = (
        (place / "round-001.prompt.md").read_text(encoding="utf-8").partition("\n")[0]
    )
    assert "must begin" not in first
    for _ in range(2):  # also when the program is started again in between
        with pytest.raises(TimeoutError):
            ask(tmp_path, request("evidence of three"), "the rule of two", 0.5)
        assert "the rule of two" in [
            path.read_text() for path in place.glob("*.reply.md.other-*")
        ]
    first = (
        (place / "round-001.prompt.md").read_text(encoding="utf-8").partition("\n")[0]
    )
    assert "must begin with this line" in first
    assert (
        ask(tmp_path, request("evidence of three"), f"{first}\nthe rule of three").text
        == "the rule of three"
    )


def test_every_call_of_a_round_has_a_name_of_its_own() -> None:
    asked = [
        (Purpose.DIAGNOSE, 0),
        (Purpose.REPAIR, 0),
        (Purpose.CORRECTION, 1),
        (Purpose.CORRECTION, 2),
    ]
    names = [
        question_name(request(purpose=purpose, attempt=attempt))
        for purpose, attempt in asked
    ]
    assert names == [
        "round-001.diagnose",
        "round-001",
        "round-001.correction-1",
        "round-001.correction-2",
    ]


def test_the_first_line_names_the_reply_file_and_the_state_what_is_awaited(
    tmp_path: Path,
) -> None:
    states: list[dict[str, list[dict[str, object]]]] = []

    async def go() -> None:
        provider = Manual(FolderDesk(tmp_path, poll_seconds=0.01))
        task = asyncio.create_task(provider.complete(request()))
        while not (tmp_path / "waiting.json").exists():
            await asyncio.sleep(0)
        states.append(json.loads((tmp_path / "waiting.json").read_text()))
        (entry,) = states[0]["waiting"]
        head = (tmp_path / str(entry["prompt"])).read_text().splitlines()[0]
        assert str(entry["reply"]) in head
        assert str(entry["question"]) in head
        (tmp_path / str(entry["reply"])).write_text("## Files")
        await task
        states.append(json.loads((tmp_path / "waiting.json").read_text()))

    asyncio.run(asyncio.wait_for(go(), 5))

    (entry,) = states[0]["waiting"]
    assert entry["reply"] == "AbsMath/round-001.reply.md"
    assert (entry["purpose"], entry["round"]) == ("candidate", 1)
    assert states[1] == {"waiting": []}
    assert "waiting.json" in (tmp_path / "README.md").read_text()


def test_a_reply_from_before_its_prompt_is_not_taken(tmp_path: Path) -> None:
    reply = tmp_path / "AbsMath" / "round-001.reply.md"
    reply.parent.mkdir()
    reply.write_text("written without having read anything")

    with pytest.raises(TimeoutError):
        ask(tmp_path, request(), None, 0.5)

    (aside,) = reply.parent.glob("*.early-*")
    assert "without having read" in aside.read_text()


def test_a_reply_that_quotes_its_question_is_taken_and_the_quote_left_out(
    tmp_path: Path,
) -> None:
    number = question_id(prompt_text(request()))

    assert (
        ask(tmp_path, request(), f"<!-- question {number}: as said -->\n## Files").text
        == "## Files"
    )


def test_a_reply_that_quotes_another_question_is_moved_aside(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        ask(tmp_path, request(), "<!-- question 0123456789ab -->\n## Files", 0.5)

    assert list((tmp_path / "AbsMath").glob("*.reply.md.other-*"))
    assert not (tmp_path / "AbsMath" / "round-001.reply.md").exists()


def test_a_diagnosis_does_not_repeat_the_rules_that_lie_there(tmp_path: Path) -> None:
    ask(tmp_path, request(), "## Files")
    rules = Message("system", "rules")
    asked = ModelRequest(
        Purpose.DIAGNOSE, "AbsMath", "corr", 2, (rules, Message("user", "what failed"))
    )
    ask(tmp_path, asked, "## Diagnosis")
    system = Message("system", "rules\n\nother skill")
    others = ModelRequest(
        Purpose.DIAGNOSE, "AbsMath", "opt", 3, (system, Message("user", "what is slow"))
    )
    ask(tmp_path, others, "## Diagnosis")

    text = (tmp_path / "AbsMath" / "round-002.diagnose.prompt.md").read_text()
    assert "the rounds before" in text
    assert "what failed" in text
    assert "\nrules\n" not in text
    following = (tmp_path / "AbsMath" / "round-003.diagnose.prompt.md").read_text()
    assert "\nrules\n" not in following
    assert "other skill" in following, "what no prompt has shown yet is shown"


def test_what_is_asked_now_is_said_again_in_the_same_words(tmp_path: Path) -> None:
    """A reader of a second diagnosis was not told what to answer."""
    ask(tmp_path, request(), "## Files")
    for round_number, feedback in ((2, "slow"), (3, "slower")):
        text = f"# Feedback\n\n{feedback}\n\n# Now\n\nDiagnose."
        messages = (Message("system", "rules"), Message("user", text))
        asked = ModelRequest(Purpose.DIAGNOSE, "AbsMath", "opt", round_number, messages)
        ask(tmp_path, asked, "## Diagnosis")

    second = (tmp_path / "AbsMath" / "round-003.diagnose.prompt.md").read_text()
    assert second.endswith("# Now\n\nDiagnose.\n")


def test_a_diagnosis_repeats_neither_the_task_nor_a_kernel_that_lies_there(
    tmp_path: Path,
) -> None:
    task = "# Task\n\nthe whole task"
    kernel = "int kernel;\n"
    block = f"### op_kernel/a.cpp\n```cpp\n{kernel}```"
    ask(tmp_path, request(f"{task}\n\n# Now\n\nwrite"), f"## Files\n{block}\n")
    edited = "### op_host/a.cpp\n```cpp\nint edited;\n```"
    kernels = f"# Current kernel\n\n{edited}\n\n{block}"
    asked = f"{task}\n\n{kernels}\n\n# Feedback\n\nVerdict: pass"
    diagnose = ModelRequest(
        Purpose.DIAGNOSE,
        "AbsMath",
        "opt",
        2,
        (Message("system", "rules"), Message("user", asked)),
        files={"op_kernel/a.cpp": kernel, "op_host/a.cpp": "int edited;\n"},
    )
    ask(tmp_path, diagnose, "## Done\nfast enough")

    text = (tmp_path / "AbsMath" / "round-002.diagnose.prompt.md").read_text()
    assert "the whole task" not in text
    assert "int kernel;" not in text
    assert "### op_kernel/a.cpp\nas it stands in `round-001.reply.md`" in text
    assert "int edited;" in text, "what only edits gave is shown"
    assert "Verdict: pass" in text


def test_a_correction_names_the_files_of_what_was_said_before(
    tmp_path: Path,
) -> None:
    ask(tmp_path, request("the whole task"), "nonsense")
    more = (Message("assistant", "nonsense"), Message("user", "say it properly"))
    messages = (*request("the whole task").messages, *more)
    ask(
        tmp_path,
        ModelRequest(Purpose.CORRECTION, "AbsMath", "corr", 1, messages, attempt=1),
        "## Files",
    )

    text = (tmp_path / "AbsMath" / "round-001.correction-1.prompt.md").read_text()
    assert "say it properly" in text
    assert "the whole task" not in text
    assert "nonsense" not in text
    assert "`round-001.prompt.md`, `round-001.reply.md`" in text


def test_rules_are_asked_for_in_one_place_under_the_name_of_their_item() -> None:
    asked = ModelRequest(
        Purpose.ABSTRACT, "seed-0001", "", 0, (Message("user", "rule"),), attempt=1
    )

    assert (question_place(asked), question_name(asked)) == (
        "rules",
        "seed-0001.abstract-1",
    )


def test_a_reply_that_is_no_text_is_a_clear_error(tmp_path: Path) -> None:
    def drop(prompt: Path) -> None:
        Path(str(prompt).replace(".prompt.", ".reply.")).write_bytes(b"\xff\xfe\x00")

    provider = Manual(FolderDesk(tmp_path, drop, poll_seconds=0.01))
    with pytest.raises(SageError, match="AbsMath"):
        asyncio.run(provider.complete(request()))


def test_a_window_answers_from_another_thread() -> None:
    shown = threading.Event()
    desk = InboxDesk(shown.set)

    def person() -> None:
        assert shown.wait(5)
        (question,) = desk.waiting
        assert not desk.answer("another question", "x")
        assert desk.answer(question.key, "pasted")

    thread = threading.Thread(target=person)
    thread.start()
    reply = asyncio.run(Manual(desk, "Ada").complete(request()))
    thread.join()
    assert reply.text == "pasted"
    assert desk.waiting == ()


def test_cancelling_takes_the_question_back() -> None:
    async def go() -> None:
        desk = InboxDesk(lambda: None)
        task = asyncio.create_task(Manual(desk).complete(request()))
        await asyncio.sleep(0)
        assert len(desk.waiting) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert desk.waiting == ()

    asyncio.run(go())
