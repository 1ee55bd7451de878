package org.hlo4j.interpreter.compiled.copy;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of movement ops against the reference evaluator. */
class CopyKernelsTest {
  private static final int[] SIZES = {0, 1, 2, 3, 7, 13, 33};
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));
  private final Random random = new Random(7);

  private void check(String shape, String op, String... parameters) {
    tester.check(KernelTester.module("", shape, op, parameters));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[7,5]       | transpose(p0), dimensions={1,0}           | f32[5,7]",
        "f32[257,129]   | transpose(p0), dimensions={1,0}           | f32[129,257]",
        "s8[300,257]    | transpose(p0), dimensions={1,0}           | s8[257,300]",
        "c64[257,130]   | transpose(p0), dimensions={1,0}           | c64[130,257]",
        "bf16[3,65,66]  | transpose(p0), dimensions={0,2,1}         | bf16[3,66,65]",
        "f64[9,4,50,30] | transpose(p0), dimensions={3,0,2,1}       | f64[4,30,50,9]",
        "s32[65,3,70,5] | transpose(p0), dimensions={2,1,0,3}       | s32[70,3,65,5]",
        "u4[0,3]        | transpose(p0), dimensions={1,0}           | u4[3,0]",
        "f32[]          | transpose(p0), dimensions={}              | f32[]",
        "f32[3,4]       | broadcast(p0), dimensions={}              | f32[]",
        "f32[300,400]   | broadcast(p0), dimensions={0}             | f32[300]",
        "f32[300,400]   | broadcast(p0), dimensions={1}             | f32[400]",
        "c128[4,5,6]    | broadcast(p0), dimensions={1}             | c128[5]",
        "s16[4,5,6]     | broadcast(p0), dimensions={2,0}           | s16[6,4]",
        "s8[30,2]       | broadcast(p0), dimensions={0}             | s8[30]",
        "f64[5,6,3]     | broadcast(p0), dimensions={0,1}           | f64[5,6]",
        "f32[70,30,4]   | broadcast(p0), dimensions={1,0}           | f32[30,70]",
        "u16[30,5]      | broadcast(p0), dimensions={0}             | u16[30]",
        "f32[0,5]       | broadcast(p0), dimensions={1}             | f32[5]",
        "f32[2,3]       | slice(p0), slice={[1:3], [0:6:2]}         | f32[4,7]",
        "f32[100,900]   | slice(p0), slice={[1:101], [50:950]}      | f32[200,1000]",
        "f32[0]         | slice(p0), slice={[4:4]}                  | f32[4]",
        "pred[3]        | slice(p0), slice={[1:8:3]}                | pred[8]",
        "c64[2,2]       | slice(p0), slice={[0:2], [1:6:4]}         | c64[2,6]",
        "f32[5,7]       | reverse(p0), dimensions={0,1}             | f32[5,7]",
        "f32[5,7]       | reverse(p0), dimensions={0}               | f32[5,7]",
        "c64[5,7]       | reverse(p0), dimensions={1}               | c64[5,7]",
        "f32[0,7]       | reverse(p0), dimensions={1}               | f32[0,7]",
      })
  void movementOpsOfOneOperand(String shape, String op, String operand) {
    check(shape, op, operand);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "u8[5,4]   | bitcast-convert(p0) | f32[5]",
        "u32[7,2]  | bitcast-convert(p0) | s64[7]",
        "bf16[0,4] | bitcast-convert(p0) | f64[0]",
        "f32[5]    | bitcast-convert(p0) | s8[5,4]",
        "f64[257]  | bitcast-convert(p0) | u16[257,4]",
        "u64[3,3]  | bitcast-convert(p0) | u8[3,3,8]",
      })
  void bitcastsToOtherElementSizes(String shape, String op, String operand) {
    check(shape, op, operand);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[9]       | pad(p0, p1), padding=2_3             | f32[4]",
        "f32[1]       | pad(p0, p1), padding=-2_-1           | f32[4]",
        "f32[0]       | pad(p0, p1), padding=-2_-2           | f32[4]",
        "f32[3]       | pad(p0, p1), padding=-6_5            | f32[4]",
        "f32[3]       | pad(p0, p1), padding=5_-6            | f32[4]",
        "f32[10]      | pad(p0, p1), padding=0_0_2           | f32[4]",
        "f32[7]       | pad(p0, p1), padding=-2_-1_2         | f32[4]",
        "f32[12]      | pad(p0, p1), padding=-1_3_2          | f32[4]",
        "f32[3]       | pad(p0, p1), padding=1_2             | f32[0]",
        "f32[6,7]     | pad(p0, p1), padding=1_2x3_0         | f32[3,4]",
        "c64[6,9]     | pad(p0, p1), padding=1_2x-1_3_1      | c64[3,4]",
        "u8[0,6]      | pad(p0, p1), padding=-1_-2x1_1       | u8[3,4]",
        "bf16[3,7,5]  | pad(p0, p1), padding=1_0x2_3x0_1     | bf16[2,2,4]",
        "f32[902]     | pad(p0, p1), padding=-1_2_99         | f32[10]",
        "f32[2001]    | pad(p0, p1), padding=0_0_1999        | f32[2]",
        "f32[301,400] | pad(p0, p1), padding=1_0x0_100       | f32[300,300]",
      })
  void pads(String shape, String op, String operand) {
    check(shape, op, operand, operand.replaceAll("\\[.*", "[]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"s8", "u8", "s32", "u32", "s64", "u64", "u16"})
  void dynamicSliceStartsAreClampedForAnyIndexType(String index) {
    for (int i = 0; i < 20; i++) {
      checkStarts("f32[2,3]", "dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,3}", index);
      checkStarts("f32[5,7]", "dynamic-update-slice(p0, u, p1, p2)", index);
      checkStarts("f32[5,7]", "dynamic-update-slice(p0, z, p1, p2)", index);
    }
  }

  private void checkStarts(String shape, String op, String index) {
    HloModule module =
        KernelTester.module(
            "",
            shape,
            op.replace("u,", "p3,").replace("z,", "p4,"),
            "f32[5,7]",
            index + "[]",
            index + "[]",
            "f32[2,3]",
            "f32[0,3]");
    var arguments = tester.arguments(module);
    for (int i = 1; i <= 2; i++) {
      arguments[i] = tester.randomIndices(arguments[i].arrayShape(), 7);
    }
    tester.check(module, arguments);
  }

  @Test
  void dynamicSlicesWithAVectorOfStarts() {
    check("c64[2,3]", "dynamic-slice(p0, p1), dynamic_slice_sizes={2,3}", "c64[5,7]", "s64[2]");
    check("c64[5,7]", "dynamic-update-slice(p0, p1, p2)", "c64[5,7]", "c64[2,3]", "u64[2]");
    check("s16[]", "dynamic-slice(p0, p1), dynamic_slice_sizes={}", "s16[]", "s64[0]");
  }

  @Test
  void concatenations() {
    check("f32[9]", "concatenate(p0, p1, p2), dimensions={0}", "f32[4]", "f32[0]", "f32[5]");
    check("c64[2,9]", "concatenate(p0, p1), dimensions={1}", "c64[2,4]", "c64[2,5]");
    check("s8[2,3,4]", "concatenate(p0, p1), dimensions={1}", "s8[2,1,4]", "s8[2,2,4]");
    check("f64[300,400]", "concatenate(p0, p1), dimensions={0}", "f64[100,400]", "f64[200,400]");
    check("f32[3,0]", "concatenate(p0), dimensions={1}", "f32[3,0]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "u2",
        "s4",
        "u8",
        "s16",
        "s32",
        "u64",
        "f4e2m1fn",
        "f8e5m2",
        "f8e8m0fnu",
        "bf16",
        "f16",
        "f32",
        "f64",
        "c64",
        "c128"
      })
  void iotaOfAnyType(String type) {
    KernelTester loops = new KernelTester(instruction -> Loops.kernel(instruction, false));
    for (String op : List.of("[300] 0", "[2,13,3] 1", "[2,0] 0", "[2,0] 1")) {
      List<String> parts = Splitter.on(' ').splitToList(op);
      loops.check(
          KernelTester.module("", type + parts.get(0), "iota(), iota_dimension=" + parts.get(1)));
    }
  }

  @Test
  void randomTransposes() {
    String[] types = {"pred", "s4", "f8e4m3fn", "bf16", "u16", "s32", "f32", "s64", "f64", "c64"};
    for (int i = 0; i < 300; i++) {
      int rank = random.nextInt(5);
      List<Integer> sizes = new ArrayList<>();
      random.ints(rank, 0, SIZES.length).forEach(k -> sizes.add(SIZES[Math.min(k, 10 - rank)]));
      List<Integer> order = new ArrayList<>(IntStream.range(0, rank).boxed().toList());
      Collections.shuffle(order, random);
      List<Integer> moved = order.stream().map(sizes::get).toList();
      String type = types[random.nextInt(types.length)];
      String dimensions = "{" + Joiner.on(',').join(order) + "}";
      check(type + text(moved), "transpose(p0), dimensions=" + dimensions, type + text(sizes));
    }
  }

  private static String text(List<Integer> sizes) {
    return "[" + Joiner.on(',').join(sizes) + "]";
  }

  @Test
  void unsupportedInstructionsAreDeclined() {
    HloModule add = KernelTester.module("", "f32[2]", "add(p0, p0)", "f32[2]");
    HloModule dynamic =
        KernelTester.module("", "f32[<=2]", "reverse(p0), dimensions={0}", "f32[<=2]");
    HloModule layout = KernelTester.module("", "f32[2,3]{0,1}", "bitcast(p0)", "f32[6]");
    assertThat(Kernels.ofOp(add.entry().root(), false).kernel()).isEmpty();
    assertThat(Kernels.ofOp(dynamic.entry().root(), false).kernel()).isEmpty();
    assertThat(Kernels.ofOp(layout.entry().root(), false).kernel()).isEmpty();
  }
}
