"""One digest over all that a run's model may read beside its memory, so that arms can be compared."""

from __future__ import annotations

from hashlib import sha256

from core.agent import prompts
from core.method.parameters import MethodParameters
from core.references.look_up import References


def references_digest(
    parameters: MethodParameters, references: References | None
) -> str:
    """Sha256 over the three references of the skills and, unless `references=paper`, what can be looked up.

    It depends on nothing else, so arms that differ in memory alone have the same.
    """
    total = sha256()
    for skill in (prompts.GENERATOR, prompts.OPTIMIZER):
        total.update(prompts.attached(skill).encode())
    if references is not None and parameters.references == "full":
        total.update(references.digest.encode())
    return total.hexdigest()
