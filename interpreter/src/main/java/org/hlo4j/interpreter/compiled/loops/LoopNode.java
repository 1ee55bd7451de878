package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.jspecify.annotations.Nullable;

/**
 * A value that each iteration of the loops computes: a graph without movement, all of which has
 * gone into the positions that are read.
 */
sealed interface LoopNode {
  /** {@return the type of the value} */
  ElementType type();

  /** What it is to the code that computes it. */
  default Term<LoopNode> term() {
    return switch (this) {
      case Immediate immediate -> new Term.Fixed<>(immediate.scalar);
      case Read read -> new Term.Given<>(read.type);
      case Count count -> new Term.Given<>(count.type);
      case Apply apply -> apply.term();
    };
  }

  /** An element of an input, at a position that depends on the counters. */
  record Read(int input, ElementType type, AffineIndex position) implements LoopNode {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Read that
          && input == that.input
          && type == that.type
          && position.equals(that.position);
    }

    @Override
    public int hashCode() {
      return 31 * input + position.hashCode();
    }
  }

  /** The same value always, that of a scalar. */
  record Immediate(Literal scalar) implements LoopNode {
    @Override
    public ElementType type() {
      return scalar.elementType();
    }
  }

  /** What the counters say, as a number of a type. */
  record Count(ElementType type, AffineIndex value) implements LoopNode {}

  /**
   * An op on one element of each operand. Two are equal if they do the same to the very same
   * operands.
   */
  record Apply(Op op, ElementType type, ImmutableList<LoopNode> operands) implements LoopNode {
    @Override
    public Term.Applied<LoopNode> term() {
      return Term.Applied.of(op, type, operands, LoopNode::type);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Apply that
          && type == that.type
          && op.equals(that.op)
          && sameOperands(that);
    }

    private boolean sameOperands(Apply that) {
      if (operands.size() != that.operands.size()) {
        return false;
      }
      for (int i = 0; i < operands.size(); i++) {
        if (operands.get(i) != that.operands.get(i)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public int hashCode() {
      int hash = 31 * op.hashCode() + type.hashCode();
      for (LoopNode operand : operands) {
        hash = 31 * hash + System.identityHashCode(operand);
      }
      return hash;
    }
  }
}
