package org.hlo4j.builder;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;

/**
 * The comparisons of a handle. The result is pred; operands are broadcast as in the arithmetic ops.
 */
abstract class CompareOps extends BinaryOps {
  /** Returns the element type of the operand, which determines the order. */
  abstract ElementType elementTypeFor(String opcode);

  /**
   * Compares element by element, in any order that HLO supports.
   *
   * @param rhs the other operand
   * @param direction which relation
   * @param type in which order; empty for the default of the element type
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}; empty for equal ranks and scalars
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible, or the order does not suit
   *     the element type
   */
  public XlaOp compare(
      XlaOp rhs, Direction direction, Optional<Compare.Type> type, Dims broadcastDimensions) {
    return Binary.apply(new Compare(direction, type), (XlaOp) this, rhs, broadcastDimensions);
  }

  /**
   * The same as {@link #compare(XlaOp, Direction, Optional, Dims)}, broadcasting by the builder's
   * default.
   *
   * @param rhs the other operand
   * @param direction which relation
   * @param type in which order; empty for the default of the element type
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible, or the order does not suit
   *     the element type
   */
  public XlaOp compare(XlaOp rhs, Direction direction, Optional<Compare.Type> type) {
    return PolicyLowering.applyDefault(new Compare(direction, type), (XlaOp) this, rhs);
  }

  /** Returns the total order, for element types that have it besides their default order. */
  final Optional<Compare.Type> totalOrder() {
    return elementTypeFor("compare").isFloating()
        ? Optional.of(Compare.Type.TOTALORDER)
        : Optional.empty();
  }

  /**
   * Returns whether each element is equal to that of rhs; floats as IEEE 754 compares them.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp eq(XlaOp rhs) {
    return compare(rhs, Direction.EQ, Optional.empty());
  }

  /**
   * The same as {@link #eq(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp eq(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.EQ, Optional.empty(), broadcastDimensions);
  }

  /**
   * Returns whether each element is equal to that of rhs in the total order of floats, -NaN &lt;
   * -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN; other types as {@link #eq(XlaOp)}.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp eqTotalOrder(XlaOp rhs) {
    return compare(rhs, Direction.EQ, totalOrder());
  }

  /**
   * The same as {@link #eqTotalOrder(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp eqTotalOrder(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.EQ, totalOrder(), broadcastDimensions);
  }

  /**
   * Returns whether each element is not equal to that of rhs; floats as IEEE 754 compares them.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ne(XlaOp rhs) {
    return compare(rhs, Direction.NE, Optional.empty());
  }

  /**
   * The same as {@link #ne(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ne(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.NE, Optional.empty(), broadcastDimensions);
  }

  /**
   * Returns whether each element is not equal to that of rhs in the total order of floats, -NaN
   * &lt; -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN; other types as {@link #ne(XlaOp)}.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp neTotalOrder(XlaOp rhs) {
    return compare(rhs, Direction.NE, totalOrder());
  }

  /**
   * The same as {@link #neTotalOrder(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp neTotalOrder(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.NE, totalOrder(), broadcastDimensions);
  }

  /**
   * Returns whether each element is greater than or equal to that of rhs; floats as IEEE 754
   * compares them.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ge(XlaOp rhs) {
    return compare(rhs, Direction.GE, Optional.empty());
  }

  /**
   * The same as {@link #ge(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ge(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.GE, Optional.empty(), broadcastDimensions);
  }

  /**
   * Returns whether each element is greater than or equal to that of rhs in the total order of
   * floats, -NaN &lt; -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN; other types as {@link #ge(XlaOp)}.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp geTotalOrder(XlaOp rhs) {
    return compare(rhs, Direction.GE, totalOrder());
  }

  /**
   * The same as {@link #geTotalOrder(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp geTotalOrder(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.GE, totalOrder(), broadcastDimensions);
  }

  /**
   * Returns whether each element is greater than that of rhs; floats as IEEE 754 compares them.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp gt(XlaOp rhs) {
    return compare(rhs, Direction.GT, Optional.empty());
  }

  /**
   * The same as {@link #gt(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp gt(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.GT, Optional.empty(), broadcastDimensions);
  }

  /**
   * Returns whether each element is greater than that of rhs in the total order of floats, -NaN
   * &lt; -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN; other types as {@link #gt(XlaOp)}.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp gtTotalOrder(XlaOp rhs) {
    return compare(rhs, Direction.GT, totalOrder());
  }

  /**
   * The same as {@link #gtTotalOrder(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp gtTotalOrder(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.GT, totalOrder(), broadcastDimensions);
  }

  /**
   * Returns whether each element is less than or equal to that of rhs; floats as IEEE 754 compares
   * them.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp le(XlaOp rhs) {
    return compare(rhs, Direction.LE, Optional.empty());
  }

  /**
   * The same as {@link #le(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp le(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.LE, Optional.empty(), broadcastDimensions);
  }

  /**
   * Returns whether each element is less than or equal to that of rhs in the total order of floats,
   * -NaN &lt; -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN; other types as {@link #le(XlaOp)}.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp leTotalOrder(XlaOp rhs) {
    return compare(rhs, Direction.LE, totalOrder());
  }

  /**
   * The same as {@link #leTotalOrder(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp leTotalOrder(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.LE, totalOrder(), broadcastDimensions);
  }

  /**
   * Returns whether each element is less than that of rhs; floats as IEEE 754 compares them.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp lt(XlaOp rhs) {
    return compare(rhs, Direction.LT, Optional.empty());
  }

  /**
   * The same as {@link #lt(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp lt(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.LT, Optional.empty(), broadcastDimensions);
  }

  /**
   * Returns whether each element is less than that of rhs in the total order of floats, -NaN &lt;
   * -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN; other types as {@link #lt(XlaOp)}.
   *
   * @param rhs the other operand
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ltTotalOrder(XlaOp rhs) {
    return compare(rhs, Direction.LT, totalOrder());
  }

  /**
   * The same as {@link #ltTotalOrder(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions as for {@link #add(XlaOp, Dims)}
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ltTotalOrder(XlaOp rhs, Dims broadcastDimensions) {
    return compare(rhs, Direction.LT, totalOrder(), broadcastDimensions);
  }
}
