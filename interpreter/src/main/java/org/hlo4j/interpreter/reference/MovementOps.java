package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.ElementRuns;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.interpreter.engine.Limits;

/** Ops that copy elements from other positions; {@link Movement#source} says from where. */
final class MovementOps {
  private MovementOps() {}

  /** {@code result[i] = in[operand][from]}, with the operand and the index that the op gives */
  static Literal move(Movement op, List<Literal> in, Shape.Array shape) {
    List<Shape.Array> shapes = in.stream().map(Literal::arrayShape).toList();
    LiteralBuilder result = new LiteralBuilder(shape);
    new ElementRuns(op, shapes, shape, (operand, at) -> in.get(operand).longAt(at))
        .forEach(new Copies(in, shape.elementType(), result));
    return result.build();
  }

  /** Puts runs of elements into the result. */
  private record Copies(List<Literal> in, ElementType type, LiteralBuilder result)
      implements ElementRuns.Consumer {
    @Override
    public void copy(int to, int count, int operand, int from, int step) {
      for (int i = 0; i < count; i++) {
        Limits.checkAt(to + i);
        result.copy(to + i, in.get(operand), from + i * step);
      }
    }

    @Override
    public void count(int to, int count, long first, long step) {
      for (int i = 0; i < count; i++) {
        Limits.checkAt(to + i);
        set(to + i, first + i * step);
      }
    }

    private void set(int position, long number) {
      switch (type.kind()) {
        case PRED, SIGNED, UNSIGNED -> result.setLong(position, number);
        case FLOAT -> result.setDouble(position, (double) number);
        case COMPLEX -> result.setComplex(position, (double) number, 0);
      }
    }
  }

  /** {@code result[..., i, ...] = i} */
  static Literal iota(Iota op) {
    return move(op, List.of(), op.shape());
  }
}
