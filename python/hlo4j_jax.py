"""JAX under check: every jitted computation of a JAX program runs on hlo4j as well.

    import hlo4j_jax
    hlo4j_jax.check()            # compare every computation with hlo4j
    hlo4j_jax.evaluate()         # or: results come from hlo4j alone
    with hlo4j_jax.checking():   # compare inside of a block

Or, without a change of the program: HLO4J_JAX=check with a program that imports this module, and
`pytest -p hlo4j_jax --hlo4j=check`, without -p where the package is installed. HLO4J is the path of
bin/hlo4j, or a java command that takes hlo4j's arguments; without it, hlo4j is sought on the PATH
and in the package. HLO4J_SAVE is the folder of programs
that differ (default: hlo4j-differences).

A computation falls back to JAX, and is counted, if it has host callbacks, effects, mutable
arrays or several devices, or if hlo4j refuses it, such as a custom call that it does not know. A
fault of hlo4j itself is reported as a wrong result is.
"""

import atexit
import collections
import contextlib
import io
import os
import shlex
import struct
import subprocess
import sys
import threading
import weakref

import hlo4j
import jax
import numpy as np
from jax._src import array as _array
from jax._src import compiler as _compiler
from jax._src import dtypes as _dtypes
from jax._src import pjit as _pjit
from jax._src.interpreters import pxla as _pxla


class Difference(AssertionError):
  """A result of JAX is wrong, beside hlo4j's reference; or hlo4j has failed."""


class Refusal(Exception):
  """hlo4j refuses a request."""

  def __init__(self, kind, message):
    super().__init__(f"{kind}: {message}")
    self.kind = kind


class Died(Exception):
  """The process of hlo4j cannot be started, or has ended."""


class Server:
  """A child process `hlo4j serve`."""

  def __init__(self, command=None):
    try:
      words = hlo4j.command(command)
    except hlo4j.NotFound as none:
      raise Died(str(none)) from none
    deadline = os.environ.get("HLO4J_DEADLINE", "30s")
    # Ctrl-C is for Python; the child ends when its standard input is closed.
    self._process = subprocess.Popen(
        [*words, "serve", "--deadline", deadline],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    self._lock = threading.Lock()
    self._broken = False
    self._unused = collections.deque()
    with contextlib.suppress(Refusal):
      self.ask(b"R")  # is it there?

  def ask(self, code, *parts):
    with self._lock:
      while self._unused:
        self._answer(b"U", [self._unused.popleft()])
      answer, results = self._answer(code, parts)
    if answer == b"!":
      raise Refusal(*[part.decode() for part in results])
    return results

  def forget(self, program):
    """Lets hlo4j forget a program, once it is asked something."""
    if isinstance(program.identity, bytes):
      self._unused.append(program.identity)

  def _answer(self, code, parts):
    if self._broken:
      raise Died("hlo4j has ended")
    self._broken = True  # until the whole answer is read: Ctrl-C may come in the middle
    try:
      answer = self._exchange(code, parts)
    except (OSError, EOFError) as problem:
      with contextlib.suppress(subprocess.TimeoutExpired):
        self._process.wait(2)
      raise Died(f"hlo4j ended with status {self._process.poll()}") from problem
    self._broken = False
    return answer

  def _exchange(self, code, parts):
    pipe = self._process.stdin
    pipe.write(code + struct.pack(">i", len(parts)))
    for part in parts:
      pipe.write(struct.pack(">q", len(part)))
      pipe.write(part)
    pipe.flush()
    answer = self._read(1)
    (count,) = struct.unpack(">i", self._read(4))
    return answer, [self._read(*struct.unpack(">q", self._read(8))) for _ in range(count)]

  def _read(self, count):
    data = self._process.stdout.read(count)
    if len(data) < count:
      raise EOFError
    return data

  def close(self):
    with contextlib.suppress(OSError):
      self._process.stdin.close()
    try:
      self._process.wait(2)
    except subprocess.TimeoutExpired:
      self._process.kill()


class _Program:
  """A computation as StableHLO text, and its id at the server, or the refusal."""

  def __init__(self, text):
    self.text = text
    self.identity = None


_MAX_COMPILED = 1000


class _State:
  mode = None
  server = None
  compiled = collections.OrderedDict()  # by id: the last executables, and their programs
  programs = weakref.WeakKeyDictionary()  # the programs of what was executed
  originals = None
  raises = False


_state = _State()
_inside = threading.local()
counts = collections.Counter()
fallbacks = collections.Counter()
verdicts = collections.Counter()
differences = []


def _npy(array):
  stream = io.BytesIO()
  np.save(stream, array, allow_pickle=False)
  return stream.getvalue()


def _host(value):
  """A copy on the host of the physical array of a value."""
  if hasattr(value, "_base_array"):  # PRNG keys
    value = value._base_array
  if getattr(value, "dtype", None) == _dtypes.float0:
    return np.zeros(value.shape, bool)
  if not isinstance(value, _array.ArrayImpl):
    return np.array(value)
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
  if len(execute._local_devices) != 1:
    return "several devices"
  if execute.mut:
    return "mutable arrays"
  if _program(execute) is None:
    return "compiled before the check began, or long before it ran"
  return None


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
  if _state.mode is None or getattr(_inside, "yes", False):
    return original(self, *args)
  _inside.yes = True
  try:
    reason = _reason(self)
    if reason:
      fallbacks[reason] += 1
      return original(self, *args)
    buffers = self.in_handler([x for i, x in enumerate(args) if i in self.kept_var_idx])
    inputs = [_host(buffer) for buffer in buffers]
    del buffers
    if _state.mode == "evaluate":
      return _evaluated(self, inputs, lambda: original(self, *args))
    results = original(self, *args)
    _check(self, inputs, results)
    return results
  finally:
    _inside.yes = False


def _identity(program):
  if program.identity is None:
    try:
      program.identity = _state.server.ask(b"L", program.text)[0]
    except Refusal as refusal:
      program.identity = refusal
  if isinstance(program.identity, Refusal):
    raise program.identity
  return program.identity


def _fall_back(execute, inputs, problem):
  if isinstance(problem, Died):
    if not fallbacks["hlo4j ended"]:
      print(f"hlo4j: {problem}; what follows runs on JAX alone", file=sys.stderr)
    fallbacks["hlo4j ended"] += 1
  elif problem.kind == "INTERNAL":
    verdicts["failed"] += 1
    _report(execute.name, "failed", _program(execute).text, inputs, [], str(problem))
  else:
    fallbacks[str(problem)[:120]] += 1


def _evaluated(execute, inputs, otherwise):
  try:
    identity = _identity(_program(execute))
    answers = _state.server.ask(b"R", identity, *map(_npy, inputs))
  except (Refusal, Died) as problem:
    _fall_back(execute, inputs, problem)
    return otherwise()
  counts["runs"] += 1
  device = execute._local_devices[0]
  outputs = []
  for handler, answer in zip(execute.out_handler.handlers, answers):
    outputs.append((handler, np.load(io.BytesIO(answer), allow_pickle=False)))
  return [_array_of(handler, value, aval, device) for (handler, value), aval in zip(
      outputs, execute.out_handler.out_avals)]


def _array_of(handler, value, aval, device):
  if aval.dtype == _dtypes.float0:
    return np.zeros(aval.shape, _dtypes.float0)
  if _dtypes.issubdtype(aval.dtype, _dtypes.extended):
    dtype = value.dtype
  else:
    dtype = np.dtype(aval.dtype)
  if value.dtype != dtype:  # types that NumPy has not: the file holds their bits
    value = value.view(dtype) if value.dtype.itemsize == dtype.itemsize else value.astype(dtype)
  with jax.enable_x64(True):
    return handler([jax.device_put(value, device)])


def _check(execute, inputs, results):
  program = _program(execute)
  outputs = [_host(result) for result in results]
  try:
    identity = _identity(program)
    verdict, text = _state.server.ask(
        b"C", identity, str(len(inputs)).encode(), *map(_npy, inputs), *map(_npy, outputs))
  except (Refusal, Died) as problem:
    _fall_back(execute, inputs, problem)
    return
  counts["runs"] += 1
  verdict = verdict.decode()
  verdicts[verdict] += 1
  if verdict == "wrong":
    _report(execute.name, "wrong", program.text, inputs, outputs, text.decode())


def _report(name, what, program, inputs, outputs, text):
  folder = os.environ.get("HLO4J_SAVE", "hlo4j-differences")
  os.makedirs(folder, exist_ok=True)
  safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in name)
  base = os.path.join(folder, f"{safe}-{os.getpid()}-{len(differences)}")
  with open(base + ".mlir", "wb") as file:
    file.write(program)
  command = f"hlo4j compare {shlex.quote(base + '.mlir')}"
  for kind, arrays in (("input", inputs), ("expected", outputs)):
    for i, array in enumerate(arrays):
      os.makedirs(f"{base}.{kind}", exist_ok=True)
      np.save(f"{base}.{kind}/{i}.npy", array)
      if kind == "input":
        command += f" --input {shlex.quote(f'{base}.input/{i}.npy')}"
  if outputs:
    command += f" --expected {shlex.quote(base + '.expected')}"
  message = f"hlo4j: {name}: {what}\n{text}\nprogram: {base}.mlir\nagain: {command}"
  differences.append(message)
  if _state.raises:
    raise Difference(message)
  if len(differences) == 1:
    print(message, file=sys.stderr)


def _install(mode, command, raises):
  if _state.server is None:
    _state.server = Server(command)
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
  _state.mode = mode
  _state.raises = raises


def check(command=None, raises=False):
  """Compares every computation with hlo4j, and reports the first that is wrong.

  Args:
    command: the path of bin/hlo4j or a java command; without it, HLO4J.
    raises: whether a wrong result raises Difference.
  """
  _install("check", command, raises)


def evaluate(command=None, raises=False):
  """Takes the results of every computation from hlo4j.

  Args:
    command: the path of bin/hlo4j or a java command; without it, HLO4J.
    raises: whether a fault of hlo4j raises Difference.
  """
  _install("evaluate", command, raises)


def stop():
  """Leaves every computation to JAX again."""
  _state.mode = None
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
def checking(command=None, raises=True):
  """Compares every computation inside of the block."""
  check(command, raises)
  try:
    yield
  finally:
    stop()


def summary():
  """Returns the counts as one line."""
  parts = [f"{counts['computations']} computations", f"{counts['runs']} runs on hlo4j"]
  parts += [f"{count} {verdict}" for verdict, count in sorted(verdicts.items())]
  parts += [f"{count} on JAX ({reason})" for reason, count in fallbacks.most_common()]
  return "hlo4j: " + ", ".join(parts)


def _at_exit():
  print(summary(), file=sys.stderr)
  _state.server.close()


def pytest_addoption(parser):
  with contextlib.suppress(ValueError):  # the installed package has the option
    parser.addoption(
        "--hlo4j", choices=["check", "evaluate"], help="run JAX under check by hlo4j")


def pytest_configure(config):
  mode = config.getoption("--hlo4j")
  if mode:
    check(raises=True) if mode == "check" else evaluate(raises=True)


def pytest_terminal_summary(terminalreporter):
  if _state.server is not None:
    terminalreporter.write_line(summary())


_mode = os.environ.get("HLO4J_JAX")
if _mode == "check":
  check()
elif _mode == "evaluate":
  evaluate()
elif _mode:
  raise ValueError(f"HLO4J_JAX got {_mode!r}, want check or evaluate")
