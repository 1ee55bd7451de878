package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** Generated code for comparisons of elements, in the order of their type or of the op. */
final class LaneComparisons {
  private LaneComparisons() {}

  static Value compare(CodeEmitter emitter, Compare op, ElementType type, Value lhs, Value rhs) {
    Relation relation = Relation.valueOf(op.direction().name());
    return switch (type.kind()) {
      case PRED -> masks(emitter, relation, lhs, rhs);
      case SIGNED, UNSIGNED -> emitter.compare(IntegerFunctions.relation(type, relation), lhs, rhs);
      case FLOAT ->
          op.typeFor(type) == Compare.Type.TOTALORDER
              ? emitter.compare(
                  relation, totalOrder(emitter, type, lhs), totalOrder(emitter, type, rhs))
              : emitter.compare(relation, lhs, rhs);
      case COMPLEX -> throw new NoCodeException("no code for " + type);
    };
  }

  /** Compares booleans; true is greater than false. */
  private static Value masks(CodeEmitter emitter, Relation relation, Value lhs, Value rhs) {
    return switch (relation) {
      case EQ -> emitter.not(emitter.xor(lhs, rhs));
      case NE -> emitter.xor(lhs, rhs);
      case LT, ULT -> emitter.and(emitter.not(lhs), rhs);
      case LE, ULE -> emitter.or(emitter.not(lhs), rhs);
      case GT, UGT -> emitter.and(lhs, emitter.not(rhs));
      case GE, UGE -> emitter.or(lhs, emitter.not(rhs));
    };
  }

  /**
   * Returns an integer that is ordered as the float: its bits, with all bits but the sign flipped
   * if it is negative.
   */
  static Value totalOrder(CodeEmitter emitter, ElementType type, Value value) {
    Value bits = emitter.reinterpret(type.hasInfinity() ? value : canonicalizeNaN(emitter, value));
    int last = bits.lane().bits() - 1;
    Value flipped = emitter.shiftRightLogical(emitter.shiftRight(bits, last), 1);
    return emitter.xor(bits, flipped);
  }

  /** Replaces NaNs by the one NaN of their sign: types without infinities have no others. */
  private static Value canonicalizeNaN(CodeEmitter emitter, Value value) {
    Value isNaN = emitter.compare(Relation.NE, value, value);
    Value nan = emitter.withSign(emitter.constant(Lane.F32, Float.NaN), value);
    return emitter.select(isNaN, nan, value);
  }
}
