"""A real Slurm of one node on loopback: munge, slurmctld and slurmd of this user, in a folder of its own."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch")
PACKAGES = "slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge"
_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
_CONF = """ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=30
InactiveLimit=0
KillWait=3
MinJobAge={min_job_age}
MaxJobCount=10000
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
GresTypes=gpu
NodeName=npu01 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} Boards=1 \
SocketsPerBoard=1 CoresPerSocket={cpus} ThreadsPerCore=1 RealMemory=4000 Gres=gpu:{devices} State=UNKNOWN
PartitionName=npu Nodes=npu01 Default=YES MaxTime=300 DefaultTime=10 PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent Nodes=npu01 MaxTime=300 DefaultTime=10 PriorityTier=9 PreemptMode=OFF State=UP
PartitionName=cpu Nodes=npu01 MaxTime=300 DefaultTime=10 PriorityTier=9 PreemptMode=OFF State=UP
"""


def missing() -> str:
    """Why there can be no Slurm here; empty when there can."""
    lacking = [name for name in NEEDED if shutil.which(name, path=_PATH) is None]
    return f"NO SLURM: install {PACKAGES}" if lacking else ""


def _ports(count: int) -> list[int]:
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    found = [int(one.getsockname()[1]) for one in taken]
    for one in taken:
        one.close()
    return found


@dataclass
class SlurmSite:
    """A running Slurm. `environment` is what its commands need."""

    folder: Path
    devices: int = 8
    cpus: int = 16
    min_job_age: int = 300
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self) -> SlurmSite:
        (self.folder / "state").mkdir(mode=0o700)
        (self.folder / "spool").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        conf = _CONF.format(
            host=socket.gethostname().split(".")[0],
            ports=_ports(2),
            user=getpass.getuser(),
            folder=self.folder,
            cpus=self.cpus,
            devices=self.devices,
            min_job_age=self.min_job_age,
        )
        (self.folder / "slurm.conf").write_text(conf)
        # Character devices that every machine has stand in for cards: only with files does a gres named gpu
        # give its jobs indices.
        files = [
            "/dev/null",
            "/dev/zero",
            "/dev/full",
            "/dev/random",
            "/dev/urandom",
            "/dev/tty",
            "/dev/ptmx",
        ]
        lines = [
            f"NodeName=npu01 Name=gpu File={file}" for file in files[: self.devices]
        ]
        (self.folder / "gres.conf").write_text("\n".join(lines) + "\n")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.launch("munged")
        self._until((self.folder / "munge.sock").exists, "munged")
        self.launch("slurmctld")
        self.launch("slurmd")
        self.until_usable()
        return self

    def launch(self, daemon: str) -> None:
        at = self.folder
        commands = {
            "munged": [
                "-F",
                "--force",
                f"--key-file={at}/munge.key",
                f"--socket={at}/munge.sock",
                "--num-threads=2",
                f"--pid-file={at}/munged.pid",
                f"--log-file={at}/munged.log",
                f"--seed-file={at}/munge.seed",
            ],
            "slurmctld": ["-D", "-f", f"{at}/slurm.conf"],
            "slurmd": ["-D", "-f", f"{at}/slurm.conf", "-N", "npu01"],
        }
        with (at / f"{daemon}.out").open("ab") as out:
            self.processes[daemon] = subprocess.Popen(
                [str(shutil.which(daemon, path=_PATH)), *commands[daemon]],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                env={**os.environ, **self.environment},
            )

    def until_usable(self) -> None:
        self._until(
            lambda: (
                self.ask("sinfo", "-h", "-o", "%t").strip() in ("idle", "mix", "alloc")
            ),
            "slurmctld",
        )

    def kill(self, daemon: str, number: int = signal.SIGKILL) -> None:
        self.processes[daemon].send_signal(number)
        self.processes[daemon].wait(20)

    def saved_at(self) -> float:
        """When the controller last wrote its jobs to disk, in seconds since 1970."""
        return (self.folder / "state" / "job_state").stat().st_mtime

    def ask(self, *command: str) -> str:
        """What a command of Slurm prints."""
        done = subprocess.run(
            command,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout

    def stop(self) -> None:
        self.ask("scancel", "--quiet", f"--user={getpass.getuser()}")
        self._until(
            lambda: not self.ask("squeue", "-h", "-t", "RUNNING,COMPLETING").strip(),
            "",
            fail=False,
        )
        for daemon in ("slurmd", "slurmctld", "munged"):
            self.kill(daemon)

    def _until(
        self, holds: Callable[[], object], daemon: str, *, fail: bool = True
    ) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if holds():
                return
            if daemon and (code := self.processes[daemon].poll()) is not None:
                logs = [
                    path.read_text()[-600:]
                    for path in self.folder.glob(f"{daemon}.*")
                    if path.suffix != ".pid"
                ]
                pytest.fail(f"{daemon} ended with {code}: {' '.join(logs)}")
            time.sleep(0.05)
        if fail:
            pytest.fail(
                f"{daemon} does not come up: {(self.folder / f'{daemon}.log').read_text()[-800:]}"
            )


@contextmanager
def slurm_site(**options: int) -> Iterator[SlurmSite]:
    """A Slurm for the time of a `with`; its folder has a short path, because sockets lie in it."""
    with tempfile.TemporaryDirectory(
        prefix="slurm-", ignore_cleanup_errors=True
    ) as folder:
        site = SlurmSite(Path(folder), **options)
        try:
            yield site.start()
        finally:
            site.stop()
