package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * An input of a layer: a value of the graph, or a constant that is added to the graph when needed.
 */
final class Input {
  private final XlaBuilder builder;
  private final Optional<Literal> literal;
  private Optional<XlaOp> op;

  private Input(XlaBuilder builder, Optional<Literal> literal, Optional<XlaOp> op) {
    this.builder = builder;
    this.literal = literal;
    this.op = op;
  }

  static Input of(XlaOp op) {
    return new Input(op.builder(), Optional.empty(), Optional.of(op));
  }

  static Input of(XlaBuilder builder, Literal literal) {
    return new Input(builder, Optional.of(literal), Optional.empty());
  }

  Shape shape() {
    return literal.map(Literal::shape).or(() -> op.map(XlaOp::shape)).orElseThrow();
  }

  XlaOp op() {
    if (op.isEmpty()) {
      op = Optional.of(builder.constant(literal.orElseThrow()));
    }
    return op.orElseThrow();
  }

  /** Returns the numbers of a constant vector of integers. */
  Dims numbers(String what) {
    require(literal.isPresent(), "", "%s got a value of run time, want a constant", what);
    Shape.Array shape = literal.orElseThrow().arrayShape();
    require(
        shape.rank() == 1 && shape.elementType().isIntegral(),
        "",
        "%s got %s, want a vector of integers",
        what,
        shape);
    return Dims.of(literal.orElseThrow().toLongs());
  }
}
