package org.hlo4j.builder;

import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Topk;

/**
 * The ops of a handle that sort elements or constrain the order of execution. The ops on several
 * handles are methods of the builder.
 */
abstract class ControlFlowOps extends WindowOps {
  private List<XlaOp> self() {
    return Collections.singletonList((XlaOp) this);
  }

  /**
   * Sorts the elements along a dimension; the sort is stable.
   *
   * <pre>{@code
   * x.sort((a, b) -> a.lt(b), 0)   // ascending
   * }</pre>
   *
   * @param comparator whether its first operand, a scalar, comes before its second
   * @param dimension the dimension to sort along, or -1 for the last
   * @return the op, of this one's shape
   * @throws HloException if there is no such dimension, or the comparator does not give a pred
   */
  public XlaOp sort(BinaryOperator<XlaOp> comparator, int dimension) {
    ComputationBody region = (body, p) -> comparator.apply(p.get(0), p.get(1));
    return owner().sort(self(), region, dimension, true);
  }

  /**
   * Returns the k largest or k smallest elements along the last dimension, best first, and their
   * indices; see {@link Topk} for the order.
   *
   * @param k how many
   * @param largest whether the largest ones
   * @return the op, a tuple of values and s32 indices
   * @throws HloException if this is a scalar or complex, or the dimension is smaller than k
   */
  public XlaOp topK(long k, boolean largest) {
    return owner().apply(new Topk(k, largest), self());
  }

  /**
   * Returns the same value after a barrier, across which a compiler must not move instructions.
   *
   * @return the op
   */
  public XlaOp optimizationBarrier() {
    return owner().apply(new OptBarrier(), self());
  }
}
