package org.hlo4j.interpreter.compiled.indexing;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of sort and top-k against the reference evaluator. */
class SortKernelTest {
  private static final String[] SIZES = {"[0]", "[1]", "[7]", "[257]", "[3,13]", "[2,0]"};
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  private static String comparator(String type, String root) {
    return "c {\n  a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT r = pred[] %s\n}\n"
        .replace("T[]", type + "[]")
        .formatted(root);
  }

  private void checkSort(String type, String root) {
    for (String sizes : Nightly.some(4, type + root, List.of(SIZES))) {
      String shape = type + sizes;
      for (int d = 0; d < (sizes.contains(",") ? 2 : 1); d++) {
        String op = "sort(p0), dimensions={" + d + "}, to_apply=c";
        tester.check(KernelTester.module(comparator(type, root), shape, op, shape));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pred",
        "s4",
        "u8",
        "s16",
        "u16",
        "s32",
        "u32",
        "s64",
        "u64",
        "f8e5m2",
        "f8e8m0fnu",
        "bf16",
        "f16",
        "f32",
        "f64"
      })
  void sortsOfAnyType(String type) {
    checkSort(type, "compare(a, b), direction=LT");
    checkSort(type, "compare(b, a), direction=LT");
    checkSort(type, "compare(a, b), direction=GT");
    checkSort(type, "compare(a, b), direction=LE");
    if (type.startsWith("f") || type.startsWith("b")) {
      checkSort(type, "compare(a, b), direction=LT, type=TOTALORDER");
      checkSort(type, "compare(a, b), direction=GT, type=TOTALORDER");
    }
  }

  @Test
  void otherComparators() {
    String byRealPart =
        """
        c {
          a = c64[] parameter(0)
          b = c64[] parameter(1)
          x = f32[] real(a)
          y = f32[] real(b)
          ROOT r = pred[] compare(x, y), direction=LT
        }
        """;
    for (String sizes : SIZES) {
      String shape = "c64" + sizes;
      String op = "sort(p0), dimensions={0}, to_apply=c";
      tester.check(KernelTester.module(byRealPart, shape, op, shape));
    }
  }

  private static final String JAX =
      """
      c {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        i = s32[] parameter(2)
        j = s32[] parameter(3)
        zero = f32[] constant(0)
        nan = f32[] constant(nan)
        az = pred[] compare(a, zero), direction=EQ
        as = f32[] select(az, zero, a)
        an = pred[] compare(a, a), direction=NE
        key = f32[] select(an, nan, as)
        bz = pred[] compare(b, zero), direction=EQ
        bs = f32[] select(bz, zero, b)
        bn = pred[] compare(b, b), direction=NE
        other = f32[] select(bn, nan, bs)
        ROOT r = pred[] compare(key, other), direction=LT, type=TOTALORDER
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"[7]", "[300]", "[4,13]", "[0]"})
  void jaxArgsortIsSortedByKey(String sizes) {
    HloModule module =
        KernelTester.module(
            JAX,
            "(f32" + sizes + ", s32" + sizes + ")",
            "sort(p0, p1), dimensions={0}, is_stable=true, to_apply=c",
            "f32" + sizes,
            "s32" + sizes);
    assertThat(Kernels.ofOp(module.entry().root(), false).kernel().orElseThrow().describe())
        .endsWith("by key");
    tester.check(module);
  }

  @Test
  void comparatorsOfSeveralKeys() {
    String text =
        """
        c {
          a = u8[] parameter(0)
          b = u8[] parameter(1)
          i = f64[] parameter(2)
          j = f64[] parameter(3)
          k = c64[] parameter(4)
          l = c64[] parameter(5)
          less = pred[] compare(a, b), direction=LT
          equal = pred[] compare(a, b), direction=EQ
          then = pred[] compare(i, j), direction=GT
          both = pred[] and(equal, then)
          ROOT r = pred[] or(less, both)
        }
        """;
    HloModule module =
        KernelTester.module(
            text,
            "(u8[3,30], f64[3,30], c64[3,30])",
            "sort(p0, p1, p2), dimensions={1}, to_apply=c",
            "u8[3,30]",
            "f64[3,30]",
            "c64[3,30]");
    tester.check(module);
  }

  @Test
  void keysOf64BitsAreSortedByBothHalves() {
    LiteralBuilder steps = new LiteralBuilder(Shape.of(ElementType.S64, 70));
    for (int i = 0; i < 70; i++) {
      steps.setLong(i, (i * 37 % 70 - 35L) << 31); // lower halves of 0 and 2^31
    }
    String op = "sort(p0), dimensions={0}, to_apply=c";
    tester.check(
        KernelTester.module(
            comparator("s64", "compare(a, b), direction=LT"), "s64[70]", op, "s64[70]"),
        steps.build());
  }

  @Test
  void longArraysAreSortedInPartsAndMerged() {
    LiteralBuilder runs = new LiteralBuilder(Shape.of(ElementType.S16, 33_001));
    for (int i = 0; i < 33_001; i++) {
      runs.setLong(i, i % 4_001 * 16 + i / 4_001 % 3 - 30_000); // few, which the reference merges
    }
    String shape = "s16[33001]";
    String op = "sort(p0), dimensions={0}, to_apply=c";
    tester.check(
        KernelTester.module(comparator("s16", "compare(a, b), direction=LT"), shape, op, shape),
        runs.build());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pred",
        "s4",
        "u8",
        "s16",
        "u32",
        "s32",
        "s64",
        "u64",
        "f8e4m3fnuz",
        "bf16",
        "f32",
        "f64"
      })
  void topKOfAnyType(String type) {
    List<String> rows = List.of("[7] 3", "[7] 7", "[300] 200", "[3,13] 5", "[2,3] 0", "[0] 0");
    for (String row : Nightly.some(3, type, rows)) {
      List<String> words = Splitter.on(' ').splitToList(row);
      String from = type + words.get(0);
      String k = words.get(1);
      String to = words.get(0).replaceFirst("\\d+]", k + "]");
      for (String largest : new String[] {"true", "false"}) {
        tester.check(
            KernelTester.module(
                "",
                "(" + type + to + ", s32" + to + ")",
                "topk(p0), k=" + k + ", largest=" + largest,
                from));
      }
    }
  }
}
