package org.hlo4j.pjrt.ffi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.pjrt.PjrtException;
import org.hlo4j.pjrt.PjrtException.Code;
import org.hlo4j.pjrt.binding.StructLayout;

/** What a handler threw as an error that a plugin takes, {@code XLA_FFI_Error}. */
final class HandlerErrors {
  private static final StructLayout.Field CREATE =
      Memory.TABLE.struct("XLA_FFI_Api").field("XLA_FFI_Error_Create");
  private static final StructLayout ARGUMENTS = Memory.TABLE.struct("XLA_FFI_Error_Create_Args");
  private static final MethodHandle FUNCTION =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
  private static final int MAX_FRAMES = 20;

  /** The arguments of an error that says no more than that there was one, made beforehand. */
  private static final MemorySegment LAST =
      arguments(Code.RESOURCE_EXHAUSTED, "a custom call's handler failed", Arena.global());

  private HandlerErrors() {}

  /** Returns an error of the plugin, which takes it: whatever happens, never none. */
  static long of(long api, String target, Throwable thrown) {
    try (Arena arena = Arena.ofConfined()) {
      String text = "custom-call: " + target + ": " + summary(thrown) + "\n" + trace(thrown);
      return create(api, arguments(code(thrown), text, arena));
    } catch (Throwable noRoomForText) {
      return create(api, LAST);
    }
  }

  private static MemorySegment arguments(Code code, String text, Arena arena) {
    MemorySegment memory = arena.allocate(ARGUMENTS.sizeof(), Long.BYTES);
    ARGUMENTS.field("struct_size").set(memory, ARGUMENTS.sizeof());
    String line = text.replace('\0', ' '); // where a text of C ends
    ARGUMENTS.field("message").set(memory, arena.allocateFrom(line).address());
    ARGUMENTS.field("errc").set(memory, code.ordinal() + 1L);
    return memory;
  }

  private static long create(long api, MemorySegment arguments) {
    try {
      MemorySegment function = MemorySegment.ofAddress(Memory.get(api, CREATE));
      return (long) FUNCTION.invokeExact(function, arguments.address());
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static String summary(Throwable thrown) {
    if (thrown instanceof HloException refused) {
      return refused.summary();
    }
    String message = thrown.getMessage();
    return thrown.getClass().getName() + (message == null ? "" : ": " + message);
  }

  private static String trace(Throwable thrown) {
    return Arrays.stream(thrown.getStackTrace())
        .takeWhile(frame -> !frame.getClassName().equals(Handler.class.getName()))
        .limit(MAX_FRAMES)
        .map(frame -> "    at " + frame)
        .collect(Collectors.joining("\n"));
  }

  private static Code code(Throwable thrown) {
    return switch (thrown) {
      case PjrtException ofPlugin -> ofPlugin.code();
      case HloException refused ->
          switch (refused.kind()) {
            case PARSE, BUILD, VERIFY, ARGUMENT -> Code.INVALID_ARGUMENT;
            case UNSUPPORTED -> Code.UNIMPLEMENTED;
            case LIMIT -> Code.RESOURCE_EXHAUSTED;
            case INTERRUPTED -> Code.CANCELLED;
            case IO, ENDED -> Code.INTERNAL;
          };
      case OutOfMemoryError full -> Code.RESOURCE_EXHAUSTED;
      default -> Code.INTERNAL;
    };
  }
}
