"""Makes training_step.bin: one step of gradient descent, exported from JAX (0.10.2)."""

from pathlib import Path

import jax
import jax.numpy as jnp
from jax import export


def loss(params, x, y):
  hidden = jnp.tanh(x @ params["w1"] + params["b1"])
  return jnp.mean((hidden @ params["w2"] + params["b2"] - y) ** 2)


def train_step(params, x, y):
  value, gradients = jax.value_and_grad(loss)(params, x, y)
  return value, jax.tree.map(lambda p, g: p - 0.5 * g, params, gradients)


def f32(*shape):
  return jax.ShapeDtypeStruct(shape, jnp.float32)


params = {"w1": f32(1, 8), "b1": f32(8), "w2": f32(8, 1), "b2": f32(1)}
exported = export.export(jax.jit(train_step), platforms=["cpu"])(
    params, f32(32, 1), f32(32, 1)
)
Path(__file__).with_name("training_step.bin").write_bytes(exported.serialize())
