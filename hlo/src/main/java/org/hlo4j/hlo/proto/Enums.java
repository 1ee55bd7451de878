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
 * Enumerations: by the name that HLO text uses where the field is a string, else by their number.
 */
final class Enums {
  /** Those whose 0 stands for none of the constants. */
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

  /** A list of them; one of nothing but the first says no more than none. */
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
    Enum<?> value = (Enum<?>) constant;
    if (constant instanceof DotAlgorithm algorithm) {
      return number(algorithm);
    }
    return value.ordinal() + (FROM_ONE.contains(value.getDeclaringClass()) ? 1 : 0);
  }

  /** In hlo.proto's order the newest one comes last. */
  private static long number(DotAlgorithm algorithm) {
    int place = algorithm.ordinal() + 1;
    int newest = DotAlgorithm.DOT_BF16_BF16_F32_X9.ordinal() + 1;
    if (place == newest) {
      return DotAlgorithm.values().length;
    }
    return place < newest ? place : place - 1;
  }
}
