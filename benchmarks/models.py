#!/usr/bin/env python3
"""Whole models on hlo4j, on ONNX Runtime and on XLA:CPU, in turns in one run.

Each model is described once, and written as ONNX (NCHW, with the operators that exporters use) and as
HLO (NHWC, as JAX writes it), with the same random weights, which hlo4j and ONNX Runtime bind. Needs Python
with numpy, onnx and onnxruntime; for XLA:CPU, which runs the same HLO on arrays that are on its device
already, another one with jax may be named:

    python3 -m venv v && v/bin/pip install numpy onnx onnxruntime
    mvn -ntp -q -Dquick -DskipTests package
    v/bin/python benchmarks/models.py [--models mobilenet_v2,bert] [--batch 1] [--threads 2] [--rounds 7]
        [--xla PYTHON-WITH-JAX] [--java=-XX:UseAVX=2] [--memory | --cold]

Prints a line for each model: GFLOP, the minimum and the median of each in milliseconds, and the ratios of
the minima and of the medians to hlo4j's (above 1: hlo4j is faster); last the largest difference of hlo4j's
results from ONNX Runtime's. Results of any two that differ by more than a thousandth end the run.

With --memory it prints the resident size of a process instead, in MB: after the warm-up and 20 runs, and the
largest until then; of hlo4j also the heap that is used after a garbage collection. ONNX Runtime is in a Python
process of its own.

With --cold it prints how long the first runs of a process take, in ms, beside a run after 10 seconds; and, of
another process, how long Executable.warmUp takes, and the first run after it.
"""
import argparse
import glob
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
XLA = ROOT / 'benchmarks/src/main/resources/org/hlo4j/benchmarks/xla_peer.py'


def dims(shape):
    return ','.join(str(d) for d in shape)


class Value:
    """A value: its names in both programs and its shape, as HLO has it (NHWC for images)."""

    def __init__(self, onnx_name, hlo_name, shape):
        self.onnx, self.hlo, self.shape = onnx_name, hlo_name, tuple(shape)


class Net:
    """Writes a model as ONNX and as HLO."""

    def __init__(self, name):
        self.name, self.nodes, self.weights, self.lines = name, [], [], []
        self.parameters, self.inputs, self.count, self.flops = [], [], 0, 0
        self.random = np.random.default_rng(1)

    def fresh(self):
        self.count += 1
        return f'v{self.count}'

    def hlo_op(self, shape, text, kind='f32'):
        name = self.fresh()
        self.lines.append(f'  {name} = {kind}[{dims(shape)}] {text}')
        return name

    def node(self, op, inputs, **attributes):
        name = self.fresh()
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def input(self, array, image=False):
        name = f'input{len(self.inputs)}'
        kind = 's32' if array.dtype == np.int32 else 'f32'
        self.hlo_parameter(name, array, kind)
        fed = array.transpose(0, 3, 1, 2).copy() if image else array
        self.inputs.append((name, fed))
        return Value(name, name, array.shape)

    def hlo_parameter(self, name, array, kind='f32'):
        self.lines.append(f'  {name} = {kind}[{dims(array.shape)}] parameter({len(self.parameters)})')
        self.parameters.append(array)

    def weight(self, *shape, scale=None, onnx_layout=None):
        fan = int(np.prod(shape[:-1])) if len(shape) > 1 else 1
        scale = scale if scale is not None else (2.0 / max(1, fan)) ** 0.5
        array = (self.random.standard_normal(shape) * scale).astype(np.float32)
        name = f'w{len(self.parameters)}'
        self.hlo_parameter(name, array)
        other = array if onnx_layout is None else np.ascontiguousarray(onnx_layout(array))
        self.weights.append(numpy_helper.from_array(other, name))
        return Value(name, name, shape)

    def constant(self, value):
        name = self.hlo_op((), f'constant({value})')
        onnx_name = self.fresh()
        self.weights.append(numpy_helper.from_array(np.float32(value), onnx_name))
        return Value(onnx_name, name, ())

    def spread(self, v, shape, dimensions):
        return self.hlo_op(shape, f'broadcast({v.hlo}), dimensions={{{dims(dimensions)}}}')

    def binary(self, op, hlo, x, y):
        """y has the shape of x, or is a scalar, or has the last dimensions of x."""
        right = y.hlo
        if y.shape != x.shape:
            right = self.spread(y, x.shape, range(len(x.shape) - len(y.shape), len(x.shape)))
        return Value(self.node(op, [x.onnx, y.onnx]), self.hlo_op(x.shape, f'{hlo}({x.hlo}, {right})'), x.shape)

    def unary(self, op, hlo, x):
        return Value(self.node(op, [x.onnx]), self.hlo_op(x.shape, f'{hlo}({x.hlo})'), x.shape)

    def add(self, x, y):
        return self.binary('Add', 'add', x, y)

    def mul(self, x, y):
        return self.binary('Mul', 'multiply', x, y)

    # ---- images

    def conv(self, x, features, size, stride=1, depthwise=False, activation=None, pad=None):
        n, h, w, c = x.shape
        k = self.weight(size, size, 1 if depthwise else c, features,
                        scale=(2.0 / (size * size * (1 if depthwise else c))) ** 0.5,
                        onnx_layout=lambda a: a.transpose(3, 2, 0, 1))
        b = self.weight(features, scale=0.1)
        out = -(-h // stride) if pad is None else h // stride
        total = max(0, (out - 1) * stride + size - h)
        low, high = total // 2, total - total // 2
        shape = (n, out, out, features)
        groups = c if depthwise else 1
        y = self.hlo_op(shape, f'convolution({x.hlo}, {k.hlo}), window={{size={size}x{size} stride={stride}x{stride} '
                               f'pad={low}_{high}x{low}_{high}}}, dim_labels=b01f_01io->b01f, feature_group_count={groups}')
        y = self.hlo_op(shape, f'add({y}, {self.spread(b, shape, [3])})')
        o = self.node('Conv', [x.onnx, k.onnx, b.onnx], kernel_shape=[size, size], strides=[stride, stride],
                      pads=[low, low, high, high], group=groups)
        self.flops += 2 * n * out * out * features * size * size * (1 if depthwise else c)
        return self.activate(Value(o, y, shape), activation)

    def activate(self, v, activation):
        if activation is None:
            return v
        if activation == 'relu':
            zero = self.spread(Value('', self.constant(0).hlo, ()), v.shape, [])
            return Value(self.node('Relu', [v.onnx]), self.hlo_op(v.shape, f'maximum({v.hlo}, {zero})'), v.shape)
        if activation == 'relu6':
            zero, six = self.constant(0), self.constant(6)
            low = self.hlo_op(v.shape, f'maximum({v.hlo}, {self.spread(zero, v.shape, [])})')
            y = self.hlo_op(v.shape, f'minimum({low}, {self.spread(six, v.shape, [])})')
            return Value(self.node('Clip', [v.onnx, zero.onnx, six.onnx]), y, v.shape)
        if activation == 'silu':
            return self.mul(v, self.unary('Sigmoid', 'logistic', v))
        raise ValueError(activation)

    def pool(self, x, kind, size, stride, low=0, high=0):
        n, h, w, c = x.shape
        out = (h + low + high - size) // stride + 1
        shape = (n, out, out, c)
        start = self.hlo_op((), 'constant(-inf)' if kind == 'max' else 'constant(0)')
        y = self.hlo_op(shape, f'reduce-window({x.hlo}, {start}), window={{size=1x{size}x{size}x1 stride=1x{stride}x{stride}x1 '
                               f'pad=0_0x{low}_{high}x{low}_{high}x0_0}}, to_apply={"largest" if kind == "max" else "sum"}')
        if kind == 'avg':
            area = self.constant(size * size)
            y = self.hlo_op(shape, f'divide({y}, {self.spread(area, shape, [])})')
        o = self.node('MaxPool' if kind == 'max' else 'AveragePool', [x.onnx], kernel_shape=[size, size],
                      strides=[stride, stride], pads=[low, low, high, high])
        return Value(o, y, shape)

    def mean_of_image(self, x, keep=False):
        n, h, w, c = x.shape
        zero = self.constant(0)
        y = self.hlo_op((n, c), f'reduce({x.hlo}, {zero.hlo}), dimensions={{1,2}}, to_apply=sum')
        area = self.constant(h * w)
        y = self.hlo_op((n, c), f'divide({y}, {self.spread(area, (n, c), [])})')
        o = self.node('GlobalAveragePool', [x.onnx])
        if keep:
            return Value(o, self.hlo_op((n, 1, 1, c), f'reshape({y})'), (n, 1, 1, c))
        return Value(self.node('Flatten', [o]), y, (n, c))

    def scale_image(self, x, s):
        """x * s, where s has size 1 in space."""
        flat = self.hlo_op((s.shape[0], s.shape[3]), f'reshape({s.hlo})')
        wide = self.hlo_op(x.shape, f'broadcast({flat}), dimensions={{0,3}}')
        return Value(self.node('Mul', [x.onnx, s.onnx]), self.hlo_op(x.shape, f'multiply({x.hlo}, {wide})'), x.shape)

    def concat_features(self, values):
        shape = values[0].shape[:3] + (sum(v.shape[3] for v in values),)
        y = self.hlo_op(shape, f'concatenate({", ".join(v.hlo for v in values)}), dimensions={{3}}')
        return Value(self.node('Concat', [v.onnx for v in values], axis=1), y, shape)

    def scale_and_shift(self, x, activation=None):
        """What is left of a batch norm."""
        c = x.shape[3]
        a = self.weight(c, scale=0.5, onnx_layout=lambda v: v.reshape(c, 1, 1))
        b = self.weight(c, scale=0.1, onnx_layout=lambda v: v.reshape(c, 1, 1))
        return self.activate(self.add(self.mul(x, a), b), activation)

    def to_rows(self, x):
        """An image as rows of features: HLO has it so already."""
        return Value(self.node('Transpose', [x.onnx], perm=[0, 2, 3, 1]), x.hlo, x.shape)

    def to_image(self, x):
        return Value(self.node('Transpose', [x.onnx], perm=[0, 3, 1, 2]), x.hlo, x.shape)

    # ---- rows

    def dense(self, x, features, bias=True):
        k = self.weight(x.shape[-1], features, scale=(1.0 / x.shape[-1]) ** 0.5)
        shape = x.shape[:-1] + (features,)
        last = len(x.shape) - 1
        y = self.hlo_op(shape, f'dot({x.hlo}, {k.hlo}), lhs_contracting_dims={{{last}}}, rhs_contracting_dims={{0}}')
        self.flops += 2 * int(np.prod(x.shape)) * features
        v = Value(self.node('MatMul', [x.onnx, k.onnx]), y, shape)
        return self.add(v, self.weight(features, scale=0.1)) if bias else v

    def layer_norm(self, x):
        c = x.shape[-1]
        g, b = self.weight(c, scale=1), self.weight(c, scale=0.1)
        o = self.node('LayerNormalization', [x.onnx, g.onnx, b.onnx], axis=-1, epsilon=1e-5)
        rows, over = x.shape[:-1], range(len(x.shape) - 1)
        zero, count, eps = self.constant(0), self.constant(c), self.constant(1e-5)
        def mean(v):
            s = self.hlo_op(rows, f'reduce({v}, {zero.hlo}), dimensions={{{len(rows)}}}, to_apply=sum')
            return self.hlo_op(rows, f'divide({s}, {self.spread(count, rows, [])})')
        d = self.hlo_op(x.shape, f'subtract({x.hlo}, {self.spread(Value("", mean(x.hlo), rows), x.shape, over)})')
        var = mean(self.hlo_op(x.shape, f'multiply({d}, {d})'))
        r = self.hlo_op(rows, f'rsqrt({self.hlo_op(rows, f"add({var}, {self.spread(eps, rows, [])})")})')
        y = self.hlo_op(x.shape, f'multiply({d}, {self.spread(Value("", r, rows), x.shape, over)})')
        y = self.hlo_op(x.shape, f'multiply({y}, {self.spread(g, x.shape, [len(rows)])})')
        return Value(o, self.hlo_op(x.shape, f'add({y}, {self.spread(b, x.shape, [len(rows)])})'), x.shape)

    def gelu(self, x):
        half, one, root = self.constant(0.5), self.constant(1), self.constant(2 ** -0.5)
        e = self.unary('Erf', 'erf', self.mul(x, root))
        return self.mul(self.mul(x, self.add(e, one)), half)

    def gelu_tanh(self, x):
        half, one, a, b = self.constant(0.5), self.constant(1), self.constant(0.044715), self.constant(0.7978845608)
        cube = self.mul(self.mul(x, x), x)
        t = self.unary('Tanh', 'tanh', self.mul(self.add(x, self.mul(cube, a)), b))
        return self.mul(self.mul(x, self.add(t, one)), half)

    def shaped(self, x, shape):
        name = self.fresh()
        self.weights.append(numpy_helper.from_array(np.array(shape, np.int64), name))
        return Value(self.node('Reshape', [x.onnx, name]), self.hlo_op(shape, f'reshape({x.hlo})'), shape)

    def transposed(self, x, order):
        shape = tuple(x.shape[i] for i in order)
        return Value(self.node('Transpose', [x.onnx], perm=list(order)),
                     self.hlo_op(shape, f'transpose({x.hlo}), dimensions={{{dims(order)}}}'), shape)

    def batched(self, x, y):
        """[n,h,a,b] times [n,h,b,c]."""
        shape = x.shape[:3] + (y.shape[3],)
        self.flops += 2 * int(np.prod(x.shape)) * y.shape[3]
        return Value(self.node('MatMul', [x.onnx, y.onnx]),
                     self.hlo_op(shape, f'dot({x.hlo}, {y.hlo}), lhs_batch_dims={{0,1}}, rhs_batch_dims={{0,1}}, '
                                        f'lhs_contracting_dims={{3}}, rhs_contracting_dims={{2}}'), shape)

    def softmax(self, x):
        rows, over = x.shape[:-1], range(len(x.shape) - 1)
        low, zero = self.hlo_op((), 'constant(-inf)'), self.constant(0)
        m = self.hlo_op(rows, f'reduce({x.hlo}, {low}), dimensions={{{len(rows)}}}, to_apply=largest')
        d = self.hlo_op(x.shape, f'subtract({x.hlo}, {self.spread(Value("", m, rows), x.shape, over)})')
        e = self.hlo_op(x.shape, f'exponential({d})')
        s = self.hlo_op(rows, f'reduce({e}, {zero.hlo}), dimensions={{{len(rows)}}}, to_apply=sum')
        y = self.hlo_op(x.shape, f'divide({e}, {self.spread(Value("", s, rows), x.shape, over)})')
        return Value(self.node('Softmax', [x.onnx], axis=-1), y, x.shape)

    def attention(self, x, heads, keys=None, values=None, mask=None):
        n, t, c = x.shape
        split = lambda v, order: self.transposed(self.shaped(v, (n, t, heads, c // heads)), order)
        q = split(self.dense(x, c), (0, 2, 1, 3))
        k, v = split(self.dense(x, c), (0, 2, 1, 3)), split(self.dense(x, c), (0, 2, 1, 3))
        if keys is not None:
            k, v = self.joined(keys, k), self.joined(values, v)
        s = self.mul(self.batched(q, self.transposed(k, (0, 1, 3, 2))), self.constant((c // heads) ** -0.5))
        if mask is not None:
            s = self.add(s, mask)
        y = self.transposed(self.batched(self.softmax(s), v), (0, 2, 1, 3))
        return self.dense(self.shaped(y, (n, t, c)), c)

    def joined(self, x, y):
        shape = x.shape[:2] + (x.shape[2] + y.shape[2],) + x.shape[3:]
        return Value(self.node('Concat', [x.onnx, y.onnx], axis=2),
                     self.hlo_op(shape, f'concatenate({x.hlo}, {y.hlo}), dimensions={{2}}'), shape)

    def transformer(self, x, layers, heads, inner, first_norm, gelu, cache=None, mask=None):
        n, t, c = x.shape
        for _ in range(layers):
            k = v = None
            if cache:
                k = self.input(self.random.standard_normal((n, heads, cache, c // heads)).astype(np.float32))
                v = self.input(self.random.standard_normal((n, heads, cache, c // heads)).astype(np.float32))
            if first_norm:
                x = self.add(x, self.attention(self.layer_norm(x), heads, k, v, mask))
                x = self.add(x, self.dense(gelu(self.dense(self.layer_norm(x), inner)), c))
            else:
                x = self.layer_norm(self.add(x, self.attention(x, heads, k, v, mask)))
                x = self.layer_norm(self.add(x, self.dense(gelu(self.dense(x, inner)), c)))
        return x

    def embedded(self, batch, tokens, words, width):
        ids = self.input(np.arange(batch * tokens, dtype=np.int32).reshape(batch, tokens))
        table = self.weight(words, width, scale=0.5)
        shape = (batch, tokens, width)
        y = self.hlo_op(shape, f'gather({table.hlo}, {ids.hlo}), offset_dims={{2}}, collapsed_slice_dims={{0}}, '
                               f'start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,{width}}}')
        v = Value(self.node('Gather', [table.onnx, ids.onnx], axis=0), y, shape)
        return self.add(v, self.weight(tokens, width, scale=0.5))

    # ---- files

    def write(self, folder, out):
        folder.mkdir(parents=True, exist_ok=True)
        self.lines[-1] = self.lines[-1].replace('  ', '  ROOT ', 1) if out.hlo in self.lines[-1].split(' = ')[0] else self.lines[-1]
        helpers = ''.join(f'{name} {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] {op}(a, b)\n}}\n\n'
                          for name, op in (('sum', 'add'), ('largest', 'maximum')))
        (folder / 'program.hlo.txt').write_text(
            f'HloModule {self.name}\n\n{helpers}ENTRY main {{\n' + '\n'.join(self.lines) + '\n}\n')
        (folder / 'inputs').mkdir(exist_ok=True)
        for i, array in enumerate(self.parameters):
            np.save(folder / 'inputs' / f'{i}.npy', array)
        values = [helper.make_tensor_value_info(n, TensorProto.INT32 if a.dtype == np.int32 else TensorProto.FLOAT, a.shape)
                  for n, a in self.inputs]
        graph = helper.make_graph(self.nodes, self.name, values,
                                  [helper.make_tensor_value_info(out.onnx, TensorProto.FLOAT, None)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)])
        model.ir_version = 9
        return model.SerializeToString()


def image(net, batch, size=224):
    return net.input(net.random.standard_normal((batch, size, size, 3)).astype(np.float32), image=True)


def mobilenet_v2(net, batch):
    x = net.conv(image(net, batch), 32, 3, 2, activation='relu6')
    for expand, c, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                     (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            y = x if expand == 1 else net.conv(x, x.shape[3] * expand, 1, activation='relu6')
            y = net.conv(y, y.shape[3], 3, stride if i == 0 else 1, depthwise=True, activation='relu6')
            y = net.conv(y, c, 1)
            x = net.add(x, y) if y.shape == x.shape and i > 0 else y
    return net.dense(net.mean_of_image(net.conv(x, 1280, 1, activation='relu6')), 1000)


def resnet50(net, batch):
    x = net.pool(net.conv(image(net, batch), 64, 7, 2, activation='relu'), 'max', 3, 2, 0, 1)
    for c, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            y = net.conv(x, c, 1, activation='relu')
            y = net.conv(y, c, 3, stride if i == 0 else 1, activation='relu')
            y = net.conv(y, 4 * c, 1)
            x = net.activate(net.add(y, net.conv(x, 4 * c, 1, stride) if i == 0 else x), 'relu')
    return net.dense(net.mean_of_image(x), 1000)


def efficientnet_b0(net, batch):
    x = net.conv(image(net, batch), 32, 3, 2, activation='silu')
    for expand, c, count, stride, size in ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
                                           (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)):
        for i in range(count):
            squeezed = max(1, x.shape[3] // 4)
            y = x if expand == 1 else net.conv(x, x.shape[3] * expand, 1, activation='silu')
            y = net.conv(y, y.shape[3], size, stride if i == 0 else 1, depthwise=True, activation='silu')
            s = net.conv(net.mean_of_image(y, keep=True), squeezed, 1, activation='silu')
            y = net.scale_image(y, net.unary('Sigmoid', 'logistic', net.conv(s, y.shape[3], 1)))
            y = net.conv(y, c, 1)
            x = net.add(x, y) if y.shape == x.shape and i > 0 else y
    return net.dense(net.mean_of_image(net.conv(x, 1280, 1, activation='silu')), 1000)


def convnext_tiny(net, batch):
    x = net.to_rows(net.conv(image(net, batch), 96, 4, 4))
    x = net.layer_norm(x)
    for stage, (c, count) in enumerate(((96, 3), (192, 3), (384, 9), (768, 3))):
        if stage > 0:
            x = net.to_rows(net.conv(net.to_image(net.layer_norm(x)), c, 2, 2))
        for _ in range(count):
            y = net.to_rows(net.conv(net.to_image(x), c, 7, depthwise=True))
            y = net.dense(net.gelu(net.dense(net.layer_norm(y), 4 * c)), c)
            x = net.add(x, net.mul(y, net.weight(c, scale=0.5)))
    return net.dense(net.layer_norm(net.mean_of_image(net.to_image(x))), 1000)


def densenet121(net, batch):
    x = net.pool(net.conv(image(net, batch), 64, 7, 2, activation='relu'), 'max', 3, 2, 0, 1)
    for block, count in enumerate((6, 12, 24, 16)):
        for _ in range(count):
            y = net.conv(net.scale_and_shift(x, 'relu'), 128, 1, activation='relu')
            x = net.concat_features([x, net.conv(y, 32, 3)])
        if block < 3:
            x = net.pool(net.conv(net.scale_and_shift(x, 'relu'), x.shape[3] // 2, 1), 'avg', 2, 2)
    return net.dense(net.mean_of_image(net.scale_and_shift(x, 'relu')), 1000)


def bert(net, batch, layers=12, width=768):
    x = net.layer_norm(net.embedded(batch, 128, 30522, width))
    return net.transformer(x, layers, width // 64 if width > 384 else 12, 4 * width, False, net.gelu)


def minilm(net, batch):
    return bert(net, batch, 6, 384)


def gpt2(net, batch, tokens=128, cache=None):
    x = net.embedded(batch, tokens, 50257, 768)
    mask = None
    if tokens > 1:
        hidden = np.triu(np.full((tokens, tokens), -1e9, np.float32), 1)
        mask = net.weight(tokens, tokens)
        net.parameters[-1][:] = hidden
        net.weights[-1].CopyFrom(numpy_helper.from_array(hidden, mask.onnx))
    x = net.layer_norm(net.transformer(x, 12, 12, 3072, True, net.gelu_tanh, cache, mask))
    return net.dense(x, 50257, bias=False)


def gpt2_token(net, batch):
    return gpt2(net, batch, 1, 128)


MODELS = {f.__name__: f for f in (mobilenet_v2, resnet50, efficientnet_b0, convnext_tiny, densenet121, minilm, bert,
                                  gpt2, gpt2_token)}


class Peer:
    """A process that runs a folder's program as Server.java describes."""

    def __init__(self, name, command):
        self.name, self.times = name, []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, command):
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def load(self, folder):
        answer = self.ask(f'load {folder}')
        if answer != 'ok':
            sys.exit(f'{folder.name}: {self.name}: {answer}')

    def time(self):
        self.times += [float(self.ask('time 1')) / 1e3 for _ in range(3)]

    def result(self, file):
        self.ask(f'result {file}')
        return np.load(file)


def java(arguments, binds=True, warm=8):
    classes = [str(ROOT / m / 'target' / 'classes') for m in ('hlo', 'builder', 'stablehlo', 'interpreter', 'benchmarks')]
    jars = os.environ.get('HLO4J_CLASSPATH', '')
    libraries = jars.split(os.pathsep) if jars else sorted(
        p for p in glob.glob(str(ROOT / 'tools/target/**/*.jar'), recursive=True) if 'hlo4j' not in os.path.basename(p))
    return Peer('hlo4j', [
        'java', '--add-modules', 'jdk.incubator.vector', '-Xmx6g', f'-XX:ActiveProcessorCount={arguments.threads}',
        f'-Dhlo4j.bench.bind={str(binds).lower()}', f'-Dhlo4j.bench.warm={warm}', *arguments.java.split(), '-cp', os.pathsep.join(classes + libraries),
        'org.hlo4j.benchmarks.Hlo4jServer', 'compiled'])


def xla(arguments):
    """XLA:CPU has as many threads as processors that it may run on."""
    processors = sorted(os.sched_getaffinity(0))[:arguments.threads]
    peer = Peer('XLA:CPU', [arguments.xla, XLA])
    os.sched_setaffinity(peer.process.pid, processors)
    return peer


class Onnx:
    """ONNX Runtime in this process."""

    def __init__(self, net, model, threads):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(model, options, providers=['CPUExecutionProvider'])
        self.feed, self.times = dict(net.inputs), []

    def run(self):
        return self.session.run(None, self.feed)[0]

    def run_for(self, seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.run()

    def time(self):
        for _ in range(3):
            self.run_for(0.05)  # as the servers do before each measurement
            start = time.perf_counter()
            self.run()
            self.times.append((time.perf_counter() - start) * 1e3)


def difference(name, got, want):
    """The largest difference of two results, relative to the largest element."""
    error = np.abs(got - want).max() / max(1e-30, np.abs(want).max())
    if not error < 1e-3:
        sys.exit(f'{name}: results differ by {error}')
    return error


def measure(name, arguments, folder):
    net = Net(name)
    out = MODELS[name](net, arguments.batch)
    onnx_peer = Onnx(net, net.write(folder, out), arguments.threads)
    want = onnx_peer.run()
    if out.shape != want.shape and len(out.shape) == 4:
        want = want.transpose(0, 2, 3, 1)
    if not np.isfinite(want).all():
        sys.exit(f'{name}: results are not finite')
    peers = [java(arguments)] + ([xla(arguments)] if arguments.xla else [])
    try:
        for peer in peers:
            peer.load(folder)
        onnx_peer.run_for(2)
        everyone = [peers[0], onnx_peer, *peers[1:]]
        for _ in range(arguments.rounds):
            for peer in everyone:
                peer.time()
        errors = [difference(f'{name}: {peer.name}', peer.result(folder / 'result.npy'), want) for peer in peers]
    finally:
        for peer in peers:
            peer.process.kill()
    return net.flops / 1e9, [(min(p.times), statistics.median(p.times)) for p in everyone], errors[0]


ONNX = """
import sys, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
options.intra_op_num_threads = int(sys.argv[3])
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=['CPUExecutionProvider'])
feed = dict(numpy.load(sys.argv[2]))
for _ in range(20):
    session.run(None, feed)
print('ok', flush=True)
sys.stdin.read()
"""


def resident(process):
    """The resident size of a process and its largest one so far, in MB."""
    lines = dict(line.split(':', 1) for line in pathlib.Path(f'/proc/{process.pid}/status').read_text().splitlines())
    return [int(lines[key].split()[0]) / 1e3 for key in ('VmRSS', 'VmHWM')]


def memory(name, arguments, folder):
    """Prints the resident sizes of a model, one process after the other."""
    net = Net(name)
    model = net.write(folder, MODELS[name](net, arguments.batch))
    (folder / 'model.onnx').write_bytes(model)
    np.savez(folder / 'feed.npz', **dict(net.inputs))
    weights = sum(array.nbytes for array in net.parameters) - sum(array.nbytes for _, array in net.inputs)
    sizes = []
    for binds in (True, False):
        peer = java(arguments, binds)
        peer.load(folder)
        peer.ask('time 20')
        sizes.append((*resident(peer.process), float(peer.ask('heap'))))
        peer.process.kill()
    process = subprocess.Popen([sys.executable, '-c', ONNX, folder / 'model.onnx', folder / 'feed.npz', str(arguments.threads)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    sizes.append(resident(process))
    process.kill()
    cells = [' / '.join(f'{size:.0f}' for size in each) for each in sizes]
    print(f'| {name} | {weights / 1e6:.0f} | {" | ".join(cells)} |', flush=True)


COLD_RUNS = (1, 2, 5, 10, 20, 50, 100)


def cold(name, arguments, folder):
    """Prints the times of the first runs of a process, and of one that was warmed up."""
    net = Net(name)
    net.write(folder, MODELS[name](net, arguments.batch))
    peer = java(arguments, warm=0)
    peer.load(folder)
    runs = [float(micros) / 1e3 for micros in peer.ask(f'runs {COLD_RUNS[-1]}').split()]
    start = time.perf_counter()
    steady = runs[-1]
    while time.perf_counter() - start < 10:
        steady = min(steady, float(peer.ask('time 5')) / 1e3)
    peer.process.kill()
    peer = java(arguments, warm=0)
    peer.load(folder)
    seconds = float(peer.ask('warm 60')) / 1e6
    first = float(peer.ask('runs 1')) / 1e3
    peer.process.kill()
    cells = [f'{runs[i - 1]:.1f}' for i in COLD_RUNS]
    print(f'| {name} | {" | ".join(cells)} | {steady:.1f} | {runs[9] / steady:.1f} | {seconds:.1f} | {first / steady:.2f} |', flush=True)


def row(name, gflop, times, error):
    ours = times[0]
    cells = [f'{low:.2f} / {median:.2f}' for low, median in times]
    cells += [f'{low / ours[0]:.2f} / {median / ours[1]:.2f}' for low, median in times[1:]]
    return f'| {name} | {gflop:.2f} | {" | ".join(cells)} | {error:.1e} |'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--models', default=','.join(MODELS))
    parser.add_argument('--batch', type=int, default=1)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--xla', default='', help='a Python with JAX: also measures XLA:CPU')
    parser.add_argument('--java', default='', help='options of Java: --java=-XX:UseAVX=2; the others keep their own choice')
    parser.add_argument('--memory', action='store_true', help='prints resident sizes, not times')
    parser.add_argument('--cold', action='store_true', help='prints times of the first runs')
    arguments = parser.parse_args()
    unknown = [m for m in arguments.models.split(',') if m not in MODELS]
    if unknown:
        sys.exit(f'--models got {", ".join(unknown)}, want some of {", ".join(MODELS)}')
    if arguments.memory or arguments.cold:
        print('| model | weights MB | hlo4j, bound: resident / largest / heap | hlo4j, not bound | ONNX Runtime: resident / largest |\n'
              '|---|---:|---:|---:|---:|' if arguments.memory else
              f'| model | {" | ".join(f"run {i}" for i in COLD_RUNS)} | steady ms | run 10 / steady | warmUp s | first run after it / steady |\n'
              f'|---|{"---:|" * (len(COLD_RUNS) + 4)}', flush=True)
        for name in arguments.models.split(','):
            with tempfile.TemporaryDirectory(prefix='hlo4j-models-') as folder:
                (memory if arguments.memory else cold)(name, arguments, pathlib.Path(folder) / name)
        return
    peers = ['ONNX Runtime'] + (['XLA:CPU'] if arguments.xla else [])
    cells = ['model', 'GFLOP', 'hlo4j ms, min / median', *[f'{p} ms' for p in peers], *[f'{p} / hlo4j' for p in peers], 'difference']
    print(f'| {" | ".join(cells)} |\n|---|{"---:|" * (len(cells) - 1)}', flush=True)
    rows = []
    for name in arguments.models.split(','):
        folder = pathlib.Path(tempfile.mkdtemp(prefix='hlo4j-models-')) / name
        try:
            rows.append(measure(name, arguments, folder))
            print(row(name, *rows[-1]), flush=True)
        finally:
            shutil.rmtree(folder.parent, ignore_errors=True)
    for i, peer in enumerate(peers, 1):
        means = [np.exp(np.mean([np.log(times[i][k] / times[0][k]) for _, times, _ in rows])) for k in (0, 1)]
        print(f'geometric mean of {peer} / hlo4j: {means[0]:.3f} by minima, {means[1]:.3f} by medians')


main()
