package org.hlo4j.interpreter.compiled.window;

import java.util.List;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of ops with windows against the reference evaluator. */
class WindowKernelsTest {
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  private static final String[] ROWS = {
    "[7] size=3",
    "[7] size=3 stride=2 pad=1_1",
    "[7] size=9",
    "[7] size=3 pad=-1_-2",
    "[7] size=3 pad=5_4",
    "[7] size=3 stride=3 pad=4_0 rhs_dilate=2",
    "[7] size=3 pad=2_2 lhs_dilate=2",
    "[7] size=2 stride=2 pad=1_3 lhs_dilate=3",
    "[7] size=2 stride=4 pad=3_3 lhs_dilate=6 rhs_dilate=3",
    "[0] size=2 pad=3_3",
    "[1] size=1",
    "[7,5] size=3x2 stride=2x1 pad=1_1x0_1",
    "[7,5] size=1x5 pad=0_0x4_0",
    "[2,6,5,3] size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0",
    "[2,3,6,5] size=1x1x2x2 stride=1x1x2x1 rhs_dilate=1x1x1x2",
    "[3,4] size=2x2 pad=1_1x1_1 lhs_dilate=2x3 rhs_dilate=3x2",
  };

  /** Windows with edges, with lines that differ, and with more lines than fit a loop. */
  private static final String[] VECTOR_ROWS = {
    "[3,90] size=2x3 pad=0_1x1_1",
    "[5,5,77] size=2x2x1",
    "[2,7,6,33] size=1x2x2x1 stride=1x2x2x1 pad=0_0x1_0x0_1x0_0",
    "[993,20] size=991x1",
    "[2,5,90] size=1x3x3 stride=1x2x2 pad=0_0x0_1x1_1",
    "[9,210] size=2x4 stride=1x3 pad=0_0x2_0 rhs_dilate=7x2",
    "[4,203] size=2x2 stride=3x5",
  };

  private static String body(String type, String root) {
    return "b {\n  x = T[] parameter(0)\n  y = T[] parameter(1)\n  %s\n}\n"
        .formatted(root)
        .replace("T[]", type + "[]");
  }

  private static String outputSizes(String row) {
    String[] columns = row.split(" ", 2);
    Shape.Array base = (Shape.Array) org.hlo4j.hlo.text.Parser.parseShape("f32" + columns[0]);
    return Shape.of(base.elementType(), Window.parse(columns[1]).outputSizes(base.sizes()))
        .toString()
        .substring(3);
  }

  private void checkReduced(String type, String root) {
    for (String row : Nightly.some(8, type + root, List.of(ROWS))) {
      tester.check(reduced(type, root, row));
    }
  }

  private static HloModule reduced(String type, String root, String row) {
    String[] columns = row.split(" ", 2);
    return KernelTester.module(
        body(type, root),
        type + outputSizes(row),
        "reduce-window(p0, p1), window={" + columns[1] + "}, to_apply=b",
        type + columns[0],
        type + "[]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pred", "u4", "s8", "u16", "s32", "u64", "f8e5m2", "bf16", "f32", "f64"})
  void vectorsGiveTheBitsOfScalars(String type) {
    for (String op : new String[] {"add", "multiply", "maximum", "minimum"}) {
      String root = "ROOT r = T[] " + op + "(x, y)";
      for (String row : Nightly.some(4, type + op, List.of(VECTOR_ROWS))) {
        HloModule module = reduced(type, root, row);
        WindowLoops.of(module.entry().root().called().get(0), false).orElseThrow().prepare();
        tester.check(module);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pred", "u4", "s8", "u16", "s32", "u32", "s64", "u64", "f8e5m2", "bf16", "f16", "f32", "f64"
      })
  void reduceWindowsByLoops(String type) {
    checkReduced(type, "ROOT r = T[] add(x, y)");
    checkReduced(type, "ROOT r = T[] multiply(x, y)");
    checkReduced(type, "ROOT r = T[] maximum(y, x)");
    checkReduced(type, "ROOT r = T[] minimum(x, y)");
  }

  @Test
  void reduceWindowsWithOtherReducers() {
    checkReduced("c64", "ROOT r = T[] add(x, y)");
    checkReduced("f32", "ROOT r = T[] subtract(x, y)");
    checkReduced("s32", "ROOT r = T[] xor(x, y)");
    checkReduced(
        "bf16", "h = T[] constant(0.5)\n  m = T[] multiply(x, h)\n  ROOT r = T[] add(m, y)");
    checkReduced("f32", "ROOT r = T[] add(x, x)");
  }

  /** Positions of padding alone copy the initial value; a complex one has two parts. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "bf16", "s32", "c64", "c128"})
  void reduceWindowsThatKeepTheBitsOfNaNs(String type) {
    KernelTester observing = new KernelTester(op -> Kernels.ofOp(op, true));
    for (String row : Nightly.some(4, type, List.of(ROWS))) {
      observing.check(reduced(type, "ROOT r = T[] add(x, y)", row));
    }
  }

  @Test
  void largeReduceWindow() {
    HloModule sum =
        KernelTester.module(
            body("f32", "ROOT r = T[] add(x, y)"),
            "f32[20,30,40]",
            "reduce-window(p0, p1), window={size=1x3x3 pad=0_0x1_1x1_1}, to_apply=b",
            "f32[20,30,40]",
            "f32[]");
    tester.check(sum);
  }

  @Test
  void variadicReduceWindow() {
    tester.check(
        KernelTester.module(
            """
            b {
              a = f32[] parameter(0)
              i = s32[] parameter(1)
              b = f32[] parameter(2)
              j = s32[] parameter(3)
              c = pred[] compare(a, b), direction=GE
              v = f32[] select(c, a, b)
              w = s32[] select(c, i, j)
              ROOT r = (f32[], s32[]) tuple(v, w)
            }
            """,
            "(f32[3,5], s32[3,5])",
            "reduce-window(p0, p1, p2, p3), window={size=2x3 stride=2x1 pad=0_0x1_0}, to_apply=b",
            "f32[6,6]",
            "s32[6,6]",
            "f32[]",
            "s32[]"));
  }

  private void checkSelected(String type, String select, String scatter) {
    for (String row : Nightly.some(8, type + select, List.of(ROWS))) {
      String[] columns = row.split(" ", 2);
      if (columns[1].contains("dilate")) {
        continue;
      }
      HloModule module =
          KernelTester.module(
              body(type, "ROOT r = pred[] " + select).replaceFirst("b \\{", "s {")
                  + body(type, "ROOT r = T[] " + scatter),
              type + columns[0],
              "select-and-scatter(p0, p1, p2), window={" + columns[1] + "}, select=s, scatter=b",
              type + columns[0],
              type + outputSizes(row),
              type + "[]");
      tester.check(module);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"s8", "u32", "s64", "bf16", "f32", "f64"})
  void selectAndScatter(String type) {
    checkSelected(type, "compare(x, y), direction=GE", "add(x, y)");
    checkSelected(type, "compare(x, y), direction=GT", "add(x, y)");
    checkSelected(type, "compare(y, x), direction=GE", "maximum(x, y)");
    checkSelected(type, "compare(x, y), direction=LT", "multiply(x, y)");
  }

  @Test
  void selectAndScatterWithOtherReducers() {
    checkSelected("f32", "compare(x, y), direction=GE", "subtract(x, y)");
    checkSelected("s32", "compare(x, y), direction=NE", "xor(x, y)");
    checkSelected("c64", "compare(x, y), direction=NE", "add(x, y)");
  }
}
