package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ops on complex numbers against the reference evaluator. */
class ComplexNumbersTest {
  private static final int[] SIZES = {0, 1, 7, 13, 257, 20_000};
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  /** Ops that passes rewrite to ops on the real and imaginary parts, and others. */
  @ParameterizedTest
  @CsvSource({
    "C, add(p0; p1), C, C",
    "C, subtract(p0; p1), C, C",
    "C, multiply(p0; p1), C, C",
    "C, divide(p0; p1), C, C",
    "C, negate(p0), C,",
    "C, exponential(p0), C,",
    "C, complex(p0; p1), R, R",
    "R, real(p0), C,",
    "R, imag(p0), C,",
    "R, abs(p0), C,",
    "C, convert(p0), R,",
    "C, convert(p0), bf16,",
    "c64, convert(p0), C,",
    "R, convert(p0), C,",
    "s8, convert(p0), C,",
    "u64, convert(p0), C,",
    "pred, convert(p0), C,",
  })
  void elementwiseOps(String result, String op, String lhs, String rhs) {
    checkAll(result, op, lhs, rhs);
  }

  private void checkCompiled(HloModule module) {
    Literal[] arguments = tester.arguments(module);
    assertThat(Interpreter.compiled().run(module, arguments))
        .isEqualTo(Interpreter.reference().run(module, arguments));
  }

  @ParameterizedTest
  @ValueSource(strings = {"c64", "c128"})
  void selects(String type) {
    for (int size : SIZES) {
      String shape = type + "[" + size + "]";
      for (String pred : new String[] {"pred[" + size + "]", "pred[]"}) {
        checkCompiled(KernelTester.module("", shape, "select(p0, p1, p2)", pred, shape, shape));
      }
    }
  }

  private void checkAll(String result, String op, String lhs, String rhs) {
    for (String[] types : new String[][] {{"c64", "f32"}, {"c128", "f64"}}) {
      for (int size : SIZES) {
        String[] parameters = rhs == null ? new String[] {lhs} : new String[] {lhs, rhs};
        for (int i = 0; i < parameters.length; i++) {
          parameters[i] = type(parameters[i], types) + "[" + size + "]";
        }
        String shape = type(result, types) + "[" + size + "]";
        checkCompiled(KernelTester.module("", shape, op.replace(';', ','), parameters));
      }
    }
  }

  private static String type(String name, String[] types) {
    return name.replace("C", types[0]).replace("R", types[1]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"c64", "c128"})
  void sums(String type) {
    String body = "b { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = T[] add(x, y) }";
    for (String dimension : new String[] {"0", "1"}) {
      checkCompiled(
          KernelTester.module(
              body.replace("T[]", type + "[]"),
              type + "[5]",
              "reduce(p0, p1), dimensions={" + dimension + "}, to_apply=b",
              type + "[5,5]",
              type + "[]"));
    }
  }

  /** The sums nearly cancel: a fused multiply-add would show. XLA does not fuse. */
  @ParameterizedTest
  @ValueSource(strings = {"c128", "c64"})
  void dotsOfFewStepsHaveTheBitsOfTheReference(String type) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f64[1,3] constant({{0.7, -0.5, -0.2}})
              y = f64[3,2] constant({{0.3, 1.1}, {0.1, 0.9}, {0.8, 1.6}})
              lhs = TYPE[1,3] convert(x)
              rhs = TYPE[3,2] convert(y)
              i = TYPE[] constant((0.1, 0.7))
              is = TYPE[3,2] broadcast(i), dimensions={}
              turned = TYPE[3,2] multiply(rhs, is)
              ROOT d = TYPE[1,2] dot(lhs, turned), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            }
            """
                .replace("TYPE", type));
    assertThat(Interpreter.compiled().run(module)).isEqualTo(Interpreter.reference().run(module));
  }

  /** A row of a dot with little work, by plain loops, has the bits of a row among many. */
  @ParameterizedTest
  @CsvSource({"c64, 100", "c128, 100", "c128, 300", "c128, 3"})
  void smallDotsHaveTheBitsOfLargeOnes(String type, int steps) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = TYPE[640,K] parameter(0)
              y = TYPE[K,3] parameter(1)
              all = TYPE[640,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              row = TYPE[1,K] slice(x), slice={[7:8], [0:K]}
              one = TYPE[1,3] dot(row, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              same = TYPE[1,3] slice(all), slice={[7:8], [0:3]}
              ROOT both = (TYPE[1,3], TYPE[1,3]) tuple(one, same)
            }
            """
                .replace("TYPE", type)
                .replace("K", Integer.toString(steps)));
    Literal[] arguments = KernelTester.Values.UP_TO_ONE.arguments(module, new Random(1));
    List<Literal> rows = Interpreter.compiled().run(module, arguments).elements();
    assertThat(rows.get(0)).isEqualTo(rows.get(1));
  }

  /** Of small integers, whose sums are exact in any order. */
  @ParameterizedTest
  @CsvSource({"c64, 7, 13, 5", "c128, 33, 65, 20", "c64, 1, 1, 1", "c128, 2, 0, 3"})
  void dots(String type, int rows, int steps, int columns) {
    HloModule module =
        KernelTester.module(
            "",
            "%s[%d,%d]".formatted(type, rows, columns),
            "dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            "%s[%d,%d]".formatted(type, rows, steps),
            "%s[%d,%d]".formatted(type, steps, columns));
    Literal[] arguments = tester.arguments(module);
    for (int k = 0; k < arguments.length; k++) {
      LiteralBuilder whole = new LiteralBuilder(arguments[k].arrayShape());
      for (int i = 0; i < arguments[k].elementCount(); i++) {
        whole.setComplex(i, i % 7 - 3, (i + k) % 5 - 2);
      }
      arguments[k] = whole.build();
    }
    assertThat(Interpreter.compiled().run(module, arguments))
        .isEqualTo(Interpreter.reference().run(module, arguments));
  }

  @Test
  void exponentialOfSpecialValues() {
    double[] parts = {
      0, -0.0, 1, -1, 0x1p-149, 60, 89, 200, -104, 3e38, -3e38, 1 / 0.0, -1 / 0.0, 0 / 0.0
    };
    Shape.Array shape = Shape.of(ElementType.C64, parts.length, parts.length);
    LiteralBuilder all = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      all.setComplex(i, parts[i / parts.length], parts[i % parts.length]);
    }
    Literal z = all.build();
    HloModule module =
        KernelTester.module("", shape.toString(), "exponential(p0)", shape.toString());
    assertThat(Interpreter.compiled().run(module, z))
        .isEqualTo(Interpreter.reference().run(module, z));
  }
}
