package org.hlo4j.interpreter.compiled.conv;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.Products;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels of convolutions against the reference evaluator. */
class ConvolutionsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,9,10,3]   | f32[3,3,3,5]  | f32[2,9,10,5]  | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f32[5,28,28,1]  | f32[5,5,1,30] | f32[5,24,24,30]| 25  | window={size=5x5}, dim_labels=b01f_01io->b01f
          f32[1,25,57,96] | f32[3,3,96,33]| f32[1,13,29,33]| 864 | window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f64[1,13,14,64] | f64[3,3,64,65]| f64[1,13,14,65]| 576 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          s32[1,13,14,64] | s32[3,3,64,65]| s32[1,13,14,65]| 576 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          s8[1,13,14,64]  | s8[3,3,64,65] | s32[1,13,14,65]| 576 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          u8[2,13,14,5]   | s8[3,3,5,65]  | s8[2,13,14,65] | 45  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          u8[1,13,30,96]  | u8[3,3,96,65] | u32[1,13,30,65]| 864 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          s8[2,20,21,48]  | s8[3,3,1,48]  | s32[2,20,21,48]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=48
          s8[2,3,20,21]   | s8[5,3,3,3]   | s32[2,5,20,21] | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
          bf16[1,13,14,8] | bf16[3,3,8,65]| bf16[1,13,14,65]|72  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f32[2,3,20,21]  | f32[5,3,3,3]  | f32[2,5,20,21] | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
          f32[3,40,20,21] | f32[7,40,3,3] | f32[3,7,18,19] | 360 | window={size=3x3}, dim_labels=bf01_oi01->bf01
          f32[2,8,20,21]  | f32[12,2,3,3] | f32[2,12,20,21]| 18  | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=4
          f32[2,20,21,8]  | f32[3,3,2,12] | f32[2,20,21,12]| 18  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=4
          f32[2,20,21,80] | f32[3,3,1,80] | f32[2,10,11,80]| 9   | window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=80
          f32[2,20,21,32] | f32[3,3,1,32] | f32[2,16,21,32]| 9   | window={size=3x3 pad=0_0x1_1 rhs_dilate=2x1}, dim_labels=b01f_01io->b01f, feature_group_count=32
          f32[2,20,21,32] | f32[3,3,1,32] | f32[2,20,21,32]| 9   | window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=32
          f32[1,6,6,64]   | f32[5,5,64,130] | f32[1,2,2,130] | 1600 | window={size=5x5}, dim_labels=b01f_01io->b01f
          f32[1,9,5,512]  | f32[8,3,512,64] | f32[1,2,2,64]  | 12288 | window={size=8x3 stride=1x2}, dim_labels=b01f_01io->b01f
          f32[1,12,19,40] | f32[7,7,1,40] | f32[1,6,13,40] | 49  | window={size=7x7}, dim_labels=b01f_01io->b01f, feature_group_count=40
          f32[1,9,11,40]  | f32[3,2,1,40] | f32[1,7,9,40]  | 6   | window={size=3x2 rhs_dilate=1x2}, dim_labels=b01f_01io->b01f, feature_group_count=40
          f64[2,20,21,40] | f64[3,3,1,40] | f64[2,20,21,40]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=40
          s32[1,40,64]    | s32[5,1,64]   | s32[1,36,64]   | 5   | window={size=5}, dim_labels=b0f_0io->b0f, feature_group_count=64
          f32[4,9,10,3]   | f32[3,3,3,6]  | f32[2,7,8,6]   | 27  | window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=2
          f32[4,3,19,20]  | f32[6,3,3,3]  | f32[2,6,17,18] | 27  | window={size=3x3}, dim_labels=bf01_oi01->bf01, batch_group_count=2
          f32[2,11,12,3]  | f32[3,2,3,5]  | f32[2,9,26,5]  | 18  | window={size=3x2 pad=2_2x1_3 lhs_dilate=1x2 rhs_dilate=3x1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f
          f32[2,11,12,3]  | f32[3,2,3,5]  | f32[2,12,8,5]  | 18  | window={size=3x2 pad=2_2x-1_-2 lhs_dilate=2x1 stride=2x1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f
          f32[2,9,10,6]   | f32[4,4,6,20] | f32[2,18,20,20]| 96 | window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
          f32[2,9,10,12]  | f32[3,3,3,12] | f32[2,18,20,12]| 27 | window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=4
          f32[4,9,10,3]   | f32[3,3,3,12] | f32[2,18,20,12]| 27 | window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f, batch_group_count=2
          f32[2,5,6,7,3]  | f32[2,3,2,3,8]| f32[2,8,12,20,8]|36 | window={size=2x3x2 pad=0_0x1_2x4_4 lhs_dilate=2x2x2}, dim_labels=b012f_012io->b012f
          f32[2,33,20,21] | f32[5,33,5,5] | f32[2,5,40,42] | 825| window={size=5x5 pad=3_2x3_2 lhs_dilate=2x2 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01
          f32[2,6,5,12,3] | f32[2,3,3,3,4]| f32[2,5,5,48,4]| 54 | window={size=2x3x3 stride=2x1x1 pad=0_-1x1_1x4_1 lhs_dilate=2x1x4}, dim_labels=b012f_012io->b012f
          f32[2,20,21,24] | f32[2,20,21,24]| f32[3,3,1,24] | 840 | window={size=20x21 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=24
          f32[2,20,21,80] | f32[2,10,11,80]| f32[3,3,1,80] | 220 | window={size=10x11 pad=1_0x1_1 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf, batch_group_count=80
          f32[2,18,20,21] | f32[2,18,20,21]| f32[18,1,3,3] | 840 | window={size=20x21 pad=1_1x1_1}, dim_labels=fb01_io01->fb01, batch_group_count=18
          f64[2,20,21,24] | f64[2,20,21,24]| f64[3,3,1,24] | 840 | window={size=20x21 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=24
          s32[2,300,20]   | s32[2,300,20]  | s32[4,1,20]   | 600 | window={size=300 pad=1_2 rhs_reversal=1}, dim_labels=f0b_i0o->0bf, batch_group_count=20
          s8[2,300,40]    | s8[2,300,40]   | s32[3,1,40]   | 600 | window={size=300 pad=1_1}, dim_labels=f0b_i0o->0bf, batch_group_count=40
          bf16[2,20,21,24]| bf16[2,20,21,24]| bf16[3,3,1,24]| 840| window={size=20x21 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=24
          f32[2,10,11,24] | f32[2,19,21,24]| f32[3,3,1,24] | 798 | window={size=19x21 pad=1_1x1_1 lhs_dilate=2x2}, dim_labels=f01b_i01o->01bf, batch_group_count=24
          f32[2,18,20,21] | f32[18,1,3,3]  | f32[2,18,10,11]| 9  | window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=18
          f64[3,17,40]    | f64[17,1,7]    | f64[3,17,40]   | 7  | window={size=7 pad=3_3}, dim_labels=bf0_oi0->bf0, feature_group_count=17
          bf16[1,20,21,3] | bf16[3,3,1,3]  | bf16[1,20,21,3]| 9  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=3
          s32[2,3,20,21]  | s32[3,1,3,3]   | s32[2,3,20,21] | 9  | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=3
          u8[1,20,21,2]   | s8[5,3,1,2]    | s32[1,16,21,2] | 15 | window={size=5x3 pad=0_0x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=2
          f32[0,20,21,24] | f32[0,20,21,24]| f32[3,3,1,24] | 0   | window={size=20x21 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=24
          f32[30,40,3]    | f32[7,3,5]    | f32[30,34,5]   | 21  | window={size=7}, dim_labels=b0f_0io->b0f
          f32[2,20,21,100]| f32[1,1,100,1]| f32[2,20,21,1] | 100 | window={size=1x1}, dim_labels=b01f_01io->b01f
          f32[1,500,1]    | f32[65,1,1]   | f32[1,500,1]   | 65  | window={size=65 pad=32_32 rhs_reversal=1}, dim_labels=b0f_0io->b0f
          f32[2,5,6,7,3]  | f32[2,3,2,3,8]| f32[2,4,4,6,8] | 36  | window={size=2x3x2}, dim_labels=b012f_012io->b012f
          f32[5,7]        | f32[7,9]      | f32[5,9]       | 7   | dim_labels=bf_io->bf
          f32[9,10,2,3]   | f32[3,3,5,3]  | f32[5,7,2,8]   | 27  | window={size=3x3}, dim_labels=01bf_10oi->f0b1
          f32[0,9,10,3]   | f32[3,3,3,5]  | f32[0,7,8,5]   | 27  | window={size=3x3}, dim_labels=b01f_01io->b01f
          f32[2,9,10,0]   | f32[3,3,0,5]  | f32[2,9,10,5]  | 0   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          """)
  void closeToTheReference(String lhs, String kernel, String result, int terms, String attributes) {
    Products.check(Convolutions::kernel, module(lhs, kernel, result, attributes), terms, terms);
  }

  /** What {@link #closeToTheReference} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,9,10,40]  | f32[3,3,40,5] | f32[2,9,10,5]  | 360 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f32[24,28,28,1] | f32[5,5,1,6]  | f32[24,24,24,6]| 25  | window={size=5x5}, dim_labels=b01f_01io->b01f
          f32[24,12,12,6] | f32[5,5,6,12] | f32[24,8,8,12] | 150 | window={size=5x5}, dim_labels=b01f_01io->b01f
          f32[1,13,28,64] | f32[3,3,64,70]| f32[1,13,28,70]| 576 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f32[2,13,28,70] | f32[1,1,70,64]| f32[2,13,28,64]| 70  | window={size=1x1}, dim_labels=b01f_01io->b01f
          f32[2,20,21,32] | f32[3,3,1,32] | f32[2,20,21,32]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=32
          f32[2,20,21,48] | f32[3,3,1,48] | f32[2,20,21,48]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=48
          f32[2,20,21,13] | f32[3,3,1,13] | f32[2,20,21,13]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=13
          f32[1,12,19,40] | f32[8,8,1,40] | f32[1,5,12,40] | 64  | window={size=8x8}, dim_labels=b01f_01io->b01f, feature_group_count=40
          f32[1,9,3,40]   | f32[3,3,1,40] | f32[1,7,1,40]  | 9   | window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=40
          f32[2,20,21,32] | f32[3,3,1,64] | f32[2,20,21,64]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=32
          f32[2,32,20,21] | f32[32,1,3,3] | f32[2,32,20,21]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=32
          f32[2,20,21,13] | f32[2,20,21,13]| f32[5,3,1,13] | 840 | window={size=20x21 pad=2_2x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=13
          f32[3,20,21,18] | f32[3,10,21,18]| f32[1,3,1,18] | 630 | window={size=10x21 pad=-3_-7x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=18
          f32[2,20,21,35] | f32[3,3,1,35]  | f32[2,20,21,35]| 9  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=35
          s32[2,11,12,3]  | s32[3,2,3,5]  | s32[2,11,9,5]  | 18  | window={size=3x2 pad=1_1x-1_-1}, dim_labels=b01f_01io->b01f
          f32[1,9,21,100] | f32[1,1,100,3]| f32[1,9,21,3]  | 100 | window={size=1x1}, dim_labels=b01f_01io->b01f
          """)
  void closeToTheReferenceAtNight(
      String lhs, String kernel, String result, int terms, String attributes) {
    closeToTheReference(lhs, kernel, result, terms, attributes);
  }

  /**
   * The kernel has infinities of both signs and a NaN, which meet padding at some positions only.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,9,10,3]   | f32[3,3,3,5]  | f32[2,9,10,5]  | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f64[2,9,10,3]   | f64[3,3,3,5]  | f64[2,9,10,5]  | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          bf16[2,9,10,3]  | bf16[3,3,3,5] | bf16[2,9,10,5] | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f32[2,8,20,21]  | f32[12,2,3,3] | f32[2,12,20,21]| 18  | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=4
          f32[4,9,10,3]   | f32[3,3,3,6]  | f32[2,9,10,6]  | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, batch_group_count=2
          f32[2,11,12,3]  | f32[3,2,3,5]  | f32[2,9,26,5]  | 18  | window={size=3x2 pad=2_2x1_3 lhs_dilate=1x2 rhs_dilate=3x1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f
          f32[4,9,10,8]   | f32[3,3,8,6]  | f32[2,18,20,6] | 72  | window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f, batch_group_count=2
          f32[2,20,21,32] | f32[3,3,1,32] | f32[2,40,42,32]| 9   | window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=32
          f32[2,20,21,3]  | f32[3,3,1,3]  | f32[2,20,21,3] | 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=3
          f32[2,3,20,25]  | f32[3,1,5,3]  | f32[2,3,10,21] | 15  | window={size=5x3 stride=2x1 pad=2_2x0_0 rhs_dilate=1x2 rhs_reversal=1x1}, dim_labels=bf01_oi01->bf01, feature_group_count=3
          f64[1,20,21,1]  | f64[3,3,1,1]  | f64[1,40,24,1] | 9   | window={size=3x3 pad=1_2x3_2 lhs_dilate=2x1}, dim_labels=b01f_01io->b01f
          """)
  void paddingIsSkipped(String lhs, String kernel, String result, int terms, String attributes) {
    HloModule module = Parser.parse(module(lhs, kernel, result, attributes));
    KernelTester tester = Products.tester(Convolutions::kernel);
    Literal[] in = tester.arguments(module, terms);
    LiteralBuilder special = new LiteralBuilder(in[1].arrayShape());
    int count = in[1].elementCount();
    for (int i = 0; i < count; i++) {
      special.setDouble(i, in[1].doubleAt(i));
    }
    special.setDouble(0, Double.POSITIVE_INFINITY);
    special.setDouble(count / 2 + 1, Double.NEGATIVE_INFINITY);
    special.setDouble(count - 1, Double.NaN);
    in[1] = special.build();
    tester.check(KernelTester.terms(terms), module, in);
  }

  /** What {@link #paddingIsSkipped} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[1,13,28,64] | f32[3,3,64,70]| f32[1,13,28,70]| 576 | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          f32[1,500,1]    | f32[65,1,1]   | f32[1,500,1]   | 65  | window={size=65 pad=32_32}, dim_labels=b0f_0io->b0f
          f32[2,3,20,21]  | f32[5,3,3,3]  | f32[2,5,20,21] | 27  | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
          f32[2,20,21,8]  | f32[3,3,2,12] | f32[2,20,21,12]| 18  | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=4
          f32[2,20,21,32] | f32[3,3,1,32] | f32[2,20,21,32]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=32
          f32[2,11,12,3]  | f32[3,2,3,5]  | f32[2,12,8,5]  | 18  | window={size=3x2 pad=2_2x-1_-2 lhs_dilate=2x1 stride=2x1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f
          f32[2,9,10,6]   | f32[4,4,6,20] | f32[2,18,20,20]| 96  | window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
          f32[2,33,20,21] | f32[5,33,5,5] | f32[2,5,40,42] | 825 | window={size=5x5 pad=3_2x3_2 lhs_dilate=2x2 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01
          f32[2,20,21,24] | f32[2,20,21,24]| f32[3,3,1,24] | 840 | window={size=20x21 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=24
          f32[2,18,20,21] | f32[2,18,20,21]| f32[18,1,3,3] | 840 | window={size=20x21 pad=1_1x1_1}, dim_labels=fb01_io01->fb01, batch_group_count=18
          f32[2,18,20,21] | f32[18,1,3,3] | f32[2,18,20,21]| 9   | window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=18
          """)
  void paddingIsSkippedAtNight(
      String lhs, String kernel, String result, int terms, String attributes) {
    paddingIsSkipped(lhs, kernel, result, terms, attributes);
  }

  /**
   * Taps that fall outside of the image are left out, though elements of the kernel are not finite.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[1,7,9,35]  | f32[3,3,1,35]  | f32[1,7,9,35]  | size=3x3 pad=1_1x1_1                          | b01f_01io->b01f, feature_group_count=35
          f32[2,6,33,32] | f32[3,3,1,32]  | f32[2,3,17,32] | size=3x3 stride=2x2 pad=0_1x1_1               | b01f_01io->b01f, feature_group_count=32
          f32[1,9,20,32] | f32[5,5,1,32]  | f32[1,5,10,32] | size=5x5 stride=2x2 pad=2_2x1_2               | b01f_01io->b01f, feature_group_count=32
          f32[1,3,2,32]  | f32[5,5,1,32]  | f32[1,3,2,32]  | size=5x5 pad=2_2x2_2                          | b01f_01io->b01f, feature_group_count=32
          f32[1,3,4,32]  | f32[2,2,1,32]  | f32[1,10,9,32] | size=2x2 pad=5_3x4_2                          | b01f_01io->b01f, feature_group_count=32
          f32[1,9,20,32] | f32[3,3,1,32]  | f32[1,6,17,32] | size=3x3 pad=-1_0x0_-1                        | b01f_01io->b01f, feature_group_count=32
          f32[1,9,20,32] | f32[3,3,1,32]  | f32[1,9,10,32] | size=3x3 stride=1x2 pad=2_2x3_2 rhs_dilate=2x3 | b01f_01io->b01f, feature_group_count=32
          f32[1,9,20,32] | f32[3,3,1,32]  | f32[1,9,20,32] | size=3x3 pad=6_6x6_6 rhs_dilate=6x6           | b01f_01io->b01f, feature_group_count=32
          f32[1,5,20,32] | f32[3,11,1,32] | f32[1,5,20,32] | size=3x11 pad=1_1x5_5                         | b01f_01io->b01f, feature_group_count=32
          f32[1,5,20,32] | f32[3,1,1,32]  | f32[1,5,22,32] | size=3x1 pad=1_1x1_1                          | b01f_01io->b01f, feature_group_count=32
          f32[1,5,20,32] | f32[1,1,1,32]  | f32[1,7,22,32] | size=1x1 pad=1_1x1_1                          | b01f_01io->b01f, feature_group_count=32
          f32[1,5,1,32]  | f32[3,3,1,32]  | f32[1,5,1,32]  | size=3x3 pad=1_1x1_1                          | b01f_01io->b01f, feature_group_count=32
          f32[1,7,7,32]  | f32[7,7,1,32]  | f32[1,1,1,32]  | size=7x7                                      | b01f_01io->b01f, feature_group_count=32
          f64[1,7,9,32]  | f64[3,3,1,32]  | f64[1,7,9,32]  | size=3x3 pad=1_1x1_1 rhs_reversal=1x1         | b01f_01io->b01f, feature_group_count=32
          f32[1,9,8,32]  | f32[4,4,1,32]  | f32[1,18,16,32]| size=4x4 pad=2_2x2_2 lhs_dilate=2x2           | b01f_01io->b01f, feature_group_count=32
          f32[1,32,9,8]  | f32[32,1,3,3]  | f32[1,32,9,8]  | size=3x3 pad=1_1x1_1                          | bf01_oi01->bf01, feature_group_count=32
          f32[9,1,20,32] | f32[3,3,1,32]  | f32[20,1,9,32] | size=3x3 pad=1_1x1_1                          | 0b1f_01io->1b0f, feature_group_count=32
          f32[1,4,5,9,32]| f32[3,3,3,1,32]| f32[1,4,5,9,32]| size=3x3x3 pad=1_1x1_1x1_1                    | b012f_012io->b012f, feature_group_count=32
          f32[2,5,9,24]  | f32[2,5,9,24]  | f32[5,3,1,24]  | size=5x9 pad=2_2x1_1                          | f01b_i01o->01bf, batch_group_count=24
          """)
  void borders(String lhs, String kernel, String result, String window, String labels) {
    paddingIsSkipped(lhs, kernel, result, 128, "window={" + window + "}, dim_labels=" + labels);
  }

  /** Zeros that dilation puts between elements of the image are skipped. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[1,8,8,16]   | f32[4,4,16,16] | f32[1,16,16,16] | size=4x4 pad=2_2x2_2 lhs_dilate=2x2 | '' | convolution by 4 phases, the first gemm f32 64x64x16
          f32[1,8,8,16]   | f32[4,4,16,16] | f32[1,8,8,16]   | size=4x4 pad=2_2x2_2 lhs_dilate=2x2 stride=2x2 | '' | convolution by gemm f32 64x64x16
          f32[2,8,8,32]   | f32[1,1,32,32] | f32[2,16,16,32] | size=1x1 pad=0_1x0_1 lhs_dilate=2x2 | '' | convolution by 1 of 4 phases, the first gemm f32 128x32x32
          f32[1,16,16,64] | f32[4,4,64,3]  | f32[1,32,32,3]  | size=4x4 pad=2_2x2_2 lhs_dilate=2x2 | '' | convolution by gemm f32 256x576x12
          f32[1,2,2,4]    | f32[2,2,4,4]   | f32[1,4,4,4]    | size=2x2 pad=1_1x1_1 lhs_dilate=2x2 | '' | convolution by gemm f32 4x4x16
          s8[1,8,8,16]    | s8[4,4,16,16]  | s32[1,16,16,16] | size=4x4 pad=2_2x2_2 lhs_dilate=2x2 | '' | integers by convolution by 4 phases, the first gemm f32 64x64x16
          f32[1,2,2,9]    | f32[16,16,9,3] | f32[1,32,32,3]  | size=16x16 pad=15_15x15_15 lhs_dilate=16x16 | '' | convolution by gemm f32 4x9x768
          f32[1,2,3,4]    | f32[9,2,4,4]   | f32[1,21,42,4]  | size=9x2 pad=9_9x1_1 lhs_dilate=10x20 | '' | convolution by 18 of 200 phases, the first gemm f32 6x4x4
          f32[1,20,20,32] | f32[4,4,1,32]  | f32[1,40,40,32] | size=4x4 pad=2_2x2_2 lhs_dilate=2x2 | ', feature_group_count=32' | convolution by 4 phases, the first gemm f32 400x4x32: features
          """)
  void phases(String lhs, String kernel, String result, String window, String groups, String want) {
    String attributes = "window={" + window + "}, dim_labels=b01f_01io->b01f" + groups;
    String hlo = module(lhs, kernel, result, attributes);
    Kernel by = Convolutions.kernel(Parser.parse(hlo).entry().root()).kernel().orElseThrow();
    assertThat(by.describe()).startsWith(want);
    Products.check(Convolutions::kernel, hlo, 1, 1024);
  }

  /** Tiles for four features are half empty, so that many rows with few steps use plain loops. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,12,12,1] | f32[3,3,1,4] | f32[2,12,12,4] | gemm f32 288x9x4 | plain loops
          f32[2,12,12,3] | f32[3,3,3,4] | f32[2,12,12,4] | gemm f32 288x27x4 | plain loops
          f32[2,12,12,4] | f32[3,3,4,4] | f32[2,12,12,4] | gemm f32 288x36x4 | tiles
          f32[1,11,11,1] | f32[3,3,1,4] | f32[1,11,11,4] | gemm f32 121x9x4 | tiles
          f32[2,12,12,1] | f32[3,3,1,9] | f32[2,12,12,9] | gemm f32 288x9x9 | tiles
          """)
  void fewFeatures(String lhs, String kernel, String result, String want, String tile) {
    String attributes = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
    String hlo = module(lhs, kernel, result, attributes);
    Kernel by = Convolutions.kernel(Parser.parse(hlo).entry().root()).kernel().orElseThrow();
    assertThat(by.describe()).startsWith("convolution by " + want);
    boolean hasTiles = Machine.isVectorApiOn() && tile.equals("tiles");
    assertThat(by.describe().contains(", plain loops")).isEqualTo(!hasTiles);
    Products.check(Convolutions::kernel, hlo, 1, 1024);
  }

  /**
   * Depthwise convolutions compute features in lanes, whichever dimension the features are. If
   * those are few, lanes are positions along a row of the image.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,8,9,24]  | f32[3,3,1,24]  | f32[2,8,9,24]  | size=3x3 pad=1_1x1_1 | b01f_01io->b01f, feature_group_count=24 | f32 144x9x24
          f32[2,24,8,9]  | f32[24,1,3,3]  | f32[2,24,8,9]  | size=3x3 pad=1_1x1_1 | bf01_oi01->bf01, feature_group_count=24 | f32 144x9x24
          f32[1,8,9,3]   | f32[3,3,1,3]   | f32[1,8,9,3]   | size=3x3 pad=1_1x1_1 | b01f_01io->b01f, feature_group_count=3  | f32 72x9x3
          f32[1,9,16,3]  | f32[3,3,1,3]   | f32[1,9,16,3]  | size=3x3 pad=1_1x1_1 | b01f_01io->b01f, feature_group_count=3  | f32 9x9x48
          f32[1,9,15,1]  | f32[3,3,1,1]   | f32[1,9,16,1]  | size=3x3 pad=1_1x1_2 | b01f_01io->b01f                         | f32 9x9x16
          f32[2,3,8,16]  | f32[3,1,3,3]   | f32[2,3,8,16]  | size=3x3 pad=1_1x1_1 | bf01_oi01->bf01, feature_group_count=3  | f32 3x16x9x16
          f32[2,8,8,16]  | f32[8,1,3,3]   | f32[2,8,8,16]  | size=3x3 pad=1_1x1_1 | bf01_oi01->bf01, feature_group_count=8  | f32 256x9x8
          f32[2,8,8,24]  | f32[8,1,3,3]   | f32[2,8,8,24]  | size=3x3 pad=1_1x1_1 | bf01_oi01->bf01, feature_group_count=8  | f32 8x16x9x24
          f32[1,9,16,8]  | f32[3,3,1,8]   | f32[1,9,16,8]  | size=3x3 pad=1_1x1_1 | b01f_01io->b01f, feature_group_count=8  | f32 144x9x8
          f32[1,4,8,9]   | f32[4,1,3,3]   | f32[1,4,8,9]   | size=3x3 pad=1_1x1_1 | bf01_oi01->bf01, feature_group_count=4  | f32 72x9x4
          f32[2,8,9,24]  | f32[2,8,9,24]  | f32[3,3,1,24]  | size=8x9 pad=1_1x1_1 | f01b_i01o->01bf, batch_group_count=24   | f32 9x144x24
          f32[8,30,40,64]| f32[8,30,40,64]| f32[3,3,1,64]  | size=30x40 pad=1_1x1_1 | f01b_i01o->01bf, batch_group_count=64 | f32 9x9600x64
          f32[8,64,30,40]| f32[8,64,30,40]| f32[64,1,3,3]  | size=30x40 pad=1_1x1_1 | fb01_io01->fb01, batch_group_count=64 | f32 9x9600x64
          """)
  void lanes(String lhs, String kernel, String result, String window, String labels, String want) {
    String hlo = module(lhs, kernel, result, "window={" + window + "}, dim_labels=" + labels);
    Kernel by = Convolutions.kernel(Parser.parse(hlo).entry().root()).kernel().orElseThrow();
    assertThat(by.describe()).startsWith("convolution by gemm " + want + ": features, ");
    Products.check(Convolutions::kernel, hlo, 1, 1024);
  }

  /** What {@link #lanes} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[1,8,9,7]   | f32[3,3,1,7]   | f32[1,8,9,7]   | size=3x3 pad=1_1x1_1 | b01f_01io->b01f, feature_group_count=7  | f32 72x9x7
          f32[1,8,9,3]   | f32[3,3,1,3]   | f32[1,8,9,3]   | size=3x3 pad=1_1x1_1 | b01f_01io->b01f, feature_group_count=3  | f32 72x9x3
          f32[1,100,200] | f32[3,1,100]   | f32[1,100,200] | size=3 pad=1_1 | bf0_0io->bf0, feature_group_count=100     | f32 200x3x100
          """)
  void lanesAtNight(
      String lhs, String kernel, String result, String window, String labels, String want) {
    lanes(lhs, kernel, result, window, labels, want);
  }

  /**
   * If windows are one element, and at least 24 positions contiguous, lanes are positions, and the
   * image is read in place.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,12,5,6] | f32[7,12,1,1] | f32[2,7,5,6] | size=1x1 | bf01_oi01->bf01                        | f32 2x30x12x7: columns swapped
          f32[2,12,5,6] | f32[8,6,1,1]  | f32[2,8,5,6] | size=1x1 | bf01_oi01->bf01, feature_group_count=2 | f32 4x30x6x4: columns swapped
          f32[4,12,5,6] | f32[8,12,1,1] | f32[2,8,5,6] | size=1x1 | bf01_oi01->bf01, batch_group_count=2   | f32 4x30x12x4: columns swapped
          f32[12,5,6,2] | f32[12,7,1,1] | f32[7,2,5,6] | size=1x1 | f01b_io01->fb01                        | f32 60x12x7: columns,
          f64[1,12,24]  | f64[7,12,1]   | f64[1,7,24]  | size=1   | bf0_oi0->bf0                           | f64 24x12x7: columns swapped
          f32[1,12,23]  | f32[8,12,1]   | f32[1,8,23]  | size=1   | bf0_oi0->bf0                           | f32 23x12x8: columns,
          f32[1,12,5,6] | f32[7,12,1,1] | f32[1,7,6,5] | size=1x1 | bf01_oi01->bf10                        | f32 30x12x7: columns,
          f32[1,12,9,6] | f32[7,12,1,1] | f32[1,7,5,6] | size=1x1 stride=2x1 | bf01_oi01->bf01             | f32 30x12x7: columns,
          f32[1,32,24]  | f32[1,32,1]   | f32[1,1,24]  | size=1   | bf0_oi0->bf0                           | f32 24x32x1: steps,
          """)
  void positionsInPlace(
      String lhs, String kernel, String result, String window, String labels, String want) {
    String hlo = module(lhs, kernel, result, "window={" + window + "}, dim_labels=" + labels);
    Kernel by = Convolutions.kernel(Parser.parse(hlo).entry().root()).kernel().orElseThrow();
    assertThat(by.describe()).startsWith("convolution by gemm " + want);
    Products.check(Convolutions::kernel, hlo, 1, 1024);
  }

  /** Images that are read in place, in so many blocks of steps that few rows fit into a piece. */
  @Test
  void manyBlocksInPlace() {
    String attributes = "window={size=40x1}, dim_labels=b01f_01io->b01f";
    String hlo = module("f64[1,40,100,32]", "f64[40,1,32,32]", "f64[1,1,100,32]", attributes);
    Products.check(Convolutions::kernel, hlo, 1, 1024);
  }

  private static String module(String lhs, String kernel, String result, String attributes) {
    return """
    HloModule m
    ENTRY e {
      a = %s parameter(0)
      b = %s parameter(1)
      ROOT c = %s convolution(a, b), %s
    }
    """
        .formatted(lhs, kernel, result, attributes);
  }
}
