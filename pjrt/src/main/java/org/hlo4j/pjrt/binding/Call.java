package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.pjrt.PjrtException;

/** The arguments of one call of a plugin, and what it gives back in them. */
public final class Call extends Struct<Call> implements AutoCloseable {
  /**
   * All functions take the address of their arguments and return that of an error, or nothing: then
   * what is in the register of results means nothing.
   */
  private static final MethodHandle FUNCTION =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /** Where the fields after the size and the list of extensions begin. */
  private static final long FIRST = 16;

  private final Function function;

  Call(Function function, MemorySegment memory) {
    super(function.arguments(), memory, function.api());
    this.function = function;
  }

  /** Sets the first field after the head: the object that the function is about. */
  public Call set(MemorySegment object) {
    memory().set(JAVA_LONG, FIRST, object.address());
    return this;
  }

  /**
   * Calls the function.
   *
   * @return this, to read what it gave
   * @throws PjrtException if the plugin refuses
   */
  public Call invoke() {
    HloException.require(
        !Upcalls.isInside(),
        Kind.ARGUMENT,
        "%s: called by a function that the plugin had called, which would wait for itself",
        function.name());
    long error = error();
    if (error != 0) {
      PjrtException refusal = function.api().error(error, function.name());
      if (!function.api().learnsSize(refusal)) {
        throw refusal;
      }
      resize();
      return invoke();
    }
    return this;
  }

  /** Calls the function and returns the address of its error, or 0. */
  long error() {
    return invoke(function.address(), memory());
  }

  /** {@return what a function gives that takes an address and gives one, or nothing} */
  public static long invoke(MemorySegment function, MemorySegment argument) {
    try {
      return (long) FUNCTION.invokeExact(function, argument);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Keeps the memory for the next call. */
  @Override
  public void close() {
    function.free().add(this);
  }
}
