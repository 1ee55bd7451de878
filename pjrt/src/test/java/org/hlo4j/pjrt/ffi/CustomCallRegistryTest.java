package org.hlo4j.pjrt.ffi;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.hlo4j.hlo.HloException;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plugins whose extension for custom calls is missing or another one. */
final class CustomCallRegistryTest {
  private static final StructLayout API = Table.PJRT.struct("PJRT_Api");
  private static final StructLayout BASE = Table.PJRT.struct("PJRT_Extension_Base");
  private static final int FFI = 5;
  private static final int PROFILER = 1;

  /** Returns the table of a plugin without functions that has one extension. */
  private static Api plugin(int minor, int type, long size, long function) {
    Arena arena = Arena.ofAuto();
    MemorySegment extension = arena.allocate(64, Long.BYTES);
    BASE.field("struct_size").set(extension, size);
    BASE.field("type").set(extension, type);
    extension.set(JAVA_LONG, 40, function);
    MemorySegment table = arena.allocate(API.sizeof(), Long.BYTES);
    table.set(JAVA_LONG, 0, API.sizeof());
    API.field("extension_start").set(table, extension.address());
    StructLayout version = Table.PJRT.struct("PJRT_Api_Version");
    version
        .field("minor_version")
        .set(table.asSlice(API.field("pjrt_api_version").offset()), minor);
    keep = arena;
    return new Api(table, "fake");
  }

  @SuppressWarnings("unused") // the memory of the last plugin
  private static Arena keep = Arena.ofAuto();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        PROFILER
            + "| 81 | 48 | custom-call: got a plugin of version 0.81 without the extension FFI,"
            + " want one with it",
        FFI
            + "| 60 | 40 | custom-call: got the extension FFI of 40 bytes in version 0.60, want 48"
            + " from version 0.73 on",
        FFI
            + "| 72 | 48 | custom-call: got the extension FFI of 48 bytes in version 0.72, want 48"
            + " from version 0.73 on",
        FFI
            + "| 81 | 48 | custom-call: got a plugin of version 0.81 whose extension FFI takes no"
            + " handlers, want one that does",
      })
  void extensionsOfOtherVersionsAreRefused(int type, int minor, long size, String want) {
    CustomCallRegistry registry = new CustomCallRegistry(plugin(minor, type, size, 0));
    HloException refusal =
        assertThrows(HloException.class, () -> registry.register("f", (call, in) -> in.get(0)));
    assertThat(refusal).hasMessageThat().isEqualTo(want);
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    assertThat(registry.names()).isEmpty();
  }

  private static String refusal(CustomCallRegistry registry, String target, String platform) {
    return assertThrows(
            HloException.class,
            () -> {
              registry.register(target, (call, in) -> in.get(0));
              registry.giveAll(new Accepting(platform));
            })
        .getMessage();
  }

  /** A client of a plugin that knows all custom calls. */
  private record Accepting(String platform) implements CustomCallRegistry.Compiler {
    @Override
    public void compile(String stableHlo) {}
  }

  /** Nothing is given to a plugin that would drop it, nor what could not read its memory. */
  @Test
  void namesAndPlatforms() {
    CustomCallRegistry registry = new CustomCallRegistry(plugin(81, FFI, 48, 1));
    assertThat(refusal(registry, "TopK", "cpu"))
        .isEqualTo(
            "custom-call: got a function of TopK, which XLA's compiler knows, want another name");
    assertThat(refusal(registry, "f", "cpu"))
        .isEqualTo(
            "custom-call: got a function of f, of which the plugin has its own, want another name");
    assertThat(refusal(registry, "g", "cuda"))
        .isEqualTo(
            "custom-call: got a call of f in a program for cuda, want one for cpu: a function in"
                + " Java reads memory of the host");
  }
}
