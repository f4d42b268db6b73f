"""The job server as it is sent to a host: one zip file, named by its content, and its loader."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import remote.job_server

_MAIN = b"import sys\nfrom job_server.main import main\nsys.exit(main())\n"
# One date for all files: the same content gives the same zip.
_STAMP = (2020, 1, 1, 0, 0, 0)

# Reads `<name> <length>\n` and the zip from standard input, keeps it, and becomes the job server.
LOADER = """
import os, sys, socket
def take(n):
    parts = []
    while n:
        part = os.read(0, n)
        if not part: sys.exit("the channel was closed")
        parts.append(part); n -= len(part)
    return b"".join(parts)
head = b""
while not head.endswith(b"\\n"): head += take(1)
name, size, base = head.decode().rstrip("\\n").split("\\t")
data = take(int(size))
if sys.version_info < (3, 8): sys.exit("python %d.%d is too old, 3.8 is needed" % sys.version_info[:2])
folder = os.path.expanduser(base or os.path.join("~", ".sage", socket.gethostname()))
os.umask(0o077)
try:
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        partial = path + ".%d" % os.getpid()
        with open(partial, "wb") as file: file.write(data)
        os.rename(partial, path)
except OSError as error: sys.exit("%s: %s" % (error.filename, error.strerror))
os.execv(sys.executable, [sys.executable, "-I", path, "serve", "--base", base])
"""


@dataclass(frozen=True)
class Program:
    """Name (with a hash of the content: two versions of the application may share a host) and bytes."""

    name: str
    data: bytes

    def introduction(self, base: str) -> bytes:
        """What the loader reads first."""
        return f"{self.name}\t{len(self.data)}\t{base}\n".encode() + self.data


@cache
def job_server_program() -> Program:
    """Pack the job server's modules; the same sources give the same bytes."""
    folder = Path(remote.job_server.__file__).parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", _STAMP), _MAIN)
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder).as_posix()
            info = zipfile.ZipInfo(f"job_server/{name}", _STAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    data = buffer.getvalue()
    return Program(f"job-server-{hashlib.sha256(data).hexdigest()[:16]}.pyz", data)
