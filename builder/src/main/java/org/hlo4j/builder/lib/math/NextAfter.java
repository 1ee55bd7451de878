package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;
import org.hlo4j.hlo.ElementType;

/** The functions that work on the bits of floats: the next number in a direction. */
final class NextAfter {
  private NextAfter() {}

  static XlaOp isNegZero(XlaOp x) {
    XlaOp wide =
        x.arrayShape().elementType().bits() < 32 ? x.convertElementType(ElementType.F32) : x;
    XlaOp bits = wide.bitcastConvertType(bitsType(wide.arrayShape().elementType()));
    return bits.eq(lowest(bits));
  }

  private static XlaOp lowest(XlaOp bits) {
    return Constants.minValue(bits.builder(), bits.arrayShape().elementType());
  }

  /** In the direction away from zero, the bits as an integer increase by one, for either sign. */
  static XlaOp of(XlaOp from, XlaOp to) {
    ElementType type = from.arrayShape().elementType();
    ElementType bitsType = bitsType(type);
    XlaOp bits = from.bitcastConvertType(bitsType);
    XlaOp signOfTo = to.bitcastConvertType(bitsType).and(lowest(bits));
    XlaOp isPositive = bits.ge(bits.zerosLike());
    XlaOp grows = from.lt(to).eq(isPositive);
    XlaOp one = bits.fullLike(1);
    XlaOp next = grows.select(bits.add(one), bits.sub(one));
    XlaOp isZero = from.eq(from.zerosLike());
    XlaOp moved = isZero.select(signOfTo.or(one), next).bitcastConvertType(type);
    XlaOp isNan = Floats.isNan(from).or(Floats.isNan(to));
    return from.eq(to).select(to, Floats.nanWhere(isNan, moved));
  }

  private static ElementType bitsType(ElementType type) {
    require(
        type.bits() >= 16, "", "nextAfter: element type got %s, want bf16, f16, f32 or f64", type);
    return type.bits() == 16
        ? ElementType.S16
        : type.bits() == 32 ? ElementType.S32 : ElementType.S64;
  }
}
