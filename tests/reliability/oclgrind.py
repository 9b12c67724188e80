"""Every op of the catalogue on Oclgrind, a device that is simulated instruction by instruction and watches each access.

The ops run at small awkward sizes, with their gradients, in a process of their own per form of kernels: those for a CPU
with the driver's functions and with our own (as on PoCL), and those for a GPU. Nothing may be read or written outside
of a buffer, no two work-items may meet in one place, and results must not depend on what fresh memory held: each runs
twice, over memory that was filled with different bytes.

    python tests/reliability/oclgrind.py [op …]      # needs Oclgrind: apt install oclgrind

Oclgrind's own search for uninitialised values is not used. It takes the lanes of a vector for uninitialised once they
are folded (`v.lo + v.hi` of a constant), and ends the process in code that LLVM has optimised.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

LIBRARY = next(
    (
        path
        for path in map(Path, ("/usr/lib/oclgrind/liboclgrind-rt-icd.so", "/usr/lib64/oclgrind/liboclgrind-rt-icd.so"))
        if path.exists()
    ),
    None,
)
FORMS = ("cpu", "pocl", "gpu")
LENGTHS = ((1, 2, 3, 5), (17, 3, 1, 2))
FILLS = (0xFF, 0x41)
"""Bytes of fresh memory: NaN and -1, or a number near 12."""

TOGETHER = 12
"""So many ops in one process."""

DRAWS = 8
"""So many arguments are tried until some go together."""

SECONDS = 600
"""For one op; a simulated work-item is slow."""


# --- in the process with the device -----------------------------------------------------------------------------------


def run(form: str, names: list[str]) -> None:
    """Run these ops; a line of JSON before each, and one after: how often it ran and what is wrong."""
    prepare(form)
    from netcl.kernels.namespace import catalogue

    for name in names:
        print(json.dumps({"op": name}), flush=True)
        counts: Counter[str] = Counter()
        wrong: list[str] = []
        for each in catalogue[name].forms:
            try:
                wrong += of_form(name, each, counts)
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
        print(json.dumps({"op": name, "ran": counts, "wrong": wrong}), flush=True)


def prepare(form: str) -> None:
    """Have the device taken for another, and no memory be shared: what the host writes is then seen to be written."""
    from netcl.core import device

    found = device.default_device()
    assert found.platform == "Oclgrind", found
    found.device_class = "gpu"
    from netcl.core import default_queue

    default_queue()  # asks the class of the device whether memory is shared
    found.device_class = "gpu" if form == "gpu" else "cpu"
    if form == "pocl":
        device.Device.is_pocl = property(lambda self: True)  # type: ignore[assignment]
        from netcl.kernels.compiler.opencl import elementary

        for name, text in elementary._TEMPLATES.items():  # the simulator has none of these for vectors
            elementary._TEMPLATES[name] = text.replace("#if __has_builtin(", "#if 0 && __has_builtin(")


def of_form(name: str, form: Any, counts: Counter[str]) -> list[str]:
    """What is wrong with one form of an op, at a few sizes."""
    from netcl.core.errors import ShapeError
    from netcl.kernels.tools.sampling import Wish, cases

    wrong = []
    for rank, lengths in ((2, LENGTHS[0]), (1, LENGTHS[1])):
        wish = Wish(rank=rank, dtype="float32", lengths=lengths, vary=rank == 1, most=4000)
        for case in islice(cases(form, wish, seed=rank), DRAWS):
            arguments = case.arguments()
            given = name, arguments, {each.name for each in form.nograd}
            try:
                values, slopes = once(*given, FILLS[0])
            except ShapeError:  # switches that do not go together
                continue
            counts.update({"values": len(values), "gradients": len(slopes)})
            if (values, slopes) != once(*given, FILLS[1]):
                wrong.append(f"{name} depends on what fresh memory held: {shown(arguments)}")
            break
    return wrong


def once(name: str, arguments: dict[str, Any], fixed: set[str], fill: int) -> tuple[list[str], list[str]]:
    """The bytes of the values, and of the gradients of what is not `fixed`, over memory that was filled."""
    import numpy as np

    from netcl import autograd as ag
    from netcl import core
    from netcl.kernels.namespace import catalogue

    core.manual_seed(0)
    fill_free_memory(fill)
    leaves: list[Any] = []

    def given(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [given(name, each) for each in value]
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype.kind != "f" or name in fixed:
            return core.from_host(value)
        leaves.append(ag.Node(core.from_host(value), requires_grad=True))
        return leaves[-1]

    found = catalogue[name](**{key: given(key, value) for key, value in arguments.items()})
    outputs = found if isinstance(found, tuple) else (found,)
    values = [bytes_of(each) for each in outputs]
    rooted = [each for each in outputs if isinstance(each, ag.Node) and each.requires_grad]
    if not rooted:
        return values, []
    gradients = ag.grad(sum((each * each).sum() for each in rooted), leaves, allow_unused=True)
    return values, [bytes_of(each) for each in gradients if each is not None]


def bytes_of(value: Any) -> str:
    array = getattr(value, "value", value).to_host()
    return str(array.tobytes().hex())


def fill_free_memory(fill: int) -> None:
    """Make what the pool hands out next look like this."""
    from netcl import core

    kept = [core.full(1 << power, fill, core.uint8) for power in range(4, 17) for _ in range(8)]
    core.synchronize()
    del kept


def shown(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{key}={getattr(value, 'shape', value)}" for key, value in arguments.items())


# --- in the process that asks -----------------------------------------------------------------------------------------


def watched(form: str, names: list[str], folder: Path) -> tuple[list[str], Counter[str]]:
    """What is wrong with these ops in one form of kernels, and how much was looked at."""
    (folder / "oclgrind.icd").write_text(f"{LIBRARY}\n")
    log = folder / "log"
    log.unlink(missing_ok=True)
    environment = {
        **os.environ, "OCL_ICD_VENDORS": str(folder), "OCLGRIND_LOG": str(log), "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_MAX_ERRORS": "100000", "OCLGRIND_NUM_THREADS": "1", "NETCL_DEVICE": "oclgrind", "NETCL_CACHE": "0",
    }  # fmt: skip
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    command = [sys.executable, str(Path(__file__)), "--run", form, *names]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS * len(names)
        )
        text, ended = done.stdout, done.returncode and f"the process ended with {done.returncode}: {done.stderr[-400:]}"
    except subprocess.TimeoutExpired as late:
        text, ended = (late.stdout or b"").decode(), f"nothing came back for {SECONDS} s"
    last = ""
    for line in map(json.loads, text.splitlines()):
        last = line["op"]
        if "ran" in line:
            counts.update({"ops": 1, **line["ran"]})
            wrong += line["wrong"]
    if ended:
        wrong.append(f"{last}: {ended}")
    return wrong + reports(log), counts


def reports(log: Path) -> list[str]:
    """What Oclgrind has to say, each once for a kernel and a line."""
    text = log.read_text(errors="replace") if log.exists() else ""
    found: Counter[str] = Counter()
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.splitlines() if line.strip() and "Entity" not in line]
        if lines:
            found[re.sub(r"0x[0-9a-f]+", "…", "; ".join(lines[:5]))] += 1
    return [f"{each} ({count} times)" for each, count in found.items()]


def main(*names: str) -> int:
    """Run the catalogue, or these ops, in each form of kernels; returns how many things are wrong."""
    if LIBRARY is None:
        print("Oclgrind is not installed: apt install oclgrind")
        return 0
    from netcl.kernels.namespace import catalogue

    chosen = list(names) or sorted(each.name for each in catalogue)
    begun = time.perf_counter()
    total: Counter[str] = Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            for at in range(0, len(chosen), TOGETHER):
                wrong, counts = watched(form, chosen[at : at + TOGETHER], Path(folder))
                total += counts
                failures += len(wrong)
                for each in wrong:
                    print(f"{form}: {each}", flush=True)
    seconds = time.perf_counter() - begun
    print(f"{', '.join(f'{count} {what}' for what, count in total.items())}; {failures} wrong, {seconds:.0f} s")
    return failures


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(main(*sys.argv[1:]) > 0)
