"""An attack on the cache folder: entries cut off, changed, exchanged, or replaced by what is no file.

Each round fills a folder (programs of formulas, of ops, and more of one line each, which are built quickly), damages
every entry in it in a way drawn at random, and runs the same work again in a process of its own. That has to end well,
with the same results, without having loaded one of the damaged programs: what it loads is executed.

    python tests/reliability/cache.py [entries] [seed]
"""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

WORK = """
import json, sys
import numpy as np
from netcl import core, kernels
x = core.from_host(np.linspace(-2, 2, 70_000, dtype=np.float32))
formulas = ["x + 1", "x * x", "exp(x)", "tanh(x) - x", "max(x, 0)", "x ^ 3", "sin(x) * cos(x)", "1 / (1 + exp(-x))"]
found = []
for at, formula in enumerate(formulas):
    op = getattr(kernels.compile(f"op f{at}(x: float) -> y {{ y = {formula}; }}", f"formula {at}"), f"f{at}")
    found.append(float(op(x).to_host().astype(np.float64).sum()))
for name in ("sum", "softmax", "sort", "cumsum"):
    values = kernels.catalogue[name](x)
    found += [float(each.to_host().reshape(-1)[-1]) for each in (values if isinstance(values, tuple) else (values,))]
queue = core.default_queue()
for at in range(120):
    source = f"kernel void add(global float *x) {{ x[get_global_id(0)] += {at}; }}"
    ones = core.ones(3)
    queue.program(source).kernel("add", (None,)).launch((3,), (1,), (ones.buffer.cl,))
    found += ones.to_host().tolist()
counted = core.counters()
print(json.dumps([found, counted["programs_loaded"], counted["programs_built"]]))
"""

DUE = (".program is ignored: ", "compiled programs are not kept in ")
"""What is said, and nothing else."""

Damage = Callable[[Path, random.Random], None]


def _other(path: Path, rng: random.Random) -> Path:
    return rng.choice([each for each in path.parent.glob("*.program") if each != path and each.is_file()])


def _cut(path: Path, rng: random.Random) -> None:
    text = path.read_bytes()
    path.write_bytes(text[: rng.randrange(len(text))])


def _flip(path: Path, rng: random.Random) -> None:
    text = bytearray(path.read_bytes())
    text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
    path.write_bytes(text)


def _scatter(path: Path, rng: random.Random) -> None:
    text = bytearray(path.read_bytes())
    for _ in range(rng.randint(2, 200)):
        text[rng.randrange(len(text))] = rng.randrange(256)
    path.write_bytes(bytes([text[0] ^ 1]) + text[1:])


def _empty(path: Path, rng: random.Random) -> None:
    path.write_bytes(b"")


def _lengthen(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.randint(1, 100)))


def _exchange(path: Path, rng: random.Random) -> None:
    path.write_bytes(_other(path, rng).read_bytes())


def _hard_link(path: Path, rng: random.Random) -> None:
    other = _other(path, rng)
    path.unlink()
    os.link(other, path)


def _folder(path: Path, rng: random.Random) -> None:
    path.unlink()
    path.mkdir()
    if rng.random() < 0.5:
        (path / "inside").write_bytes(b"x")


def _link(path: Path, rng: random.Random) -> None:
    target = rng.choice(["/dev/zero", "/nowhere", str(path), str(_other(path, rng)), "/"])
    path.unlink()
    path.symlink_to(target)


def _link_to_itself(path: Path, rng: random.Random) -> None:
    kept = path.with_suffix(".kept")
    path.rename(kept)
    path.symlink_to(kept)


def _pipe(path: Path, rng: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _open_to_all(path: Path, rng: random.Random) -> None:
    path.chmod(rng.choice([0o666, 0o622, 0o602, 0o620, 0o777]))


def _foreign(path: Path, rng: random.Random) -> None:
    os.chown(path, 65534, 65534)


def _older(path: Path, rng: random.Random) -> None:
    """What a version without the key in the digest wrote."""
    import hashlib

    payload = path.read_bytes().split(b"\n", 2)[2]
    path.write_bytes(b"netcl program 1\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)


DAMAGES: list[Damage] = [
    _cut, _flip, _flip, _flip, _scatter, _empty, _lengthen, _exchange, _hard_link, _folder, _link, _link_to_itself,
    _pipe, _open_to_all, _older,
]  # fmt: skip
if os.name == "posix" and os.getuid() == 0:
    DAMAGES.append(_foreign)


def work(folder: Path) -> tuple[list[float], int, int]:
    """Do the work with this cache: the results, how many programs were loaded, and how many built. Raises
    AssertionError where the process does not end well."""
    # what the driver does not optimise it compiles in less time, and it is kept in the same way
    environment = {**os.environ, "NETCL_CACHE_DIR": str(folder), "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
    environment.pop("POCL_CACHE_DIR", None)  # the driver's own lies in the folder unless told otherwise
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WORK],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if not any(due in line for due in DUE)]
    assert (done.returncode, said) == (0, []), f"exit code {done.returncode}: {said[-20:]}"
    found, loaded, built = json.loads(done.stdout)
    return found, loaded, built


def _is_whole(path: Path, before: Path) -> bool:
    """Whether one damage has undone another: what was exchanged with a hard link to itself is what it was."""
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_mode & 0o022 or about.st_uid != before.stat().st_uid:
        return False
    return path.read_bytes() == before.read_bytes()


def attack(pristine: Path, folder: Path, rng: random.Random, due: list[float]) -> Counter[str]:
    """Damage every entry of a copy, and work with it."""
    shutil.copytree(pristine, folder)
    folder.chmod(0o700)
    drawn = {path: rng.choice(DAMAGES) for path in sorted(folder.glob("*.program"))}
    for path, damage in drawn.items():
        if path.is_file() and not path.is_symlink():
            damage(path, rng)
    if rng.random() < 0.3:
        shutil.rmtree(folder / "pocl", ignore_errors=True)
        (folder / "pocl").write_bytes(b"no folder")
    names = {path.name: damage.__name__ for path, damage in drawn.items()}
    whole = sum(_is_whole(folder / path.name, path) for path in pristine.glob("*.program"))
    found, loaded, _ = work(folder)
    assert found == due, f"other results: {names}"
    assert loaded <= whole, f"{loaded - whole} damaged programs were loaded: {names}"
    again, loaded, built = work(folder)  # on what was repaired
    assert again == due
    assert built <= sum(damage in (_folder,) for damage in drawn.values()), f"{built} programs were not kept: {names}"
    return Counter(names.values())


def main(count: int = 1000, seed: int = 0) -> int:
    """Damage so many entries; returns the number of rounds that did not end well."""
    rng = random.Random(seed)
    total: Counter[str] = Counter()
    failures = 0
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        pristine = Path(scratch) / "pristine"
        due, _, _ = work(pristine)
        again, _, built = work(pristine)
        assert (again, built) == (due, 0)
        for round_ in range(10**6):
            if total.total() >= count:
                break
            folder = Path(scratch) / f"round{round_}"
            try:
                total += attack(pristine, folder, rng, due)
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures += 1
                print(f"seed {seed}, round {round_}: {failure}")
            if failures > 20:
                break
            shutil.rmtree(folder, ignore_errors=True)
    seconds = time.perf_counter() - begun
    print(", ".join(f"{name.strip('_')} {number}" for name, number in sorted(total.items())))
    print(f"{total.total()} damaged entries, {failures} failures, {seconds:.0f} s")
    return failures


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
