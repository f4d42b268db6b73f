"""A workspace in the middle of its work, written through the real store: what the panels are tried on."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.agent.run.journal import Journal
from core.evaluation.records import (
    TIME_MODEL,
    BuildReport,
    Candidate,
    CaseResult,
    CompilerMessage,
    ErrorMap,
    ErrorStatistics,
    Evaluation,
    Finding,
    Latency,
    LatencyOrigin,
    LineTimes,
    PipeProfile,
    PipeTimes,
    RuleVerdicts,
    Severity,
    VerdictClass,
    stored_origin,
)
from core.memory.records import (
    AdoptionState,
    CodeDiff,
    EpisodeOutcome,
    Experience,
    Origin,
    Retrieved,
)
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.models.port import Message, ModelReply, ModelRequest, Purpose, Usage
from core.records_json import to_json
from core.workspace import Workspace, now

_MODELLED = stored_origin(LatencyOrigin.MODELLED, TIME_MODEL)
KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t BUFFER_NUM = {buffers};

class Kernel{name} {{
public:
    __aicore__ inline Kernel{name}() {{}}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t tileLength)
    {{
        // one block of the input for each core
        this->blockLength = total / GetBlockNum();
        this->tileLength = tileLength;
        xGm.SetGlobalBuffer((__gm__ DTYPE_X *)x + this->blockLength * GetBlockIdx(), this->blockLength);
        yGm.SetGlobalBuffer((__gm__ DTYPE_X *)y + this->blockLength * GetBlockIdx(), this->blockLength);
        pipe.InitBuffer(inQueueX, BUFFER_NUM, this->tileLength * sizeof(DTYPE_X));
        pipe.InitBuffer(outQueueY, BUFFER_NUM, this->tileLength * sizeof(DTYPE_X));
    }}

    __aicore__ inline void Process()
    {{
        for (uint32_t i = 0; i < this->blockLength / this->tileLength; ++i) {{
            CopyIn(i);
            Compute();
            CopyOut(i);
        }}
    }}

private:
    __aicore__ inline void CopyIn(uint32_t i)
    {{
        LocalTensor<DTYPE_X> xLocal = inQueueX.AllocTensor<DTYPE_X>();
        {copy}
        inQueueX.EnQue(xLocal);
    }}

    __aicore__ inline void Compute()
    {{
        LocalTensor<DTYPE_X> xLocal = inQueueX.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_X> yLocal = outQueueY.AllocTensor<DTYPE_X>();
        Abs(yLocal, xLocal, this->tileLength);
        outQueueY.EnQue<DTYPE_X>(yLocal);
        inQueueX.FreeTensor(xLocal);
    }}

    TPipe pipe;
    TQue<QuePosition::VECIN, BUFFER_NUM> inQueueX;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outQueueY;
    GlobalTensor<DTYPE_X> xGm, yGm;
    uint32_t blockLength, tileLength;
}};
"""
DRAFT = "DataCopy(xLocal, xGm[i * this->tileLength], this->tileLength);"
PADDED = (
    "DataCopyExtParams copy{1, this->tileLength * sizeof(DTYPE_X), 0, 0, 0};\n"
    "        DataCopyPad(xLocal, xGm[i * this->tileLength], copy, {false, 0, 0, 0});"
)
TILING = "BEGIN_TILING_DATA_DEF(TilingData)\n  TILING_DATA_FIELD_DEF(uint32_t, total);\nEND_TILING_DATA_DEF;\n"

ITEMS = (
    (
        "seed-0001",
        "DataCopy needs whole blocks of 32 bytes; use DataCopyPad for the tail",
        "api_misuse",
        "Data movement",
        "GM address or length of DataCopy is not a multiple of 32 bytes",
    ),
    (
        "seed-0002",
        "EnQue after the copy and DeQue before the computation, always in pairs",
        "synchronisation",
        "Queues",
        "queue delivers nothing: DeQue without EnQue",
    ),
    (
        "seed-0003",
        "Two buffers a queue let the copy of the next tile run beside the computation",
        "algorithmic_optimization",
        "Pipelining",
        "copy and computation take turns; MTE2 waits for V",
    ),
    (
        "seed-0004",
        "Spread the rows over all cores with GetBlockNum and GetBlockIdx",
        "algorithmic_optimization",
        "Tiling",
        "only one of 48 cores works",
    ),
    (
        "seed-0005",
        "Accumulate float16 sums in float32 and cast once at the end",
        "precision",
        "Reduction",
        "relative error above 1e-3 in rows longer than 2048",
    ),
    (
        "seed-0006",
        "Keep the sum of all queue buffers below 192 KiB of UB",
        "resource_limit",
        "Memory",
        "UB overflow: InitBuffer asks for 262144 bytes",
    ),
)


@dataclass(frozen=True)
class Step:
    """One round to write: verdict, latency in microseconds, adopted items, cause of a failure."""

    objective: Objective
    verdict: VerdictClass
    latency: float | None = None
    adopted: tuple[str, ...] = ()
    cause: str = ""


CORR, OPT = Objective.CORR, Objective.OPT
PASS, BUILD, RUN, WRONG = (
    VerdictClass.PASS,
    VerdictClass.FAIL_BUILD,
    VerdictClass.FAIL_RUN,
    VerdictClass.FAIL_RESULT,
)
STEPS = (
    Step(
        CORR,
        BUILD,
        cause="op_kernel/abs_math.cpp:42: error: no matching function for call to 'DataCopy'",
    ),
    Step(
        CORR,
        RUN,
        adopted=("seed-0002",),
        cause="DataCopy reads 48 bytes beyond the end of x on core 3",
    ),
    Step(CORR, PASS, 21.84, ("seed-0001",)),
    Step(OPT, PASS, 15.02, ("seed-0003",)),
    Step(
        OPT,
        WRONG,
        adopted=("seed-0004",),
        cause="1024 of 65536 elements differ, max abs 1.4",
    ),
    Step(OPT, PASS, 9.63, ("seed-0003", "seed-0004")),
)


def add_bank(store: MemoryStore) -> None:
    """Write the seed items."""
    for uid, title, kind, category, error in ITEMS:
        experience = Experience(
            title,
            kind,
            category,
            error,
            CodeDiff(DRAFT, PADDED),
            f"{title}. Seen in element-wise kernels.",
        )
        store.add_item(experience, origin=Origin.SEED, uid=uid)


def enqueue(workspace: Workspace, operator: str) -> int:
    """Append an operator to the queue and return its id."""
    with workspace.transaction() as db:
        last = db.execute(
            "SELECT coalesce(max(position), 0) FROM queue_entry"
        ).fetchone()[0]
        row = db.execute(
            "INSERT INTO queue_entry(operator, position, enqueued_at) VALUES (?, ?, ?) RETURNING id",
            (operator, last + 1.0, now()),
        ).fetchone()
    return int(row[0])


def run(
    workspace: Workspace,
    queue_id: int,
    steps: tuple[Step, ...] = STEPS,
    *,
    finish: bool = True,
) -> str:
    """Let the operator of `queue_id` go through `steps` and return the uid of its trajectory."""
    store = MemoryStore(workspace)
    parameters = MethodParameters()
    operator = workspace.db.execute(
        "SELECT operator FROM queue_entry WHERE id = ?", (queue_id,)
    ).fetchone()[0]
    uid = f"trajectory-{queue_id}"
    with workspace.transaction() as db:
        db.execute(
            "INSERT INTO trajectory(uid, queue_id, operator, operator_digest, parameters, provider, "
            "provider_origin, evaluator, started_at) "
            "VALUES (?, ?, ?, '', ?, 'sample', 'scripted', 'twin', ?)",
            (uid, queue_id, operator, parameters.to_json(), now()),
        )
        db.execute(
            "UPDATE queue_entry SET state = 'running', trajectory_uid = ? WHERE id = ?",
            (uid, queue_id),
        )
    for objective in (CORR, OPT):
        mine = [
            (n, step)
            for n, step in enumerate(steps, start=1)
            if step.objective is objective
        ]
        if not mine:
            continue
        episode = f"{uid}-{objective.value}"
        store.begin_episode(episode, uid, operator, objective, parameters)
        for number, step in mine:
            _write_round(workspace, store, uid, episode, number, step)
        _summarise(workspace, uid, steps)
        if not finish and objective is steps[-1].objective:
            return uid
        timed = [step.latency for step in steps if step.latency is not None]
        store.apply_episode(
            EpisodeOutcome(
                episode,
                correct=bool(timed),
                t_first=timed[0] if timed else None,
                t_best=min(timed, default=None),
                completes_trajectory=objective is OPT,
            )
        )
    with workspace.transaction() as db:
        db.execute(
            "UPDATE trajectory SET state = 'finished', finished_at = ? WHERE uid = ?",
            (now(), uid),
        )
        db.execute("UPDATE queue_entry SET state = 'done' WHERE id = ?", (queue_id,))
    return uid


def _summarise(workspace: Workspace, uid: str, steps: tuple[Step, ...]) -> None:
    timed = [
        (step.latency, n)
        for n, step in enumerate(steps, start=1)
        if step.latency is not None
    ]
    with workspace.transaction() as db:
        if timed:
            db.execute(
                "UPDATE trajectory SET t_first = ?, t_best = ?, latency_origin = ?, "
                "first_correct_round = ?, best_round = ? WHERE uid = ?",
                (
                    timed[0][0],
                    min(timed)[0],
                    _MODELLED,
                    timed[0][1],
                    min(timed)[1],
                    uid,
                ),
            )


def _write_round(
    workspace: Workspace,
    store: MemoryStore,
    uid: str,
    episode: str,
    number: int,
    step: Step,
) -> None:
    candidate = candidate_of(number, step)
    evaluation = evaluation_of(candidate, step)
    with workspace.transaction() as db:
        files = {
            path: workspace.put_text(text) for path, text in candidate.files.items()
        }
        db.execute(
            "INSERT OR IGNORE INTO candidate VALUES (?, ?)",
            (candidate.digest, json.dumps(files)),
        )
        db.execute(
            "INSERT INTO round(trajectory_uid, round, episode_uid, step, diagnosis, query, candidate, "
            "verdict, cause, latency_us, latency_origin, evaluation, started_at, finished_at) "
            "VALUES (?, ?, ?, 'evaluated', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                uid,
                number,
                episode,
                f"The last failure points at the copy of the tail (round {number}).",
                "DataCopy 32 bytes tail",
                candidate.digest,
                step.verdict.value,
                step.cause,
                step.latency,
                _MODELLED if step.latency else "",
                workspace.put_text(to_json(evaluation)),
                now(),
                now(),
            ),
        )
    retrieved = [
        Retrieved(item[0], rank, 0.0, rank, 0.8 / rank, None, 80.0 / rank, 80.0 / rank)
        for rank, item in enumerate(ITEMS[:5], start=1)
    ]
    store.record_retrieval(episode, number, retrieved)
    store.record_adoption(
        episode,
        number,
        {
            hit.uid: (
                AdoptionState.ADOPTED,
                "Its wrong code is the copy of this kernel; I use the correct one.",
            )
            if hit.uid in step.adopted
            else (AdoptionState.NOT_ADOPTED, "The kernel has no such fault.")
            for hit in retrieved
        },
    )


def add_call(
    workspace: Workspace,
    trajectory: str,
    number: int,
    purpose: str,
    reply: str,
    *,
    reasoning: str = "",
    tokens: tuple[int, int] | None = None,
) -> None:
    """Write one answer of the generator, as the journal does."""
    messages = (Message("system", "The skill."), Message("user", "Write the kernel."))
    request = ModelRequest(
        Purpose(purpose), "AbsMath", "corr" if number else "", number, messages
    )
    usage = Usage(*tokens) if tokens is not None else Usage()
    Journal(workspace).store_reply(
        trajectory, request, ModelReply(reply, reasoning, usage, 1.5)
    )


def candidate_of(number: int, step: Step) -> Candidate:
    """The kernel of a round: the copy is repaired in round 3, the second buffer comes in round 4."""
    kernel = KERNEL.format(
        name="AbsMath",
        buffers=2 if number >= 4 else 1,
        copy=PADDED if number >= 3 else DRAFT,
    )
    if step.latency is not None:
        kernel += f"// tile of {number * 512} elements\n"
    host = f'// host side of round {min(number, 2)}\n#include "abs_math_tiling.h"\n'
    return Candidate(
        {
            "op_kernel/abs_math.cpp": kernel,
            "op_host/abs_math.cpp": host,
            "op_host/abs_math_tiling.h": TILING,
        }
    )


def evaluation_of(candidate: Candidate, step: Step) -> Evaluation:
    """The environment's answer in the form the twin gives it."""
    built = step.verdict is not BUILD
    messages = (
        ()
        if built
        else (CompilerMessage("error", step.cause, "op_kernel/abs_math.cpp", 42, 9),)
    )
    findings = ()
    if step.verdict is RUN:
        findings = (
            Finding(
                "gm-out-of-bounds",
                Severity.ERROR,
                step.cause,
                "op_kernel/abs_math.cpp",
                35,
                3,
                "DataCopy",
                "abs_math",
                "x",
                "tail",
                "8176 bytes",
            ),
        )
    cases = tuple(
        _case(name, step, hidden=name == "hidden_tail")
        for name in ("full", "tail", "hidden_tail")
    )
    return Evaluation(
        candidate.digest,
        "AbsMath",
        step.verdict,
        step.cause,
        BuildReport(built, compiler="g++ 12", messages=messages),
        cases if built else (),
        findings,
        _latency(step),
        _profile(step),
        toolchain="twin",
        host="local",
    )


_WORK = {"gm_read": 2e6, "gm_written": 2e6, "vector_ops": 5e5}


def _profile(step: Step) -> PipeProfile | None:
    """Two cores; the second one is the slower and waits for copies in."""
    if step.latency is None:
        return None
    cores = (
        PipeTimes(0, 800.0, scalar=80.0, vector=200.0, mte2=400.0, mte3=100.0, **_WORK),
        PipeTimes(
            1,
            1000.0,
            scalar=100.0,
            vector=300.0,
            mte2=900.0,
            mte3=200.0,
            lines=(
                LineTimes("op_kernel/abs_math.cpp", 37, "DataCopy", "mte2", 9, 810.0),
            ),
            **_WORK,
        ),
    )
    return PipeProfile(
        1800.0, cores, "MTE2", LatencyOrigin.MODELLED, time_model=TIME_MODEL
    )


def _latency(step: Step) -> Latency | None:
    if step.latency is None:
        return None
    return Latency(
        step.latency,
        "us",
        LatencyOrigin.MODELLED,
        "twin cycle model",
        0,
        None,
        "Ascend910B1 model",
        time_model=TIME_MODEL,
    )


# an output of 256 x 256: the last 8 columns of its lower half are wrong
_MAP = ErrorMap(
    (256, 256),
    64,
    64,
    flat=False,
    cells=bytes(
        255 if row >= 32 and column >= 62 else 0
        for row in range(64)
        for column in range(64)
    ).hex(),
)


def _case(name: str, step: Step, *, hidden: bool) -> CaseResult:
    good = step.verdict is PASS
    status = {PASS: "pass", WRONG: "wrong-result"}.get(step.verdict, "run-error")
    statistics = ErrorStatistics(
        "y",
        65536,
        2e-7 if good else 1.4,
        1e-8,
        3e-6,
        1e-7,
        1.0 if good else 0.984,
        1.0,
        0 if good else 1024,
        65528,
        0.5,
        0.1,
        None if good or hidden else _MAP,
    )
    verdicts = RuleVerdicts(good, good, good, "paper", good)
    return CaseResult(
        name,
        hidden,
        not hidden,
        status,
        step.cause,
        "float32",
        verdicts,
        (statistics,),
        _latency(step) if good else None,
    )


def build(path: Path) -> Path:
    """A workspace with one finished, one running and two waiting operators: a copy of one, made once."""
    shutil.copy(_built(), path)
    return path


@cache
def _built() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="sage-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "sample.sage"
    with Workspace.open(path) as workspace:
        add_bank(MemoryStore(workspace))
        entries = [
            enqueue(workspace, name)
            for name in ("AbsMath", "Lerp", "SwiGlu", "RmsNorm")
        ]
        run(workspace, entries[0])
        run(workspace, entries[1], STEPS[:4], finish=False)
    return path
