package org.hlo4j.hlo.text;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.CaseFormat;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
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

  /** Looks into all records, so it waits until somebody asks. */
  private static final Supplier<ImmutableSet<String>> ATTRIBUTES =
      Suppliers.memoize(Opcodes::attributes);

  private static final ImmutableSet<String> CALLEES =
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
          "called_computations");

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

  private static ImmutableSet<String> attributes() {
    return RECORDS.values().stream()
        .flatMap(type -> Attributes.of(type).all().stream())
        .filter(attribute -> attribute.codec().isPresent())
        .map(Attributes.Attribute::name)
        .collect(toImmutableSet());
  }

  /** The records of a type of op, those of its subtypes too. */
  static Stream<Class<?>> recordsOf(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(Opcodes::recordsOf).distinct()
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

  /** Whether this is the name of an attribute of any op. */
  static boolean isAttribute(String name) {
    return ATTRIBUTES.get().contains(name) || CALLEES.contains(name);
  }
}
