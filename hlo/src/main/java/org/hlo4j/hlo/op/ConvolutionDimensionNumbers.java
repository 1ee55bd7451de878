package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The meaning of the dimensions of a convolution's operands and result.
 *
 * <p>HLO text has one character for each dimension, {@code b01f_01io->b01f}. For lhs and the
 * result, b is the batch and f the feature dimension. For the kernel, i is the input feature and o
 * the output feature dimension. Digits are spatial dimensions; a question mark is a dimension
 * without a role.
 *
 * @param inputBatchDimension the batch dimension of lhs
 * @param inputFeatureDimension the feature dimension of lhs
 * @param inputSpatialDimensions the dimensions of lhs that the window slides along
 * @param kernelInputFeatureDimension the dimension of the kernel that is summed with the features
 *     of lhs
 * @param kernelOutputFeatureDimension the dimension of the kernel that becomes the features of the
 *     result
 * @param kernelSpatialDimensions the dimensions of the kernel that are the window
 * @param outputBatchDimension the batch dimension of the result
 * @param outputFeatureDimension the feature dimension of the result
 * @param outputSpatialDimensions the dimensions of the result that are window positions
 */
public record ConvolutionDimensionNumbers(
    int inputBatchDimension,
    int inputFeatureDimension,
    Dims inputSpatialDimensions,
    int kernelInputFeatureDimension,
    int kernelOutputFeatureDimension,
    Dims kernelSpatialDimensions,
    int outputBatchDimension,
    int outputFeatureDimension,
    Dims outputSpatialDimensions) {
  private static final int MAX_RANK = 100;

  /**
   * Returns the default of XLA's builder: batch, feature, spatial dimensions; the kernel output
   * feature, input feature, spatial dimensions: {@code bf01_oi01->bf01}.
   *
   * @param spatialDimensions how many spatial dimensions there are
   * @return the numbers
   */
  public static ConvolutionDimensionNumbers defaults(int spatialDimensions) {
    Dims spatial = Dims.range(2, 2L + spatialDimensions);
    return new ConvolutionDimensionNumbers(0, 1, spatial, 1, 0, spatial, 0, 1, spatial);
  }

  /**
   * Returns the dimension numbers given by labels.
   *
   * @param labels such as {@code b01f_01io->b01f}
   * @return the numbers
   * @throws HloException if they are not labels
   */
  public static ConvolutionDimensionNumbers parse(String labels) {
    require(labels != null, "", "dim_labels are null, want such as b01f_01io->b01f");
    try {
      return parseParts(labels);
    } catch (HloException refusal) {
      throw ImageLayouts.labels(labels)
          .map(fits -> refusal.with("fits", "fits: \"" + fits + "\""))
          .orElse(refusal);
    }
  }

  /** Parses labels without an offer if they are wrong. */
  static ConvolutionDimensionNumbers parseParts(String labels) {
    List<String> parts = Splitter.onPattern("_|->").splitToList(labels.strip());
    require(
        parts.size() == 3 && labels.indexOf('_') < labels.indexOf("->"),
        "",
        "dim_labels: got %s, want lhs_rhs->result, such as b01f_01io->b01f",
        labels);
    String lhs = parts.get(0);
    String rhs = parts.get(1);
    String result = parts.get(2);
    int spatial = letters(lhs) - 2;
    return new ConvolutionDimensionNumbers(
        position(labels, lhs, 'b'),
        position(labels, lhs, 'f'),
        spatial(labels, lhs, spatial),
        position(labels, rhs, 'i'),
        position(labels, rhs, 'o'),
        spatial(labels, rhs, spatial),
        position(labels, result, 'b'),
        position(labels, result, 'f'),
        spatial(labels, result, spatial));
  }

  /**
   * The same as {@link #parse}.
   *
   * @param labels such as {@code b01f_01io->b01f}
   * @return the numbers
   * @throws HloException if they are not labels
   */
  public static ConvolutionDimensionNumbers fromLabels(String labels) {
    return parse(labels);
  }

  /** Returns how many dimensions have a role; a question mark denotes one that has none. */
  private static int letters(String part) {
    return CharMatcher.is('?').removeFrom(part).length();
  }

  private static int position(String labels, String part, char letter) {
    require(
        part.indexOf(letter) >= 0 && part.indexOf(letter) == part.lastIndexOf(letter),
        "",
        "dim_labels: %s got %s, want %s in it once",
        labels,
        part,
        letter);
    return part.indexOf(letter);
  }

  private static Dims spatial(String labels, String part, int count) {
    require(
        letters(part) == count + 2 && count <= 10,
        "",
        "dim_labels: %s got %s, want %s spatial dimensions as in lhs, 10 at most",
        labels,
        part,
        count);
    return Dims.copyOf(
        IntStream.range(0, count)
            .map(i -> position(labels, part, Character.forDigit(i, 10)))
            .boxed()
            .toList());
  }

  /**
   * Returns the number of spatial dimensions of lhs.
   *
   * @return the count
   */
  public int spatialRank() {
    return inputSpatialDimensions.count();
  }

  /** Batch, feature and spatial dimensions of lhs. */
  Dims input() {
    return all(inputBatchDimension, inputFeatureDimension, inputSpatialDimensions);
  }

  /** Output feature, input feature and spatial dimensions of the kernel. */
  Dims kernel() {
    return all(kernelOutputFeatureDimension, kernelInputFeatureDimension, kernelSpatialDimensions);
  }

  /** Batch, feature and spatial dimensions of the result. */
  Dims output() {
    return all(outputBatchDimension, outputFeatureDimension, outputSpatialDimensions);
  }

  private static Dims all(int first, int second, Dims spatial) {
    return Dims.of(first, second).concat(spatial);
  }

  /** Returns the HLO text: {@code b01f_01io->b01f}. */
  @Override
  public String toString() {
    return labels(input(), "bf") + "_" + labels(kernel(), "oi") + "->" + labels(output(), "bf");
  }

  private static String labels(Dims dimensions, String letters) {
    long rank = 1 + dimensions.stream().max().orElse(-1);
    return IntStream.range(0, (int) Math.max(dimensions.count(), Math.min(rank, MAX_RANK)))
        .mapToObj(dimension -> {
          int role = dimensions.indexOf(dimension);
          return role < 0 ? "?" : role < 2 ? letters.substring(role, role + 1) : "" + (role - 2);
        })
        .collect(Collectors.joining());
  }

  /**
   * Describes the meaning of each dimension in a table.
   *
   * <pre>
   *           dim 0      dim 1      dim 2      dim 3
   *   lhs     batch      spatial 0  spatial 1  feature
   *   kernel  spatial 0  spatial 1  input      output
   *   result  batch      spatial 0  spatial 1  feature
   * </pre>
   *
   * @return several lines
   */
  public String explain() {
    StringBuilder head = new StringBuilder(" ".repeat(8));
    for (int i = 0; i < spatialRank() + 2; i++) {
      head.append(Strings.padEnd("dim " + i, 11, ' '));
    }
    return head.toString().stripTrailing()
        + row("lhs", input(), "batch", "feature")
        + row("kernel", kernel(), "output", "input")
        + row("result", output(), "batch", "feature");
  }

  private static String row(String name, Dims dimensions, String first, String second) {
    StringBuilder row = new StringBuilder(Strings.padEnd(name, 8, ' '));
    for (int i = 0; i < dimensions.count(); i++) {
      int role = dimensions.indexOf(i);
      String what =
          switch (role) {
            case -1 -> "?";
            case 0 -> first;
            case 1 -> second;
            default -> "spatial " + (role - 2);
          };
      row.append(Strings.padEnd(what, 11, ' '));
    }
    return "\n" + row.toString().stripTrailing();
  }
}
