"""The manual provider: a script answers through files, a window through an inbox."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from core.errors import SageError
from core.models.manual import FolderDesk, InboxDesk, Manual, question_name
from core.models.port import Message, ModelReply, ModelRequest, Purpose


def request(text: str = "write", purpose: Purpose = Purpose.CANDIDATE, attempt: int = 0) -> ModelRequest:
    messages = (Message("system", "rules"), Message("user", text))
    return ModelRequest(purpose, "AbsMath", "corr", 1, messages, attempt=attempt)


def ask(folder: Path, asked: ModelRequest, reply: str | None) -> ModelReply:
    """Ask through the folder; `reply` is dropped as soon as the prompt lies there."""

    def drop(prompt: Path) -> None:
        if reply is not None:
            Path(str(prompt).replace(".prompt.", ".reply.")).write_text(reply, encoding="utf-8")

    provider = Manual(FolderDesk(folder, drop, poll_seconds=0.01))
    return asyncio.run(asyncio.wait_for(provider.complete(asked), 2))


def test_the_prompt_is_written_and_the_reply_read(tmp_path: Path) -> None:
    assert ask(tmp_path, request(), "## Files").text == "## Files"
    prompt = (tmp_path / "AbsMath" / "round-001.prompt.md").read_text(encoding="utf-8")
    assert prompt.index("rules") < prompt.index("write")


def test_the_mark_some_editors_begin_a_file_with_is_no_part_of_the_reply(tmp_path: Path) -> None:
    assert ask(tmp_path, request(), "\ufeff## Files").text == "## Files"


def test_the_same_question_finds_its_answer_after_a_restart(tmp_path: Path) -> None:
    ask(tmp_path, request(), "first")
    assert ask(tmp_path, request(), None).text == "first"


def test_another_question_never_gets_an_old_answer(tmp_path: Path) -> None:
    ask(tmp_path, request("write"), "first")
    with pytest.raises(TimeoutError):
        ask(tmp_path, request("write something else"), None)
    assert any("first" in path.read_text() for path in (tmp_path / "AbsMath").glob("*.reply.md.old-*"))


def test_every_call_of_a_round_has_a_name_of_its_own() -> None:
    asked = [(Purpose.DIAGNOSE, 0), (Purpose.REPAIR, 0), (Purpose.CORRECTION, 1), (Purpose.CORRECTION, 2)]
    names = [question_name(request(purpose=purpose, attempt=attempt)) for purpose, attempt in asked]
    assert names == ["round-001.diagnose", "round-001", "round-001.correction-1", "round-001.correction-2"]


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
