package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.hlo4j.pjrt.CpuPlugin.refusal;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.pjrt.binding.FakePlugin;
import org.hlo4j.pjrt.binding.FakePlugin.Arguments;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * P4: devices whose arrays have tiles, as TPUs. A plugin is asked for the order of the device
 * without tiles, since XLA's plugins refuse any tiles on the host.
 */
final class TiledLayoutsTest {
  private static final Literal ROWS = Literal.of(new float[][] {{1, 2, 3}, {4, 5, 6}});

  /** Returns a plugin that keeps {@link #ROWS} in a layout. */
  private static FakePlugin plugin(String order, String tiles) {
    return ProgramShapesTest.compiler()
        .with("PJRT_Client_BufferFromHostBuffer", call -> call.set("buffer", 500))
        .with(
            "PJRT_Buffer_GetMemoryLayout",
            call -> {
              long[] minorToMajor = longs(order, ",");
              ImmutableList<long[]> all =
                  Splitter.on(';')
                      .omitEmptyStrings()
                      .splitToStream(tiles)
                      .map(tile -> longs(tile, ","))
                      .collect(ImmutableList.toImmutableList());
              MemorySegment tiled =
                  call.memory().asSlice(call.layout().field("layout").offset() + 16);
              tiled.set(JAVA_LONG, 16, address(minorToMajor));
              tiled.set(JAVA_LONG, 24, minorToMajor.length);
              tiled.set(
                  JAVA_LONG, 32, address(all.stream().flatMapToLong(Arrays::stream).toArray()));
              tiled.set(
                  JAVA_LONG, 40, address(all.stream().mapToLong(tile -> tile.length).toArray()));
              tiled.set(JAVA_LONG, 48, all.size());
            })
        .with("PJRT_Buffer_ToHostBuffer", TiledLayoutsTest::toHost);
  }

  private static long[] longs(String text, String separator) {
    return Splitter.on(separator).splitToStream(text).mapToLong(Long::parseLong).toArray();
  }

  private static long address(long[] values) {
    return Arena.global().allocateFrom(JAVA_LONG, values).address();
  }

  /** XLA's rule: dense, in the order that is asked for. */
  private static void toHost(Arguments call) {
    MemorySegment tiled =
        MemorySegment.ofAddress(call.get("host_layout")).reinterpret(80).asSlice(16);
    if (tiled.get(JAVA_LONG, 48) != 0) {
      throw new IllegalStateException("host_layout has tiles");
    }
    long first =
        MemorySegment.ofAddress(tiled.get(JAVA_LONG, 16)).reinterpret(16).get(JAVA_LONG, 0);
    float[] elements = first == 0 ? new float[] {1, 4, 2, 5, 3, 6} : new float[] {1, 2, 3, 4, 5, 6};
    MemorySegment.copy(
        elements, 0, MemorySegment.ofAddress(call.get("dst")).reinterpret(24), JAVA_FLOAT, 0, 6);
  }

  private static PjrtClient client(FakePlugin plugin) {
    return PjrtPlugin.of(Path.of("fake.so"), plugin.table(), ImmutableList.builder()).client();
  }

  /** The negative size is XLA's mark of dimensions that are joined. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1,0 | 8,128                      | {1,0:T(8,128)}
          0,1 | 8,128                      | {0,1:T(8,128)}
          0,1 | 8,128;2,1                  | {0,1:T(8,128)(2,1)}
          1,0 | -9223372036854775808,128;4 | {1,0:T(*,128)(4)}
          """)
  void resultsWithTilesAreRead(String order, String tiles, String layout) {
    try (PjrtClient client = client(plugin(order, tiles));
        PjrtBuffer buffer = client.buffer(ROWS)) {
      assertThat(buffer.layout().orElseThrow().toString()).isEqualTo(layout);
      assertThat(buffer.toLiteral()).isEqualTo(ROWS);
    }
  }

  /** The program's layouts are compared, tiles as well; what suits gets as far as Execute. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {1,0:T(8,128)}      | (none)
          {1,0:T(8,128)S(1)}  | (none)
          {1,0:T(4,128)}      | execute: argument 0 got f32[2,3] in the layout {1,0:T(8,128)}, want {1,0:T(4,128)}
          {1,0}               | execute: argument 0 got f32[2,3] in the layout {1,0:T(8,128)}, want {1,0}
          {0,1:T(8,128)}      | execute: argument 0 got f32[2,3] in the layout {1,0:T(8,128)}, want {0,1:T(8,128)}
          """)
  void argumentsWithTilesAreCompared(String layout, String refusal) {
    String program =
        "HloModule m, entry_computation_layout={(f32[2,3]LAYOUT)->f32[2,3]LAYOUT}\n"
            + "ENTRY e { ROOT x = f32[2,3]LAYOUT parameter(0) }";
    byte[] proto = HloProtos.writeModule(Parser.parse(program.replace("LAYOUT", layout)));
    FakePlugin plugin =
        plugin("1,0", "8,128")
            .with("PJRT_LoadedExecutable_Execute", call -> {})
            .with("PJRT_Event_OnReady", call -> {});
    try (PjrtClient client = client(plugin);
        PjrtExecutable same = client.compile(proto, "hlo", PjrtCompileOptions.DEFAULT);
        PjrtBuffer buffer = client.buffer(ROWS)) {
      assertThat(refusal(() -> same.execute(List.of(buffer)).forEach(PjrtBuffer::close)))
          .isEqualTo(refusal);
    }
  }
}
