package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.jspecify.annotations.Nullable;

/**
 * A value that each iteration of a loop nest computes: a node of an expression graph. The graph
 * contains no movement ops, which have been lowered to the positions of the reads.
 */
public sealed interface LoopNode {
  /** {@return the type of the value} */
  ElementType type();

  /** Returns the term that the code generator sees in place of this node. */
  default Term<LoopNode> term() {
    return switch (this) {
      case Immediate immediate -> new Term.Fixed<>(immediate.scalar);
      case Read read -> new Term.Input<>(read.type);
      case Count count -> new Term.Input<>(count.type);
      case Apply apply -> apply.term();
      case Reduced reduced -> new Term.Input<>(reduced.type());
    };
  }

  /** Returns some nodes and all that they are computed from. */
  static Set<LoopNode> all(Iterable<LoopNode> roots) {
    Set<LoopNode> all = new LinkedHashSet<>();
    addAll(roots, all);
    return all;
  }

  private static void addAll(Iterable<LoopNode> nodes, Set<LoopNode> all) {
    for (LoopNode node : nodes) {
      if (all.add(node) && node instanceof Apply apply) {
        addAll(apply.operands, all);
      }
    }
  }

  /** Reads an element of an input, at a position that depends on the counters. */
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

  /** A constant scalar. Two are equal if their bits are, which distinguish NaNs. */
  record Immediate(Literal scalar) implements LoopNode {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Immediate that && Storages.sameBits(scalar, that.scalar);
    }

    @Override
    public int hashCode() {
      return 31 * type().hashCode() + Long.hashCode(scalar.bitsAt(0));
    }

    @Override
    public ElementType type() {
      return scalar.elementType();
    }
  }

  /**
   * An affine function of the counters, converted to a type.
   *
   * @param isWide whether it has values beyond int
   */
  record Count(ElementType type, AffineIndex value, boolean isWide) implements LoopNode {}

  /**
   * Applies an op to one element of each operand. Two nodes are equal if they apply the same op to
   * the same operands, which are compared by identity.
   */
  record Apply(Op op, ElementType type, ImmutableList<LoopNode> operands) implements LoopNode {
    @Override
    public Term.Applied<LoopNode> term() {
      Term.Applied<LoopNode> term = Term.Applied.of(op, type, operands, LoopNode::type);
      return isMinusMaximum() ? term.atMostZero() : term;
    }

    /** Returns whether it is {@code x - max(x)}, as in a softmax. */
    private boolean isMinusMaximum() {
      return isElementwise(Elementwise.Kind.SUBTRACT)
          && type.isFloating()
          && isAtLeast(operands.get(1), operands.get(0));
    }

    private static boolean isAtLeast(LoopNode bound, LoopNode value) {
      return switch (bound) {
        case Reduced reduced ->
            reduced.reduction.body().single().equals(Optional.of(Elementwise.Kind.MAXIMUM))
                && reduced.reduction.inputs().contains(value);
        case Apply apply ->
            apply.isElementwise(Elementwise.Kind.MAXIMUM)
                && apply.operands.stream()
                    .anyMatch(each -> each instanceof Reduced && isAtLeast(each, value));
        case Read _, Immediate _, Count _ -> false;
      };
    }

    private boolean isElementwise(Elementwise.Kind kind) {
      return op instanceof Elementwise elementwise && elementwise.kind() == kind;
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

  /**
   * A result of a reduction. It is the same for all iterations of the loops that are reduced.
   *
   * @param reduction the reduction
   * @param output the number of the result
   */
  record Reduced(Reduction reduction, int output) implements LoopNode {
    @Override
    public ElementType type() {
      return reduction.inputs().get(output).type();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Reduced that
          && reduction.equals(that.reduction)
          && output == that.output;
    }

    @Override
    public int hashCode() {
      return 31 * reduction.hashCode() + output;
    }
  }
}
