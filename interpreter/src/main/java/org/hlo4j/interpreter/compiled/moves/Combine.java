package org.hlo4j.interpreter.compiled.moves;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;

/** Recognises computations that are one op of their two parameters. */
final class Combine {
  private Combine() {}

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
