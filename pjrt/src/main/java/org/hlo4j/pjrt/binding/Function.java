package org.hlo4j.pjrt.binding;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;

/**
 * A function of a plugin, with its address looked up once. Argument structs are kept for the next
 * call, since their memory is the larger part of what a short call costs.
 *
 * @param api the interface
 * @param name as {@code PJRT_Client_Compile}
 * @param address where it is
 * @param arguments the struct that it takes
 * @param free arguments of calls that are over
 */
public record Function(
    Api api, String name, MemorySegment address, StructLayout arguments, Queue<Call> free) {
  /** {@return arguments for a call, zeroed} To be closed after it. */
  public Call open() {
    Call kept = free.poll();
    if (kept == null) {
      return new Call(this, api.struct(arguments, Arena.ofAuto()).memory());
    }
    kept.clear();
    return kept;
  }

  /** Calls the function for the object in the first field of its arguments. */
  public void call(long object) {
    try (Call call = open()) {
      call.set(MemorySegment.ofAddress(object)).invoke();
    }
  }
}
