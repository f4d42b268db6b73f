"""Asking for a candidate until the gate opens.

Diagnostics and look-ups are answered, refused replies corrected.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.loop.examination import Examination
from core.agent.loop.setting import RoundSetting
from core.agent.prompt.round_prompt import Prompt
from core.agent.reply.gate import LARGEST_CORRECTIONS, RESIDENT, validate_reply
from core.agent.reply.protocol import read_reply, shown_reply
from core.agent.reply.record import EDIT, FILES, Complaint, Reply
from core.agent.reply.reply_edits import apply_reply_edits, combine, examined
from core.agent.run.records import CorrectionAsked, EpisodeEnds, Stop, StopKind
from core.method.objective import Objective
from core.models.port import ModelReply, Purpose
from core.text import Text

_FAILED_EDITS = 2  # replies in a row; after that a round takes whole files only


class Conversation:
    """The messages of one round, up to the reply that passes the gate.

    Args:
        setting: The round.
        examination: Answers what the model looks at before it commits itself.
        retrieved: uids of R_t.
        prompt: What was asked.
        answer: What the model answered.
    """

    def __init__(
        self,
        setting: RoundSetting,
        examination: Examination,
        retrieved: tuple[str, ...],
        prompt: Prompt,
        answer: ModelReply,
    ) -> None:
        self._setting = setting
        self._examination = examination
        self._retrieved = retrieved
        self._prompt = prompt
        self._answer = answer
        self._failed_edits = 0
        self._corrections = 0
        self._reply = self._read()

    async def accepted_reply(self) -> Reply:
        """Talk until nothing is wrong with the reply, and return it.

        Raises:
            EpisodeEnds: It is still incomplete after the last correction.
        """
        while True:
            start = self._setting.files_to_edit(self._reply)
            self._reply = self._examination.checked(self._reply, start)
            if self._examination.asks(self._reply):
                await self._examine()
                continue
            complaints = self._complaints()
            if not complaints:
                return self._reply
            await self._correct(complaints)

    async def _examine(self) -> None:
        """Answer the diagnostic or look-up, and ask for the candidate again."""
        start = self._setting.files_to_edit(self._reply)
        text, number = await self._examination.answer(self._reply, start)
        context = self._setting.run.context
        reply_text = shown_reply(self._answer.text)
        self._prompt = context.examined(self._prompt, reply_text, text)
        self._answer = await self._setting.ask(
            Purpose.EXAMINED, self._prompt, self._retrieved, number
        )
        self._reply = combine(examined(self._reply), self._read())

    def _complaints(self) -> tuple[Complaint, ...]:
        """What keeps the reply from being evaluated; empty when the gate is open."""
        setting = self._setting
        complaints = validate_reply(
            self._reply,
            self._retrieved if setting.task_view.traced else (),
            setting.files_to_edit(self._reply),
            may_finish=setting.objective is Objective.OPT,
            residents=setting.start.residents,
        )
        if complaints and not self._stands_as_it_is(complaints):
            return complaints
        return self._too_large()

    def _stands_as_it_is(self, complaints: Sequence[Complaint]) -> bool:
        """Whether only the use of rules is unclear and cannot be asked about."""
        if any(complaint.rule != RESIDENT for complaint in complaints):
            return False
        correction = self._setting.request(
            Purpose.CORRECTION, self._prompt, self._retrieved, self._corrections + 1
        )
        return not self._setting.run.provider.answers(correction)

    def _too_large(self) -> tuple[Complaint, ...]:
        """A candidate no later prompt could show would end the trajectory.

        It is refused while it can be.
        """
        if self._reply.done:
            return ()
        setting = self._setting
        files = {**setting.files_to_edit(self._reply), **self._reply.files}
        problem = setting.run.context.too_large(setting.task_view, files)
        if not problem:
            return ()
        message = f"{problem} Send shorter files."
        return (Complaint("project-too-large", message, FILES),)

    async def _correct(self, complaints: Sequence[Complaint]) -> None:
        """Say what is wrong with the reply and ask again.

        Raises:
            EpisodeEnds: It was corrected as often as it may be.
        """
        if self._corrections == LARGEST_CORRECTIONS:
            raise EpisodeEnds(_incomplete(complaints))
        self._corrections += 1
        setting = self._setting
        messages = tuple(entry.message for entry in complaints)
        setting.run.observe(
            CorrectionAsked(
                *setting.task.stamp, setting.number, self._corrections, messages
            )
        )
        remaining = LARGEST_CORRECTIONS - self._corrections
        self._prompt = setting.run.context.correction(
            self._prompt, shown_reply(self._answer.text), complaints, remaining
        )
        self._answer = await setting.ask(
            Purpose.CORRECTION, self._prompt, self._retrieved, self._corrections
        )
        self._reply = combine(self._reply, self._read())

    def _read(self) -> Reply:
        """The last answer with its edits applied.

        They are refused where those of two answers before could not be.
        """
        reply = read_reply(self._answer.text)
        reply = apply_reply_edits(
            reply,
            self._setting.files_to_edit(reply),
            whole_only=self._failed_edits >= _FAILED_EDITS,
        )
        failed = any(complaint.rule == EDIT for complaint in reply.complaints)
        self._failed_edits = self._failed_edits + 1 if failed else 0
        return reply


def _incomplete(complaints: Sequence[Complaint]) -> Stop:
    text = Text(
        "no usable reply after {most} corrections: {complaint}",
        most=LARGEST_CORRECTIONS,
        complaint=complaints[0].message,
    )
    return Stop(StopKind.UNRESOLVED, text)
