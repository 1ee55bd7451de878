package org.hlo4j.interpreter.compiled.loops;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** The code of ops on elements. */
final class Operations {
  private Operations() {}

  static Value apply(
      Lanes lanes, Op op, List<ElementType> from, ElementType type, List<Value> in) {
    if (op instanceof Convert) {
      return lanes.convert(in.get(0), Lane.of(type));
    }
    return switch (((Elementwise) op).kind()) {
      case ADD -> lanes.add(in.get(0), in.get(1));
      case SUBTRACT -> lanes.subtract(in.get(0), in.get(1));
      case MULTIPLY -> lanes.multiply(in.get(0), in.get(1));
      default -> throw new UnsupportedOperationException("not yet: " + op);
    };
  }
}
