"""Rounds of a workspace played again by a model or a person, and judged again; it is only read."""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.agent.prompt.round_prompt import experience_text
from core.agent.reply.gate import validate_reply
from core.agent.reply.protocol import read_reply
from core.agent.reply.record import BEST, Reply
from core.agent.reply.reply_edits import apply_reply_edits
from core.agent.run.journal import Journal
from core.agent.run.records import StoredRound, best_of, counts_as_correct, progress_of
from core.engine.queue import operators_of
from core.errors import SageError
from core.evaluation.port import Evaluator
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.experiments.faithfulness.analysis import (
    Condition,
    Outcome,
    RecordedRound,
    Trial,
    recorded_rounds,
)
from core.experiments.faithfulness.outcomes import Study, play
from core.memory.records import CodeDiff, ItemState, MemoryItem
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.models.port import Message, ModelProvider, ModelReply, ModelRequest, Purpose
from core.operators.spec import OperatorSpec
from core.records_json import from_json
from core.workspace import Workspace

UNTRACED = "the model was not asked what it adopted (uniform credit): there is no word to hold against an effect"


def why_not(workspace: Workspace, of: RecordedRound) -> str:
    """Why a round cannot be played again; else empty.

    Its prompt is not stored as it would be rendered, or the model was not asked which experiences it adopted.
    """
    parameters = Journal(workspace).trajectory(of.trajectory).parameters
    if not parameters.traces_adoption:
        return UNTRACED
    try:
        before = MemoryStore(workspace).items(of.retrieved)
        with_experiences(_prompt(workspace, of)[1], before, before)
    except SageError as error:
        return str(error.what)
    return ""


def usable_rounds(
    workspace: Workspace,
) -> tuple[tuple[RecordedRound, ...], tuple[str, ...]]:
    """The rounds that can be played again, and for each of the others why it cannot."""
    reasons = [
        (entry, why_not(workspace, entry)) for entry in recorded_rounds(workspace)
    ]
    return tuple(entry for entry, why in reasons if not why), tuple(
        why for _, why in reasons if why
    )


def trials_digest(trials: Sequence[Trial]) -> str:
    """What a study is known by: sha256 over the keys of its trials."""
    return hashlib.sha256(repr([trial.key for trial in trials]).encode()).hexdigest()


def _prompt(
    workspace: Workspace, of: RecordedRound
) -> tuple[Purpose, tuple[Message, ...]]:
    """The purpose and the messages of a recorded round's first question for a kernel.

    Raises:
        SageError: They are not stored.
    """
    row = workspace.db.execute(
        "SELECT purpose, prompt FROM model_call WHERE trajectory_uid = ? AND round = ? "
        "AND purpose IN ('candidate', 'repair') AND attempt = 0",
        (of.trajectory, of.round),
    ).fetchone()
    if row is None:
        raise SageError(
            "The prompt of round {round} of {operator} is not stored.",
            round=of.round,
            operator=of.operator,
        )
    text = workspace.text(row["prompt"])
    return Purpose(row["purpose"]), from_json(
        text, tuple[Message, ...], "stored prompt"
    )


class LiveAgain:
    """Plays recorded rounds again: the stored prompt, its experiences altered; one reply, judged as it is.

    A reply is not corrected and what it asks is not answered: one without a usable kernel is a failure with a
    note. All conditions are treated alike.

    Args:
        workspace: Where the rounds are.
        provider: Who writes the replies.
        evaluator: Who judges.
        operator: Specification by name, with the seeds the rounds were judged with.
        seed: Of the alterations.
    """

    def __init__(
        self,
        workspace: Workspace,
        provider: ModelProvider,
        evaluator: Evaluator,
        operator: Callable[[str], OperatorSpec],
        seed: int,
    ) -> None:
        self._workspace = workspace
        self._provider = provider
        self._evaluator = evaluator
        self._operator = operator
        self._seed = seed
        self._journal = Journal(workspace)
        self._store = MemoryStore(workspace)
        self._bank = self._store.items(states=(ItemState.ACTIVE,))

    async def __call__(self, trial: Trial) -> Outcome:
        """Play one trial.

        Raises:
            SageError: As `why_not` says.
        """
        of = trial.of
        purpose, messages = _prompt(self._workspace, of)
        before = self._store.items(of.retrieved)
        offered_items = altered_items(
            trial.condition, before, self._bank, trial.item, self._rng(trial)
        )
        request = ModelRequest(
            purpose,
            of.operator,
            of.objective.value,
            of.round,
            with_experiences(messages, before, offered_items),
            tuple(item.uid for item in offered_items),
        )
        answer = await self._provider.complete(request)
        earlier = self._earlier(of)
        files, best = self._bases(earlier)
        reply = read_reply(answer.text)
        base = best if reply.base == BEST and best else files
        reply = apply_reply_edits(reply, base)
        problem = self._problem(of, reply, offered_items, base)
        if problem:
            return self._outcome(
                trial, offered_items, reply, answer, success=False, note=problem
            )
        evaluation = await self._evaluator.evaluate(
            self._operator(of.operator),
            Candidate({**base, **reply.files}),
            lambda _text: None,
            ticket="/".join(map(str, ("faithfulness", *trial.key))),
        )
        success = self._succeeded(of, evaluation, earlier)
        return self._outcome(trial, offered_items, reply, answer, success=success)

    def _earlier(self, of: RecordedRound) -> tuple[StoredRound, ...]:
        rounds = self._journal.rounds(of.trajectory)
        return tuple(
            entry for entry in rounds if entry.round < of.round and entry.has_verdict
        )

    def _bases(
        self, earlier: tuple[StoredRound, ...]
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Files of the kernel before, and of the best correct one."""
        if not earlier:
            return {}, {}
        winner = best_of(earlier)
        return (
            self._journal.candidate(earlier[-1].candidate).files,
            self._journal.candidate(winner.candidate).files if winner else {},
        )

    def _problem(
        self,
        of: RecordedRound,
        reply: Reply,
        offered_items: tuple[MemoryItem, ...],
        base: Mapping[str, str],
    ) -> str:
        """Why there is nothing to judge, empty when there is."""
        if reply.done:
            return "the model gives up" if reply.gives_up else "the model is done"
        if reply.diagnostic is not None or (reply.look_up and not reply.files):
            return "the reply asks something and holds no kernel"
        complaints = validate_reply(
            reply,
            [item.uid for item in offered_items],
            base,
            may_finish=of.objective is Objective.OPT,
        )
        return complaints[0].message if complaints else ""

    def _succeeded(
        self,
        of: RecordedRound,
        evaluation: Evaluation,
        earlier: tuple[StoredRound, ...],
    ) -> bool | None:
        """Whether the round reached its objective; None when the environment failed."""
        if evaluation.verdict is VerdictClass.VOID or evaluation.is_unconfined:
            return None
        if not counts_as_correct(evaluation.verdict.value):
            return False
        if of.objective is Objective.CORR:
            return True
        best = progress_of(earlier).t_best
        return (
            evaluation.latency is not None
            and best is not None
            and evaluation.latency.value < best
        )

    def _outcome(
        self,
        trial: Trial,
        offered_items: tuple[MemoryItem, ...],
        reply: Reply,
        answer: ModelReply,
        *,
        success: bool | None,
        note: str = "",
    ) -> Outcome:
        of, usage = trial.of, answer.usage
        counts = (usage.prompt_tokens, usage.completion_tokens)
        offered = {item.uid for item in offered_items}
        adopted = tuple(
            claim.uid
            for claim in reply.adoption
            if claim.adopted and claim.uid in offered
        )
        tokens = None if None in counts else sum(filter(None, counts))
        return Outcome(
            of.trajectory,
            of.round,
            trial.condition,
            trial.item,
            trial.repeat,
            success,
            tuple(item.uid for item in offered_items),
            adopted,
            note,
            tokens,
        )

    def _rng(self, trial: Trial) -> random.Random:
        text = "\0".join(map(str, (self._seed, *trial.key)))
        return random.Random(
            int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        )


@dataclass(frozen=True)
class Players:
    """Who plays a study: one who writes, one who judges, and what they are called."""

    provider: ModelProvider
    evaluator: Evaluator
    model: str


async def play_again(
    workspace: Workspace,
    players: Players,
    trials: Sequence[Trial],
    into: Path,
    seed: int,
    repeats: int,
    on_progress: Callable[[int], None] = lambda _: None,
) -> tuple[Outcome, ...]:
    """Play what `into` does not hold of a study yet, and close provider and evaluator.

    Raises:
        SageError: The file holds another study, or a trial could not be played.
    """
    try:
        keys, bank = trials_digest(trials), workspace.meta("bank_id")
        study = Study(bank, keys, players.model, players.evaluator.label, seed, repeats)
        again = LiveAgain(
            workspace,
            players.provider,
            players.evaluator,
            operators_of(workspace),
            seed,
        )
        return await play(trials, again, into, study, on_progress)
    finally:
        await asyncio.gather(
            players.provider.close(), players.evaluator.close(), return_exceptions=True
        )


_SECTION = "# Retrieved experiences\n\n"
_FOREIGN = 0.5  # share of words that a corrupted text takes from other experiences
_WORD = re.compile(r"\S+")


def altered_items(
    condition: Condition,
    items: Sequence[MemoryItem],
    bank: Sequence[MemoryItem],
    mask: str,
    rng: random.Random,
) -> tuple[MemoryItem, ...]:
    """What the prompt shows instead of `items`.

    Shuffled: the words of every text, and the lines of every code, in random order. Corrupted: wrong and
    correct code change places, and half of the words of title and summary are words of other experiences.
    Irrelevant: as many other experiences, of other categories where there are enough. Names stay, except
    for irrelevant ones, which have their own.

    Args:
        condition: One of them.
        items: R_t in rank order.
        bank: All that the memory holds.
        mask: uid left out when masked.
        rng: For the order and the choice.
    """
    if condition is Condition.REMOVED:
        return ()
    if condition is Condition.MASKED:
        return tuple(item for item in items if item.uid != mask)
    if condition is Condition.SHUFFLED:
        return tuple(_shuffled(item, rng) for item in items)
    if condition is Condition.CORRUPTED:
        words = [
            word
            for item in bank
            for word in _WORD.findall(f"{item.title} {item.summary}")
        ]
        return tuple(_corrupted(item, words, rng) for item in items)
    if condition is Condition.IRRELEVANT:
        return _irrelevant(items, bank, rng)
    return tuple(items)


def with_experiences(
    messages: Sequence[Message],
    before: Sequence[MemoryItem],
    after: Sequence[MemoryItem],
) -> tuple[Message, ...]:
    """The messages of a stored prompt with other experiences in the place of `before`.

    Raises:
        SageError: `before` does not stand in the prompt as it is rendered today.
    """
    for brief in (False, True):
        old = _section(before, brief=brief)
        for place, message in enumerate(messages):
            if message.content.count(old) == 1:
                changed = Message(
                    message.role,
                    message.content.replace(old, _section(after, brief=brief)),
                )
                return (*messages[:place], changed, *messages[place + 1 :])
    names = ", ".join(item.uid for item in before)
    raise SageError(
        "The experiences {names} do not stand in the stored prompt as they are rendered today.",
        "One of them was edited since, or the prompt is of an older release: leave this round out.",
        names=names,
    )


def _section(items: Sequence[MemoryItem], *, brief: bool) -> str:
    """The section with the blank line after it; nothing where nothing is shown."""
    if not items:
        return ""
    return (
        _SECTION
        + "\n\n".join(experience_text(item, brief=brief) for item in items)
        + "\n\n"
    )


def _shuffled(item: MemoryItem, rng: random.Random) -> MemoryItem:
    """The item with the same words and lines in another order: as long, but without its meaning."""

    def words(text: str) -> str:
        words_of_it = text.split()
        return " ".join(rng.sample(words_of_it, len(words_of_it)))

    def lines(code: str) -> str:
        lines_of_it = code.split("\n")
        return "\n".join(rng.sample(lines_of_it, len(lines_of_it)))

    code = CodeDiff(
        lines(item.code_diff.wrong_code), lines(item.code_diff.correct_code)
    )
    return replace(
        item,
        title=words(item.title),
        error_message=words(item.error_message),
        summary=words(item.summary),
        code_diff=code,
    )


def _corrupted(
    item: MemoryItem, words: Sequence[str], rng: random.Random
) -> MemoryItem:
    """The item with words of others among its own, and its wrong code given as the correct one."""

    def mixed(text: str) -> str:
        mixture = [
            rng.choice(words) if rng.random() < _FOREIGN else word
            for word in text.split()
        ]
        return " ".join(mixture)

    code = CodeDiff(item.code_diff.correct_code, item.code_diff.wrong_code)
    return replace(
        item, title=mixed(item.title), summary=mixed(item.summary), code_diff=code
    )


def _irrelevant(
    items: Sequence[MemoryItem], bank: Sequence[MemoryItem], rng: random.Random
) -> tuple[MemoryItem, ...]:
    """As many items of the bank that were not retrieved, of other categories where there are enough."""
    uids = {item.uid for item in items}
    categories = {item.category for item in items}
    unseen = [item for item in bank if item.uid not in uids]
    foreign = [item for item in unseen if item.category not in categories]
    if len(foreign) < len(items):  # a bank of few categories
        foreign = unseen
    count = min(len(items), len(foreign))
    return tuple(rng.sample(foreign, count))
