"""The client of `hlo4j serve`, with a process that dies and sleeps when it is told to."""

import _thread
import pathlib
import sys
import threading
import time

import pytest
from hlo4j import client

FAKE = f"{sys.executable} {pathlib.Path(__file__).with_name('fake_hlo4j.py')}"


@pytest.fixture(name="server")
def fixture_server():
  server = client.Server(FAKE)
  yield server
  server.close()


def test_answers(server):
  program = client.Program(b"echo")
  assert server.ask("checking f", b"R", program, b"1", b"22") == [b"1", b"22"]
  assert server.ask("checking f", b"R", program) == []


def test_refusal_is_remembered(server):
  program = client.Program(b"bad")
  for _ in range(2):
    with pytest.raises(client.Refusal, match="UNSUPPORTED: bad is known to no evaluator"):
      server.ask("checking f", b"R", program)


def test_killed_between_requests(server, capfd):
  program = client.Program(b"echo")
  server.ask("checking f", b"R", program)
  server._process.kill()
  server._process.wait()
  assert server.ask("checking f", b"R", program, b"1") == [b"1"]
  assert capfd.readouterr().err == (
      "hlo4j: hlo4j ended with status -9 between two requests, restart 1 of 3\n")


def test_killer_is_named_and_left_alone(server, capfd):
  killer, program = client.Program(b"die"), client.Program(b"echo")
  for _ in range(4):
    with pytest.raises(client.Died, match="hlo4j ended with status 3 while checking f"):
      server.ask("checking f", b"R", killer)
    assert server.ask("checking g", b"R", program, b"1") == [b"1"]
  assert capfd.readouterr().err == (
      "hlo4j: hlo4j ended with status 3 while checking f, restart 1 of 3\n"
      "hlo4j: hlo4j ended with status 3 while checking f, restart 2 of 3\n")


def test_restarts_are_limited(server):
  for _ in range(4):
    with pytest.raises(client.Died, match="while checking f$"):
      server.ask("checking f", b"R", client.Program(b"die"))
  with pytest.raises(client.Died, match="it has died 4 times, and is not started again"):
    server.ask("checking f", b"R", client.Program(b"echo"))


@pytest.mark.parametrize("seconds, is_restarted", [("1.5", False), ("60", True)])
def test_interrupt(server, seconds, is_restarted):
  before = server._process
  threading.Timer(0.3, _thread.interrupt_main).start()
  with pytest.raises(KeyboardInterrupt):
    server.ask("checking f", b"R", client.Program(f"sleep {seconds}".encode()))
  assert server.ask("checking g", b"R", client.Program(b"echo"), b"1") == [b"1"]
  assert (server._process is not before) == is_restarted


def test_progress(server, capfd):
  server.ask("checking f", b"R", client.Program(b"sleep 4.2"))
  assert capfd.readouterr().err == "hlo4j: checking f, 2 s\nhlo4j: checking f, 4 s\n"


def test_no_command():
  with pytest.raises(client.Died, match="HLO4J got '/no/such', want the path of bin/hlo4j"):
    client.Server("/no/such")


def test_command_that_ends():
  with pytest.raises(client.Died, match="hlo4j ended with status 0 while starting"):
    client.Server(f"{sys.executable} -c pass")
