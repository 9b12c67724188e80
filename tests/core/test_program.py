"""Building programs and launching kernels: arguments, threads, counts, and errors that say what to do."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from netcl import core

ARGUMENTS = (None, None, np.int64, np.float32)


@pytest.fixture
def kernel(queue: core.Queue, axpy: str) -> core.Kernel:
    return queue.program(axpy).kernel("axpy", ARGUMENTS)


def test_a_kernel_computes_with_buffers_and_numbers(kernel: core.Kernel) -> None:
    a, b = core.ones(10), core.full(10, 3.0)
    kernel.launch((10,), (1,), (a.buffer.cl, b.buffer.cl, np.int64(8), np.float32(2)))
    kernel.launch((10,), None, [a.buffer.cl, b.buffer.cl, 4, -2])
    assert a.tolist() == [1] * 4 + [7] * 4 + [1] * 2


def test_every_number_type_arrives_unchanged(queue: core.Queue) -> None:
    source = """
    #pragma OPENCL EXTENSION cl_khr_fp64 : enable
    kernel void collect(global double *out, int a, long b, uchar c, float d, double e, uint f, ulong g, short h) {
        out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h;
    }
    """
    types = (None, np.int32, np.int64, np.uint8, np.float32, np.float64, np.uint32, np.uint64, np.int16)
    values = [-5, -(2**40), 200, 0.5, 1e-300, 2**32 - 1, 2**50, -300]
    kernel = queue.program(source).kernel("collect", types)
    out = core.zeros(8, core.float64)
    kernel.launch((1,), (1,), (out.buffer.cl, *values))
    assert out.tolist() == values
    kernel.launch((1,), (1,), (out.buffer.cl, *(kind(value) for kind, value in zip(types[1:], values, strict=True))))
    assert out.tolist() == values


def test_launches_and_builds_are_counted_exactly(queue: core.Queue, kernel: core.Kernel, axpy: str) -> None:
    a = core.ones(4)
    before = core.counters()
    for _ in range(5):
        kernel.launch((4,), (1,), (a.buffer.cl, a.buffer.cl, 4, 0.0))
    assert queue.program(axpy).kernel("axpy", ARGUMENTS) is kernel
    after = core.counters()
    assert after["kernels_launched"] - before["kernels_launched"] == 5
    assert after["programs_built"] == before["programs_built"]
    assert after["programs_loaded"] == before["programs_loaded"]
    assert after["finishes"] == before["finishes"]


def test_only_waiting_counts_as_a_finish(own_queue: core.Queue) -> None:
    tensor = core.zeros(100_000, queue=own_queue)
    core.from_host([1.0], own_queue)
    assert own_queue.finish_count == 0
    tensor.to_host()
    assert own_queue.finish_count == 1
    core.synchronize(own_queue)
    assert own_queue.finish_count == 2


def test_threads_launch_one_kernel_with_arguments_of_their_own(queue: core.Queue, kernel: core.Kernel) -> None:
    results: dict[int, list[float]] = {}
    ready = threading.Barrier(4)

    def work(number: int) -> None:
        a, b = core.zeros(64), core.full(64, float(number))
        ready.wait()
        for _ in range(300):
            kernel.launch((64,), (1,), (a.buffer.cl, b.buffer.cl, 64, np.float32(number)))
        results[number] = a.tolist()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: [300.0 * number * number] * 64 for number in range(4)}


def test_threads_that_ask_for_one_new_program_build_it_once(own_queue: core.Queue, axpy: str) -> None:
    source = f"{axpy} // for one test\n"
    before = core.counters()
    programs: list[core.Program] = []
    threads = [threading.Thread(target=lambda: programs.append(own_queue.program(source))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = core.counters()
    assert len(set(map(id, programs))) == 1
    made = ("programs_built", "programs_loaded")
    assert sum(after[name] - before[name] for name in made) == 1


def test_a_launch_with_a_tensor_in_the_place_of_its_memory_says_what_to_pass(kernel: core.Kernel) -> None:
    a = core.ones(4)
    for given, kind in ((a, "Tensor"), (a.buffer, "Buffer")):
        with pytest.raises(core.DeviceError, match=rf"; argument 1 is a {kind}, pass x\.buffer\.cl of a tensor x$"):
            kernel.launch((4,), (1,), (a.buffer.cl, given, 4, 0.0))
    with pytest.raises(core.DeviceError, match=r"; argument 3 is a Tensor, pass a number$"):
        kernel.launch((4,), (1,), (a.buffer.cl, a.buffer.cl, 4, a))


def test_sizes_of_a_launch_are_tuples(kernel: core.Kernel) -> None:
    a = core.ones(4)
    with pytest.raises(TypeError, match=r"kernel 'axpy': the global size is 4; write a tuple, as in \(64,\)"):
        kernel.launch(4, 1, (a.buffer.cl, a.buffer.cl, 4, 0.0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the local size is 1; write a tuple"):
        kernel.launch((4,), 1, (a.buffer.cl, a.buffer.cl, 4, 0.0))  # type: ignore[arg-type]
    for sizes in [((4,), (0,)), ((4,), (-1,)), ((-4,), (1,)), ((4.0,), (1,)), ((4, "a"), (1, 1)), ((4,), (None,))]:
        with pytest.raises(core.DeviceError, match=r"size is .*, but it has whole numbers from"):
            kernel.launch(*sizes, (a.buffer.cl, a.buffer.cl, 4, 0.0))  # type: ignore[arg-type]
    assert a.tolist() == [1, 1, 1, 1]


def test_a_launch_over_nothing_does_nothing(kernel: core.Kernel) -> None:
    a = core.ones(1)
    before = core.counters()["kernels_launched"]
    for empty in ((0,), (4, 0), (0, 4, 4)):
        kernel.launch(empty, None, (a.buffer.cl, a.buffer.cl, 1, 1.0))
    assert a.tolist() == [1]
    assert core.counters()["kernels_launched"] == before


def test_a_source_that_does_not_compile_shows_the_line_with_a_caret_and_the_log(
    queue: core.Queue, capfd: pytest.CaptureFixture[str]
) -> None:
    source = "kernel void broken(global float *x) {\n    x[0] = undeclared_name;\n}\n"
    with pytest.raises(core.DeviceError) as caught:
        queue.program(source)
    text = str(caught.value)
    assert "line 2, column 12" in text
    assert "    2 |     x[0] = undeclared_name;\n" in text
    assert text.splitlines()[3].index("^") == text.splitlines()[2].index("undeclared_name")
    assert caught.value.source == source
    assert capfd.readouterr().err == "", "clang counts the mistakes"
    assert "undeclared_name" in (caught.value.build_log or "")


def test_a_wrong_option_is_an_error_of_the_build(queue: core.Queue) -> None:
    with pytest.raises(core.DeviceError, match="does not compile"):
        queue.program("kernel void nothing() {}", "-there-is-no-such-option")


def test_a_kernel_says_how_large_a_work_group_may_be(kernel: core.Kernel, queue: core.Queue) -> None:
    assert 1 <= kernel.max_work_group_size <= queue.device.max_work_group_size


def test_a_kernel_that_is_not_there_is_named(queue: core.Queue, axpy: str) -> None:
    with pytest.raises(core.DeviceError, match="'saxpy' is not in its program"):
        queue.program(axpy).kernel("saxpy", ())


def test_a_wrong_number_of_argument_types_is_an_error(queue: core.Queue, axpy: str) -> None:
    with pytest.raises(core.DeviceError, match="'axpy' takes 4 arguments, and 1 types"):
        queue.program(axpy).kernel("axpy", (None,))


def test_arguments_that_do_not_fit_are_errors_that_name_the_kernel(kernel: core.Kernel) -> None:
    a = core.ones(4)
    with pytest.raises(core.DeviceError, match=r"'axpy' with global size \(4,\).* takes 4 arguments, 1 were given"):
        kernel.launch((4,), (1,), (a.buffer.cl,))
    with pytest.raises(core.DeviceError, match=r"takes \(buffer, buffer, int64, float32\)"):
        kernel.launch((4,), (1,), (a.buffer.cl, a.buffer.cl, "4", 1.0))
    with pytest.raises(core.DeviceError, match=r"takes \(buffer, buffer, int64, float32\)"):
        kernel.launch((4,), (1,), (a, a, 4, 1.0))
    with pytest.raises(core.DeviceError, match=r"local size \(1000000,\) was not accepted"):
        kernel.launch((1000000,), (1000000,), (a.buffer.cl, a.buffer.cl, 4, 1.0))
    kernel.launch((4,), (1,), (a.buffer.cl, a.buffer.cl, 4, 1.0))
    assert a.tolist() == [2] * 4


def test_launching_allocates_and_waits_for_nothing(kernel: core.Kernel) -> None:
    a = core.ones(4)
    arguments = (a.buffer.cl, a.buffer.cl, 4, 0.0)
    kernel.launch((4,), (1,), arguments)
    before, stats = core.counters(), core.memory_stats()
    kernel.launch((4,), (1,), arguments)
    after = core.counters()
    assert {name for name in after if after[name] != before[name]} == {"kernels_launched"}
    assert core.memory_stats() == stats


def test_a_function_whose_name_the_preprocessor_makes_is_found(queue: core.Queue) -> None:
    # PoCL is given the declarations of the names in a source, and the whole header where that is not enough.
    source = """
    #define CALLED(first, rest) first##rest
    kernel void f(global float *x) { x[0] = CALLED(fm, a)(x[1], x[2], x[3]); }
    """
    x = core.from_host(np.array([0, 2, 3, 4], np.float32), queue)
    queue.program(source).kernel("f", (None,)).launch((1,), (1,), (x.buffer.cl,))
    assert x.tolist()[0] == 10


def test_what_the_compiler_merely_doubts_is_not_shown(capfd: pytest.CaptureFixture[str], queue: core.Queue) -> None:
    source = """
    __kernel void compare(__global int *y, __global const int *x) {
        const int value = x[get_global_id(0)];
        y[get_global_id(0)] = value == value;
    }"""
    x, y = core.zeros((3,), dtype="int32", queue=queue), core.zeros((3,), dtype="int32", queue=queue)
    program = queue.program(f"{source}\n// {time.time_ns()}")
    program.kernel("compare", (None, None)).launch((3,), (1,), (y.buffer.cl, x.buffer.cl))
    assert y.to_host().tolist() == [1, 1, 1]
    assert capfd.readouterr().err == ""
