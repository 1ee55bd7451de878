package org.hlo4j.pjrt.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.pjrt.PjrtException.Code;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;
import org.hlo4j.pjrt.binding.View;

/** What a handler threw as an error that a plugin takes, {@code XLA_FFI_Error}. */
final class HandlerErrors {
  private static final int MAX_FRAMES = 20;

  /** The arguments of an error that says no more than that there was one, made beforehand. */
  private static final MemorySegment LAST =
      arguments(Code.RESOURCE_EXHAUSTED, "a custom call's function failed", Arena.global());

  private HandlerErrors() {}

  /** Returns an error of the plugin, which takes it: whatever happens, never none. */
  static long of(View api, String target, Throwable thrown) {
    try (Arena arena = Arena.ofConfined()) {
      String what = thrown instanceof HloException own ? own.summary() : thrown.toString();
      String trace =
          Arrays.stream(thrown.getStackTrace())
              .takeWhile(each -> !each.getClassName().equals(Handler.class.getName()))
              .limit(MAX_FRAMES)
              .map(each -> "\n    at " + each)
              .collect(Collectors.joining());
      String text = "custom-call: " + target + ": " + what + trace;
      return create(api, arguments(code(thrown), text, arena));
    } catch (Throwable noRoomForText) {
      return create(api, LAST);
    }
  }

  private static MemorySegment arguments(Code code, String text, Arena arena) {
    StructLayout layout = Table.FFI.struct("XLA_FFI_Error_Create_Args");
    String line = text.replace('\0', ' '); // where a text of C ends
    return new View(layout, arena.allocate(layout.sizeof(), Long.BYTES))
        .set("struct_size", layout.sizeof())
        .set("message", arena.allocateFrom(line).address())
        .set("errc", Table.FFI.number("XLA_FFI_Error_Code_" + code))
        .memory();
  }

  private static long create(View api, MemorySegment arguments) {
    return Call.invoke(api.pointer("XLA_FFI_Error_Create"), arguments);
  }

  private static Code code(Throwable thrown) {
    if (!(thrown instanceof HloException refused)) {
      return thrown instanceof OutOfMemoryError ? Code.RESOURCE_EXHAUSTED : Code.INTERNAL;
    }
    return switch (refused.kind()) {
      case PARSE, BUILD, VERIFY, ARGUMENT -> Code.INVALID_ARGUMENT;
      case UNSUPPORTED -> Code.UNIMPLEMENTED;
      case LIMIT -> Code.RESOURCE_EXHAUSTED;
      case INTERRUPTED -> Code.CANCELLED;
      case IO, ENDED -> Code.INTERNAL;
    };
  }
}
