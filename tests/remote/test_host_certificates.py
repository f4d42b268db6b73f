"""Certificates of hosts, made by ssh-keygen: whom they vouch for, decided as OpenSSH decides."""

from __future__ import annotations

import base64
import subprocess
import time
from pathlib import Path

import pytest

from remote.connection.faults import HostKeyRefused
from remote.connection.ssh.host_certificates import NotVouched, require_vouched
from remote.connection.ssh.known_hosts import KnownKey
from tests.remote.machines import far
from tests.remote.sshd import ALIAS, Sshd, find_sshd, make_key, start_sshd
from tests.remote.test_ssh_access import connect

NAME = "lab7"


def public(key: Path) -> tuple[str, str]:
    kind, text = Path(f"{key}.pub").read_text().split()[:2]
    return kind, text


def certify(ca: Path, key: Path, *options: str) -> bytes:
    """The certificate of `key`, signed by `ca`; beside the key afterwards, too."""
    subprocess.run(
        ["ssh-keygen", "-q", "-s", ca, "-I", "of a test", *options, f"{key}.pub"],
        check=True,
        capture_output=True,
    )
    return base64.b64decode(Path(f"{key}-cert.pub").read_text().split()[1])


def trusting(ca: Path, *, marker: str = "cert-authority", names: str = "*") -> KnownKey:
    return KnownKey(marker, (names,), *public(ca), "known_hosts:1")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    find_sshd()
    folder = tmp_path_factory.mktemp("keys")
    kinds = {
        "ed25519": ("ed25519",),
        "rsa": ("rsa", "-b", "2048"),
        "ecdsa": ("ecdsa", "-b", "384"),
    }
    made = {}
    for name, options in kinds.items():
        made[name] = make_key(folder / name, "-t", *options)
        made[f"host-{name}"] = make_key(folder / f"host-{name}", "-t", *options)
    return made


@pytest.mark.parametrize(
    ("ca", "host"), [("ed25519", "rsa"), ("rsa", "ecdsa"), ("ecdsa", "ed25519")]
)
def test_a_valid_certificate_vouches_and_any_changed_bit_does_not(
    keys: dict[str, Path], ca: str, host: str
) -> None:
    blob = certify(
        keys[ca], keys[f"host-{host}"], "-h", "-n", f"other,{NAME}", "-V", "-1h:+1h"
    )
    known = [trusting(keys[ca])]
    found = require_vouched(blob, known, NAME, NAME, time.time())
    assert (found.key_id, found.principals) == ("of a test", ("other", NAME))
    for place in range(0, len(blob), 7):
        damaged = bytearray(blob)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(NotVouched):
            require_vouched(bytes(damaged), known, NAME, NAME, time.time())
    for end in (0, 1, 40, len(blob) // 2, len(blob) - 1):
        with pytest.raises(NotVouched):
            require_vouched(blob[:end], known, NAME, NAME, time.time())
    with pytest.raises(NotVouched):
        require_vouched(blob + b"\0", known, NAME, NAME, time.time())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-h", "-n", NAME, "-V", "-2h:-1h"), "valid from"),
        (("-h", "-n", NAME, "-V", "+1h:+2h"), "valid from"),
        (("-h", "-n", "lab8"), "for lab8, not for lab7"),
        (("-h",), "for no host"),
        (("-n", NAME), "not one of a host"),
        (("-h", "-n", NAME, "-O", "critical:tamper@example.org=1"), "conditions"),
    ],
)
def test_what_a_certificate_does_not_say_is_not_taken_for_granted(
    keys: dict[str, Path], options: tuple[str, ...], words: str
) -> None:
    blob = certify(keys["ed25519"], keys["host-ed25519"], *options)
    with pytest.raises(NotVouched, match=words):
        require_vouched(blob, [trusting(keys["ed25519"])], NAME, NAME, time.time())


def test_only_authorities_known_for_the_host_and_not_revoked_vouch(
    keys: dict[str, Path],
) -> None:
    blob = certify(keys["ed25519"], keys["host-ed25519"], "-h", "-n", "lab*")
    mine, now = trusting(keys["ed25519"]), time.time()
    require_vouched(blob, [mine], NAME, NAME, now)
    require_vouched(blob, [mine], f"[{NAME}]:2222", NAME, now)
    for known in (
        [],
        [trusting(keys["rsa"])],
        [trusting(keys["ed25519"], names="*.example.org")],
        [trusting(keys["ed25519"], marker="")],
    ):
        with pytest.raises(NotVouched, match="which is not known for it"):
            require_vouched(blob, known, NAME, NAME, now)
    with pytest.raises(NotVouched, match="revoked"):
        require_vouched(
            blob, [mine, trusting(keys["ed25519"], marker="revoked")], NAME, NAME, now
        )
    with pytest.raises(NotVouched, match="not for server9"):
        require_vouched(blob, [mine], "server9", "server9", now)


def openssh_connects(server: Sshd) -> bool:
    done = subprocess.run(
        [
            "ssh",
            "-F",
            server.config,
            "-o",
            "BatchMode=yes",
            "-o",
            "StrictHostKeyChecking=yes",
            ALIAS,
            "true",
        ],
        capture_output=True,
        check=False,
        timeout=30,
    )
    return done.returncode == 0


@pytest.mark.system
def test_a_host_with_a_certificate_is_believed_when_openssh_believes_it(
    tmp_path: Path,
) -> None:
    ca = make_key(tmp_path / "ca")
    host_key = tmp_path / "sshd" / "host"
    server = start_sshd(tmp_path / "sshd", f"HostCertificate {host_key}-cert.pub")
    alias = f"[127.0.0.1]:{server.port}"
    authority = f"@cert-authority [127.0.0.1]:* {' '.join(public(ca))}\n"
    try:
        for options, lines, expected in (
            (("-h", "-n", alias), authority, True),
            (("-h", "-n", alias, "-V", "-2h:-1h"), authority, False),
            (("-h", "-n", "lab8"), authority, False),
            (("-h", "-n", alias), f"{authority}@revoked * {server.host_key}\n", False),
        ):
            certify(ca, host_key, *options)
            server.stop()
            server.listen()
            (server.folder / "known_hosts").write_text(lines)
            bench = far(tmp_path / "base", server)
            if expected:
                assert connect(bench) == "answered"
            else:
                with pytest.raises(HostKeyRefused, match=r"certificate|revoked"):
                    connect(bench)
            assert openssh_connects(server) is expected
    finally:
        server.stop()
