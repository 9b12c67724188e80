"""Makes the helpers beside the tests of this folder (`launched`, `evaluated`) importable."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
collect_ignore = [] if os.name == "posix" else ["test_stored_on_posix.py"]
