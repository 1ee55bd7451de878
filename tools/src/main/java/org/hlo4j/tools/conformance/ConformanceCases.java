package org.hlo4j.tools.conformance;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.text.Parser;

/**
 * The cases of a conformance suite: each element-wise op on the extremes of each element type, and
 * the refusal of each type that it does not take.
 */
public final class ConformanceCases {
  private static final String SOURCE = "https://openxla.org/xla/operation_semantics";

  private ConformanceCases() {}

  /** Returns the element types of element-wise cases: all whose numbers have a sign and a zero. */
  private static Stream<ElementType> realTypes() {
    return Arrays.stream(ElementType.values()).filter(ConformanceCases::isReal);
  }

  private static boolean isReal(ElementType type) {
    return type.kind() == ElementType.Kind.PRED || type.isIntegral() || isSigned(type);
  }

  private static Stream<Elementwise.Kind> kinds() {
    return Arrays.stream(Elementwise.Kind.values())
        .filter(kind -> kind != Elementwise.Kind.MAKE_COMPLEX);
  }

  private static boolean isSigned(ElementType type) {
    return type.isFloating() && !type.isComplex() && type.decode(0) == 0;
  }

  /** Returns the chosen cases. */
  public static ImmutableList<ConformanceCase> of(CaseFilter filter) {
    Stream<ConformanceCase> elementwise =
        kinds()
            .flatMap(kind ->
                realTypes()
                    .filter(type -> filter.accepts(kind.mnemonic(), type.toString()))
                    .map(type -> of(kind, type)));
    Stream<ConformanceCase> structured =
        ConformancePrograms.PROGRAMS.stream()
            .flatMap(program ->
                program
                    .types()
                    .filter(type -> filter.accepts(program.op(), type.toString()))
                    .map(program::of));
    return Stream.of(elementwise, structured, RowCases.of(filter))
        .flatMap(cases -> cases)
        .collect(ImmutableList.toImmutableList());
  }

  private static ConformanceCase of(Elementwise.Kind kind, ElementType type) {
    return kind.accepts(type) ? value(kind, type) : refusal(kind, type);
  }

  private static ConformanceCase value(Elementwise.Kind kind, ElementType type) {
    ImmutableList<Literal> inputs = inputs(type, kind.arity());
    String hlo = program(kind, type, kind.resultType(type), inputs.get(0).elementCount());
    Program program = new Program(Parser.parse(hlo), inputs);
    return new ConformanceCase(
        kind.mnemonic(),
        "",
        type.toString(),
        "extremes",
        Basis.ofOp(kind.mnemonic()).orElse(new Basis("element-wise", SOURCE)),
        hlo,
        inputs,
        Optional.of(ConformanceResult.of(program)),
        "",
        ImmutableList.of());
  }

  private static ConformanceCase refusal(Elementwise.Kind kind, ElementType type) {
    ImmutableList<Literal> inputs = inputs(type, kind.arity());
    String hlo = program(kind, type, type, inputs.get(0).elementCount());
    String message = ConformanceRun.refusal(hlo, inputs).map(ConformanceRun::message).orElseThrow();
    return new ConformanceCase(
        kind.mnemonic(),
        "",
        type.toString(),
        "element types",
        Basis.ofTypes(kind.mnemonic()).orElse(new Basis("element-wise", SOURCE)),
        hlo,
        inputs,
        Optional.empty(),
        message,
        twins(kind, type));
  }

  /** Returns the op on a type that it takes, and another op on the type that it does not take. */
  private static ImmutableList<Twin> twins(Elementwise.Kind kind, ElementType type) {
    Optional<Twin> otherType =
        Stream.of(ElementType.F32, ElementType.S32, ElementType.PRED)
            .filter(kind::accepts)
            .findFirst()
            .map(each -> twin(kind, each));
    Optional<Twin> otherOp =
        kinds()
            .filter(each -> each.arity() == kind.arity() && each.accepts(type))
            .findFirst()
            .map(each -> twin(each, type));
    return Stream.of(otherType, otherOp)
        .flatMap(Optional::stream)
        .collect(ImmutableList.toImmutableList());
  }

  private static Twin twin(Elementwise.Kind kind, ElementType type) {
    ImmutableList<Literal> inputs = inputs(type, kind.arity());
    return new Twin(
        program(kind, type, kind.resultType(type), inputs.get(0).elementCount()), inputs);
  }

  private static String program(
      Elementwise.Kind kind, ElementType type, ElementType result, long count) {
    String name = kind.mnemonic().replace('-', '_') + "_" + type;
    String text = "HloModule " + name + "\n\nENTRY main {\n  x = %s[%s] parameter(0)\n";
    text += kind.arity() == 2 ? "  y = %1$s[%2$s] parameter(1)\n" : "";
    text += "  ROOT result = %3$s[%2$s] %4$s(" + (kind.arity() == 2 ? "x, y" : "x") + ")\n}\n";
    return String.format(
        text.replace("%s[%s]", "%1$s[%2$s]"), type, count, result, kind.mnemonic());
  }

  /** Returns the extremes, or for two operands all pairs of them. */
  private static ImmutableList<Literal> inputs(ElementType type, int arity) {
    List<Number> values = extremes(type);
    int count = values.size();
    int pairs = arity == 1 ? count : count * count;
    ImmutableList.Builder<Literal> inputs = ImmutableList.builder();
    for (int operand = 0; operand < arity; operand++) {
      LiteralBuilder input = new LiteralBuilder(Shape.of(type, pairs));
      for (int i = 0; i < pairs; i++) {
        set(input, type, i, values.get(operand == 0 ? i % count : i / count));
      }
      inputs.add(input.build());
    }
    return inputs.build();
  }

  private static void set(LiteralBuilder input, ElementType type, int at, Number value) {
    if (type.isFloating()) {
      input.setDouble(at, value.doubleValue());
    } else if (type.kind() == ElementType.Kind.PRED) {
      input.setBoolean(at, value.longValue() != 0);
    } else {
      input.setLong(at, value.longValue());
    }
  }

  private static ImmutableList<Number> extremes(ElementType type) {
    Set<Number> values = new LinkedHashSet<>();
    if (type.isFloating()) {
      double max = type.maxFinite();
      double least = type.decode(1);
      double normal = least * Math.scalb(1.0, type.mantissaBits() - 1);
      Stream.of(
              0, 0.5, 1, 1.5, 2.5, 3, max, least, normal, normal - least, Double.POSITIVE_INFINITY)
          .map(value -> type.round(value.doubleValue()))
          .forEach(value -> values.addAll(List.of(value, -value)));
      values.add(type.round(Double.NaN));
    } else if (type.kind() == ElementType.Kind.PRED) {
      values.addAll(List.of(0L, 1L));
    } else {
      Stream.of(
              0L,
              1L,
              2L,
              3L,
              7L,
              -1L,
              -2L,
              type.minLong(),
              type.maxLong(),
              type.bits() - 1L,
              (long) type.bits())
          .map(type::wrap)
          .forEach(values::add);
    }
    return ImmutableList.copyOf(values);
  }
}
