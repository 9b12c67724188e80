"""Programs about views, writes in place, and the versions of saved values."""

from __future__ import annotations

from typing import Any

from libraries import fails, program


def matrix(lib: Any) -> tuple[Any, Any]:
    """A leaf, and a computed value that may be written."""
    x = lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], True)
    return x, x * 2


def both(lib: Any, *xs: Any) -> Any:
    return [lib.numbers(x.grad) for x in xs]


@program
def a_row_is_written_through_a_view(lib: Any) -> Any:
    x, y = matrix(lib)
    w = lib.tensor([10.0, 20.0, 30.0], True)
    y[0].mul_(w)
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x, w)]


@program
def a_write_to_the_base_is_seen_by_an_older_view(lib: Any) -> Any:
    x, y = matrix(lib)
    row = y[1]
    y.mul_(lib.tensor([[2.0], [3.0]]))
    (row * row).sum().backward()
    return [lib.numbers(row), *both(lib, x)]


@program
def a_write_through_one_view_is_seen_by_another(lib: Any) -> Any:
    x, y = matrix(lib)
    first, second = y[0], y.reshape(6)
    first.add_(lib.tensor([1.0, 1.0, 1.0]))
    first.mul_(lib.tensor([2.0, 2.0, 2.0]))
    (second * second).sum().backward()
    return [lib.numbers(second), *both(lib, x)]


@program
def a_view_of_a_view_is_written(lib: Any) -> Any:
    x, y = matrix(lib)
    w = lib.tensor([5.0], True)
    y[:, 1:][1][:1].mul_(w)
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x, w)]


@program
def a_transposed_view_is_written(lib: Any) -> Any:
    x, y = matrix(lib)
    w = lib.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], True)
    lib.permute(y, 1, 0).mul_(w)
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x, w)]


@program
def a_strided_view_is_written(lib: Any) -> Any:
    x, y = matrix(lib)
    y[:, ::2].mul_(lib.tensor([[2.0, 3.0], [4.0, 5.0]]))
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x)]


@program
def an_item_is_assigned(lib: Any) -> Any:
    x, y = matrix(lib)
    w = lib.tensor([7.0, 8.0, 9.0], True)
    y[0] = w
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x, w)]


@program
def a_number_is_assigned(lib: Any) -> Any:
    x, y = matrix(lib)
    y[:, 1] = 0.0
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x)]


@program
def an_assigned_value_is_broadcast(lib: Any) -> Any:
    x, y = matrix(lib)
    w = lib.tensor(3.0, True)
    y[1] = w
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x, w)]


@program
def an_item_is_assigned_into_zeros(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    y = lib.leaf_of(lib.zeros(3))
    y[:2] = x * x
    (y * lib.tensor([1.0, 10.0, 100.0])).sum().backward()
    return [lib.numbers(y), *both(lib, x)]


@program
def a_part_is_overwritten_with_another_part(lib: Any) -> Any:
    x, y = matrix(lib)
    y[0] = y[1] * 2
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x)]


@program
def writes_accumulate_in_a_loop(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0, 3.0, 4.0], True)
    y = x * 1
    for i in range(3):
        y[i + 1 : i + 2].mul_(y[i : i + 1] * 1)
    y.sum().backward()
    return [lib.numbers(y), *both(lib, x)]


@program
def a_write_gives_the_value_written_back(lib: Any) -> Any:
    x, y = matrix(lib)
    z = y.add_(lib.ones(2, 3))
    return [z is y, lib.numbers(y), y.is_leaf, lib.wants(z), lib.numbers(x)]


@program
def a_value_without_gradient_gets_one_by_a_write(lib: Any) -> Any:
    w = lib.tensor([2.0], True)
    y = lib.leaf_of(lib.ones(1))
    y.mul_(w)
    wants = lib.wants(y)
    y.sum().backward()
    return [wants, *both(lib, w)]


@program
def a_leaf_may_not_be_written(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    return [fails(lambda: x.add_(lib.ones(2))), fails(lambda: x[0:1].add_(lib.ones(1))), lib.numbers(x)]


@program
def a_leaf_may_be_written_under_no_grad(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], True)
    with lib.no_grad():
        x.add_(lib.ones(2))
    (x * x).sum().backward()
    return [lib.numbers(x), *both(lib, x)]


@program
def a_saved_input_that_was_written_is_an_error(lib: Any) -> Any:
    _x, y = matrix(lib)
    z = (y * y).sum()
    y.add_(lib.ones(2, 3))
    return fails(lambda: z.backward())


@program
def a_saved_output_that_was_written_is_an_error(lib: Any) -> Any:
    _x, y = matrix(lib)
    z = y.exp()
    s = (z * 1).sum()
    z.add_(lib.ones(2, 3))
    return fails(lambda: s.backward())


@program
def a_write_through_a_view_is_found_out(lib: Any) -> Any:
    _x, y = matrix(lib)
    z = (y * y).sum()
    y[0].add_(lib.ones(3))
    return fails(lambda: z.backward())


@program
def a_write_to_the_base_of_a_saved_view_is_found_out(lib: Any) -> Any:
    _x, y = matrix(lib)
    row = y[0]
    z = (row * row).sum()
    y.add_(lib.ones(2, 3))
    return fails(lambda: z.backward())


@program
def what_was_not_saved_may_be_written(lib: Any) -> Any:
    x, y = matrix(lib)
    z = (y + 1).sum() + (y * 3).sum()
    y.add_(lib.ones(2, 3))
    z.backward()
    return both(lib, x)


@program
def a_write_before_the_value_is_used_is_fine(lib: Any) -> Any:
    x, y = matrix(lib)
    y.mul_(lib.tensor([2.0, 2.0, 2.0]))
    y.exp().sum().backward()
    return both(lib, x)


@program
def multiplying_in_place_by_itself(lib: Any) -> Any:
    x, y = matrix(lib)
    y.mul_(y)
    return fails(lambda: y.sum().backward()) or lib.numbers(x.grad)


@program
def versions_rise_with_writes_to_base_and_views(lib: Any) -> Any:
    x, y = matrix(lib)
    row = y[0]
    found = [lib.version(y), lib.version(row)]
    row.add_(lib.ones(3))
    found += [lib.version(y), lib.version(row)]
    y.add_(lib.ones(2, 3))
    return [*found, lib.version(y), lib.version(row), lib.version(x)]


@program
def a_plain_value_may_be_written_when_it_was_not_saved(lib: Any) -> Any:
    x, c = lib.tensor([2.0], True), lib.leaf_of(lib.tensor([3.0]))
    z = (x + c).sum()
    c.add_(lib.ones(1))
    z.backward()
    return both(lib, x)


@program
def a_plain_value_that_was_saved_may_not_be_written(lib: Any) -> Any:
    x, c = lib.tensor([2.0], True), lib.tensor([3.0])
    z = (x * c).sum()
    c.add_(lib.ones(1))
    return fails(lambda: z.backward())


@program
def a_broadcast_view_may_not_be_written(lib: Any) -> Any:
    y = lib.leaf_of(lib.ones(1, 3)) if lib.name == "netcl" else lib.ones(1, 3)
    wide = y.broadcast_to((2, 3))
    return fails(lambda: wide.add_(lib.ones(2, 3)))


@program
def a_result_that_does_not_fit_may_not_be_written(lib: Any) -> Any:
    y = lib.ones(3)
    return fails(lambda: y.add_(lib.ones(2, 3)))


@program
def second_derivatives_through_a_write(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    y = x * x
    y[0:1].mul_(x[1:2])
    g = lib.grad((y * y).sum(), [x], create_graph=True)[0]
    return [lib.numbers(g), lib.numbers(lib.grad(g.sum(), [x])[0])]


@program
def a_view_made_under_no_grad_of_a_computed_value(lib: Any) -> Any:
    _x, y = matrix(lib)
    with lib.no_grad():
        row = y[0]
    return [lib.wants(row), lib.numbers(row)]


@program
def reshape_of_a_transposed_value_is_a_copy(lib: Any) -> Any:
    x, y = matrix(lib)
    flat = lib.permute(y, 1, 0).reshape(6)
    flat.add_(lib.ones(6))
    (y * y).sum().backward()
    return [lib.numbers(y), *both(lib, x)]


@program
def gradients_of_overlapping_slices_add_up(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0, 3.0, 4.0], True)
    ((x[:3] * x[1:]).sum() + (x[::2] * 10).sum() + x[-1]).backward()
    return both(lib, x)


@program
def chunks_are_views_that_may_be_read(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0, 3.0, 4.0], True)
    a, b = (x * 1).chunk(2)
    (a * b).sum().backward()
    return both(lib, x)


@program
def a_written_clone_leaves_the_original(lib: Any) -> Any:
    x, y = matrix(lib)
    z = y.clone()
    z.mul_(lib.tensor([5.0, 5.0, 5.0]))
    (y + z).sum().backward()
    return [lib.numbers(y), *both(lib, x)]
