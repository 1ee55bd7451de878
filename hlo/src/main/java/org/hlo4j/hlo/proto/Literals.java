package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.proto.MessageType.Field;

/**
 * The conversion of literals to and from LiteralProto. There is one field for each element type,
 * with the name of the type, which holds the elements in the order of the layout. Elements of fewer
 * than 8 bits take one byte each; signed ones of 32 bits are extended to 64.
 */
final class Literals {
  private Literals() {}

  /** Reads a value, which has all its elements. */
  static Literal read(ProtoMessage message) {
    return read(message, false);
  }

  /**
   * Reads the value of a constant. As {@code {...}} in text, an array without any elements has left
   * them out; TensorFlow writes such messages.
   */
  static Literal readConstant(ProtoMessage message) {
    return read(message, true);
  }

  private static Literal read(ProtoMessage message, boolean mayBeElided) {
    Shape shape = Shapes.read(message.message("shape").orElseThrow(() -> noShape(message)));
    return message.located(() ->
        switch (shape) {
          case Shape.Array array when mayBeElided && isElided(message, array) ->
              Literal.elided(array);
          case Shape.Array array -> array(message, array);
          case Shape.Tuple tuple -> tuple(message, tuple, mayBeElided);
          case Shape.Buffer buffer ->
              throw message.refusal(
                  "got a literal of shape " + buffer + ", want an array or a tuple");
          case Shape.Token token -> Literal.token();
          case Shape.Opaque opaque ->
              throw message.refusal("got a literal of shape opaque[], want an array or a tuple");
        });
  }

  private static RuntimeException noShape(ProtoMessage message) {
    return message.refusal("got a literal without a shape, want one");
  }

  private static boolean isElided(ProtoMessage message, Shape.Array shape) {
    return message.hasOnly("shape") && shape.elementCount() > 0;
  }

  private static Literal tuple(ProtoMessage message, Shape.Tuple shape, boolean mayBeElided) {
    ImmutableList<Literal> elements =
        message.messages("tuple_literals").stream()
            .map(element -> read(element, mayBeElided))
            .collect(toImmutableList());
    Literal tuple = Literal.tuple(elements);
    if (!tuple.shape().compatible(shape)) {
      throw message.refusal("tuple_literals", "got " + tuple.shape() + ", want " + shape);
    }
    return tuple;
  }

  private static Field field(ElementType type) {
    return Schema.message("LiteralProto").field(type + "s");
  }

  private static int valuesPerElement(ElementType type) {
    return type.componentCount();
  }

  private static Literal array(ProtoMessage message, Shape.Array shape) {
    requireCount(message, shape);
    Layout layout = layout(shape);
    LiteralBuilder builder = new LiteralBuilder(shape);
    Field field = field(shape.elementType());
    if (isVarint(field)) {
      int[] next = {0};
      message.forEachInteger(field.name(), bits -> builder.setBits(next[0]++, bits));
    } else {
      builder.setBits(0, data(message, field));
    }
    return reordered(builder.build(), shape, layout::toRowMajor);
  }

  /** Checks the size before memory is allocated: each element takes at least a byte of the file. */
  private static void requireCount(ProtoMessage message, Shape.Array shape) {
    ElementType type = shape.elementType();
    Field field = field(type);
    long got =
        isVarint(field)
            ? message.integerCount(field.name())
            : count(message, field, data(message, field), type);
    double want = (double) shape.elementCount() * valuesPerElement(type);
    if (got != want) {
      throw message.refusal(
          field.name(), "got " + got + " values, want " + (long) want + " for " + shape);
    }
  }

  private static boolean isVarint(Field field) {
    return field.typeName().equals("int") || field.typeName().equals("bool");
  }

  private static ByteBuffer data(ProtoMessage message, Field field) {
    return field.typeName().equals("bytes")
        ? message.data(field.name())
        : message.fixed(field.name());
  }

  private static long count(ProtoMessage message, Field field, ByteBuffer data, ElementType type) {
    int width = width(type);
    if (data.remaining() % width != 0) {
      throw message.refusal(
          field.name(),
          "got " + data.remaining() + " bytes, want a multiple of " + width + " for " + type);
    }
    return data.remaining() / width;
  }

  private static int width(ElementType type) {
    return Math.max(1, type.componentType().bits() / 8);
  }

  private static Layout layout(Shape.Array shape) {
    Layout layout = shape.layout().orElse(Layout.rowMajor(shape.rank()));
    HloException.require(
        layout.minorToMajor().count() == shape.rank() && layout.minorToMajor().isPermutation(),
        "",
        "layout got %s, want a permutation of the dimensions of %s",
        layout,
        shape);
    return layout;
  }

  /** A copy of elements from one order to another. */
  private interface Order {
    void copy(MemorySegment from, MemorySegment into, Shape.Array shape);
  }

  /** Returns the elements of an array in another order; itself if its layout is row-major. */
  private static Literal reordered(Literal literal, Shape.Array shape, Order order) {
    if (layout(shape).hasOrderOf(Layout.rowMajor(shape.rank()), shape)) {
      return literal;
    }
    Object storage = LiteralBuilder.newStorage(shape);
    order.copy(literal.asMemorySegment(), LiteralBuilder.segment(storage), shape);
    return Literal.unsafeOf(literal.arrayShape(), storage);
  }

  // Writing.

  /** Writes a literal in row-major order. */
  static ProtoBuilder write(Literal literal) {
    return write(literal, literal.shape());
  }

  /** Writes a literal in the layout of a shape, which otherwise equals the shape of the literal. */
  static ProtoBuilder write(Literal literal, Shape shape) {
    ProtoBuilder message = ProtoBuilder.of("LiteralProto").put("shape", Shapes.write(shape));
    switch (shape) {
      case Shape.Array array -> elements(literal, array, message);
      case Shape.Tuple tuple -> {
        for (int i = 0; i < tuple.elements().size(); i++) {
          message.put("tuple_literals", write(literal.element(i), tuple.elements().get(i)));
        }
      }
      case Shape.Buffer buffer -> throw new AssertionError(buffer);
      case Shape.Token token -> {}
      case Shape.Opaque opaque -> {}
    }
    return message;
  }

  private static void elements(Literal literal, Shape.Array shape, ProtoBuilder message) {
    HloException.require(
        !literal.isElided(),
        "",
        "proto: literal got %s whose elements were left out, written {...}, want them",
        literal.shape());
    if (literal.elementCount() > 0) {
      Field field = field(shape.elementType());
      Literal stored = reordered(literal, shape, layout(shape)::fromRowMajor);
      message.putBytes(field.name(), isVarint(field) ? varints(stored) : fixed(stored));
    }
  }

  private static byte[] varints(Literal literal) {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (int i = 0; i < literal.elementCount(); i++) {
      ProtoBuilder.writeVarint(data, literal.longAt(i));
    }
    return data.toByteArray();
  }

  private static byte[] fixed(Literal literal) {
    ElementType type = literal.elementType();
    long size = (long) literal.elementCount() * valuesPerElement(type) * width(type);
    HloException.require(
        size < Integer.MAX_VALUE - 1000, "", "proto: literal of %s bytes, want at most 2^31", size);
    ByteBuffer data = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
    literal.bitsAt(0, data);
    return data.array();
  }
}
