"""JAX under check by the hlo4j that HLO4J names, or that is on the PATH."""

import contextlib
import os
import pathlib
import subprocess
import sys

import pytest

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
jax = pytest.importorskip("jax")

import hlo4j_jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec


@pytest.fixture(autouse=True)
def fixture_folder(tmp_path, monkeypatch):
  monkeypatch.setenv("HLO4J_SAVE", str(tmp_path))
  hlo4j_jax._state.reports = False
  hlo4j_jax._reported.clear()
  for counter in vars(hlo4j_jax.counted).values():
    counter.clear()
  yield
  hlo4j_jax.stop()


@pytest.fixture(name="off")
def fixture_off(monkeypatch):
  """Makes XLA's results too large by 1."""

  def execute(self, *args):
    return [jax.device_put(np.asarray(result) + 1) for result in original(self, *args)]

  hlo4j_jax.check()
  original = hlo4j_jax._state.originals["execute"]
  monkeypatch.setitem(hlo4j_jax._state.originals, "execute", execute)
  yield
  monkeypatch.undo()


def two(x):
  return x * 3, x - 1


def lines():
  return hlo4j_jax.summary().splitlines()


def test_right_result():
  with hlo4j_jax.checking():
    assert float(jax.jit(lambda x: x * 3)(2.0)) == 6
  assert lines() == ["hlo4j: 1 computations, 1 runs on hlo4j, 1 same"]


def test_every_difference_is_told_once_by_function_and_output(off, capsys):
  f = jax.jit(two)
  for i in range(3):
    f(float(i))
  jax.jit(jnp.negative)(2.0)
  told = capsys.readouterr().err
  assert told.count("hlo4j: jit(two): wrong\nresult 0, f32[]: wrong") == 1
  assert told.count("hlo4j: jit(negative): wrong\nresult, f32[]: wrong") == 1
  assert lines()[0].endswith("4 runs on hlo4j, 4 wrong")
  assert lines()[1] == (
      "hlo4j: 7 of 7 outputs wrong: jit(two) result 0, 1 (3 times); jit(negative) result 0")


@pytest.mark.parametrize("ignore", [
    "two", "t*", "jit(two)", ["no", "two"], lambda name, program: "stablehlo.subtract" in program])
def test_ignored(off, ignore):
  with hlo4j_jax.checking(ignore=ignore):
    jax.jit(two)(1.0)
    with pytest.raises(hlo4j_jax.Difference, match="jit.negative.: wrong"):
      jax.jit(jnp.negative)(2.0)
  assert lines()[-1] == "hlo4j: on JAX (ignored): jit(two)"


def test_difference_raises_and_its_command_finds_it(off):
  with pytest.raises(hlo4j_jax.Difference) as raised:
    with hlo4j_jax.checking():
      jax.jit(two)(2.0)
  again = str(raised.value).rsplit("again: hlo4j", 1)[1]
  words = " ".join(hlo4j_jax.client.hlo4j.command())
  assert subprocess.run(words + again, shell=True, check=False).returncode == 1


def test_every():
  with hlo4j_jax.checking(every=3):
    f = jax.jit(two)
    for i in range(7):
      f(float(i))
  assert lines()[0] == (
      "hlo4j: 1 computations, 3 runs on hlo4j, 3 same, 4 on JAX (checked every 3 runs)")


def test_budget():
  with pytest.raises(hlo4j_jax.NothingChecked, match="the budget of 0 s is spent.: jit.two."):
    with hlo4j_jax.checking(budget=0):
      jax.jit(two)(1.0)


def test_nothing_in_the_block():
  with pytest.raises(hlo4j_jax.NothingChecked) as raised:
    with hlo4j_jax.checking():
      pass
  assert str(raised.value) == (
      "hlo4j: nothing was checked\n  0 computations, 0 runs on hlo4j")


def test_what_is_left_to_jax_is_named():
  def calls_back(x):
    return jax.pure_callback(lambda y: y, x, x)

  with pytest.raises(hlo4j_jax.NothingChecked, match="on JAX .host callbacks.: jit.calls_back."):
    with hlo4j_jax.checking():
      jax.jit(calls_back)(1.0)


@pytest.mark.parametrize("outputs, is_checked, told", [
    ("undecided undecided", False, ["2 of 2 outputs undecided: jit(two) result 0, 1"]),
    ("same undecided", True, ["1 of 2 outputs undecided: jit(two) result 1"]),
    ("same unspecified", True, ["1 of 2 outputs unspecified: jit(two) result 1"]),
    ("undecided unspecified", True, ["1 of 2 outputs unspecified: jit(two) result 1",
                                     "1 of 2 outputs undecided: jit(two) result 0"]),
])
def test_outputs_that_are_neither_right_nor_wrong(monkeypatch, outputs, is_checked, told):
  hlo4j_jax.check()
  verdict = "undecided" if "undecided" in outputs else "unspecified"
  answer = [verdict.encode(), b"", outputs.encode()]
  monkeypatch.setattr(hlo4j_jax._state.server, "ask", lambda *_: answer)
  with contextlib.ExitStack() as stack:
    if not is_checked:
      stack.enter_context(pytest.raises(hlo4j_jax.NothingChecked))
    stack.enter_context(hlo4j_jax.checking())
    jax.jit(two)(1.0)
  assert lines() == [f"hlo4j: 1 computations, 1 runs on hlo4j, 1 {verdict}",
                     *("hlo4j: " + line for line in told)]


def test_undecided_outputs_of_a_wrong_run_are_named(monkeypatch, capsys):
  hlo4j_jax.check()
  text = b"result 0, f32[]: undecided\nresult 1, f32[]: wrong"
  monkeypatch.setattr(
      hlo4j_jax._state.server, "ask", lambda *_: [b"wrong", text, b"undecided wrong"])
  jax.jit(two)(1.0)
  assert "hlo4j: jit(two): wrong\n" + text.decode() in capsys.readouterr().err
  assert lines()[1:] == ["hlo4j: 1 of 2 outputs undecided: jit(two) result 0",
                         "hlo4j: 1 of 2 outputs wrong: jit(two) result 1"]


def test_check_goes_on_after_stop_and_after_the_process_was_killed(capsys):
  hlo4j_jax.check()
  jax.jit(two)(1.0)
  hlo4j_jax._state.server._process.kill()
  hlo4j_jax._state.server._process.wait()
  jax.jit(two)(1.0)
  hlo4j_jax.stop()
  hlo4j_jax.check()
  jax.jit(two)(1.0)
  assert "ended with status -9 between two requests" in capsys.readouterr().err
  assert lines()[0].endswith("3 runs on hlo4j, 3 same")


@pytest.mark.parametrize("begin", [hlo4j_jax.check, hlo4j_jax.evaluate])
def test_several_devices(begin):
  begin(raises=True)
  mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
  rows = NamedSharding(mesh, PartitionSpec("x", "y"))
  x = jax.device_put(jnp.arange(32.0).reshape(8, 4), rows)
  sums = jax.jit(jax.shard_map(
      lambda a: jax.lax.psum(a, "x"), mesh=mesh, in_specs=PartitionSpec("x", "y"),
      out_specs=PartitionSpec(None, "y")))(x)
  assert sums.tolist() == (x[:4] + x[4:]).tolist()
  assert sums.sharding.spec == PartitionSpec(None, "y")
  assert hlo4j_jax.fallbacks == {}


def test_evaluate_honours_debug_nans():
  hlo4j_jax.evaluate()
  with jax.debug_nans(True), pytest.raises(FloatingPointError, match="encountered in log"):
    jax.jit(jnp.log)(-1.0)


@pytest.mark.parametrize("program, status, told", [
    ("jax.jit(lambda x: x * 3)(2.0)", 0, "hlo4j: 1 computations, 1 runs on hlo4j, 1 same\n"),
    ("pass", 1, "hlo4j: nothing was checked\n  0 computations, 0 runs on hlo4j\n"),
    ("hlo4j_jax.stop()", 1, "hlo4j: nothing was checked\n  0 computations, 0 runs on hlo4j\n"),
])
def test_program_fails_if_nothing_was_checked(program, status, told):
  ran = subprocess.run(
      [sys.executable, "-c", "import hlo4j_jax, jax\n" + program], text=True, capture_output=True,
      env={**os.environ, "HLO4J_JAX": "check",
           "PYTHONPATH": str(pathlib.Path(hlo4j_jax.__file__).parent)}, check=False)
  assert ran.returncode == status
  assert ran.stderr.endswith(told)  # after lines of progress


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
@pytest.mark.parametrize("body, status, told", [
    ("jax.jit(lambda x: x * 3)(2.0)", 0, "hlo4j: 4 computations, 4 runs on hlo4j, 4 same"),
    ("pass", 1, "hlo4j: nothing was checked"),
])
def test_pytest(pytester, monkeypatch, workers, body, status, told):
  if workers:
    pytest.importorskip("xdist")
  monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(hlo4j_jax.__file__).parent))
  pytester.makepyfile(
      f"import jax, pytest\n@pytest.mark.parametrize('i', range(4))\ndef test(i): {body}")
  ran = pytester.runpytest_subprocess("-p", "hlo4j_jax", "--hlo4j=check", *workers)
  assert ran.ret == status
  ran.stdout.fnmatch_lines([told])
  ran.assert_outcomes(passed=4)
