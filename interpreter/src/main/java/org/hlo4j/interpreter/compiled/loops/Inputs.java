package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.index.NotAffineException;

/**
 * The arrays that a loop nest reads, by number: the operands of its instruction, followed by the
 * constants whose elements are not all equal.
 */
public final class Inputs {
  private final IdentityHashMap<HloInstruction, Integer> numbers = new IdentityHashMap<>();
  private final IdentityHashMap<HloInstruction, Literal> splats = new IdentityHashMap<>();
  private final List<Literal> constants = new ArrayList<>();
  private final int operands;

  private Inputs(int operands) {
    this.operands = operands;
  }

  /** Returns the inputs of a fused computation: its parameters, and its constants. */
  public static Inputs of(HloComputation fused) {
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

  /** Returns the inputs of a single instruction: its operands. */
  public static Inputs of(HloInstruction instruction) {
    Inputs inputs = new Inputs(instruction.operands().size());
    for (int i = 0; i < inputs.operands; i++) {
      HloInstruction operand = instruction.operands().get(i);
      if (!(operand.op() instanceof Constant) || !inputs.isSplat(operand)) {
        inputs.numbers.putIfAbsent(operand, i);
      }
    }
    return inputs;
  }

  /** Returns whether all elements of a constant are equal, and remembers their value if so. */
  private boolean isSplat(HloInstruction instruction) {
    Literal literal = ((Constant) instruction.op()).literal();
    if (literal.isElided() || literal.elementType().isComplex()) {
      return false;
    }
    Optional<Literal> scalar = Storages.uniform(literal);
    scalar.ifPresent(value -> splats.put(instruction, value));
    return scalar.isPresent();
  }

  /** Returns whether a Java array can hold each input; other values are never stored. */
  public boolean canBeHeld() {
    return numbers.keySet().stream().allMatch(input -> Storages.canHold(input.shape()));
  }

  /** Returns the number of an input; -1 for any other instruction. */
  public int number(HloInstruction instruction) {
    return numbers.getOrDefault(instruction, -1);
  }

  /** Returns the value of all elements of a constant. */
  Literal splat(HloInstruction constant) {
    Literal scalar = splats.get(constant);
    if (scalar == null) {
      throw NotAffineException.impossible();
    }
    return scalar;
  }

  /** Returns the number of operands of the instruction, or parameters of the computation. */
  public int operands() {
    return operands;
  }

  /** Returns the constants that are inputs. Their numbers follow those of the operands. */
  public ImmutableList<Literal> constants() {
    return ImmutableList.copyOf(constants);
  }

  /** Returns the storage of these constants. */
  Object[] storages() {
    return constants.stream().map(Literal::unsafeStorage).toArray();
  }

  /** Returns the number of all inputs. */
  int count() {
    return operands + constants.size();
  }
}
