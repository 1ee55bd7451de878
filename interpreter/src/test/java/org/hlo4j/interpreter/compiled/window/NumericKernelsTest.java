package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of random bits: the bits of the reference evaluator. */
class NumericKernelsTest {
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "u32[13]",
        "u32[14]",
        "u32[3,4,5]",
        "u32[5,3,7]",
        "s32[7,4]",
        "u64[13]",
        "s64[2,3]",
        "u8[7,3]",
        "u16[9,9]",
        "s4[33]",
        "u2[8]",
        "u32[]",
        "u64[]",
        "u32[0]",
        "u32[3,0]",
        "f32[7]",
        "bf16[5,4]",
        "f64[5]",
        "f8e5m2[6]",
        "u32[5000]",
        "u32[3,2050]"
      })
  void randomBits(String bits) {
    for (String algorithm : new String[] {"rng_three_fry", "rng_philox", "rng_default"}) {
      checkBits("u64[2]", bits, algorithm);
    }
    checkBits("u64[3]", bits, "rng_philox");
  }

  private void checkBits(String state, String bits, String algorithm) {
    String shape = "(" + state + ", " + bits + ")";
    HloModule module =
        KernelTester.module("", shape, "rng-bit-generator(p0), algorithm=" + algorithm, state);
    tester.check(module);
    Literal[] carried = tester.arguments(module);
    LiteralBuilder counter = LiteralBuilder.zeros(carried[0].arrayShape());
    counter.setLong(0, 5);
    counter.setLong(1, -2);
    tester.check(module, counter.build());
  }
}
