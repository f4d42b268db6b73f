"""What an engine works with: model, evaluator, parameters, retriever; exchanged between runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.agent.context import ContextBuilder
from core.agent.limits import Limits
from core.agent.tools import Retrieve
from core.evaluation.port import Evaluator
from core.memory.parameters import MethodParameters
from core.models.port import ModelProvider
from core.workspace import Workspace

MakeRetriever = Callable[[Workspace], Retrieve]


def sparse_retriever(workspace: Workspace) -> Retrieve:
    """The retriever of a workspace; imported late, the window must be painted before numpy loads."""
    from core.memory.retrieval import Retriever

    return Retriever(workspace).retrieve


@dataclass(frozen=True)
class Equipment:
    """The factories run in the engine's thread when work starts; see the arguments of `Engine`."""

    provider: Callable[[], ModelProvider]
    evaluator: Callable[[], Evaluator]
    parameters: MethodParameters
    retriever: MakeRetriever = sparse_retriever
    context: ContextBuilder = field(default_factory=ContextBuilder)
    limits: Limits = field(default_factory=Limits)
