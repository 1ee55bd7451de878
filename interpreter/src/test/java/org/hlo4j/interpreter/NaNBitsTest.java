package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is copied keeps the bits of a NaN, what is computed is the type's one quiet NaN: in all
 * types whose NaNs have a payload, by both evaluators.
 *
 * <p>In the rows {@code a} and {@code b} are signalling NaNs, {@code c} a quiet one with a payload,
 * {@code n} the one quiet NaN. The inputs are x = a -b c 1, y = 1 b 2 -n, s = a, p = 1 0 1 0.
 */
final class NaNBitsTest {
  private static final List<ElementType> TYPES =
      List.of(
          ElementType.F8E5M2,
          ElementType.F8E4M3,
          ElementType.F16,
          ElementType.BF16,
          ElementType.F32,
          ElementType.F64);

  private static final List<Evaluator> EVALUATORS =
      List.of(Interpreter.reference(), Interpreter.compiled());

  private static final String MODULE =
      """
      HloModule m
      add {
        p = T[] parameter(0)
        q = T[] parameter(1)
        ROOT o = T[] add(p, q)
      }
      max {
        p = T[] parameter(0)
        q = T[] parameter(1)
        ROOT o = T[] maximum(p, q)
      }
      subtracted {
        p = T[] parameter(0)
        q = T[] parameter(1)
        o = T[] subtract(p, q)
        ROOT r = T[] negate(o)
      }
      last {
        p = T[] parameter(0)
        q = T[] parameter(1)
        c = pred[] compare(p, q), direction=GE
        ROOT o = T[] select(c, p, q)
      }
      first {
        ROOT p = T[] parameter(0)
        q = T[] parameter(1)
      }
      before {
        p = T[] parameter(0)
        f = T[] parameter(1)
        q = T[] parameter(2)
        g = T[] parameter(3)
        o = T[] add(p, q)
        ROOT r = (T[], T[]) tuple(o, p)
      }
      seen {
        p = T[] parameter(0)
        q = T[] parameter(1)
        o = T[] multiply(p, q)
        c = pred[] compare(o, p), direction=LE, type=TOTALORDER
        ROOT r = T[] select(c, p, q)
      }
      products {
        p = T[] parameter(0)
        q = T[] parameter(1)
        h = T[] constant(1.5)
        o = T[] multiply(p, h)
        r = T[] multiply(q, h)
        ROOT c = pred[] compare(o, r), direction=LT, type=TOTALORDER
      }
      atleast {
        p = T[] parameter(0)
        q = T[] parameter(1)
        h = T[] constant(1.5)
        o = T[] multiply(p, h)
        r = T[] multiply(q, h)
        ROOT c = pred[] compare(o, r), direction=GE, type=TOTALORDER
      }
      bits {
        p = T[] parameter(0)
        q = T[] parameter(1)
        o = T[] subtract(p, p)
        r = T[] subtract(q, q)
        d = U[] bitcast-convert(o)
        e = U[] bitcast-convert(r)
        ROOT c = pred[] compare(d, e), direction=LT
      }
      signs {
        p = T[] parameter(0)
        q = T[] parameter(1)
        o = T[] subtract(p, p)
        r = T[] add(q, q)
        d = U[] bitcast-convert(o)
        e = U[] bitcast-convert(r)
        k = U[] constant(SIGN)
        f = U[] shift-right-logical(d, k)
        g = U[] shift-right-logical(e, k)
        ROOT c = pred[] compare(f, g), direction=GT
      }
      ge {
        p = T[] parameter(0)
        q = T[] parameter(1)
        ROOT o = pred[] compare(p, q), direction=GE
      }
      some {
        t = (s32[], T[4]) parameter(0)
        k = s32[] get-tuple-element(t), index=0
        l = s32[] constant(2)
        ROOT c = pred[] compare(k, l), direction=LT
      }
      body {
        t = (s32[], T[4]) parameter(0)
        k = s32[] get-tuple-element(t), index=0
        v = T[4] get-tuple-element(t), index=1
        d = T[1] dynamic-slice(v, k), dynamic_slice_sizes={1}
        w = T[4] dynamic-update-slice(v, d, l)
        l = s32[] constant(3)
        i = s32[] constant(1)
        j = s32[] add(k, i)
        ROOT u = (s32[], T[4]) tuple(j, w)
      }
      ENTRY e {
        xb = U[4] parameter(0)
        yb = U[4] parameter(1)
        sb = U[] parameter(2)
        x = T[4] bitcast-convert(xb)
        y = T[4] bitcast-convert(yb)
        s = T[] bitcast-convert(sb)
        p = pred[4] constant({1, 0, 1, 0})
        none = T[0] slice(x), slice={[2:2]}
        one = T[1] slice(y), slice={[0:1]}
        two = T[2] slice(y), slice={[0:2]}
        at = s32[1] constant({1})
        i = s32[] constant(1)
        BODY
        ROOT b = U[SIZE] bitcast-convert(r)
      }
      """
          .replace(
              "  w = T[4] dynamic-update-slice(v, d, l)\n  l = s32[] constant(3)\n",
              "  l = s32[] constant(3)\n  w = T[4] dynamic-update-slice(v, d, l)\n");

  private static final String SCATTER =
      ", update_window_dims={0}, inserted_window_dims={},"
          + " scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "copy(x)                                                     | a -b c 1",
        "reverse(x), dimensions={0}                                  | 1 c -b a",
        "concatenate(x, y), dimensions={0}                           | a -b c 1 1 b 2 -n",
        "pad(x, s), padding=1_0                                      | a a -b c 1",
        "broadcast(s), dimensions={}                                 | a a a a",
        "dynamic-slice(x, i), dynamic_slice_sizes={2}                | -b c",
        "dynamic-update-slice(x, two, i)                             | a 1 b 1",
        "select(p, x, y)                                             | a b c -n",
        "negate(x)                                                   | -a b -c -1",
        "abs(x)                                                      | a b c 1",
        "real(x)                                                     | a -b c 1",
        "reduce-precision(x), exponent_bits=11, mantissa_bits=52     | a -b c 1",
        "reduce-precision(x), exponent_bits=11, mantissa_bits=0      | a -b c 1",
        "add(x, y)                                                   | n n n n",
        "maximum(x, x)                                               | n n n 1",
        "clamp(s, y, s)                                              | n n n n",
        "convert(x)                                                  | n n n 1",
        "reduce(x, s), dimensions={0}, to_apply=max                  | n",
        "reduce(x, s), dimensions={0}, to_apply=last                 | 1",
        "reduce(two, s), dimensions={0}, to_apply=last               | b",
        "reduce(x, s), dimensions={0}, to_apply=subtracted           | -n",
        "reduce(none, s), dimensions={0}, to_apply=add               | a",
        "reduce(none, s), dimensions={0}, to_apply=max               | a",
        "reduce(two, s), dimensions={0}, to_apply=first              | a",
        "reduce(x, s), dimensions={0}, to_apply=seen                 | c",
        "reduce-window(two, s), window={size=2 pad=1_0}, to_apply=seen | 1 b",
        "reduce-window(two, s), window={size=2 pad=1_0}, to_apply=first | a a",
        "map(x, y), dimensions={0}, to_apply=seen                    | 1 b c -n",
        "sort(x), dimensions={0}, is_stable=true, to_apply=products  | 1 a -b c",
        "sort(x), dimensions={0}, is_stable=true, to_apply=bits      | 1 a -b c",
        "sort(x), dimensions={0}, is_stable=true, to_apply=signs     | a -b c 1",
        "reduce-window(two, s), window={size=1 pad=1_1}, to_apply=add        | a n n a",
        "reduce-window(two, s), window={size=1 pad=1_1}, to_apply=max        | a n n a",
        "reduce-window(two, s), window={size=1 pad=1_1}, to_apply=last       | a 1 b a",
        "reduce-window(two, s), window={size=1 pad=1_1}, to_apply=subtracted | a -n -n a",
        "scatter(x, at, one)#add                                     | a n c 1",
        "scatter(x, at, one)#subtracted                              | a -n c 1",
        "scatter(x, at, two)#last                                    | a 1 b 1",
        "scatter(x, at, two)#seen                                    | a 1 c 1",
        "select-and-scatter(y, two, s), window={size=2 stride=2}, select=atleast, scatter=add"
            + "                                                         | a n a n",
        "select-and-scatter(x, two, s), window={size=2 stride=2}, select=ge, scatter=add | a n a n",
      })
  void copiesKeepBitsAndWhatIsComputedIsOneNaN(String op, String wanted) {
    String line = op.replace("#", SCATTER);
    int size = Splitter.on(' ').splitToList(wanted).size();
    String shape = size == 1 ? "T[]" : "T[" + size + "]";
    assertBits("r = " + shape + " " + line, size == 1 ? "" : "" + size, wanted);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "t = T[4] add(x, y); r = T[4] negate(t)                 | -n -n -n -n",
        "t = T[4] add(x, y); r = T[4] select(p, t, x)           | n -b n 1",
        "t = T[4] negate(x); r = T[4] reverse(t), dimensions={0} | -1 -c b -a",
        "t = T[] reduce(x, s), dimensions={0}, to_apply=max; u = T[4] broadcast(t), dimensions={};"
            + " r = T[4] select(p, u, x)                        | n -b n 1",
        "t = T[4] subtract(y, y); u = T[] reduce(t, s), dimensions={0}, to_apply=last;"
            + " r = T[4] broadcast(u), dimensions={}            | n n n n",
        "t = (T[], T[]) reduce(x, y, s, s), dimensions={0}, to_apply=before; u = T[]"
            + " get-tuple-element(t), index=1; r = T[4] broadcast(u), dimensions={} | n n n n",
        "t = T[1] slice(x), slice={[2:3]}; v = T[] reshape(t); w = T[4] broadcast(v),"
            + " dimensions={}; q = pred[4] compare(x, w), direction=LT, type=TOTALORDER; r = T[4]"
            + " select(q, x, w)                         | a -b c 1",
        "t = T[4] add(x, y); u = U[4] bitcast-convert(t); k = U[] constant(1);"
            + " l = U[4] broadcast(k), dimensions={}; v = U[4] or(u, l);"
            + " r = T[4] bitcast-convert(v)                      | c c c c",
        "t = (s32[], T[4]) tuple(i, x); u = (s32[], T[4]) while(t), condition=some, body=body;"
            + " r = T[4] get-tuple-element(u), index=1          | a -b c -b",
      })
  void soDoSeveralTogether(String ops, String wanted) {
    assertBits(ops.replace(";", "\n"), "4", wanted);
  }

  private static void assertBits(String body, String size, String wanted) {
    for (ElementType type : TYPES) {
      String bits = "u" + type.bits();
      String text =
          MODULE
              .replace("BODY", body)
              .replace("SIZE", size)
              .replace("SIGN", "" + (type.bits() - 1))
              .replaceAll("\\bT\\[", type + "[")
              .replaceAll("\\bU\\[", bits + "[");
      HloModule module = Parser.parse(text);
      Literal[] in = {values(type, "a -b c 1"), values(type, "1 b 2 -n"), values(type, "a")};
      for (Evaluator evaluator : EVALUATORS) {
        assertWithMessage("%s by %s", type, evaluator.getClass().getSimpleName())
            .that(hex(evaluator.run(module, in)))
            .isEqualTo(hex(values(type, wanted)));
      }
    }
  }

  private static Literal values(ElementType type, String symbols) {
    List<String> each = Splitter.on(' ').splitToList(symbols);
    ElementType bits = ElementType.valueOf("U" + type.bits());
    LiteralBuilder values =
        new LiteralBuilder(each.size() == 1 ? Shape.of(bits) : Shape.of(bits, each.size()));
    for (int i = 0; i < each.size(); i++) {
      values.setBits(i, bits(type, each.get(i)));
    }
    return values.build();
  }

  private static long bits(ElementType type, String symbol) {
    long infinity = type.encode(Double.POSITIVE_INFINITY);
    long quiet = 1L << (type.mantissaBits() - 1);
    return switch (symbol.charAt(0)) {
      case '-' -> bits(type, symbol.substring(1)) ^ 1L << (type.bits() - 1);
      case 'a' -> infinity | 1;
      case 'b' -> infinity | (quiet - 1);
      case 'c' -> infinity | quiet | 1;
      case 'n' -> type.encode(Double.NaN);
      default -> type.encode(Double.parseDouble(symbol));
    };
  }

  private static String hex(Literal values) {
    return IntStream.range(0, values.elementCount())
        .mapToObj(i -> Long.toHexString(values.bitsAt(i)))
        .collect(Collectors.joining(" "));
  }

  @Test
  void aScatterKeepsWhatItDoesNotReach() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            sum {
              p = f8e5m2[] parameter(0)
              q = f8e5m2[] parameter(1)
              ROOT o = f8e5m2[] add(p, q)
            }
            ENTRY e {
              x = s8[1,4] parameter(0)
              f = f8e5m2[1,4] bitcast-convert(x)
              i = s8[2] parameter(1)
              h = f8e5m2[] constant(0.5)
              u = f8e5m2[1,2,4] broadcast(h), dimensions={}
              s = f8e5m2[1,4] scatter(f, i, u), update_window_dims={0,2}, inserted_window_dims={},
                scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
              ROOT r = s8[1,4] bitcast-convert(s)
            }
            """);
    Literal nans = Literal.of(new byte[][] {{125, 126, -3, 0}});
    Literal outside = Literal.of(new byte[] {1, -1});
    Stream<Literal> results = EVALUATORS.stream().map(each -> each.run(module, nans, outside));
    results.forEach(result -> assertWithMessage("kept").that(result).isEqualTo(nans));
  }
}
