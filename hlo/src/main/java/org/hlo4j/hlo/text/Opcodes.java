package org.hlo4j.hlo.text;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;

/**
 * Which opcode is which op: {@code get-tuple-element} is the record {@code GetTupleElement}, and
 * each element-wise function has its mnemonic.
 */
final class Opcodes {
  private static final ImmutableMap<String, Elementwise> ELEMENTWISE = elementwise();
  private static final ImmutableMap<String, Class<?>> RECORDS = records();
  private static final ImmutableSet<String> NOT_IN_RECORDS =
      ImmutableSet.of(
          "to_apply",
          "calls",
          "condition",
          "body",
          "select",
          "scatter",
          "true_computation",
          "false_computation",
          "branch_computations",
          "called_computations",
          "result_accuracy");

  /** The functions that may be asked for an accuracy. */
  private static final ImmutableSet<String> ROUNDED =
      ImmutableSet.of(
          "acos",
          "acosh",
          "asin",
          "asinh",
          "atan",
          "atanh",
          "cbrt",
          "cosh",
          "cosine",
          "erf",
          "exponential",
          "exponential-minus-one",
          "log",
          "log-plus-one",
          "logistic",
          "rsqrt",
          "sine",
          "sinh",
          "sqrt",
          "tan",
          "tanh");

  private static final ImmutableSet<String> ATTRIBUTES =
      Stream.concat(
              NOT_IN_RECORDS.stream(),
              RECORDS.values().stream()
                  .flatMap(type -> Attributes.of(type).all().stream())
                  .filter(attribute -> attribute.codec().isPresent())
                  .map(Attributes.Attribute::name))
          .collect(toImmutableSet());

  private Opcodes() {}

  private static ImmutableMap<String, Elementwise> elementwise() {
    ImmutableMap.Builder<String, Elementwise> ops = ImmutableMap.builder();
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      ops.put(kind.mnemonic(), new Elementwise(kind));
    }
    return ops.buildOrThrow();
  }

  private static ImmutableMap<String, Class<?>> records() {
    ImmutableMap.Builder<String, Class<?>> records = ImmutableMap.builder();
    recordsOf(Op.class)
        .filter(type -> type != Elementwise.class)
        .forEach(type -> records.put(opcode(type), type));
    return records.buildOrThrow();
  }

  /** The records of a type of op, those of its subtypes too. */
  static Stream<Class<?>> recordsOf(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(Opcodes::recordsOf)
        : Stream.of(type);
  }

  /** The opcode that the name of a record stands for. */
  static String opcode(Class<?> type) {
    return CaseFormat.UPPER_CAMEL.to(CaseFormat.LOWER_HYPHEN, type.getSimpleName());
  }

  static Optional<Elementwise> elementwise(String opcode) {
    return Optional.ofNullable(ELEMENTWISE.get(opcode));
  }

  static Optional<Class<?>> record(String opcode) {
    return Optional.ofNullable(RECORDS.get(opcode));
  }

  static boolean contains(String opcode) {
    return ELEMENTWISE.containsKey(opcode) || RECORDS.containsKey(opcode);
  }

  /** All opcodes there are. */
  static ImmutableSet<String> all() {
    return ImmutableSet.<String>builder()
        .addAll(ELEMENTWISE.keySet())
        .addAll(RECORDS.keySet())
        .build();
  }

  /** Whether this is the name of an attribute of other ops than this. */
  static boolean isOfOthers(String name, String opcode) {
    return ATTRIBUTES.contains(name)
        && !(name.equals("result_accuracy") && ROUNDED.contains(opcode));
  }
}
