#!/usr/bin/env python3
"""Runs programs on XLA:CPU for hlo4j, as the other system of `hlo4j compare` and `hlo4j fuzz`.

    xla_runner.py                              a server: one program for each line of its input
    xla_runner.py PROGRAM RESULTS INPUT...     one program

A line of the server's input is PROGRAM, RESULTS and the INPUTs, separated by tabs. The answer is
one line: `ok`, or `error` and the reason.

PROGRAM is a file with HLO text, an HloModuleProto (.pb), StableHLO text (.mlir), or a StableHLO
artifact (.mlirbc). Each INPUT is a .npy file. The results are written to RESULTS/0.npy,
RESULTS/1.npy ... Element types that NumPy lacks are stored as their bits: bf16 as u2, f8 as u1,
and numbers of less than 8 bits as bytes.

A module that imports this one can put another system behind it: `answer(line)` does what a line
says, by `run(program, results, inputs)` and `read_module(path)`, and writes nothing to stdout.

Needs JAX: python3 -m venv v && v/bin/pip install jax
"""
import os
import pathlib
import sys

ANSWERS = sys.stdout
if __name__ == "__main__":
    # XLA's own messages go to standard error: standard output has the answers only.
    ANSWERS = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# As in JAX's own programs, whose minimum and maximum keep NaNs.
os.environ["XLA_FLAGS"] = "--xla_cpu_enable_fast_min_max=false " + os.environ.get("XLA_FLAGS", "")

try:
    import jax
    import numpy as np
    from jaxlib import _hlo, _jax
except ImportError as problem:
    if __name__ != "__main__":
        raise
    sys.exit(f"xla_runner.py needs JAX (pip install jax): {problem}")

DEVICES = tuple(jax.devices("cpu")[:1])


def read_module(path):
    """Returns the program as an HloModule."""
    data = pathlib.Path(path).read_bytes()
    if path.endswith(".pb"):
        return _hlo.HloModule.from_serialized_hlo_module_proto(data)
    if path.endswith(".mlirbc"):
        data = artifact_as_bytecode(data)
    if path.endswith((".mlir", ".mlirbc")):
        program = data if data.startswith(b"ML") else data.decode()
        converted = _jax.mlir.mlir_module_to_xla_computation(
            program, use_tuple_args=False, return_tuple=False
        )
        return converted.get_hlo_module()
    return _hlo.hlo_module_from_text(data.decode())


def artifact_as_bytecode(data):
    from jax._src.interpreters import mlir

    with mlir.make_ir_context():
        return mlir.module_to_bytecode(_jax.mlir.deserialize_portable_artifact(data))


def load(path, shape):
    """Reads an input; types that NumPy lacks are stored as their bits."""
    array = np.load(path)
    want = np.dtype(shape.numpy_dtype())
    if array.dtype != want:
        narrow = want.name.startswith(("int", "uint")) and want.kind == "V"
        array = array.view(np.int8).astype(want) if narrow else array.view(want)
    return jax.device_put(array.reshape(shape.dimensions()))


def save(path, array):
    """Writes a result; types that NumPy lacks are stored as their bits."""
    if array.dtype.name.startswith(("int", "uint")) and array.dtype.kind == "V":
        array = array.astype(np.int8 if array.dtype.name.startswith("int") else np.uint8)
    elif array.dtype.kind == "V" or array.dtype.name.startswith(("bfloat", "float8", "float4")):
        array = array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)
    np.save(path, array)


def run(program, results, inputs):
    module = read_module(program)
    proto = module.as_serialized_hlo_module_proto()
    shapes = _hlo.XlaComputation(proto).program_shape().parameter_shapes()
    if len(shapes) != len(inputs):
        raise ValueError(f"got {len(inputs)} inputs, want {len(shapes)}")
    loaded = [load(path, shape) for path, shape in zip(inputs, shapes)]
    client = DEVICES[0].client
    executable = client.compile_and_load(
        _jax.mlir.hlo_to_stablehlo(proto), _jax.DeviceList(DEVICES)
    )
    folder = pathlib.Path(results)
    folder.mkdir(parents=True, exist_ok=True)
    for i, result in enumerate(executable.execute(loaded)):
        save(folder / f"{i}.npy", np.asarray(result))


def answer(line):
    try:
        program, results, *inputs = line.rstrip("\r\n").split("\t")
        with jax.enable_x64(True):
            run(program, results, inputs)
        return "ok"
    except Exception as problem:  # the server goes on with the next program
        return "error " + (" ".join(str(problem).split()) or type(problem).__name__)[:2000]


def main():
    if len(sys.argv) == 2 or sys.argv[1:2] == ["--help"]:
        sys.exit(__doc__)
    if len(sys.argv) > 2:
        said = answer("\t".join(sys.argv[1:]))
        sys.exit(0 if said == "ok" else said)
    for line in sys.stdin:
        ANSWERS.write(answer(line) + "\n")
        ANSWERS.flush()


if __name__ == "__main__":
    main()
