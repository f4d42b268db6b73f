"""Certificates of hosts: whether an authority the person trusts vouches for the key a host shows.

paramiko negotiates certified keys and proves that the host has the private part, but does not look into the
certificate. That is done here, to the letter of the format (OpenSSH, PROTOCOL.certkeys) and failing closed:
what cannot be read, or holds an option not known here, vouches for nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import paramiko

from core.text import Text
from remote.connection.ssh.known_hosts import KnownKey, fingerprint, fits, keys_for

SUFFIX = "-cert-v01@openssh.com"
_HOST = 2  # a certificate of a host, not of a user
_FOREVER = 2**64 - 1
_KEY_FIELDS = {  # how many strings the public key is, behind the nonce
    "ssh-ed25519": 1,
    "ssh-rsa": 2,
    "ecdsa-sha2-nistp256": 2,
    "ecdsa-sha2-nistp384": 2,
    "ecdsa-sha2-nistp521": 2,
}
_SIGNATURES = {
    "ssh-ed25519",
    "rsa-sha2-256",
    "rsa-sha2-512",
    *(k for k in _KEY_FIELDS if "ecdsa" in k),
}


class NotVouched(Exception):
    """Why a certificate says nothing for a host."""


@dataclass(frozen=True)
class HostCertificate:
    """What a certificate states.

    Attributes:
        kind: 2 for hosts.
        key_id: The authority's name for it, for logs.
        principals: Host names it is for.
        after: Valid from this time, seconds since 1970.
        before: Valid up to this time.
        critical: Whether it has critical options.
        authority: Public key of the signer, as in known_hosts.
        signed: The bytes that are signed.
        signature: The signature, in SSH form.
    """

    kind: int
    key_id: str
    principals: tuple[str, ...]
    after: int
    before: int
    critical: bool
    authority: str
    signed: bytes
    signature: bytes


def authorities_for(entries: Sequence[KnownKey], name: str) -> tuple[KnownKey, ...]:
    """Lines of certificate authorities that mean `name`."""
    return tuple(
        entry for entry in keys_for(entries, name) if entry.marker == "cert-authority"
    )


def certified_kinds(
    entries: Sequence[KnownKey], name: str, kinds: Sequence[str]
) -> tuple[str, ...]:
    """Algorithms of certified keys to ask for before `kinds`; none where no authority is known."""
    return (
        tuple(f"{kind}{SUFFIX}" for kind in kinds)
        if authorities_for(entries, name)
        else ()
    )


def require_vouched(
    blob: bytes, entries: Sequence[KnownKey], name: str, principal: str, now: float
) -> HostCertificate:
    """Return the certificate when an authority known for the host vouches for it.

    Args:
        blob: The certificate as the host sent it.
        entries: Lines of known_hosts files.
        name: Name of the host in them.
        principal: Name the certificate must be for: host name or HostKeyAlias, without port.
        now: Seconds since 1970.

    Raises:
        NotVouched: And why not.
    """
    try:
        certificate = read_certificate(blob)
    except ValueError as error:
        raise NotVouched(
            Text("its certificate cannot be read ({error})", error=error)
        ) from error
    # Revocation comes first: a revoked authority may also be listed as one.
    signer = certificate.authority
    if any(
        entry.marker == "revoked" and entry.key == signer
        for entry in keys_for(entries, name)
    ):
        raise NotVouched("the authority of its certificate is marked as revoked")
    if all(entry.key != signer for entry in authorities_for(entries, name)):
        raise NotVouched(
            Text(
                "its certificate is signed by {signer}, which is not known for it",
                signer=fingerprint(signer),
            )
        )
    _require_signature(certificate)
    if certificate.kind != _HOST:
        raise NotVouched("its certificate is not one of a host")
    if certificate.critical:
        raise NotVouched("its certificate has conditions that are not known here")
    if not certificate.after <= now < certificate.before:
        raise NotVouched(
            Text(
                "its certificate {key_id!r} is valid from {after} to {before}",
                key_id=certificate.key_id,
                after=_time(certificate.after),
                before=_time(certificate.before),
            )
        )
    if not any(fits(pattern, principal) for pattern in certificate.principals):
        whose = ", ".join(certificate.principals) or "no host"
        raise NotVouched(
            Text(
                "its certificate is for {whose}, not for {principal}",
                whose=whose,
                principal=principal,
            )
        )
    return certificate


def read_certificate(blob: bytes) -> HostCertificate:
    """Take a certificate apart.

    Raises:
        ValueError: It is no certificate of a known kind, is cut off, or has something behind its end.
    """
    fields = _Fields(blob)
    kind = fields.text()
    strings = (
        _KEY_FIELDS.get(kind.removesuffix(SUFFIX), 0) if kind.endswith(SUFFIX) else 0
    )
    if not strings:
        raise ValueError(f"{kind!r} is no kind of certificate known here")
    for _ in range(1 + strings):  # the nonce and the public key
        fields.string()
    fields.number(8)  # serial number
    holder = fields.number(4)
    key_id = fields.text()
    principals = _Fields(fields.string()).texts()
    after, before = fields.number(8), fields.number(8)
    critical = fields.string()
    fields.string()  # extensions say what users may do
    fields.string()  # reserved
    authority = fields.string()
    # All before the signature is what the authority signed.
    signed = blob[: fields.place]
    signature = fields.string()
    fields.require_end()
    encoded = base64.b64encode(authority).decode()
    return HostCertificate(
        holder,
        key_id,
        principals,
        after,
        before,
        bool(critical),
        encoded,
        signed,
        signature,
    )


class _Fields:
    """Numbers and strings of the SSH wire format; cut-off data is an error, which paramiko fills up."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def number(self, size: int) -> int:
        """The next unsigned number of `size` bytes."""
        return int.from_bytes(self._take(size))

    def string(self) -> bytes:
        """The next string with its length before it."""
        return self._take(self.number(4))

    def text(self) -> str:
        """The next string as text."""
        return self.string().decode()

    def texts(self) -> tuple[str, ...]:
        """All strings that are left."""
        texts = []
        while self.place < len(self._data):
            texts.append(self.text())
        return tuple(texts)

    def require_end(self) -> None:
        """Raise ValueError unless everything was read."""
        if self.place != len(self._data):
            raise ValueError(
                f"{len(self._data) - self.place} bytes are left behind its end"
            )

    def _take(self, size: int) -> bytes:
        part = self._data[self.place : self.place + size]
        if len(part) != size:
            raise ValueError("it is cut off")
        self.place += size
        return part


def _require_signature(certificate: HostCertificate) -> None:
    """Raise NotVouched unless the authority's key signed the certificate."""
    try:
        data = base64.b64decode(certificate.authority)
        kind, signature = _Fields(data).text(), _Fields(certificate.signature)
        algorithm = signature.text()
        numbers = _Fields(signature.string())
        signature.require_end()
        # Paramiko accepts bytes around the two numbers r and s of a signature; OpenSSH does not.
        if kind.startswith("ecdsa"):
            numbers.string()
            numbers.string()
            numbers.require_end()
        if kind not in _KEY_FIELDS or algorithm not in _SIGNATURES:
            raise NotVouched(
                Text(
                    "its certificate is signed with {algorithm!r} by a {kind!r} key",
                    algorithm=algorithm,
                    kind=kind,
                )
            )
        key = paramiko.PKey.from_type_string(kind, data)
        valid = key.verify_ssh_sig(
            certificate.signed, paramiko.Message(certificate.signature)
        )
    except (paramiko.SSHException, ValueError) as error:
        raise NotVouched(
            Text(
                "the signature of its certificate cannot be checked ({error})",
                error=error,
            )
        ) from error
    if not valid:
        raise NotVouched("the signature of its certificate is wrong")


def _time(seconds: int) -> str:
    if seconds >= _FOREVER:
        return "for ever"
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return "a time far away"
