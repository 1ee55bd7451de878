package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** The instructions that XlaBuilder emits for broadcasts, constants, names and regions. */
final class EmissionTest {
  private final XlaBuilder b = new XlaBuilder("m");

  private XlaOp parameter(int number, long... sizes) {
    return b.parameter(number, Shape.of(F32, sizes), number == 0 ? "x" : "y");
  }

  /** The entry's instructions, one per line, without parameters and metadata. */
  private String emitted() {
    HloModule module = b.build();
    Verifier.strict().verify(module);
    String text = Printer.print(module, PrintOptions.SHORT);
    return text.substring(text.indexOf("ENTRY"))
        .lines()
        .filter(line -> line.startsWith("  ") && !line.contains(" parameter("))
        .map(line -> line.substring(2) + "\n")
        .reduce("", String::concat);
  }

  @Test
  void scalarOperand() {
    parameter(0, 2, 3).add(parameter(1));
    assertThat(emitted())
        .isEqualTo(
            """
            broadcast = f32[2,3] broadcast(y), dimensions={}
            ROOT add = f32[2,3] add(x, broadcast)
            """);
  }

  @Test
  void lowerRankOperand() {
    parameter(0, 2, 3).add(parameter(1, 3), broadcastDimensions(1));
    assertThat(emitted())
        .isEqualTo(
            """
            broadcast = f32[2,3] broadcast(y), dimensions={1}
            ROOT add = f32[2,3] add(x, broadcast)
            """);
  }

  @Test
  void degenerateDimension() {
    parameter(0, 2, 1).add(parameter(1, 2, 3));
    assertThat(emitted())
        .isEqualTo(
            """
            reshape = f32[2] reshape(x)
            broadcast = f32[2,3] broadcast(reshape), dimensions={0}
            ROOT add = f32[2,3] add(broadcast, y)
            """);
  }

  @Test
  void bothOperandsDegenerate() {
    parameter(0, 2, 1).sub(parameter(1, 1, 3));
    assertThat(emitted())
        .isEqualTo(
            """
            reshape = f32[2] reshape(x)
            broadcast = f32[2,3] broadcast(reshape), dimensions={0}
            reshape.1 = f32[3] reshape(y)
            broadcast.1 = f32[2,3] broadcast(reshape.1), dimensions={1}
            ROOT subtract = f32[2,3] subtract(broadcast, broadcast.1)
            """);
  }

  @Test
  void lowerRankAndDegenerateOther() {
    parameter(0, 4).add(parameter(1, 1, 2), broadcastDimensions(0));
    assertThat(emitted())
        .isEqualTo(
            """
            broadcast = f32[4,2] broadcast(x), dimensions={0}
            reshape = f32[2] reshape(y)
            broadcast.1 = f32[4,2] broadcast(reshape), dimensions={1}
            ROOT add = f32[4,2] add(broadcast, broadcast.1)
            """);
  }

  @Test
  void lowerRankAndDegenerateSame() {
    parameter(0, 1).add(parameter(1, 2, 2), broadcastDimensions(1));
    assertThat(emitted())
        .isEqualTo(
            """
            broadcast = f32[2,1] broadcast(x), dimensions={1}
            reshape = f32[2] reshape(broadcast)
            broadcast.1 = f32[2,2] broadcast(reshape), dimensions={0}
            ROOT add = f32[2,2] add(broadcast.1, y)
            """);
  }

  @Test
  void equalShapesNeedNoBroadcast() {
    XlaOp x = parameter(0, 2, 3);
    x.add(x);
    assertThat(emitted()).isEqualTo("ROOT add = f32[2,3] add(x, x)\n");
  }

  @Test
  void compareBroadcastsLikeArithmetic() {
    parameter(0, 2, 3).ltTotalOrder(parameter(1));
    assertThat(emitted())
        .isEqualTo(
            """
            broadcast = f32[2,3] broadcast(y), dimensions={}
            ROOT compare = pred[2,3] compare(x, broadcast), direction=LT, type=TOTALORDER
            """);
  }

  @Test
  void broadcastInDimExpandsSizeOne() {
    parameter(0, 1, 3).broadcastInDim(Dims.of(2, 4, 3), Dims.of(1, 2));
    assertThat(emitted())
        .isEqualTo(
            """
            broadcast = f32[2,1,3] broadcast(x), dimensions={1,2}
            reshape = f32[2,3] reshape(broadcast)
            ROOT broadcast.1 = f32[2,4,3] broadcast(reshape), dimensions={0,2}
            """);
  }

  @Test
  void selectAndClampBroadcastScalars() {
    XlaOp x = parameter(0, 2);
    b.parameter(1, Shape.of(PRED), "p").select(x, x.clamp(b.constant(0f), x));
    assertThat(emitted())
        .isEqualTo(
            """
            constant = f32[] constant(0)
            broadcast = f32[2] broadcast(constant), dimensions={}
            clamp = f32[2] clamp(broadcast, x, x)
            broadcast.1 = pred[2] broadcast(p), dimensions={}
            ROOT select = f32[2] select(broadcast.1, x, clamp)
            """);
  }

  @Test
  void boundedSizesStayBounded() {
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 2).withDynamic(List.of(0, 1)), "x");
    x.add(b.constant(1f));
    assertThat(emitted())
        .isEqualTo(
            """
            constant = f32[] constant(1)
            broadcast = f32[2,2] broadcast(constant), dimensions={}
            ROOT add = f32[<=2,<=2] add(x, broadcast)
            """);
  }

  @Test
  void uniformConstantsAreBroadcast() {
    b.constant(new float[][] {{1, 1, 1}, {1, 1, 1}});
    assertThat(emitted())
        .isEqualTo(
            """
            constant = f32[] constant(1)
            ROOT broadcast = f32[2,3] broadcast(constant), dimensions={}
            """);
  }

  @Test
  void otherConstantsAreNotBroadcast() {
    b.tuple(
        b.constant(new float[] {1}),
        b.constant(new float[] {0f, -0f}),
        b.constant(new float[0]),
        b.constant(ElementType.BF16, 1.5),
        b.zeros(Shape.of(F32)));
    assertThat(emitted())
        .isEqualTo(
            """
            constant = f32[1] constant({1})
            constant.1 = f32[2] constant({0, -0.0})
            constant.2 = f32[0] constant({})
            constant.3 = bf16[] constant(1.5)
            constant.4 = f32[] constant(0)
            ROOT tuple = (f32[1], f32[2], f32[0], bf16[], f32[]) tuple(constant, constant.1, constant.2, constant.3, constant.4)
            """);
  }

  @Test
  void shapeOps() {
    XlaOp x = parameter(0, 2, 3, 4);
    b.tuple(x.collapse(1, 2), x.transpose(2, 0, 1), x.reshape(6, 4), x.broadcast(5), x.collapse(1));
    assertThat(emitted())
        .isEqualTo(
            """
            reshape = f32[2,12] reshape(x)
            transpose = f32[4,2,3] transpose(x), dimensions={2,0,1}
            reshape.1 = f32[6,4] reshape(x)
            broadcast = f32[5,2,3,4] broadcast(x), dimensions={1,2,3}
            ROOT tuple = (f32[2,12], f32[4,2,3], f32[6,4], f32[5,2,3,4], f32[2,3,4]) tuple(reshape, transpose, reshape.1, broadcast, x)
            """);
  }

  @Test
  void namesAreUniqueAndSanitized() {
    b.tuple(
        b.parameter(0, Shape.of(F32), "my weight"),
        b.parameter(1, Shape.of(F32), "2nd"),
        b.parameter(2, Shape.of(F32), "2nd"));
    HloModule module = b.build();
    assertThat(module.entry().instructions().stream().map(i -> i.name()))
        .containsExactly("my_weight", "_2nd", "_2nd.1", "tuple")
        .inOrder();
  }

  @Test
  void importedComputationIsSharedAndRenamed() {
    XlaBuilder other = new XlaBuilder("square");
    XlaOp x = other.parameter(0, Shape.of(F32), "x");
    HloComputation square = other.buildComputation(x.mul(x));
    XlaOp mine = parameter(0);
    b.call(square, b.call(square, mine));
    HloModule module = b.build();
    Verifier.strict().verify(module);
    assertThat(Printer.print(module, PrintOptions.SHORT))
        .isEqualTo(
            """
            HloModule m, entry_computation_layout={(f32[])->f32[]}

            square {
              x.1 = f32[] parameter(0)
              ROOT multiply = f32[] multiply(x.1, x.1)
            }

            ENTRY m {
              x = f32[] parameter(0)
              call = f32[] call(x), to_apply=square
              ROOT call.1 = f32[] call(call), to_apply=square
            }
            """);
  }
}
