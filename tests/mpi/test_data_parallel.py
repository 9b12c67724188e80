"""Data-parallel training: several processes under mpiexec give the gradients of one, and none hangs."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MPIEXEC = Path(sys.executable).with_name("mpiexec")
ENVIRONMENT = {**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"}

START = """
import sys
import numpy as np
from mpi4py import MPI
from netcl import autograd as ag, core

def network(seed):
    random = np.random.default_rng(seed)
    shapes = ((8, 5), (8,), (3, 8), (3,))
    return [ag.tensor(random.normal(size=shape).astype(np.float32), requires_grad=True) for shape in shapes]

def loss_of(weights, x, y):
    hidden = ag.tanh(ag.linear(x, weights[0], weights[1]))
    return ag.mse_loss(ag.linear(hidden, weights[2], weights[3]), y)

def batch(step, rows, columns):
    return np.random.default_rng(1000 * columns + step).normal(size=(rows, columns)).astype(np.float32)

def share(array, parallel):
    rows = len(array) // parallel.size
    return ag.tensor(array[parallel.rank * rows : (parallel.rank + 1) * rows])
"""


def run(program: str, ranks: int = 2) -> subprocess.CompletedProcess[str]:
    """The program on so many ranks; a hang is a failure."""
    command = [str(MPIEXEC), "-n", str(ranks), sys.executable, "-c", START + textwrap.dedent(program)]
    return subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)


def output_of(program: str, ranks: int = 2) -> str:
    result = run(program, ranks)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.promise("F33")
@pytest.mark.parametrize("ranks", [2, 3])
def test_the_ranks_together_have_the_gradients_of_one_on_the_joined_batch(ranks: int) -> None:
    output_of(
        """
        alone = network(0)
        shared = network(MPI.COMM_WORLD.rank)   # rank 0's weights win
        parallel = ag.DataParallel(shared, bucket_bytes=100)
        assert len(parallel._buckets) > 1
        for mine, theirs in zip(shared, alone):
            assert (mine.to_host() == theirs.to_host()).all()
        x, y = batch(0, 12, 5), batch(0, 12, 3)
        loss_of(alone, ag.tensor(x), ag.tensor(y)).backward()
        loss_of(shared, share(x, parallel), share(y, parallel)).backward()
        for mine, theirs in zip(shared, alone):
            np.testing.assert_allclose(mine.grad.to_host(), theirs.grad.to_host(), rtol=2e-5, atol=1e-7)
        """,
        ranks,
    )


@pytest.mark.promise("F33")
def test_training_gives_every_rank_the_same_bits_in_every_run() -> None:
    program = """
        weights = network(0)
        parallel = ag.DataParallel(weights, bucket_bytes=64)
        optimizer = ag.optim.Adam(weights, lr=1e-2)
        for step in range(20):
            optimizer.zero_grad()
            loss_of(weights, share(batch(step, 8, 5), parallel), share(batch(step, 8, 3), parallel)).backward()
            optimizer.step()
        bits = b"".join(each.to_host().tobytes() for each in weights)
        everywhere = MPI.COMM_WORLD.allgather(bits)
        assert len(set(everywhere)) == 1
        if parallel.rank == 0:
            print(bits.hex())
        """
    first, second = output_of(program), output_of(program)
    assert first == second
    assert len(first.strip()) == 2 * 4 * (40 + 8 + 24 + 3)


@pytest.mark.promise("F33")
def test_buckets_are_sent_while_backward_goes_on() -> None:
    output_of(
        """
        weights = network(0)
        parallel = ag.DataParallel(weights, bucket_bytes=1)
        sent = []
        weights[0].register_hook(lambda gradient: sent.append(parallel._sent))
        loss_of(weights, share(batch(0, 8, 5), parallel), share(batch(0, 8, 3), parallel)).backward()
        assert sent and sent[0] >= 2, sent     # the last layer's gradients are on their way before the first layer's
        """
    )


def test_gradients_stay_on_their_rank_until_the_backward_that_averages_them() -> None:
    output_of(
        """
        x = ag.tensor([1.0, 2.0], requires_grad=True)
        parallel = ag.DataParallel([x])
        factor = float(parallel.rank + 1)
        with parallel.no_sync():
            (x * factor).sum().backward()
        assert x.grad.tolist() == [factor, factor]
        (x * factor).sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]    # the mean of 1 + 1 and 2 + 2
        (x * factor).sum().backward()
        assert x.grad.tolist() == [4.5, 4.5]
        parallel.remove()
        (x * factor).sum().backward()
        assert x.grad.tolist() == [4.5 + factor] * 2
        """
    )


def test_a_parameter_that_only_some_ranks_use_has_the_mean_and_an_unused_one_none() -> None:
    output_of(
        """
        a, b, c = (ag.tensor([1.0], requires_grad=True) for _ in range(3))
        d = ag.tensor(np.float64(1), requires_grad=True)
        parallel = ag.DataParallel([a, b, c, d])
        y = a * 4.0 if parallel.rank == 0 else a * 2.0 + b * 10.0 + ag.astype(d, "float32")
        y.sum().backward()
        assert a.grad.tolist() == [3.0]
        assert b.grad.tolist() == [5.0]
        assert c.grad is None
        assert d.grad.tolist() == 0.5 and d.grad.dtype == np.float64
        """
    )


def test_different_models_are_refused_with_the_parameter_that_differs() -> None:
    result = run(
        """
        rows = 2 + MPI.COMM_WORLD.rank
        ag.DataParallel([ag.tensor(np.ones(3), requires_grad=True), ag.tensor(np.ones((rows, 2)), requires_grad=True)])
        """
    )
    assert result.returncode != 0
    assert "parameter 1 is float64 (2, 2) on rank 0, float64 (3, 2) on rank 1" in result.stderr


ENDINGS = {
    "an exception": ("raise ValueError(3)", "rank 1 of 2 ends with ValueError: 3; the others are stopped"),
    "too few batches": ("sys.exit(0)", "rank 1 ended after 3 backwards, and rank 0 waits for it in backward number 4"),
    "a hang": ("import time; time.sleep(60)", "rank 0 of 2 has waited 3 s for gradients of the others"),
    "a kill": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
}


@pytest.mark.promise("F33")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_rank_that_dies_or_leaves_ends_the_others_with_a_sentence(ending: str) -> None:
    statement, sentence = ENDINGS[ending]
    start = time.monotonic()
    result = run(
        f"""
        weights = network(0)
        parallel = ag.DataParallel(weights, timeout=3)
        for step in range(10):
            if step == 3 and parallel.rank == 1:
                {statement}
            loss_of(weights, share(batch(step, 8, 5), parallel), share(batch(step, 8, 3), parallel)).backward()
        """
    )
    assert result.returncode != 0
    assert sentence in result.stdout + result.stderr
    assert time.monotonic() - start < 50


def test_the_example_runs_on_two_ranks_and_on_one() -> None:
    for ranks in (1, 2):
        command = [str(MPIEXEC), "-n", str(ranks), sys.executable, "examples/parallel.py"]
        result = subprocess.run(
            command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=True
        )
        assert result.stdout == f"y = 3.00 x + 1.00 on {ranks} ranks\n"
