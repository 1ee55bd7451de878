"""A command that speaks the protocol of `hlo4j serve`, and does what the texts of programs say.

`die`: it ends when it is asked to run it. `sleep N`: a run takes N seconds. Everything else: the
answer to a run is its arguments.
"""

import struct
import sys
import time


def read():
  head = sys.stdin.buffer.read(5)
  if len(head) < 5:
    sys.exit(0)
  code, count = struct.unpack(">ci", head)
  lengths = (struct.unpack(">q", sys.stdin.buffer.read(8))[0] for _ in range(count))
  return code, [sys.stdin.buffer.read(length) for length in lengths]


def write(code, parts):
  message = code + struct.pack(">i", len(parts))
  for part in parts:
    message += struct.pack(">q", len(part)) + part
  sys.stdout.buffer.write(message)
  sys.stdout.buffer.flush()


def main():
  programs = []
  while True:
    code, parts = read()
    if code == b"L" and parts[0] == b"bad":
      write(b"!", [b"UNSUPPORTED", b"bad is known to no evaluator"])
    elif code == b"L":
      programs.append(parts[0].decode())
      write(b"=", [str(len(programs) - 1).encode()])
    elif not parts:
      write(b"!", [b"ARGUMENT", b"R got no parts"])
    else:
      program = programs[int(parts[0])]
      if program == "die":
        sys.exit(3)
      if program.startswith("sleep"):
        time.sleep(float(program.split()[1]))
      write(b"=", parts[1:])


main()
