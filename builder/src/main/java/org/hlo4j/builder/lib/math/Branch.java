package org.hlo4j.builder.lib.math;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Arithmetic;

/** A branch of a function that few arrays need, such as that of negative numbers. */
final class Branch {
  private Branch() {}

  /** Selects other values where they are needed; they are computed only if any is. */
  static XlaOp where(
      XlaOp needed, List<XlaOp> operands, Function<List<XlaOp>, XlaOp> other, XlaOp value) {
    XlaBuilder builder = value.builder();
    XlaOp values =
        builder.conditional(
            Arithmetic.any(needed),
            builder.tuple(operands),
            in ->
                other.apply(
                    IntStream.range(0, operands.size()).mapToObj(in::getTupleElement).toList()),
            value,
            in -> in);
    return needed.select(values, value);
  }

  /** Computes all elements in one of two ways: the first if any element needs it. */
  static XlaOp either(
      XlaOp needed, XlaOp x, UnaryOperator<XlaOp> whole, UnaryOperator<XlaOp> plain) {
    return x.builder().conditional(Arithmetic.any(needed), x, whole, x, plain);
  }
}
