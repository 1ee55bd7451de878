package org.hlo4j.interpreter.compiled.folds;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Relation;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes ops on single elements. */
final class OpCode {
  private OpCode() {}

  /** Whether {@link #write} knows an op on elements of these types. */
  static boolean knows(Op op, ElementType result, List<ElementType> operands) {
    for (ElementType type : operands) {
      if (!isPlain(type)) {
        return false;
      }
    }
    return isPlain(result)
        && switch (op) {
          case Elementwise elementwise -> knows(elementwise.kind(), result);
          case Compare compare ->
              compare.typeFor(operands.get(0)) != Compare.Type.TOTALORDER
                  && operands.get(0) != ElementType.PRED;
          case Select select -> true;
          case Clamp clamp -> result.isFloating();
          case Convert convert -> converts(operands.get(0), result);
          default -> false;
        };
  }

  private static boolean isPlain(ElementType type) {
    return switch (type) {
      case PRED, S32, U32, S64, U64, F32, F64 -> true;
      default -> false;
    };
  }

  private static boolean converts(ElementType from, ElementType to) {
    return from == to
        || from == ElementType.PRED
        || (from == ElementType.F32 && to == ElementType.F64)
        || (from == ElementType.F64 && to == ElementType.F32)
        || (from == ElementType.S32 && to.isFloating());
  }

  private static boolean knows(Elementwise.Kind kind, ElementType type) {
    return switch (kind) {
      case ADD, MULTIPLY, MAXIMUM, MINIMUM -> true;
      case SUBTRACT -> type != ElementType.PRED;
      case DIVIDE, SQRT, ABS, NEGATE -> type.isFloating();
      case AND, OR, XOR, NOT -> true;
      default -> false;
    };
  }

  static Value write(Lanes lanes, Op op, ElementType result, List<ElementType> types, List<Value> in) {
    return switch (op) {
      case Elementwise elementwise -> elementwise(lanes, elementwise.kind(), result, in);
      case Compare compare -> lanes.compare(relation(compare, types.get(0)), in.get(0), in.get(1));
      case Select select -> lanes.select(in.get(0), in.get(1), in.get(2));
      case Clamp clamp -> lanes.min(lanes.max(in.get(1), in.get(0)), in.get(2));
      case Convert convert -> lanes.convert(in.get(0), Lane.of(result));
      default -> throw new AssertionError(op);
    };
  }

  private static Relation relation(Compare compare, ElementType type) {
    boolean unsigned = compare.typeFor(type) == Compare.Type.UNSIGNED;
    return switch (compare.direction()) {
      case EQ -> Relation.EQ;
      case NE -> Relation.NE;
      case GE -> unsigned ? Relation.UGE : Relation.GE;
      case GT -> unsigned ? Relation.UGT : Relation.GT;
      case LE -> unsigned ? Relation.ULE : Relation.LE;
      case LT -> unsigned ? Relation.ULT : Relation.LT;
    };
  }

  private static Value elementwise(
      Lanes lanes, Elementwise.Kind kind, ElementType type, List<Value> in) {
    Value lhs = in.get(0);
    Value rhs = in.getLast();
    return switch (kind) {
      case SUBTRACT -> lanes.subtract(lhs, rhs);
      case DIVIDE -> lanes.divide(lhs, rhs);
      case SQRT -> lanes.sqrt(lhs);
      case ABS -> lanes.abs(lhs);
      case NEGATE -> lanes.negate(lhs);
      case NOT -> lanes.not(lhs);
      default -> new Single(kind, type).writePlain(lanes, lhs, rhs);
    };
  }
}
