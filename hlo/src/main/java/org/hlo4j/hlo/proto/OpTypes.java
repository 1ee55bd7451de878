package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableMap;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;

/** Which opcode is which op. */
final class OpTypes {
  private static final ImmutableMap<String, Elementwise> ELEMENTWISE =
      Arrays.stream(Elementwise.Kind.values())
          .collect(toImmutableMap(Elementwise.Kind::mnemonic, Elementwise::new));

  private static final ImmutableMap<String, Class<?>> RECORDS =
      recordsOf(Op.class)
          .filter(type -> type != Elementwise.class)
          .collect(toImmutableMap(OpTypes::opcode, Function.identity()));

  private OpTypes() {}

  private static Stream<Class<?>> recordsOf(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(OpTypes::recordsOf).distinct()
        : Stream.of(type);
  }

  private static String opcode(Class<?> type) {
    return CaseFormat.UPPER_CAMEL.to(CaseFormat.LOWER_HYPHEN, type.getSimpleName());
  }

  static Optional<Elementwise> elementwise(String opcode) {
    return Optional.ofNullable(ELEMENTWISE.get(opcode));
  }

  static Optional<Class<?>> record(String opcode) {
    return Optional.ofNullable(RECORDS.get(opcode));
  }
}
