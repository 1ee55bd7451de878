package org.hlo4j.builder.lib.random;

import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U64;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.hlo.Dims;

/** Numbers of 64 and 128 bits as words of 32 bits, the low word first. */
final class Words {
  private Words() {}

  static XlaOp u32(XlaOp like, int bits) {
    return Constants.ofInteger(like.builder(), U32, bits);
  }

  static XlaOp u64(XlaOp like, long bits) {
    return Constants.ofInteger(like.builder(), U64, bits);
  }

  static XlaOp low(XlaOp u64) {
    return u64.convertElementType(U32);
  }

  static XlaOp high(XlaOp u64) {
    return u64.shiftRightLogical(u64(u64, 32)).convertElementType(U32);
  }

  static XlaOp joined(XlaOp low, XlaOp high) {
    XlaOp upper = high.convertElementType(U64).shiftLeft(u64(high, 32));
    return low.convertElementType(U64).or(upper);
  }

  /** Returns element i of a vector as a scalar. */
  static XlaOp element(XlaOp vector, int i) {
    return vector.slice(Dims.of(i), Dims.of(i + 1)).reshape();
  }

  /**
   * Returns the carry of an addition, which is added to the high half: 1 where the sum is less than
   * the addend.
   */
  static XlaOp carry(XlaOp sum, XlaOp addend) {
    return sum.lt(addend).convertElementType(U64);
  }
}
