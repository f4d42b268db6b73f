"""Configuration, trust and login: what the user's set-up says, which keys are believed, who is asked."""

from __future__ import annotations

import asyncio
import base64
import getpass
import hashlib
import hmac
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import paramiko
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from core.errors import InvalidInput, SageError
from core.evaluation.records import Evaluation, VerdictClass
from remote.connection.connection import ConnectionState
from remote.connection.faults import (
    AuthenticationFailed,
    HostFault,
    HostKeyChanged,
    HostKeyRefused,
    HostKeyUnknown,
)
from remote.connection.job_server_program import job_server_program
from remote.connection.remote_machine import RemoteMachine
from remote.connection.ssh import SshSettings, ssh_channel
from remote.connection.ssh.asking import LoginQuestion, Secrets, nobody_to_ask
from remote.connection.ssh.authentication import authenticate, store_passphrase
from remote.connection.ssh.config import SshTarget, known_aliases, resolve
from remote.connection.ssh.known_hosts import (
    Trust,
    judge_key,
    preferred_kinds,
    read_known_hosts,
)
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.registry import HostRegistry
from remote.pool import PoolEvaluator
from tests.remote.helpers import TWIN, candidate, operator, wait_until
from tests.remote.machines import Bench, far
from tests.remote.no_op import NoOp, no_op_judge, ran
from tests.remote.sshd import ALIAS, Sshd, make_key, start_sshd

KEY = base64.b64encode(b"key one").decode()
OTHER = base64.b64encode(b"key two").decode()


# ---- configuration


def test_an_address_needs_no_entry_in_the_configuration(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        f"Host 10.0.0.7\n  User ada\n  Port 2222\n  IdentityFile {tmp_path}/key\n"
    )
    target = resolve("root@10.0.0.7:22022", config)
    assert (target.address, target.alias) == (
        "root@10.0.0.7:22022",
        "root@10.0.0.7:22022",
    )
    assert target.identity_files == (
        tmp_path / "key",
    )  # what is configured for the host holds
    assert resolve("10.0.0.7:22", config).address == "ada@10.0.0.7:22"
    assert resolve("root@10.0.0.7", config).address == "root@10.0.0.7:2222"
    assert resolve("root@[fe80::1]:2200", config).address == "root@fe80::1:2200"


def test_the_configuration_is_openssh_s_own(tmp_path: Path) -> None:
    (tmp_path / "more").write_text(
        "Host lab*\n  User ada\n  ProxyJump hop1,root@[::1]:2200\n"
    )
    config = tmp_path / "config"
    config.write_text(
        f"Include {tmp_path}/more\nHost lab7\n  HostName %h.example.org\n  Port 2222\n  IdentitiesOnly yes\n"
        "  UserKnownHostsFile ~/a ~/b\nHost hop1\n  HostName 10.0.0.1\n  User hopper\n"
    )
    target = resolve("lab7", config)
    assert (target.address, target.identities_only) == (
        "ada@lab7.example.org:2222",
        True,
    )
    assert target.key_name == "[lab7.example.org]:2222"
    assert [hop.address for hop in target.jumps] == [
        "hopper@10.0.0.1:22",
        "root@::1:2200",
    ]
    assert target.known_hosts[:2] == (Path.home() / "a", Path.home() / "b")
    assert target.warnings == ()


def test_without_openssh_the_file_is_read_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text(
        "Host lab7\n  HostName 10.1.1.1\n  User ada\n  IdentityFile ~/k\n"
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    target = resolve("lab7", config)
    assert (target.address, target.identity_files) == (
        "ada@10.1.1.1:22",
        (Path.home() / "k",),
    )
    assert "OpenSSH is not installed" in target.warnings[0]


def test_jumps_in_a_circle_and_odd_names_are_told(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n")
    with pytest.raises(HostFault, match="loop"):
        resolve("a", config)
    with pytest.raises(HostFault, match="not a host name"):
        resolve("-oProxyCommand=x", config)


# ---- known hosts


def hashed(name: str) -> str:
    salt = b"0123456789abcdefghij"
    digest = hmac.new(salt, name.encode(), hashlib.sha1).digest()
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        (f"lab ssh-ed25519 {KEY} comment", "lab", Trust.KNOWN),
        (f"lab  ssh-ed25519   {KEY}", "lab", Trust.KNOWN),
        (f"{hashed('lab')} ssh-ed25519 {KEY}", "lab", Trust.KNOWN),
        (f"{hashed('[lab]:2222')} ssh-ed25519 {KEY}", "[lab]:2222", Trust.KNOWN),
        (f"[lab]:2222 ssh-ed25519 {KEY}", "[lab]:2222", Trust.KNOWN),
        (f"[lab]:2222 ssh-ed25519 {KEY}", "[lab]:2223", Trust.UNKNOWN),
        (f"lab ssh-ed25519 {KEY}", "[lab]:2222", Trust.KNOWN),
        (f"*.org,!bad.org ssh-ed25519 {KEY}", "good.org", Trust.KNOWN),
        (f"*.org,!bad.org ssh-ed25519 {KEY}", "bad.org", Trust.UNKNOWN),
        (f"lab ssh-ed25519 {OTHER}", "lab", Trust.CHANGED),
        (f"lab ssh-rsa {OTHER}", "lab", Trust.UNKNOWN),
        (f"@revoked * ssh-ed25519 {KEY}", "lab", Trust.REVOKED),
        (f"@cert-authority * ssh-ed25519 {KEY}", "lab", Trust.UNKNOWN),  # no host's key
        ("# comment", "lab", Trust.UNKNOWN),
        ("garbage", "lab", Trust.UNKNOWN),
        ("lab ssh-ed25519 ***", "lab", Trust.UNKNOWN),
    ],
)
def test_known_hosts_are_read_as_openssh_reads_them(
    tmp_path: Path, line: str, name: str, expected: Trust
) -> None:
    path = tmp_path / "known_hosts"
    path.write_bytes(b"\xff\xfe broken line\n" + line.encode() + b"\n")
    known = read_known_hosts([path, tmp_path / "missing"])
    assert judge_key(known, name, "ssh-ed25519", KEY)[0] is expected


def test_a_key_type_that_is_known_is_asked_for_first(tmp_path: Path) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(f"lab ssh-rsa {KEY}\n")
    offered = ("ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256")
    assert (
        preferred_kinds(read_known_hosts([path]), "lab", offered)[0] == "rsa-sha2-512"
    )


# ---- trust


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    made = start_sshd(tmp_path / "sshd")
    yield made
    made.stop()


def connect(bench: Bench) -> str:
    return bench.run(_ping)


async def _ping(machine: RemoteMachine) -> str:
    await machine.ask("ping")
    return "answered"


def test_an_unknown_key_is_asked_about_then_kept_in_our_own_file(
    server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = server.folder / "known_hosts"
    known.write_text("# mine, never rewritten\n")
    monkeypatch.setenv("SAGE_SSH_CONFIG", str(server.config))
    registry = HostRegistry(tmp_path)
    registry.change(ALIAS, python=sys.executable, base=str(tmp_path / "base"))

    async def work() -> HostKeyUnknown:
        host = registry.host(ALIAS)
        try:
            with pytest.raises(HostKeyUnknown) as asked:
                await host.connect()
            assert host.connection.status.state is ConnectionState.NEEDS_USER
            registry.trust(asked.value.host, asked.value.kind, asked.value.key)
            host.connection.retry()
            await host.machine.ask("ping")
            return asked.value
        finally:
            await host.close()

    asked = asyncio.run(work())
    told = subprocess.run(
        ["ssh-keygen", "-lf", server.folder / "host.pub"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[1]
    assert asked.fingerprint == told
    assert known.read_text() == "# mine, never rewritten\n"
    assert (tmp_path / "known_hosts").read_text().split()[1:] == server.host_key.split()


def test_a_changed_key_stops_everything_with_no_way_through(
    server: Sshd, tmp_path: Path
) -> None:
    other = make_key(tmp_path / "other").with_suffix(".pub").read_text().split()
    (server.folder / "known_hosts").write_text(
        f"[127.0.0.1]:{server.port} {other[0]} {other[1]}\n"
    )
    bench = far(tmp_path / "base", server)
    with pytest.raises(
        HostKeyRefused, match=r"must not be accepted.*another ssh-ed25519 key"
    ):
        connect(bench)
    assert (server.folder / "log").read_text().count("Connection from") == 2, (
        "one look at start, one try"
    )


def test_accept_new_of_the_user_s_configuration_is_respected(
    server: Sshd, tmp_path: Path
) -> None:
    (server.folder / "known_hosts").write_text("")
    server.write_client(server.port, "StrictHostKeyChecking accept-new")
    bench = far(tmp_path / "base", server)
    assert connect(bench) == "answered"
    assert server.host_key in (tmp_path / "base" / "own_known_hosts").read_text()


# ---- login


def test_one_failed_login_is_not_tried_again(server: Sshd, tmp_path: Path) -> None:
    (server.folder / "authorized").write_text("")
    bench = far(tmp_path / "base", server)
    with pytest.raises(
        AuthenticationFailed, match=r"refused the login.*tried: key"
    ) as failed:
        connect(bench)
    assert "ssh-add" in str(failed.value.remedy)
    assert bench.statuses[-1].state in (
        ConnectionState.NEEDS_USER,
        ConnectionState.OFFLINE,
    )
    assert (server.folder / "log").read_text().count("Connection from") == 2


def test_a_key_file_that_is_not_there_is_named(server: Sshd, tmp_path: Path) -> None:
    text = server.config.read_text()
    server.config.write_text(text.replace(str(server.user_key), str(tmp_path / "lost")))
    with pytest.raises(
        AuthenticationFailed, match=f"IdentityFile {tmp_path}/lost is not there"
    ):
        connect(far(tmp_path / "base", server))


@pytest.mark.system
def test_an_encrypted_key_is_asked_for_once_and_kept_in_memory(
    server: Sshd, tmp_path: Path
) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-p", "-N", "secret", "-f", server.user_key], check=True
    )
    answers = iter(["wrong", "secret"])
    asked: list[LoginQuestion] = []

    def ask(question: LoginQuestion) -> Sequence[str]:
        asked.append(question)
        return [next(answers)]

    secrets = Secrets()
    bench = far(tmp_path / "base", server, ask=ask, secrets=secrets)
    assert connect(bench) == "answered"
    assert [question.kind for question in asked] == ["passphrase"] * 2
    assert "does not fit" in asked[1].title
    assert connect(bench) == "answered", "the second connection asks nothing"
    assert len(asked) == 2


def test_an_encrypted_key_with_nobody_to_ask_says_so(
    server: Sshd, tmp_path: Path
) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-p", "-N", "secret", "-f", server.user_key], check=True
    )
    with pytest.raises(AuthenticationFailed, match="needs a passphrase"):
        connect(far(tmp_path / "base", server))


class InMemory(KeyringBackend):
    """A keyring of one test."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[(service, username)] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("there is none")


@pytest.mark.system
def test_a_passphrase_in_the_keyring_spares_the_person(
    server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = InMemory()
    monkeypatch.setattr("keyring.core._keyring_backend", ring)
    subprocess.run(
        ["ssh-keygen", "-q", "-p", "-N", "secret", "-f", server.user_key], check=True
    )
    with pytest.raises(InvalidInput, match="does not open this key"):
        store_passphrase(server.user_key, "wrong")
    store_passphrase(server.user_key, "secret")
    assert connect(far(tmp_path / "base", server)) == "answered", "with nobody to ask"
    store_passphrase(server.user_key, "")
    assert ring.kept == {}
    with pytest.raises(AuthenticationFailed, match="needs a passphrase"):
        connect(far(tmp_path / "base", server))


def test_a_certificate_is_offered(tmp_path: Path) -> None:
    ca = make_key(tmp_path / "ca")
    server = start_sshd(tmp_path / "sshd", f"TrustedUserCAKeys {ca}.pub")
    try:
        subprocess.run(
            [
                "ssh-keygen",
                "-q",
                "-s",
                ca,
                "-I",
                "me",
                "-n",
                getpass.getuser(),
                f"{server.user_key}.pub",
            ],
            check=True,
            capture_output=True,
        )
        (server.folder / "authorized").write_text("")
        assert connect(far(tmp_path / "base", server)) == "answered"
    finally:
        server.stop()


@pytest.mark.system
def test_two_jumps_and_a_proxy_command(server: Sshd, tmp_path: Path) -> None:
    text = server.config.read_text()
    block = text.replace(f"Host {ALIAS}", "Host {name}")
    hops = (
        block.replace("{name}", "hop1")
        + block.replace("{name}", "hop2")
        + "  ProxyJump hop1\n"
    )
    server.config.write_text(f"{hops}{text}  ProxyJump hop2\n")
    assert connect(far(tmp_path / "base", server)) == "answered"
    command = f"ssh -F {server.config} -W %h:%p hop1"
    server.config.write_text(f"{hops}{text}  ProxyCommand {command}\n")
    assert connect(far(tmp_path / "base", server)) == "answered"


class _TwoFactors(paramiko.ServerInterface):
    """A server that wants a key and then a code, as sites with one-time passwords do."""

    def get_allowed_auths(self, username: str) -> str:
        return "publickey,keyboard-interactive"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return paramiko.AUTH_PARTIALLY_SUCCESSFUL

    def check_auth_interactive(
        self, username: str, submethods: str
    ) -> paramiko.InteractiveQuery:
        return paramiko.InteractiveQuery("Site", "One-time code", ("Code: ", True))

    def check_auth_interactive_response(self, responses: list[str]) -> int:
        return (
            paramiko.AUTH_SUCCESSFUL if responses == ["4711"] else paramiko.AUTH_FAILED
        )


@pytest.mark.parametrize(
    ("code", "works"), [("4711", True), ("0000", False), (None, False)]
)
def test_a_second_factor_is_asked_from_the_person(
    tmp_path: Path, code: str | None, works: bool
) -> None:
    ours, theirs = socket.socketpair()
    serving = paramiko.Transport(theirs)
    key = paramiko.Ed25519Key.from_private_key_file(str(make_key(tmp_path / "host")))
    serving.add_server_key(key)
    serving.start_server(threading.Event(), _TwoFactors())
    client = paramiko.Transport(ours)
    user_key = make_key(tmp_path / "user")
    target = SshTarget(
        "site", "site", user="ada", identity_files=(user_key,), agent="none"
    )
    asked: list[LoginQuestion] = []

    def ask(question: LoginQuestion) -> Sequence[str] | None:
        asked.append(question)
        return None if code is None else [code]

    try:
        client.start_client(timeout=10)
        if works:
            used = authenticate(client, target, ask, Secrets())
            assert used[-1] == "keyboard-interactive"
        else:
            with pytest.raises(SageError, match="refused the login"):
                authenticate(client, target, ask, Secrets())
        assert asked[0].prompts == (("Code: ", True),)
        assert asked[0].title == "Site\nOne-time code"
    finally:
        client.close()
        serving.close()


def test_hosts_are_kept_in_a_small_file(tmp_path: Path) -> None:
    registry = HostRegistry(tmp_path)
    assert registry.settings() == {}
    registry.change(
        "lab.7", python="/opt/py", setup='source "/x y/set_env.sh"', devices=[0, 2]
    )
    registry.change("lab.7", slots=3)
    again = HostRegistry(tmp_path).settings()["lab.7"]
    assert (again.python, again.slots, again.devices) == ("/opt/py", 3, (0, 2))
    assert again.setup == 'source "/x y/set_env.sh"'
    with pytest.raises(InvalidInput, match="borrow: 'lock' is not one of locks, task"):
        registry.change("lab.7", borrow="lock")
    (tmp_path / "hosts.toml").write_text("[hosts.x]\nslots = 'three'\n")
    with pytest.raises(SageError, match=r"hosts\.toml: hosts\.x.*int"):
        registry.settings()


@pytest.mark.system
def test_an_evaluation_that_needs_the_person_goes_on_in_the_next_run(
    server: Sshd, tmp_path: Path
) -> None:
    """The host key becomes unknown while work is under way, as after a change of network: nothing is lost.

    The evaluator of a window's next run is the same one: it has to forget that the person was needed.
    """
    bench = far(tmp_path / "base", server)
    known, gate = server.folder / "known_hosts", tmp_path / "closed"
    before = known.read_text()
    gate.touch()

    async def work() -> tuple[Evaluation, tuple[int, int]]:
        settings = HostSettings(
            python=no_op_judge(tmp_path), locks=str(tmp_path / "locks")
        )
        host = DetachedHost("far", "far", bench.connection(), settings)
        pool = PoolEvaluator(
            [HostEvaluator(host, NoOp(tmp_path, TWIN, on_device=False))]
        )
        lines: list[str] = []
        try:
            task = asyncio.ensure_future(
                pool.evaluate(operator(), candidate(), lines.append, "t/1")
            )
            await wait_until(lambda: "began" in lines)
            known.write_text("")
            server.drop()
            with pytest.raises(HostKeyUnknown):
                await task
            known.write_text(before)
            gate.unlink()
            with pytest.raises(HostKeyUnknown):  # nobody said that the person acted
                await pool.evaluate(operator(), candidate(), lines.append, "t/1")
            pool.retry()
            found = await pool.evaluate(operator(), candidate(), lines.append, "t/1")
            once = len(await host.machine.jobs()), len(ran(tmp_path))
            await asyncio.wait_for(
                pool.evaluate(operator(), candidate(), lines.append, "t/2"), 30
            )
            return found, once
        finally:
            await pool.close()

    try:
        found, jobs = asyncio.run(asyncio.wait_for(work(), 100))
    finally:
        bench.end_all()
    assert found.verdict is VerdictClass.PASS
    assert jobs == (1, 1)


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """Sockets of two ssh-agents, each with a key of its own: `<name>.pub` beside it."""
    running, sockets = [], {}
    for name in ("one", "two"):
        key = make_key(tmp_path / name)
        place = tmp_path / f"{name}.agent"
        agent = subprocess.Popen(
            ["ssh-agent", "-D", "-a", place], stdout=subprocess.PIPE
        )
        running.append(agent)
        assert agent.stdout is not None
        agent.stdout.readline()  # written once it listens
        environment = {**os.environ, "SSH_AUTH_SOCK": str(place)}
        subprocess.run(["ssh-add", "-q", key], env=environment, check=True)
        key.unlink()  # from now on only the agent has it
        sockets[name] = place
    yield sockets
    for agent in running:
        agent.kill()
        agent.communicate()


def _relay(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until one side closes."""
    while True:
        for ready in select.select([one, other], [], [], 10)[0]:
            part = ready.recv(65536)
            if not part:
                return
            (other if ready is one else one).sendall(part)


def test_hosts_that_log_in_at_once_each_ask_their_own_agent(
    tmp_path: Path, agents: dict[str, Path]
) -> None:
    servers = {name: start_sshd(tmp_path / f"server-{name}") for name in agents}
    for name, server in servers.items():
        authorized = (tmp_path / f"{name}.pub").read_text()
        (server.folder / "authorized").write_text(authorized)

    def log_in(server: Sshd, agent: Path) -> tuple[str, ...]:
        target = replace(
            resolve(ALIAS, server.config),
            agent=str(agent),
            identities_only=False,
            identity_files=(),
        )
        with paramiko.Transport(("127.0.0.1", server.port)) as transport:
            transport.start_client(timeout=10)
            return authenticate(transport, target, nobody_to_ask, Secrets())

    before = os.environ.get("SSH_AUTH_SOCK")
    try:
        with (
            ThreadPoolExecutor(1) as thread,
            socket.socket(socket.AF_UNIX) as slow,
            socket.socket(socket.AF_UNIX) as agent,
        ):
            slow.bind(str(tmp_path / "slow"))
            slow.listen()
            slow.settimeout(10)
            waiting = thread.submit(log_in, servers["one"], tmp_path / "slow")
            asking, _ = slow.accept()  # from here on it waits for its agent
            with asking:
                assert os.environ.get("SSH_AUTH_SOCK") == before
                assert "agent" in log_in(servers["two"], agents["two"])[0]
                agent.connect(str(agents["one"]))
                _relay(asking, agent)
            assert "agent" in waiting.result()[0]
    finally:
        for server in servers.values():
            server.stop()


@pytest.mark.parametrize("named", ["one.pub", "one", "%d/../one.pub", "${KEYS}/one"])
def test_a_key_that_only_the_agent_holds_is_named_by_its_public_half(
    tmp_path: Path,
    agents: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    named: str,
) -> None:
    """As password managers and tokens are set up: the private half is nowhere on the disk."""
    monkeypatch.setenv("KEYS", str(tmp_path))
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    server = start_sshd(tmp_path / "sshd")
    try:
        (server.folder / "authorized").write_text((tmp_path / "one.pub").read_text())
        identity = named if named[0] in "%$" else str(tmp_path / named)
        lines = server.config.read_text()
        lines = lines.replace(str(server.user_key), identity)
        lines = lines.replace("IdentityAgent none", f"IdentityAgent {agents['one']}")
        server.config.write_text(lines)
        assert connect(far(tmp_path / "base", server)) == "answered"
    finally:
        server.stop()


def test_names_are_those_of_the_file_that_ssh_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSSH looks into the account's home folder, wherever HOME points."""
    elsewhere = tmp_path / ".ssh"
    elsewhere.mkdir()
    (elsewhere / "config").write_text("Host nowhere-else\n  User nobody-there\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SAGE_SSH_CONFIG", raising=False)
    assert "nowhere-else" not in known_aliases()
    assert resolve("nowhere-else").user != "nobody-there"


def test_what_ssh_would_do_and_we_do_not_is_named(server: Sshd, tmp_path: Path) -> None:
    server.write_client(server.port, "Ciphers aes256-ctr", "BindAddress 127.0.0.1")
    (server.folder / "authorized").write_text("")
    with pytest.raises(AuthenticationFailed, match="BindAddress, Ciphers") as failed:
        connect(far(tmp_path / "base", server))
    assert f"`ssh {ALIAS}`" in str(failed.value)
    assert resolve("10.9.9.9:2222", server.config).unused == ()
    server.write_client(server.port, "ProxyJump bob@10.9.9.9:2233")
    (jump,) = resolve(ALIAS, server.config).jumps
    assert jump.command == "ssh -p 2233 bob@10.9.9.9"


def test_a_python_that_something_prints_before_is_used(
    server: Sshd, tmp_path: Path
) -> None:
    """A shim of pyenv, or bash about a locale the host lacks."""
    wrapper = tmp_path / "python3"
    wrapper.write_text(
        f'#!/bin/sh\necho "warning: setlocale" >&2\nexec {sys.executable} "$@"\n'
    )
    wrapper.chmod(0o755)
    base = tmp_path / "base"
    ssh = SshSettings(base / "own_known_hosts", config=server.config)
    channel = ssh_channel(ALIAS, ssh, job_server_program(), str(base), (str(wrapper),))
    assert connect(Bench(base, channel)) == "answered"


def test_a_changed_key_is_forgotten_when_the_person_says_so(
    server: Sshd, tmp_path: Path
) -> None:
    other = make_key(tmp_path / "other").with_suffix(".pub").read_text().split()
    name, known = f"[127.0.0.1]:{server.port}", server.folder / "known_hosts"
    kept = f"elsewhere {other[0]} {other[1]}\n"
    known.write_text(kept + f"{name} {other[0]} {other[1]}\n")
    with pytest.raises(HostKeyChanged) as refused:
        connect(far(tmp_path / "base", server))
    registry = HostRegistry(tmp_path / "base")
    registry.ssh = replace(
        registry.ssh,
        config=server.config,
        own_known_hosts=tmp_path / "base" / "own_known_hosts",
    )
    assert registry.replace_key(ALIAS, refused.value) == (known,)
    assert known.read_text() == kept
    assert connect(far(tmp_path / "base", server)) == "answered"
