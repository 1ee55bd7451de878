package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.expr.ReductionOp;

/**
 * A reducer that is a single op and in which the order does not matter, or which is a sum of
 * floats. Accumulators have the widest type of the lane; those of a sum of floats are f64.
 *
 * @param kind the op
 * @param type the type of what is reduced
 */
record SingleOpReducer(Elementwise.Kind kind, ElementType type) {
  static SingleOpReducer of(Reducer body) {
    return new SingleOpReducer(body.single().orElseThrow(), body.type());
  }

  boolean isSum() {
    return type.isFloating() && kind == Elementwise.Kind.ADD;
  }

  /** {@return whether it is a maximum or a minimum, which selects one of its operands} */
  boolean isChoice() {
    return kind == Elementwise.Kind.MAXIMUM || kind == Elementwise.Kind.MINIMUM;
  }

  /** {@return the type of the accumulators} */
  ElementType wide() {
    return isSum()
        ? ElementType.F64
        : switch (Lane.of(type)) {
          case F32 -> ElementType.F32;
          case F64 -> ElementType.F64;
          case I32 -> ElementType.S32;
          case I64 -> ElementType.S64;
          case MASK -> ElementType.PRED;
        };
  }

  /** Writes {@code accumulator op element}; the accumulator of a sum is f64. */
  Value write(CodeEmitter emitter, Value accumulator, Value element) {
    return writePlain(emitter, accumulator, isSum() ? emitter.convert(element, Lane.F64) : element);
  }

  /**
   * Writes the combination of elements in pairs, each of the first half with its counterpart in the
   * second half.
   */
  Value pairs(CodeEmitter emitter, List<Value> elements) {
    List<Value> remaining = elements;
    while (remaining.size() > 1) {
      int half = remaining.size() / 2;
      List<Value> next = new ArrayList<>();
      for (int k = 0; k < half; k++) {
        next.add(writePlain(emitter, remaining.get(k), remaining.get(k + half)));
      }
      remaining = next;
    }
    return remaining.get(0);
  }

  /** Writes {@code lhs op rhs}, without a conversion. */
  Value writePlain(CodeEmitter emitter, Value accumulator, Value element) {
    boolean unsigned = type.kind() == ElementType.Kind.UNSIGNED;
    if (type == ElementType.PRED) {
      return switch (op()) {
        case ADD, MAXIMUM, OR -> emitter.or(accumulator, element);
        case MULTIPLY, MINIMUM, AND -> emitter.and(accumulator, element);
        case XOR -> emitter.xor(accumulator, element);
      };
    }
    return switch (op()) {
      case ADD -> emitter.add(accumulator, element);
      case MULTIPLY -> emitter.multiply(accumulator, element);
      case MAXIMUM ->
          unsigned ? emitter.maxUnsigned(accumulator, element) : emitter.max(accumulator, element);
      case MINIMUM ->
          unsigned ? emitter.minUnsigned(accumulator, element) : emitter.min(accumulator, element);
      case AND -> emitter.and(accumulator, element);
      case OR -> emitter.or(accumulator, element);
      case XOR -> emitter.xor(accumulator, element);
    };
  }

  /** {@return the neutral element; that of float sums is -0, which leaves either zero as it is} */
  Number neutralNumber() {
    if (type.isFloating()) {
      double greatest = type.hasInfinity() ? Double.POSITIVE_INFINITY : type.maxFinite();
      return switch (op()) {
        case ADD -> -0.0;
        case MAXIMUM -> type == ElementType.F8E8M0FNU ? type.decode(0) : -greatest;
        case MINIMUM -> greatest;
        case AND, MULTIPLY, OR, XOR -> throw unknown();
      };
    }
    return switch (op()) {
      case ADD, OR, XOR -> 0L;
      case MULTIPLY -> 1L;
      case AND -> type == ElementType.PRED ? 1L : -1L;
      case MAXIMUM -> type.minLong();
      case MINIMUM -> type.maxLong();
    };
  }

  private ReductionOp op() {
    return ReductionOp.of(kind).orElseThrow(this::unknown);
  }

  private AssertionError unknown() {
    return new AssertionError("no reduction by " + kind + " of " + type);
  }
}
