"""The command hlo4j, found: by HLO4J, on the PATH, or in this package, whose wheel carries its jars.

The launcher in it finds a Java 25 by HLO4J_JAVA_HOME, JAVA_HOME, the PATH and the usual places.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

_HOME = pathlib.Path(__file__).resolve().parent


class NotFound(Exception):
  """There is no hlo4j."""


def command(given=None):
  """Returns the words of a command that takes hlo4j's arguments.

  Args:
    given: the path of bin/hlo4j, or a java command; without it, HLO4J, the hlo4j on the PATH, or
      the one that this package carries.
  """
  given = given or os.environ.get("HLO4J")
  if given:
    words = [given] if os.path.exists(given) else _words(given)
    found = shutil.which(words[0]) if words else None
    if not found:
      raise NotFound(f"HLO4J got {given!r}, want the path of bin/hlo4j or a java command")
    if _is_own(found):  # which would start itself again and again
      return (_carried() or _on_path() or _none()) + words[1:]
    return words
  return _on_path() or _carried() or _none()


def _words(text):
  if os.name == "nt":  # a backslash is part of a path
    return [word.strip('"') for word in shlex.split(text, posix=False)]
  return shlex.split(text)


def _on_path():
  """The hlo4j on the PATH that is not the script of this package."""
  for folder in os.get_exec_path():
    found = shutil.which("hlo4j", path=folder)
    if found and not _is_own(found):
      return [found]
  return None


def _is_own(script):
  if script.lower().endswith(".exe"):
    return os.path.basename(script).lower() == "hlo4j.exe"
  try:
    with open(script, "rb") as file:
      return b"from hlo4j import main" in file.read(2000)
  except OSError:  # it can be run, but not read
    return False


def _carried():
  if not (_HOME / "lib").is_dir():
    return None
  if os.name == "nt":
    return [str(_HOME / "bin" / "hlo4j.cmd")]
  launcher = str(_HOME / "bin" / "hlo4j")
  return [launcher] if os.access(launcher, os.X_OK) else ["/bin/sh", launcher]


def _none():
  raise NotFound(
      "found no hlo4j: this package carries no jars and none is on the PATH, want a wheel with jars"
      " (.ci/wheel makes it), or HLO4J=/path/to/bin/hlo4j")


def main():
  """Runs hlo4j with the arguments of this process: the one that this package carries first."""
  try:
    words = (None if os.environ.get("HLO4J") else _carried()) or command()
  except NotFound as none:
    sys.exit(f"hlo4j: {none}")
  words += sys.argv[1:]
  if os.name == "nt":
    sys.exit(subprocess.run(words, check=False).returncode)
  os.execvp(words[0], words)
