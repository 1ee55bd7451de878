"""JAX under check: every jitted computation of a JAX program runs on hlo4j as well.

    import hlo4j_jax
    hlo4j_jax.check()            # compare every computation with hlo4j
    hlo4j_jax.evaluate()         # or: results come from hlo4j alone
    with hlo4j_jax.checking():   # compare inside of a block

Or, without a change of the program: HLO4J_JAX=check with a program that imports this module, and
`pytest -p hlo4j_jax --hlo4j=check`, without -p where the package is installed. HLO4J is the path of
bin/hlo4j, or a java command that takes hlo4j's arguments; without it, hlo4j is sought on the PATH
and in the package. HLO4J_SAVE is the folder of programs that differ (default: hlo4j-differences).
HLO4J_EVERY, HLO4J_BUDGET and HLO4J_IGNORE are the arguments of check() that are not given.

A computation falls back to JAX, and is counted with its name, if it has host callbacks, effects or
mutable arrays, or if hlo4j refuses it, such as a custom call that it does not know. A fault of
hlo4j itself is reported as a wrong result is. A check that has checked nothing fails.
"""

import atexit
import collections
import contextlib
import dataclasses
import fnmatch
import io
import logging
import multiprocessing
import os
import re
import shlex
import sys
import threading
import time
import weakref

import jax
import numpy as np
from hlo4j import client, tally
from jax._src import array as _array
from jax._src import compiler as _compiler
from jax._src import dispatch as _dispatch
from jax._src import dtypes as _dtypes
from jax._src import pjit as _pjit
from jax._src import sharding_impls as _shardings
from jax._src.interpreters import pxla as _pxla

Refusal = client.Refusal
Died = client.Died
pytest_plugins = ("hlo4j.pytest_plugin",)


class Difference(AssertionError):
  """A result of JAX is wrong, beside hlo4j's reference; or hlo4j has failed."""


class NothingChecked(AssertionError):
  """A check has ended, and no result was compared."""


_MAX_COMPILED = 1000


@dataclasses.dataclass
class _Settings:
  """What is done with each run, and what is left out."""

  mode: str
  raises: bool
  every: int
  budget: float
  ignore: list
  spent: float = 0  # seconds

  def leaves_out(self, name, program):
    """Returns why a run is left to JAX alone, or None."""
    if any(_matches(each, name, program) for each in self.ignore):
      return "ignored"
    if self.spent >= self.budget:
      return f"the budget of {self.budget:g} s is spent"
    program.runs += 1
    if (program.runs - 1) % self.every:
      return f"checked every {self.every} runs"
    return None


def _matches(ignored, name, program):
  if callable(ignored):
    return ignored(name, program.text.decode())
  inner = re.sub(r"^\w+\((.*)\)$", r"\1", name)  # jit(f)
  return any(fnmatch.fnmatchcase(each, ignored) for each in (name, inner))


class _Program(client.Program):
  """A computation as StableHLO text."""

  def __init__(self, text):
    super().__init__(text)
    self.runs = 0  # how often it ran


class _State:
  settings = None
  server = None
  compiled = collections.OrderedDict()  # by id: the last executables, and their programs
  programs = weakref.WeakKeyDictionary()  # the programs of what was executed
  originals = None
  reports = True  # whether the counts are printed at the end


_state = _State()
_inside = threading.local()
counted = tally.Tally()
counts = counted.counts
fallbacks = counted.fallbacks
verdicts = counted.verdicts
differences = []
_reported = set()


def _npy(array):
  stream = io.BytesIO()
  np.save(stream, array, allow_pickle=False)
  return stream.getvalue()


def _host(value):
  """A copy on the host of the physical array of a value, of all its devices."""
  if hasattr(value, "_base_array"):  # PRNG keys
    value = value._base_array
  if getattr(value, "dtype", None) == _dtypes.float0:
    return np.zeros(value.shape, bool)
  if not isinstance(value, _array.ArrayImpl):
    return np.array(value)
  if len(value.sharding.device_set) > 1:
    whole = np.empty(value.shape, value.dtype)
    for shard in value.addressable_shards:
      whole[shard.index] = _host(shard.data)
    return whole
  # The method of np.asarray, without the view that the array would keep: it prevents donation.
  view, _ = value._single_device_array_to_np_array_did_copy()
  return np.array(view, copy=True)


def _reason(execute):
  if execute.ordered_effects:
    return "ordered effects"
  if execute.has_host_callbacks:
    return "host callbacks"
  if execute.has_unordered_effects:
    return "effects"
  if jax.process_count() > 1:
    return "several processes"
  if execute.mut:
    return "mutable arrays"
  if _program(execute) is None:
    return "compiled before the check began, or long before it ran"
  return _state.settings.leaves_out(execute.name, _program(execute))


def _program(execute):
  program = _state.programs.get(execute)
  if program is None:
    _, program = _state.compiled.get(id(execute.xla_executable), (None, None))
    if program is not None:
      _state.programs[execute] = program
      weakref.finalize(execute, _state.server.forget, program).atexit = False
  return program


def _compile(backend, computation, *args, **kwargs):
  text = str(computation).encode()
  executable = _state.originals["compile"](backend, computation, *args, **kwargs)
  counts["computations"] += 1
  _state.compiled[id(executable)] = executable, _Program(text)
  if len(_state.compiled) > _MAX_COMPILED:
    _state.compiled.popitem(last=False)
  return executable


def _execute(self, *args):
  original = _state.originals["execute"]
  if _state.settings is None or getattr(_inside, "yes", False):
    return original(self, *args)
  _inside.yes = True
  try:
    reason = _reason(self)
    if reason:
      counted.left(reason, self.name)
      return original(self, *args)
    buffers = self.in_handler([x for i, x in enumerate(args) if i in self.kept_var_idx])
    inputs = [_host(buffer) for buffer in buffers]
    del buffers
    if _state.settings.mode == "evaluate":
      return _evaluated(self, inputs, lambda: original(self, *args))
    results = original(self, *args)
    _check(self, inputs, results)
    return results
  finally:
    _inside.yes = False


def _ask(doing, code, execute, *parts):
  """Asks hlo4j, or returns None if the run is left to JAX."""
  start = time.monotonic()
  try:
    return _state.server.ask(f"{doing} {execute.name}", code, _program(execute), *parts)
  except (Refusal, Died) as problem:
    _fall_back(execute, problem)
    return None
  finally:
    _state.settings.spent += time.monotonic() - start


def _fall_back(execute, problem):
  if isinstance(problem, Died):
    counted.left("hlo4j ended", execute.name)
  elif problem.kind != "INTERNAL":
    counted.left(str(problem)[:120], execute.name)
  else:
    counted.judged("failed", execute.name, [])
    _report(execute.name, "failed", [], _program(execute), [], [], str(problem))


def _evaluated(execute, inputs, otherwise):
  answers = _ask("running", b"R", execute, *map(_npy, inputs))
  if answers is None:
    return otherwise()
  counts["runs"] += 1
  results = []
  out = execute.out_handler
  for handler, answer, aval, sharding in zip(
      out.handlers, answers, out.out_avals, out.out_shardings):
    value = np.load(io.BytesIO(answer), allow_pickle=False)
    results.append(_array_of(handler, value, aval, sharding))
  _dispatch.check_special(execute.name, results)  # jax_debug_nans, jax_debug_infs
  return results


def _array_of(handler, value, aval, sharding):
  if aval.dtype == _dtypes.float0:
    return np.zeros(aval.shape, _dtypes.float0)
  if _dtypes.issubdtype(aval.dtype, _dtypes.extended):
    dtype = value.dtype
    sharding = _shardings.physical_sharding(aval, sharding)
  else:
    dtype = np.dtype(aval.dtype)
  if value.dtype != dtype:  # types that NumPy has not: the file holds their bits
    value = value.view(dtype) if value.dtype.itemsize == dtype.itemsize else value.astype(dtype)
  places = sharding.devices_indices_map(value.shape)
  with jax.enable_x64(True):
    return handler([jax.device_put(value[places[device]], device)
                    for device in sharding._device_assignment])


def _check(execute, inputs, results):
  outputs = [_host(result) for result in results]
  answer = _ask("checking", b"C", execute, str(len(inputs)).encode(), *map(_npy, inputs),
                *map(_npy, outputs))
  if answer is None:
    return
  verdict, text, of_each = (part.decode() for part in answer)
  counts["runs"] += 1
  counted.judged(verdict, execute.name, of_each.split())
  if verdict == "wrong":
    bad = [i for i, each in enumerate(of_each.split()) if each == verdict]
    _report(execute.name, verdict, bad, _program(execute), inputs, outputs, text)


def _report(name, what, where, program, inputs, outputs, text):
  """Saves and prints a difference, the first of each program and its outputs, or raises it."""
  key = program.text, what, tuple(where)
  if key in _reported and not _state.settings.raises:
    return
  _reported.add(key)
  base, command = _saved(name, program, inputs, outputs)
  message = f"hlo4j: {name}: {what}\n{text}\nprogram: {base}.mlir\nagain: {command}"
  differences.append(message)
  if _state.settings.raises:
    raise Difference(message)
  print(message, file=sys.stderr)


def _saved(name, program, inputs, outputs):
  """Saves a program and its arrays, and returns where and the command that compares them again."""
  folder = os.environ.get("HLO4J_SAVE", "hlo4j-differences")
  os.makedirs(folder, exist_ok=True)
  safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in name)
  base = os.path.join(folder, f"{safe}-{os.getpid()}-{len(differences)}")
  with open(base + ".mlir", "wb") as file:
    file.write(program.text)
  command = f"hlo4j compare {shlex.quote(base + '.mlir')}"
  for kind, arrays in (("input", inputs), ("expected", outputs)):
    for i, array in enumerate(arrays):
      os.makedirs(f"{base}.{kind}", exist_ok=True)
      np.save(f"{base}.{kind}/{i}.npy", array)
      if kind == "input":
        command += f" --input {shlex.quote(f'{base}.input/{i}.npy')}"
  if outputs:
    command += f" --expected {shlex.quote(base + '.expected')}"
  return base, command


def _install(settings, command):
  if _state.server is None:
    _state.server = client.Server(command)
    atexit.register(_at_exit)
  if _state.originals is None:
    _state.originals = {
        "compile": _compiler.compile_or_get_cached,
        "execute": _pxla.ExecuteReplicated.__call__,
        "fast": _pjit._get_fastpath_data,
        "cpp": _pxla.MeshExecutable.create_cpp_call,
    }
    _compiler.compile_or_get_cached = _compile
    _pxla.ExecuteReplicated.__call__ = _execute
    _pjit._get_fastpath_data = lambda *args, **kwargs: None
    _pxla.MeshExecutable.create_cpp_call = lambda self, params: None
    jax.clear_caches()
  _state.settings = settings


def _settings(raises, every, budget, ignore):
  if every is None:
    every = int(os.environ.get("HLO4J_EVERY", "1"))
  if every < 1:
    raise ValueError(f"every got {every}, want at least 1")
  if budget is None:
    budget = float(os.environ.get("HLO4J_BUDGET", "inf"))
  if ignore is None:
    ignore = [name for name in os.environ.get("HLO4J_IGNORE", "").split(",") if name]
  if isinstance(ignore, str) or callable(ignore):
    ignore = [ignore]
  return _Settings("check", raises, every, budget, list(ignore))


def check(command=None, raises=False, every=None, budget=None, ignore=None):
  """Compares every computation with hlo4j, and reports those that are wrong.

  Args:
    command: the path of bin/hlo4j or a java command; without it, HLO4J.
    raises: whether a wrong result raises Difference.
    every: compare only each such run of a function, its first among them; without it, HLO4J_EVERY
      or 1.
    budget: how many seconds the comparisons may take, after which the others are left out;
      without it, HLO4J_BUDGET or no limit.
    ignore: the functions that are left out: names, in which * stands for anything, or functions
      that take a name and the program as StableHLO text and tell whether; without it,
      HLO4J_IGNORE, names with commas between them.
  """
  _install(_settings(raises, every, budget, ignore), command)


def evaluate(command=None, raises=False):
  """Takes the results of every computation from hlo4j.

  Args:
    command: the path of bin/hlo4j or a java command; without it, HLO4J.
    raises: whether a fault of hlo4j raises Difference.
  """
  _install(_Settings("evaluate", raises, 1, float("inf"), []), command)


def stop():
  """Leaves every computation to JAX again."""
  _state.settings = None
  if _state.originals is not None:
    _compiler.compile_or_get_cached = _state.originals["compile"]
    _pxla.ExecuteReplicated.__call__ = _state.originals["execute"]
    _pjit._get_fastpath_data = _state.originals["fast"]
    _pxla.MeshExecutable.create_cpp_call = _state.originals["cpp"]
    _state.originals = None
    _state.compiled.clear()
    _state.programs.clear()
    jax.clear_caches()


@contextlib.contextmanager
def checking(command=None, raises=True, every=None, budget=None, ignore=None):
  """Compares every computation inside of the block, as check() does.

  Raises:
    NothingChecked: at its end, if the block had no result that could be judged.
  """
  outer = _state.settings
  before = counted.as_lists()
  check(command, raises, every, budget, ignore)
  try:
    yield
  finally:
    if outer is None:
      stop()
    else:
      _state.settings = outer
  nothing = counted.since(before).nothing()
  if nothing:
    raise NothingChecked(nothing)


def summary():
  """Returns the counts: all in the first line, then the names of what is not good."""
  return "\n".join(counted.lines())


def _at_exit():
  """Prints the counts; the process ends with status 1 if a result is wrong or none was checked."""
  _state.server.close()
  if not _state.reports or multiprocessing.parent_process() is not None:
    return
  nothing = counted.nothing()
  print(nothing or summary(), file=sys.stderr)
  if nothing or differences:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


_mode = os.environ.get("HLO4J_JAX")
if _mode == "check":
  check()
elif _mode == "evaluate":
  evaluate()
elif _mode:
  raise ValueError(f"HLO4J_JAX got {_mode!r}, want check or evaluate")
