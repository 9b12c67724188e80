"""Find the rate and the frequency of a damped oscillation from noisy samples, with an op made for it."""

from __future__ import annotations

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels

mine = kernels.compile('''
"""A damped oscillation of unit amplitude."""
op damped(t: float, rate: float, frequency: float) -> y {
    y = exp(-rate * t) * cos(frequency * t);
}
''')


def main() -> None:
    rng = np.random.default_rng(0)
    times = np.linspace(0, 4, 400, dtype=np.float32)
    samples = np.exp(-0.7 * times) * np.cos(3.0 * times) + 0.02 * rng.standard_normal(400)

    t = core.from_host(times)
    measured = core.from_host(samples.astype(np.float32))
    # Scalars: their gradients are summed over the samples that they were broadcast to.
    rate = ag.tensor(0.2, requires_grad=True)
    frequency = ag.tensor(2.5, requires_grad=True)
    optimizer = ag.optim.Adam([rate, frequency], lr=0.02)
    for _ in range(300):
        loss = ag.mse_loss(mine.damped(t, rate, frequency), measured)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"rate {rate.item():.2f}, frequency {frequency.item():.2f}")
    assert abs(rate.item() - 0.7) < 0.05
    assert abs(frequency.item() - 3.0) < 0.05


if __name__ == "__main__":
    main()
