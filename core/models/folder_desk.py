"""Questions and answers as files: `<subject>/<step>.prompt.md` waits for `<subject>/<step>.reply.md`.

The folder is all one needs to answer: `README.md` says how, `waiting.json` what is
awaited now, and the first line of a prompt names its reply file. A reply may quote
the number of its question; one that quotes another, or lay there before its question
and quotes none, is moved aside and never taken. Where a question takes the place of one
without an answer, its reply has to quote it: the other may be being answered.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.errors import SageError
from core.models.manual import (
    question_id,
    question_name,
    question_place,
    shown_messages,
)
from core.models.port import Message, ModelRequest, Purpose
from core.outside import read_text
from core.templates import rendered

POLL_SECONDS = 0.2
_LARGEST_REPLY = 8 << 20  # bytes, as of a server's
STATE = "waiting.json"
_QUESTION = re.compile(r"^\s*<!-- question ([0-9a-f]{12})\b.*?-->[ \t]*\n?")
_QUOTE = "and must begin with this line, for another question lay here before"
_HEADING = re.compile(r"\n\n(?=# )")  # of a section of a prompt
_FOLLOW_UPS = frozenset({Purpose.CORRECTION, Purpose.EXAMINED})


# A question as `waiting.json` has it.
_Entry = dict[str, str | int]


class FolderDesk:
    """A desk in a folder.

    The same question finds the same answer, so a resumed run continues.

    A question that differs from the one lying there moves that and its answer aside
    (`.old-…`), so that no answer is ever given to another question.

    Args:
        folder: Made when missing.
        on_question: Hears the path of a prompt that waits for its reply.
        poll_seconds: How often the folder is looked at.
    """

    def __init__(
        self,
        folder: Path,
        on_question: Callable[[Path], None] | None = None,
        *,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._folder = folder
        self._on_question = on_question
        self._poll = poll_seconds
        # Path of a prompt -> its entry in `STATE`.
        self._waiting: dict[str, _Entry] = {}

    async def ask(self, request: ModelRequest, prompt: str) -> str:
        """Write the prompt and wait for the reply file to be there and to stop growing.

        Raises:
            SageError: The folder cannot be written, or the reply is no UTF-8 text.
        """
        place = self._folder / question_place(request)
        name = question_name(request)
        question = place / f"{name}.prompt.md"
        answer = place / f"{name}.reply.md"
        number = question_id(prompt)
        try:
            quoted = _has_to_be_quoted(question, answer, number)
            text = self._text(request, number, prompt, answer, quoted=quoted)
            self._put(question, answer, number, text)
            if self._on_question is not None and not answer.exists():
                self._on_question(question)
            return await self._answer(request, number, question, answer, quoted=quoted)
        except (OSError, UnicodeDecodeError) as error:
            raise SageError(
                "{place}: {error}.",
                "Check the folder of the manual model.",
                place=place,
                error=error,
            ) from error

    async def _answer(
        self,
        request: ModelRequest,
        number: str,
        question: Path,
        answer: Path,
        *,
        quoted: bool,
    ) -> str:
        """The reply to this question.

        What answers another one, or may, is moved aside.
        """
        entry = self._entry(request, number, question, answer)
        key = str(entry["prompt"])
        self._waiting[key] = entry
        self._tell()
        try:
            while True:
                text = await self._wait(answer)
                quote = _QUESTION.match(text)
                if quote is None and not quoted:
                    return text
                if quote is not None and quote.group(1) == number:
                    return text[quote.end() :]
                aside = _set_aside(answer, "other", text)
                problem = "did not begin with its prompt's first line"
                if quote is not None:
                    problem = f"quoted question {quote.group(1)}"
                note = f"the reply {problem}; it was moved to {aside.name}"
                self._waiting[key] = {**entry, "note": note}
                self._tell()
        finally:
            self._waiting.pop(key, None)
            self._tell()

    def _entry(
        self, request: ModelRequest, number: str, question: Path, answer: Path
    ) -> _Entry:
        return {
            "prompt": question.relative_to(self._folder).as_posix(),
            "reply": answer.relative_to(self._folder).as_posix(),
            "question": number,
            "subject": request.subject,
            "purpose": request.purpose.value,
            "round": request.round,
        }

    def _text(
        self,
        request: ModelRequest,
        number: str,
        prompt: str,
        answer: Path,
        *,
        quoted: bool,
    ) -> str:
        """The prompt as it is put there: what an earlier file of this place shows whole is only named."""
        reply = answer.relative_to(self._folder).as_posix()
        head = f"question {number}: the answer goes into {reply}"
        if quoted:
            head += f" {_QUOTE}"
        earlier = _texts_of(answer.parent)
        if request.purpose in _FOLLOW_UPS and request.round:
            parts = _after_conversation(request.messages, earlier)
        elif request.purpose is Purpose.DIAGNOSE:
            parts = _after_rounds(request, earlier)
        else:
            parts = None
        if parts is None:
            parts = [prompt.partition("-->")[2].strip()]
        return "\n\n".join([f"<!-- {head} -->", *parts]) + "\n"

    def _put(self, question: Path, answer: Path, number: str, text: str) -> None:
        """Write the prompt, unless the same question lies there.

        No answer of before survives a new one.
        """
        question.parent.mkdir(parents=True, exist_ok=True)
        guide = self._folder / "README.md"
        if not guide.exists():
            guide.write_text(
                rendered("manual/README.md"), encoding="utf-8", newline="\n"
            )
        if question.exists():
            old = question.read_text(encoding="utf-8")
            lying = _QUESTION.match(old)
            if lying is not None and lying.group(1) == number:
                return
            digest = hashlib.sha256(old.encode()).hexdigest()
            for path in (question, answer):
                if path.exists():
                    old_name = f"{path.name}.old-{digest[:8]}"
                    path.replace(path.with_name(old_name))
        elif answer.exists():
            early = answer.read_text(encoding="utf-8-sig")
            quoted = _QUESTION.match(early)
            if quoted is None or quoted.group(1) != number:
                _set_aside(answer, "early", early)
        _write(question, text)

    def _tell(self) -> None:
        """Write what is awaited."""
        waiting = [self._waiting[key] for key in sorted(self._waiting)]
        text = json.dumps({"waiting": waiting}, indent=1, ensure_ascii=False)
        _write(self._folder / STATE, text + "\n")

    async def _wait(self, answer: Path) -> str:
        last_state: tuple[int, int] | None = None
        while True:
            state = _state(answer)
            # An editor may still be writing: a reply counts once it stayed the same.
            if state[0] and state == last_state:
                return await asyncio.to_thread(read_text, answer, _LARGEST_REPLY)
            last_state = state
            await asyncio.sleep(self._poll)


def _texts_of(place: Path) -> dict[str, str]:
    """Name -> text of the prompts and replies of an operator that lie there."""
    prompts = place.glob("*.prompt.md")
    replies = place.glob("*.reply.md")
    return {
        path.name: path.read_text(encoding="utf-8-sig", errors="replace")
        for path in sorted((*prompts, *replies))
    }


def _shown_in(text: str, earlier: Mapping[str, str]) -> str:
    """Name of a file that holds a text whole, empty where none does."""
    for name, whole in earlier.items():
        if text in whole:
            return name
    return ""


def _after_conversation(
    messages: Sequence[Message], earlier: Mapping[str, str]
) -> list[str] | None:
    """The last message, and of those before it what no file holds.

    None where the task itself stands in no file.
    """
    names = [_shown_in(message.content.strip(), earlier) for message in messages[:-1]]
    if not all(names[:2]):
        return None
    files = ", ".join(f"`{name}`" for name in dict.fromkeys(filter(None, names)))
    parts = [f"What was said before stands in {files}."]
    for number, name in enumerate(names):
        if not name:
            parts.append(shown_messages(messages[number : number + 1], first=number))
    return [*parts, messages[-1].content]


def _after_rounds(
    request: ModelRequest, earlier: Mapping[str, str]
) -> list[str] | None:
    """A question about a kernel, without what the rounds before it have shown.

    None where no prompt of a round lies there.
    """
    prompts = {name: text for name, text in earlier.items() if "prompt" in name}
    if not prompts:
        return None
    system = request.messages[0].content
    question = request.messages[-1].content
    pointer = (
        "The task, the rules and the form of replies stand in the prompts of the "
        "rounds before."
    )
    fresh = [part for part in system.split("\n\n") if not _shown_in(part, prompts)]
    for path, text in request.files.items():
        question = _without_file(question, path, text, earlier)
    *sections, request_now = _HEADING.split(question)
    fresh += [part for part in sections if not _shown_in(part.strip(), prompts)]
    # What is asked may be asked in the same words as before.
    return [pointer, *(part.strip() for part in (*fresh, request_now))]


def _without_file(prompt: str, path: str, text: str, earlier: Mapping[str, str]) -> str:
    """A prompt that names where a file of the kernel stands, if it does somewhere."""
    name = _shown_in(text.strip(), earlier)
    if not name:
        return prompt
    heading = re.escape(path)
    body = re.escape(text.rstrip("\n"))
    block = rf"### {heading}\n(`{{3,}})cpp\n{body}\n+\1"
    place = f"### {path}\nas it stands in `{name}`"
    # A function, since a text may hold what `sub` takes for references to groups.
    return re.sub(block, lambda _: place, prompt, count=1)


def _has_to_be_quoted(question: Path, answer: Path, number: str) -> bool:
    """Whether the reply to a question has to name it: another one without an answer lay there."""
    if not question.exists():
        return False
    lying = question.read_text(encoding="utf-8")
    question_there = _QUESTION.match(lying)
    if question_there is not None and question_there.group(1) == number:
        # It waits again, as it was.
        return _QUOTE in lying.partition("\n")[0]
    return not answer.exists()


def _set_aside(answer: Path, why: str, text: str) -> Path:
    digest = hashlib.sha256(text.encode()).hexdigest()
    aside = f"{answer.name}.{why}-{digest[:8]}"
    return answer.replace(answer.with_name(aside))


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)


def _state(path: Path) -> tuple[int, int]:
    """Size and time of change, zeros when there is no such file."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return (stat.st_size, stat.st_mtime_ns)
