package org.hlo4j.pjrt.ffi;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
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
        PROFILER + "| 81 | 48 | 0.81 | 0",
        FFI + "| 60 | 40 | 0.60 | 40",
        FFI + "| 72 | 48 | 0.72 | 48",
        FFI + "| 81 | 48 | 0.81 | 48",
      })
  void extensionsOfOtherVersionsAreRefused(
      int type, int minor, long size, String version, long bytes) {
    CustomCallRegistry registry = new CustomCallRegistry(plugin(minor, type, size, 0));
    HloException refusal =
        assertThrows(HloException.class, () -> registry.register("f", (call, in) -> in.get(0)));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            "custom-call: got a plugin of version "
                + version
                + " whose extension FFI ("
                + bytes
                + " bytes) takes no functions, want one of 0.73 or later that does (48 bytes)");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    assertThat(registry.names()).isEmpty();
  }

  private static String refusal(CustomCallRegistry registry, CustomCallRegistry.Client client) {
    return assertThrows(HloException.class, () -> registry.giveAll(client)).getMessage();
  }

  private static CustomCallRegistry.Client client(String platform, boolean hasAll) {
    return new CustomCallRegistry.Client(platform, any -> hasAll);
  }

  /** Nothing is given to a plugin that would drop it, nor what could not read its memory. */
  @Test
  void namesAndPlatforms() {
    CustomCallRegistry registry = new CustomCallRegistry(plugin(81, FFI, 48, 1));
    registry.register("f", (call, in) -> in.get(0));
    assertThat(refusal(registry, client("cpu", true)))
        .isEqualTo(
            "custom-call: got a function of f, of which the plugin has its own, want another");
    assertThat(refusal(registry, client("cuda", false)))
        .isEqualTo(
            "custom-call: got a call of f on cuda, want it on cpu, whose memory Java can read");
  }

  /** What a plugin cannot call becomes an op, or is refused before the program is compiled. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[2,2] custom-call(a, b), custom_call_target=\"lapack_strsm_ffi\","
            + " backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 :"
            + " ui8} | f32[2,2] triangular-solve(a, b), left_side=true, transpose_a=TRANSPOSE",
        "(f32[2,2], f32[2]) custom-call(a), custom_call_target=\"lapack_sgeqrf_ffi\""
            + " | (f32[2,2], f32[2]) custom-call(a), custom_call_target=\"Qr\"",
        "(f32[2,2], s32[]) custom-call(a), custom_call_target=\"lapack_spotrf_ffi\""
            + " | custom-call: got lapack_spotrf_ffi on tpu, which has no such function, want it on"
            + " cpu, where hlo4j answers",
      })
  void programsForPluginsThatCannotCallJava(String call, String want) {
    CustomCallRegistry registry = new CustomCallRegistry(plugin(81, PROFILER, 48, 0));
    HloModule module =
        Parser.parse(
            "ENTRY e { a = f32[2,2] parameter(0) b = f32[2,2] parameter(1) ROOT r = "
                + call
                + ", api_version=API_VERSION_TYPED_FFI }");
    String got;
    try {
      HloModule prepared = registry.prepared(module, client("tpu", false));
      got =
          Printer.print(prepared, PrintOptions.SHORT).replaceAll("(?s).*ROOT r = (.*)\n}.*", "$1");
    } catch (HloException refusal) {
      got = refusal.summary();
    }
    assertThat(got).isEqualTo(want);
    CustomCallRegistry other = new CustomCallRegistry(plugin(81, PROFILER, 48, 0));
    assertThat(other.prepared(module, client("tpu", true)).entry().root().op())
        .isEqualTo(module.entry().root().op());
  }
}
