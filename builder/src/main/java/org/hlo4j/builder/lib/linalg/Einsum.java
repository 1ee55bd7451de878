package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.LongStream;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;

/**
 * Einstein summation: products and sums of arrays by labels of dimensions. {@code einsum(x, y,
 * "ab,bc->ac")} is a matrix product.
 *
 * <pre>
 *   a label of both operands and the result   is a batch:       "ab,ac-&gt;abc"
 *   a label of only both operands             is summed over:  "ab,bc-&gt;ac"
 *   a label of only one operand               is summed over:  "ab,c-&gt;ac"
 *   a label twice in an operand               is its diagonal: "aa,a-&gt;a"
 *   a label twice in the result               is put on one:   "a,a-&gt;aa"
 *   ...                                       the dimensions without a letter, right-aligned
 * </pre>
 *
 * <p>Where operands share a label, sizes are equal or one of them is 1. A label of the result must
 * occur in an operand; XLA permits a new one, of size 1. If sizes differ and none is 1, XLA sums
 * over each of them separately; here that is refused.
 */
public final class Einsum {
  private Einsum() {}

  /** An intermediate operand with the labels of its dimensions. */
  private record Labelled(XlaOp op, Dims labels) {
    long size(long label) {
      return op.arrayShape().size(labels.indexOf(label));
    }

    Dims positions(LongStream wanted) {
      return Dims.of(wanted.map(labels::indexOf).toArray());
    }

    Labelled without(long label) {
      Dims gone = Dims.of(labels.indexOf(label));
      Dims sizes = op.arrayShape().sizes().without(gone);
      return new Labelled(op.reshape(sizes), labels.without(gone));
    }

    /** Sums over the labels that neither the other operand nor the result has. */
    Labelled summed(Dims others, Dims output) {
      Dims over =
          positions(
              labels.stream().filter(label -> !others.contains(label) && !output.contains(label)));
      return over.isEmpty()
          ? this
          : new Labelled(Stack.sum(op, over.toArray()), labels.without(over));
    }
  }

  /**
   * Multiplies two arrays by a config such as {@code "...ab,...bc->...ac"}.
   *
   * @param x the first operand
   * @param y the second operand, of the same element type
   * @param config a letter for each dimension of each operand and the result; without {@code ->}
   *     the result has the letters that occur once, in alphabetical order
   * @return the op
   * @throws HloException if the config is malformed, or ranks, sizes or types do not go with it
   */
  public static XlaOp einsum(XlaOp x, XlaOp y, String config) {
    return einsum(x, y, config, Dot.Precision.DEFAULT, Optional.empty());
  }

  /**
   * Multiplies two arrays by a config, with a given precision and element type.
   *
   * @param x the first operand
   * @param y the second operand
   * @param config as above
   * @param precision the precision of the product
   * @param preferredElementType the element type of the result; empty for that of the operands
   * @return the op
   * @throws HloException if the config is malformed, or ranks, sizes or types do not go with it
   */
  public static XlaOp einsum(
      XlaOp x,
      XlaOp y,
      String config,
      Dot.Precision precision,
      Optional<ElementType> preferredElementType) {
    int xRank = Checks.array("einsum", "x", x).rank();
    int yRank = Checks.array("einsum", "y", y).rank();
    return einsum(
        x,
        y,
        EinsumLabels.parseEinsumString(config, xRank, yRank),
        precision,
        preferredElementType);
  }

  /**
   * Sums, transposes and takes diagonals of one array by a config such as {@code "aab->b"}.
   *
   * @param x the operand
   * @param config a letter for each dimension of the operand and the result
   * @return the op
   * @throws HloException if the config is malformed, or the rank or sizes do not go with it
   */
  public static XlaOp einsum(XlaOp x, String config) {
    int rank = Checks.array("einsum", "x", x).rank();
    EinsumLabels labels = EinsumLabels.parseUnary(config, rank);
    return arranged(diagonal(x, labels.x()).summed(Dims.of(), labels.output()), labels.output());
  }

  /**
   * Multiplies two arrays by labels in numbers.
   *
   * @param x the first operand
   * @param y the second operand
   * @param labels a number for each dimension
   * @param precision the precision of the product
   * @param preferredElementType the element type of the result; empty for that of the operands
   * @return the op
   * @throws HloException if ranks, sizes or types do not go with the labels
   */
  public static XlaOp einsum(
      XlaOp x,
      XlaOp y,
      EinsumLabels labels,
      Dot.Precision precision,
      Optional<ElementType> preferredElementType) {
    requireRank("x", x, labels.x());
    requireRank("y", y, labels.y());
    labels.output().stream().forEach(label -> requireSource(label, labels));
    Labelled lhs = diagonal(x, labels.x());
    Labelled rhs = diagonal(y, labels.y());
    Labelled wideLhs = withoutOnes(lhs, rhs);
    Labelled wideRhs = withoutOnes(rhs, wideLhs);
    Labelled product =
        product(
            wideLhs.summed(wideRhs.labels, labels.output()),
            wideRhs.summed(wideLhs.labels, labels.output()),
            labels.output(),
            precision,
            preferredElementType);
    return arranged(product, labels.output());
  }

  private static void requireRank(String name, XlaOp operand, Dims labels) {
    Shape.Array shape = Checks.array("einsum", name, operand);
    require(
        shape.rank() == labels.count(),
        "",
        "einsum: %s got %s, want rank %s: a dimension for each label",
        name,
        shape,
        labels.count());
  }

  private static void requireSource(long label, EinsumLabels labels) {
    require(
        labels.x().contains(label) || labels.y().contains(label),
        "",
        "einsum: output label %s got no operand that has it, want one",
        label);
  }

  /** Takes the diagonal of dimensions that share a label, so that each label occurs once. */
  private static Labelled diagonal(XlaOp operand, Dims labels) {
    for (int i = 0; i < labels.count(); i++) {
      int again = labels.subList(i + 1, labels.count()).indexOf(labels.get(i));
      if (again >= 0) {
        return diagonal(operand, labels, i, i + 1 + again);
      }
    }
    return new Labelled(operand, labels);
  }

  private static Labelled diagonal(XlaOp operand, Dims labels, int first, int second) {
    Shape.Array shape = operand.arrayShape();
    require(
        shape.size(first) == shape.size(second),
        "",
        "einsum: label %s got sizes %s and %s in %s, want equal ones for a diagonal",
        EinsumLabels.text(labels.get(first)),
        shape.size(first),
        shape.size(second),
        shape);
    Dims pair = Dims.of(first, second);
    Dims others = Dims.range(0, labels.count()).without(pair);
    XlaOp matrices = operand.transpose(others.concat(pair).toArray());
    Dims left = labels.without(pair).concat(Dims.of(labels.get(first)));
    return diagonal(Matrix.getMatrixDiagonal(matrices, 0), left);
  }

  /** Drops dimensions of size 1 that have another size in the other operand. */
  private static Labelled withoutOnes(Labelled operand, Labelled other) {
    Labelled left = operand;
    for (long label : operand.labels.toArray()) {
      if (other.labels.contains(label) && operand.size(label) != other.size(label)) {
        require(
            operand.size(label) == 1 || other.size(label) == 1,
            "",
            "einsum: label %s got sizes %s and %s, want equal ones or 1",
            EinsumLabels.text(label),
            operand.size(label),
            other.size(label));
        left = operand.size(label) == 1 ? left.without(label) : left;
      }
    }
    return left;
  }

  private static Labelled product(
      Labelled x,
      Labelled y,
      Dims output,
      Dot.Precision precision,
      Optional<ElementType> preferredElementType) {
    long[] shared = x.labels.stream().filter(y.labels::contains).toArray();
    Dims batch = Dims.of(LongStream.of(shared).filter(output::contains).toArray());
    Dims summed = Dims.of(LongStream.of(shared).filter(l -> !output.contains(l)).toArray());
    Dot dot =
        new Dot(
            x.positions(batch.stream()),
            x.positions(summed.stream()),
            y.positions(batch.stream()),
            y.positions(summed.stream()),
            precision == Dot.Precision.DEFAULT
                ? ImmutableList.of()
                : ImmutableList.of(precision, precision),
            Optional.empty(),
            preferredElementType);
    Dims both = Dims.of(shared);
    LongStream free =
        LongStream.concat(x.labels.stream(), y.labels.stream()).filter(l -> !both.contains(l));
    return new Labelled(x.op.dotGeneral(y.op, dot), batch.concat(Dims.of(free.toArray())));
  }

  /** Transposes to the order of the result; a label that occurs twice is put on the diagonal. */
  private static XlaOp arranged(Labelled product, Dims output) {
    Dims order = Dims.of(output.stream().distinct().toArray());
    XlaOp transposed = product.op.transpose(product.positions(order.stream()).toArray());
    return order.count() == output.count() ? transposed : embedded(transposed, order, output);
  }

  private static XlaOp embedded(XlaOp operand, Dims order, Dims output) {
    Dims sizes =
        Dims.of(
            output.stream()
                .map(label -> operand.arrayShape().size(order.indexOf(label)))
                .toArray());
    Dims firsts = Dims.of(order.stream().map(output::indexOf).toArray());
    XlaOp result = operand.broadcastInDim(sizes, firsts);
    for (int i = 0; i < output.count(); i++) {
      int first = output.indexOf(output.get(i));
      if (first < i) {
        Shape.Array places = Shape.of(ElementType.S64, sizes);
        XlaOp same = result.builder().iota(places, first).eq(result.builder().iota(places, i));
        result = same.select(result, result.zerosLike());
      }
    }
    return result;
  }
}
