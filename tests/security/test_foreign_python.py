"""An operator's own Python, hostile at import, in reference, checker, inputs and evaluation."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.operators.spec import InputSpec, TestCase
from remote.judge.faults import Cancelled, EnvironmentFault
from remote.judge.inputs import memory_needs
from remote.judge.job import Operator
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.operator_code import gate_process
from remote.judge.operator_code.gate_process import check_operators
from remote.judge.operator_code.process import ForeignLimits
from remote.judge.operator_code.references import References
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import (
    LANDLOCK,
    UNCONFINED,
    Isolation,
    Sandbox,
    require_sandbox,
)
from tests.remote.helpers import toy_operator
from tests.remote.no_sandbox import without_sandbox

LIMITS = ForeignLimits(wall_s=20.0, cpu_s=20, memory_mb=2048)
PLAIN = """import torch
HOSTILE = ""
def reference(x):
    return x
"""
ROW = TestCase("c", {}, seed=1, row={"n": 4})
# What an attack does; each leaves no trace and says in an exception that it was held back.
ATTACKS = {
    "reads a secret": "open({secret!r}).read()",
    "reads an account file": "open('/etc/passwd').read()",
    "reads the judge's environment": "open('/proc/%d/environ' % __import__('os').getppid()).read()",
    "lists the cache": "__import__('os').listdir({cache!r})",
    "writes outside": "open({target!r}, 'w').write('x')",
    "writes a cached case": "open({cached!r}, 'r+b').write(b'poison')",
    "removes a cached case": "__import__('os').unlink({cached!r})",
    "changes its own file": "open(__file__, 'a').write('x')",
    "opens a socket": "__import__('socket').create_connection(('127.0.0.1', {port}))",
    "opens a local socket": "__import__('socket').socket(1)",
    "starts a program": "__import__('subprocess').run(['/bin/true'])",
    "forks a daemon": "__import__('os').fork()",
    "signals the judge": "__import__('os').kill(__import__('os').getppid(), 9)",
    "limits the judge": "__import__('resource').prlimit(__import__('os').getppid(), 0, (1, 1))",
    "slows the judge": "__import__('os').setpriority(0, __import__('os').getppid(), 19)",
    "takes 60 GB": "torch.ones(60 << 30, dtype=torch.uint8).sum()",
    "takes memory in a file": "__import__('os').memfd_create('x')",
}
ENDS = {
    "leaves": ("raise SystemExit(0)", "SystemExit"),
    "leaves at once": ("__import__('os')._exit(0)", "exit code 0"),
    "kills itself": ("__import__('ctypes').string_at(0)", "SIGSEGV"),
    "prints and fails": (
        "print('x' * 10**6); raise ValueError('\\x1b[2J\\x07 red')",
        "ValueError",
    ),
    "raises what cannot be shown": (
        "raise type('E', (Exception,), {'__repr__': lambda self: 1 / 0})()",
        "E",
    ),
}
PLACES = ("import", "reference", "make_inputs", "check", "evaluate")


def in_place(place: str, statement: str) -> tuple[Operator, TestCase]:
    """An operator whose code runs `statement` in one place, and a case."""
    body = dict.fromkeys(PLACES, "pass") | {place: statement}
    source = f"""import torch
{body["import"]}
def reference(x):
    {body["reference"]}
    return x
def make_inputs(inputs, case, generator):
    {body["make_inputs"]}
    return inputs
def check(expected, actual, inputs, attributes):
    {body["check"]}
    return ""
def evaluate(row, seed):
    {body["evaluate"]}
    return {{"x": torch.ones(4)}}, {{}}, (torch.ones(4),)
"""
    return toy(source), ROW if place == "evaluate" else toy_case()


def toy(source: str, digest: str = "") -> Operator:
    return toy_operator(
        digest=digest or f"{hash(source):x}",
        reference_source=source,
        rule="checker",
        inputs=[{"name": "x", "dtypes": ["float32"]}],
        outputs=[{"name": "y", "dtypes": ["float32"]}],
    )


def toy_case(name: str = "c") -> TestCase:
    return TestCase(name, {"x": InputSpec((3, 4), "float32")}, seed=1)


@pytest.fixture(scope="module")
def sandbox(build_cache: Path) -> Sandbox:
    return Sandbox(
        ArtifactStore(build_cache / "builds"), find_compiler(), build_cache / "sandbox"
    )


@pytest.fixture
def references(tmp_path: Path, sandbox: Sandbox) -> Iterator[References]:
    made = References(tmp_path / "references", sandbox, LIMITS)
    with made.during(ChildGroup("foreign")):
        yield made


def run(references: References, place: str, statement: str) -> str:
    """What is said of an operator that runs `statement` in `place`."""
    operator, case = in_place(place, statement)
    try:
        if place == "check":
            x = torch.ones(3, 4)
            return references.code(operator).check(case, {"x": x}, (x,), (x,))
        references.case(operator, case)
    except EnvironmentFault as fault:
        return str(fault)
    return ""


def children() -> list[int]:
    """Processes that this one has started and that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = (
                path.read_text(errors="replace").rpartition(")")[2].split()
            )  # names may be any bytes
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


@pytest.mark.parametrize("place", PLACES)
def test_what_a_stranger_tries_is_held_back(
    references: References, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attack is answered with an error inside, which comes out as the operator's own fault."""
    monkeypatch.setenv("A_KEY", "a-secret-key")
    secret, target = tmp_path / "secret", tmp_path / "made"
    secret.write_text("the-secret")
    honest = references.case(toy(PLAIN), toy_case("honest"))
    cached = honest.outputs[0].path
    before = cached.read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.01)
        words = {
            "secret": str(secret),
            "target": str(target),
            "cached": str(cached),
            "cache": str(cached.parent),
            "port": listener.getsockname()[1],
        }
        tries = [
            f"    try: {attack.format(**words)}\n    except BaseException: held.append({name!r})"
            for name, attack in ATTACKS.items()
        ]
        leaks = "held += ['key'] if 'A_KEY' not in __import__('os').environ else []"
        code = "def attack():\n    import torch\n    held = []\n" + "\n".join(tries)
        code += f"\n    {leaks}\n    return held"
        said = run(
            references,
            place,
            f"exec({code!r}, globals()); raise ValueError(len(attack()))",
        )
        with pytest.raises(TimeoutError):
            listener.accept()
    assert f"ValueError({len(ATTACKS) + 1})" in said or f": {len(ATTACKS) + 1}" in said
    assert not target.exists()
    assert cached.read_bytes() == before


@pytest.mark.parametrize("ending", ENDS)
@pytest.mark.parametrize("place", PLACES)
def test_an_end_is_named_and_spares_the_judge(
    references: References, place: str, ending: str
) -> None:
    statement, words = ENDS[ending]
    said = run(references, place, statement)
    assert words in said or (place == "evaluate" and "own code fails" in said), said
    assert "\x1b" not in said
    assert "\x07" not in said
    good = references.case(toy(PLAIN), toy_case())
    assert good.expected[0] is not None


@pytest.mark.parametrize(
    "statement", ["\n    while True: pass", "__import__('time').sleep(1000)"]
)
def test_what_does_not_end_is_ended(
    tmp_path: Path, sandbox: Sandbox, statement: str
) -> None:
    references = References(
        tmp_path, sandbox, ForeignLimits(wall_s=0.5, cpu_s=20, memory_mb=2048)
    )
    operator, case = in_place("reference", statement)
    before = set(children())
    with references.during(ChildGroup("endless")):
        with pytest.raises(
            EnvironmentFault, match=r"code of Toy did not end within 0.5 s \(case c\)"
        ):
            references.case(operator, case)
        with pytest.raises(
            EnvironmentFault, match="did not end"
        ):  # and is not waited for again
            references.case(operator, toy_case("another"))
    assert not set(children()) - before


def test_cpu_time_is_limited_whatever_the_clock_says(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    references = References(
        tmp_path, sandbox, ForeignLimits(wall_s=60.0, cpu_s=1, memory_mb=2048)
    )
    operator, case = in_place("reference", "\n    while True: pass")
    with (
        references.during(ChildGroup("busy")),
        pytest.raises(EnvironmentFault, match="SIGXCPU"),
    ):
        references.case(operator, case)


def test_it_leaves_a_part_of_the_free_memory_to_others(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_needs, "available_bytes", lambda: 1 << 30)
    references = References(tmp_path, sandbox)
    little, much = (f"torch.empty({mb} << 20, dtype=torch.uint8)" for mb in (256, 900))
    with references.during(ChildGroup("large")):
        assert run(references, "reference", little) == ""
        assert "memory" in run(references, "reference", much)


def test_a_check_has_time_for_each_case(
    build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_process, "_S_OF_A_CASE", 0.5)
    operator, case = in_place("reference", "\n    while True: pass")
    operator = replace(operator, cases=(case, toy_case("another")))
    (checked,) = check_operators([operator], build_cache)
    (problem,) = checked.problems
    assert "did not end within 1.5 s" in problem


def test_a_cancelled_job_does_not_wait_for_it(tmp_path: Path, sandbox: Sandbox) -> None:
    job = ChildGroup("cancelled")
    references = References(tmp_path, sandbox, LIMITS)
    operator, case = in_place("reference", "__import__('time').sleep(1000)")
    before = set(children())
    with references.during(job):
        timer = threading.Timer(0.3, job.cancel)
        timer.start()
        started = time.monotonic()
        with pytest.raises(Cancelled):
            references.case(operator, case)
        timer.join()
    assert time.monotonic() - started < LIMITS.wall_s / 2
    assert not set(children()) - before


# The process itself answers: whatever it says must be looked at. `answer` is the header it sends.
FORGED = """import json, os, socket, struct
def say(header, data=b"", size=None):
    line = socket.socket(fileno=3)
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    line.sendall(struct.pack(">Q", len(text) if size is None else size) + text + data)
    os._exit(0)
def tensor(**changed):
    return {"dtype": "float32", "shape": [1], "strides": [], "blob": 0} | changed
def case(inputs=None, outputs=None, **changed):
    inputs = {"x": [tensor()]} if inputs is None else inputs
    outputs = [{"output": 0, "room": None, **tensor()}] if outputs is None else outputs
    made = {"inputs": inputs, "outputs": outputs, "returned": [None], "attributes": {}, "blobs": [4]}
    return made | changed
def reference(x):
    say(ANSWER)
"""
ANSWERS = {
    "no JSON": "b'{', b'', 1",
    "nested too deeply": "b'[' * 100000",
    "an endless header": "b'', b'', 1 << 62",
    "no object": "[1]",
    "no sizes": "{}",
    "too much": "case(blobs=[1 << 47])",
    "sizes below zero": "case(blobs=[-1])",
    "it breaks off": "case(blobs=[100])",
    "a name that is a path": "case(inputs={'../../x': [tensor()]}), b'abcd'",
    "a name with a separator": "case(inputs={'a/b': [tensor()]}), b'abcd'",
    "no dtype": "case(inputs={'x': [tensor(dtype='object')]}), b'abcd'",
    "a shape of NaN": "case(inputs={'x': [tensor(shape=[float('nan')])]}), b'abcd'",
    "a shape below zero": "case(inputs={'x': [tensor(shape=[-1, -1])]}), b'abcd'",
    "a shape beyond memory": "case(inputs={'x': [tensor(shape=[1 << 40, 1 << 20])]}), b'abcd'",
    "an open output beyond memory": "case(outputs=[{'output': 0, 'room': None, **tensor(shape=[1 << 47], blob=None)}]), b'abcd'",  # noqa: E501
    "room beyond memory": "case(outputs=[{'output': 0, 'room': {'shape': [1 << 47], 'zero': True}, **tensor()}]), b'abcd'",  # noqa: E501
    "data of another size": "case(inputs={'x': [tensor(shape=[2])]}), b'abcd'",
    "strides that leave it": "case(inputs={'x': [tensor(shape=[2], strides=[9])]}), b'abcd'",
    "data that is not there": "case(inputs={'x': [tensor(blob=1)]}), b'abcd'",
    "another output": "case(outputs=[{'output': 1, 'room': None, **tensor()}]), b'abcd'",
    "no output": "case(outputs=[], returned=[]), b'abcd'",
    "numbers for texts": "case(inputs=7), b'abcd'",
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_that_cannot_be_is_refused(
    references: References, tmp_path: Path, kind: str
) -> None:
    operator = toy(FORGED.replace("ANSWER", ANSWERS[kind]))
    with pytest.raises(
        EnvironmentFault, match="The code of Toy gives no usable answer for case c"
    ):
        references.case(operator, toy_case())
    assert not list((tmp_path / "references" / "cases").glob("??/*/case.json"))
    assert not list(tmp_path.rglob("x*"))


def test_a_forged_answer_that_fits_is_a_case(references: References) -> None:
    """Else the answers above would be refused whatever they say."""
    data = references.case(toy(FORGED.replace("ANSWER", "case(), b'abcd'")), toy_case())
    assert data.outputs[0].path.read_bytes() == b"abcd"


TAMPERING = """import sys, torch
torch.Tensor.__eq__ = lambda *_: True
torch.isfinite = torch.zeros
for name in list(sys.modules):
    if name.startswith("remote.judge"):
        for key, value in list(vars(sys.modules[name]).items()):
            if callable(value) and key.startswith(("compare", "accept", "evaluation_of")):
                setattr(sys.modules[name], key, lambda *_, **__: "tampered")
def reference(x):
    return x
"""


def test_what_it_does_to_torch_and_the_judge_stays_with_it(
    references: References,
) -> None:
    from remote.judge.cases import verdict
    from remote.judge.comparing import acceptance

    judges = (acceptance.accept, acceptance.compare, verdict.evaluation_of)
    known = (torch.Tensor.__eq__, torch.isfinite, *judges)
    references.case(toy(TAMPERING), toy_case())
    judges = (acceptance.accept, acceptance.compare, verdict.evaluation_of)
    now = (torch.Tensor.__eq__, torch.isfinite, *judges)
    assert known == now
    assert not any(name.startswith("sage_reference") for name in sys.modules)


def test_a_file_of_an_operator_stays_in_its_folder(
    references: References, tmp_path: Path
) -> None:
    operator = replace(toy(PLAIN), files={"../../../outside.py": "x = 1"})
    with pytest.raises(EnvironmentFault, match="lies outside its folder"):
        references.case(operator, toy_case())
    assert not list(tmp_path.rglob("outside.py"))


def test_its_own_files_can_be_imported_and_read(references: References) -> None:
    """Benign: what an honest import of a benchmark does."""
    source = """import json, os, random, sys, tempfile
import numpy, torch
sys.path.insert(0, os.path.dirname(__file__))
from helper import FACTOR
from pathlib import Path
def reference(x):
    text = Path(__file__).with_name("table.json").read_text()
    torch.linalg.svd(torch.rand(8, 8))
    return x * FACTOR * json.loads(text)["two"] * numpy.ones(1).item()
"""
    operator = replace(
        toy(source), files={"helper.py": "FACTOR = 3", "table.json": '{"two": 2}'}
    )
    data = references.case(operator, toy_case())
    given = torch.frombuffer(
        bytearray(data.inputs["x"][0].path.read_bytes()), dtype=torch.float32
    )
    assert data.expected[0] is not None
    assert torch.allclose(data.expected[0].flatten(), 6 * given)


def test_known_cases_need_no_process(tmp_path: Path, sandbox: Sandbox) -> None:
    References(tmp_path, sandbox, LIMITS).case(toy(PLAIN), toy_case())
    again = References(tmp_path, Unused(), LIMITS)
    assert again.output_dtypes(toy(PLAIN), toy_case()) == ("float32",)
    assert again.case(toy(PLAIN), toy_case()).expected[0] is not None
    with pytest.raises(AssertionError, match="a process was started"):
        again.case(toy(PLAIN), toy_case("another"))


class Unused(Sandbox):
    """Says so when it is needed."""

    def __init__(self) -> None:
        pass

    @property
    def isolation(self) -> Isolation:  # type: ignore[override]
        raise AssertionError("a process was started")


def test_without_a_sandbox_it_is_refused_or_separate_by_the_persons_word(
    tmp_path: Path,
) -> None:
    with pytest.raises(EnvironmentFault, match="foreign Python"):
        require_sandbox(Isolation(UNCONFINED, "none here"), unconfined_allowed=False)
    require_sandbox(Isolation(UNCONFINED, "none here"), unconfined_allowed=True)
    references = References(tmp_path, without_sandbox(tmp_path), LIMITS)
    with references.during(ChildGroup("unconfined")):
        said = run(references, "reference", "__import__('os')._exit(5)")
    assert "exit code 5" in said


@pytest.mark.system
def test_where_the_kernel_has_no_landlock_bubblewrap_is_around_it(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sandbox.isolation.kind == LANDLOCK:
        pytest.skip("bubblewrap is not installed")
    from remote.judge.operator_code import child

    monkeypatch.setattr(child, "_confine", lambda _rights: False)  # as a fork sees it
    references = References(
        tmp_path / "r", sandbox, ForeignLimits(wall_s=30.0, cpu_s=30, memory_mb=2048)
    )
    (tmp_path / "secret").write_text("x")
    with references.during(ChildGroup("wrapped")):
        assert references.case(toy(PLAIN), toy_case()).expected[0] is not None
        said = run(
            references, "reference", f"open({str(tmp_path / 'secret')!r}).read()"
        )
    assert "No such file" in said or "Permission" in said


def test_the_gates_of_one_operator_survive_another(build_cache: Path) -> None:
    """Also: what it claims of itself is bounded, and it speaks for no other."""
    forged = """import torch
class Texts(list):
    pass
def reference(x):
    import remote.judge.operator_code.gate_process as gates
    raise SystemExit("\\x1b[2J")
"""
    operators = [
        replace(toy("__import__('os')._exit(3)"), name="First", cases=(toy_case(),)),
        replace(toy(forged), name="Second", rule="mixed", cases=(toy_case(),)),
        replace(toy(PLAIN), name="Third", rule="mixed", cases=(toy_case(),)),
    ]
    rows = list(check_operators(operators, build_cache))
    assert [row.name for row in rows] == ["First", "Second", "Third"]
    assert "exit code 3" in rows[0].problems[0]
    assert "SystemExit" in rows[1].problems[0]
    assert "\x1b" not in rows[1].problems[0]
    assert rows[2].cases == 1
