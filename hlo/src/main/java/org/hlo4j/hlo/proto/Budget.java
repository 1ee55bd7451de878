package org.hlo4j.hlo.proto;

/** A limit on the number of instructions that are read, so that a file cannot exhaust the heap. */
final class Budget {
  private static final long BYTES_PER_INSTRUCTION = 1000;

  private final long most = Runtime.getRuntime().maxMemory() / BYTES_PER_INSTRUCTION / 2;
  private long used;

  void take(ProtoMessage computation, int instructions) {
    used += instructions;
    if (used > most) {
      throw computation.refusal(
          "got more than " + most + " instructions, want fewer or a larger -Xmx");
    }
  }
}
