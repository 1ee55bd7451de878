package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.expr.Term;

/**
 * A value for each position of a space: that of the positions that are reduced, or that of the
 * results of the reductions. The graph has no movement ops, since these are composed into the views
 * of the arrays that are read. Nodes are unique and compared by identity.
 */
abstract sealed class ReduceNode {
  private final ElementType type;
  private final ImmutableList<ReduceNode> operands;

  private ReduceNode(ElementType type, ImmutableList<ReduceNode> operands) {
    this.type = type;
    this.operands = operands;
  }

  /** {@return the type of the values} */
  ElementType type() {
    return type;
  }

  /** {@return the nodes from which the values follow} */
  ImmutableList<ReduceNode> operands() {
    return operands;
  }

  /** {@return the term that code generation uses for this node} */
  Term<ReduceNode> term() {
    return new Term.Input<>(type());
  }

  /**
   * An array that is read: an operand, a table if the index is beyond the operands, or, if it is
   * negative, an array that loops compute.
   */
  static final class Read extends ReduceNode {
    final int input;
    final MixedRadixView view;

    Read(int input, ElementType type, MixedRadixView view) {
      super(type, ImmutableList.of());
      this.input = input;
      this.view = view;
    }

    /** {@return whether loops compute the array, in parts} */
    boolean isComputed() {
      return input < 0;
    }
  }

  /** A scalar constant, the same value everywhere. */
  static final class Immediate extends ReduceNode {
    final Literal scalar;

    Immediate(Literal scalar) {
      super(scalar.elementType(), ImmutableList.of());
      this.scalar = scalar;
    }

    @Override
    Term<ReduceNode> term() {
      return new Term.Fixed<>(scalar);
    }
  }

  /** An op that is applied to one element of each operand. */
  static final class Apply extends ReduceNode {
    final Op op;

    Apply(Op op, ElementType type, ImmutableList<ReduceNode> operands) {
      super(type, operands);
      this.op = op;
    }

    @Override
    Term.Applied<ReduceNode> term() {
      Term.Applied<ReduceNode> term = Term.Applied.of(op, type(), operands(), ReduceNode::type);
      return isMinusMaximum() ? term.atMostZero() : term;
    }

    /** {@return whether it is {@code x - max(x)}, as in a softmax} */
    private boolean isMinusMaximum() {
      return isElementwise(op, Elementwise.Kind.SUBTRACT)
          && type().isFloating()
          && operands().get(1) instanceof BroadcastBack broadcast
          && isAtLeast(broadcast.kept, operands().get(0));
    }

    private static boolean isAtLeast(ReduceNode kept, ReduceNode value) {
      return isMaximumOf(kept, value)
          || (kept instanceof Apply apply
              && isElementwise(apply.op, Elementwise.Kind.MAXIMUM)
              && apply.operands().stream().anyMatch(operand -> isMaximumOf(operand, value)));
    }

    private static boolean isMaximumOf(ReduceNode kept, ReduceNode value) {
      return kept instanceof Reduced reduced
          && reduced.reduction.body().single().equals(Optional.of(Elementwise.Kind.MAXIMUM))
          && reduced.reduction.inputs().contains(value);
    }

    private static boolean isElementwise(Op op, Elementwise.Kind kind) {
      return op instanceof Elementwise elementwise && elementwise.kind() == kind;
    }
  }

  /** A value of the result space, broadcast to all positions that are reduced into that result. */
  static final class BroadcastBack extends ReduceNode {
    final ReduceNode kept;

    BroadcastBack(ReduceNode kept) {
      super(kept.type(), ImmutableList.of(kept));
      this.kept = kept;
    }
  }

  /** A result of a reduction. */
  static final class Reduced extends ReduceNode {
    final Reduction reduction;
    final int output;

    Reduced(Reduction reduction, int output) {
      super(reduction.inputs().get(output).type(), reduction.operands());
      this.reduction = reduction;
      this.output = output;
    }
  }
}
