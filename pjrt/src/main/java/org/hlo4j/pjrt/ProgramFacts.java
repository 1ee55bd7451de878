package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.BufferTypes;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.EntryLayouts;
import org.hlo4j.pjrt.binding.NamedValues;
import org.hlo4j.pjrt.binding.Struct;

/** What a plugin says of a compiled program: the part of an executable that is not loaded. */
record ProgramFacts(Api api, MemorySegment executable) implements AutoCloseable {

  /** An optimized program, in a format of the plugin's choice. */
  record Optimized(String format, byte[] code) {}

  static ProgramFacts of(Api api, MemorySegment loaded) {
    try (Call call = api.call("PJRT_LoadedExecutable_GetExecutable")) {
      call.set("loaded_executable", loaded).invoke();
      return new ProgramFacts(api, call.pointer("executable"));
    }
  }

  private Call asked(String function) {
    return api.call(function).set(executable);
  }

  /** The shapes of the results of one device. */
  ImmutableList<Shape.Array> results() {
    try (Call types = asked("PJRT_Executable_OutputElementTypes");
        Call sizes = asked("PJRT_Executable_OutputDimensions")) {
      int count = (int) types.invoke().get("num_output_types");
      sizes.invoke();
      long[] ranks = sizes.longs("dim_sizes", "num_outputs");
      MemorySegment numbers =
          types.pointer("output_types").reinterpret((long) count * Integer.BYTES);
      MemorySegment dims =
          sizes.pointer("dims").reinterpret(Arrays.stream(ranks).sum() * Long.BYTES);
      ImmutableList.Builder<Shape.Array> all = ImmutableList.builder();
      long from = 0;
      for (int i = 0; i < count; i++) {
        long[] shape = dims.asSlice(from, ranks[i] * Long.BYTES).toArray(JAVA_LONG);
        from += ranks[i] * Long.BYTES;
        all.add(Shape.of(type(numbers.getAtIndex(JAVA_INT, i)), Dims.of(shape)));
      }
      return all.build();
    }
  }

  private static ElementType type(int number) {
    return BufferTypes.of(number)
        .orElseThrow(() ->
            new HloException(
                Kind.UNSUPPORTED,
                "pjrt: got a result of buffer type " + number + ", want an array that hlo4j has"));
  }

  /** The shapes of the parameters with their layouts, if the plugin gives the optimized program. */
  Optional<ImmutableList<Shape.Array>> parameters() {
    return optimized().flatMap(program -> EntryLayouts.read(program.format(), program.code()));
  }

  /** The optimized program, if the plugin gives it. */
  Optional<Optimized> optimized() {
    if (!api.has("PJRT_Executable_OptimizedProgram")) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined();
        Call call = asked("PJRT_Executable_OptimizedProgram")) {
      Struct program = api.struct("PJRT_Program", arena);
      call.set("program", program).invoke();
      MemorySegment code = arena.allocate(Math.max(1, program.get("code_size")));
      program.set("code", code);
      call.invoke();
      return Optional.of(
          new Optimized(program.text("format", "format_size"), program.bytes("code", "code_size")));
    } catch (PjrtException refused) {
      if (refused.code() == PjrtException.Code.UNIMPLEMENTED) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  String name() {
    try (Call call = asked("PJRT_Executable_Name")) {
      return call.invoke().text("executable_name", "executable_name_size");
    }
  }

  String fingerprint() {
    try (Call call = asked("PJRT_Executable_Fingerprint")) {
      return call.invoke().text("executable_fingerprint", "executable_fingerprint_size");
    }
  }

  ImmutableMap<String, Object> costs() {
    try (Call call = asked("PJRT_Executable_GetCostAnalysis")) {
      call.invoke();
      return NamedValues.read(call.pointer("properties"), call.get("num_properties"));
    }
  }

  ImmutableMap<String, Long> memory() {
    try (Call call = asked("PJRT_Executable_GetCompiledMemoryStats")) {
      return ImmutableMap.copyOf(call.invoke().numbersEndingIn("in_bytes"));
    }
  }

  byte[] serialized() {
    try (Call call = asked("PJRT_Executable_Serialize")) {
      byte[] bytes = call.invoke().bytes("serialized_bytes", "serialized_bytes_size");
      Call.delete(
          call.pointer("serialized_executable_deleter"), call.pointer("serialized_executable"));
      return bytes;
    }
  }

  @Override
  public void close() {
    try (Call call = asked("PJRT_Executable_Destroy")) {
      call.invoke();
    }
  }
}
