package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Ascii;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The plans for the products of {@code gemm-plans.txt}, on both sides of each border between forms.
 * {@code -Dhlo4j.test.record=FILE} writes the table anew.
 */
final class GemmPlannerTest {
  @Test
  void plans() throws IOException {
    String table =
        Resources.toString(
            Resources.getResource(Executable.class, "gemm-plans.txt"), StandardCharsets.UTF_8);
    List<String> lines =
        table
            .lines()
            .map(line -> line.isEmpty() || line.startsWith("//") ? line : answer(line))
            .toList();
    String record = System.getProperty("hlo4j.test.record");
    if (record != null) {
      Files.write(Path.of(record), lines);
    }
    assertThat(String.join("\n", lines)).isEqualTo(table.stripTrailing());
  }

  private static String answer(String line) {
    String problem = line.replaceAll(" *->.*", "");
    int bits = Integer.parseInt(problem.replaceAll(".*@", ""));
    List<String> words = List.of(problem.replaceAll(" @.*", "").split(" "));
    GemmConfig config = config(words);
    return "%-42s -> %s".formatted(problem, GemmPlanner.choose(config, bits));
  }

  private static GemmConfig config(List<String> words) {
    ElementType element =
        switch (words.get(0)) {
          case "i32" -> ElementType.S32;
          case "i64" -> ElementType.S64;
          default -> ElementType.valueOf(Ascii.toUpperCase(words.get(0)));
        };
    AccumulatorType type =
        element.bits() < 32
            ? AccumulatorType.F32
            : AccumulatorType.valueOf(Ascii.toUpperCase(words.get(0)));
    Kind kind =
        switch (words.get(1)) {
          case "loop" -> Kind.DOT_IN_ORDER;
          case "conv" -> Kind.CONVOLUTION;
          case "depthwise" -> Kind.DEPTHWISE;
          default -> Kind.DOT;
        };
    GemmProblem product =
        switch (kind) {
          case CONVOLUTION ->
              windows(sizes(words.get(2)), sizes(words.get(3)), Integer.parseInt(words.get(4)));
          case DEPTHWISE -> windows(sizes(words.get(2)), sizes(words.get(3)), 0);
          case DOT, DOT_IN_ORDER -> dot(words);
        };
    @Nullable Widenings widenings = Widenings.of(element, type);
    boolean isFixed = words.contains("fixed");
    return new GemmConfig(
        type, product, kind, widenings, widenings, ImageBorder.NONE, isFixed, product);
  }

  private static int[] sizes(String text) {
    return Arrays.stream(text.split("x")).mapToInt(Integer::parseInt).toArray();
  }

  /** {@return a product of contiguous matrices; H for a right one that is a head of four} */
  private static GemmProblem dot(List<String> words) {
    int at = words.get(1).matches("[NT][NTH]") ? 1 : 2;
    boolean isLeftTransposed = words.get(at).startsWith("T");
    boolean isRightTransposed = words.get(at).endsWith("T");
    int heads = words.get(at).endsWith("H") ? 4 : 1;
    int[] sizes = sizes(words.get(at + 1));
    int batches = sizes.length == 4 ? sizes[0] : 1;
    int m = sizes[sizes.length - 3];
    int k = sizes[sizes.length - 2];
    int n = sizes[sizes.length - 1];
    return new GemmProblem(
        DimensionOffsets.strided(batches, m * k),
        DimensionOffsets.strided(m, isLeftTransposed ? 1 : k),
        DimensionOffsets.strided(k, isLeftTransposed ? m : 1),
        DimensionOffsets.strided(batches, k * n),
        DimensionOffsets.strided(k, isRightTransposed ? 1 : heads * n),
        DimensionOffsets.strided(n, isRightTransposed ? k : 1),
        DimensionOffsets.strided(batches, m * n),
        DimensionOffsets.strided(m, n),
        DimensionOffsets.strided(n, 1));
  }

  /** {@return the product of an image with features last, without padding; 0 for depthwise} */
  private static GemmProblem windows(int[] image, int[] window, int features) {
    int height = image[1] - window[0] + 1;
    int width = image[2] - window[1] + 1;
    int depth = image[3];
    int row = image[2] * depth;
    int columns = features == 0 ? depth : features;
    Dims taps = Dims.of(window[0], window[1], features == 0 ? 1 : depth);
    DimensionOffsets one = DimensionOffsets.strided(1, 0);
    DimensionOffsets rowsA =
        DimensionOffsets.of(
            Dims.of(image[0], height, width), Dims.of((long) image[1] * row, row, depth));
    DimensionOffsets stepsA = DimensionOffsets.of(taps, Dims.of(row, depth, 1));
    return new GemmProblem(
        one,
        rowsA,
        stepsA,
        one,
        DimensionOffsets.strided(stepsA.count(), columns),
        DimensionOffsets.strided(columns, 1),
        one,
        DimensionOffsets.strided(rowsA.count(), columns),
        DimensionOffsets.strided(columns, 1));
  }
}
