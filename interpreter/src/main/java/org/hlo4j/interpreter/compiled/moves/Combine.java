package org.hlo4j.interpreter.compiled.moves;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;

/**
 * Loops that combine the elements of an array into those of another: sum, product, the greater, the
 * lesser, and for integers bit by bit. Each result is rounded to its type.
 */
abstract sealed class Combine
    permits IntCombine, LongCombine, FloatCombine, DoubleCombine, NarrowCombine {
  /** {@code to[t + i] = to[t + i] op from[f + i]} for i below count. */
  abstract void run(Object to, int t, Object from, int f, int count);

  /**
   * {@code to[t + i * toStep] = to[t + i * toStep] op from[f + i * fromStep]} for i below count.
   */
  abstract void strided(Object to, int t, int toStep, Object from, int f, int fromStep, int count);

  /** {@code to[at[i]] = to[at[i]] op from[f + i]}, in order, but where at[i] is negative. */
  abstract void points(Object to, int[] at, Object from, int f, int count);

  /** The loops of a body that is one op of its two parameters; none for other bodies. */
  static Optional<Combine> of(HloComputation body) {
    return kind(body).map(kind -> of(kind, body.parameters().get(0)));
  }

  private static Combine of(Elementwise.Kind kind, HloInstruction parameter) {
    ElementType type = ((Shape.Array) parameter.shape()).elementType();
    boolean isUnsigned = type.kind() == ElementType.Kind.UNSIGNED;
    return switch (type) {
      case F32 -> new FloatCombine(kind);
      case F64 -> new DoubleCombine(kind);
      case S32, U32 -> new IntCombine(kind, isUnsigned);
      case S64, U64 -> new LongCombine(kind, isUnsigned);
      case ElementType narrow -> new NarrowCombine(kind, narrow);
    };
  }

  /** Which op of its two parameters a body is, of those that may change places. */
  static Optional<Elementwise.Kind> kind(HloComputation body) {
    HloInstruction root = body.root();
    List<HloInstruction> operands = root.operands();
    if (!(root.op() instanceof Elementwise elementwise)
        || body.parameters().size() != 2
        || operands.size() != 2
        || operands.get(0) == operands.get(1)
        || !operands.stream().allMatch(operand -> operand.op() instanceof Parameter)
        || !(root.shape() instanceof Shape.Array array)
        || array.elementType().isComplex()) {
      return Optional.empty();
    }
    boolean isFloat = array.elementType().isFloating();
    return switch (elementwise.kind()) {
      case ADD, MULTIPLY, MAXIMUM, MINIMUM -> Optional.of(elementwise.kind());
      case AND, OR, XOR -> isFloat ? Optional.empty() : Optional.of(elementwise.kind());
      case Elementwise.Kind other -> Optional.empty();
    };
  }
}
