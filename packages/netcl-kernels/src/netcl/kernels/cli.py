"""`netcl ops list | show | check | bench | doc | stub | new | fmt`: the catalogue on the command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from netcl.core import settings
from netcl.core.errors import IndexOutOfRangeError, NetclError
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Catalogue, read_text

if TYPE_CHECKING:
    from netcl.kernels.compiler.language import syntax
    from netcl.kernels.tools.check import Evaluator


def main(argv: Sequence[str] | None = None) -> int:
    """Run `netcl ops …`; 0 when all is well, 1 when a check fails or an op does not exist, 2 for wrong usage.

    A file that does not exist is wrong usage, a file without an op is a check that fails.
    """
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except NetclError as error:
        print(f"netcl ops: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    from netcl.kernels.compiler.pipeline import STAGES
    from netcl.kernels.compiler.target import NAMES as TARGETS

    parser = argparse.ArgumentParser(prog="netcl ops", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    listing = commands.add_parser("list", help="every op with its signature")
    listing.add_argument(
        "files", nargs="*", type=_existing, metavar="FILE", help="list the ops of these .netcl files instead"
    )
    listing.set_defaults(run=_list)
    showing = commands.add_parser("show", help="an op at one stage of the compiler, or at all of them")
    showing.add_argument("op", metavar="OP", help="its name")
    showing.add_argument("--stage", choices=STAGES, help="default: all")
    showing.add_argument("--target", choices=TARGETS, default="cpu", help="for which kind of device (default: cpu)")
    showing.add_argument("--file", type=_existing, help="take the op from this .netcl file")
    showing.set_defaults(run=_show)
    checking = commands.add_parser("check", help="compare declared and derived gradients with differences")
    checking.add_argument("files", nargs="*", type=_existing, metavar="FILE", help="default: the shipped ops")
    checking.add_argument("--only", nargs="+", metavar="OP", help="these ops alone")
    checking.add_argument("--no-device", action="store_true", help="only on the reference evaluator")
    checking.set_defaults(run=_check)
    measuring = commands.add_parser(
        "bench", help="the time of value and gradient beside the least this device could take"
    )
    measuring.add_argument("ops", nargs="*", metavar="OP", help="their names; default: all of the file")
    measuring.add_argument("--file", type=_existing, help="take the ops from this .netcl file")
    measuring.add_argument(
        "--elements", type=_positive, default=4_000_000, help="of the largest tensor; default: %(default)s"
    )
    measuring.set_defaults(run=_bench, wrong_usage=measuring.error)
    documenting = commands.add_parser("doc", help="the catalogue as a page in Markdown")
    documenting.add_argument("files", nargs="*", type=_existing, metavar="FILE", help="default: the installed ops")
    documenting.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write a page for each family there, with an index, and print none"
    )
    documenting.set_defaults(run=_doc)
    typing = commands.add_parser("stub", help="Python stubs of the ops of .netcl files, for editors and type checkers")
    typing.add_argument("files", nargs="+", type=_existing, metavar="FILE", help="where they are declared")
    typing.add_argument("--nodes", action="store_true", help="of the ops of netcl.autograd, which take and give Nodes")
    typing.set_defaults(run=_stub)
    starting = commands.add_parser("new", help="write a file with an op to begin with")
    starting.add_argument("name", metavar="NAME", help="of the op")
    starting.add_argument("--file", type=Path, help="default: NAME.netcl here")
    starting.set_defaults(run=_new)
    laying_out = commands.add_parser("fmt", help="lay out .netcl files; comments and docstrings stay")
    laying_out.add_argument(
        "files", nargs="+", type=_existing, metavar="FILE", help="a file, or a folder of .netcl files"
    )
    laying_out.add_argument("--check", action="store_true", help="write nothing; 1 when a file would change")
    laying_out.set_defaults(run=_fmt)
    return parser


def _existing(path: str) -> Path:
    """A file or folder that is given. Raises ArgumentTypeError, which argparse reports, where there is none."""
    if not Path(path).exists():
        raise argparse.ArgumentTypeError(f"there is no file {path}")
    return Path(path)


def _positive(text: str) -> int:
    """A number of elements. Raises ArgumentTypeError, which argparse reports, for any other text."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _list(arguments: argparse.Namespace) -> int:
    catalogue = _catalogue(arguments.files)
    width = max((len(op.name) for op in catalogue), default=0)
    for family in dict.fromkeys(catalogue.families.values()):
        print(f"{family}:")
        for op in catalogue:
            if catalogue.families[op.name] == family:
                also = f" (also {', '.join(op.also)})" if op.also else ""
                print(f"  {op.name:{width}}  {op.__signature__}  {op.summary}{also}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from netcl.kernels.tools.describe import STAGES, describe

    op = _named(_catalogue([arguments.file] if arguments.file else []), arguments.op)
    stages = [arguments.stage] if arguments.stage else STAGES
    for stage in stages:
        if len(stages) > 1:
            print(f"--- {stage} ---")
        print(describe(op, stage, arguments.target))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from netcl.kernels.tools.check import Evaluator, WrongDerivative, check_form

    machines = [Evaluator()]
    if not arguments.no_device:
        machines += _device()
    catalogue = _catalogue(arguments.files)
    wrong = 0
    for op in [_named(catalogue, name) for name in arguments.only] if arguments.only else catalogue:
        for problem in _names_taken(op) if arguments.files else ():
            wrong += 1
            print(f"{op.name}: WRONG\n{problem}", flush=True)
        points = 0
        for form in op.forms:
            try:
                points += sum([check_form(form, on=machine) for machine in machines])
            except (WrongDerivative, IndexOutOfRangeError) as error:
                wrong += 1
                print(f"{op.name}: WRONG\n{error}", flush=True)
                break
        else:
            unfit = [] if points and len(op.forms) == 1 else [form for form in op.forms if not _has_case(form)]
            if len(unfit) < len(op.forms):
                said = f"right at {points} points" if points else "nothing to differentiate"
                print(f"{op.name}: {said}", flush=True)
            for form in unfit:
                print(
                    f"{op.name}: not checked: of the sizes and numbers that were drawn none fit its conditions, at "
                    f"{form.span}; let small sizes fit, or say with `sample` what to draw for its attributes",
                    flush=True,
                )
            for form in op.forms if points else ():
                if form in unfit:
                    continue
                _warn_of_work(op, form)
    return 1 if wrong else 0


def _has_case(form: syntax.Declaration) -> bool:
    """Whether something that is drawn fits a form."""
    from netcl.kernels.tools.sampling import cases

    return next(cases(form), None) is not None


def _names_taken(op: Op) -> Iterator[str]:
    """What is wrong with each name of an op that netcl or an installed package has, unless it is from the same file."""
    from netcl.kernels.library.taken import taken
    from netcl.kernels.namespace import catalogue

    here = op.forms[0].span
    for name in (op.name, *op.also):
        other = catalogue[name].forms[0].span if name in catalogue else None
        if other is not None and _same_place(other.source.file, here.source.file):
            continue
        problem = taken(name) if other is None else f"there is an op {name} already, at {other}"
        if problem:
            yield str(here.error(f"{problem}; give this one another name"))


def _same_place(installed: str, given: str) -> bool:
    """Whether two paths end alike: a package that is installed and the sources of it."""
    return Path(installed).parts[-2:] == Path(given).resolve().parts[-2:]


def _warn_of_work(op: Op, form: syntax.Declaration) -> None:
    from netcl.kernels.tools.work import MOST, work_of_form

    work = work_of_form(form)
    if work and work.ratio > MOST:
        print(
            f"{op.name}: warning: of about {work.elements} elements the gradient takes {work.gradient} steps, "
            f"{work.ratio:.0f} times the value's; `netcl ops bench {op.name}` has the times",
            flush=True,
        )


def _bench(arguments: argparse.Namespace) -> int:
    from netcl.kernels.tools.measuring import report

    if not arguments.ops and not arguments.file:
        arguments.wrong_usage("name an op, or a file with --file")
    catalogue = _catalogue([arguments.file] if arguments.file else [])
    ops = [_named(catalogue, name) for name in arguments.ops] if arguments.ops else catalogue
    for line in report(ops, arguments.elements):
        print(line, flush=True)
    return 0


def _doc(arguments: argparse.Namespace) -> int:
    from netcl.kernels.namespace import COMPOSITES
    from netcl.kernels.tools.reference import page, pages

    catalogue, composites = _catalogue(arguments.files), {} if arguments.files else COMPOSITES
    if arguments.out is None:
        print(page(catalogue, composites), end="")
        return 0
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, text in pages(catalogue, composites).items():
        (arguments.out / name).write_text(text, encoding="utf-8")
    return 0


def _stub(arguments: argparse.Namespace) -> int:
    from netcl.kernels.tools.stubs import module_of_ops

    things = [(name, op) for op in _catalogue(arguments.files) for name in (op.name, *op.also)]
    print(module_of_ops(things, arguments.nodes), end="")
    return 0


def _device() -> list[Evaluator]:
    """The default device, if there is one, and the same with small thresholds, where a few dozen elements come to every
    schedule: memory on it is poisoned, and plans are verified."""
    from netcl.core.errors import DeviceError

    for setting in (settings.POISON, settings.VERIFY):
        os.environ.setdefault(setting.name, "1")
    try:
        from netcl.kernels.tools.device_check import Device

        return [Device(), Device(small=True)]
    except DeviceError as error:
        print(f"only on the reference evaluator: {error}")
        return []


def _new(arguments: argparse.Namespace) -> int:
    from netcl.kernels.tools.template import template

    file = arguments.file or Path(f"{arguments.name}.netcl")
    text = template(arguments.name, str(file))
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise NetclError(f"{file} exists already; name another one with --file") from None
    print(f"wrote {file}; next: netcl ops check {file}")
    return 0


def _fmt(arguments: argparse.Namespace) -> int:
    from netcl.kernels.tools.formatting import formatted

    changed = 0
    for file in _expanded(arguments.files):
        text = read_text(file)
        new = formatted(text, str(file))
        if new != text:
            changed += 1
            print(f"{'would lay out' if arguments.check else 'laid out'} {file}")
            if not arguments.check:
                file.write_text(new, encoding="utf-8")
    return 1 if changed and arguments.check else 0


def _expanded(files: Sequence[Path]) -> Iterator[Path]:
    for file in files:
        if not file.is_dir():
            yield file
            continue
        found = sorted(file.rglob("*.netcl"))
        if not found:
            os.listdir(file)  # which says so where it may not be read
            raise NetclError(f"{file}: there is no .netcl file in this folder")
        yield from found


def _named(catalogue: Catalogue, name: str) -> Op:
    """The op of this name. Raises NetclError where there is none, also for a function that is made of ops."""
    from netcl.kernels.namespace import COMPOSITES

    if name in COMPOSITES and name not in catalogue:
        raise NetclError(
            f"{name} is a function that is made of ops, and has neither a formula nor kernels of its own; "
            "docs/reference/operations/made-of-ops.md has what it does"
        )
    return catalogue[name]


def _catalogue(files: Sequence[Path]) -> Catalogue:
    if not files:
        from netcl.kernels.namespace import catalogue

        return catalogue
    loaded = Catalogue()
    for file in _expanded(files):
        if not loaded.load_text(read_text(file), str(file)):
            raise NetclError(f"{file}: no op is declared; `netcl ops new NAME` writes one")
    return loaded


if __name__ == "__main__":
    sys.exit(main())
