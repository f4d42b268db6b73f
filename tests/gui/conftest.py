"""Windows are driven off screen; a test that leaves a widget, thread or timer behind fails."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
