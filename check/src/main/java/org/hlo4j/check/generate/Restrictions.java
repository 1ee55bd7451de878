package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableSet;
import java.util.function.Predicate;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Op;

/** Which ops, types and sizes a generated program may have. */
final class Restrictions {
  /** Ops that give values to others and collect results, which every program may have. */
  static final ImmutableSet<String> ALWAYS =
      ImmutableSet.of("parameter", "constant", "broadcast", "tuple", "get-tuple-element");

  Predicate<String> ops = opcode -> true;
  Predicate<ElementType> types = type -> true;
  long maxElements = 100_000;

  /** The number of steps; 0 for a few. */
  int steps;

  /** Whether numbers are small or ordinary, without NaNs, infinities and extremes. */
  boolean isOrdinary;

  /** Whether reductions begin with the identity of a commutative function. */
  boolean isPortable;

  /** Whether there are sizes that are known only at run time. */
  boolean isDynamic;

  /** Returns whether a seed may be about an op: it is allowed, and asked for if some are. */
  boolean isDrawn(String opcode) {
    return ops.test(opcode) && !(isPortable && OpRows.row(opcode).isOwn());
  }

  /** Refuses an instruction that the program may not have. */
  void require(Op op, Shape shape) {
    HloException.require(
        ALWAYS.contains(op.opcode()) || isDrawn(op.opcode()), "", "not one of the ops");
    for (Shape.Array array : shape.arrays()) {
      HloException.require(array.elementCount() <= maxElements, "", "too large");
      HloException.require(
          types.test(array.elementType()) || array.isScalar(), "", "not one of the types");
    }
  }
}
