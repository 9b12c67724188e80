"""What the tests of all frameworks call: every form of the catalogue, with arguments that fit it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "operations")]
