"""The option --hlo4j of pytest. JAX is imported only where it is given.

With pytest-xdist each worker checks what it runs; the controller sums up their counts.
"""

import pytest


def pytest_addoption(parser):
  parser.getgroup("hlo4j").addoption(
      "--hlo4j", choices=["check", "evaluate"], help="run JAX under check by hlo4j")


def pytest_configure(config):
  if config.getoption("--hlo4j"):
    config.pluginmanager.register(_Check(config), "hlo4j_check")


def _is_controller(config):
  return not hasattr(config, "workerinput") and config.getoption("dist", "no") != "no"


class _Check:
  """The check of a session."""

  def __init__(self, config):
    from hlo4j import tally

    self.total = tally.Tally()
    self.is_controller = _is_controller(config)
    self.lost = []  # workers that ended without their counts
    if not self.is_controller:
      import hlo4j_jax

      self.jax = hlo4j_jax
      hlo4j_jax._state.reports = False
      begin = hlo4j_jax.check if config.getoption("--hlo4j") == "check" else hlo4j_jax.evaluate
      try:
        begin(raises=True)
      except hlo4j_jax.Died as none:
        raise pytest.UsageError(str(none)) from none

  @pytest.hookimpl(optionalhook=True)
  def pytest_testnodedown(self, node):
    lists = getattr(node, "workeroutput", {}).get("hlo4j")
    if lists is None:
      self.lost.append(node.gateway.id)
    else:
      self.total.add(lists)

  @pytest.hookimpl(tryfirst=True)
  def pytest_sessionfinish(self, session, exitstatus):
    if not self.is_controller:
      self.total = self.jax.counted
    if hasattr(session.config, "workerinput"):
      session.config.workeroutput["hlo4j"] = self.total.as_lists()
    elif exitstatus == pytest.ExitCode.OK and self.total.nothing() and session.testscollected:
      session.exitstatus = pytest.ExitCode.TESTS_FAILED

  def pytest_terminal_summary(self, terminalreporter):
    nothing = self.total.nothing()
    for line in [nothing] if nothing else self.total.lines():
      terminalreporter.write_line(line)
    for worker in self.lost:
      terminalreporter.write_line(f"hlo4j: {worker} ended without its counts")

  def pytest_unconfigure(self):
    if not self.is_controller:
      self.jax.stop()
