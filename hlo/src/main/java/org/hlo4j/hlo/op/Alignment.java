package org.hlo4j.hlo.op;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The alignment of the dimensions of two operands. It is drawn below an error message, and the
 * alignments that would be valid are searched for.
 *
 * <pre>
 *            dim 0   dim 1
 *   x            2       3
 *   v                    2   broadcast_dimensions (1)
 *                        ^
 *   fits: broadcast_dimensions (0)
 * </pre>
 */
final class Alignment {
  private static final int MAX_FITS = 3;
  private static final int MAX_STEPS = 10_000;
  private static final int MAX_COLUMNS = 16;

  private final Broadcasting.Operand larger;
  private final Broadcasting.Operand smaller;
  private final Dims dimensions;
  private final boolean largerStretches;
  private final Optional<Integer> culprit;

  /** Of two operands, of which either may be stretched. */
  Alignment(Broadcasting.Operand larger, Broadcasting.Operand smaller, Dims dimensions) {
    this(larger, smaller, dimensions, true, Optional.empty());
  }

  /** Returns the alignment of an operand with the shape that it is broadcast to. */
  static Alignment onto(
      Broadcasting.Operand result, Broadcasting.Operand operand, Dims dimensions) {
    return new Alignment(result, operand, dimensions, false, Optional.empty());
  }

  private Alignment(
      Broadcasting.Operand larger,
      Broadcasting.Operand smaller,
      Dims dimensions,
      boolean largerStretches,
      Optional<Integer> culprit) {
    this.larger = larger;
    this.smaller = smaller;
    this.dimensions = dimensions;
    this.largerStretches = largerStretches;
    this.culprit = culprit;
  }

  /** Returns the same exception, with a caret under a dimension of the larger operand. */
  Alignment at(int dimension) {
    return new Alignment(larger, smaller, dimensions, largerStretches, Optional.of(dimension));
  }

  /** Both sizes, in words: dimension i of the smaller against a dimension of the larger. */
  String sizes(int i, int to) {
    return String.format(
        "dimension %s of %s has size %s, dimension %s of %s has size %s",
        i,
        smaller.name(),
        smaller.shape().sizeText(i),
        to,
        larger.name(),
        larger.shape().sizeText(to));
  }

  void require(boolean holds, String label, Supplier<String> complaint) {
    if (holds) {
      return;
    }
    HloException refusal =
        new HloException(
            label,
            "cannot broadcast "
                + smaller.name()
                + " onto "
                + larger.name()
                + ": "
                + complaint.get());
    if (drawable()) {
      refusal = refusal.with("alignment", drawing("broadcast_dimensions"));
    } else if (dimensions.isEmpty() && larger.shape().rank() <= MAX_COLUMNS) {
      refusal = refusal.with("alignment", firstFit().drawing("with broadcast_dimensions"));
    }
    String fits =
        smaller.shape().rank() == larger.shape().rank()
            ? fitsTransposed().map(way -> "fits: " + way).orElseGet(this::reordered)
            : fits();
    throw fits.isEmpty() ? refusal : refusal.with("fits", fits);
  }

  /**
   * Returns the operands aligned by the first valid broadcast_dimensions, or the larger operand if
   * there are none.
   */
  private Alignment firstFit() {
    return found().stream()
        .findFirst()
        .map(fit -> new Alignment(larger, smaller, fit))
        .orElse(this);
  }

  /** Returns whether each dimension of the smaller operand has a column of its own. */
  private boolean drawable() {
    return larger.shape().rank() <= MAX_COLUMNS
        && dimensions.count() == smaller.shape().rank()
        && dimensions.isDistinct()
        && dimensions.stream().allMatch(d -> d >= 0 && d < larger.shape().rank());
  }

  private String drawing(String what) {
    int rank = larger.shape().rank();
    int nameWidth = Math.max(larger.name().length(), smaller.name().length());
    StringBuilder header = new StringBuilder(" ".repeat(nameWidth));
    StringBuilder top = new StringBuilder(pad(larger.name(), nameWidth));
    StringBuilder bottom = new StringBuilder(pad(smaller.name(), nameWidth));
    StringBuilder caret = new StringBuilder(" ".repeat(nameWidth));
    for (int i = 0; i < rank; i++) {
      int own = dimensions.indexOf(i);
      String above = larger.shape().sizeText(i);
      String below = own < 0 ? "" : smaller.shape().sizeText(own);
      String title = "dim " + i;
      int width = 3 + Math.max(title.length(), Math.max(above.length(), below.length()));
      header.append(right(title, width));
      top.append(right(above, width));
      bottom.append(right(below, width));
      caret.append(right(culprit.equals(Optional.of(i)) ? "^" : "", width));
    }
    if (!drawable()) {
      bottom.append("   nowhere: ").append(smaller.shape());
    } else if (larger.shape().rank() != smaller.shape().rank()) {
      bottom.append("   ").append(what).append(' ').append(dimensions);
    }
    return List.of(header, top, bottom, caret).stream()
        .map(line -> line.toString().stripTrailing())
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  private static String right(String text, int width) {
    return " ".repeat(width - text.length()) + text;
  }

  /** Returns the transpose of an operand of equal rank, if its sizes are only in another order. */
  private String reordered() {
    Dims have = smaller.shape().sizes();
    Dims want = larger.shape().sizes();
    Dims order = Dims.of(want.stream().map(have::indexOf).toArray());
    return order.isPermutation() ? "fits: transpose " + smaller.name() + " by " + order : "";
  }

  /** Returns the valid broadcast_dimensions, those with equal sizes before those that stretch. */
  private String fits() {
    List<Dims> found = found();
    String tuples =
        found.stream().limit(MAX_FITS).map(Dims::toString).collect(Collectors.joining(" or "));
    if (!found.isEmpty()) {
      String others = found.size() > MAX_FITS ? " or others" : "";
      return "fits: broadcast_dimensions " + tuples + others;
    }
    return fitsTransposed().map(way -> "fits: " + way).orElse("no broadcast_dimensions fit");
  }

  private List<Dims> found() {
    List<Dims> exact = new Search(false).run();
    return exact.isEmpty() ? new Search(true).run() : exact;
  }

  /** Returns the advice to transpose first, for a mapping that is valid except for its order. */
  private Optional<String> fitsTransposed() {
    if (!drawable() || dimensions.isStrictlyIncreasing()) {
      return Optional.empty();
    }
    boolean sizesMatch =
        IntStream.range(0, dimensions.count())
            .allMatch(i -> matches(i, dimensions.getInt(i), true));
    long[] sorted = dimensions.stream().sorted().toArray();
    Dims order =
        Dims.of(
            IntStream.range(0, sorted.length)
                .mapToLong(i -> dimensions.indexOf(sorted[i]))
                .toArray());
    return sizesMatch
        ? Optional.of(
            "transpose "
                + smaller.name()
                + " by "
                + order
                + ", then broadcast_dimensions "
                + Dims.of(sorted))
        : Optional.empty();
  }

  private boolean matches(int i, int to, boolean stretch) {
    boolean stretches =
        Broadcasting.isOne(smaller.shape(), i)
            || (largerStretches && Broadcasting.isOne(larger.shape(), to));
    return smaller.shape().size(i) == larger.shape().size(to) || (stretch && stretches);
  }

  /** Walks the strictly increasing tuples, giving up after a bounded number of steps. */
  private final class Search {
    private final boolean stretch;
    private final List<Dims> found = new ArrayList<>();
    private int steps;

    Search(boolean stretch) {
      this.stretch = stretch;
    }

    List<Dims> run() {
      extend(Dims.of());
      return found;
    }

    private void extend(Dims prefix) {
      int i = prefix.count();
      if (i == smaller.shape().rank()) {
        found.add(prefix);
        return;
      }
      int from = i == 0 ? 0 : prefix.getInt(i - 1) + 1;
      for (int to = from; to < larger.shape().rank(); to++) {
        if (found.size() > MAX_FITS || ++steps > MAX_STEPS) {
          return;
        }
        if (matches(i, to, stretch)) {
          extend(prefix.inserted(i, to));
        }
      }
    }
  }
}
