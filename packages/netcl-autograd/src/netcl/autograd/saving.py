"""Checkpoints: `ag.save("model.npz", {"w": w, "optimizer": optimizer.state_dict()})`, and `ag.load` gives it back.

A checkpoint is a tree of dicts, lists and tuples with nodes, Tensors, arrays, numbers, strings and None in it. A file
that ends with .npz is numpy's, one that ends with .safetensors has the format of that name. Each has the arrays under
the path that leads to them (`optimizer.state.0.momentum`), so that others can read it, and what the tree is like as
JSON. Nothing of it is executed when it is read. What stands at several places of the tree is at each of their paths,
with a note that it is one thing. A file is whole or not there: it is written beside and renamed. Both kinds carry
checksums, which are compared when a file is read.
"""

from __future__ import annotations

import glob
import json
import os
import platform
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from netcl import core
from netcl.autograd.factories import tensor
from netcl.autograd.graph.node import Node
from netcl.core.arguments import explained, kind_of
from netcl.core.errors import DeviceError, NetclError

__all__ = ["load", "save"]

_TREE = "__netcl__"
"""The name under which a file says what its tree is like."""

_TIES = "__netcl_ties__"
"""The name of the note in a .safetensors file of what is one thing; a .npz file has it beside the tree."""

_METADATA = "__metadata__"
_CHECKSUM = "__netcl_crc32__"
"""The name of a checksum in a .safetensors file, of the rest of its header and of the data; a .npz file has its own."""

_FROZEN = "frozen"
"""The kind of a leaf that requires no gradient."""

_BFLOAT16 = "bfloat16"
_PART = ".part"
_TO_SAFETENSORS = {
    "float16": "F16", "float32": "F32", "float64": "F64", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
    "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "bool": "BOOL", _BFLOAT16: "BF16",
}  # fmt: skip
_FROM_SAFETENSORS = {theirs: ours for ours, theirs in _TO_SAFETENSORS.items()}

Array = np.ndarray[Any, Any]
Arrays = dict[str, tuple[Array, str]]
"""The bits of each array (of bfloat16 as uint16), and its dtype."""


class _Content(NamedTuple):
    """What is in a file: arrays by name, the tree as JSON (of a file of others None), and what is one thing."""

    arrays: Arrays
    tree: str | None
    ties: dict[str, str]  # from the name of an array to the first name of the same one


class _Arrays:
    """The arrays of a tree that is being written."""

    def __init__(self) -> None:
        self.bits: Arrays = {}
        self.ties: dict[str, str] = {}
        self._first: dict[int, tuple[str, Any]] = {}  # by identity, beside what has it, which so stays in memory

    def put(self, value: Any, path: str) -> str:
        """Put in what stands at a path, and return its name; what is there already shares its bits."""
        name = path or "value"
        while name in self.bits or name == _TREE:
            name += "'"
        first, _ = self._first.setdefault(id(value), (name, value))
        if first != name:
            self.ties[name] = first
        self.bits[name] = _bits(value) if first == name else self.bits[first]
        return name


_OF_PYTORCH = (".pt", ".pth", ".bin", ".ckpt")


@explained
def save(path: str | Path, tree: Any) -> None:
    """Write a checkpoint; dataclasses come back as dicts of their fields, and a leaf that stands at two places as one.

    Raises NetclError for what cannot be in one, and for a file of another kind; OSError, with the path, where it cannot
    be written.
    """
    target = Path(path)
    arrays = _Arrays()
    try:
        text = json.dumps(_described(tree, "", arrays))
    except RecursionError:
        raise NetclError("save: the tree is in itself, or nested too deep; a checkpoint has each part once") from None
    write = _of_kind(target, {".npz": _write_npz, ".safetensors": _write_safetensors})
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write_beside(target, lambda file: write(file, _Content(arrays.bits, text, arrays.ties)))
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(target)) from error


def _write_beside(target: Path, write: Callable[[Any], None]) -> None:
    """Write a file beside its place and rename it. Its name begins with that of the process: parts of processes that
    were killed are deleted by the next one that writes to the same place."""
    begin = f".{target.name}.{zlib.crc32(platform.node().encode()):08x}-"
    _remove_left(target.parent, begin)
    descriptor, beside = tempfile.mkstemp(dir=target.parent, prefix=f"{begin}{os.getpid()}-", suffix=_PART)
    try:
        with open(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _remove_left(folder: Path, begin: str) -> None:
    """Delete parts of files of this machine whose process is gone."""
    for part in folder.glob(f"{glob.escape(begin)}*{_PART}"):
        process = part.name.removeprefix(begin).partition("-")[0]
        if process.isdecimal() and not _lives(int(process)):
            part.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    if os.name != "posix":  # where nothing asks without ending it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


@explained
def load(path: str | Path, queue: core.Queue | None = None) -> Any:
    """Return the tree that `save` was given: nodes as leaves, frozen ones frozen, Tensors as Tensors, arrays as arrays.

    What was one object at several places of the tree, a tied weight, is one again.
    Of a file that others have written, the arrays as Tensors, by name. Raises NetclError where it is damaged, or has an
    array that no Tensor can be made of.
    """
    source = Path(path)
    if source.suffix in _OF_PYTORCH:
        raise NetclError(
            f"load: {source.name} is written as PyTorch writes files, which only PyTorch reads; convert it there, "
            f"safetensors.torch.save_file(torch.load({source.name!r}), {source.with_suffix('.safetensors').name!r}), "
            "and load that file"
        )
    read = _of_kind(source, {".npz": _read_npz, ".safetensors": _read_safetensors})
    try:
        content = read(source)
        if content.tree is not None:
            return _built(json.loads(content.tree), content, {}, queue)
    except (FileNotFoundError, DeviceError):
        raise
    except (EOFError, KeyError, OSError, RuntimeError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise NetclError(f"load: {source} is damaged, or no checkpoint: {error}") from error
    _require_tensors(source, content.arrays)
    return {name: _made("tensor", bits, dtype, queue) for name, (bits, dtype) in content.arrays.items()}


# --- trees ------------------------------------------------------------------------------------------------------------


def _described(tree: Any, path: str, arrays: _Arrays) -> Any:
    """What a tree is like, as JSON; its arrays are put among the others under their paths."""
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return {"value": tree}
    if isinstance(tree, np.generic):
        return {"value": tree.item()}
    if isinstance(tree, Mapping):
        for key in tree:
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                raise NetclError(f"save: {_shown(path)} has the key {key!r}; keys are strings or whole numbers")
        return {"dict": [[key, _described(each, _joined(path, key), arrays)] for key, each in tree.items()]}
    if isinstance(tree, (list, tuple)):
        kind = "tuple" if isinstance(tree, tuple) else "list"
        return {kind: [_described(each, _joined(path, at), arrays) for at, each in enumerate(tree)]}
    if is_dataclass(tree) and not isinstance(tree, type):
        return _described({each.name: getattr(tree, each.name) for each in fields(tree)}, path, arrays)
    if isinstance(tree, (Node, core.Tensor, np.ndarray)):
        if isinstance(tree, np.ndarray) and tree.dtype.name not in _TO_SAFETENSORS:
            raise NetclError(f"save: {_shown(path)} is an array of {tree.dtype}, which no checkpoint has")
        return {_kind_of(tree): arrays.put(tree, path)}
    raise NetclError(
        f"save: {_shown(path)} is {kind_of(tree)}; a checkpoint has dicts, lists and tuples of nodes, Tensors, arrays, "
        "numbers, strings and None (of an optimizer or an EMA, its state_dict())"
    )


def _built(said: Mapping[str, Any], content: _Content, made: dict[str, Any], queue: core.Queue | None) -> Any:
    """The tree, or a part of it; `made` has by their first names the values that are there already."""
    ((kind, what),) = said.items()
    if kind == "value":
        return what
    if kind == "dict":
        return {key: _built(each, content, made, queue) for key, each in what}
    if kind in ("list", "tuple"):
        found = [_built(each, content, made, queue) for each in what]
        return tuple(found) if kind == "tuple" else found
    first = content.ties.get(what, what)
    if first not in made:
        made[first] = _made(kind, *content.arrays[first], queue)
    return made[first]


def _kind_of(value: Any) -> str:
    """What a value is when it comes back; a leaf without a gradient may get one again, so it stays a leaf."""
    if isinstance(value, np.ndarray):
        return "array"
    if isinstance(value, Node) and core.dtypes.is_float(value.dtype):
        return "leaf" if value.requires_grad else _FROZEN
    return "tensor"


def _bits(value: Any) -> tuple[Array, str]:
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value).reshape(value.shape), value.dtype.name
    value = value.detach()
    host = value.to_host()
    if value.dtype is core.bfloat16:
        return core.dtypes.rounded(host).view(np.uint16), _BFLOAT16
    return host, host.dtype.name


def _made(kind: str, bits: Array, dtype: str, queue: core.Queue | None) -> Any:
    if kind == "array":
        return bits
    host = core.dtypes.widened(bits.view(core.bfloat16)) if dtype == _BFLOAT16 else bits
    value = tensor(host, requires_grad=kind == "leaf", dtype=dtype, queue=queue)
    return Node(value) if kind == _FROZEN else value


def _joined(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _shown(path: str) -> str:
    return path or "the value"


# --- files ------------------------------------------------------------------------------------------------------------


def _of_kind(path: Path, kinds: Mapping[str, Any]) -> Any:
    try:
        return kinds[path.suffix]
    except KeyError:
        raise NetclError(f"{path.name} ends with neither .npz nor .safetensors, which say how it is written") from None


def _require_tensors(source: Path, arrays: Arrays) -> None:
    """Refuse what others may have in a file that is sound, and no Tensor has."""
    known = [core.dtypes.name_of(each) for each in core.dtypes.SUPPORTED]
    reader = "np.load" if source.suffix == ".npz" else "the package safetensors"
    for name, (_, dtype) in arrays.items():
        if dtype not in known:
            raise NetclError(
                f"load makes no Tensor of {name!r} in {source.name}, which is {dtype}; write it as an array of one of "
                f"{', '.join(known)}, or read the file with {reader}"
            )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_npz(file: Any, content: _Content) -> None:
    dtypes = {name: dtype for name, (_, dtype) in content.arrays.items() if dtype == _BFLOAT16}
    said = json.dumps({"tree": content.tree, "dtypes": dtypes, "ties": content.ties}).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, bits in (
            (_TREE, np.frombuffer(said, np.uint8)),
            *((name, bits) for name, (bits, _) in content.arrays.items()),
        ):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, bits, allow_pickle=False)


def _read_npz(path: Path) -> _Content:
    with open(path, "rb") as opened:
        if not zipfile.is_zipfile(opened):
            raise ValueError("it is no zip archive of arrays, as np.savez writes them")
        opened.seek(0)
        with np.load(opened, allow_pickle=False) as file:
            found = {name: _read_member(file, name) for name in file.files}
    said = json.loads(found.pop(_TREE)[0].tobytes()) if _TREE in found else {"tree": None, "dtypes": {}}
    arrays = {name: (bits, said["dtypes"].get(name, dtype)) for name, (bits, dtype) in found.items()}
    return _Content(arrays, said["tree"], said.get("ties", {}))


def _read_member(file: Any, name: str) -> tuple[Array, str]:
    """An array and its dtype; of what has no values that are read, what it is."""
    try:
        found: Any = file[name]
    except ValueError as error:
        if "allow_pickle" not in str(error):  # which numpy names where an array has objects
            raise
        return np.empty(0), "an array of Python objects"
    if not isinstance(found, np.ndarray):
        return np.empty(0), "no array"
    return found, "an array of texts" if found.dtype.kind in "SU" else found.dtype.name


def _write_safetensors(file: Any, content: _Content) -> None:
    ties = {_TIES: json.dumps(content.ties)} if content.ties else {}
    header: dict[str, Any] = {_METADATA: {_TREE: content.tree, **ties}}
    end = 0
    for name, (bits, dtype) in content.arrays.items():
        begin, end = end, end + bits.nbytes
        header[name] = {"dtype": _TO_SAFETENSORS[dtype], "shape": bits.shape, "data_offsets": [begin, end]}
    header[_METADATA][_CHECKSUM] = _checksum(header, (_stored(bits) for bits, _ in content.arrays.values()))
    written = json.dumps(header).encode()
    written += b" " * (-len(written) % 8)
    file.write(len(written).to_bytes(8, "little") + written)
    for bits, _ in content.arrays.values():
        file.write(_stored(bits))


def _stored(bits: Array) -> bytes:
    return bits.astype(bits.dtype.newbyteorder("<"), copy=False).tobytes()


def _checksum(header: dict[str, Any], data: Iterable[bytes]) -> str:
    """Of a header without one, and of the data behind it."""
    found = zlib.crc32(json.dumps(header).encode())
    for each in data:
        found = zlib.crc32(each, found)
    return f"{found:08x}"


def _read_safetensors(path: Path) -> _Content:
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    if not 0 < length <= len(content) - 8:
        raise ValueError("it does not begin with the length of its header")
    try:
        header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    except ValueError:
        raise ValueError("its header is no JSON") from None
    due = header.get(_METADATA, {}).pop(_CHECKSUM, None)  # files of others have none
    if due is not None and due != _checksum(header, [data]):
        raise ValueError("its checksum is another one")
    metadata = header.pop(_METADATA, {})
    whole = max((each["data_offsets"][1] for each in header.values()), default=0)
    if whole < len(data):
        raise ValueError(f"{len(data) - whole} bytes stand behind its end")
    arrays = {}
    for name, each in header.items():
        dtype = _FROM_SAFETENSORS.get(each["dtype"])
        begin, end = each["data_offsets"]
        if not 0 <= begin <= end <= len(data):
            raise ValueError(f"{name} lies beyond the end of the file")
        if dtype is None:  # float8, complex numbers: sound, but nothing that is made here
            arrays[name] = (np.empty(0), str(each["dtype"]))
            continue
        stored = np.dtype("uint16" if dtype == _BFLOAT16 else dtype)
        bits = np.frombuffer(data[begin:end], stored.newbyteorder("<")).reshape(each["shape"])
        arrays[name] = (bits.astype(stored), dtype)
    return _Content(arrays, metadata.get(_TREE), json.loads(metadata.get(_TIES, "{}")))
