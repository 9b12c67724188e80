"""Faults of the engine, and of the graph and the transforms around it."""

from __future__ import annotations

from planted import Mutant, engine

FAULTS: list[Mutant] = [
    *engine(
        "engine/engine.py",
        (
            "                    merge(box, 1, gradient, create_graph)\n",
            "                    box[1] = gradient\n",
            "of two gradients one counts",
        ),
        (
            "                    merge(box[1], output, gradient, create_graph)\n",
            "                    box[1][output] = gradient\n",
            "so with several outputs",
        ),
        ("        if not retain_graph:\n", "        if False:\n", "what was saved stays"),
        ("run.create_graph and not state.inference, run", "True, run", "every backward records itself"),
        (
            "place[at] = replaced(record, output, replacement, run.create_graph)",
            "pass",
            "a tensor hook changes nothing",
        ),
        (
            "        for callback in run.callbacks:  # the list may grow meanwhile\n            callback()\n",
            "",
            "callbacks are dropped",
        ),
        ("gradients = _after(record, gradients, dy)", "_after(record, gradients, dy)", "a post hook changes nothing"),
        (
            "                if plan is None:\n                    key = -target.sequence_nr\n",
            "                if plan is None:\n                    key = target.sequence_nr\n",
            "records run before all that they need has arrived",
        ),
    ),
    *engine(
        "engine/accumulation.py",
        ("leaf._grad = owned(box, 1)", "leaf._grad = box[1]", "two leaves share the memory of a gradient"),
        ("elif values.is_alone(box, index):", "elif True:", "sums are written into what others see"),
    ),
    *engine(
        "engine/plan.py",
        (
            "(-self._keys.get(number, number), number + 1)",
            "(-number, number + 1)",
            "a leaf is seen before all has arrived",
        ),
        (
            "if target in self.wanted or target in self._needed:",
            "if target in self.wanted:",
            "what leads to it is not run",
        ),
    ),
    *engine(
        "graph/saved.py",
        ("if version is not None and saved[index].version != version:", "if False:", "writes to saved values pass"),
    ),
    *engine(
        "graph/inplace.py",
        ("            value.bump_version()\n", "            pass\n", "writes are not counted"),
        (
            "_move(base, replaced._edge)",
            "_move(base, base._edge)",
            "a write to a view is lost",
        ),
        ("if _overlap(plain[i], plain[0])}", "if False}", "what a write needs of itself is overwritten"),
    ),
    *engine(
        "transforms/forward.py",
        ("if at in constant or not is_floating(output):", "if False:", "integers have tangents"),
    ),
]
