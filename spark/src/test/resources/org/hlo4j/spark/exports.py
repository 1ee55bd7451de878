"""Writes the functions of the tests beside this file. Needs JAX 0.10."""

import pathlib

import jax
import jax.numpy as jnp
from jax import export

jax.config.update("jax_enable_x64", True)
HERE = pathlib.Path(__file__).parent


def save(name, function, *arguments, **keywords):
  exported = export.export(jax.jit(function), platforms=["cpu"])(*arguments, **keywords)
  (HERE / f"{name}.bin").write_bytes(exported.serialize())


def shape(text, dtype):
  return jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=SCOPE), dtype)


SCOPE = export.SymbolicScope()


def tokens(ids, mask):
  """Rows of any length: a vector for each id, their sum and their number."""
  table = jnp.cos(jnp.arange(40, dtype=jnp.float32)).reshape(10, 4)
  each = table[ids] * mask[..., None]
  return {"each": each, "total": each.sum(1), "count": mask.sum(1, dtype=jnp.int32)}


save("tokens", tokens, ids=shape("b, s", jnp.int32), mask=shape("b, s", jnp.bool_))

# Five images of 2 by 3, no more and no fewer.
save("fixed", lambda x: x.swapaxes(1, 2) * 2, jax.ShapeDtypeStruct((5, 2, 3), jnp.float32))


def dense(x, layers):
  """Whose weights are arguments."""
  for layer in layers:
    x = jnp.tanh(x @ layer["w"] + layer["b"])
  return x


LAYERS = [{"w": jax.ShapeDtypeStruct(size, jnp.float32), "b": jax.ShapeDtypeStruct(size[1:], jnp.float32)}
          for size in [(3, 4), (4, 2)]]
save("dense", dense, shape("b, 3", jnp.float32), LAYERS)

TYPES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 float16 bfloat16 float32 float64".split()
save("types", lambda x: {k: ~v if v.dtype == bool else v + 1 for k, v in x.items()},
     {t: shape("b", jnp.dtype(t)) for t in TYPES})
