"""Hosts: machines that run jobs of the judge. `local` is this computer; all share the port in `port.py`."""

from remote.hosts.local import LocalHost
from remote.hosts.port import Host, JobRequest, JobState, JobUpdate

__all__ = ["Host", "JobRequest", "JobState", "JobUpdate", "LocalHost"]
