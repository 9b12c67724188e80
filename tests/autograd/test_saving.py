"""Checkpoints: what comes back, what is refused, and that a file is whole or not there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import NetclError

KINDS = pytest.mark.parametrize("kind", [".npz", ".safetensors"])


def same(found: Any, due: Any) -> None:
    """Whether two trees have the same containers, and the same in them."""
    assert type(found) is type(due)
    if isinstance(due, dict):
        assert list(found) == list(due)
        for key in due:
            same(found[key], due[key])
    elif isinstance(due, (list, tuple)):
        assert len(found) == len(due)
        for one, other in zip(found, due, strict=True):
            same(one, other)
    elif isinstance(due, (ag.Node, core.Tensor, np.ndarray)):
        assert found.dtype == due.dtype
        assert (
            getattr(found, "requires_grad", False) == getattr(due, "requires_grad", False) or type(due) is core.Tensor
        )
        np.testing.assert_array_equal(np.asarray(found), np.asarray(due))
    else:
        assert found == due


@KINDS
def test_what_is_saved_comes_back(tmp_path: Path, kind: str) -> None:
    random = np.random.default_rng(0)
    tree = {
        "w": ag.tensor(random.normal(size=(3, 4)), requires_grad=True, dtype="float32"),
        "layers": [{"b": ag.tensor(np.ones(2), requires_grad=True)}, ()],
        "half": core.from_host(random.normal(size=5), dtype="float16"),
        "brief": core.from_host(random.normal(size=5), dtype="bfloat16"),
        "flags": core.from_host(np.array([True, False])),
        "strided": np.arange(12).reshape(3, 4)[::-1, ::2],
        "scalar": core.from_host(np.float64(0.1)),
        "none": np.zeros((0, 3)),
        "rest": (1, 2.5, "x", None, True, float("inf"), -0.0),
        7: "a whole number",
        "file": core.ones(1),
        "allow_pickle": core.ones(1),
        "a.b": core.ones(2),
        "a": {"b": core.zeros(3)},
    }
    ag.save(tmp_path / f"new/folder/x{kind}", tree)
    same(ag.load(tmp_path / f"new/folder/x{kind}"), tree)
    for lone in (core.ones(3), 2.5, {}, []):
        ag.save(tmp_path / f"lone{kind}", lone)
        same(ag.load(tmp_path / f"lone{kind}"), lone)


@dataclass
class Tied:
    embed: Any
    rest: Any


@KINDS
def test_what_was_one_object_is_one_again(tmp_path: Path, kind: str) -> None:
    w, t, array = ag.tensor([[1.0, 2.0]], requires_grad=True), core.from_host([3.0]), np.arange(3)
    tree = {"embed": w, "deep": [Tied(w, (t, array))], "t": t, "array": array, "equal": core.from_host([3.0])}
    ag.save(tmp_path / f"tied{kind}", tree)
    found = ag.load(tmp_path / f"tied{kind}")
    assert found["embed"] is found["deep"][0]["embed"]
    assert found["embed"].requires_grad
    assert found["t"] is found["deep"][0]["rest"][0]
    assert found["t"] is not found["equal"]
    assert found["array"] is found["deep"][0]["rest"][1]


@KINDS
def test_readers_that_know_nothing_of_ties_find_each_path(tmp_path: Path, kind: str) -> None:
    w = ag.tensor([[1.0, 2.0]], requires_grad=True)
    ag.save(tmp_path / f"tied{kind}", {"embed": w, "head": w})
    read = np.load(tmp_path / "tied.npz") if kind == ".npz" else read_safetensors(tmp_path / "tied.safetensors")
    for name in ("embed", "head"):
        np.testing.assert_array_equal(read[name], [[1.0, 2.0]])


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """The float32 arrays of a file, by the description of its format alone."""
    content = path.read_bytes()
    data = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:data])
    assert all(isinstance(said, str) for said in header.pop("__metadata__").values())
    return {
        name: np.frombuffer(content, "<f4", np.prod(each["shape"]), data + each["data_offsets"][0]).reshape(
            each["shape"]
        )
        for name, each in header.items()
    }


@KINDS
def test_training_goes_on_as_if_it_had_not_stopped(tmp_path: Path, kind: str) -> None:
    def step(w: Any, optimizer: Any) -> None:
        ((w - 1.0) ** 2).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    def made(w: Any) -> tuple[Any, Any]:
        optimizer = ag.optim.Adam([{"params": {"w": w}, "lr": 0.1}])
        return optimizer, ag.optim.CosineAnnealingLR(optimizer, T_max=10)

    w = ag.tensor([3.0, -2.0], requires_grad=True)
    optimizer, schedule = made(w)
    for _ in range(3):
        step(w, optimizer)
        schedule.step()
    saved = {"w": w, "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
    ag.save(tmp_path / f"x{kind}", saved)
    loaded = ag.load(tmp_path / f"x{kind}")
    again, schedule_again = made(loaded["w"])
    again.load_state_dict(loaded["optimizer"])
    schedule_again.load_state_dict(loaded["schedule"])
    for _ in range(3):
        step(w, optimizer)
        step(loaded["w"], again)
        schedule.step()
        schedule_again.step()
    assert loaded["w"].tolist() == w.tolist()
    assert again.lr == optimizer.lr


@KINDS
@pytest.mark.parametrize("steps", [0, 2])
def test_training_goes_on_from_a_checkpoint_with_a_frozen_layer(tmp_path: Path, kind: str, steps: int) -> None:
    def train(model: dict[str, Any], optimizer: Any) -> None:
        ((model["first"] * model["last"] - 1.0) ** 2).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    model = {name: ag.tensor([3.0, -2.0], requires_grad=True) for name in ("first", "last")}
    optimizer = ag.optim.Adam(model, lr=0.1)
    for _ in range(steps):
        train(model, optimizer)
    model["first"].requires_grad = False
    train(model, optimizer)
    tree = {
        "model": model,
        "optimizer": optimizer.state_dict(),
        "again": model["first"],
        "positions": ag.Node(core.ones(1, "int32")),
    }
    ag.save(tmp_path / f"x{kind}", tree)
    saved = ag.load(tmp_path / f"x{kind}")
    loaded = saved["model"]
    assert isinstance(loaded["first"], ag.Node)
    assert [each.requires_grad for each in loaded.values()] == [False, True]
    assert saved["again"] is loaded["first"]
    assert isinstance(saved["positions"], core.Tensor)
    again = ag.optim.Adam(loaded, lr=1.0)
    again.load_state_dict(saved["optimizer"])
    for frozen in (True, False, False):
        for each in (model, loaded):
            each["first"].requires_grad = not frozen
        train(model, optimizer)
        train(loaded, again)
        for name in model:
            assert loaded[name].tolist() == model[name].tolist()


def test_numpy_reads_the_arrays_by_their_paths(tmp_path: Path) -> None:
    ag.save(tmp_path / "x.npz", {"layers": [{"w": ag.tensor([1.0, 2.0], requires_grad=True)}]})
    with np.load(tmp_path / "x.npz") as file:
        assert file["layers.0.w"].tolist() == [1, 2]


def test_a_file_of_others_gives_its_arrays_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.ones(2), b=np.arange(3))
    found = ag.load(tmp_path / "x.npz")
    assert {name: (type(each), each.tolist()) for name, each in found.items()} == {
        "a": (core.Tensor, [1, 1]),
        "b": (core.Tensor, [0, 1, 2]),
    }
    header = json.dumps({"q": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "x.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\x80\x3f\x00\x40")
    found = ag.load(tmp_path / "x.safetensors")
    assert found["q"].dtype is core.bfloat16
    assert found["q"].tolist() == [1, 2]


@KINDS
def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"x{kind}"
    ag.save(path, {"w": core.ones(3)})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=rf"No space left on device: '{re.escape(str(path))}'"):
        ag.save(path, {"w": core.zeros(3)})
    assert ag.load(path)["w"].tolist() == [1, 1, 1]
    assert os.listdir(tmp_path) == [path.name]


@KINDS
def test_a_damaged_file_says_so(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"x{kind}"
    ag.save(path, {"w": core.ones(1000), "n": 3})
    whole = path.read_bytes()
    for cut in (0, 5, len(whole) // 3, len(whole) - 40):
        path.write_bytes(whole[:cut])
        with pytest.raises(NetclError, match=f"x{kind} is damaged, or no checkpoint"):
            ag.load(path)
    with pytest.raises(FileNotFoundError):
        ag.load(tmp_path / f"nowhere{kind}")


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(
        NetclError, match=r"load makes no Tensor of 'a' in x\.npz, which is an array of Python objects; "
    ):
        ag.load(tmp_path / "x.npz")


def test_a_sound_file_of_others_is_not_called_damaged_and_the_array_that_has_no_tensor_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    for dtype, size, said in (("I16", 2, "int16"), ("U32", 4, "uint32"), ("F8_E4M3", 1, "F8_E4M3"), ("C64", 8, "C64")):
        first = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
        second = {"dtype": dtype, "shape": [1], "data_offsets": [4, 4 + size]}
        header = json.dumps({"w": first, "codes": second}).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4 + size))
        with pytest.raises(NetclError) as caught:
            ag.load(path)
        begin = (
            f"load makes no Tensor of 'codes' in x.safetensors, which is {said}; write it as an array of one of float32"
        )
        assert str(caught.value).startswith(begin)
        assert str(caught.value).endswith("or read the file with the package safetensors")
    others: dict[str, np.ndarray] = {"int8": np.ones(2, np.int8), "complex128": np.ones(2, complex)}
    for said, array in {**others, "an array of texts": np.array(["a", "b"])}.items():
        np.savez(tmp_path / "x.npz", w=np.ones(2), codes=array)
        with pytest.raises(
            NetclError, match=f"'codes' in x.npz, which is {said}; write .*, or read the file with np.load"
        ):
            ag.load(tmp_path / "x.npz")
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("notes.txt", "words")
    with pytest.raises(NetclError, match=r"'notes\.txt' in x\.npz, which is no array; write it as an array"):
        ag.load(tmp_path / "x.npz")


def test_what_is_no_archive_and_no_header_is_said_in_words_of_the_file(tmp_path: Path) -> None:
    for name, junk, said in (
        ("x.npz", b"some words", "it is no zip archive of arrays, as np.savez writes them"),
        ("x.safetensors", b"some words", "it does not begin with the length of its header"),
        ("x.safetensors", (4).to_bytes(8, "little") + b"word", "its header is no JSON"),
    ):
        (tmp_path / name).write_bytes(junk)
        with pytest.raises(NetclError, match=f"{name} is damaged, or no checkpoint: {said}"):
            ag.load(tmp_path / name)


@pytest.mark.parametrize(
    ("path", "tree", "said"),
    [
        ("x.pt", 1.0, "neither .npz nor .safetensors"),
        ("x.npz", {"o": {"a": object()}}, "o.a is .*; a checkpoint has dicts"),
        ("x.npz", [np.array(["text"])], "0 is an array of <U4"),
        ("x.npz", {1.5: 1}, "the value has the key 1.5; keys are strings"),
    ],
)
def test_what_cannot_be_saved_is_named(tmp_path: Path, path: str, tree: Any, said: str) -> None:
    with pytest.raises(NetclError, match=said):
        ag.save(tmp_path / path, tree)
    assert os.listdir(tmp_path) == []


@KINDS
def test_each_byte_that_is_another_is_found_or_changes_nothing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"x{kind}"
    tree = {"w": core.from_host(np.arange(5.0)), "n": 3, "text": "word"}
    ag.save(path, tree)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with suppress(NetclError):
            same(ag.load(path), tree)
    path.write_bytes(whole.replace(np.float64(4).tobytes(), np.float64(3).tobytes()))
    with pytest.raises(NetclError, match=f"x{kind} is damaged, or no checkpoint"):
        ag.load(path)


def test_what_stands_behind_a_file_is_refused_and_files_of_others_need_no_checksum(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    header = json.dumps({"q": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\x80\x3f")
    assert ag.load(path)["q"].tolist() == [1]
    for write in (lambda: None, lambda: ag.save(path, {"w": core.ones(3)})):
        write()
        path.write_bytes(path.read_bytes() + b"more")
        with pytest.raises(NetclError, match=r"its checksum is another one|4 bytes stand behind its end"):
            ag.load(path)


@pytest.mark.skipif(os.name != "posix", reason="whether a process lives is asked on POSIX")
@KINDS
def test_what_a_process_that_was_killed_was_writing_is_deleted_by_the_next_one(tmp_path: Path, kind: str) -> None:
    program = (
        "import os, sys\nfrom netcl import autograd as ag\n"
        "os.fsync = lambda file: os.kill(os.getpid(), 9)\nag.save(sys.argv[1], {'w': 1})"
    )
    path = tmp_path / f"a[1]{kind}"
    subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    (left,) = os.listdir(tmp_path)
    alive = tmp_path / re.sub(r"-\d+-", f"-{os.getppid()}-", left)
    alive.touch()
    ag.save(tmp_path / f"b{kind}", {"w": 2})
    assert (tmp_path / left).exists(), "it may be of a process that writes to another place"
    ag.save(path, {"w": 2})
    assert sorted(os.listdir(tmp_path)) == sorted([alive.name, path.name, f"b{kind}"])


def test_a_tree_that_is_in_itself_is_refused(tmp_path: Path) -> None:
    tree: dict[str, Any] = {}
    tree["again"] = tree
    with pytest.raises(NetclError, match="save: the tree is in itself, or nested too deep"):
        ag.save(tmp_path / "x.npz", tree)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["t.pt", "t.pth", "t.bin", "t.ckpt"])
def test_a_file_of_pytorch_says_how_it_is_converted(name: str, tmp_path: Path) -> None:
    said = rf"load: {name} .*safetensors\.torch\.save_file\(torch\.load\('{name}'\), 't\.safetensors'\)"
    with pytest.raises(core.NetclError, match=said):
        ag.load(tmp_path / name)
