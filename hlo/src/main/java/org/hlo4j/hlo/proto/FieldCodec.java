package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiPredicate;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpAttribute;

/**
 * The encoding of values of one record component type in a message. A new component type needs a
 * new case in {@link #of}.
 *
 * @param write puts a value into a field of a message
 * @param read reads a value from a field of a message
 * @param isThere whether a message has a value in the field
 */
record FieldCodec<T>(Writer<T> write, Reader<T> read, BiPredicate<ProtoMessage, String> isThere) {
  /** Puts a value into a field. */
  interface Writer<T> {
    void write(ProtoBuilder message, String field, T value);
  }

  /** Reads a value from a field. */
  interface Reader<T> {
    T read(ProtoMessage message, String field);
  }

  private static final FieldCodec<Integer> INTEGER =
      of(FieldCodec::writeInteger, FieldCodec::readInteger);

  private static final FieldCodec<Long> LONG =
      new FieldCodec<>(
          (to, field, value) -> to.put(field, value),
          FieldCodec::readLong,
          (from, field) -> from.integer(field) > 0);

  private static final ImmutableMap<Type, FieldCodec<?>> PLAIN =
      ImmutableMap.<Type, FieldCodec<?>>builder()
          .put(Dims.class, of((to, field, dims) -> to.put(field, dims), ProtoMessage::dims))
          .put(boolean.class, of(FieldCodec::writeBoolean, FieldCodec::readBoolean))
          .put(int.class, INTEGER)
          .put(Integer.class, INTEGER)
          .put(long.class, LONG)
          .put(Long.class, LONG)
          .put(float.class, of((to, field, f) -> to.put(field, f), ProtoMessage::floatValue))
          .put(String.class, of((to, field, s) -> to.put(field, s), ProtoMessage::text))
          .put(
              Shape.class,
              of(
                  (to, field, shape) -> to.put(field, Shapes.write(shape)),
                  (from, field) -> Structures.shape(from.messageOrEmpty(field))))
          .put(
              Literal.class,
              of(
                  (to, field, literal) -> to.put(field, Literals.write(literal)),
                  (from, field) -> Literals.readConstant(from.messageOrEmpty(field))))
          .put(Window.class, of(Structures::writeWindow, Structures::window))
          .put(SliceRanges.class, of(Structures::writeSlice, Structures::slice))
          .put(PadConfig.class, of(Structures::writePadding, Structures::padding))
          .put(
              ConvolutionDimensionNumbers.class,
              of(Structures::writeConvolution, Structures::convolution))
          .put(ReplicaGroups.class, of(DeviceGroups::write, DeviceGroups::read))
          .put(Domain.Border.class, of(Shardings::writeBorder, Shardings::border))
          .buildOrThrow();

  private static <T> FieldCodec<T> of(Writer<T> write, Reader<T> read) {
    return new FieldCodec<>(write, read, ProtoMessage::has);
  }

  private static final ConcurrentMap<Type, FieldCodec<?>> KNOWN = new ConcurrentHashMap<>();

  /**
   * Returns the codec of an attribute.
   *
   * @throws AssertionError if there is none: an op with a new type of attribute needs a case here
   */
  @SuppressWarnings("unchecked") // an attribute's values are of its type
  static FieldCodec<Object> of(OpAttribute attribute) {
    FieldCodec<?> known = KNOWN.get(attribute.type());
    if (known == null) {
      known = of(attribute.type());
      KNOWN.put(attribute.type(), known);
    }
    return (FieldCodec<Object>) known;
  }

  /**
   * Returns the codec of a record component type.
   *
   * @throws AssertionError if there is none: an op with a new type of attribute needs a case here
   */
  private static FieldCodec<?> of(Type type) {
    return switch (type) {
      case Class<?> enumeration when enumeration.isEnum() -> Enums.codec(enumeration);
      case ParameterizedType generic when generic.getRawType() == Optional.class ->
          ofOptional(of(generic.getActualTypeArguments()[0]));
      case ParameterizedType generic when generic.getRawType() == ImmutableList.class ->
          ofList(generic.getActualTypeArguments()[0]);
      default ->
          Optional.<FieldCodec<?>>ofNullable(PLAIN.get(type))
              .orElseThrow(() -> new AssertionError("no field known for " + type));
    };
  }

  private static <T> FieldCodec<Optional<T>> ofOptional(FieldCodec<T> value) {
    return of(
        (to, field, maybe) -> maybe.ifPresent(there -> value.write.write(to, field, there)),
        (from, field) ->
            value.isThere.test(from, field)
                ? Optional.of(value.read.read(from, field))
                : Optional.empty());
  }

  private static FieldCodec<?> ofList(Type element) {
    if (element instanceof Class<?> type && type.isEnum()) {
      return Enums.listCodec(type);
    }
    if (element == Dims.class) {
      return of(Structures::writePairs, Structures::pairs);
    }
    if (element == Aliasing.class) {
      return of(Structures::writeAliasing, Structures::aliasing);
    }
    return new FieldCodec<>(
        FieldCodec::writeConstraints,
        FieldCodec::constraints,
        (from, field) -> from.bool("constrain_layout"));
  }

  /** The shapes of a custom call's operands, with their layouts. */
  private static void writeConstraints(ProtoBuilder to, String field, ImmutableList<Shape> shapes) {
    to.put("constrain_layout", true);
    shapes.forEach(shape -> to.put(field, Shapes.write(shape)));
  }

  private static ImmutableList<Shape> constraints(ProtoMessage from, String field) {
    return from.messages(field).stream().map(Shapes::read).collect(toImmutableList());
  }

  /** Reads an integer. A group count that is not written is 1. */
  private static long readLong(ProtoMessage from, String field) {
    long value = from.integer(field);
    return value == 0 && field.endsWith("_group_count") ? 1 : value;
  }

  /** Writes a boolean. An integer field has a third state: 1 is true, 2 is false, 0 is unknown. */
  private static void writeBoolean(ProtoBuilder to, String field, boolean value) {
    boolean threeStates = to.type().field(field).typeName().equals("int");
    to.put(field, value ? 1 : threeStates ? 2 : 0);
  }

  private static boolean readBoolean(ProtoMessage from, String field) {
    return from.integer(field) == 1;
  }

  private static void writeInteger(ProtoBuilder to, String field, int value) {
    if (to.type().field(field).repeated()) {
      to.put(field, Dims.of(value));
    } else if (field.equals("cross_program_prefetch_index")) {
      to.putPresent(field, value);
    } else {
      to.put(field, value);
    }
  }

  private static int readInteger(ProtoMessage from, String field) {
    if (!from.type().field(field).repeated()) {
      return from.smallInteger(field);
    }
    List<Long> values = from.dims(field).stream().boxed().toList();
    if (values.size() != 1 || values.get(0).intValue() != values.get(0)) {
      throw from.refusal(field, "got " + values + ", want one integer of 32 bits");
    }
    return values.get(0).intValue();
  }
}
