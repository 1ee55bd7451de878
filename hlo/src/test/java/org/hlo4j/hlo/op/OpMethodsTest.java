package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.Shapes.shape;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ops tell of themselves, besides the shapes of their results. */
final class OpMethodsTest {
  @Test
  void dotIsDrawn() {
    Dot batches = Dot.general(Dims.of(0), Dims.of(2), Dims.of(0), Dims.of(1));
    assertThat(batches.explain(shape("f32[8,2,3]"), shape("f32[8,3,14]")))
        .isEqualTo(
            """
            result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
                      b    i    k     j
            lhs     0:8  1:2  2:3         f32[8,2,3]
            rhs     0:8       1:3  2:14   f32[8,3,14]
            result  0:8  1:2       2:14   f32[8,2,14]\
            """);
    Dot two = Dot.general(Dims.of(), Dims.of(0, 1), Dims.of(), Dims.of(1, 0));
    assertThat(two.explain(shape("f32[2,3]"), shape("f32[3,2]")))
        .isEqualTo(
            """
            result[] = sum over k0, k1 of lhs[k0, k1] * rhs[k1, k0]
                     k0   k1
            lhs     0:2  1:3   f32[2,3]
            rhs     1:2  0:3   f32[3,2]
            result             f32[]\
            """);
    Dot none = Dot.general(Dims.of(), Dims.of(), Dims.of(), Dims.of());
    assertThat(none.explain(shape("f32[2]"), shape("f32[3]")))
        .startsWith("result[i, j] = lhs[i] * rhs[j]\n");
  }

  /** The last branch is that of all other indices. */
  @ParameterizedTest
  @CsvSource({
    "pred, 1, 2, 0",
    "pred, 0, 2, 1",
    "s32, 0, 3, 0",
    "s32, 2, 3, 2",
    "s32, 3, 3, 2",
    "s32, -1, 3, 2"
  })
  void branchOfAConditional(String type, long index, int branches, int branch) {
    Conditional conditional = new Conditional(type.equals("pred") ? PRED : S32);
    assertThat(conditional.branch(index, branches)).isEqualTo(branch);
  }

  @ParameterizedTest
  @CsvSource({
    "c64, f64, c64",
    "f64, c64, c64",
    "f32, s64, f32",
    "s64, f32, f32",
    "f32, f64, f64",
    "bf16, f16, bf16",
    "s8, u16, u16",
    "s32, u32, s32",
    "u32, s32, s32",
    "s8, s8, s8"
  })
  void typeOfAProduct(String lhs, String rhs, String product) {
    assertThat(ProductType.of(shape(lhs + "[]"), shape(rhs + "[]"), Optional.empty()).toString())
        .isEqualTo(product);
  }

  @ParameterizedTest
  @CsvSource({"f64, f64", "bf16, bf16", "f8e5m2, f16", "f4e2m1fn, f16", "f8e8m0fnu, f32"})
  void typeThatReducesPrecision(String type, String computed) {
    assertThat(ReducePrecision.computedIn(ElementType.named(type).orElseThrow()).toString())
        .isEqualTo(computed);
  }

  @ParameterizedTest
  @CsvSource({"FFT, false", "IFFT, true", "RFFT, false", "IRFFT, true"})
  void inverseTransforms(Fft.FftType type, boolean isInverse) {
    assertThat(type.isInverse()).isEqualTo(isInverse);
  }

  @Test
  void lengthsOfTransforms() {
    Fft fft = new Fft(Fft.FftType.FFT, Dims.of(4, 5));
    assertThat(fft.hasLengthsOf(Dims.of(2, 4, 5))).isTrue();
    assertThat(fft.hasLengthsOf(Dims.of(2, 5, 4))).isFalse();
    Fft ofReals = new Fft(Fft.FftType.RFFT, Dims.of(3));
    assertThat(ofReals.infer(shape("f32[<=2,3]"))).isEqualTo(shape("c64[<=2,2]"));
  }

  @Test
  void kinds() {
    Elementwise add = new Elementwise(Kind.ADD);
    assertThat(add).isEqualTo(new Elementwise(Kind.ADD));
    assertThat(add).isNotEqualTo(new Elementwise(Kind.AND));
    assertThat(add.toString()).isEqualTo("add");
    assertThat(Kind.ADD.isTranscendental()).isFalse();
    assertThat(Kind.TANH.isTranscendental()).isTrue();
  }

  @Test
  void dimensionAndGroups() {
    assertThat(new GetDimensionSize(Dims.of(1)).dimension()).isEqualTo(1);
    assertThat(ReplicaGroups.of(new long[] {0, 1, 2}, new long[] {3}).idCount()).isEqualTo(4);
  }

  @Test
  void argumentsOfTheComputationOfAScan() {
    List<Shape> operands = List.of(shape("f32[5,3]"), shape("s32[5]"), shape("f32[3]"));
    assertThat(new Scan(Dims.of(0), 1, false, false).bodyArguments(operands))
        .containsExactly(shape("f32[3]"), shape("s32[]"), shape("f32[3]"))
        .inOrder();
  }

  @Test
  void sizesOfASliceAtRunTime() {
    Operands declared = new Operands(ImmutableList.of(shape("f32[<=8]")), ImmutableList.of());
    Operands actual = new Operands(ImmutableList.of(shape("f32[5]")), ImmutableList.of());
    Slice slice = Slice.of(Dims.of(2), Dims.of(8), Dims.of(1)).atSizes(declared, actual);
    assertThat(slice.infer(shape("f32[5]"))).isEqualTo(Shape.of(F32, 3));
  }
}
