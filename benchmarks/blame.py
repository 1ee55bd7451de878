#!/usr/bin/env python3
"""Whether hlo4j blame names the pass of XLA:CPU in which a fault was planted.

    mvn -ntp -q -Dquick -DskipTests package
    PYTHON-WITH-JAX benchmarks/blame.py [PROGRAMS] [--only REGEX] [--faults 1] [--keep DIR]

PROGRAMS has a folder for each program, as ../shared/programs: program.hlo.txt, inputs/0.npy, inputs/1.npy and so on.
XLA:CPU compiles each program and writes the module after each pass. hlo4j blame gets them as they are, and must
find nothing wrong. Then one instruction is changed in the module after a pass, and in all modules after it, as if
that pass were wrong: a product becomes a sum, the operands of a select are swapped, and so on. A change that
leaves the same bits, or is no valid program, is silent, and another one is tried.
Prints a Markdown table. The exit status is 1 if a fault is not named or a healthy program is blamed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HLO4J = os.environ.get('HLO4J', str(ROOT / 'bin/hlo4j'))
SECONDS = 300
COMPILE = '''
import sys
import jax
jax.config.update('jax_enable_x64', True)
from jaxlib import _hlo, _jax
device = jax.devices('cpu')[0]
module = _hlo.hlo_module_from_text(open(sys.argv[1]).read())
text = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
device.client.compile_and_load(text, _jax.DeviceList((device,)))
'''
OPERANDS = r'\((?:(%?[\w.-]+), )?(%?[\w.-]+), (%?[\w.-]+)\)'

# What a pass does wrong: a name, and what it changes in the line of an instruction.
FAULTS = [
    ('a product is a sum', r' multiply\(', ' add('),
    ('the operands of a select are swapped', r' select\((%?[\w.-]+), (%?[\w.-]+), (%?[\w.-]+)\)',
     r' select(\1, \3, \2)'),
    ('a sum is a difference', r' add\(', ' subtract('),
    ('a comparison has another direction', 'direction=LT', 'direction=GE'),
    ('a negation is lost', r' negate\(', ' copy('),
    ('a difference is the wrong way', r' subtract\((%?[\w.-]+), (%?[\w.-]+)\)', r' subtract(\2, \1)'),
    ('a quotient is the wrong way', r' divide\((%?[\w.-]+), (%?[\w.-]+)\)', r' divide(\2, \1)'),
    ('a maximum is a minimum', r' maximum\(', ' minimum('),
    ('exp(x) is exp(x) - 1', r' exponential\(', ' exponential-minus-one('),
    ('a cosine is a sine', r' cosine\(', ' sine('),
    ('tanh(x) is sin(x)', r' tanh\(', ' sine('),
    ('bits are lost', r' xor\(', ' and('),
    ('a shift goes the other way', r' shift-left\(', ' shift-right-logical('),
    ('a transform is its inverse', 'fft_type=FFT', 'fft_type=IFFT'),
    ('a product contracts another dimension', r'rhs_contracting_dims=\{0\}', 'rhs_contracting_dims={1}'),
    ('a window is mirrored', r'window=\{size=(\d+)x(\d+)', r'window={size=\1x\2 rhs_reversal=1x1'),
    ('slices begin one earlier', r'slice=\{\[1:(\d+)\]', r'slice={[0:\1]'),
    ('the order of a sort', 'direction=GT', 'direction=LE'),
    ('a transpose is lost', r' transpose\((.*), dimensions=\{1,0\}', r' copy(\1'),
    ('an or is an and', r' or\(', ' and('),
    ('an and is an or', r' and\(', ' or('),
]
NUMBERS = re.compile(r'= (f32|bf16|f16|f64|u32|s32|s8|u8|c64|c128|pred)\[')


def dumps(program, folder):
    """Returns the modules that XLA:CPU has after each pass, in order, and the original first."""
    flags = f'--xla_dump_to={folder} --xla_dump_hlo_pass_re=.* --xla_dump_large_constants'
    done = subprocess.run([sys.executable, '-c', COMPILE, str(program / 'program.hlo.txt')],
                          env={**os.environ, 'XLA_FLAGS': flags}, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().split('\n')[-1][:100])
    passes = sorted(folder.glob('*.after_*.txt'))
    number = passes[-1].name.split('.')[0] if passes else ''
    return [path for path in [*folder.glob(f'{number}.*before_optimizations.txt'), *passes]
            if path.name.startswith(number)]


def blame(folder, program):
    """Returns what hlo4j blame says of a folder of modules, and the seconds that it took."""
    inputs = sorted(program.glob('inputs/*.npy'), key=lambda path: int(path.stem))
    command = [HLO4J, 'blame', str(folder), '--format', 'json']
    for path in inputs:
        command += ['--input', str(path)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if not done.stdout.startswith('{'):
        raise ValueError((done.stdout + done.stderr).strip()[:200])
    return json.loads(done.stdout), time.monotonic() - start


def planted(modules, at, fault, folder):
    """Writes the modules with a fault in one instruction from a pass on; returns its name."""
    _, before, after = fault
    names = [re.match(r'\s*(?:ROOT )?(%?[\w.-]+) = ', line).group(1)
             for line in modules[at].read_text().split('\n')
             if ' = ' in line and re.search(before, line) and NUMBERS.search(line)]
    if not names:
        return None
    own = re.compile(r'\s*(ROOT )?' + re.escape(names[len(names) // 2]) + ' = ')
    folder.mkdir()
    for i, module in enumerate(modules):
        lines = module.read_text().split('\n')
        if i >= at:
            lines = [re.sub(before, after, line, count=1) if own.match(line) else line for line in lines]
        (folder / module.name).write_text('\n'.join(lines))
    return names[len(names) // 2]


def verdict(found, guilty):
    """Returns what was said of a planted fault: the worst verdict, and where it was first."""
    for step in found['steps']:
        if step.get('verdict') not in ('same', 'rounded', None) or 'failed' in step:
            is_named = pathlib.Path(step['file']).name == guilty
            said = step.get('verdict', 'does not end')
            return f'named, {said}' if is_named else f"another pass, {said}: {step['pass']}"
    return 'rounded'


def is_silent(module, changed, work, program):
    """Returns whether a fault leaves the same bits, or is refused as no program."""
    work.mkdir()
    (work / '1.txt').write_text(module.read_text())
    (work / '2.txt').write_text(changed.read_text())
    try:
        step = blame(work, program)[0]['steps'][-1]
        return step.get('verdict') == 'same' or 'passedOver' in step or step['file'].endswith('1.txt')
    except ValueError:
        return True


def plant(program, modules, work, number, first):
    """Plants faults until one changes a bit; returns its row and how many did not."""
    at = len(modules) * (2 + number) // 5
    silent = 0
    for i in range(len(FAULTS)):
        fault = FAULTS[(first + i) % len(FAULTS)]
        folder = work / f'planted{number}.{i}'
        name = planted(modules, at, fault, folder)
        if name is None:
            continue
        if is_silent(modules[at], folder / modules[at].name, work / f'pair{number}.{i}', program):
            silent += 1
            continue
        found, seconds = blame(folder, program)
        place = re.sub(' = .*', '', found.get('located', {}).get('instruction', ''))
        return silent, (program.name, re.sub(r'^.*?\.\d+\.', '', modules[at].name)[:-4], f'{fault[0]}: {name}',
                        verdict(found, modules[at].name), place, f'{seconds:.1f}')
    return silent, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('programs', nargs='?', type=pathlib.Path, default=ROOT.parent / 'shared/programs')
    parser.add_argument('--only', default='')
    parser.add_argument('--faults', type=int, default=1)
    parser.add_argument('--keep', type=pathlib.Path)
    args = parser.parse_args()
    counts = {'healthy': 0, 'blamed': 0, 'named': 0, 'not named': 0, 'silent': 0, 'not compiled': 0}
    print('| program | pass | fault | blame | instruction | s |\n|---|---|---|---|---|---|')
    folders = [path.parent for path in sorted(args.programs.glob('*/program.hlo.txt'))]
    with tempfile.TemporaryDirectory() as temporary:
        for at, program in enumerate(path for path in folders if re.search(args.only, path.name)):
            work = (args.keep or pathlib.Path(temporary)) / program.name
            (work / 'dump').mkdir(parents=True)
            try:
                modules = dumps(program, work / 'dump')
            except ValueError as problem:  # such as a program for several devices
                counts['not compiled'] += 1
                print(f'| {program.name} | | | not compiled: {problem} | | |', flush=True)
                continue
            try:
                (work / 'healthy').mkdir()
                for module in modules:
                    (work / 'healthy' / module.name).write_bytes(module.read_bytes())
                found, seconds = blame(work / 'healthy', program)
                bad = [step for step in found['steps'] if 'failed' in step
                       or step.get('verdict') in ('wrong', 'unspecified', 'undecided')]
                counts['healthy'] += not bad
                counts['blamed'] += bool(bad)
                said = 'blamed: ' + str(bad[0]) if bad else f"nothing in {len(found['steps'])} modules"
                print(f'| {program.name} | | none | {said} | | {seconds:.1f} |', flush=True)
                for number in range(args.faults):
                    silent, row = plant(program, modules, work, number, at + 7 * number)
                    counts['silent'] += silent
                    if row:
                        counts['named' if row[3].startswith('named') else 'not named'] += 1
                        print('| ' + ' | '.join(row) + ' |', flush=True)
            except (ValueError, subprocess.TimeoutExpired) as problem:
                counts['not named'] += 1
                print(f'| {program.name} | | | {problem} | | |', flush=True)
    print('\n' + ', '.join(f'{name} {count}' for name, count in counts.items()))
    return counts['blamed'] + counts['not named'] > 0


if __name__ == '__main__':
    sys.exit(main())
