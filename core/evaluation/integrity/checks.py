"""The checks that need more than a pattern. Each yields (rule, path, line, what was found)."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePosixPath

from core.evaluation.integrity.source import Source
from core.operators.spec import OperatorSpec

Hit = tuple[str, int, str]  # path, line, what
Check = Callable[["Project"], Iterator[Hit]]

_TYPES = re.compile(r"\b(?:class|struct|namespace)\s+(\w+)\s*(?:final\b|:|\{|<)")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
# Every expression here is read in time that grows with the text alone: what repeats has
# one reading (possessive quantifiers), and what may be anything has a bound.
_NUMBER = r"\d(?:'?\d){0,30}+[uUlL]*+"
_PRODUCT = rf"{_NUMBER}(?:\s*+\*\s*+{_NUMBER}){{0,8}}+"
_EQUAL = re.compile(rf"(?:[=!]=\s*+\(?|\bcase\s++)({_PRODUCT})\b(?!\.)")
_EQUAL_BEFORE = re.compile(rf"(?<![\w.])({_PRODUCT})\s*+\)?\s*+[=!]=(?!=)")
_INDICES = r"(?:\[(?:[^;\[\]]|\[[^;\[\]]*+\])*+\]\s*+)*+"
_STATIC = re.compile(
    r"(?P<const>\b(?:const|constexpr)[ \t]+)?\b(?:inline\s+)?(?:static|thread_local)\s+"
    r"(?!(?:const|constexpr|inline|__aicore__|__global__)\b)"
    r"(?:thread_local\s+|volatile\s+)?[\w:]+(?:\s*<[^;{}()]{0,400}>)?[\s*&]+(?P<name>\w+)\s*"
    rf"{_INDICES}(?=[=;{{])"
)
# Another variable of the same name gets its first value.
_CONSTANT = (
    r"\b(?:const|constexpr)\b(?:\w|::|[<>*&\s]){0,200}[\s*&]{name}\s*" + _INDICES + "="
)
_OTHER_WORDS = re.compile(
    r"#[ \t]*define[ \t]+(?:const|constexpr|static|thread_local)\b"
)
# What may change a variable called {name}: assignment, also of an element; stepping; taking a reference;
# calls of its members other than those that only look; handing it to what the language knows as a changer.
_CHANGE = (
    r"(?<![\w.])(?<!->){name}\s*" + _INDICES + r"(?:[-+*/%&|^]|<<|>>)?=(?!=)"
    r"|(?:\+\+|--)\s*{name}\b|\b{name}\s*(?:\+\+|--|->|\()"
    r"|(?<!&)&\s*(?:\w+\s*=\s*)?{name}\b"
    r"|\b{name}\s*\.\s*(?!(?:find|at|count|contains|size|length|empty|c?begin|c?end|c_str|front|back|load)\b)\w+"
    r"|\b(?:swap|exchange|ref|tie|forward|move|addressof)\s*(?:<[^;()]{0,200}>)?\s*\([^;]{0,400}\b{name}\b"
)
# Headers that CANN has beside those listed for the twin.
_TOOLKIT = re.compile(
    r"^(?:kernel_\w+\.h|register/.+|tiling/.+|lib/.+|graph/.+|exe_graph/.+|platform/.+|utils/.+|log/.+|"
    r"adv_api/.+|basic_api/.+|external/.+|experiment/.+|error_log\.h|op_log\.h|acl/acl_base\.h|impl/dav_c220/.+|"
    r"kernel_tiling/.+|error/.+|base/.+|securec\.h)$"
)
# Headers of the C and C++ libraries, which some write in quotes; what is dangerous among them has patterns.
_STANDARD = re.compile(
    r"^(?:[a-z_]+|(?:assert|ctype|errno|float|inttypes|limits|math|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time)\.h)$"
)
_MOST_STATICS = 64
_SMALLEST_COUNT = 1000
_LARGEST_LIMIT = 1 << 16
_SMALLEST_DIMENSION = 100


@dataclass(frozen=True)
class Project:
    """What checks look at: an operator, the files of a candidate for it, and the primitives denied to it."""

    operator: OperatorSpec
    sources: Sequence[Source]
    denied: Sequence[str]

    @property
    def kernel(self) -> list[Source]:
        """The files that run on the device."""
        return [source for source in self.sources if source.in_kernel]


def high_level_substitution(project: Project) -> Iterator[Hit]:
    """Uses of a denied primitive. A function of that name the candidate defines itself is its own work."""
    kernel = project.kernel
    own_types = {name for source in kernel for name in _TYPES.findall(source.code)}
    for name in project.denied:
        own = any(_defines(source.code, name) for source in kernel)
        use = re.compile(
            rf"(?:\b(?P<scope>\w+)\s*::\s*)?(?<!\w){re.escape(name)}\b(?P<call>\s*(?:<[^;(){{}}]{{0,400}}>)?\s*\()?"
        )
        for source in kernel:
            macros = [match.span() for match in _DEFINE.finditer(source.code)]
            for match in use.finditer(source.code):
                scope = match.group("scope") or ""
                in_macro = any(start <= match.start() < end for start, end in macros)
                foreign = bool(scope) and scope not in own_types
                if foreign or (
                    (match.group("call") or in_macro)
                    and not own
                    and not scope
                    and _free(source, match)
                ):
                    yield (
                        source.path,
                        source.line_of(match.start()),
                        core_work_used(name),
                    )


def hidden_name(project: Project) -> Iterator[Hit]:
    """Macros with ## in the kernel of an operator that has a deny-list."""
    for source in project.kernel if project.denied else ():
        for match in _DEFINE.finditer(source.code):
            if "##" in match.group(0):
                yield (
                    source.path,
                    source.line_of(match.start()),
                    "pastes names together in a macro",
                )


def foreign_include(project: Project) -> Iterator[Hit]:
    """Quoted headers that are neither in the candidate nor of the toolkit, and any path that leaves it."""
    files = {source.path for source in project.sources}
    for source in project.sources:
        for header, quoted, line in source.includes():
            if _resolves(source.path, header, files):
                continue
            escapes = ".." in PurePosixPath(header).parts or header.startswith("/")
            if escapes or (quoted and not _is_installed(header)):
                yield source.path, line, foreign_header(header)


def shape_detection(project: Project) -> Iterator[Hit]:
    """Equality with an element count of a case, or with a dimension that no hardware limit explains."""
    sizes = case_sizes(project.operator)
    for source in project.sources:
        for regex in (_EQUAL, _EQUAL_BEFORE):
            for match in regex.finditer(source.code):
                value = math.prod(
                    int(re.sub(r"[^\d]", "", factor))
                    for factor in match.group(1).split("*")
                )
                if value in sizes:
                    yield (
                        source.path,
                        source.line_of(match.start()),
                        f"compares with {value}, {sizes[value]}",
                    )


def kept_state(project: Project) -> Iterator[Hit]:
    """Static variables that something changes; tables and numbers that are only read keep nothing."""
    statics: dict[str, list[Hit]] = {}
    for source in project.sources:
        for match in _STATIC.finditer(source.code):
            name = match.group("name")
            if not match.group("const"):
                line = source.line_of(match.start())
                what = f"keeps {name} from one call to the next"
                statics.setdefault(name, []).append((source.path, line, what))
    for number, (name, hits) in enumerate(statics.items()):
        # Nobody can follow so many; each is looked for in all files.
        if number >= _MOST_STATICS or _is_changed(name, project.sources):
            yield from hits


def case_sizes(operator: OperatorSpec) -> Mapping[int, str]:
    """Numbers that give away a test case -> what they are. Small and round numbers have other reasons."""
    sizes: dict[int, str] = {}
    for case in operator.cases:
        for name, made in case.inputs.items():
            for shape in (made.shape, *made.shapes):
                for size in shape:
                    if (
                        size >= _SMALLEST_DIMENSION
                        and size & (size - 1)
                        and size % 1024
                    ):
                        sizes.setdefault(size, f"a dimension of {name} in a test case")
                count = math.prod(shape)
                # Powers of two are limits of formats and of memory as well.
                if count >= _SMALLEST_COUNT and (
                    count > _LARGEST_LIMIT or count & (count - 1)
                ):
                    sizes.setdefault(
                        count, f"the element count of {name} in a test case"
                    )
    return sizes


def core_work_used(name: str) -> str:
    """What is said of a use of the denied primitive `name`."""
    return f"uses {name}, which does the operator's core work"


def foreign_header(header: str) -> str:
    """What is said of a header from elsewhere."""
    return f"includes {header}, which is not part of the candidate"


CHECKS: Mapping[str, tuple[str, Check]] = {
    "high-level-substitution": (
        "No equivalent high-level substitution",
        high_level_substitution,
    ),
    "hidden-name": ("No equivalent high-level substitution", hidden_name),
    "foreign-include": ("No expert-implementation leakage", foreign_include),
    "shape-detection": ("No semantic shortcuts", shape_detection),
    "kept-state": ("No semantic shortcuts", kept_state),
}


def _is_changed(name: str, sources: Sequence[Source]) -> bool:
    """Whether the code may change the variable `name`, apart from where it is declared."""
    change = re.compile(_CHANGE.replace("{name}", re.escape(name)))
    argument = re.compile(
        rf"\b(\w{{1,200}})\s*+(?:<[^;()]{{0,200}}>)?\s*+\((?:[^;()]|\([^;()]{{0,400}}\)){{0,400}}\b{re.escape(name)}\s*[,)]"
    )
    for place in sources:
        first_values = _first_values(name, place, sources)
        for hit in change.finditer(place.code):
            if not any(start <= hit.start() <= end for start, end in first_values):
                return True
        if any(
            _takes_reference(call[1], sources) for call in argument.finditer(place.code)
        ):
            return True
    return False


def _first_values(
    name: str, place: Source, sources: Sequence[Source]
) -> list[tuple[int, int]]:
    """Where variables called `name` get their first values; each static one is asked about by itself."""
    if any(_OTHER_WORDS.search(source.code) for source in sources):
        return []
    constant = re.compile(_CONSTANT.replace("{name}", re.escape(name)))
    statics = [
        match for match in _STATIC.finditer(place.code) if match.group("name") == name
    ]
    return [match.span() for match in (*statics, *constant.finditer(place.code))]


def _takes_reference(function: str, sources: Sequence[Source]) -> bool:
    """Whether the candidate defines a function of this name that may change an argument."""
    head = re.compile(
        rf"[\w>*&]\s+{re.escape(function)}\s*\(([^;{{}}]{{0,2000}})\)\s*(?:const\s*+)?\{{"
    )
    parameters = (
        entry
        for source in sources
        for found in head.finditer(source.code)
        for entry in found[1].split(",")
    )
    return any(
        re.search(r"[&*]", entry) and not re.match(r"\s*const\b", entry)
        for entry in parameters
    )


def _defines(code: str, name: str) -> bool:
    """Whether the code defines a function or constructor of this name (a body follows its parameters)."""
    body = r"(?:const\s*+)?(?:\{|=\s*(?:default|delete)\b|:\s*\w+\s*[({])"
    return bool(
        re.search(
            rf"[\w>*&:;{{}}]\s+{re.escape(name)}\s*\([^;{{}}]{{0,2000}}\)\s*{body}",
            code,
        )
    )


def _free(source: Source, match: re.Match[str]) -> bool:
    """Whether an unqualified name is not a member of something (`queue.Sort(...)`, `p->Fill(...)`)."""
    before = source.code[: match.start()].rstrip()
    return not before.endswith((".", "->", "::"))


def _is_installed(header: str) -> bool:
    """Whether a header comes with CANN, C or C++."""
    by_pattern = _TOOLKIT.match(header) or _STANDARD.match(header)
    return by_pattern is not None or header in _listed_headers()


@cache
def _listed_headers() -> frozenset[str]:
    """CANN's headers that the twin has, by the names kernels include."""
    table = resources.files("resources") / "twin" / "headers.toml"
    groups = tomllib.loads(table.read_text(encoding="utf-8"))["header"]
    return frozenset(name for group in groups for name in group["names"])


def _resolves(path: str, header: str, files: set[str]) -> bool:
    folder = list(PurePosixPath(path).parts[:-1])
    for part in PurePosixPath(header).parts:
        if part == "..":
            if not folder:
                return False
            folder.pop()
        else:
            folder.append(part)
    return "/".join(folder) in files or header in files
