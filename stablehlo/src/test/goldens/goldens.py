#!/usr/bin/env python3
"""Records how XLA converts the programs of ../resources/org/hlo4j/stablehlo/xla/*.cases.

    PYTHON goldens.py [FILE...]      PYTHON has JAX 0.10: python3 -m venv v && v/bin/pip install jax

A case is a line "=== name", a program, a line "--- XLA" and what XLA makes of it; this script writes the
latter. Behind it there may be lines "--- hlo4j: why", and what we make of it where that differs. In to-hlo.cases the programs
are StableHLO and XLA's reading is HLO; in to-stablehlo.cases it is the reverse. A program that XLA refuses
has "error: ..." there. XLA's text is kept but for what XlaReadingTest would ignore anyway: the
positions of operations in the file, blank lines, and attributes that only say what is the default.

With --check TEXTS it also reports which of the texts in that file (separated by "=== name") current XLA cannot parse:
XlaReadingTest writes all that we make of the cases to such a file if asked to (-Dhlo4j.written=FILE).

The tests do not need this script; it is run by hand when cases are added or XLA is updated.
"""
import os
import pathlib
import re
import sys

import jax  # noqa: F401  (registers the dialects)
from jaxlib import _hlo, _jax
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

FOLDER = pathlib.Path(__file__).parent.parent / 'resources/org/hlo4j/stablehlo/xla'
POSITION = re.compile(r', metadata=\{source_file="-"[^}]*\}')
DEFAULTS = re.compile(
    r'mhlo\.(cross_program_prefetches = \[\]|input_output_alias = \[\]|is_dynamic = false'
    r'|use_auto_spmd_partitioning = false)(, )?')


def to_hlo(text):
    made = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    return POSITION.sub('', made.get_hlo_module().to_string())


def to_stablehlo(text):
    module = _hlo.hlo_module_from_text(text)
    with mlir.make_ir_context():
        made = ir.Module.parse(_jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto()))
        located = 'metadata=' in text or 'StackFrames' in text
        printed = made.operation.get_asm(enable_debug_info=located)
    printed = DEFAULTS.sub('', printed)
    return printed.replace(', }', '}').replace(' attributes {}', '')


def read(convert, text):
    """In a process of its own, since XLA dies of some programs."""
    from_child, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(from_child)
        with os.fdopen(to_parent, 'w') as out:
            out.write(made(convert, text))
        os._exit(0)
    os.close(to_parent)
    with os.fdopen(from_child) as result:
        got = result.read()
    os.waitpid(child, 0)
    return got or 'error: XLA dies of this program\n'


def made(convert, text):
    try:
        lines = convert(text).splitlines()
    except Exception as refusal:  # XLA's own type of exception
        return 'error: ' + ' '.join(str(refusal).split()).split(' note: ')[0][:160] + '\n'
    return '\n'.join(line for line in lines if line.strip()) + '\n'


def record(path):
    convert = to_hlo if path.name == 'to-hlo.cases' else to_stablehlo
    head, *cases = re.split(r'(?m)^=== ', path.read_text())
    out = [head]
    for case in cases:
        name, rest = case.split('\n', 1)
        ours = re.search(r'(?ms)^--- hlo4j.*', rest)
        program = re.split(r'(?m)^--- ', rest)[0]
        out.append(f'=== {name}\n{program}--- XLA\n{read(convert, program)}{ours.group(0) if ours else ""}')
    path.write_text(''.join(out))


def check(path):
    _, *texts = re.split(r'(?m)^=== ', pathlib.Path(path).read_text())
    bad = 0
    for each in texts:
        name, text = each.split('\n', 1)
        try:
            if text.lstrip().startswith('HloModule'):
                _hlo.hlo_module_from_text(text)
            else:
                with mlir.make_ir_context():
                    ir.Module.parse(text)
        except Exception as refusal:  # as above
            bad += 1
            print(name, ' '.join(str(refusal).split())[:300])
    print(len(texts) - bad, 'read,', bad, 'not')


if __name__ == '__main__':
    if sys.argv[1:2] == ['--check']:
        check(sys.argv[2])
    else:
        for each in map(pathlib.Path, sys.argv[1:]) if sys.argv[1:] else sorted(FOLDER.glob('*.cases')):
            record(each)
