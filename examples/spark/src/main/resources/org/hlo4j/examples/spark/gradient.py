"""Makes gradient.bin: the loss of rows, summed, and its gradients, exported from JAX (0.10.2)."""

from pathlib import Path

import jax
import jax.numpy as jnp
from jax import export


def loss(params, x, y):
  hidden = jnp.tanh(x @ params["w1"] + params["b1"])
  return jnp.sum((hidden @ params["w2"] + params["b2"] - y) ** 2)


def f32(text):
  return jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=SCOPE), jnp.float32)


SCOPE = export.SymbolicScope()
params = {"w1": f32("1, 8"), "b1": f32("8"), "w2": f32("8, 1"), "b2": f32("1")}
exported = export.export(jax.jit(jax.value_and_grad(loss)), platforms=["cpu"])(
    params, f32("b, 1"), f32("b, 1"))
Path(__file__).with_name("gradient.bin").write_bytes(exported.serialize())
