"""Programs about the graph: who needs a gradient, how gradients accumulate, what may be asked twice, modes."""

from __future__ import annotations

from typing import Any

from libraries import fails, program


@program
def requires_grad_spreads_from_any_operand(lib: Any) -> Any:
    x, c = lib.tensor([1.0, 2.0], True), lib.tensor([3.0, 4.0])
    return [lib.wants(x * c), lib.wants(c * c), lib.wants(c + 1), lib.wants(1 - x), lib.wants((x * c).sum())]


@program
def a_comparison_carries_no_gradient(lib: Any) -> Any:
    x = lib.tensor([1.0, -2.0], True)
    return [lib.wants(x > 0), lib.wants(x.argmax()), lib.wants(x.floor())]


@program
def leaves_and_computed_values_know_what_they_are(lib: Any) -> Any:
    x = lib.tensor([1.0], True)
    y = x * 2
    return [x.is_leaf, y.is_leaf, x.grad_fn is None, y.grad_fn is None, y.requires_grad]


@program
def requires_grad_cannot_be_taken_from_a_computed_value(lib: Any) -> Any:
    y = lib.tensor([1.0], True) * 2
    return fails(lambda: setattr(y, "requires_grad", False))


@program
def requires_grad_may_be_switched_on_a_leaf(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    x.requires_grad = False
    first = lib.wants(x * x)
    x.requires_grad = True
    (x * x).sum().backward()
    return [first, lib.numbers(x.grad)]


@program
def gradients_accumulate_over_backwards(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    (x * x).sum().backward()
    (x * 3).sum().backward()
    return lib.numbers(x.grad)


@program
def a_value_used_many_times_gets_the_sum(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = x * x
    (y * y + y * 3 + y).sum().backward()
    return lib.numbers(x.grad)


@program
def a_diamond_twenty_deep(lib: Any) -> Any:
    x = lib.tensor(1.0, True)
    y = x
    for _ in range(20):
        y = y + y
    y.backward()
    return lib.numbers(x.grad)


@program
def one_operand_twice(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    return [lib.numbers(g) for g in lib.grad((x / x + x * x - x).sum(), [x])]


@program
def backward_from_several_outputs(lib: Any) -> Any:
    x, y = lib.tensor([1.0, 2.0], True), lib.tensor([3.0, 4.0], True)
    a, b = x * y, x + y
    lib.backward([a, b], [lib.tensor([1.0, 10.0]), lib.tensor([100.0, 1000.0])])
    return [lib.numbers(x.grad), lib.numbers(y.grad)]


@program
def one_output_depends_on_the_other(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = x * x
    z = y * 3
    lib.backward([y, z], [lib.tensor([1.0]), lib.tensor([1.0])])
    return lib.numbers(x.grad)


@program
def grad_by_an_intermediate_value(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = x * x
    z = (y * y * x).sum()
    return [lib.numbers(g) for g in lib.grad(z, [y, x])]


@program
def grad_of_an_output_by_itself(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    y = x * x
    return [lib.numbers(g) for g in lib.grad(y, [y])]


@program
def grad_asks_for_one_input_twice(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    return [lib.numbers(g) for g in lib.grad(x * x, [x, x])]


@program
def grad_leaves_grad_alone(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    lib.grad(x * x, [x])
    return x.grad is None


@program
def an_unused_input_is_an_error(lib: Any) -> Any:
    x, z = lib.tensor(2.0, True), lib.tensor(3.0, True)
    return fails(lambda: lib.grad(x * x, [x, z]))


@program
def an_unused_input_is_none_if_allowed(lib: Any) -> Any:
    x, z = lib.tensor(2.0, True), lib.tensor([3.0], True)
    return [lib.numbers(g) for g in lib.grad(x * x, [x, z], allow_unused=True)]


@program
def an_unused_input_is_zeros_if_materialized(lib: Any) -> Any:
    x, z = lib.tensor(2.0, True), lib.tensor([3.0, 4.0], True)
    return [lib.numbers(g) for g in lib.grad(x * x, [x, z], materialize_grads=True)]


@program
def materialize_grads_contradicts_allow_unused_false(lib: Any) -> Any:
    x, z = lib.tensor(2.0, True), lib.tensor([3.0, 4.0], True)
    return fails(lambda: lib.grad(x * x, [x, z], materialize_grads=True, allow_unused=False))


@program
def an_input_without_gradient_is_an_error(lib: Any) -> Any:
    x, c = lib.tensor(2.0, True), lib.tensor(3.0)
    return fails(lambda: lib.grad(x * c, [c]))


@program
def an_output_without_gradient_is_an_error(lib: Any) -> Any:
    x, c = lib.tensor(2.0, True), lib.tensor(3.0)
    return fails(lambda: lib.grad(c * c, [x]))


@program
def grad_of_a_vector_needs_seeds(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    return fails(lambda: lib.grad(x * x, [x]))


@program
def backward_of_a_vector_without_seeds(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    return fails(lambda: (x * x).backward()) or lib.numbers(x.grad)


@program
def grad_of_one_element_of_one_axis_without_seeds(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    return fails(lambda: lib.grad(x * x, [x]))


@program
def a_seed_of_the_wrong_shape_is_an_error(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    return [fails(lambda: lib.grad(x * x, [x], lib.ones(3))), fails(lambda: lib.grad(x * x, [x], lib.ones(1)))]


@program
def seeds_scale_the_rows(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    return [lib.numbers(g) for g in lib.grad(x * x, [x], lib.tensor([1.0, -1.0]))]


@program
def a_second_backward_is_an_error(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = (x * x).sum()
    y.backward()
    return fails(lambda: y.backward())


@program
def a_second_backward_through_sums_needs_nothing_saved(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = x + x
    seed = lib.ones(1)
    y.backward(seed)
    y.backward(seed)
    return lib.numbers(x.grad)


@program
def retain_graph_gives_the_same_again(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    y = (x * x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    return lib.numbers(x.grad)


@program
def a_shared_part_is_released_by_the_first_backward(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    shared = x.exp()
    first, second = (shared * 2).sum(), (shared * 3).sum()
    first.backward()
    return fails(lambda: second.backward())


@program
def create_graph_retains_by_itself(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    y = x * x * x
    first = lib.grad(y, [x], create_graph=True)[0]
    again = lib.grad(y, [x])[0]
    return [lib.numbers(first), lib.numbers(again), lib.wants(first), lib.wants(again)]


@program
def higher_orders_of_a_power(lib: Any) -> Any:
    x = lib.tensor(1.5, True)
    y = x**4
    found = []
    for _ in range(5):
        y = lib.grad(y, [x], create_graph=True)[0]
        found.append(lib.numbers(y))
        if not lib.wants(y):
            break
    return found[:4]


@program
def higher_orders_of_a_sine(lib: Any) -> Any:
    x = lib.tensor(0.7, True)
    y = x.sin()
    found = []
    for _ in range(6):
        y = lib.grad(y, [x], create_graph=True)[0]
        found.append(lib.numbers(y))
    return found


@program
def mixed_second_derivatives(lib: Any) -> Any:
    x, y = lib.tensor(2.0, True), lib.tensor(3.0, True)
    gx, gy = lib.grad(x * x * y + y.exp() * x, [x, y], create_graph=True)
    return [lib.numbers(g) for g in (*lib.grad(gx, [x, y], retain_graph=True), *lib.grad(gy, [x, y]))]


@program
def a_gradient_penalty_trains(lib: Any) -> Any:
    w, x = lib.tensor([[1.0, -2.0], [0.5, 3.0]], True), lib.tensor([0.3, 0.7], True)
    y = (w @ x).tanh().sum()
    g = lib.grad(y, [x], create_graph=True)[0]
    ((g * g).sum() + y).backward()
    return [lib.numbers(w.grad), lib.numbers(x.grad)]


@program
def a_double_backward_accumulates_into_leaves(lib: Any) -> Any:
    x = lib.tensor(3.0, True)
    y = x * x * x
    y.backward(create_graph=True)
    first = lib.numbers(x.grad)
    x.grad.backward()
    return [first, lib.numbers(x.grad)]


@program
def the_gradient_of_a_seed(lib: Any) -> Any:
    x, v = lib.tensor([2.0, 3.0], True), lib.tensor([1.0, 1.0], True)
    g = lib.grad(x * x * x, [x], v, create_graph=True)[0]
    return lib.numbers(lib.grad(g.sum(), [v])[0])


@program
def backward_into_chosen_inputs_only(lib: Any) -> Any:
    x, y = lib.tensor(2.0, True), lib.tensor(3.0, True)
    (x * y).backward(inputs=[x])
    return [lib.numbers(x.grad), y.grad is None]


@program
def backward_into_a_computed_value(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    y = x * x
    (y * 3).backward(inputs=[y])
    return [lib.numbers(y.grad), x.grad is None]


@program
def backward_into_no_inputs_is_an_error(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    return fails(lambda: (x * x).backward(inputs=[]))


@program
def grad_runs_only_what_is_needed(lib: Any) -> Any:
    ran: list[str] = []
    x, y = lib.tensor(2.0, True), lib.tensor(3.0, True)
    a, b = x * x, y * y
    a.register_hook(lambda g: ran.append("a") or None)
    b.register_hook(lambda g: ran.append("b") or None)
    lib.grad(a * b, [x])
    return ran


@program
def under_no_grad_nothing_is_recorded(lib: Any) -> Any:
    x = lib.tensor([1.0], True)
    with lib.no_grad():
        y = x * 2
        inner = lib.is_grad_enabled()
    return [lib.wants(y), inner, lib.is_grad_enabled(), lib.wants(y * x)]


@program
def enable_grad_inside_no_grad(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    with lib.no_grad(), lib.enable_grad():
        y = x * x
    y.sum().backward()
    return lib.numbers(x.grad)


@program
def set_grad_enabled_is_a_call_and_a_context(lib: Any) -> Any:
    x = lib.tensor([3.0], True)
    lib.set_grad_enabled(False)
    off = lib.wants(x * x)
    lib.set_grad_enabled(True)
    with lib.set_grad_enabled(False):
        inside = lib.wants(x * x)
    return [off, inside, lib.wants(x * x)]


@program
def modes_are_given_back_after_an_error(lib: Any) -> Any:
    def broken() -> None:
        with lib.no_grad():
            raise ValueError("planted")

    return [fails(broken), lib.is_grad_enabled()]


@program
def no_grad_decorates(lib: Any) -> Any:
    @lib.no_grad()
    def double(x: Any) -> Any:
        return x * 2

    return [lib.wants(double(lib.tensor([1.0], True))), lib.is_grad_enabled()]


@program
def inference_mode_beats_enable_grad(lib: Any) -> Any:
    x = lib.tensor([1.0], True)
    with lib.inference_mode():
        first = [lib.is_grad_enabled(), lib.is_inference_mode_enabled(), lib.wants(x * 2)]
    return [first, lib.is_grad_enabled(), lib.is_inference_mode_enabled()]


@program
def enable_grad_inside_inference_mode(lib: Any) -> Any:
    x = lib.tensor([1.0], True)
    with lib.inference_mode(), lib.enable_grad():
        return lib.wants(x * 2)


@program
def a_generator_keeps_its_mode(lib: Any) -> Any:
    @lib.no_grad()
    def steps() -> Any:
        for _ in range(2):
            yield lib.is_grad_enabled()

    found = []
    for inside in steps():
        found += [inside, lib.is_grad_enabled()]
    return found


@program
def detach_cuts_the_graph(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = x * x
    (y.detach() * x).sum().backward()
    return [lib.numbers(x.grad), lib.wants(y.detach())]


@program
def a_detached_value_is_written(lib: Any) -> Any:
    x = lib.tensor([2.0], True) * 1
    d = x.detach()
    d.add_(lib.ones(1))
    return lib.numbers(x)


@program
def a_gradient_may_be_set_and_forgotten(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    x.grad = lib.tensor([10.0])
    (x * x).sum().backward()
    first = lib.numbers(x.grad)
    x.grad = None
    (x * x).sum().backward()
    return [first, lib.numbers(x.grad), fails(lambda: setattr(x, "grad", lib.ones(3)))]


@program
def the_callers_seed_is_not_written(lib: Any) -> Any:
    x, seed = lib.tensor([2.0], True), lib.ones(1)
    y = x + x
    y.backward(seed)
    y.backward(seed)
    return [lib.numbers(seed), lib.numbers(x.grad)]


@program
def siblings_do_not_share_a_gradient(lib: Any) -> Any:
    a, b = lib.tensor([1.0], True), lib.tensor([2.0], True)
    (a + b).sum().backward()
    a.grad.mul_(lib.tensor([5.0]))
    return [lib.numbers(a.grad), lib.numbers(b.grad)]


@program
def a_leaf_is_its_own_output(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    x.backward()
    return lib.numbers(x.grad)


@program
def edges_lead_to_operands_in_order(lib: Any) -> Any:
    x, c = lib.tensor([2.0], True), lib.tensor([3.0])
    y = x * 2
    record = (c * y).grad_fn
    edges = record.next_functions
    return [len(edges), edges[0][0] is None, edges[1][0] is y.grad_fn, edges[1][1]]


@program
def a_record_can_be_called(lib: Any) -> Any:
    x, y = lib.tensor([2.0], True), lib.tensor([3.0], True)
    return [lib.numbers(g) for g in (x * y).grad_fn(lib.tensor([10.0]))]


@program
def a_gradient_edge_is_a_root_and_an_input(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = x * x
    edge = lib.gradient_edge(y)
    z = (y * 3).sum()
    return [lib.numbers(g) for g in lib.grad(z, [edge])]


@program
def a_zero_size_value_has_a_zero_size_gradient(lib: Any) -> Any:
    x = lib.tensor([], True)
    (x * x).sum().backward()
    return lib.numbers(x.grad)


@program
def a_broadcast_gradient_is_summed_back(lib: Any) -> Any:
    x, y = lib.tensor(2.0, True), lib.tensor([[1.0], [2.0]], True)
    (x * y * lib.ones(2, 3)).sum().backward()
    return [lib.numbers(x.grad), lib.numbers(y.grad)]


@program
def only_the_chosen_output_of_several_is_used(lib: Any) -> Any:
    x = lib.tensor([3.0, 1.0, 2.0], True)
    first, _, last = x.unbind()
    (first * last).backward()
    return lib.numbers(x.grad)
