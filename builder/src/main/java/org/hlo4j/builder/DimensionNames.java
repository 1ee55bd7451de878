package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Transpose;

/**
 * The propagation of dimension names from operands to results. It is conservative: a dimension has
 * no name if its operands disagree, or if the name would occur twice.
 */
final class DimensionNames {
  private DimensionNames() {}

  static ImmutableList<Optional<DimensionName>> none(int rank) {
    return ImmutableList.copyOf(Collections.nCopies(rank, Optional.empty()));
  }

  /** Returns the names of the result of an op; none for an op that does not propagate names. */
  static ImmutableList<Optional<DimensionName>> following(
      Op op, List<XlaOp> operands, Shape result) {
    boolean anyNamed = operands.stream().anyMatch(operand -> !operand.isUnnamed());
    if (!(result instanceof Shape.Array array)) {
      return ImmutableList.of();
    }
    return anyNamed ? distinct(certain(op, operands, array)) : none(array.rank());
  }

  // Most ops do not propagate names; only those listed here do.
  private static List<Optional<DimensionName>> certain(
      Op op, List<XlaOp> operands, Shape.Array result) {
    XlaOp first = operands.get(0);
    return switch (op) {
      case Transpose transpose -> picked(first, transpose.dimensions());
      case Broadcast broadcast -> mapped(first, broadcast.dimensions(), result.rank());
      case Reduce reduce -> picked(first, reduce.kept(first.arrayShape().rank()));
      case Reshape _ -> reshaped(first, result);
      case Dot dot -> multiplied(first, operands.get(1), dot);
      case Clamp _, Compare _, Convert _, Copy _, Elementwise _, ReducePrecision _, Select _ ->
          merged(operands, result.rank());
      default -> none(result.rank());
    };
  }

  private static List<Optional<DimensionName>> picked(XlaOp operand, Dims dimensions) {
    return dimensions.stream().mapToObj(i -> operand.dimensionNames().get((int) i)).toList();
  }

  /** Maps names to other dimensions; a name that is mapped to a negative one is dropped. */
  static ImmutableList<Optional<DimensionName>> mapped(XlaOp operand, Dims dimensions, int rank) {
    return each(
        rank,
        i -> {
          int from = dimensions.indexOf(i);
          return from < 0 ? Optional.empty() : operand.dimensionNames().get(from);
        });
  }

  private static List<Optional<DimensionName>> merged(List<XlaOp> operands, int rank) {
    return each(
        rank,
        i ->
            agreed(
                operands.stream()
                    .filter(operand -> operand.dimensionNames().size() == rank)
                    .flatMap(operand -> operand.dimensionNames().get(i).stream())
                    .toList()));
  }

  private static Optional<DimensionName> agreed(List<DimensionName> names) {
    boolean same = names.stream().map(DimensionName::name).distinct().count() == 1;
    return same ? Optional.of(names.get(0)) : Optional.empty();
  }

  /**
   * Returns the names of a reshape, which keeps those of the dimensions other than size 1 if it
   * only adds and drops dimensions of size 1.
   */
  private static List<Optional<DimensionName>> reshaped(XlaOp operand, Shape.Array result) {
    Dims from = beyondOne(operand.arrayShape());
    Dims to = beyondOne(result);
    if (!operand.arrayShape().sizes().at(from).equals(result.sizes().at(to))) {
      return none(result.rank());
    }
    return each(
        result.rank(),
        i -> {
          int position = to.indexOf(i);
          return position < 0
              ? Optional.empty()
              : operand.dimensionNames().get(from.getInt(position));
        });
  }

  private static Dims beyondOne(Shape.Array shape) {
    return Dims.of(
        IntStream.range(0, shape.rank())
            .filter(i -> shape.size(i) != 1)
            .mapToLong(i -> i)
            .toArray());
  }

  private static List<Optional<DimensionName>> multiplied(XlaOp lhs, XlaOp rhs, Dot dot) {
    List<Optional<DimensionName>> names = new ArrayList<>();
    for (int i = 0; i < dot.lhsBatchDims().count(); i++) {
      names.add(agreed(batch(lhs, rhs, dot, i)));
    }
    names.addAll(picked(lhs, dot.lhsFreeDims(lhs.arrayShape().rank())));
    names.addAll(picked(rhs, dot.rhsFreeDims(rhs.arrayShape().rank())));
    return names;
  }

  private static List<DimensionName> batch(XlaOp lhs, XlaOp rhs, Dot dot, int i) {
    List<DimensionName> names = new ArrayList<>();
    lhs.dimensionNames().get(dot.lhsBatchDims().getInt(i)).ifPresent(names::add);
    rhs.dimensionNames().get(dot.rhsBatchDims().getInt(i)).ifPresent(names::add);
    return names;
  }

  private static ImmutableList<Optional<DimensionName>> distinct(
      List<Optional<DimensionName>> names) {
    return each(names.size(), i -> names.get(i).filter(name -> countOf(name.name(), names) == 1));
  }

  private static long countOf(String name, List<Optional<DimensionName>> names) {
    return names.stream()
        .filter(other -> other.filter(o -> o.name().equals(name)).isPresent())
        .count();
  }

  private static ImmutableList<Optional<DimensionName>> each(
      int rank, IntFunction<Optional<DimensionName>> name) {
    return IntStream.range(0, rank).mapToObj(name).collect(toImmutableList());
  }
}
