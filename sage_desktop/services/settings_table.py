"""Every setting of the program as plain data: one table feeds the dialog, its search and the documentation.

Titles and meanings are English source texts, translated at use. The parameters of the method have their
names, defaults and ranges in `core.method.parameters`, and their words here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sage_desktop.services.wiring import TOOLCHAINS

if TYPE_CHECKING:
    from core.agent.run.limits import Limits
    from core.method.parameters import MethodParameters

Value = bool | int | float | str


class Store(Protocol):
    """Where settings are kept; see `sage_desktop.ui.preferences.Preferences`."""

    @property
    def folder(self) -> Path: ...

    def text(self, key: str, default: str = "") -> str: ...

    def flag(self, key: str, *, default: bool) -> bool: ...

    def set(self, key: str, value: str | bool) -> None: ...

    def forget(self, key: str) -> None: ...


PAGES: Mapping[str, tuple[str, str, str]] = {
    "method": (
        "Method",
        "memory",
        "Parameters of SAGE for new trajectories; the defaults are the paper's.",
    ),
    "models": (
        "Models",
        "bolt",
        "Servers that write kernels. Keys stay in the environment or the keyring.",
    ),
    "hosts": (
        "Hosts",
        "hosts",
        "How SAGE Desktop uses the machines on the Hosts page.",
    ),
    "judge": (
        "Evaluation",
        "hammer",
        "Where and how kernels are compiled, checked and timed.",
    ),
    "budget": (
        "Limits",
        "clock",
        "What may be spent; checked before each request. 0 means no limit.",
    ),
    "appearance": (
        "Appearance",
        "sun",
        "Language, colours, text size and notifications.",
    ),
}


@dataclass(frozen=True)
class Setting:
    """One setting.

    Attributes:
        key: `<page>/<name>`, as stored.
        title: Name on screen.
        meaning: One or two sentences.
        default: Value when nothing is stored; its type is that of the setting.
        low: Smallest value of a number.
        high: Largest value of a number.
        choices: Allowed words, empty for free text.
        group: Heading it stands below.
    """

    key: str
    title: str
    meaning: str
    default: Value
    low: float = 0.0
    high: float = 1e9
    choices: tuple[str, ...] = ()
    group: str = ""

    @property
    def page(self) -> str:
        """Key of `PAGES`."""
        return self.key.partition("/")[0]

    @property
    def name(self) -> str:
        """The part after the page."""
        return self.key.partition("/")[2]


_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Trajectory": ("T", "patience", "workers", "references", "rule", "goal"),
    "Retrieval": ("k", "gamma", "encoder", "ranking", "memory"),
    "Utility (ATU)": ("delta", "beta", "eta_min", "credit_rule"),
    "Gates and hot memory (UGC)": ("K_ado", "K_op", "B", "mu", "consolidation"),
}
_METHOD: Mapping[str, tuple[str, str]] = {
    "T": (
        "Rounds T",
        "Refinement rounds of a trajectory, shared by its corr and opt episodes.",
    ),
    "patience": (
        "Patience",
        (
            "Optimization rounds without a faster kernel after which the "
            "episode ends; 0: never."
        ),
    ),
    "workers": (
        "Parallel operators",
        (
            "Trajectories at a time; with more than one an episode does not see"
            " what the others learn meanwhile (R)."
        ),
    ),
    "references": (
        "References",
        (
            "What the model may read: `full`, the paper's three references and "
            "look-ups in the built-in reference and the user's own "
            "documentation; or `paper`, those three alone (AC)."
        ),
    ),
    "rule": (
        "Rule of correctness",
        (
            "Which rule decides what is correct: that of each `operator`, or "
            "the `paper`'s 1e-3 for any dtype of every operator that has no "
            "checker of its own (D)."
        ),
    ),
    "goal": (
        "Goal",
        (
            "What a trajectory is for: a `fast` kernel, corr and then opt; a "
            "`correct` one, corr alone; or one that `compiles`, with which corr"
            " ends, as failed unless it is correct (cold start, AE)."
        ),
    ),
    "k": (
        "Items retrieved k",
        "Items retrieved per round.",
    ),
    "gamma": (
        "Strength of utility γ",
        "Strength of utility in reranking, s = s_rel (1 + gamma u).",
    ),
    "encoder": (
        "Text encoder",
        (
            "What gives the dense part of relevance: the encoder that comes "
            "with the program, the folder or hub name of another sentence-"
            "transformers model, or `none`."
        ),
    ),
    "ranking": (
        "Ranking",
        (
            "What the k of R are chosen by: `utility`, s_rel (1 + gamma u), or "
            "the `value` of each for the objective at hand, learnt round by "
            "round as EvoKernel does (AD)."
        ),
    ),
    "memory": (
        "Memory",
        (
            "Whether the memory is `evolving`, only read (`static`: nothing is "
            "learnt), read from the finished file of another run (`frozen`), or"
            " not there (`none`: nothing is retrieved either)."
        ),
    ),
    "delta": (
        "Failure penalty δ",
        "Penalty of an unsuccessful episode, z = -delta.",
    ),
    "beta": (
        "Non-adoption penalty β",
        "Penalty of an item that was retrieved but not adopted, xi = -beta.",
    ),
    "eta_min": (
        "Smallest step η_min",
        "Smallest step of the utility update.",
    ),
    "credit_rule": (
        "Credit rule",
        (
            "`atu`; `uniform`, xi = z for all of R, under which adoption is not"
            " asked for and the gates count retrievals (W); or `none`."
        ),
    ),
    "K_ado": (
        "Adoptions needed K_ado",
        "Adoptions needed before an item is validated.",
    ),
    "K_op": (
        "Operators needed K_op",
        "Distinct adopting operators needed before an item is validated.",
    ),
    "B": (
        "Token budget B",
        "Token budget of hot memory.",
    ),
    "mu": (
        "Frequency step μ",
        "Step of the access-frequency moving average of residents.",
    ),
    "consolidation": (
        "Consolidation",
        "By `utility`, `random` (order drawn from the episode's seq) or `off`.",
    ),
}
_LIMITS: Mapping[str, tuple[str, str]] = {
    "tokens": ("Tokens per operator", "Prompt and reply tokens of one operator."),
    "seconds": (
        "Seconds per operator",
        "Seconds of model and evaluation for one operator.",
    ),
    "cost": ("Cost per operator", "In the currency of the model's prices."),
    "run_tokens": ("Tokens per run", "Prompt and reply tokens of the whole run."),
    "run_seconds": (
        "Seconds per run",
        "Seconds of model and evaluation over the whole run.",
    ),
    "run_cost": ("Cost per run", "In the currency of the model's prices."),
}
ENGLISH, CHINESE = "en", "zh_CN"
SYSTEM = "system"
CHOICE_WORDS: Mapping[str, str] = {ENGLISH: "English", CHINESE: "简体中文"}
"""Words for choices that are no words themselves; languages are written as those who read them write."""
_OTHERS = (
    Setting(
        "hosts/probe",
        "Check reachability",
        "Check when a host's page is opened whether its SSH port can be reached; nobody logs in.",
        default=True,
    ),
    Setting(
        "hosts/keep_days",
        "Retention (days)",
        "Clean Up keeps jobs and files on a host that are newer.",
        2,
        0,
        365,
    ),
    Setting(
        "hosts/keep_gb",
        "Retention (GB)",
        "Clean Up removes the oldest files beyond this size.",
        8,
        1,
        10_000,
    ),
    Setting(
        "judge/toolchain",
        "Toolchain",
        "twin models the processor on any machine; cann compiles and runs on NPUs, on hosts that have CANN.",
        "twin",
        choices=TOOLCHAINS,
    ),
    Setting(
        "judge/soc",
        "Processor",
        "Processor the CPU twin models, except for a task made of a profile: that is judged as the "
        "profile's. CANN asks the host for its own.",
        "Ascend910B1",
        choices=("Ascend910B1", "Ascend910B2", "Ascend910B3", "Ascend910B4"),
    ),
    Setting(
        "appearance/language",
        "Language",
        "Language of the window; follows the desktop unless chosen. Takes effect after restart; the "
        "window offers one.",
        SYSTEM,
        choices=(SYSTEM, ENGLISH, CHINESE),
    ),
    Setting(
        "appearance/theme",
        "Colours",
        "Follow the desktop, or stay light or dark.",
        "system",
        choices=("system", "light", "dark"),
    ),
    Setting(
        "appearance/zoom",
        "Text size",
        "Points added to the desktop's text size.",
        0,
        -3,
        8,
    ),
    Setting(
        "appearance/code_font",
        "Code font",
        "Family of the font of kernels and logs, for example JetBrains Mono; empty for the best one that is "
        "installed.",
        "",
    ),
    Setting(
        "appearance/editor",
        "Editor command",
        "What Open in Editor runs, for example code {file}; empty for what the desktop opens files with. "
        "The file comes last where {file} is not named.",
        "",
    ),
    Setting(
        "appearance/notify",
        "Notify when finished",
        "Show a desktop notification when the queue is finished.",
        default=True,
    ),
)


def _method_settings() -> list[Setting]:
    # It needs msgspec: windows paint first.
    from core.method.parameters import CHOICES, RANGES, MethodParameters

    defaults = MethodParameters()
    rows = []
    for group, names in _GROUPS.items():
        for name in names:
            title, meaning = _METHOD[name]
            low, high = RANGES.get(name, (0.0, 0.0))
            row = Setting(
                f"method/{name}",
                title,
                meaning,
                getattr(defaults, name),
                low,
                high,
                choices=CHOICES.get(name, ()),
                group=group,
            )
            rows.append(row)
    return rows


@cache
def settings() -> tuple[Setting, ...]:
    """All settings in the order of the dialog."""
    from core.agent.run.limits import Limits  # needs msgspec: windows paint first

    blank = Limits()
    limits = [
        Setting(f"budget/{name}", title, meaning, getattr(blank, name), 0, 1e12)
        for name, (title, meaning) in _LIMITS.items()
    ]
    return (*_method_settings(), *limits, *_OTHERS)


def setting(key: str) -> Setting:
    """The setting of that key."""
    return next(entry for entry in settings() if entry.key == key)


def read(preferences: Store, entry: Setting) -> Value:
    """What is stored, or the default when nothing usable is."""
    if isinstance(entry.default, bool):
        return preferences.flag(entry.key, default=entry.default)
    raw = preferences.text(entry.key, str(entry.default))
    if isinstance(entry.default, str):
        return raw if not entry.choices or raw in entry.choices else entry.default
    try:
        number = type(entry.default)(raw)
    except ValueError:
        return entry.default
    return number if entry.low <= number <= entry.high else entry.default


def value_of(preferences: Store, key: str) -> Value:
    """The value of a setting by its key."""
    return read(preferences, setting(key))


def store(preferences: Store, entry: Setting, value: Value) -> None:
    """Remember a value; the default is not written, so that a later release may better it."""
    if value == entry.default:
        preferences.forget(entry.key)
    else:
        preferences.set(entry.key, value if isinstance(value, bool) else str(value))


def method_parameters(preferences: Store) -> MethodParameters:
    """The parameters as the person set them."""
    from core.method.parameters import MethodParameters

    values = {
        entry.name: read(preferences, entry)
        for entry in settings()
        if entry.page == "method"
    }
    return MethodParameters(**values)  # type: ignore[arg-type]


def limits(
    preferences: Store, prices: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Limits:
    """The limits as the person set them.

    Raises:
        InvalidInput: A cost is limited, but the model has no prices.
    """
    from core.agent.run.limits import Limits

    values = {
        entry.name: read(preferences, entry)
        for entry in settings()
        if entry.page == "budget"
    }
    return Limits(
        **values,  # type: ignore[arg-type]
        price_input=prices[0],
        price_cached=prices[1],
        price_output=prices[2],
    )
