package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.TriangularSolve;

/**
 * Codecs of enumerations: a string field holds the name from HLO text, any other field the number.
 */
final class Enums {
  /** The enumerations in which number 0 denotes no constant. */
  private static final ImmutableSet<Class<?>> FROM_ONE =
      ImmutableSet.of(
          Rng.Distribution.class,
          TriangularSolve.TransposeA.class,
          CustomCall.ApiVersion.class,
          DotAlgorithm.class);

  private Enums() {}

  static FieldCodec<Object> codec(Class<?> type) {
    ImmutableList<Object> constants = ImmutableList.copyOf(type.getEnumConstants());
    return new FieldCodec<>(
        (to, field, value) -> {
          if (isString(to.type(), field)) {
            to.put(field, value.toString());
          } else {
            to.put(field, number(value));
          }
        },
        (from, field) -> read(from, field, constants),
        (from, field) ->
            isString(from.type(), field) ? !from.string(field).isEmpty() : from.integer(field) > 0);
  }

  /**
   * Returns the codec of a list of constants. A list of only the first constant is equivalent to an
   * empty list.
   */
  static FieldCodec<ImmutableList<Object>> listCodec(Class<?> type) {
    ImmutableList<Object> constants = ImmutableList.copyOf(type.getEnumConstants());
    return new FieldCodec<>(
        (to, field, values) -> to.put(field, numbers(values)),
        (from, field) -> list(from, field, constants),
        ProtoMessage::has);
  }

  private static Dims numbers(ImmutableList<Object> values) {
    return Dims.of(values.stream().mapToLong(Enums::number).toArray());
  }

  private static ImmutableList<Object> list(
      ProtoMessage from, String field, ImmutableList<Object> constants) {
    ImmutableList<Object> values =
        Arrays.stream(from.integers(field))
            .mapToObj(number -> constant(from, field, number, constants))
            .collect(toImmutableList());
    return values.stream().allMatch(constants.get(0)::equals) ? ImmutableList.of() : values;
  }

  private static boolean isString(MessageType type, String field) {
    return type.field(field).typeName().equals("string");
  }

  private static Object read(ProtoMessage from, String field, ImmutableList<Object> constants) {
    if (isString(from.type(), field)) {
      String name = from.string(field);
      return constants.stream()
          .filter(constant -> constant.toString().equals(name))
          .findFirst()
          .orElseThrow(() -> from.refusal(field, "got \"" + name + "\", want one of " + constants));
    }
    long number = from.integer(field);
    boolean unset = number == 0 && constants.get(0) instanceof CustomCall.ApiVersion;
    return unset ? constants.get(0) : constant(from, field, number, constants);
  }

  private static Object constant(
      ProtoMessage from, String field, long number, ImmutableList<Object> constants) {
    return constants.stream()
        .filter(constant -> number(constant) == number)
        .findFirst()
        .orElseThrow(() ->
            from.refusal(field, "got " + number + ", want the number of one of " + constants));
  }

  private static long number(Object constant) {
    if (constant instanceof DotAlgorithm algorithm) {
      return number(algorithm);
    }
    Class<?> type = ((Enum<?>) constant).getDeclaringClass();
    long place = place(constant, type);
    return FROM_ONE.contains(type) ? place + 1 : place;
  }

  private static long place(Object constant, Class<?> type) {
    return Arrays.asList(type.getEnumConstants()).indexOf(constant);
  }

  /** Returns the number of an algorithm in hlo.proto, where the newest one comes last. */
  private static long number(DotAlgorithm algorithm) {
    if (algorithm == DotAlgorithm.DOT_BF16_BF16_F32_X9) {
      return DotAlgorithm.values().length;
    }
    long place = place(algorithm, DotAlgorithm.class);
    long newest = place(DotAlgorithm.DOT_BF16_BF16_F32_X9, DotAlgorithm.class);
    return place < newest ? place + 1 : place;
  }
}
