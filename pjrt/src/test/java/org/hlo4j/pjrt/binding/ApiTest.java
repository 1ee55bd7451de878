package org.hlo4j.pjrt.binding;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.pjrt.PjrtException;
import org.hlo4j.pjrt.binding.FakePlugin.Sizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins of all versions, whose functions are written here. */
final class ApiTest {
  private static String refusal(Runnable call) {
    return assertThrows(HloException.class, call::run).getMessage();
  }

  private static Api api(FakePlugin plugin) {
    return new Api(plugin.table(), "fake.so");
  }

  /**
   * The sizes that a plugin of each version takes: its own, where that is known; XLA's also take
   * longer ones, and of a newer plugin the size is what it names in its refusal.
   */
  @ParameterizedTest
  @CsvSource({
    "57, AT_LEAST, 0", "57, EXACTLY, 0", "81, AT_LEAST, 0", "81, EXACTLY, 0",
    "114, AT_LEAST, 0", "114, EXACTLY, 0", "130, AT_LEAST, 0", "130, EXACTLY, 0",
    "130, AT_LEAST, 24", "130, EXACTLY, 24", "130, AT_LEAST, 96", "130, EXACTLY, 96"
  })
  void sizesOfStructs(int minor, Sizes rule, long growth) {
    FakePlugin plugin =
        new FakePlugin(0, minor, rule, growth)
            .with("PJRT_Plugin_Attributes", call -> call.set("num_attributes", 7))
            .with("PJRT_Device_MemoryStats", call -> call.set("bytes_in_use", 42));
    Api api = api(plugin);
    for (int i = 0; i < 2; i++) {
      try (Call call = api.call("PJRT_Plugin_Attributes")) {
        assertThat(call.invoke().get("num_attributes")).isEqualTo(7);
      }
      try (Call call = api.call("PJRT_Device_MemoryStats")) {
        assertThat(call.set("device", 5).invoke().get("bytes_in_use")).isEqualTo(42);
      }
    }
    assertThat(plugin.liveErrors()).isEqualTo(0);
  }

  /** A struct that another points to is sent again with the right size, too. */
  @Test
  void sizesOfNestedStructs() {
    StructLayout program = Table.PJRT.struct("PJRT_Program");
    FakePlugin plugin = new FakePlugin(0, 130, Sizes.EXACTLY, 8);
    plugin.with(
        "PJRT_Client_Compile",
        call -> {
          plugin.checkSize(
              program, MemorySegment.ofAddress(call.get("program")).reinterpret(program.sizeof()));
          call.set("executable", 11);
        });
    Api api = api(plugin);
    try (Arena arena = Arena.ofConfined();
        Call call = api.call("PJRT_Client_Compile")) {
      call.set("program", api.struct("PJRT_Program", arena).set("code_size", 5));
      assertThat(call.invoke().get("executable")).isEqualTo(11);
    }
  }

  /**
   * XLA's parser of MLIR reads on behind the bytes of a program until it meets a zero, and that of
   * bytecode wants sections at multiples of up to 64 bytes.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense"})
  void bytesAreAlignedAndEndWithAZero(String code) {
    Api api = api(new FakePlugin(0, 130, Sizes.AT_LEAST, 0));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment used = arena.allocate(512, 64).fill((byte) 'x').asSlice(1);
      SegmentAllocator dirty = SegmentAllocator.slicingAllocator(used);
      Struct<?> program =
          api.struct("PJRT_Program", arena).set("code", code.getBytes(UTF_8), dirty);
      assertThat(program.get("code_size")).isEqualTo(code.length());
      assertThat(program.get("code") % 64).isEqualTo(0);
      assertThat(MemorySegment.ofAddress(program.get("code")).reinterpret(16).getString(0))
          .isEqualTo(code);
      View option =
          Table.PJRT.view(
              "PJRT_NamedValue",
              NamedValues.write(ImmutableMap.of("name", code), api, dirty).address());
      assertThat(option.pointer("name").reinterpret(16).getString(0)).isEqualTo("name");
      assertThat(option.pointer("string_value").reinterpret(16).getString(0)).isEqualTo(code);
      assertThat(option.get("value_size")).isEqualTo(code.length());
    }
  }

  /** One that grew by more than there is room for is refused in the plugin's words. */
  @Test
  void structsThatGrewBeyondAllRoom() {
    Api api =
        api(
            new FakePlugin(0, 200, Sizes.AT_LEAST, 1000)
                .with("PJRT_Plugin_Initialize", call -> {}));
    try (Call call = api.call("PJRT_Plugin_Initialize")) {
      assertThat(refusal(call::invoke))
          .isEqualTo(
              "PJRT_Plugin_Initialize: INVALID_ARGUMENT: Unexpected PJRT_Plugin_Initialize_Args"
                  + " size: expected 1016, got 80. Check installed software versions.");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 56 | fake.so: got version 0.56 of the PJRT C API, want 0.57 or later of major version"
            + " 0",
        "1 | 3  | fake.so: got version 1.3 of the PJRT C API, want 0.57 or later of major version 0"
      })
  void versionsThatAreRefused(int major, int minor, String message) {
    FakePlugin plugin = new FakePlugin(major, minor, Sizes.AT_LEAST, 0);
    assertThat(refusal(() -> api(plugin))).isEqualTo(message);
  }

  @Test
  void tableThatIsNull() {
    assertThat(refusal(() -> new Api(MemorySegment.NULL, "fake.so")))
        .isEqualTo("fake.so: GetPjrtApi returned null");
  }

  /** Functions beyond the table of an old plugin, and those that one left out. */
  @Test
  void functionsThatAreMissing() {
    Api old = api(new FakePlugin(0, 57, Sizes.AT_LEAST, 0));
    assertThat(refusal(() -> old.call("PJRT_LoadedExecutable_GetDeviceAssignment")))
        .isEqualTo(
            "PJRT_LoadedExecutable_GetDeviceAssignment: got a plugin of version 0.57 without it,"
                + " want one that has it; it is there since 0.79");
    assertThat(refusal(() -> old.call("PJRT_Client_Compile")))
        .isEqualTo(
            "PJRT_Client_Compile: got a plugin of version 0.57 without it, want one that has it;"
                + " it is there since 0.57");
    assertThat(old.missing()).contains("PJRT_Client_Compile");
    assertThat(old.missing()).contains("PJRT_Event_Create");
    assertThat(old.missing()).doesNotContain("PJRT_Error_Message");
    assertThat(old.missing()).hasSize(135);
    assertThat(refusal(() -> old.call("PJRT_Nonsense")))
        .isEqualTo("pjrt: got PJRT_Nonsense, want a name of the table");
  }

  @Test
  void fieldsThatAreMissing() {
    Api old = api(new FakePlugin(0, 57, Sizes.AT_LEAST, 0));
    try (Arena arena = Arena.ofConfined()) {
      Struct<?> options = old.struct("PJRT_ExecuteOptions", arena);
      assertThat(options.get("struct_size")).isEqualTo(72);
      assertThat(refusal(() -> options.set("context", 1)))
          .isEqualTo(
              "PJRT_ExecuteOptions.context: got a plugin of version 0.57, want 0.64 or later");
      assertThat(refusal(() -> options.set("nonsense", 1)))
          .isEqualTo("pjrt: got PJRT_ExecuteOptions.nonsense, want a field of the table");
    }
  }

  /** P30: the size is the end of the last field, not that of the struct. */
  @Test
  void sizesEndWithTheLastField() {
    StructLayout statistics = Table.PJRT.struct("PJRT_Device_MemoryStats_Args");
    assertThat(statistics.sizeFor(81)).isEqualTo(185);
    assertThat(statistics.sizeFor(113)).isEqualTo(201);
    assertThat(statistics.sizeof()).isEqualTo(208);
  }

  /** The first line is the message, the rest a detail; the error is freed. */
  @Test
  void errorsOfManyLines() {
    FakePlugin plugin =
        new FakePlugin(0, 81, Sizes.AT_LEAST, 0)
            .with(
                "PJRT_Plugin_Initialize",
                call -> {
                  throw new IllegalStateException("no device\n  at a.cc:12\n  at b.cc:3");
                });
    try (Call call = api(plugin).call("PJRT_Plugin_Initialize")) {
      PjrtException refused = assertThrows(PjrtException.class, call::invoke);
      assertThat(refused.code()).isEqualTo(PjrtException.Code.INVALID_ARGUMENT);
      assertThat(refused.summary())
          .isEqualTo("PJRT_Plugin_Initialize: INVALID_ARGUMENT: no device");
      assertThat(refused.facts().get(0).text()).isEqualTo("at a.cc:12\n  at b.cc:3");
      assertThat(refused.with("more", "text")).isInstanceOf(PjrtException.class);
    }
    assertThat(plugin.liveErrors()).isEqualTo(0);
  }

  /** P31: unknown extensions are kept, and a list that goes in circles ends. */
  @Test
  void extensions() {
    Arena arena = Arena.global();
    MemorySegment ffi = extension(arena, 5, 48);
    MemorySegment unknown = extension(arena, 99, 24);
    ffi.set(ADDRESS, 16, unknown);
    unknown.set(ADDRESS, 16, ffi);
    Api api = api(new FakePlugin(0, 81, Sizes.AT_LEAST, 0).extensions(ffi));
    assertThat(api.extensions().keySet()).containsExactly(5, 99);
    assertThat(requireNonNull(api.extensions().get(5)).name()).isEqualTo("FFI");
    assertThat(requireNonNull(api.extensions().get(5)).memory().byteSize()).isEqualTo(48);
    assertThat(requireNonNull(api.extensions().get(99)).name()).isEqualTo("99");
  }

  private static MemorySegment extension(Arena arena, int type, long size) {
    MemorySegment memory = arena.allocate(size, 8);
    memory.set(JAVA_LONG, 0, size);
    memory.set(JAVA_INT, 8, type);
    return memory;
  }

  /** P27: a function that the plugin has called would wait for itself. */
  @Test
  void callsInsideOfACallback() {
    Api api =
        api(new FakePlugin(0, 81, Sizes.AT_LEAST, 0).with("PJRT_Plugin_Initialize", call -> {}));
    Upcalls.inside(() -> {
      try (Call call = api.call("PJRT_Plugin_Initialize")) {
        assertThat(refusal(call::invoke))
            .isEqualTo(
                "PJRT_Plugin_Initialize: called by a function that the plugin had called,"
                    + " which would wait for itself");
      }
    });
    try (Call call = api.call("PJRT_Plugin_Initialize")) {
      call.invoke();
    }
  }

  /** P13: a handler that a plugin changes is put back, and named. */
  @Test
  void signalHandlersArePutBack() throws Throwable {
    int harmless = 12; // SIGUSR2
    var sigaction =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("sigaction"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    MemorySegment ignore = Arena.global().allocate(256, 8).fill((byte) 0);
    ignore.set(JAVA_LONG, 0, 1); // SIG_IGN
    MemorySegment before = Arena.global().allocate(256, 8);
    MemorySegment after = Arena.global().allocate(256, 8);
    int read = (int) sigaction.invokeExact(harmless, MemorySegment.NULL, before);
    ImmutableList.Builder<Integer> changed = ImmutableList.builder();
    int set =
        SignalHandlers.keeping(
            () -> {
              try {
                return (int) sigaction.invokeExact(harmless, ignore, MemorySegment.NULL);
              } catch (Throwable impossible) {
                throw new AssertionError(impossible);
              }
            },
            changed);
    int again = (int) sigaction.invokeExact(harmless, MemorySegment.NULL, after);
    assertThat(read | set | again).isEqualTo(0);
    assertThat(changed.build()).containsExactly(12);
    assertThat(after.get(JAVA_LONG, 0)).isEqualTo(before.get(JAVA_LONG, 0));
  }
}
