package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Pooling;
import org.hlo4j.builder.lib.nn.Layers;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * What refusals offer to those who come from NumPy, JAX or another library: the first line of the
 * message, and {@code fits}. {@link RefusalsTest} has the lines between.
 */
final class OffersTest {
  private final XlaBuilder b = new XlaBuilder("t");
  private int parameters;

  private XlaOp op(ElementType type, long... sizes) {
    return b.parameter(
        parameters, Shape.of(type, sizes), "xyz".substring(parameters, ++parameters));
  }

  private static void refused(String first, Executable call) {
    refused(first, "", call);
  }

  private static void refused(String first, String fits, Executable call) {
    HloException refusal = assertThrows(HloException.class, call);
    List<String> lines = refusal.getMessage().lines().toList();
    assertThat(lines.get(0)).isEqualTo(first);
    List<String> offers = lines.stream().filter(line -> line.startsWith("  fits: ")).toList();
    assertThat(offers).isEqualTo(fits.isEmpty() ? List.of() : List.of("  fits: " + fits));
    assertThat(lines.get(lines.size() - 1)).startsWith("  at OffersTest.java:");
  }

  // Sizes.

  @Test
  void reshapeToASizeThatIsInferred() {
    XlaOp x = op(F32, 2, 3);
    refused(
        "reshape: size of dimension 0 got -1, want at least 0", "reshape(6)", () -> x.reshape(-1));
    refused(
        "reshape: size of dimension 1 got -1, want at least 0",
        "reshape(3, 2)",
        () -> x.reshape(3, -1));
    refused("reshape: size of dimension 0 got -1, want at least 0", () -> x.reshape(-1, 4));
    refused("reshape: size of dimension 0 got -1, want at least 0", () -> x.reshape(-1, -1));
    refused("reshape: size of dimension 0 got -1, want at least 0", () -> x.reshape(-1, 0));
    refused("reshape: size of dimension 0 got -2, want at least 0", () -> x.reshape(-2, 3));
    refused(
        "reshape: size of dimension 0 got -1, want at least 0",
        () -> x.reshape(-1, 1L << 40, 1L << 40));
    XlaOp none = op(F32, 0, 3);
    refused(
        "reshape: size of dimension 0 got -1, want at least 0",
        "reshape(0, 3)",
        () -> none.reshape(-1, 3));
  }

  @Test
  void operandsInAnotherOrder() {
    XlaOp x = op(F32, 2, 3);
    XlaOp y = op(F32, 3, 2);
    XlaOp z = op(F32, 4, 2);
    refused(
        "add: cannot broadcast y onto x: dimension 0 of y has size 3, dimension 0 of x has size 2,"
            + " want equal sizes or 1 [broadcast B9]",
        "transpose y by (1, 0)",
        () -> x.add(y));
    refused(
        "add: cannot broadcast z onto x: dimension 0 of z has size 4, dimension 0 of x has size 2,"
            + " want equal sizes or 1 [broadcast B9]",
        () -> x.add(z));
  }

  // Products.

  @Test
  void productsOfManyMatrices() {
    XlaOp x = op(F32, 5, 2, 3);
    XlaOp y = op(F32, 5, 3, 4);
    XlaOp z = op(F32, 3, 4);
    refused(
        "dot: rank of x got 3, want 1 or 2",
        "x.matmul(y), Einsum.einsum(x, y, \"...ij,...jk->...ik\") or x.dotGeneral(y,"
            + " Dot.batchMatmul(3))",
        () -> x.dot(y));
    refused(
        "dot: rank of x got 3, want 1 or 2",
        "x.matmul(z), Einsum.einsum(x, z, \"...ij,...jk->...ik\")",
        () -> x.dot(z));
    refused("dot: rank of x got 3, want 1 or 2", () -> z.dot(x));
    refused(
        "matmul: x got f32[5,2,3], y got f32[5,2,3], want 3 and 2 equal, the columns of x and the"
            + " rows of y",
        () -> x.matmul(x));
  }

  @Test
  void aMatrixTransposed() {
    XlaOp x = op(F32, 2, 3);
    XlaOp y = op(F32, 4, 3);
    refused(
        "dot: contracting dimension 1 of lhs f32[2,3] has size 3, dimension 0 of rhs f32[4,3] has"
            + " size 4, want equal [dot_general C10]",
        "x.dot(y.transpose(1, 0))",
        () -> x.dot(y));
    XlaOp z = op(F32, 5, 5);
    refused(
        "dot: contracting dimension 1 of lhs f32[2,3] has size 3, dimension 0 of rhs f32[5,5] has"
            + " size 5, want equal [dot_general C10]",
        () -> x.dot(z));
  }

  // Windows.

  @Test
  void aWindowOfTheImageOnly() {
    XlaOp x = op(F32, 1, 6, 6, 4);
    Window window = Window.of(2, 2).withStrides(2, 2);
    refused(
        "reduce-window: window got 2 dimensions, want 4, as many as f32[1,6,6,4]: {size=2x2"
            + " stride=2x2} [reduce_window C4]",
        "Window.of(1, 2, 2, 1).withStrides(1, 2, 2, 1) with the features last (NHWC),"
            + " Window.of(1, 1, 2, 2).withStrides(1, 1, 2, 2) with the features first (NCHW)",
        () -> Pooling.maxPool(x, window));
    refused(
        "reduce-window: window got 2 dimensions, want 4, as many as f32[1,6,6,4]: {size=2x3"
            + " pad=0_1x1_1 rhs_dilate=1x2} [reduce_window C4]",
        "Window.of(1, 2, 3, 1).withPadding(Dims.of(0, 0, 1, 0), Dims.of(0, 1, 1, 0))"
            + ".withWindowDilation(1, 1, 2, 1) with the features last (NHWC), Window.of(1, 1, 2, 3)"
            + ".withPadding(Dims.of(0, 0, 0, 1), Dims.of(0, 0, 1, 1)).withWindowDilation(1, 1, 1,"
            + " 2) with the features first (NCHW)",
        () ->
            x.reduceWindow(
                b.constant(0f),
                XlaOp::add,
                Window.of(2, 3)
                    .withPadding(Dims.of(0, 1), Dims.of(1, 1))
                    .withWindowDilation(1, 2)));
    refused(
        "reduce-window: window got 3 dimensions, want 4, as many as f32[1,6,6,4]: {size=2x2x1}"
            + " [reduce_window C4]",
        () -> Pooling.maxPool(x, Window.of(2, 2, 1)));
  }

  @Test
  void aWindowOverAnImageWithoutABatch() {
    XlaOp x = op(F32, 6, 6, 4);
    refused(
        "reduce-window: window got 2 dimensions, want 3, as many as f32[6,6,4]: {size=2x2}"
            + " [reduce_window C4]",
        "Window.of(2, 2, 1) with the features last, Window.of(1, 2, 2) with the features first",
        () -> Pooling.maxPool(x, Window.of(2, 2)));
    XlaOp y = op(F32, 1, 6, 4);
    refused(
        "reduce-window: window got 1 dimensions, want 3, as many as f32[1,6,4]: {size=2}"
            + " [reduce_window C4]",
        "Window.of(1, 2, 1) with the features last, Window.of(1, 1, 2) with the features first",
        () -> Pooling.maxPool(y, Window.of(2)));
  }

  @Test
  void aWindowWithDimensionsTooMany() {
    XlaOp x = op(F32, 1, 6, 6, 4);
    XlaOp y = op(F32, 2, 2, 4, 8);
    refused(
        "convolution: window got 4 dimensions, want 2, as many as f32[6,6]: {size=1x2x2x1"
            + " stride=1x2x2x1} [convolution C2]",
        "Window.of(2, 2).withStrides(2, 2)",
        () -> x.conv(y, Window.of(1, 2, 2, 1).withStrides(1, 2, 2, 1), "b01f_01io->b01f"));
    refused(
        "convolution: window got 3 dimensions, want 2, as many as f32[6,6]: {size=2x2x2}"
            + " [convolution C2]",
        () -> x.conv(y, Window.of(2, 2, 2), "b01f_01io->b01f"));
    refused(
        "convolution: window got 1 dimensions, want 2, as many as f32[6,6]: {size=2}"
            + " [convolution C2]",
        () -> x.conv(y, Window.of(2), "b01f_01io->b01f"));
    refused(
        "convolution: input spatial dimensions got 4 of bf0123_oi0123->bf0123, want 2: rank 4 less"
            + " batch and feature [convolution C12]",
        "Window.of(2, 2)",
        () -> x.conv(y, Window.of(1, 2, 2, 1)));
  }

  @Test
  void layoutsAsOtherLibrariesNameThem() {
    assertLabels("NHWC_HWIO->NHWC got NHWC, want b in it once", "b01f_01io->b01f");
    assertLabels("nchw_oihw->nchw got nchw, want b in it once", "bf01_oi01->bf01");
    assertLabels("NWC_WIO->NWC got NWC, want b in it once", "b0f_0io->b0f");
    assertLabels("NDHWC_DHWIO->NDHWC got NDHWC, want b in it once", "b012f_012io->b012f");
    assertLabels(
        "got (NHWC, HWIO, NHWC), want lhs_rhs->result, such as b01f_01io->b01f", "b01f_01io->b01f");
    assertLabels("got NHWC, want lhs_rhs->result, such as b01f_01io->b01f", "b01f_01io->b01f");
    assertLabels("got NCHW, want lhs_rhs->result, such as b01f_01io->b01f", "bf01_oi01->bf01");
    assertLabels("got HWCN, want lhs_rhs->result, such as b01f_01io->b01f", "01fb_oi01->01fb");
    assertLabels("b01_01io->b01f got b01, want f in it once", "");
    assertLabels("NHWC_HWIO->NHW got NHWC, want b in it once", "");
    assertLabels("got same, want lhs_rhs->result, such as b01f_01io->b01f", "");
  }

  private static void assertLabels(String first, String fits) {
    XlaBuilder b = new XlaBuilder("t");
    XlaOp x = b.parameter(0, Shape.of(F32, 1, 6, 6, 4), "x");
    XlaOp y = b.parameter(1, Shape.of(F32, 2, 2, 4, 8), "y");
    String labels = first.replaceFirst("^got (.*?), want .*| got .*", "$1");
    refused(
        "dim_labels: " + first,
        fits.isEmpty() ? "" : '"' + fits + '"',
        () -> x.conv(y, Window.of(2, 2), labels));
  }

  // Element types.

  @Test
  void indicesThatAreFloats() {
    XlaOp x = op(F32, 2, 3);
    XlaOp y = op(F32, 2);
    refused(
        "gather: start_indices got f32[2], want integers",
        "convertElementType(S32) of start_indices",
        () -> Layers.embedding(x, y));
    refused(
        "oneHot: indices got f32[2], want integers",
        "y.convertElementType(S32)",
        () -> Layers.oneHot(y, 3, F32, -1));
    XlaOp z = op(F32);
    refused(
        "dynamic-slice: start index 0 got f32[], want an integer scalar [dynamic_slice C3]",
        "convertElementType(S32) of start index 0",
        () -> x.dynamicSlice(List.of(z, z), 1, 1));
    refused(
        "dynamic-update-slice: start index 1 got s8[], want s32[] as start index 0"
            + " [dynamic_update_slice C5]",
        "convertElementType(S32) of start index 1",
        () -> x.dynamicUpdateSlice(x, b.constant(0), b.constant((byte) 0)));
    refused(
        "dynamic-slice: start index 0 got f32[2], want an integer scalar [dynamic_slice C3]",
        () -> x.dynamicSlice(List.of(y, y), 1, 1));
  }

  @Test
  void initialValuesOfAnotherType() {
    assertInit(F32, S32, "constant(0f) or another constant of its type, or ");
    assertInit(F64, F32, "constant(0.0) or another constant of its type, or ");
    assertInit(S32, F32, "constant(0) or another constant of its type, or ");
    assertInit(S8, S32, "constant((byte) 0) or another constant of its type, or ");
    assertInit(PRED, S32, "constant(false) or another constant of its type, or ");
    assertInit(C64, F32, "");
    assertInit(BF16, F32, "");
  }

  private static void assertInit(ElementType type, ElementType init, String constant) {
    XlaBuilder b = new XlaBuilder("t");
    XlaOp x = b.parameter(0, Shape.of(type, 2), "x");
    XlaOp y = b.parameter(1, Shape.of(init), "y");
    String want = Shape.of(init) + ", want " + Shape.of(type) + " as the elements of ";
    String fits = constant + "convertElementType(" + type.name() + ") of ";
    refused(
        "reduce: init_value 0 got " + want + "input 0 [reduce C2]",
        fits + "init_value 0",
        () -> x.reduce(y, XlaOp::add, 0));
    refused(
        "reduce-window: init_value 0 got " + want + "input 0 [reduce_window C3]",
        fits + "init_value 0",
        () -> x.reduceWindow(y, XlaOp::add, Window.of(2)));
    refused(
        "pad: padding_value got " + want + "the operand [pad C1]",
        fits + "padding_value",
        () -> x.padInDim(y, 0, 1, 1));
  }

  @Test
  void noConversionDropsTheImaginaryPart() {
    XlaOp x = op(F32, 2);
    XlaOp y = op(C64);
    refused(
        "reduce: init_value 0 got c64[], want f32[] as the elements of input 0 [reduce C2]",
        () -> x.reduce(y, XlaOp::add, 0));
    refused(
        "reduce: init_value 0 got f32[2], want f32[] as the elements of input 0 [reduce C2]",
        () -> x.reduce(x, XlaOp::add, 0));
  }

  @Test
  void operandsOfOtherElementTypes() {
    XlaOp x = op(F32, 2);
    XlaOp y = op(S32, 2);
    refused(
        "select: on_true got f32[2] and on_false got s32[2], want the same shape [select C2]",
        "convertElementType(F32) of on_false",
        () -> x.gt(0).select(x, y));
    refused(
        "select: element type of pred got s32, want pred [select C1]",
        "convertElementType(PRED) of pred",
        () -> y.select(x, x));
    refused(
        "clamp: element types of min, operand and max got s32, f32 and s32, want the same [clamp"
            + " C3]",
        "convertElementType(F32) of min and convertElementType(F32) of max",
        () -> x.clamp(b.constant(0), b.constant(1)));
    refused(
        "clamp: element types of min, operand and max got f32, f32 and s32, want the same [clamp"
            + " C3]",
        "convertElementType(F32) of max",
        () -> x.clamp(b.constant(0f), b.constant(1)));
    refused(
        "concatenate: element type of operand 1 got s32, want f32 as operand 0 [concatenate C1]",
        "convertElementType(F32) of operand 1",
        () -> b.concatInDim(List.of(x, y), 0));
    refused(
        "dynamic-update-slice: element type of the update got s32, want f32 as the operand"
            + " [dynamic_update_slice C2]",
        "convertElementType(F32) of update",
        () -> x.dynamicUpdateSlice(y, b.constant(0)));
    XlaOp z = op(F64);
    refused(
        "conditional: index got f64[], want s32[]",
        "constant(0) or another constant of its type, or convertElementType(S32) of index",
        () -> b.conditional(z, List.of(v -> v, v -> v), List.of(x, x)));
  }

  @Test
  void resultsOfComputations() {
    XlaOp x = op(F32, 2);
    refused(
        "reduce: result of to_apply got pred[], want f32[] [reduce C6]",
        "max or min as the result, or a select by the comparison",
        () -> x.reduce(b.constant(0f), XlaOp::lt, 0));
    refused(
        "while: result of condition got s32[], want pred[] [while C1]",
        "a comparison as the result, such as lt or ne",
        () -> b.whileLoop(b.constant(1), i -> i, i -> i));
    refused(
        "while: result of body got f32[], want s32[] [while C2]",
        "convertElementType(S32) of the result",
        () -> b.whileLoop(b.constant(1), i -> i.lt(3), i -> i.convertElementType(F32).mul(2.0)));
    XlaOp state = b.tuple(b.constant(0), b.constant(1f), b.constant(1f));
    refused(
        "while: result of body got (s32[], f64[], s32[]), want (s32[], f32[], f32[]) [while C2]",
        "convertElementType(F32) of element 1 of the result and convertElementType(F32) of element"
            + " 2 of the result",
        () ->
            b.whileLoop(
                state,
                s -> s.getTupleElement(0).lt(3),
                s -> {
                  XlaOp i = s.getTupleElement(0);
                  return s.builder().tuple(i, i.convertElementType(F64), i);
                }));
    refused(
        "while: result of body got (s32[]), want (s32[], f32[], f32[]) [while C2]",
        () ->
            b.whileLoop(
                state,
                s -> s.getTupleElement(0).lt(3),
                s -> s.builder().tuple(s.getTupleElement(0))));
  }

  // NumPy's ranges.

  @Test
  void ranges() {
    XlaOp x = op(F32, 4, 3);
    refused("slice: step got 0 in \"1:2:0\", want another number", () -> x.slice("1:2:0"));
    refused(
        "slice: range got \"a\" in \"0, a\", want such as 1:3, ::2, -1, : or ...",
        () -> x.slice("0, a"));
    refused(
        "slice: range got \"\" in \", 1\", want such as 1:3, ::2, -1, : or ...",
        () -> x.slice(", 1"));
    refused(
        "slice: range got \"99999999999999999999\" in \"99999999999999999999\", want such as 1:3,"
            + " ::2, -1, : or ...",
        () -> x.slice("99999999999999999999"));
    refused(
        "slice: index got 4 in \"4\", want from -4 to 3, for dimension 0 of f32[4,3]",
        () -> x.slice("4"));
    refused(
        "slice: ranges got \":, :, 0\", want at most 2, one for each dimension of f32[4,3], and ..."
            + " once",
        () -> x.slice(":, :, 0"));
    refused(
        "slice: ranges got \"..., ...\", want at most 2, one for each dimension of f32[4,3], and"
            + " ... once",
        () -> x.slice("..., ..."));
  }
}
