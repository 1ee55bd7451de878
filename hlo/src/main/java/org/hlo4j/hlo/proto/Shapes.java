package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/** The conversion of shapes to and from ShapeProto and ProgramShapeProto. */
final class Shapes {
  private static final int TUPLE = 13;
  private static final int OPAQUE = 14;
  private static final int TOKEN = 17;
  private static final int BUFFER = 34;

  private static final ImmutableMap<Integer, ElementType> TYPES =
      Arrays.stream(ElementType.values())
          .collect(toImmutableMap(Shapes::number, Function.identity()));

  private Shapes() {}

  /** Returns the number of a type in the enumeration PrimitiveType. */
  static int number(ElementType type) {
    return switch (type) {
      case PRED -> 1;
      case S8 -> 2;
      case S16 -> 3;
      case S32 -> 4;
      case S64 -> 5;
      case U8 -> 6;
      case U16 -> 7;
      case U32 -> 8;
      case U64 -> 9;
      case F16 -> 10;
      case F32 -> 11;
      case F64 -> 12;
      case C64 -> 15;
      case BF16 -> 16;
      case C128 -> 18;
      case F8E5M2 -> 19;
      case F8E4M3FN -> 20;
      case S4 -> 21;
      case U4 -> 22;
      case F8E4M3B11FNUZ -> 23;
      case F8E5M2FNUZ -> 24;
      case F8E4M3FNUZ -> 25;
      case S2 -> 26;
      case U2 -> 27;
      case F8E4M3 -> 28;
      case F8E3M4 -> 29;
      case S1 -> 30;
      case U1 -> 31;
      case F4E2M1FN -> 32;
      case F8E8M0FNU -> 33;
    };
  }

  /** Returns the type of a number; empty if it is not an array element type. */
  static Optional<ElementType> elementType(int number) {
    return Optional.ofNullable(TYPES.get(number));
  }

  /** Reads a shape, with the layout if it has one. */
  static Shape read(ProtoMessage message) {
    int number = message.smallInteger("element_type");
    return switch (number) {
      case TUPLE -> tuple(message);
      case BUFFER -> buffer(message);
      case OPAQUE -> new Shape.Opaque();
      case TOKEN -> Shape.token();
      default ->
          array(
              message,
              elementType(number)
                  .orElseThrow(() ->
                      message.refusal(
                          "element_type", "got " + number + ", want a type of arrays or tuples")));
    };
  }

  private static Shape tuple(ProtoMessage message) {
    return message.located(() ->
        new Shape.Tuple(
            message.messages("tuple_shapes").stream()
                .map(Shapes::read)
                .collect(toImmutableList())));
  }

  /** Reads the shape of a buffer, whose array is the only element of tuple_shapes. */
  private static Shape buffer(ProtoMessage message) {
    ImmutableList<Shape> inside =
        message.messages("tuple_shapes").stream().map(Shapes::read).collect(toImmutableList());
    if (inside.size() != 1 || !(inside.get(0) instanceof Shape.Array array)) {
      throw message.refusal("tuple_shapes", "of a buffer got " + inside + ", want one array");
    }
    return Shape.buffer(array);
  }

  private static Shape.Array array(ProtoMessage message, ElementType type) {
    Dims sizes = message.dims("dimensions");
    long[] dynamic = message.integers("is_dynamic_dimension");
    if (dynamic.length != 0 && dynamic.length != sizes.count()) {
      throw message.refusal(
          "is_dynamic_dimension",
          "got " + dynamic.length + " values, want none or " + sizes.count());
    }
    ImmutableSortedSet<Integer> dimensions =
        IntStream.range(0, dynamic.length)
            .filter(i -> dynamic[i] != 0)
            .boxed()
            .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
    Optional<Layout> layout =
        message
            .message("layout")
            .map(Layouts::read)
            .filter(given -> !(sizes.isEmpty() && given.details().isEmpty()));
    return message.located(() -> new Shape.Array(type, sizes, dimensions, layout));
  }

  /** Writes a shape as XLA does, with a layout for every array. */
  static ProtoBuilder write(Shape shape) {
    ProtoBuilder message = ProtoBuilder.of("ShapeProto");
    switch (shape) {
      case Shape.Array array -> write(array, message);
      case Shape.Tuple tuple -> {
        message.put("element_type", TUPLE);
        tuple.elements().forEach(element -> message.put("tuple_shapes", write(element)));
      }
      case Shape.Buffer buffer ->
          message.put("element_type", BUFFER).put("tuple_shapes", write(buffer.array()));
      case Shape.Token token -> message.put("element_type", TOKEN);
      case Shape.Opaque opaque -> message.put("element_type", OPAQUE);
    }
    return message;
  }

  private static void write(Shape.Array array, ProtoBuilder message) {
    message.put("element_type", number(array.elementType()));
    message.put("dimensions", array.sizes());
    long[] dynamic =
        IntStream.range(0, array.rank()).mapToLong(i -> array.isDynamic(i) ? 1 : 0).toArray();
    message.put("is_dynamic_dimension", Dims.of(dynamic));
    Layout layout = array.layout().orElseGet(() -> Layout.rowMajor(array.rank()));
    message.put("layout", Layouts.write(layout));
  }

  /** Reads the signature of a program. */
  static ProgramShape readProgram(ProtoMessage message) {
    return new ProgramShape(
        message.messages("parameters").stream().map(Shapes::read).collect(toImmutableList()),
        read(message.messageOrEmpty("result")));
  }

  static ProtoBuilder writeProgram(ProgramShape shape) {
    ProtoBuilder message = ProtoBuilder.of("ProgramShapeProto");
    shape.parameters().forEach(parameter -> message.put("parameters", write(parameter)));
    return message.put("result", write(shape.result()));
  }
}
