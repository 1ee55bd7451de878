package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntUnaryOperator;
import org.hlo4j.hlo.Dims;
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
    LiteralBuilder builder = new LiteralBuilder(shape);
    Storer storer = new Storer(builder, shape);
    Field field = field(shape.elementType());
    if (isVarint(field)) {
      message.forEachInteger(field.name(), storer::store);
    } else {
      ByteBuffer data = data(message, field);
      if (isRowMajor(shape)) {
        builder.setBits(0, data);
      } else {
        storer.storeAll(data);
      }
    }
    return builder.build();
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

  /** A sink that stores values in the order of the layout. */
  private static final class Storer {
    private final LiteralBuilder builder;
    private final int width;
    private final int perElement;
    private final IntUnaryOperator linear;
    private int position;

    Storer(LiteralBuilder builder, Shape.Array shape) {
      this.builder = builder;
      this.width = width(shape.elementType());
      this.perElement = valuesPerElement(shape.elementType());
      this.linear = order(shape);
    }

    void store(long bits) {
      int element = linear.applyAsInt(position / perElement);
      builder.setBits(element * perElement + position % perElement, bits);
      position++;
    }

    void storeAll(ByteBuffer data) {
      while (data.remaining() >= width) {
        store(
            switch (width) {
              case 1 -> data.get();
              case 2 -> data.getShort();
              case 4 -> data.getInt();
              default -> data.getLong();
            });
      }
    }
  }

  private static boolean isRowMajor(Shape.Array shape) {
    Dims rowMajor = Layout.rowMajor(shape.rank()).minorToMajor();
    return shape.layout().map(Layout::minorToMajor).orElse(rowMajor).equals(rowMajor);
  }

  /** Returns the map from positions in the file to row-major positions. */
  private static IntUnaryOperator order(Shape.Array shape) {
    if (isRowMajor(shape)) {
      return position -> position;
    }
    Layout layout = shape.layout().orElseThrow();
    if (layout.minorToMajor().count() != shape.rank() || !layout.minorToMajor().isPermutation()) {
      throw new HloException(
          "", "layout got " + layout + ", want a permutation of the dimensions of " + shape);
    }
    int[] dimensions = layout.minorToMajor().stream().mapToInt(d -> (int) d).toArray();
    long[] strides = shape.sizes().rowMajorStrides().toArray();
    return position -> {
      long rest = position;
      long at = 0;
      for (int dimension : dimensions) {
        at += rest % shape.size(dimension) * strides[dimension];
        rest /= shape.size(dimension);
      }
      return (int) at;
    };
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
      message.putBytes(
          field.name(), isVarint(field) ? varints(literal, order(shape)) : fixed(literal, shape));
    }
  }

  private static byte[] varints(Literal literal, IntUnaryOperator linear) {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (int i = 0; i < literal.elementCount(); i++) {
      ProtoBuilder.writeVarint(data, literal.longAt(linear.applyAsInt(i)));
    }
    return data.toByteArray();
  }

  private static byte[] fixed(Literal literal, Shape.Array shape) {
    int width = width(literal.elementType());
    int perElement = valuesPerElement(literal.elementType());
    long size = (long) literal.elementCount() * perElement * width;
    HloException.require(
        size < Integer.MAX_VALUE - 1000, "", "proto: literal of %s bytes, want at most 2^31", size);
    ByteBuffer data = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
    if (isRowMajor(shape)) {
      literal.bitsAt(0, data);
      return data.array();
    }
    IntUnaryOperator linear = order(shape);
    for (int i = 0; i < literal.elementCount() * perElement; i++) {
      long bits = literal.bitsAt(linear.applyAsInt(i / perElement) * perElement + i % perElement);
      switch (width) {
        case 1 -> data.put((byte) bits);
        case 2 -> data.putShort((short) bits);
        case 4 -> data.putInt((int) bits);
        default -> data.putLong(bits);
      }
    }
    return data.array();
  }
}
