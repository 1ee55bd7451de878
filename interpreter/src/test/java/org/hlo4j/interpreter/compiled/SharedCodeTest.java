package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Programs that are alike share generated code within a process. What each computes, down to the
 * bits of its NaNs, must not depend on which of them was compiled first. Each row has two bodies
 * that differ in one place, {@code {first|second}}. Those of the first type are compiled in this
 * order, those of the second type, which share no code with them, in the other.
 */
final class SharedCodeTest {
  private static final int SIZE = 3000;

  private static final String COMPUTATIONS =
      """
      kept { p = T[] parameter(0)  q = T[] parameter(1)
        c = pred[] compare(p, q), direction=GE  ROOT r = T[] select(c, p, q) }
      made { p = T[] parameter(0)  q = T[] parameter(1)
        ROOT r = T[] maximum(p, q) }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "f16! bf16! q = pred[N] compare(z, w), direction=LT; s = T[N] {add(x, y)|select(q, x, y)};"
            + " h = f32[N] exponential(z); d = pred[N] compare(h, w), direction=LT;"
            + " k = T[N] convert(h); r = T[N] select(d, s, k)",
        "f16! bf16! s = T[N] {negate(x)|add(x, x)}; r = T[N] select(p, s, y)",
        "f16! bf16! s = T[N] {negate(x)|add(x, x)}; a = T[5,600] reshape(s); i = T[] constant(1);"
            + " r = T[5] reduce(a, i), dimensions={1}, to_apply=kept",
        "f32! f64! a = T[5,600] reshape(x); i = T[] constant(-inf);"
            + " b = T[5] reduce(a, i), dimensions={1}, to_apply={made|kept};"
            + " r = U[5] bitcast-convert(b)",
        "f64! f32! s = U[N] bitcast-convert({x|y}); u = T[N] add(x, y); v = U[N]"
            + " bitcast-convert(u); r = U[N] xor(s, v)",
        "f32! f64! u = T[N] add(x, y); s = T[N] {select(p, u, x)|maximum(u, x)};"
            + " r = U[N] bitcast-convert(s)",
        "f16! bf16! u = T[N] add(x, y); v = U[N] bitcast-convert({u|y}); r = T[N]"
            + " bitcast-convert(v)",
        "f32! f64! u = T[N] add(x, y); v = U[N] {bitcast-convert(u)|convert(u)}; r = U[N] add(v,"
            + " v)",
      })
  void ordersOfCompilation(String type, String other, String body) {
    List<String> bodies = List.of(variant(body, 1), variant(body, 2));
    check(type(type), bodies);
    check(type(other), bodies.reversed());
  }

  private static ElementType type(String name) {
    return ElementType.valueOf(name.toUpperCase(Locale.ROOT));
  }

  private static String variant(String body, int number) {
    return body.replaceAll("\\{([^{}|]*)\\|([^{}]*)\\}", "$" + number);
  }

  private static void check(ElementType type, List<String> bodies) {
    for (String body : bodies) {
      HloModule module = module(type, body);
      Literal[] arguments =
          module.entry().parameters().stream()
              .map(SharedCodeTest::argument)
              .toArray(Literal[]::new);
      Literal want = Interpreter.reference().run(module, arguments);
      Literal got = Interpreter.compiled().run(module, arguments);
      assertWithMessage("%s %s", type, body).that(bits(got)).isEqualTo(bits(want));
    }
  }

  private static HloModule module(ElementType type, String body) {
    List<String> lines = new ArrayList<>();
    lines.add("x = T[N] parameter(0); y = T[N] parameter(1); p = pred[N] parameter(2)");
    lines.add("z = f32[N] parameter(3); w = f32[N] parameter(4)");
    lines.add(body);
    String all = String.join(";", lines).replace("; ", "\n").replace(";", "\n");
    int root = all.lastIndexOf("r = ");
    String text =
        "HloModule m\n"
            + COMPUTATIONS
            + "ENTRY e {\n"
            + all.substring(0, root)
            + "ROOT "
            + all.substring(root)
            + "\n}\n";
    return Parser.parse(
        text.replace("[5,600]", "[5," + SIZE / 5 + "]")
            .replaceAll("\\bT\\[", type + "[")
            .replaceAll("\\bU\\[", "u" + type.bits() + "[")
            .replace("[N]", "[" + SIZE + "]"));
  }

  /** Numbers and NaNs of both signs with payloads; exact powers of e in f32. */
  private static Literal argument(HloInstruction parameter) {
    Shape.Array shape = (Shape.Array) parameter.shape();
    ElementType type = shape.elementType();
    LiteralBuilder values = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (type == ElementType.PRED) {
        values.setLong(i, i % 3 == 0 ? 1 : 0);
      } else if (parameter.name().equals("z")) {
        values.setDouble(i, 0);
      } else if (parameter.name().equals("w") || i % 4 < 2) {
        values.setDouble(i, i % 7 - 1);
      } else {
        long sign = i % 8 < 4 ? 0 : 1L << (type.bits() - 1);
        values.setBits(i, sign | type.encode(Double.POSITIVE_INFINITY) | (i % 5 + 1));
      }
    }
    return values.build();
  }

  private static List<Long> bits(Literal values) {
    long[] bits = new long[values.elementCount()];
    Arrays.setAll(bits, values::bitsAt);
    return Arrays.stream(bits).boxed().toList();
  }
}
