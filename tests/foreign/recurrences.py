"""Random definitions that read earlier elements of themselves, beside plain recursion: `python
tests/foreign/run.py 1000 --what recurrences`.

A formula is drawn as text and as a function of one place; the state at a place is what that function gives there,
asked once. With numbers of Python that gives values, with those of PyTorch gradients of both orders and tangents, too.
Nothing of the compiler is asked, least of all in which order anything is computed.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from recurrence_pieces import Array, Piece, Pieces, Places, State, World
from trials import Fault

PYTHON = {"tanh": math.tanh, "sin": math.sin}
KINDS = """
    line line line line grid grid prefix prefix parent inner nearest named layers heap lagged extreme
""".split()
AXES = {"t": (0, 1, 2, 3, 5), "k": (1, 2, 3), "b": (1, 2, 3), "i": (1, 2, 3, 4), "j": (1, 2, 3, 4)}


class Drawn(Pieces):
    """A declaration, the numbers for it, and what it comes to."""

    def __init__(self, seed: int) -> None:
        self.seed, self.rng = seed, random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.lengths = {axis: self.rng.choice(lengths) for axis, lengths in AXES.items()}
        if self.rng.random() < 0.15:
            self.lengths[self.rng.choice("kb")] = self.rng.choice((16, 17))
            self.lengths["t"] = min(self.lengths["t"], 3)
        self.operands: dict[str, tuple[tuple[str, ...], Array]] = {}
        self.states: list[State] = []
        self.sizes: dict[str, str] = {}
        self.attributes: dict[str, int] = {}
        self.required: list[str] = []
        self.bounded = False
        getattr(self, self.rng.choice(KINDS))()
        self.output = self.drawn_output()

    # --- what is drawn ------------------------------------------------------------------------------------------------

    def line(self) -> None:
        """Along t, with other axes beside it, one to three steps back or ahead, perhaps through a second state."""
        axes = ["t", *self.rng.sample("kb", self.rng.choice((0, 1, 1, 2)))]
        self.rng.shuffle(axes)
        sign = self.rng.choice("--+")
        names = ("h", "c")[: self.rng.choice((1, 1, 2))]
        for name in names:
            terms = [self.operand(tuple(self.rng.sample(axes, self.rng.randint(1, len(axes)))))]
            for _ in range(self.rng.choice((1, 1, 2))):
                of = self.rng.choice(names)
                terms.append(self.before(of, tuple(axes), sign))
            if name == "c" and self.rng.random() < 0.7:
                terms.append(self.own("h", tuple(axes)))
            self.states.append(State(name, tuple(axes), self.mixed(terms, axes)))

    def before(self, name: str, axes: tuple[str, ...], sign: str) -> Piece:
        """An element of a state of an earlier step, or a sum of such."""
        steps = self.rng.choice((1, 1, 1, 2, 3))
        along = self.moved("t", -steps if sign == "-" else steps)
        places = {"t": along}
        if "k" in axes and self.rng.random() < 0.4:
            places["k"] = self.moved("k", self.rng.choice((-1, 1)))
        if "k" in axes and "k" not in places and self.rng.random() < 0.5:
            self.sizes["m"] = "size[k]"
            read = self.read(name, axes, {**places, "k": self.at("m")}, self.outside(axes))
            weighted = self.rng.random() < 0.8
            return self.summed("m", self.times(self.operand(("m", "k")), read) if weighted else read)
        return self.read(name, axes, {**self.first_of(axes), **places}, self.outside(axes))

    def grid(self) -> None:
        """Along two axes at once; of sixteen steps or more on each, some go together."""
        if self.rng.random() < 0.3:
            self.lengths.update(i=self.rng.choice((16, 18)), j=self.rng.choice((16, 19, 33)), b=1)
            self.bounded = True
        axes = ["i", "j", *self.rng.sample("b", self.rng.choice((0, 1)))]
        self.rng.shuffle(axes)
        corners = self.rng.sample([(-1, 0), (0, -1), (-1, -1), (-2, 0), (-1, 1)], self.rng.randint(1, 3))
        turned = self.rng.random() < 0.3
        terms = [self.operand(tuple(self.rng.sample(axes, self.rng.randint(1, len(axes)))))]
        for down, right in corners:
            places = {"i": self.moved("i", -down if turned else down), "j": self.moved("j", right)}
            terms.append(self.read("r", tuple(axes), places, self.outside(axes)))
        self.states.append(State("r", tuple(axes), self.mixed(terms, axes)))

    def prefix(self) -> None:
        """A sum over all steps before."""
        axes = self.along_time()
        self.sizes["s"] = "size[t]"
        places = {"t": self.at("s")}
        if "k" in axes and self.rng.random() < 0.5:
            self.sizes["m"] = "size[k]"
            read = self.read("h", tuple(axes), {**places, "k": self.at("m")}, None)
            read = self.summed("m", self.times(self.operand(self.rng.choice((("m",), ("m", "k"), ("t", "m")))), read))
            if self.rng.random() < 0.5:
                read = self.times(read, self.read("h", tuple(axes), places, None))
        else:
            read = self.read("h", tuple(axes), places, None)
        body = self.times(self.operand(self.rng.choice((("s",), ("s", "t"), ("t",)))), read)
        sign, holds = self.rng.choice((("<", lambda s, t: s < t), (">", lambda s, t: s > t)))

        def value(world: World, places: Places) -> Any:
            steps = [s for s in range(world.lengths["t"]) if holds(s, places["t"])]
            return sum((body.value(world, {**places, "s": s}) for s in steps), 0.0 * world.arrays["zero"])

        running = Piece(f"sum[s {sign} t]({body.text})", value)
        self.states.append(State("h", tuple(axes), self.mixed([self.operand(tuple(axes)), running], axes)))

    def parent(self) -> None:
        """A place before that data names."""
        axes = self.along_time()
        chosen = self.behind(axes, "<", lambda place, t: place < t)
        self.states.append(State("h", tuple(axes), self.mixed([self.operand(tuple(axes)), chosen], axes)))

    def inner(self) -> None:
        """Rows of which each element reads the one beside it; the next row reads what they come to together."""
        beside = self.rng.sample("b", self.rng.choice((0, 1)))
        axes, rows = ["t", "i", *beside], ["t", *beside]
        self.rng.shuffle(axes)
        self.rng.shuffle(rows)
        back, aside = self.rng.choice((-1, -1, 1)), self.rng.choice((-1, 1))
        terms = [
            self.operand(tuple(self.rng.sample(axes, self.rng.randint(1, len(axes))))),
            self.read("z", tuple(rows), {"t": self.moved("t", back)}, self.outside(rows)),
            self.read("r", tuple(axes), {"i": self.moved("i", aside)}, self.outside(axes)),
        ]
        if self.rng.random() < 0.4:
            terms.append(self.read("r", tuple(axes), {"t": self.moved("t", back)}, self.outside(axes)))
        whole = self.summed("i", self.times(self.operand(("i",)), self.own("r", tuple(axes))))
        self.states.append(State("z", tuple(rows), self.mixed([self.operand(("t",)), whole], rows)))
        self.states.append(State("r", tuple(axes), self.mixed(terms, axes)))

    def nearest(self) -> None:
        """Rows that read the state before; the next state compares what they come to with something else of it."""
        beside = self.rng.sample("b", self.rng.choice((0, 1)))
        axes, rows = ["t", "i", *beside], ["t", *beside]
        self.rng.shuffle(axes)
        back = self.rng.choice((-1, -1, 1))
        before = self.read("z", tuple(rows), {"t": self.moved("t", back)}, self.outside(rows))
        row = self.read("r", tuple(axes), {"i": self.at("i")}, None)
        whole = self.summed("i", row if self.rng.random() < 0.5 else self.times(self.operand(("i",)), row))
        other = self.scaled(self.rng.choice((0.5, 1)), self.operand(tuple(self.rng.sample(rows, 1))), before)
        compared = self.least(whole, other) if self.rng.random() < 0.5 else self.least(other, whole)
        self.states.append(State("z", tuple(rows), self.mixed([before, compared], rows)))
        self.states.append(State("r", tuple(axes), self.mixed([self.operand(("i",)), before], axes)))
        self.rng.shuffle(self.states)

    def named(self) -> None:
        """Two states: what data names is read of one before it is computed, where it lies behind, and again after."""
        axes = self.along_time()
        first = self.behind(axes, "<", lambda place, t: place < t)
        again = self.behind(axes, "<=", lambda place, t: place <= t)
        before = self.read("c", tuple(axes), {"t": self.moved("t", -1)}, self.outside(axes))
        self.states.append(State("h", tuple(axes), self.mixed([self.operand(tuple(axes)), first, before], axes)))
        self.states.append(State("c", tuple(axes), self.mixed([self.operand(tuple(axes)), again], axes)))

    def layers(self) -> None:
        """Sums within sums, which two states may ask for, or only those steps that have one before them."""
        axes = ["t", "k", *self.rng.sample("b", self.rng.choice((0, 1)))]
        self.rng.shuffle(axes)
        back, guarded = self.rng.choice((-1, -1, 1)), self.rng.random() < 0.5
        self.sizes.update(m="size[k]", l="size[k]")
        places = {"t": self.moved("t", back), "k": self.at("m")}
        read = self.read("h", tuple(axes), places, None if guarded else self.outside(axes))
        to, *above = self.rng.choice((("k",), ("l", "k"), ("l", None)))
        found = self.summed("m", self.times(self.operand(("m", to)), read))
        if above:
            inner = found
            squashed = Piece(f"tanh({inner.text})", lambda w, p: w.functions["tanh"](inner.value(w, p)))
            found = self.summed("l", self.times(self.operand(("l", *filter(None, above))), squashed))
        if guarded:
            asked = "t > 0" if back < 0 else "t + 1 < size[t]"
            given, start = found, self.operand(("t",))

            def value(world: World, places: Places) -> Any:
                there = 0 <= places["t"] + back < world.lengths["t"]
                return (given if there else start).value(world, places)

            found = Piece(f"({asked} ? {given.text} : {start.text})", value)
        terms = [self.operand(tuple(axes)), found]
        if self.rng.random() < 0.5:
            before = self.read("c", tuple(axes), {"t": self.moved("t", back)}, self.outside(axes))
            self.states.append(State("c", tuple(axes), self.mixed([before, found], axes)))
            terms.append(self.own("c", tuple(axes)))
        self.states.append(State("h", tuple(axes), self.mixed(terms, axes)))

    def heap(self) -> None:
        """The place that is the parent of this one in a heap, and perhaps the step before."""
        axes, children = self.along_time(), self.rng.choice((2, 3))
        self.lengths["t"] = self.rng.choice((0, 1, 2, 5, 9))
        first = self.rng.choice((0, 1))
        above = Piece(
            f"(t - 1) // {children}" if first else f"t // {children}",
            lambda world, places: (places["t"] - first) // children,
        )
        start = self.outside(axes)
        if first and self.rng.random() < 0.4:
            found = self.read("h", tuple(axes), {"t": above}, start)
        else:
            there = self.read("h", tuple(axes), {"t": above}, None)
            found = Piece(
                f"(t > 0 ? {there.text} : {start.text})",
                lambda world, places: (there if places["t"] > 0 else start).value(world, places),
            )
        terms = [self.operand(tuple(axes)), found]
        if self.rng.random() < 0.4:
            terms.append(self.read("h", tuple(axes), {"t": self.moved("t", -1)}, self.outside(axes)))
        self.states.append(State("h", tuple(axes), self.mixed(terms, axes)))

    def lagged(self) -> None:
        """As many steps back, or ahead, as a number says that comes with the call."""
        axes, sign = self.along_time(), self.rng.choice("--+")
        lag = self.attributes["lag"] = self.rng.choice((1, 2, 3))
        self.required.append("lag > 0")
        at = Piece(f"t {sign} lag", lambda world, places: places["t"] + (-lag if sign == "-" else lag))
        terms = [
            self.operand(tuple(self.rng.sample(axes, self.rng.randint(1, len(axes))))),
            self.read("h", tuple(axes), {**self.first_of(axes), "t": at}, self.outside(axes)),
        ]
        if self.rng.random() < 0.4:
            steps = self.moved("t", -1 if sign == "-" else 1)
            terms.append(self.read("h", tuple(axes), {"t": steps}, self.outside(axes)))
        self.states.append(State("h", tuple(axes), self.mixed(terms, axes)))

    def extreme(self) -> None:
        """The step reads where the one before has its largest element, or which element that is."""
        axes = ["t", "k"]
        self.rng.shuffle(axes)
        back = self.rng.choice((-1, -1, 1))
        before = self.read("h", tuple(axes), {"t": self.moved("t", back)}, self.outside(axes))
        weight = self.operand(("k",))
        asked = before if self.rng.random() < 0.6 else self.times(weight, before)

        def largest(world: World, here: Places) -> int:
            places = range(world.lengths["k"])
            return max(places, key=lambda k: asked.value(world, {**here, "k": k}))

        self.states.append(State("p", ("t",), Piece(f"argmax[k]({asked.text})", largest)))
        at = self.rng.choice((self.own("p", ("t",)), Piece("p[t]", lambda w, p: w.state("p", (p["t"],)))))
        if self.rng.random() < 0.5:
            name, table = f"x{len(self.operands)}", self.numbers.normal(size=self.lengths["k"]) * 0.7
            self.operands[name] = (("k",), table)
            found = Piece(f"{name}[{at.text}]", lambda w, p: w.arrays[name][at.value(w, p)])
        else:
            found = self.read("h", tuple(axes), {"t": self.moved("t", back), "k": at}, self.outside(axes))
        own = [] if self.rng.random() < 0.5 else [before]
        self.states.append(State("h", tuple(axes), self.mixed([self.operand(tuple(axes)), found, *own], axes)))

    def along_time(self) -> list[str]:
        """Time, and perhaps an index beside it."""
        axes = ["t", *self.rng.sample("kb", self.rng.choice((0, 1)))]
        self.rng.shuffle(axes)
        return axes

    def behind(self, axes: list[str], sign: str, holds: Callable[[int, int], bool]) -> Piece:
        """The element of h at the step that data names, where that lies behind."""
        length = self.lengths["t"]
        if "p" not in self.operands:
            self.operands["p"] = (("t",), self.numbers.integers(0, max(length, 1), length))
        at = Piece("p", lambda world, places: int(world.arrays["p"][places["t"]]))
        found, start = self.read("h", tuple(axes), {**self.first_of(axes), "t": at}, None), self.outside(axes)

        def value(world: World, places: Places) -> Any:
            return (found if holds(at.value(world, places), places["t"]) else start).value(world, places)

        return Piece(f"(p {sign} t ? {found.text} : {start.text})", value)

    def drawn_output(self) -> tuple[tuple[str, ...], Piece]:
        """A state itself, a sum over some of its axes, or its elements at a place of one."""
        state = self.states[-1]
        axes = state.axes
        kind = self.rng.choice(("itself", "itself", "sum", "last"))
        whole = self.own(state.name, axes)
        if kind == "itself":
            return axes, Piece("", whole.value)
        if kind == "sum":
            over = tuple(self.rng.sample(axes, self.rng.randint(1, len(axes))))
            found = self.times(whole, whole)
            for axis in over:
                found = self.summed(axis, found)
            return tuple(axis for axis in axes if axis not in over), found
        axis = self.rng.choice(axes)
        last = Piece(f"size[{axis}] - 1", lambda w, p: w.lengths[axis] - 1)
        found = self.read(state.name, axes, {axis: last}, Piece("0", lambda w, p: 0.0 * w.arrays["zero"]))
        return tuple(each for each in axes if each != axis), found

    # --- what it comes to ---------------------------------------------------------------------------------------------

    def text(self) -> str:
        operands = ", ".join(
            f"{name}[{', '.join(axes)}]: {'int' if array.dtype.kind == 'i' else 'float'}"
            for name, (axes, array) in self.operands.items()
        )
        axes, output = self.output
        owned = {axis for declared, _ in self.operands.values() for axis in declared}
        used = {axis for state in self.states for axis in state.axes} | {*axes}
        where = [f"{axis} = {self.lengths[axis]}" for axis in sorted(used - owned)]
        where += [f"{index} = {size}" for index, size in self.sizes.items() if index not in owned]
        where += self.required
        given = "".join(f"; {name}: int = {value}" for name, value in self.attributes.items())
        is_itself = not output.text
        name = self.states[-1].name if is_itself else "y"
        lines = [
            f"op f({operands}{given}) -> {name}[{', '.join(axes)}]{' where ' + ', '.join(where) if where else ''} {{"
        ]
        for state in self.states:
            head = state.name if state.name == name else f"{state.name}[{', '.join(state.axes)}]"
            lines.append(f"    {head} = {state.equation.text};")
        if not is_itself:
            lines.append(f"    y = {output.text};")
        return "\n".join([*lines, "}"])

    def recursion(self, arrays: Mapping[str, Any], functions: Mapping[str, Any]) -> dict[tuple[int, ...], Any]:
        """The output at each place, by recursion."""
        known: dict[tuple[str, tuple[int, ...]], Any] = {}
        by_name = {state.name: state for state in self.states}
        lengths = {**self.lengths, "m": self.lengths["k"], "l": self.lengths["k"], "s": self.lengths["t"]}
        world = World(arrays, lengths, functions)

        def state(name: str, at: tuple[int, ...]) -> Any:
            if (name, at) not in known:
                of = by_name[name]
                known[name, at] = of.equation.value(world, dict(zip(of.axes, at, strict=True)))
            return known[name, at]

        world.state = state
        axes, output = self.output
        shape = [self.lengths[axis] for axis in axes]
        return {at: output.value(world, dict(zip(axes, at, strict=True))) for at in np.ndindex(*shape)}

    def value(self) -> Array:
        """The output, in numbers of Python."""
        arrays = {name: array for name, (_, array) in self.operands.items()}
        found = self.recursion({**arrays, "zero": 0.0}, PYTHON)
        result = np.zeros([self.lengths[axis] for axis in self.output[0]])
        for at, value in found.items():
            result[at] = value
        return result


def draw(seed: int) -> Drawn:
    sys.setrecursionlimit(20_000)
    return Drawn(seed)


# --- beside PyTorch ---------------------------------------------------------------------------------------------------


def expected(drawn: Drawn, weights: Array, directions: Mapping[str, Array]) -> dict[str, Array]:
    """Value, gradients of both orders, and the tangent, by PyTorch."""
    import torch

    arrays: dict[str, Any] = {name: torch.tensor(array) for name, (_, array) in drawn.operands.items()}
    floats = {name: each.requires_grad_() for name, each in arrays.items() if each.is_floating_point()}
    zero = torch.zeros((), dtype=torch.float64)
    found = drawn.recursion({**arrays, "zero": zero}, {"tanh": torch.tanh, "sin": torch.sin})
    shape = weights.shape
    flat = [torch.as_tensor(each, dtype=torch.float64) for each in found.values()]
    value = torch.stack(flat).reshape(shape) if flat else torch.zeros(shape, dtype=torch.float64)
    seeds = torch.tensor(weights, requires_grad=True)
    total = (value * seeds).sum()
    gradients = _gradients(total, floats)
    second = sum((each * torch.tensor(directions[name])).sum() for name, each in gradients.items())
    results = {"value": value, **{f"gradient {name}": each for name, each in gradients.items()}}
    results |= {f"second {name}": each for name, each in _gradients(second, floats).items()}
    results["tangent"] = _gradients(second, {"": seeds})[""]
    return {name: each.detach().numpy() for name, each in results.items()}


def _gradients(total: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    import torch

    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return {name: torch.zeros_like(each) for name, each in inputs.items()}
    found = torch.autograd.grad(total, list(inputs.values()), create_graph=True, allow_unused=True)
    return {
        name: torch.zeros_like(inputs[name]) if each is None else each for name, each in zip(inputs, found, strict=True)
    }


def computed(drawn: Drawn, weights: Array, directions: Mapping[str, Array]) -> dict[str, Array]:
    """The same by netcl."""
    from netcl_results import gradient, host, placed

    from netcl import autograd as ag
    from netcl import core, kernels

    op = kernels.compile(drawn.text()).f
    given = {name: placed(array) for name, (_, array) in drawn.operands.items()}
    floats = {name: each for name, each in given.items() if isinstance(each, ag.Node)}
    along = {name: core.from_host(each) for name, each in directions.items()}
    value = op(*given.values())
    results = {"value": host(value)}
    gradients = gradient([value], [core.from_host(weights)], floats, True)
    results |= {f"gradient {name}": host(each) for name, each in gradients.items()}
    nodes = {name: each for name, each in gradients.items() if isinstance(each, ag.Node)}
    second = gradient(list(nodes.values()), [along[name] for name in nodes], floats, False)
    results |= {f"second {name}": host(each) for name, each in second.items()}

    def function(*inputs: Any) -> Any:
        return op(*{**given, **dict(zip(floats, inputs, strict=True))}.values())

    point = tuple(each.value for each in floats.values())
    _, tangent = ag.jvp(function, point, tuple(along[name] for name in floats))
    results["tangent"] = host(tangent)
    return results


def tried(seed: int) -> tuple[str, list[Fault]]:
    """How the recurrence of a seed went."""
    drawn = draw(seed)
    numbers = np.random.default_rng([seed, 1])
    weights = numbers.normal(size=[drawn.lengths[axis] for axis in drawn.output[0]])
    directions = {
        name: numbers.normal(size=array.shape)
        for name, (_, array) in drawn.operands.items() if array.dtype.kind == "f"
    }  # fmt: skip
    wanted = expected(drawn, weights, directions)
    try:
        found = computed(drawn, weights, directions)
    except Exception as error:
        return "fault", [Fault("undocumented", "recurrence", f"{type(error).__name__}: {error}\n{drawn.text()}")]
    for name, each in wanted.items():
        scale = max(1.0, float(np.abs(each).max(initial=0)))
        if each.shape != found[name].shape or not np.allclose(found[name], each, rtol=1e-9, atol=1e-9 * scale):
            said = f"{name}: {found[name].tolist()} instead of {each.tolist()}"
            return "fault", [Fault("wrong", "recurrence", f"{said}\n{drawn.text()}")]
    return "right", []
