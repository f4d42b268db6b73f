"""Every parser of outside data on inputs broken in every way: an answer, or an error in words.

Samples are broken by cutting, doubling, swapping and replacing parts, and by pieces that break parsers: deep
brackets, endless numbers, NUL, lone surrogates, half escapes.
"""

from __future__ import annotations

import functools
import json
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import bundle, outside
from core.agent.learning.learning_replies import read_experiences, read_rule
from core.agent.reply.candidate_files import check_path
from core.agent.reply.edits import EditRefused, apply_edits, read_edits
from core.agent.reply.protocol import read_diagnosis, read_reply
from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.integrity.rules import parse_rules, shipped_text
from core.evaluation.records import Evaluation
from core.exchange.bank_files import read_any_bank
from core.exchange.memory_file import export_bank, parse_bank
from core.exchange.seeds import read_seeds
from core.exporters.six_strings import read_six_strings
from core.models.answers import status_fault
from core.models.profiles import read_profiles
from core.models.stream_pieces import Collected, take
from core.operators.importers import read_benchmark
from core.operators.loader import load_operator
from core.records_json import from_json
from core.replay.session_file import (
    Session,
    SessionHeader,
    SessionReply,
    bank_digest,
    parse_session,
    render_session,
)
from core.visible import visible
from core.workspace import Workspace
from remote.connection.ssh.config import parse_ssh_g, target_of
from remote.connection.ssh.host_certificates import NotVouched, require_vouched
from remote.connection.ssh.known_hosts import judge_key, keys_for, read_known_hosts
from remote.diagnostics.device_exceptions import device_exceptions
from remote.diagnostics.device_output import read_device_output
from remote.diagnostics.diagnosis import diagnose
from remote.diagnostics.plog import read_plog
from remote.diagnostics.profiles import (
    read_basics,
    read_kernel_details,
    read_pipe_utilization,
)
from remote.diagnostics.sanitizer import read_sanitizer
from remote.hosts.host_file import HostFile
from remote.hosts.npu_smi import read_npu_smi
from remote.hosts.registry import HostRegistry
from tests.core.agent.scripted import RULE
from tests.gui import sample_workspace

REPLY = """## Diagnosis
The tail is wrong.
## Adoption records
- seed-0001: adopted, because of the tail
## Resident rules used
none
## Files
### op_kernel/a.cpp
```cpp
int a;
```
"""
EDITS = "<<<<<<< SEARCH\nint a;\n=======\nint b;\n>>>>>>> REPLACE\n"
MODEL = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, dim: int = 1):
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sum(x, dim=self.dim)

dim = 4 * 2 + 1

def get_inputs():
    return [torch.rand(16, dim)]

def get_init_inputs():
    return [1]
"""
PROTO = """operator:
  name: Relu
  inputs:
    - {name: x, dtype: [float16, float32]}
  outputs:
    - {name: y, dtype: [float16, float32]}
  attrs:
    - {name: axis, type: int, default: 1}
"""
SMI = """| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| 0     910B3               | OK            | 93.6        40                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
"""
LOG = """[ERROR] RUNTIME(1,python):2026-01-01-00:00:00.000.001 [engine.cc:10]1 f:kernel task happen error
EZ9999: Inner Error!
  errcode:(0x1000000, 0, 0), core id 3
a.cpp:3:5: error: use of undeclared identifier 'x'
Traceback (most recent call last):
  File "a.py", line 1, in <module>
ValueError: x
"""
RULES = ('[hosts.lab7]\npython = "/opt/p"\nslots = 2\n', "[hosts]\nlab7 = 5\n")
SSH = "host lab7\nhostname 10.0.0.7\nport 22\nuser me\nidentityfile ~/.ssh/id\nproxyjump a,b:2200\n"
KNOWN = (
    "lab7,10.0.0.7 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0Z\n|1|c2FsdA==|aGFzaA== ssh-rsa AAAA\n"
    "@cert-authority *.lab ssh-rsa AAAA\n@revoked * ssh-rsa AAAA\n[h]:22 ssh-rsa x\n"
)
PIECE = """{"choices": [{"index": 0, "delta": {"content": "a", "reasoning": "b"}, "finish_reason": "stop"}],
"usage": {"prompt_tokens": 1, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}}"""
CSV = """Op Name,OP Type,Task Duration(us),Block Dim,aic_time(us),aiv_time(us),Current Freq
A,Relu,1.5,8,0,1.2,1800
"""
OPERATOR = """format = 1
name = "Lerp"
level = 1
category = "Math"
summary = "s"
[[input]]
name = "start"
dtypes = ["float32", "float16"]
[[output]]
name = "y"
dtypes = ["float32", "float16"]
[[attribute]]
name = "epsilon"
type = "float"
default = 1e-6
[[case]]
name = "tail"
dtype = ["float32", "float16"]
attributes = { epsilon = 1e-5 }
[case.inputs]
start = { shape = [7, 33], fill = "uniform(0.5,2)" }
"""
SEED = '[[item]]\nuid = "a"\ntitle = "t"\ntype = "b"\ncategory = "c"\nsummary = "s"\n'
PAPER = (
    '[{"title": "t", "type": "b", "category": "c", "u_m": 0.5, "n_ret": 2, "n_ado": 1}]'
)
NESTED = '{"sources": [{"path": "a.cpp", "content": "int a;"}]}'
SIX = """project_json_src = '[{"op": "Relu"}]'
host_operator_src = "a"
host_tiling_src = ""
kernel_src = "b"
"""
CERTIFICATE = "\x00\x00\x00\x1cssh-ed25519-cert-v01@openssh.com\x00\x00\x00\x01a"
SANITIZER = "====== ERROR: illegal read of size 4\n======    at 0x1 on GM in a\n"
DUMP = "DumpTensor: desc=1, addr=0, data_type=float16, [1 2 3]\n"
API = "# Relu\n\n| a | b |\n|---|---|\n"
PROFILES = '{"a": {"base_url": "http://h/v1", "model": "m", "attempts": 2}}'


def _session() -> str:
    reply = SessionReply("Relu", "corr", 1, "candidate", "text")
    header = SessionHeader("scripted", "m", "t", "d", bank_digest(()), ("Relu",))
    return render_session(Session(header, (), (reply,)))


@functools.cache
def _sample(kind: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = sample_workspace.build(Path(folder) / "w.sage")
        if kind == "workspace":
            return path.read_bytes()
        if kind == "bundle":
            bundle.export_run(path, Path(folder) / "b.zip")
            return (Path(folder) / "b.zip").read_bytes()
        with Workspace.open_readonly(path) as opened:
            if kind == "evaluation":
                row = opened.db.execute(
                    "SELECT evaluation FROM round WHERE evaluation <> ''"
                ).fetchone()
                return opened.text(row[0]).encode()
            return export_bank(opened.db).encode()


def _in_file(
    name: str, read: Callable[[Path], object], *, folder: bool = False
) -> Callable[[bytes], object]:
    """A parser of files as one of bytes; `folder`: it reads the folder that `name` lies in."""

    def parse(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as root:
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            return read(Path(root) if folder else path)

    return parse


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(_decoded(data))


def _decoded(data: bytes) -> str:
    """The text of some bytes, lone surrogates as JSON may bring them."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _lenient(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _stream(data: bytes) -> None:
    try:
        chunk = json.loads(_lenient(data))
    except (ValueError, RecursionError):  # the client's to tell, see tests/core/models
        return
    take(chunk, Collected())


def _known(path: Path) -> None:
    known = read_known_hosts([path])
    keys_for(known, "lab7")
    judge_key(known, "lab7", "ssh-rsa", "AAAA")


def _operator(path: Path) -> object:
    (path / "reference.py").write_text("")
    return load_operator(path)


def _candidate(path: Path) -> object:
    (path / "op_kernel").mkdir()
    (path / "op_kernel" / "a.cpp").write_text("")
    return read_candidate(path)


def _edits(text: str) -> None:
    with suppress(EditRefused):  # told to the model
        apply_edits("int a;\n", read_edits(text))


def _certificate(data: bytes) -> None:
    with suppress(NotVouched):  # told as a refused connection
        require_vouched(data, (), "lab7", "lab7", 0.0)


def _bundle(path: Path) -> None:
    bundle.unpack(bundle.read_bundle(path), path.with_name("came"))


def _workspace(path: Path) -> None:
    with Workspace.open_readonly(path) as opened:
        opened.check()


def _benchmark(name: str, **others: str) -> Callable[[bytes], object]:
    def read(root: Path) -> object:
        for other, text in others.items():
            place = root / other.replace("__", "/").replace("_dot_", ".")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return read_benchmark(root)

    return _in_file(name, read, folder=True)


PARSERS: dict[str, tuple[Callable[[bytes], object], tuple[str, ...]]] = {
    "reply": (_text(read_reply), (REPLY, "## Files\n```", REPLY * 3)),
    "diagnosis": (_text(read_diagnosis), (REPLY,)),
    "rule": (_text(read_rule), (f"{RULE}## Example\n```cpp\na\n```\n",)),
    "experiences": (
        _text(read_experiences),
        ("## Experience\n### Title\nt\n### Summary\ns\n",),
    ),
    "edits": (_text(_edits), (EDITS, EDITS * 3)),
    "path of a file": (_text(check_path), ("op_host/a.cpp", "op_kernel/../x.cpp")),
    "session": (_text(lambda text: parse_session(text, "s")), (_session(),)),
    "memory": (_text(lambda text: parse_bank("m", text)), ("@bank",)),
    "memory file": (_in_file("m.jsonl", read_any_bank), ("@bank", PAPER)),
    "seeds": (_in_file("a.toml", read_seeds, folder=True), (SEED,)),
    "bundle": (_in_file("b.zip", _bundle), ("@bundle",)),
    "workspace": (_in_file("w.sage", _workspace), ("@workspace",)),
    "operator": (_in_file("operator.toml", _operator, folder=True), (OPERATOR,)),
    "integrity rules": (_text(lambda text: parse_rules(text, "r")), (shipped_text(),)),
    "KernelBench": (_benchmark("KernelBench/level1/1_Sum.py"), (MODEL,)),
    "KernelBench cases": (
        _benchmark("level1/1_Sum.json", level1__1_Sum_dot_py=MODEL),
        ('{"inputs": [{"name": "x", "type": "tensor", "shape": [1, 2]}]}\n',),
    ),
    "MultiKernelBench": (_benchmark("reference/math/sum.py"), (MODEL,)),
    "CANN Bench": (_benchmark("tasks/level1/relu/proto.yaml"), (PROTO,)),
    "NPUKernelBench": (_benchmark("tasks/level1/Math/Relu/api_desc.md"), (API,)),
    "six strings": (_text(lambda text: read_six_strings(text, "d")), (SIX,)),
    "candidate": (_in_file("op_host/a.cpp", _candidate, folder=True), ("int a;\n",)),
    "evaluation": (
        lambda data: from_json(_lenient(data), Evaluation, "e"),
        ("@evaluation",),
    ),
    "any JSON": (lambda data: outside.json_value(data, "j"), (PAPER, NESTED)),
    "any TOML": (lambda data: outside.toml_table(data, "t"), (OPERATOR, SEED)),
    "hosts": (
        _in_file("hosts.toml", lambda path: HostRegistry(path.parent).settings()),
        RULES,
    ),
    "host facts": (
        _in_file("f.json", lambda path: HostFile(path, "a", "").read()),
        ('{"a": {"b": "c"}}',),
    ),
    "profiles": (_in_file("models.json", read_profiles), (PROFILES,)),
    "ssh config": (_text(lambda text: target_of("lab7", parse_ssh_g(text))), (SSH,)),
    "known hosts": (_in_file("known_hosts", _known), (KNOWN,)),
    "host certificate": (_certificate, (CERTIFICATE,)),
    "npu-smi": (_text(read_npu_smi), (SMI,)),
    "log": (_text(diagnose), (LOG,)),
    "plog": (_text(read_plog), (LOG,)),
    "device exceptions": (_text(device_exceptions), (LOG,)),
    "sanitizer": (_text(read_sanitizer), (SANITIZER,)),
    "device output": (_text(read_device_output), (DUMP,)),
    "kernel details": (_text(read_kernel_details), (CSV,)),
    "basics": (_text(read_basics), (CSV,)),
    "pipes": (
        _text(read_pipe_utilization),
        (CSV, "block_id,sub_block_id,aiv_time(us)\n0,a,1\n"),
    ),
    "stream": (_stream, (PIECE, "null", '{"choices": []}')),
    "status": (
        _text(lambda text: status_fault(429, text, text)),
        ("maximum context length is 5", "12.5"),
    ),
    "printed text": (_text(visible), (LOG, "\x1b]0;x\x07")),
}

BREAKERS = (
    b"[" * 3000,
    b'{"a":' * 2000,
    b"(" * 400,
    b"9" * 5000,
    b"1e999",
    b"\x00",
    b"\xff\xfe",
    b'"\\ud800"',
    b"\\u",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\x1b]0;x\x07",
    b"\n",
    b"\r",
    b'"',
    b"'",
    b"```",
    b"#",
    b"null",
    b"-1",
    b"true",
    b"{}",
    b"[]",
    b"nan",
    b"=",
    b",",
    b";",
    b"|",
    b":",
    b"..",
    b"/",
    b"a." * 2000 + b"a",
    b"+1" * 4000,
    b"999999999999999999999",
    b"0x",
    b"%s%n",
    b"&a *a",
    b"!!python/object:os.system x",
    b"\xf0\x9f\x98\x80",
)


@st.composite
def broken(draw: st.DrawFn, samples: tuple[bytes, ...]) -> bytes:
    """A sample after a few accidents, or anything at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=300))
    data = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 4))):
        at, to = sorted(
            (draw(st.integers(0, len(data))), draw(st.integers(0, len(data))))
        )
        match draw(st.integers(0, 5)):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + data[min(to, at + 20) :]
            case 2:
                data = data[:at] + draw(st.sampled_from(BREAKERS)) + data[at:]
            case 3:
                data = (
                    data[:at]
                    + draw(st.sampled_from(BREAKERS))
                    + data[min(to, at + 8) :]
                )
            case 4:
                data = data[:to] + data[at:to][:2000] + data[to:]
            case _:
                data = data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
    return data


def _fuzz(name: str, examples: int) -> None:
    parse, named = PARSERS[name]
    samples = tuple(
        _sample(text[1:]) if text.startswith("@") else text.encode() for text in named
    )
    for sample in samples:
        _try(parse, sample)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(broken(samples))
    def fuzzed(data: bytes) -> None:
        _try(parse, data)

    fuzzed()


def _try(parse: Callable[[bytes], Any], data: bytes) -> None:
    with suppress(SageError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a pattern or escape in the input
        parse(data)


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_answers_or_tells(name: str) -> None:
    _fuzz(name, 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_answers_or_tells_5000_times(name: str) -> None:
    _fuzz(name, 5000 // len(PARSERS) + 1)
