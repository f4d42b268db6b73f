"""`python -m remote.judge`, or `python -m judge` where the folder was copied to a host."""

from __future__ import annotations

import sys

from .serve import main

sys.exit(main())
