package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels of dots against the reference evaluator: the same bits before and after warm-up, with one
 * thread and with two. dots.rows has the problems.
 */
class DotKernelsTest {
  /** The rows, by day for one of their types, at night for each. */
  private static Stream<String> rows() throws IOException {
    return Resources.readLines(
            Resources.getResource(DotKernelsTest.class, "dots.rows"), StandardCharsets.UTF_8)
        .stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .flatMap(line -> {
          List<String> columns = Splitter.on('|').trimResults().splitToList(line);
          return Nightly.some(5, line, Splitter.on(' ').splitToList(columns.get(0))).stream()
              .map(type -> type + " | " + columns.get(1) + " | " + columns.get(2));
        });
  }

  @ParameterizedTest
  @MethodSource("rows")
  void row(String row) {
    List<String> columns = Splitter.on(" | ").splitToList(row);
    List<String> types = Splitter.on('>').splitToList(columns.get(0));
    List<String> letters = Splitter.onPattern(",|->").splitToList(columns.get(1));
    Map<String, String> sizes = Splitter.on(' ').withKeyValueSeparator('=').split(columns.get(2));
    String lhs = letters.get(0);
    String rhs = letters.get(1);
    String result = letters.get(2);
    String batches = kept(result, c -> has(lhs, c) && has(rhs, c));
    String contracted = kept(rhs, c -> has(lhs, c) && !has(result, c));
    Products.dot(
        shape(types.get(0), lhs, sizes),
        shape(types.get(0), rhs, sizes),
        shape(types.get(types.size() - 1), result, sizes),
        "lhs_batch_dims={%s}, rhs_batch_dims={%s}, lhs_contracting_dims={%s}, rhs_contracting_dims={%s}"
            .formatted(
                dims(batches, lhs),
                dims(batches, rhs),
                dims(contracted, lhs),
                dims(contracted, rhs)),
        contracted.chars().mapToLong(c -> size(c, sizes)).reduce(1, (a, b) -> a * b));
  }

  private static boolean has(String letters, int letter) {
    return letters.indexOf(letter) >= 0;
  }

  private static String kept(String letters, IntPredicate which) {
    return letters.chars().filter(which).mapToObj(Character::toString).collect(joining());
  }

  private static long size(int letter, Map<String, String> sizes) {
    return Long.parseLong(sizes.get(Character.toString(letter)));
  }

  private static String shape(String type, String letters, Map<String, String> sizes) {
    return letters
        .chars()
        .mapToObj(c -> Long.toString(size(c, sizes)))
        .collect(joining(",", type + "[", "]"));
  }

  private static String dims(String some, String letters) {
    return some.chars().mapToObj(c -> Integer.toString(letters.indexOf(c))).collect(joining(","));
  }

  @Test
  void fewLongSumsAreSplit() {
    String description =
        DotKernels.kernel(
                Parser.parse(
                        """
                        HloModule m
                        ENTRY e {
                          a = f32[4098,13] parameter(0)
                          ROOT c = f32[13,13] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
                        }
                        """)
                    .entry()
                    .root())
            .kernel()
            .orElseThrow()
            .describe();
    assertThat(description).startsWith("gemm f32 13x4098x13: columns, over steps, ");
  }

  private static IntStream seeds() {
    return IntStream.range(0, Nightly.isOn() ? 30 : 10);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void randomShapes(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int batch = 1 + random.nextInt(3);
    int m = 1 + random.nextInt(150);
    int k = 1 + random.nextInt(300);
    int n = 1 + random.nextInt(150);
    boolean lhs = random.nextBoolean();
    boolean rhs = random.nextBoolean();
    String type = random.nextBoolean() ? "f32" : random.nextBoolean() ? "f64" : "s32";
    Products.dot(
        (lhs ? "%s[%d,%d,%d]" : "%1$s[%2$d,%4$d,%3$d]").formatted(type, batch, m, k),
        (rhs ? "%s[%d,%d,%d]" : "%1$s[%2$d,%4$d,%3$d]").formatted(type, batch, k, n),
        "%s[%d,%d,%d]".formatted(type, batch, m, n),
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={%d},".formatted(lhs ? 2 : 1)
            + " rhs_contracting_dims={%d}".formatted(rhs ? 1 : 2),
        k);
  }
}
