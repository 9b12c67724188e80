"""Programs about hooks: their order, what they see, what they replace, when they are gone; saved values; checkpoint."""

from __future__ import annotations

from typing import Any

from libraries import fails, program


@program
def hooks_run_in_their_order(lib: Any) -> Any:
    seen: list[str] = []
    x = lib.tensor([3.0], True)
    y = x * x
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append("after"))
    y.grad_fn.register_prehook(lambda outputs: seen.append("before"))
    y.register_hook(lambda g: seen.append("first"))
    y.register_hook(lambda g: seen.append("second"))
    x.register_hook(lambda g: seen.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    (y * 2).sum().backward()
    return seen


@program
def a_hook_sees_the_whole_gradient_once(lib: Any) -> Any:
    seen: list[Any] = []
    x = lib.tensor([3.0], True)
    y = x * x
    y.register_hook(lambda g: seen.append(lib.numbers(g)))
    (y + y * 2 + y * 3).sum().backward()
    return seen


@program
def a_hook_replaces_the_gradient(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    y = x * x
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return lib.numbers(x.grad)


@program
def hooks_replace_one_after_the_other(lib: Any) -> Any:
    seen: list[Any] = []
    x = lib.tensor([3.0], True)
    y = x * x
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(lib.numbers(g)))
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    return [seen, lib.numbers(x.grad)]


@program
def a_hook_on_a_leaf_replaces_what_is_accumulated(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    x.register_hook(lambda g: g * 0.5)
    (x * x).sum().backward()
    (x * x).sum().backward()
    return lib.numbers(x.grad)


@program
def a_hook_on_a_leaf_changes_what_grad_returns(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    x.register_hook(lambda g: g * 0.5)
    return lib.numbers(lib.grad((x * x).sum(), [x])[0])


@program
def a_prehook_replaces_output_gradients(lib: Any) -> Any:
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)
    z = x * y
    z.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    z.sum().backward()
    return [lib.numbers(x.grad), lib.numbers(y.grad)]


@program
def a_hook_of_a_record_replaces_input_gradients(lib: Any) -> Any:
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)
    z = x * y
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, inputs[1]))
    z.sum().backward()
    return [lib.numbers(x.grad), lib.numbers(y.grad)]


@program
def a_hook_of_a_record_sees_both_sides(lib: Any) -> Any:
    seen: list[Any] = []
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)
    z = x * y

    def note(inputs: Any, outputs: Any) -> None:
        seen.append([[lib.numbers(g) for g in inputs], [lib.numbers(g) for g in outputs]])

    z.grad_fn.register_hook(note)
    (z * 2).sum().backward()
    return seen


@program
def a_removed_hook_is_silent(lib: Any) -> Any:
    seen: list[str] = []
    x = lib.tensor([3.0], True)
    handle = x.register_hook(lambda g: seen.append("x"))
    (x * x).sum().backward()
    handle.remove()
    handle.remove()
    (x * x).sum().backward()
    return seen


@program
def a_hook_that_changes_the_shape_is_an_error(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    x.register_hook(lambda g: lib.ones(4))
    return fails(lambda: (x * x).sum().backward())


@program
def a_hook_needs_a_gradient(lib: Any) -> Any:
    return fails(lambda: lib.leaf_of(lib.tensor([1.0])).register_hook(lambda g: None))


@program
def an_error_in_a_hook_reaches_the_caller(lib: Any) -> Any:
    x = lib.tensor([3.0], True)

    def broken(g: Any) -> Any:
        raise ValueError("planted")

    handle = x.register_hook(broken)
    refused = fails(lambda: (x * x).sum().backward())
    handle.remove()
    (x * x).sum().backward()
    return [refused, lib.numbers(x.grad)]


@program
def a_hook_under_create_graph_is_differentiated(lib: Any) -> Any:
    x = lib.tensor(3.0, True)
    y = x * x
    y.register_hook(lambda g: g * x)
    g = lib.grad(y, [x], create_graph=True)[0]
    return [lib.numbers(g), lib.numbers(lib.grad(g, [x])[0])]


@program
def inside_a_hook_gradients_are_recorded_only_for_create_graph(lib: Any) -> Any:
    seen: list[bool] = []
    x = lib.tensor(3.0, True)
    y = x * x
    y.register_hook(lambda g: seen.append(lib.is_grad_enabled()))
    lib.grad(y, [x], retain_graph=True)
    lib.grad(y, [x], create_graph=True)
    return seen


@program
def retain_grad_keeps_an_intermediate_gradient(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    y = x * x
    y.retain_grad()
    (y * 5).sum().backward()
    return [lib.numbers(y.grad), y.retains_grad, x.retains_grad]


@program
def retain_grad_comes_after_hooks(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return lib.numbers(y.grad)


@program
def retained_gradients_of_two_backwards(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    y = x * x
    y.retain_grad()
    z = (y * 5).sum()
    z.backward(retain_graph=True)
    z.backward()
    return lib.numbers(y.grad)


@program
def an_intermediate_value_has_no_gradient_by_itself(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    y = x * x
    y.sum().backward()
    return y.grad is None


@program
def a_post_accumulate_hook_may_take_a_step(lib: Any) -> Any:
    x = lib.tensor([3.0], True)

    def step(leaf: Any) -> None:
        with lib.no_grad():
            leaf.sub_(leaf.grad * 0.1)
        leaf.grad = None

    x.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        (x * x).sum().backward()
    return [lib.numbers(x), x.grad is None]


@program
def a_post_accumulate_hook_is_for_leaves(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    return fails(lambda: (x * x).register_post_accumulate_grad_hook(lambda leaf: None))


@program
def a_post_accumulate_hook_is_not_called_by_grad(lib: Any) -> Any:
    seen: list[str] = []
    x = lib.tensor([3.0], True)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("called"))
    lib.grad((x * x).sum(), [x])
    return seen


@program
def a_hook_on_several_waits_for_all(lib: Any) -> Any:
    seen: list[Any] = []
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)
    lib.multi_grad_hook([x, y], lambda grads: seen.append([lib.numbers(g) for g in grads]))
    (x * y).sum().backward()
    (x * y * 2).sum().backward()
    return seen


@program
def a_hook_on_several_gives_none_for_the_unreached(lib: Any) -> Any:
    seen: list[Any] = []
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)
    lib.multi_grad_hook([x, y], lambda grads: seen.append([lib.numbers(g) for g in grads]))
    (x * x).sum().backward()
    return seen


@program
def a_hook_on_several_is_called_for_any(lib: Any) -> Any:
    seen: list[Any] = []
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)
    lib.multi_grad_hook([x, y], lambda grad: seen.append(lib.numbers(grad)), mode="any")
    (x * x).sum().backward()
    return seen


@program
def callbacks_run_at_the_end(lib: Any) -> Any:
    seen: list[str] = []
    x = lib.tensor([3.0], True)
    y = x * x
    y.register_hook(lambda g: lib.queue_callback(lambda: seen.append("end")))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    y.sum().backward()
    return seen


@program
def saved_values_go_through_hooks(lib: Any) -> Any:
    packed: list[Any] = []
    x, y = lib.tensor([3.0], True), lib.tensor([5.0], True)

    def pack(value: Any) -> Any:
        packed.append(lib.numbers(value))
        return ("kept", value)

    with lib.saved_tensors_hooks(pack, lambda kept: kept[1]):
        z = x * y
    z.sum().backward()
    return [sorted(packed), lib.numbers(x.grad), lib.numbers(y.grad)]


@program
def unpack_may_change_the_value(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    with lib.saved_tensors_hooks(lambda value: value, lambda value: value * 2):
        y = x.exp()
    y.sum().backward()
    return lib.numbers(x.grad)


@program
def the_inner_hooks_on_saved_values_win(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    with (
        lib.saved_tensors_hooks(lambda v: v, lambda v: v * 100),
        lib.saved_tensors_hooks(lambda v: v, lambda v: v * 2),
    ):
        y = x.exp()
    y.sum().backward()
    return lib.numbers(x.grad)


@program
def hooks_on_saved_values_can_be_refused(lib: Any) -> Any:
    x = lib.tensor([3.0], True)

    def use() -> None:
        with lib.disable_saved_tensors_hooks("not here"), lib.saved_tensors_hooks(lambda v: v, lambda v: v):
            x.exp()

    return fails(use)


@program
def saved_values_may_wait_on_the_host(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    with lib.save_on_host():
        y = (x.exp() * x).sum()
    y.backward()
    return lib.numbers(x.grad)


@program
def saved_values_may_be_written_where_that_is_allowed(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    with lib.allow_mutation():
        y = x * 1
        z = (y * y).sum()
        y.mul_(lib.tensor([5.0, 5.0]))
        z.backward()
    return lib.numbers(x.grad)


@program
def a_checkpoint_computes_again(lib: Any) -> Any:
    runs: list[str] = []
    x, w = lib.tensor([1.0, 2.0], True), lib.tensor([3.0, 4.0], True)

    def block(x: Any) -> Any:
        runs.append("run")
        return (x * w).exp() * x

    y = lib.checkpoint(block, x * 1)
    y.sum().backward()
    return [runs, lib.numbers(x.grad), lib.numbers(w.grad)]


@program
def checkpoints_nest(lib: Any) -> Any:
    x = lib.tensor([0.5, 0.25], True)
    y = lib.checkpoint(lambda x: lib.checkpoint(lambda z: z.exp() * z, x * 2) * x, x)
    (y * y).sum().backward()
    return lib.numbers(x.grad)


@program
def a_checkpoint_is_differentiated_twice(lib: Any) -> Any:
    x = lib.tensor(0.5, True)
    y = lib.checkpoint(lambda x: x.exp() * x, x)
    g = lib.grad(y, [x], create_graph=True)[0]
    return [lib.numbers(g), lib.numbers(lib.grad(g, [x])[0])]


@program
def a_checkpoint_that_saves_something_else_is_an_error(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    calls: list[int] = []

    def block(x: Any) -> Any:
        calls.append(1)
        return x.exp() * x if len(calls) == 1 else x + 1

    y = lib.checkpoint(block, x).sum()
    return fails(lambda: y.backward())


@program
def anomaly_mode_finds_a_nan(lib: Any) -> Any:
    x = lib.tensor([-1.0], True)

    def run() -> None:
        with lib.detect_anomaly():
            (x.sqrt() * 1).sum().backward()

    return fails(run)
