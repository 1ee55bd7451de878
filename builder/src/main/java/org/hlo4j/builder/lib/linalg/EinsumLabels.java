package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The numeric labels of an einsum, one for each dimension. The label of a letter is its character
 * code; those of the dimensions of an ellipsis are ..., -2, -1.
 *
 * @param x a label for each dimension of the first operand
 * @param y a label for each dimension of the second operand
 * @param output a label for each dimension of the result
 */
public record EinsumLabels(Dims x, Dims y, Dims output) {
  private static final String ELLIPSIS = "...";

  /**
   * Parses a config of two operands: {@code "...ab,bc->...ac"}.
   *
   * @param config operands and result, a letter for each dimension
   * @param xRank the rank of the first operand
   * @param yRank the rank of the second operand
   * @return the labels
   * @throws HloException if the config is malformed, or does not go with the ranks
   */
  public static EinsumLabels parseEinsumString(String config, int xRank, int yRank) {
    List<String> sides = sides(config);
    List<String> operands = Splitter.on(',').splitToList(sides.get(0));
    require(
        operands.size() == 2,
        "",
        "einsum: got %s operands in \"%s\", want 2: one comma",
        operands.size(),
        config);
    return labelled(config, operands, sides.get(1), xRank, yRank);
  }

  /** Parses a config of one operand, which becomes x. */
  static EinsumLabels parseUnary(String config, int rank) {
    List<String> sides = sides(config);
    require(
        sides.get(0).indexOf(',') < 0,
        "",
        "einsum: got \"%s\" for one operand, want no comma",
        config);
    return labelled(config, List.of(sides.get(0), ""), sides.get(1), rank, 0);
  }

  private static List<String> sides(String config) {
    require(config != null, "", "einsum: config is null, want one such as \"ab,bc->ac\"");
    List<String> sides = Splitter.on("->").splitToList(normalizeEinsumString(config));
    require(sides.size() == 2, "", "einsum: got \"%s\", want \"->\" once at most", config);
    return sides;
  }

  private static EinsumLabels labelled(
      String config, List<String> operands, String output, int xRank, int yRank) {
    int most =
        Math.max(
            ellipsisRank(config, operands.get(0), xRank, "x"),
            ellipsisRank(config, operands.get(1), yRank, "y"));
    EinsumLabels labels =
        new EinsumLabels(
            labels(config, operands.get(0), ellipsisRank(config, operands.get(0), xRank, "x")),
            labels(config, operands.get(1), ellipsisRank(config, operands.get(1), yRank, "y")),
            labels(config, output, most));
    labels.output.stream().forEach(label -> labels.requireSource(label, config));
    return labels;
  }

  private void requireSource(long label, String config) {
    require(
        x.contains(label) || y.contains(label),
        "",
        "einsum: output label %s of \"%s\" got no operand that has it, want one",
        text(label),
        config);
  }

  static String text(long label) {
    return label < 0 ? "dimension " + label + " of the ellipsis" : Character.toString((int) label);
  }

  /** Returns the number of dimensions of an operand's ellipsis; 0 if it has none. */
  private static int ellipsisRank(String config, String operand, int rank, String name) {
    boolean open = operand.contains(ELLIPSIS);
    int letters = operand.length() - (open ? ELLIPSIS.length() : 0);
    require(
        open ? letters <= rank : letters == rank,
        "",
        "einsum: rank of %s got %s, want %s%s for \"%s\" of \"%s\"",
        name,
        rank,
        letters,
        open ? " at least" : "",
        operand,
        config);
    return rank - letters;
  }

  private static Dims labels(String config, String part, int ellipsisRank) {
    List<String> around = Splitter.on(ELLIPSIS).splitToList(part);
    require(
        around.size() <= 2, "", "einsum: got \"%s\" in \"%s\", want one ellipsis", part, config);
    Dims first = letters(config, around.get(0));
    return around.size() == 1
        ? first
        : first
            .concat(Dims.of(LongStream.range(-ellipsisRank, 0).toArray()))
            .concat(letters(config, around.get(1)));
  }

  private static Dims letters(String config, String text) {
    text.chars()
        .forEach(character ->
            require(
                isLetter(character),
                "",
                "einsum: got '%s' in \"%s\", want letters, \"...\", \",\" and \"->\"",
                Character.toString(character),
                config));
    return Dims.of(text.chars().asLongStream().toArray());
  }

  private static boolean isLetter(int character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  }

  /**
   * Adds the implicit result to a config: if it has no {@code ->}, the ellipsis and the letters
   * that occur once, in alphabetical order.
   *
   * @param config a config, with or without {@code ->}
   * @return the config with {@code ->}; XLA's function gives an empty text where it was there
   */
  public static String normalizeEinsumString(String config) {
    require(config != null, "", "einsum: config is null, want one such as \"ab,bc->ac\"");
    if (config.contains("->")) {
      return config;
    }
    StringBuilder output = new StringBuilder(config.contains(ELLIPSIS) ? ELLIPSIS : "");
    IntStream once =
        config
            .chars()
            .filter(EinsumLabels::isLetter)
            .filter(letter -> config.indexOf(letter) == config.lastIndexOf(letter));
    once.sorted().forEach(output::appendCodePoint);
    return config + "->" + output;
  }
}
