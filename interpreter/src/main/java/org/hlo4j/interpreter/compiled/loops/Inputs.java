package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/**
 * What a loop reads, by number: the operands of the instruction that it computes, and behind them
 * the constants that are not the same everywhere.
 */
final class Inputs {
  private final IdentityHashMap<HloInstruction, Integer> numbers = new IdentityHashMap<>();
  private final IdentityHashMap<HloInstruction, Literal> splats = new IdentityHashMap<>();
  private final List<Literal> constants = new ArrayList<>();
  private final int operands;

  private Inputs(int operands) {
    this.operands = operands;
  }

  /** The parameters of a fused computation. */
  static Inputs of(HloComputation fused) {
    Inputs inputs = new Inputs(fused.parameters().size());
    for (HloInstruction instruction : fused.instructions()) {
      if (instruction.op() instanceof Parameter parameter) {
        inputs.numbers.put(instruction, parameter.number());
      } else if (instruction.op() instanceof Constant constant && !inputs.isSplat(instruction)) {
        inputs.numbers.put(instruction, inputs.operands + inputs.constants.size());
        inputs.constants.add(constant.literal());
      }
    }
    return inputs;
  }

  /** The operands of one instruction. */
  static Inputs of(HloInstruction instruction) {
    Inputs inputs = new Inputs(instruction.operands().size());
    for (int i = 0; i < inputs.operands; i++) {
      HloInstruction operand = instruction.operands().get(i);
      if (!(operand.op() instanceof Constant) || !inputs.isSplat(operand)) {
        inputs.numbers.putIfAbsent(operand, i);
      }
    }
    return inputs;
  }

  /** Whether a constant is the same everywhere; from then on that is known. */
  private boolean isSplat(HloInstruction instruction) {
    Literal literal = ((Constant) instruction.op()).literal();
    if (literal.isElided() || literal.elementCount() == 0 || literal.elementType().isComplex()) {
      return false;
    }
    long first = literal.bitsAt(0);
    for (int i = 1; i < literal.elementCount(); i++) {
      if (literal.bitsAt(i) != first) {
        return false;
      }
    }
    splats.put(instruction, scalar(literal));
    return true;
  }

  private static Literal scalar(Literal literal) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(literal.elementType()));
    builder.copy(0, literal, 0);
    return builder.build();
  }

  /** The number of an input; negative of what is none. */
  int number(HloInstruction instruction) {
    return numbers.getOrDefault(instruction, -1);
  }

  /** The value that a constant has everywhere. */
  Literal splat(HloInstruction constant) {
    Literal scalar = splats.get(constant);
    if (scalar == null) {
      throw SplitDomain.impossible();
    }
    return scalar;
  }

  /** How many operands there are, of the instruction or parameters of the computation. */
  int operands() {
    return operands;
  }

  /** The constants that are inputs, numbered behind the operands. */
  ImmutableList<Literal> constants() {
    return ImmutableList.copyOf(constants);
  }
}
