package org.hlo4j.tools.conformance;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.input.RandomLiterals;

/**
 * The cases of structured ops in a conformance suite: the programs of {@code conformance.txt}, each
 * for several element types, on random numbers.
 */
final class ConformancePrograms {
  private static final String SOURCE = "https://openxla.org/xla/operation_semantics#";
  private static final String ALL = "pred s8 s32 s64 u8 u32 u64 f16 bf16 f32 f64 c64 c128";
  private static final ImmutableMap<String, String> SETS =
      ImmutableMap.of(
          "ALL",
          ALL,
          "NUMBERS",
          ALL.replace("pred ", ""),
          "REAL",
          ALL.replace("pred ", "").replace(" c64 c128", ""),
          "FLOATS",
          "f16 bf16 f32 f64");

  /** Computations that the programs call, by name. */
  private static final ImmutableMap<String, String> COMPUTATIONS =
      ImmutableMap.<String, String>builder()
          .put("add", "a = T[] parameter(0)  b = T[] parameter(1)  ROOT r = T[] add(a, b)")
          .put("max", "a = T[] parameter(0)  b = T[] parameter(1)  ROOT r = T[] maximum(a, b)")
          .put(
              "accumulate",
              "a = T[] parameter(0)  b = T[] parameter(1)  c = T[] add(a, b)"
                  + "  ROOT r = (T[], T[]) tuple(c, c)")
          .put(
              "less",
              "a = T[] parameter(0)  b = T[] parameter(1)"
                  + "  ROOT r = pred[] compare(a, b), direction=LT")
          .put(
              "ge",
              "a = T[] parameter(0)  b = T[] parameter(1)"
                  + "  ROOT r = pred[] compare(a, b), direction=GE")
          .put("same", "ROOT a = T[3] parameter(0)")
          .put("backwards", "a = T[3] parameter(0)  ROOT r = T[3] reverse(a), dimensions={0}")
          .put(
              "below",
              "s = (s32[], T[]) parameter(0)  i = s32[] get-tuple-element(s), index=0"
                  + "  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT")
          .put(
              "doubled",
              "s = (s32[], T[]) parameter(0)  i = s32[] get-tuple-element(s), index=0"
                  + "  x = T[] get-tuple-element(s), index=1  one = s32[] constant(1)"
                  + "  next = s32[] add(i, one)  y = T[] add(x, x)"
                  + "  ROOT r = (s32[], T[]) tuple(next, y)")
          .buildOrThrow();

  /** The programs of the file. */
  static final ImmutableList<ConformancePrograms> PROGRAMS = read();

  private final String op;
  private final String name;
  private final ImmutableList<ElementType> types;
  private final String rule;
  private final String section;
  private final String body;

  private ConformancePrograms(String header, String body) {
    List<String> fields = Splitter.on('|').trimResults().splitToList(header);
    List<String> names = Splitter.on(' ').splitToList(fields.get(0));
    this.op = names.get(0);
    this.name = names.get(1);
    this.types =
        Splitter.on(' ')
            .splitToStream(SETS.getOrDefault(fields.get(1), fields.get(1)))
            .map(type -> ElementType.named(type).orElseThrow())
            .collect(ImmutableList.toImmutableList());
    this.rule = fields.get(2);
    this.section = fields.get(3);
    this.body = body;
  }

  private static ImmutableList<ConformancePrograms> read() {
    String text;
    try {
      text =
          Resources.toString(
              requireNonNull(ConformancePrograms.class.getResource("conformance.txt")),
              StandardCharsets.UTF_8);
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
    return Splitter.on("\n\n")
        .splitToStream(text)
        .filter(part -> part.startsWith("case "))
        .map(part -> {
          int end = part.indexOf('\n');
          return new ConformancePrograms(part.substring(5, end), part.substring(end + 1));
        })
        .collect(ImmutableList.toImmutableList());
  }

  String op() {
    return op;
  }

  Stream<ElementType> types() {
    return types.stream();
  }

  /** Returns the case of an element type. */
  ConformanceCase of(ElementType type) {
    HloModule module = Parser.parse(hlo(type));
    RandomLiterals random = new RandomLiterals(1);
    ImmutableList<Literal> inputs =
        module.entry().parameters().stream()
            .map(parameter -> random.next(parameter.shape()))
            .collect(ImmutableList.toImmutableList());
    return new ConformanceCase(
        op,
        name,
        type.toString(),
        rule,
        Basis.ofOp(op).orElse(new Basis(rule, SOURCE + section)),
        hlo(type),
        inputs,
        Optional.of(ConformanceResult.of(new Program(module, inputs))),
        "",
        ImmutableList.of());
  }

  private String hlo(ElementType type) {
    StringBuilder hlo = new StringBuilder("HloModule ");
    hlo.append((op + "_" + name).replace('-', '_')).append('_').append(type).append("\n\n");
    for (Map.Entry<String, String> each : COMPUTATIONS.entrySet()) {
      if (body.matches("(?s).*[={ ]" + each.getKey() + "\\b.*")) {
        hlo.append(each.getKey()).append(" { ").append(each.getValue()).append(" }\n");
      }
    }
    hlo.append("\nENTRY main {\n").append(body.stripTrailing()).append("\n}\n");
    return hlo.toString()
        .replace("T[", type + "[")
        .replace("C[", (type == ElementType.F64 ? "c128" : "c64") + "[")
        .replace("ZERO", type.isComplex() ? "(0, 0)" : "0")
        .replace("LEAST", type.isComplex() ? "" : least(type));
  }

  private static String least(ElementType type) {
    return Elementwise.Kind.MAXIMUM.identity(type).map(Literal::toHloText).orElse("false");
  }
}
