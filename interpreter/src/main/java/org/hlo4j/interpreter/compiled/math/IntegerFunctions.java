package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.ScalarCalls;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.math.Integers;

/**
 * Generated code for functions of integers with HLO's semantics. Lanes that are wider than the type
 * hold sign-extended or zero-extended values, as the type requires.
 */
final class IntegerFunctions {
  private IntegerFunctions() {}

  static boolean isUnsigned(ElementType type) {
    return type.kind() == ElementType.Kind.UNSIGNED;
  }

  /** Returns whether the lane of an unsigned type may hold a negative number. */
  private static boolean mayLookNegative(ElementType type) {
    return isUnsigned(type) && type.bits() >= 32;
  }

  private static int laneBits(Value value) {
    return value.lane().bits();
  }

  /** Returns any lane value wrapped to the type. */
  static Value wrap(CodeEmitter emitter, ElementType type, Value value) {
    return isUnsigned(type)
        ? zeroExtended(emitter, type, value)
        : signExtended(emitter, type, value);
  }

  static Value zeroExtended(CodeEmitter emitter, ElementType type, Value value) {
    if (type.bits() == laneBits(value)) {
      return value;
    }
    return emitter.and(value, emitter.constant(value.lane(), (1L << type.bits()) - 1));
  }

  static Value signExtended(CodeEmitter emitter, ElementType type, Value value) {
    int above = laneBits(value) - type.bits();
    return above == 0 ? value : emitter.shiftRight(emitter.shiftLeft(value, above), above);
  }

  static Value maximum(CodeEmitter emitter, ElementType type, Value a, Value b) {
    return mayLookNegative(type) ? emitter.maxUnsigned(a, b) : emitter.max(a, b);
  }

  static Value minimum(CodeEmitter emitter, ElementType type, Value a, Value b) {
    return mayLookNegative(type) ? emitter.minUnsigned(a, b) : emitter.min(a, b);
  }

  /** Returns the relation of lane values that corresponds to a relation of the numbers. */
  static Relation relation(ElementType type, Relation signed) {
    if (!mayLookNegative(type)) {
      return signed;
    }
    return switch (signed) {
      case EQ, NE, ULT, ULE, UGT, UGE -> signed;
      case LT -> Relation.ULT;
      case LE -> Relation.ULE;
      case GT -> Relation.UGT;
      case GE -> Relation.UGE;
    };
  }

  static Value divide(CodeEmitter emitter, ElementType type, Value a, Value b) {
    if (!emitter.canCall() && type.bits() <= 32) {
      return quotient(emitter, type, a, b);
    }
    String method = isUnsigned(type) ? "divideUnsigned" : "divide";
    return emitter.call(divider(a), method, a.lane(), a, b);
  }

  static Value remainder(CodeEmitter emitter, ElementType type, Value a, Value b) {
    if (!emitter.canCall() && type.bits() <= 32) {
      return emitter.subtract(a, emitter.multiply(quotient(emitter, type, a, b), b));
    }
    boolean unsigned = isUnsigned(type);
    Class<?> owner = unsigned ? ScalarCalls.class : divider(a);
    return emitter.call(owner, unsigned ? "remainderUnsigned" : "remainder", a.lane(), a, b);
  }

  /**
   * Divides integers as floats, since vectors divide floats only. Floats of 24 bits never round a
   * quotient of 16-bit integers up to the next integer, nor do floats of 53 bits one of 32-bit
   * integers. A quotient by zero is -1; the product -1 * 0 then leaves the whole dividend as the
   * remainder.
   */
  private static Value quotient(CodeEmitter emitter, ElementType type, Value a, Value b) {
    Lane lane = type.bits() <= 16 ? Lane.F32 : Lane.F64;
    Value whole =
        mayLookNegative(type)
            ? wholeUnsigned(
                emitter,
                emitter.divide(
                    LaneConversions.unsigned(emitter, a), LaneConversions.unsigned(emitter, b)))
            : whole(emitter, emitter.divide(emitter.convert(a, lane), emitter.convert(b, lane)));
    Value isZero = emitter.compare(Relation.EQ, b, emitter.constant(Lane.I32, 0));
    return emitter.select(isZero, emitter.constant(Lane.I32, -1), whole);
  }

  /**
   * Converts a quotient to an integer. The least integer divided by -1 is one more than the
   * greatest integer, and becomes the least.
   */
  private static Value whole(CodeEmitter emitter, Value quotient) {
    Value isTooLarge =
        emitter.compare(Relation.GE, quotient, emitter.constant(quotient.lane(), 0x1p31));
    Value least = emitter.constant(Lane.I32, Integer.MIN_VALUE);
    return emitter.select(isTooLarge, least, emitter.convert(quotient, Lane.I32));
  }

  private static Value wholeUnsigned(CodeEmitter emitter, Value quotient) {
    Value below = emitter.subtract(emitter.floor(quotient), emitter.constant(Lane.F64, 0x1p31));
    return flippedSign(emitter, emitter.convert(below, Lane.I32));
  }

  /** Flips the sign bit: 0 becomes the least number. */
  static Value flippedSign(CodeEmitter emitter, Value value) {
    return emitter.xor(value, emitter.constant(value.lane(), 1L << (laneBits(value) - 1)));
  }

  private static Class<?> divider(Value value) {
    return value.lane() == Lane.I64 ? Integers.class : ScalarCalls.class;
  }

  static Value power(CodeEmitter emitter, ElementType type, Value a, Value b) {
    String method = isUnsigned(type) ? "powerUnsigned" : "power";
    Value base = widened(emitter, type, a);
    Value power = emitter.call(Integers.class, method, Lane.I64, base, widened(emitter, type, b));
    return emitter.convert(power, a.lane());
  }

  /** Returns the value in lane I64. */
  static Value widened(CodeEmitter emitter, ElementType type, Value value) {
    return value.lane() == Lane.I32 && isUnsigned(type)
        ? emitter.extendUnsigned(value)
        : emitter.convert(value, Lane.I64);
  }

  static Value multiplyHigh(CodeEmitter emitter, ElementType type, Value a, Value b) {
    if (type.bits() == 64) {
      String method = isUnsigned(type) ? "unsignedMultiplyHigh" : "multiplyHigh";
      return emitter.call(Math.class, method, Lane.I64, a, b);
    } else if (type.bits() == 32) {
      Value product = emitter.multiply(widened(emitter, type, a), widened(emitter, type, b));
      return emitter.convert(emitter.shiftRight(product, 32), Lane.I32);
    }
    return emitter.shiftRight(emitter.multiply(a, b), type.bits());
  }

  static Value countLeadingZeros(CodeEmitter emitter, ElementType type, Value value) {
    int above = laneBits(value) - type.bits();
    if (above == 0) {
      return emitter.leadingZeros(value);
    }
    Value end = emitter.constant(value.lane(), 1L << (above - 1));
    return emitter.leadingZeros(emitter.or(emitter.shiftLeft(value, above), end));
  }

  static Value populationCount(CodeEmitter emitter, ElementType type, Value value) {
    return emitter.bitCount(zeroExtended(emitter, type, value));
  }

  static Value shiftLeft(CodeEmitter emitter, ElementType type, Value value, Value amount) {
    return zeroIfWide(emitter, type, emitter.shiftLeft(value, amount), amount);
  }

  static Value shiftRightLogical(CodeEmitter emitter, ElementType type, Value value, Value amount) {
    Value bits = zeroExtended(emitter, type, value);
    return zeroIfWide(emitter, type, emitter.shiftRightLogical(bits, amount), amount);
  }

  private static Value zeroIfWide(
      CodeEmitter emitter, ElementType type, Value shifted, Value amount) {
    Lane lane = shifted.lane();
    Value width = emitter.constant(lane, type.bits());
    Value isNarrow = emitter.compare(Relation.ULT, amount, width);
    return emitter.select(isNarrow, shifted, emitter.constant(lane, 0));
  }

  static Value shiftRightArithmetic(
      CodeEmitter emitter, ElementType type, Value value, Value amount) {
    Value signed = signExtended(emitter, type, value);
    Value most = emitter.constant(value.lane(), type.bits() - 1);
    return emitter.shiftRight(signed, emitter.minUnsigned(amount, most));
  }

  /**
   * Returns the sign: the sign bits of the number or, if it is positive, the sign bit of its
   * negative as a 1.
   */
  static Value sign(CodeEmitter emitter, Value value) {
    int last = laneBits(value) - 1;
    Value positive = emitter.shiftRightLogical(emitter.negate(value), last);
    return emitter.or(emitter.shiftRight(value, last), positive);
  }
}
