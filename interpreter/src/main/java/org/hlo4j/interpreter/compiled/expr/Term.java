package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code generator's view of a node of a formula: an input, a constant, or an op.
 *
 * @param <N> the type of the nodes
 */
public sealed interface Term<N> {
  /** {@return the type of the value} */
  ElementType type();

  /** A value that is an input of the code, or that it reads. */
  record Input<N>(ElementType type) implements Term<N> {}

  /** A constant scalar. */
  record Fixed<N>(Literal scalar) implements Term<N> {
    @Override
    public ElementType type() {
      return scalar.elementType();
    }
  }

  /**
   * An op on the values of nodes.
   *
   * @param op the op
   * @param type the type of the value
   * @param operands the operand nodes
   * @param operandTypes the types of their values
   * @param isAtMostZero whether the value is known to be at most 0, or NaN
   */
  record Applied<N>(
      Op op,
      ElementType type,
      ImmutableList<N> operands,
      ImmutableList<ElementType> operandTypes,
      boolean isAtMostZero)
      implements Term<N> {
    /** {@return an op on nodes, whose types are given by a function} */
    public static <N> Applied<N> of(
        Op op, ElementType type, List<N> operands, Function<N, ElementType> types) {
      ImmutableList<ElementType> operandTypes =
          operands.stream().map(types).collect(ImmutableList.toImmutableList());
      return new Applied<>(op, type, ImmutableList.copyOf(operands), operandTypes, false);
    }

    /** {@return the same, known to be at most 0 or NaN} */
    public Applied<N> atMostZero() {
      return new Applied<>(op, type, operands, operandTypes, true);
    }

    /** {@return the properties of its code} */
    public ElementFunctions.Traits traits() {
      return ElementFunctions.traits(op, operandTypes, type);
    }

    /** {@return its value, given the values of its operands; writes code} */
    public Value write(CodeEmitter emitter, List<Value> values) {
      Value value = ElementFunctions.apply(emitter, op, operandTypes, type, values);
      if (isAtMostZero) {
        emitter.assumeAtMostZero(value);
      }
      return value;
    }
  }
}
