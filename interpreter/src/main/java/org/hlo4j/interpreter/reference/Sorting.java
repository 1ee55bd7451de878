package org.hlo4j.interpreter.reference;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/** Ops that sort elements: sort and topk. */
final class Sorting {
  private Sorting() {}

  /**
   * A strict order of elements: whether the element at one position comes before that at another.
   */
  private interface StrictOrder {
    boolean test(int left, int right);
  }

  /**
   * {@code result[line, i] = operand[line, order(line)[i]]}, with the same order for all operands;
   * the comparator may compare only the first of them.
   */
  static Literal sort(Sort op, List<Literal> in, HloComputation comparator, Execution execution) {
    Dims sizes = in.get(0).arrayShape().sizes();
    int dimension = op.dimensions().getInt(0);
    int size = Math.toIntExact(sizes.get(dimension));
    int stride = (int) sizes.rowMajorStrides().get(dimension);
    List<LiteralBuilder> results =
        in.stream().map(operand -> new LiteralBuilder(operand.arrayShape())).toList();
    List<Literal> keys = in.subList(0, comparator.parameters().size() / 2);
    StrictOrder before =
        (left, right) -> execution.call(comparator, pairs(keys, left, right)).booleanAt(0);
    Dims others = Dims.range(0, sizes.count()).without(Dims.of(dimension));
    for (int line : Offsets.ofDimensions(others, sizes)) {
      int[] order = sorted(line, size, stride, before, execution);
      for (int i = 0; i < size; i++) {
        Limits.checkAt(i);
        for (int k = 0; k < results.size(); k++) {
          results.get(k).copy(line + i * stride, in.get(k), order[i]);
        }
      }
    }
    List<Literal> values = results.stream().map(LiteralBuilder::build).toList();
    return values.size() == 1 ? values.get(0) : Literal.tuple(values);
  }

  private static List<Literal> pairs(List<Literal> arrays, int left, int right) {
    List<Literal> lefts = Reductions.elements(arrays, left);
    List<Literal> rights = Reductions.elements(arrays, right);
    List<Literal> pairs = new ArrayList<>();
    for (int i = 0; i < lefts.size(); i++) {
      pairs.add(lefts.get(i));
      pairs.add(rights.get(i));
    }
    return pairs;
  }

  /**
   * Returns {@code values[line, i], indices[line, i]}: the i-th best element of a line and its
   * index.
   */
  static Literal topk(Topk op, Literal operand, Shape shape, Execution execution) {
    Dims sizes = operand.arrayShape().sizes();
    int size = Math.toIntExact(sizes.get(sizes.count() - 1));
    int k = Math.toIntExact(op.k());
    LiteralBuilder values =
        new LiteralBuilder((Shape.Array) ((Shape.Tuple) shape).elements().get(0));
    LiteralBuilder indices =
        new LiteralBuilder((Shape.Array) ((Shape.Tuple) shape).elements().get(1));
    StrictOrder before =
        op.largest()
            ? (left, right) -> order(operand, left, right) > 0
            : (left, right) -> order(operand, left, right) < 0;
    int[] lines = Offsets.ofDimensions(Dims.range(0, sizes.count() - 1), sizes);
    for (int line = 0; line < lines.length; line++) {
      int[] order = sorted(lines[line], size, 1, before, execution);
      for (int i = 0; i < k; i++) {
        Limits.checkAt(i);
        values.copy(line * k + i, operand, order[i]);
        indices.setLong(line * k + i, order[i] - lines[line]);
      }
    }
    return Literal.tuple(values.build(), indices.build());
  }

  private static int order(Literal array, int left, int right) {
    ElementType type = array.elementType();
    return switch (type.kind()) {
      case PRED, UNSIGNED -> Long.compareUnsigned(array.longAt(left), array.longAt(right));
      case SIGNED -> Long.compare(array.longAt(left), array.longAt(right));
      case FLOAT -> Comparison.totalOrder(array, left, array, right);
      case COMPLEX -> throw new AssertionError("no order of " + type);
    };
  }

  /**
   * Returns the positions {@code first, first + stride, ...} in order. A merge sort: it is stable,
   * and it terminates whatever {@code before} returns.
   */
  private static int[] sorted(
      int first, int size, int stride, StrictOrder before, Execution execution) {
    int[] order = new int[size];
    int[] next = new int[size];
    for (int i = 0; i < size; i++) {
      Limits.checkAt(i);
      order[i] = first + i * stride;
    }
    for (long width = 1; width < size; width *= 2) {
      for (long start = 0; start < size; start += 2 * width) {
        execution.checkLimits();
        int middle = (int) Math.min(start + width, size);
        int end = (int) Math.min(start + 2 * width, size);
        merge(order, next, (int) start, middle, end, before);
      }
      int[] swap = order;
      order = next;
      next = swap;
    }
    return order;
  }

  private static void merge(
      int[] from, int[] to, int start, int middle, int end, StrictOrder before) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      Limits.checkAt(i);
      boolean takeRight = right < end && (left == middle || before.test(from[right], from[left]));
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }
}
