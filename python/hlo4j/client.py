"""A client of `hlo4j serve`: it starts the process, and starts it again when it has died."""

import collections
import concurrent.futures
import contextlib
import os
import queue
import struct
import subprocess
import sys
import threading
import time

import hlo4j

# How often the process is started again in the place of one that died.
MAX_RESTARTS = 3
# How often a program may kill it before it is left alone.
MAX_DEATHS = 2


class Refusal(Exception):
  """hlo4j refuses a request."""

  def __init__(self, kind, message):
    super().__init__(f"{kind}: {message}")
    self.kind = kind


class Died(Exception):
  """The process of hlo4j cannot be started, or has ended."""


class Program:
  """A program as text, and what the process that has loaded it calls it."""

  def __init__(self, text):
    self.text = text
    self.process = None
    self.identity = None  # the refusal, if it refuses the program
    self.deaths = []  # how the process died of it


class Server:
  """A child process `hlo4j serve`. Threads may share it; their requests wait for each other."""

  def __init__(self, command=None):
    try:
      self._words = hlo4j.command(command)
    except hlo4j.NotFound as none:
      raise Died(str(none)) from none
    self._lock = threading.Lock()
    self._unused = collections.deque()
    self._pending = None  # the answer to a request that Ctrl-C has interrupted
    self._child = None
    self._deaths = 0
    self._death = ""
    with self._lock:
      self._start()

  @property
  def _process(self):
    return self._child and self._child.process

  def ask(self, what, code, program, *parts):
    """Sends a request about a program, which is loaded first, and returns the parts of the answer.

    Args:
      what: what is done and to which function, for the user who waits for it.
      code: the code of the request.
      program: the program.
      parts: the parts of the request that follow the id of the program.
    """
    if len(program.deaths) >= MAX_DEATHS:
      raise Died(program.deaths[-1])
    with self._lock:
      self._revive()
      try:
        return self._answer(what, code, self._loaded(what, program), *parts)
      except (OSError, EOFError):
        self._bury(f"while {what}")
        program.deaths.append(self._death)
        raise Died(self._death) from None

  def _loaded(self, what, program):
    if program.process is not self._child.process:
      program.process, program.identity = self._child.process, None
    if program.identity is None:
      try:
        (program.identity,) = self._answer(what, b"L", program.text)
      except Refusal as refusal:
        program.identity = refusal
    if isinstance(program.identity, Refusal):
      raise program.identity
    return program.identity

  def forget(self, program):
    """Lets hlo4j forget a program, once it is asked something; called by the garbage collector."""
    self._unused.append(program)

  def close(self):
    """Ends the process."""
    if self._child:
      self._child.close(at_once=self._pending is not None)

  def _revive(self):
    """Starts the process if it is not there, or busy with what was interrupted."""
    if self._child and self._child.pid != os.getpid():  # of a process that was forked
      self._child = self._pending = None
    if self._pending:
      if not concurrent.futures.wait([self._pending], timeout=2).done:
        self._child.close(at_once=True)
        self._child = None
      self._pending = None
    if self._child and self._child.process.poll() is not None:
      self._bury("between two requests")
    if not self._child:
      self._start()
    while self._unused:
      program = self._unused.popleft()
      if program.process is self._child.process and isinstance(program.identity, bytes):
        with contextlib.suppress(Refusal):
          self._answer("forgetting a program", b"U", program.identity)

  def _start(self):
    if self._deaths > MAX_RESTARTS:
      raise Died(f"{self._death}; it has died {self._deaths} times, and is not started again")
    self._child = _Child(self._words)
    try:
      with contextlib.suppress(Refusal):
        self._answer("starting", b"R")  # is it there?
    except (OSError, EOFError):
      status = self._child.close()
      self._child = None
      raise Died(f"hlo4j ended with status {status} while starting") from None

  def _answer(self, what, code, *parts):
    answer = self._child.send(code, parts)
    try:
      return _wait(what, answer)
    finally:
      if not answer.done():
        self._pending = answer

  def _bury(self, when):
    """Tells that the process has died."""
    self._deaths += 1
    self._death = f"hlo4j ended with status {self._child.close()} {when}"
    again = f", restart {self._deaths} of {MAX_RESTARTS}" if self._deaths <= MAX_RESTARTS else ""
    print(f"hlo4j: {self._death}{again}", file=sys.stderr)
    self._child = None


def _wait(what, answer):
  """Waits for an answer, and says so on stderr after 2 seconds, 4 seconds, 8 seconds and so on."""
  start = time.monotonic()
  seconds = 2
  while not concurrent.futures.wait([answer], timeout=start + seconds - time.monotonic()).done:
    print(f"hlo4j: {what}, {seconds} s", file=sys.stderr)
    seconds *= 2
  return answer.result()


class _Child:
  """A process, and the thread that talks to it, so that Ctrl-C never comes within a message."""

  def __init__(self, words):
    deadline = os.environ.get("HLO4J_DEADLINE", "30s")
    self.pid = os.getpid()
    # Ctrl-C is for Python; the child ends when its standard input is closed.
    self.process = subprocess.Popen(
        [*words, "serve", "--deadline", deadline],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    self._requests = queue.SimpleQueue()
    threading.Thread(target=self._talk, name="hlo4j", daemon=True).start()

  def send(self, code, parts):
    """Returns the answer to a request, once it is there."""
    answer = concurrent.futures.Future()
    self._requests.put((code, parts, answer))
    return answer

  def _talk(self):
    while True:
      request = self._requests.get()
      if request is None:
        return
      code, parts, answer = request
      try:
        answer.set_result(self._exchange(code, parts))
      except (OSError, EOFError, ValueError, Refusal) as problem:
        answer.set_exception(problem if isinstance(problem, (Refusal, OSError)) else EOFError())

  def _exchange(self, code, parts):
    pipe = self.process.stdin
    pipe.write(code + struct.pack(">i", len(parts)))
    for part in parts:
      pipe.write(struct.pack(">q", len(part)))
      pipe.write(part)
    pipe.flush()
    answer = self._read(1)
    (count,) = struct.unpack(">i", self._read(4))
    results = [self._read(*struct.unpack(">q", self._read(8))) for _ in range(count)]
    if answer == b"!":
      raise Refusal(*[part.decode() for part in results])
    return results

  def _read(self, count):
    data = self.process.stdout.read(count)
    if len(data) < count:
      raise EOFError
    return data

  def close(self, at_once=False):
    """Ends the process, after 2 seconds if it is at work, and returns its status."""
    if at_once:
      self.process.kill()
    self._requests.put(None)
    with contextlib.suppress(OSError, ValueError):
      self.process.stdin.close()
    try:
      self.process.wait(2)
    except subprocess.TimeoutExpired:
      self.process.kill()
      self.process.wait()
    return self.process.returncode
