package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Regression tests of the output of {@code verify} for the files in {@code faults}. */
final class FaultsTest {
  private static final Path FAULTS = Path.of("src/test/resources/org/hlo4j/tools/faults");

  /** A file and its expected findings per row. */
  private static final String ROWS =
      """
      bugs/api_version_unspecified.hlo | ok
      bugs/bom.hlo | ok
      bugs/buffer_type.hlo | ok
      bugs/mesh_replica_groups.hlo | ok
      bugs/named_sharding.hlo | ok
      bugs/place_of_renamed.hlo | error :11:7: negate: declared shape got f32[5], want f32[4] \
      as inferred; at %r = f32[5] negate(%x)
      bugs/topk_is_stable.hlo | ok
      bugs/tuple_sharding_comment.hlo | ok
      bugs/two_modules.hlo | ok : a; ok : b
      bugs/while_invariant.hlo | ok
      bugs/while_invariant_rnn_convert.hlo | ok
      bugs/while_invariant_rnn_tanh.hlo | ok
      robust/calls_2_40.hlo | ok
      robust/elided_huge_proto.hlo | warning :2:16: constant: the elements of f32[100000000] \
      were left out, written {...}; at %r = f32[100000000] constant({...}); ok
      robust/proto_long_file_name.hlo | ok
      robust/scatter_keeps_nan_bits.hlo | ok
      robust/select_and_scatter_complex.hlo | error :11:7: select-and-scatter: comparator \
      select got an order of complex numbers, want EQ or NE: %o = pred[] compare(%p, %q) \
      [compare X1]; at %r = c64[3] select-and-scatter(%x, %s, %z)
      robust/select_and_scatter_keeps_init.hlo | ok
      robust/tiles_2000.hlo | ok
      robust/verify_reduce_scatter_scalar.hlo | error :6:7: reduce-scatter: got f32[] and \
      f32[8], want shapes that differ by a factor along dimension 0 [reduce_scatter C8]; at \
      %r = f32[] reduce-scatter(%p)
      robust/verify_sharding_8192_ids.hlo | ok
      robust/verify_sharding_empty_number.hlo | error :2:62: got ], want an integer
      """;

  @TestFactory
  Stream<DynamicTest> rows() {
    return Splitter.on('\n').omitEmptyStrings().splitToStream(ROWS).map(FaultsTest::row);
  }

  private static DynamicTest row(String row) {
    List<String> parts = Splitter.on(" | ").limit(2).splitToList(row);
    String name = parts.get(0);
    return DynamicTest.dynamicTest(
        name,
        () -> {
          Cli.Ran ran = new Cli(FAULTS).run("verify", "@/" + name);
          String told = ran.out().replace("@/" + name, "").strip().replace("\n", "; ");
          assertThat(told).isEqualTo(parts.get(1));
        });
  }

  @Test
  void everyFileHasARow() throws IOException {
    try (Stream<Path> files = Files.walk(FAULTS)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(ROWS).contains(FAULTS.relativize(file) + " | ");
      }
    }
  }
}
