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
sealed interface ReduceNode {
  /** The type of the values. */
  ElementType type();

  /** {@return the term that code generation uses for this node} */
  default Term<ReduceNode> term() {
    return new Term.Input<>(type());
  }

  /**
   * An array that is read: an operand, a table if the index is beyond the operands, or, if it is
   * negative, an array that loops compute.
   */
  final class Read implements ReduceNode {
    final int input;
    final ElementType type;
    final MixedRadixView view;

    Read(int input, ElementType type, MixedRadixView view) {
      this.input = input;
      this.type = type;
      this.view = view;
    }

    /** {@return whether loops compute the array, in parts} */
    boolean isComputed() {
      return input < 0;
    }

    @Override
    public ElementType type() {
      return type;
    }
  }

  /** A scalar constant, the same value everywhere. */
  final class Immediate implements ReduceNode {
    final Literal scalar;

    Immediate(Literal scalar) {
      this.scalar = scalar;
    }

    @Override
    public ElementType type() {
      return scalar.elementType();
    }

    @Override
    public Term<ReduceNode> term() {
      return new Term.Fixed<>(scalar);
    }
  }

  /** An op that is applied to one element of each operand. */
  final class Apply implements ReduceNode {
    final Op op;
    final ElementType type;
    final ImmutableList<ReduceNode> operands;

    Apply(Op op, ElementType type, ImmutableList<ReduceNode> operands) {
      this.op = op;
      this.type = type;
      this.operands = operands;
    }

    @Override
    public Term.Applied<ReduceNode> term() {
      Term.Applied<ReduceNode> term = Term.Applied.of(op, type, operands, ReduceNode::type);
      return isMinusMaximum() ? term.atMostZero() : term;
    }

    /** {@return whether it is {@code x - max(x)}, as in a softmax} */
    private boolean isMinusMaximum() {
      return isElementwise(op, Elementwise.Kind.SUBTRACT)
          && type.isFloating()
          && operands.get(1) instanceof BroadcastBack broadcast
          && isAtLeast(broadcast.kept, operands.get(0));
    }

    private static boolean isAtLeast(ReduceNode kept, ReduceNode value) {
      return isMaximumOf(kept, value)
          || (kept instanceof Apply apply
              && isElementwise(apply.op, Elementwise.Kind.MAXIMUM)
              && apply.operands.stream().anyMatch(operand -> isMaximumOf(operand, value)));
    }

    private static boolean isMaximumOf(ReduceNode kept, ReduceNode value) {
      return kept instanceof Reduced reduced
          && reduced.reduction.body().single().equals(Optional.of(Elementwise.Kind.MAXIMUM))
          && reduced.reduction.inputs().contains(value);
    }

    private static boolean isElementwise(Op op, Elementwise.Kind kind) {
      return op instanceof Elementwise elementwise && elementwise.kind() == kind;
    }

    @Override
    public ElementType type() {
      return type;
    }
  }

  /** A value of the result space, broadcast to all positions that are reduced into that result. */
  final class BroadcastBack implements ReduceNode {
    final ReduceNode kept;

    BroadcastBack(ReduceNode kept) {
      this.kept = kept;
    }

    @Override
    public ElementType type() {
      return kept.type();
    }
  }

  /** A result of a reduction. */
  final class Reduced implements ReduceNode {
    final Reduction reduction;
    final int output;

    Reduced(Reduction reduction, int output) {
      this.reduction = reduction;
      this.output = output;
    }

    @Override
    public ElementType type() {
      return reduction.inputs().get(output).type();
    }
  }
}
