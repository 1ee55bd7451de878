#!/usr/bin/env python3
"""Calls of XLA's CPU plugin from Java beside those of JAX, in turns.

    mvn -ntp -q -Dquick -DskipTests package
    PYTHON-WITH-JAX benchmarks/pjrt.py PLUGIN.so [--model MODEL.hlo.txt] [--rounds 7] [--only REGEX]
        [--same]

Prints a Markdown table: the minimum over the rounds and the median of each in microseconds, and the ratios of
both, hlo4j's time over JAX's. Both processes have all processors, and rest while the other one is timed.
With --same, JAX runs on the plugin, too, so that its XLA is the same; else on its own CPU client.
Floats of the model are weights, which hlo4j binds and JAX has on the device; the others go there for each run.
"""
import argparse
import glob
import os
import pathlib
import re
import statistics
import subprocess
import time

import jax
import numpy as np
from jaxlib import _hlo, _jax

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = 51


def times(run):
    """Returns the minimum and the median of some samples."""
    def micros(count):
        start = time.perf_counter()
        for _ in range(count):
            run()
        return (time.perf_counter() - start) * 1e6 / count
    end, once = time.perf_counter() + 0.5, 1e9
    while time.perf_counter() < end:
        once = min(once, micros(1))
    batch = int(max(1, min(5000, 500 / once)))
    samples = [micros(batch) for _ in range(int(max(3, min(SAMPLES, 3e6 / once))))]
    return min(samples), statistics.median(samples)


def runs(model):
    plus_one = jax.jit(lambda x: x + 1)
    host = np.random.default_rng(1).standard_normal(8).astype(np.float32)
    x = jax.device_put(host)
    a = jax.device_put(np.random.default_rng(1).standard_normal((1024, 1024)).astype(np.float32))
    product = jax.jit(lambda a, b: a @ b)
    array = np.random.default_rng(1).standard_normal(16 << 20).astype(np.float32)
    on_device = jax.device_put(array)
    into = np.zeros_like(array)
    all_runs = {
        'x + 1, on the device': lambda: plus_one(x).block_until_ready(),
        'x + 1, not awaited': lambda: plus_one(x),
        'x + 1, from and to the host': lambda: plus_one(x).block_until_ready(),
        'x + 1, evaluator': lambda: np.asarray(plus_one(host)),
        'matmul 1024': lambda: product(a, a).block_until_ready(),
        '64 MB copied': lambda: np.copyto(into, array),
        '64 MB to reused memory of the host': lambda: np.copyto(into, on_device),
        '64 MB to the device': lambda: jax.device_put(array).block_until_ready(),
    }
    if model:
        all_runs['model, bound weights'] = whole(model)
    return all_runs


def whole(model):
    """A run of a model, its integers and booleans from the host each time."""
    module = _hlo.hlo_module_from_text(model.read_text())
    mlir = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    devices = tuple(jax.devices()[:1])
    program = devices[0].client.compile_and_load(mlir, _jax.DeviceList(devices))
    entry = re.search(r'entry_computation_layout=\{\((.*?)\)->', module.to_string(), re.S).group(1)
    random = np.random.default_rng(1)
    values = []
    for name, sizes in re.findall(r'(\w+)\[([\d,]*)\]', entry):
        dims = [int(size) for size in sizes.split(',') if size]
        if name == 'f32':
            values.append(jax.device_put(random.standard_normal(dims, dtype=np.float32)))
        else:
            values.append(random.integers(0, 2, dims).astype(np.bool_ if name == 'pred' else np.int32))

    def run():
        given = [jax.device_put(v) if isinstance(v, np.ndarray) else v for v in values]
        for result in program.execute(given):
            np.asarray(result)
    return run


def java(plugin, model):
    classes = [str(path) for path in ROOT.glob('*/target/classes')]
    jars = glob.glob(os.path.expanduser('~/.m2/repository/com/google/**/*.jar'), recursive=True)
    home = os.environ.get('JAVA_HOME')
    command = [str(pathlib.Path(home) / 'bin/java') if home else 'java', '-Xmx6g', '--enable-native-access=ALL-UNNAMED',
               '-cp', ':'.join(classes + [jar for jar in jars if re.search(r'(guava|failureaccess|gson)-\d', jar)]),
               'org.hlo4j.benchmarks.PjrtBenchmark', plugin] + ([str(model)] if model else [])
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('plugin')
    parser.add_argument('--model', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--only', default='.*', help='a pattern of rows')
    parser.add_argument('--same', action='store_true', help='JAX on the plugin, not on its own client')
    options = parser.parse_args()
    if options.same:
        os.environ['PJRT_NAMES_AND_LIBRARY_PATHS'] = 'plugin:' + options.plugin
        os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
        jax.config.update('jax_platforms', 'plugin')
    ours = java(options.plugin, options.model)
    theirs = runs(options.model)
    print(f'load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, {options.rounds} rounds,'
          f' jax {jax.__version__}\n')
    print('| what | hlo4j µs, min / median | JAX µs, min / median | hlo4j / JAX |\n|---|---:|---:|---:|')
    for name, run in theirs.items():
        if not re.search(options.only, name):
            continue
        mine, other = [], []
        for _ in range(options.rounds):
            ours.stdin.write(name + '\n')
            ours.stdin.flush()
            mine.append([float(number) for number in ours.stdout.readline().split()])
            other.append(times(run))
        cells = [(min(x for x, _ in all), statistics.median(y for _, y in all)) for all in (mine, other)]
        row = ' | '.join(f'{low:,.1f} / {middle:,.1f}' for low, middle in cells)
        ratios = ' / '.join(f'{a / b:.2f}' for a, b in zip(*cells))
        print(f'| {name} | {row} | {ratios} |', flush=True)
    print(f'\nload {os.getloadavg()[0]:.1f} at the end')
    ours.stdin.close()
    ours.wait()


if __name__ == '__main__':
    main()
