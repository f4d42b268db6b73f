"""`python -m remote.judge`: the judge as a process, here or on a host."""

from __future__ import annotations

import sys

from remote.judge.serving.serve import main

sys.exit(main())
