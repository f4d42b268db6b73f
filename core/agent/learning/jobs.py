"""The learning jobs: a rule for every item that passed the gates, new experience from each episode.

Each job is stored before it is done and its result is one transaction together with its
end, so that a crash repeats at most the reading of a stored reply. Paper: UGC
"Evidence-Gated Admission and Abstraction"; SAGE Framework ("at the end of each task,
SAGE writes newly acquired experiences to cold memory").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.agent.learning.corrections import answered
from core.agent.learning.distillation import Attempt, extract
from core.agent.learning.learning_replies import (
    MOST_RULE_TOKENS,
    RuleReply,
    read_bare_rule,
    read_experiences,
    read_rule,
    require_short,
)
from core.agent.learning.round_changes import changes_text, folded_ledger
from core.agent.learning.rule_evidence import (
    adoption_lines,
    evidence_counts,
    launch_share,
    refusal_lines,
    scoped,
)
from core.agent.prompt import templates
from core.agent.prompt.round_prompt import experience_text
from core.agent.run.records import Consolidated, JobFinished, StoredRound
from core.agent.run.run_context import RunContext, Task, ask
from core.agent.run.turns import CONSOLIDATE, DISTIL, RULE, MemoryUse
from core.curation.duplicates import doubles, hold_double, proposal
from core.errors import InvalidInput
from core.memory import episodes
from core.memory.records import TYPES, Experience, ItemState, Origin
from core.models.port import Message, ModelReply, ModelRequest, NoReply, Purpose
from core.operators.kinds_of_work import KINDS
from core.same_fields import record_of
from core.text import Text
from core.workspace import now


class LearningJobs:
    """The model's work on the memory after an episode and after a trajectory."""

    def __init__(self, run: RunContext, task: Task) -> None:
        self._run = run
        self._task = task

    async def abstract(self, episode: str) -> None:
        """Write a rule for every validated item that has none.

        New rules compete for hot memory at once.

        What another trajectory is asking for is left to it: a question is put once, and
        one waits for it.
        """
        store, journal, requested = (
            self._run.store,
            self._run.journal,
            self._run.rules_asked,
        )
        if self._task.parameters.consolidation == "off":
            return  # nothing can be resident: a rule that is in no prompt is not worth a question
        needed = store.needs_rule()
        for uid in self._run.turns.rules_due(self._task.operator.name, needed):
            job = f"abstract-{uid}"
            if uid in requested or journal.job_state(job) == "failed":
                continue
            if uid in needed:
                if store.hold_if_said(uid):
                    continue
                requested.add(uid)
                try:
                    journal.open_job(job, Purpose.ABSTRACT.value, uid, episode)
                    await self._abstract(job, uid)
                finally:
                    requested.discard(uid)
            await self._consolidate(uid)
        await self._consolidate("")

    async def _consolidate(self, rule: str) -> None:
        """Let new rules compete at once: after that of the item `rule`, or (empty) after all that were due."""
        store, turns, operator = self._run.store, self._run.turns, self._task.operator
        if not turns.consolidates_after(operator.name, rule):
            return
        use = MemoryUse(CONSOLIDATE, operator.name, item=rule)
        async with self._run.turn(self._task, use):
            with store.workspace.transaction() as db:
                promoted, demoted = episodes.consolidate(db, at=now())
            if promoted or demoted:
                self._run.observe(Consolidated(*self._task.stamp, promoted, demoted))

    async def _abstract(self, job: str, uid: str) -> None:
        """Abstract a rule from an item that passed the gates (paper, "Evidence-Gated Admission and Abstraction").

        Where no model gives one the title serves, so that an item never waits for a rule.
        """
        store, journal = self._run.store, self._run.journal
        try:
            prompt = (Message("user", self._abstract_prompt(uid)),)
            request = ModelRequest(Purpose.ABSTRACT, uid, "", 0, prompt)
            rule = await answered(
                request,
                self._ask,
                self._read_rule,
                read_bare_rule,
                self._run.provider.answers,
            )
        except (NoReply, InvalidInput) as problem:  # docs/method.md, L
            detail = Text("the title serves as rule: {problem}", problem=problem.what)
            with store.workspace.transaction():
                store.set_rule(uid, "", auto_title=True, reason="no model wrote a rule")
                journal.close_job(job, "done", detail)
        else:
            detail = Text(rule.text)
            use = MemoryUse(RULE, self._task.operator.name, item=uid)
            async with self._run.turn(self._task, use):
                with store.workspace.transaction():
                    text = scoped(rule.text, launch_share(store.workspace, uid))
                    store.set_rule(uid, text, rule.example)
                    journal.close_job(job, "done", detail)
        self._tell(Purpose.ABSTRACT, uid, "done", detail, (uid,))

    async def distil(
        self,
        ledger: Sequence[str],
        rounds: Sequence[StoredRound],
        *,
        distilled: int = 0,
        before_opt: bool = False,
    ) -> None:
        """Write the experiences some rounds taught to cold memory.

        None when nothing was evaluated.

        When the model's answers stay unreadable, drafts extracted from the rounds wait
        for a person instead.

        Args:
            ledger: One line for each of `rounds`.
            rounds: Evaluated rounds from the first one on.
            distilled: How many of them an earlier distillation told of already.
            before_opt: They are the corr episode, and opt follows: the request belongs
                to its last round, which tells it from the one at the end.
        """
        journal, name = self._run.journal, self._task.operator.name
        job = f"distil-{rounds[-1].episode_uid if before_opt and rounds else self._task.uid}"
        if len(rounds) <= distilled or journal.job_state(job) in {"done", "failed"}:
            return
        last = rounds[-1]
        journal.open_job(
            job, Purpose.DISTIL.value, name, last.episode_uid if before_opt else None
        )
        request = ModelRequest(
            Purpose.DISTIL,
            name,
            last.objective.value if before_opt else "",
            last.round if before_opt else 0,
            (Message("user", self._distil_prompt(ledger, rounds, distilled)),),
        )
        try:
            drafts = await answered(request, self._ask, read_experiences)
        except NoReply as problem:
            journal.close_job(job, "failed", problem.what)
            self._tell(Purpose.DISTIL, name, "failed", problem.what, ())
            return
        except InvalidInput as problem:
            reason = Text(
                "extracted without the model, whose answers could not be read: {problem}",
                problem=problem.what,
            )
            experiences, state = (
                self._extracted(rounds[max(0, distilled - 1) :]),
                ItemState.PENDING,
            )
        else:
            reason = Text("")
            source = f"distilled from {self._task.operator.name}"
            experiences, state = (
                tuple(replace(draft, source=source) for draft in drafts),
                ItemState.ACTIVE,
            )
        use = MemoryUse(DISTIL, name, request.objective)
        async with self._run.turn(self._task, use):
            detail, uids = self._learn(job, experiences, state, reason)
        self._tell(Purpose.DISTIL, name, "done", detail, uids)

    def _learn(
        self,
        job: str,
        experiences: Sequence[Experience],
        state: ItemState,
        reason: str | Text,
    ) -> tuple[str, tuple[str, ...]]:
        """Store experiences together with the end of their job: what came of it, and their uids."""
        store = self._run.store
        with store.workspace.transaction():
            uids = tuple(
                dict.fromkeys(
                    store.add_item(
                        experience,
                        origin=Origin.DISTILLED,
                        state=state,
                        reason=str(reason),
                    )
                    for experience in experiences
                )
            )
            repeated = [uid for uid in uids if hold_double(store.workspace, uid)]
            alike = [pair for uid in uids for pair in doubles(store.workspace, uid)]
            detail = f"{len(uids)} new experiences" + (
                f" wait for review: {reason}" if reason else ""
            )
            if repeated:
                detail += (
                    f"; in quarantine, for they add nothing: {', '.join(repeated)}"
                )
            detail += f"; {proposal(tuple(alike))}" if alike else ""
            self._run.journal.close_job(job, "done", detail)
        return detail, uids

    def _extracted(self, rounds: Sequence[StoredRound]) -> tuple[Experience, ...]:
        """What the failures overcome and the clear speed-ups among some rounds show by themselves."""
        journal, operator = self._run.journal, self._task.operator
        attempts = [
            record_of(Attempt, entry, files=journal.candidate(entry.candidate).files)
            for entry in rounds
        ]
        return extract(operator.name, operator.category, attempts)

    def _read_rule(self, text: str) -> RuleReply:
        """The rule of a reply, short by the counter of this memory; raises as `read_rule`."""
        rule = read_rule(text)
        require_short(rule, self._run.store.counter)
        return rule

    async def _ask(self, request: ModelRequest) -> ModelReply:
        return await ask(self._run, self._task, request)

    def _abstract_prompt(self, uid: str) -> str:
        """What a model needs to make a rule of an experience: its text, and when it helped and when it did not."""
        item = self._run.store.item(uid)
        workspace = self._run.store.workspace
        return templates.fill(
            "abstract",
            most=MOST_RULE_TOKENS,
            uid=uid,
            experience=experience_text(item),
            counts=evidence_counts(item, launch_share(workspace, uid)),
            evidence=adoption_lines(workspace, uid),
            against=refusal_lines(workspace, uid),
        )

    def _distil_prompt(
        self, ledger: Sequence[str], rounds: Sequence[StoredRound], distilled: int
    ) -> str:
        """What a model needs to distil experiences from a trajectory.

        Args:
            ledger: Entries of its rounds.
            rounds: Evaluated ones.
            distilled: How many of them an earlier distillation had.
        """
        operator = self._task.operator
        store = self._run.store
        # What was retrieved or distilled already is not to be written once more.
        titles = [
            (hit.uid, store.item(hit.uid).title)
            for entry in rounds
            for hit in store.retrieved(entry.episode_uid, entry.round)
        ]
        if distilled:
            titles += self._run.journal.distilled(operator.name, rounds[0].episode_uid)
        files, counter = self._run.journal, self._run.context.counter
        changes = changes_text(
            rounds,
            distilled,
            lambda digest: files.candidate(digest).files,
            counter,
        )
        return templates.fill(
            "distil",
            operator=operator.name,
            category=operator.category,
            types=", ".join(TYPES),
            kinds=", ".join(KINDS),
            ledger=folded_ledger(ledger, rounds),
            changes=changes or "None.",
            known="\n".join(
                dict.fromkeys(f"- [{uid}] {title}" for uid, title in titles)
            )
            or "None.",
        )

    def _tell(
        self,
        purpose: Purpose,
        subject: str,
        state: str,
        detail: str | Text,
        items: tuple[str, ...],
    ) -> None:
        self._run.observe(
            JobFinished(*self._task.stamp, purpose.value, subject, state, detail, items)
        )
