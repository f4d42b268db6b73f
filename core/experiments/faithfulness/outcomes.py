"""The outcomes of a faithfulness study in a file of lines, written as they come; continued where it was."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.errors import InvalidInput, SageError
from core.experiments.faithfulness.analysis import Outcome, Trial
from core.records_json import decode, to_json
from core.whole_file import write_text

Again = Callable[[Trial], Awaitable[Outcome]]


@dataclass(frozen=True)
class Study:
    """What the outcomes of a file belong to; the first line of the file.

    Attributes:
        bank: `bank_id` of the workspace the rounds are from.
        trials: sha256 over the keys of all its trials.
        model: Who wrote the replies, as named.
        evaluator: Who judged.
        seed: Of the sample and of every alteration.
        repeats: Of each trial.
    """

    bank: str
    trials: str
    model: str
    evaluator: str
    seed: int
    repeats: int


def read_outcomes(path: Path, study: Study | None = None) -> tuple[Outcome, ...]:
    """Read what a study has so far; a line cut off by a crash is left out.

    Args:
        path: The file; one that does not exist holds nothing.
        study: What is to be continued; None: any study.

    Raises:
        SageError: The file holds another study.
        InvalidInput: A line of it is none of ours.
    """
    if not path.exists():
        return ()
    try:
        text = path.read_text(encoding="utf-8")
        if not text:
            return ()
        # What follows the last line end was cut off, or is empty.
        whole = text.split("\n")[:-1]
        stored = decode(whole[0] if whole else text, Study)
        outcomes = tuple(decode(line, Outcome) for line in whole[1:])
    except (UnicodeDecodeError, msgspec.MsgspecError) as error:
        raise InvalidInput(
            str(path),
            "line",
            "is not an outcome of a faithfulness study ({error})",
            error=error,
        ) from error
    if study is not None and stored != study:
        raise SageError(
            "{path} holds the outcomes of another study: {study}.",
            "Name another file, or give the options it was begun with.",
            path=path,
            study=to_json(stored),
        )
    return outcomes


async def play(
    trials: Sequence[Trial],
    again: Again,
    path: Path,
    study: Study,
    on_progress: Callable[[int], None] = lambda _: None,
) -> tuple[Outcome, ...]:
    """Play the trials that the file does not hold yet, one after the other; returns all outcomes.

    Args:
        trials: All of the study.
        again: Plays one.
        path: Where outcomes are kept; each is written before the next begins.
        study: What they belong to.
        on_progress: Hears how many are known after each.

    Raises:
        SageError: The file holds another study, or a trial could not be played.
    """
    earlier = read_outcomes(path, study)
    # Else play again.
    outcomes = {
        outcome.key: outcome for outcome in earlier if outcome.success is not None
    }
    lines = [to_json(study), *(to_json(outcome) for outcome in outcomes.values())]
    write_text(path, "".join(f"{line}\n" for line in lines))  # without a cut-off line
    on_progress(len(outcomes))
    with path.open("a", encoding="utf-8") as file:
        for trial in trials:
            if trial.key in outcomes:
                continue
            outcome = await again(trial)
            file.write(to_json(outcome) + "\n")
            file.flush()
            outcomes[trial.key] = outcome
            on_progress(len(outcomes))
    return tuple(outcomes[trial.key] for trial in trials)
