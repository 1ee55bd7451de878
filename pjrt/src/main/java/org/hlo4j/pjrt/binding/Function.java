package org.hlo4j.pjrt.binding;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A function of a plugin, with its address looked up once. Argument structs are kept for the next
 * call, since their memory is the larger part of what a short call costs.
 */
public final class Function {
  private final Api api;
  private final String name;
  private final MemorySegment address;
  private final StructLayout arguments;
  private final ConcurrentLinkedQueue<Call> free = new ConcurrentLinkedQueue<>();

  Function(Api api, String name, MemorySegment address, StructLayout arguments) {
    this.api = api;
    this.name = name;
    this.address = address;
    this.arguments = arguments;
  }

  /** {@return its name, as {@code PJRT_Client_Compile}} */
  public String name() {
    return name;
  }

  Api api() {
    return api;
  }

  MemorySegment address() {
    return address;
  }

  /** {@return a field of its arguments, for calls that are to be fast} */
  public StructLayout.Field field(String field) {
    return api.requireKnown(arguments.field(field));
  }

  /** {@return arguments for a call, zeroed} To be closed after it. */
  public Call open() {
    Call kept = free.poll();
    if (kept == null) {
      return new Call(this, api.struct(arguments, Arena.ofAuto()).memory());
    }
    kept.clear();
    return kept;
  }

  void keep(Call call) {
    free.add(call);
  }

  StructLayout arguments() {
    return arguments;
  }
}
