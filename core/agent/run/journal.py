"""The record of trajectories in the workspace: every step is stored before the next one is taken.

A resumed trajectory is nothing but the same loop run over these rows: what is there is
reused, what is missing is done. Rows of `trajectory`, `round`, `model_call`,
`diagnostic`, `look_up`, `candidate` and `job` are written here, the texts they refer to
(`blob`), and the trajectory of a `queue_entry`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.agent.run.records import Progress, Step, StoredRound
from core.errors import SageError
from core.evaluation.records import UNCONFINED, Candidate, DiagnosticResult, Evaluation
from core.method.parameters import MethodParameters
from core.models.port import ModelReply, ModelRequest, Purpose, Usage
from core.records_json import decode, from_json, to_json
from core.same_fields import record_of
from core.text import Text
from core.workspace import Workspace, now
from core.workspace.rows import Value, insert, rows_as, update

# of a round `r`: that its candidate was judged without a sandbox
# (`Evaluation.is_unconfined`)
UNCONFINED_ROUND = f"""
coalesce((SELECT CASE WHEN json_valid(CAST(b.data AS TEXT))
  THEN json_extract(CAST(b.data AS TEXT), '$.facts.sandbox') END
  FROM blob b WHERE b.sha256 = r.evaluation), '') = '{UNCONFINED}'
"""
_ROUNDS = f"""
SELECT r.round, r.episode_uid, e.objective, r.step, r.diagnosis, coalesce(r.candidate, '') AS candidate,
  r.verdict, r.cause, r.latency_us, r.latency_origin, coalesce(r.evaluation, '') AS evaluation,
  (SELECT v.decision FROM candidate_review v WHERE v.candidate = r.candidate ORDER BY v.id DESC LIMIT 1)
    IS 'rejected' AS rejected,
  {UNCONFINED_ROUND} AS unconfined, r.author
FROM round r JOIN episode e ON e.uid = r.episode_uid WHERE r.trajectory_uid = ? ORDER BY r.round
"""


@dataclass(frozen=True)
class TrajectoryRecord:
    """A trajectory as stored.

    `parameters` are those it was begun with, whatever the engine has now.

    `references_digest` is the digest of all texts its model could read beside memory,
    empty where it is not known. `forked_from` is the trajectory whose rounds up to `forked_round`
    it begins with, where a person edited the next one; such a trajectory earns no
    credit and is in no metric. Empty for any other.
    """

    uid: str
    queue_id: int
    operator: str
    operator_digest: str
    parameters: MethodParameters
    provider: str
    provider_origin: str
    evaluator: str
    state: str
    stop_reason: str
    references_digest: str = ""
    forked_from: str = ""
    forked_round: int = 0


class Journal:
    """Reads and writes the record.

    Writing methods are one transaction each and may be nested in another.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    # ---- trajectories

    def begin(self, record: TrajectoryRecord) -> None:
        """Store a new open trajectory and bind its queue entry to it."""
        with self.workspace.transaction() as db:
            insert(
                db,
                "trajectory",
                uid=record.uid,
                queue_id=record.queue_id,
                operator=record.operator,
                operator_digest=record.operator_digest,
                parameters=record.parameters.to_json(),
                provider=record.provider,
                provider_origin=record.provider_origin,
                evaluator=record.evaluator,
                started_at=now(),
                references_digest=record.references_digest,
                forked_from=record.forked_from,
                forked_round=record.forked_round,
            )
            update(
                db, "queue_entry", {"id": record.queue_id}, trajectory_uid=record.uid
            )

    def trajectory(self, uid: str) -> TrajectoryRecord:
        """Read a trajectory.

        Raises:
            SageError: There is none of that uid.
        """
        row = self.workspace.db.execute(
            "SELECT * FROM trajectory WHERE uid = ?", (uid,)
        ).fetchone()
        if row is None:
            raise SageError("There is no trajectory {uid}.", uid=uid)
        parameters = MethodParameters.from_json(row["parameters"], f"trajectory {uid}")
        return record_of(TrajectoryRecord, dict(row), parameters=parameters)

    def assign_fork(self, uid: str, record: TrajectoryRecord) -> None:
        """Store what continues a fork: model, judge and references of `record`.

        A trajectory that is no fork is left as it is.
        """
        with self.workspace.transaction() as db:
            db.execute(
                "UPDATE trajectory SET provider = ?, provider_origin = ?, evaluator = ?, "
                "references_digest = ? WHERE uid = ? AND forked_from <> ''",
                (
                    record.provider,
                    record.provider_origin,
                    record.evaluator,
                    record.references_digest,
                    uid,
                ),
            )

    def finish(self, uid: str, state: str, reason: str | Text) -> None:
        """Close a trajectory as finished, cancelled or void."""
        with self.workspace.transaction() as db:
            update(
                db,
                "trajectory",
                {"uid": uid},
                state=state,
                stop_reason=str(reason),
                finished_at=now(),
            )

    def set_stop_reason(self, uid: str, reason: str | Text) -> None:
        """Store why the last episode ended; the learning jobs still follow."""
        with self.workspace.transaction() as db:
            update(db, "trajectory", {"uid": uid}, stop_reason=str(reason))

    def episode_status(self, uid: str) -> str:
        """Return open, applied or void; empty when the episode has not begun."""
        row = self.workspace.db.execute(
            "SELECT status FROM episode WHERE uid = ?", (uid,)
        ).fetchone()
        return "" if row is None else str(row[0])

    # ---- rounds

    def rounds(self, trajectory: str) -> tuple[StoredRound, ...]:
        """Return all rounds of a trajectory in order, the one in work included."""
        return rows_as(self.workspace.db.execute(_ROUNDS, (trajectory,)), StoredRound)

    def start_round(self, trajectory: str, number: int, episode: str) -> None:
        """Store that a round began; harmless when it is there."""
        with self.workspace.transaction() as db:
            insert(
                db,
                "round",
                "ignore",
                trajectory_uid=trajectory,
                round=number,
                episode_uid=episode,
                step=Step.STARTED.value,
                started_at=now(),
            )

    def advance(
        self, trajectory: str, number: int, step: Step, **columns: Value
    ) -> None:
        """Move a round on and store what the step brought (columns of `round`)."""
        with self.workspace.transaction() as db:
            update(
                db,
                "round",
                {"trajectory_uid": trajectory, "round": number},
                step=step.value,
                **columns,
            )

    def store_retrieval(
        self,
        trajectory: str,
        number: int,
        query: str,
        own_ranking: Sequence[str] | None = None,
    ) -> None:
        """Move a round to Step.RETRIEVED and store its query.

        Where R_t was prescribed, the uids this memory ranks for it as well.
        """
        self.advance(
            trajectory,
            number,
            Step.RETRIEVED,
            query=query,
            retrieval_pinned=int(own_ranking is not None),
            retrieved_here="" if own_ranking is None else json.dumps(own_ranking),
        )

    def finish_round(
        self,
        trajectory: str,
        number: int,
        evaluation: Evaluation,
        cause: str,
        progress: Progress,
    ) -> None:
        """Store a whole evaluation together with what it makes of the trajectory."""
        latency = evaluation.latency
        with self.workspace.transaction():
            self.advance(
                trajectory,
                number,
                Step.EVALUATED,
                verdict=evaluation.verdict.value,
                cause=cause,
                latency_us=latency.value if latency else None,
                latency_origin=latency.stored_origin if latency else "",
                evaluation=self.workspace.put_text(to_json(evaluation)),
                finished_at=now(),
            )
            self.set_progress(trajectory, progress)

    def set_progress(self, trajectory: str, progress: Progress) -> None:
        """Store what the rounds amount to; a field of `Progress` is a column of `trajectory`."""
        with self.workspace.transaction() as db:
            update(db, "trajectory", {"uid": trajectory}, **vars(progress))

    def evaluation(self, digest: str) -> Evaluation:
        """Read an evaluation, by the digest in its round."""
        return from_json(
            self.workspace.text(digest), Evaluation, f"evaluation {digest[:12]}"
        )

    # ---- candidates

    def store_candidate(self, candidate: Candidate) -> str:
        """Store the files of a candidate, each text once, and return its digest."""
        with self.workspace.transaction() as db:
            shas = {
                path: self.workspace.put_text(text)
                for path, text in candidate.files.items()
            }
            files = json.dumps(shas, sort_keys=True)
            insert(db, "candidate", "ignore", digest=candidate.digest, files=files)
        return candidate.digest

    def candidate(self, digest: str) -> Candidate:
        """Read back a candidate that was stored."""
        row = self.workspace.db.execute(
            "SELECT files FROM candidate WHERE digest = ?", (digest,)
        ).fetchone()
        shas = decode(row[0], dict[str, str])
        return Candidate({path: self.workspace.text(sha) for path, sha in shas.items()})

    # ---- model calls

    def reply(self, trajectory: str, request: ModelRequest) -> ModelReply | None:
        """Return the stored answer to a request with these coordinates, None when it was never answered."""
        row = self.workspace.db.execute(
            "SELECT * FROM model_call WHERE trajectory_uid = ? AND round = ? AND purpose = ? AND subject = ? "
            "AND attempt = ?",
            (
                trajectory,
                request.round,
                request.purpose.value,
                request.subject,
                request.attempt,
            ),
        ).fetchone()
        if row is None:
            return None
        return ModelReply(
            text=self.workspace.text(row["reply"]),
            reasoning=self.workspace.text(row["reasoning"]) if row["reasoning"] else "",
            usage=Usage(
                row["prompt_tokens"], row["completion_tokens"], row["cached_tokens"]
            ),
            seconds=row["seconds"],
        )

    def further_answers(
        self, trajectory: str, number_of_round: int, purpose: Purpose
    ) -> int:
        """How many answers of a purpose a round has beside the first."""
        query = (
            "SELECT count(*) FROM model_call WHERE trajectory_uid = ? AND round = ? "
            "AND purpose = ? AND attempt > 0"
        )
        values = (trajectory, number_of_round, purpose.value)
        return int(self.workspace.db.execute(query, values).fetchone()[0])

    def store_reply(
        self, trajectory: str, request: ModelRequest, reply: ModelReply
    ) -> None:
        """Store an answer before anything is done with it; a field of `Usage` is a column of `model_call`."""
        with self.workspace.transaction() as db:
            insert(
                db,
                "model_call",
                trajectory_uid=trajectory,
                round=request.round,
                purpose=request.purpose.value,
                subject=request.subject,
                attempt=request.attempt,
                prompt=self.workspace.put_text(to_json(request.messages)),
                reply=self.workspace.put_text(reply.text),
                reasoning=self.workspace.put_text(reply.reasoning)
                if reply.reasoning
                else "",
                seconds=reply.seconds,
                at=now(),
                **vars(reply.usage),
            )

    # ---- diagnostics

    def diagnostic(
        self, trajectory: str, number_of_round: int, number: int
    ) -> DiagnosticResult | None:
        """Return the stored answer of a diagnostic, None when it was not made."""
        row = self.workspace.db.execute(
            "SELECT result FROM diagnostic WHERE trajectory_uid = ? AND round = ? AND number = ?",
            (trajectory, number_of_round, number),
        ).fetchone()
        return None if row is None else self._diagnosed(row[0])

    def diagnostics_of(
        self, trajectory: str, number_of_round: int
    ) -> tuple[tuple[str, DiagnosticResult], ...]:
        """Test case and answer of every diagnostic of a round, in the order they were asked for."""
        rows = self.workspace.db.execute(
            "SELECT test_case, result FROM diagnostic WHERE trajectory_uid = ? AND round = ? ORDER BY number",
            (trajectory, number_of_round),
        ).fetchall()
        return tuple((case, self._diagnosed(digest)) for case, digest in rows)

    def _diagnosed(self, digest: str) -> DiagnosticResult:
        return from_json(
            self.workspace.text(digest), DiagnosticResult, f"diagnostic {digest[:12]}"
        )

    def diagnostics_used(self, trajectory: str, before_round: int) -> int:
        """How many diagnostics the rounds before `before_round` asked for."""
        query = "SELECT count(*) FROM diagnostic WHERE trajectory_uid = ? AND round < ?"
        return int(
            self.workspace.db.execute(query, (trajectory, before_round)).fetchone()[0]
        )

    def store_diagnostic(
        self,
        trajectory: str,
        number_of_round: int,
        number: int,
        case: str,
        candidate: Candidate,
        result: DiagnosticResult,
        seconds: float,
    ) -> None:
        """Store the answer of a diagnostic with the files it looked at, before the model hears of it."""
        with self.workspace.transaction() as db:
            insert(
                db,
                "diagnostic",
                trajectory_uid=trajectory,
                round=number_of_round,
                number=number,
                tool=result.tool,
                test_case=case,
                candidate=self.store_candidate(candidate),
                ok=result.ok,
                summary=result.summary,
                result=self.workspace.put_text(to_json(result)),
                seconds=seconds,
                at=now(),
            )

    # ---- look-ups

    def look_up(self, trajectory: str, number_of_round: int, number: int) -> str | None:
        """Return the stored answer of a look-up, None when nothing was looked up in that exchange."""
        row = self.workspace.db.execute(
            "SELECT answer FROM look_up WHERE trajectory_uid = ? AND round = ? AND number = ?",
            (trajectory, number_of_round, number),
        ).fetchone()
        return None if row is None else self.workspace.text(row[0])

    def store_look_up(
        self,
        trajectory: str,
        number_of_round: int,
        number: int,
        queries: Sequence[str],
        answer: str,
        references_digest: str,
    ) -> None:
        """Store what was looked up in the references of that digest, and the answer, before the model reads it."""
        with self.workspace.transaction() as db:
            insert(
                db,
                "look_up",
                trajectory_uid=trajectory,
                round=number_of_round,
                number=number,
                queries=json.dumps(list(queries), ensure_ascii=False),
                answer=self.workspace.put_text(answer),
                references_digest=references_digest,
                at=now(),
            )

    # ---- learning jobs

    def job_state(self, uid: str) -> str:
        """Return waiting, done or failed; empty when there is no such job."""
        row = self.workspace.db.execute(
            "SELECT state FROM job WHERE uid = ?", (uid,)
        ).fetchone()
        return "" if row is None else str(row[0])

    def open_job(
        self, uid: str, purpose: str, subject: str, episode: str | None
    ) -> None:
        """Store that a job is to be done; harmless when it is there."""
        with self.workspace.transaction() as db:
            insert(
                db,
                "job",
                "ignore",
                uid=uid,
                purpose=purpose,
                subject=subject,
                episode_uid=episode,
                created_at=now(),
            )

    def close_job(self, uid: str, state: str, detail: str | Text) -> None:
        """Store how a job ended."""
        with self.workspace.transaction() as db:
            update(
                db,
                "job",
                {"uid": uid},
                state=state,
                detail=str(detail),
                finished_at=now(),
            )

    def distilled(self, operator: str, since: str) -> list[tuple[str, str]]:
        """Uid and title of what was distilled from an operator after the episode `since` began."""
        # `source` ends with the operator: "distilled from X", "extracted from rounds … of X".
        rows = self.workspace.db.execute(
            "SELECT uid, title FROM item WHERE origin = 'distilled' AND source LIKE '% ' || ? "
            "AND created_seq > (SELECT memory_seq_at_start FROM episode WHERE uid = ?) ORDER BY id",
            (operator, since),
        )
        return [(row[0], row[1]) for row in rows]
