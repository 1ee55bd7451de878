#!/usr/bin/env python3
"""Rows a second through a model in PySpark: hlo4j beside ONNX Runtime and JAX, in turns in one session.

An MLP and a small transformer with the same random weights, over a table in Parquet, in local[2] with
one thread a task; what is scored is thrown away. hlo4j runs in the JVM, the others in Python workers,
by predict_batch_udf or mapInPandas. Needs Python with the wheel of .ci/wheel and

    pip install hlo4j-*.whl pyspark==4.2.0 'pandas<3' pyarrow jax onnx onnxruntime
    benchmarks/spark.py [--rows 500000] [--rounds 5] [--models mlp,transformer] [--peers ONNX] [--cold]

Prints for each model the best and the median seconds of a job, rows a second of the best, and the
ratio of the medians to hlo4j's (above 1: hlo4j is faster). With --cold it prints the seconds of the
first job of a fresh session, which is started and has read a row before.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ['PYSPARK_PYTHON'] = sys.executable
os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES, HIDDEN, LABELS = 64, 256, 10
LENGTH, WORDS, WIDTH, HEADS, LAYERS = 16, 1000, 64, 4, 2
BATCH = 1024


def random(seed, *shape):
    scale = (1 / shape[0]) ** 0.5 if len(shape) > 1 else 0.1
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


class Mlp:
    column, sql = 'features', f'transform(sequence(1, {FEATURES}), i -> float(sin(id * i)))'
    element, shape = np.float32, [FEATURES]

    def __init__(self):
        sizes = [FEATURES, HIDDEN, HIDDEN, LABELS]
        self.w = [random(i, *pair) for i, pair in enumerate(zip(sizes, sizes[1:]))]

    def jax(self, x):
        import jax
        for w in self.w[:-1]:
            x = jax.nn.relu(x @ w)
        return jax.nn.softmax(x @ self.w[-1])

    def onnx(self, net, x):
        for w in self.w[:-1]:
            x = net('Relu', net('MatMul', x, w))
        return net('Softmax', net('MatMul', x, self.w[-1]), axis=-1)


class Transformer:
    column, sql = 'tokens', f'transform(sequence(1, {LENGTH}), i -> int(pmod(hash(id, i), {WORDS})))'
    element, shape = np.int32, [LENGTH]

    def __init__(self):
        self.words = random(1, WORDS, WIDTH) * WORDS ** 0.5
        self.layers = [[random(10 * i + k, *shape) for k, shape in enumerate(
            [(WIDTH, WIDTH)] * 4 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)])] for i in range(LAYERS)]
        self.out = random(99, WIDTH, LABELS)

    def jax(self, tokens):
        import jax
        import jax.numpy as jnp

        def norm(x):
            mean = x.mean(-1, keepdims=True)
            return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)

        def heads(x):
            return x.reshape(x.shape[0], LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

        x = jnp.asarray(self.words)[tokens]
        for q, k, v, o, up, down in self.layers:
            y = norm(x)
            scores = heads(y @ q) @ heads(y @ k).transpose(0, 1, 3, 2) * (WIDTH // HEADS) ** -0.5
            y = (jax.nn.softmax(scores) @ heads(y @ v)).transpose(0, 2, 1, 3).reshape(x.shape)
            x = x + y @ o
            x = x + jax.nn.relu(norm(x) @ up) @ down
        return jax.nn.softmax(norm(x).mean(1) @ self.out)

    def onnx(self, net, tokens):
        one, zero = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)

        def norm(x):
            return net('LayerNormalization', x, one, zero, axis=-1, epsilon=1e-5)

        def heads(x, perm=(0, 2, 1, 3)):
            split = np.array([0, LENGTH, HEADS, WIDTH // HEADS], np.int64)
            return net('Transpose', net('Reshape', x, split), perm=list(perm))

        x = net('Gather', self.words, tokens)
        for q, k, v, o, up, down in self.layers:
            y = norm(x)
            scores = net('MatMul', heads(net('MatMul', y, q)), heads(net('MatMul', y, k), (0, 2, 3, 1)))
            scores = net('Mul', scores, np.float32((WIDTH // HEADS) ** -0.5))
            y = net('MatMul', net('Softmax', scores, axis=-1), heads(net('MatMul', y, v)))
            y = net('Transpose', y, perm=[0, 2, 1, 3])
            y = net('Reshape', y, np.array([0, LENGTH, WIDTH], np.int64))
            x = net('Add', x, net('MatMul', y, o))
            x = net('Add', x, net('MatMul', net('Relu', net('MatMul', norm(x), up)), down))
        x = net('ReduceMean', norm(x), np.array([1], np.int64), keepdims=0)
        return net('Softmax', net('MatMul', x, self.out), axis=-1)


MODELS = {'mlp': Mlp, 'transformer': Transformer}


def exported(model):
    import jax
    from jax import export
    sizes = ', '.join(['b', *map(str, model.shape)])
    argument = jax.ShapeDtypeStruct(export.symbolic_shape(sizes), model.element)
    return export.export(jax.jit(model.jax), platforms=['cpu'])(argument).serialize()


def as_onnx(model):
    nodes, weights = [], []

    def net(op, *inputs, **attributes):
        names = []
        for value in inputs:
            if not isinstance(value, str):
                weights.append(numpy_helper.from_array(np.asarray(value), f'w{len(weights)}'))
                value = weights[-1].name
            names.append(value)
        nodes.append(helper.make_node(op, names, [f'v{len(nodes)}'], **attributes))
        return nodes[-1].output[0]

    result = model.onnx(net, 'x')
    kind = TensorProto.INT32 if model.element == np.int32 else TensorProto.FLOAT
    graph = helper.make_graph(
        nodes, 'g', [helper.make_tensor_value_info('x', kind, ['b', *model.shape])],
        [helper.make_tensor_value_info(result, TensorProto.FLOAT, ['b', LABELS])], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 18)], ir_version=10)
    return made.SerializeToString()


def onnx_function(data):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=['CPUExecutionProvider'])
    return lambda x: session.run(None, {'x': x})[0]


def jax_function(data):
    import jax
    from jax import export
    call = jax.jit(export.deserialize(data).call)

    def padded(x):  # a size of its own would be compiled for the last batch of each task
        full = x if len(x) == BATCH else np.concatenate([x, np.repeat(x[:1], BATCH - len(x), 0)])
        return np.asarray(call(full))[:len(x)]

    return padded


class Cached:
    """One function for each worker: workers are reused, closures are read anew for each task."""
    functions = {}

    @classmethod
    def get(cls, name, make, data):
        if name not in cls.functions:
            cls.functions[name] = make(data)
        return cls.functions[name]


def hlo4j_job(table, model, name):
    from hlo4j.spark import HloTransformer
    stage = HloTransformer(model=exported(model), feed=[model.column], fetch=['p'], batchSize=BATCH)
    return lambda: stage.transform(table)


def batch_udf_job(make, data_of):
    def job(table, model, name):
        from pyspark.ml.functions import predict_batch_udf
        from pyspark.sql.types import ArrayType, FloatType
        data, make_function, shape = data_of(model), make, model.shape

        def predictor():
            return make_function(data)

        udf = predict_batch_udf(predictor, return_type=ArrayType(FloatType()), batch_size=BATCH,
                                input_tensor_shapes=[shape])
        return lambda: table.withColumn('p', udf(model.column))
    return job


def map_job(make, data_of):
    def job(table, model, name):
        data, column, key = data_of(model), model.column, f'{name} {make.__name__}'

        def rows(frames):
            function = Cached.get(key, make, data)
            for frame in frames:
                x = np.stack(frame[column].to_numpy())
                parts = [function(x[i:i + BATCH]) for i in range(0, len(x), BATCH)]
                frame['p'] = list(np.concatenate(parts))
                yield frame

        schema = table.schema.simpleString()[7:-1] + ', p: array<float>'
        return lambda: table.mapInPandas(rows, schema)
    return job


JOBS = {
    'hlo4j': hlo4j_job,
    'ONNX Runtime, predict_batch_udf': batch_udf_job(onnx_function, as_onnx),
    'ONNX Runtime, mapInPandas': map_job(onnx_function, as_onnx),
    'JAX, predict_batch_udf': batch_udf_job(jax_function, exported),
    'JAX, mapInPandas': map_job(jax_function, exported),
}


def session():
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', False)
             .config('spark.sql.execution.arrow.maxRecordsPerBatch', 10 * BATCH)
             .config('spark.driver.memory', '3g')
             .config('spark.sql.execution.pyspark.udf.faulthandler.enabled', True).getOrCreate())
    spark.sparkContext.setLogLevel('ERROR')
    return spark


def timed(job):
    start = time.perf_counter()
    job().write.format('noop').mode('overwrite').save()
    return time.perf_counter() - start


def table(spark, folder, model, rows):
    path = f'{folder}/{model.column}-{rows}.parquet'
    if not os.path.exists(path):
        spark.range(0, rows, 1, 8).selectExpr('id', f'{model.sql} as {model.column}').write.parquet(path)
    return spark.read.parquet(path)


def check(jobs):
    """Whether all give the same, up to rounding."""
    first = None
    for name, job in jobs.items():
        got = np.array([row.p for row in job().orderBy('id').limit(3000).collect()])
        first = got if first is None else first
        worst = np.abs(got - first).max()
        if worst > 1e-4:
            sys.exit(f'{name} differs by {worst}')


def warm(spark, options, folder):
    for name in options.models.split(','):
        model = MODELS[name]()
        rows = table(spark, folder, model, options.rows)
        jobs = {peer: make(rows, model, name) for peer, make in JOBS.items() if options.peers in peer or peer == 'hlo4j'}
        check(jobs)
        times = {peer: [] for peer in jobs}
        for _ in range(options.rounds + 1):  # the first one is left out
            for peer, job in jobs.items():
                times[peer].append(timed(job))
        ours = statistics.median(times['hlo4j'][1:])
        for peer, all_times in times.items():
            median, best = statistics.median(all_times[1:]), min(all_times[1:])
            print(f'{name:12} {peer:32} best {best:6.2f} s  median {median:6.2f} s '
                  f'{options.rows / best:10,.0f} rows/s  ratio {median / ours:5.2f}', flush=True)


def cold(options, folder):
    for name in options.models.split(','):
        for peer in JOBS:
            told = subprocess.run(
                [sys.executable, __file__, '--models', name, '--rows', str(options.rows),
                 '--folder', folder, '--first', peer], capture_output=True, text=True, check=False)
            answer = told.stdout.strip().splitlines()
            if told.returncode or not answer:
                sys.exit(told.stderr)
            print(f'{name:12} {peer:32} first job {json.loads(answer[-1]):6.2f} s', flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rows', type=int, default=500_000)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--models', default='mlp,transformer')
    parser.add_argument('--peers', default='', help='only those whose name has this, and hlo4j')
    parser.add_argument('--cold', action='store_true')
    parser.add_argument('--folder', default=os.path.join(tempfile.gettempdir(), 'hlo4j-spark'))
    parser.add_argument('--first', help='prints the seconds of the first job of one of them')
    options = parser.parse_args()
    if options.cold:
        cold(options, options.folder)
        return
    spark = session()
    if options.first:
        model = MODELS[options.models]()
        rows = table(spark, options.folder, model, options.rows)
        rows.limit(1).write.format('noop').mode('overwrite').save()
        print(json.dumps(timed(JOBS[options.first](rows, model, options.models))))
    else:
        warm(spark, options, options.folder)


if __name__ == '__main__':
    main()
