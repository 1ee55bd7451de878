package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.broadcast.BroadcastMode.BIDIRECTIONAL;
import static org.hlo4j.builder.broadcast.BroadcastMode.EXPLICIT;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.byName;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.explicit;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.none;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;

import java.util.Optional;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.junit.jupiter.api.Test;

/** Lowering of broadcasting policies to reshape, broadcast and transpose instructions. */
final class PolicyLoweringTest {
  private final XlaBuilder b = new XlaBuilder("t");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
  private final XlaOp row = b.parameter(1, Shape.of(F32, 3), "row");
  private final XlaOp column = b.parameter(2, Shape.of(F32, 2, 1), "column");
  private final XlaOp scalar = b.parameter(3, Shape.of(F32), "scalar");
  private static final String PARAMETERS =
      """
      ENTRY t {
        x = f32[2,3] parameter(0)
        row = f32[3] parameter(1)
        column = f32[2,1] parameter(2)
        scalar = f32[] parameter(3)
      """;

  private void lowersTo(String instructions) {
    assertThat(Texts.built(b)).isEqualTo(PARAMETERS + instructions + "}\n");
  }

  @Test
  void equalShapesNeedNoInstruction() {
    x.add(x, numpy()).sub(x, pdpd(0)).mul(x, none()).div(x, explicit());
    lowersTo(
        """
          add = f32[2,3] add(x, x)
          subtract = f32[2,3] subtract(add, x)
          multiply = f32[2,3] multiply(subtract, x)
          ROOT divide = f32[2,3] divide(multiply, x)
        """);
  }

  @Test
  void lowerRankNeedsBroadcast() {
    row.sub(x, numpy());
    lowersTo(
        """
          broadcast = f32[2,3] broadcast(row), dimensions={1}
          ROOT subtract = f32[2,3] subtract(broadcast, x)
        """);
  }

  @Test
  void scalarNeedsBroadcast() {
    scalar.pow(x, numpy());
    lowersTo(
        """
          broadcast = f32[2,3] broadcast(scalar), dimensions={}
          ROOT power = f32[2,3] power(broadcast, x)
        """);
  }

  @Test
  void sizeOneNeedsReshapeAndBroadcast() {
    x.max(column, numpy());
    lowersTo(
        """
          reshape = f32[2] reshape(column)
          broadcast = f32[2,3] broadcast(reshape), dimensions={0}
          ROOT maximum = f32[2,3] maximum(x, broadcast)
        """);
  }

  @Test
  void outerOperationBroadcastsBothOperands() {
    column.add(row, numpy());
    lowersTo(
        """
          reshape = f32[2] reshape(column)
          broadcast = f32[2,3] broadcast(reshape), dimensions={0}
          broadcast.1 = f32[2,3] broadcast(row), dimensions={1}
          ROOT add = f32[2,3] add(broadcast, broadcast.1)
        """);
  }

  @Test
  void pdpdDropsTrailingOnes() {
    x.add(column.reshape(2, 1), pdpd(0));
    lowersTo(
        """
          reshape = f32[2,1] reshape(column)
          reshape.1 = f32[2] reshape(reshape)
          broadcast = f32[2,3] broadcast(reshape.1), dimensions={0}
          ROOT add = f32[2,3] add(x, broadcast)
        """);
  }

  @Test
  void pdpdDropsOnesBeyondTheTarget() {
    x.add(row.reshape(3, 1), pdpd(1));
    lowersTo(
        """
          reshape = f32[3,1] reshape(row)
          reshape.1 = f32[3] reshape(reshape)
          broadcast = f32[2,3] broadcast(reshape.1), dimensions={1}
          ROOT add = f32[2,3] add(x, broadcast)
        """);
  }

  @Test
  void explicitMapsTheOperandsOfLowerRank() {
    XlaOp pred = b.parameter(4, Shape.of(PRED, 2), "pred");
    pred.select(x, scalar, explicit(0)).clamp(scalar, x, explicit());
    lowersTo(
        """
          pred = pred[2] parameter(4)
          broadcast = pred[2,3] broadcast(pred), dimensions={0}
          broadcast.1 = f32[2,3] broadcast(scalar), dimensions={}
          select = f32[2,3] select(broadcast, x, broadcast.1)
          broadcast.2 = f32[2,3] broadcast(scalar), dimensions={}
          ROOT clamp = f32[2,3] clamp(broadcast.2, select, x)
        """);
  }

  @Test
  void explicitExpandsSizeOneInOneBroadcast() {
    b.parameter(4, Shape.of(F32, 4, 2, 3), "cube").add(column, explicit(1, 2));
    lowersTo(
        """
          cube = f32[4,2,3] parameter(4)
          reshape = f32[2] reshape(column)
          broadcast = f32[4,2,3] broadcast(reshape), dimensions={1}
          ROOT add = f32[4,2,3] add(cube, broadcast)
        """);
  }

  @Test
  void byNameTransposesPermutedNames() {
    XlaOp square = b.parameter(4, Shape.of(F32, 3, 2), "square");
    x.named("batch", "features").add(square.named("features", "batch"), byName());
    lowersTo(
        """
          square = f32[3,2] parameter(4)
          transpose = f32[2,3] transpose(square), dimensions={1,0}
          ROOT add = f32[2,3] add(x, transpose)
        """);
  }

  @Test
  void byNameTransposesOfEqualSizes() {
    XlaOp square = b.parameter(4, Shape.of(F32, 3, 3), "square");
    square.named("a", "b").add(square.named("b", "a"), byName());
    lowersTo(
        """
          square = f32[3,3] parameter(4)
          transpose = f32[3,3] transpose(square), dimensions={1,0}
          ROOT add = f32[3,3] add(square, transpose)
        """);
  }

  @Test
  void byNameTakesEqualShapesWithoutNames() {
    x.add(x, byName());
    lowersTo(
        """
          ROOT add = f32[2,3] add(x, x)
        """);
  }

  @Test
  void byNameBroadcastsMissingNames() {
    row.named("features").mul(scalar.named(), byName());
    column.reshape(2).named("batch").mul(row.named("features"), byName());
    lowersTo(
        """
          broadcast = f32[3] broadcast(scalar), dimensions={}
          multiply = f32[3] multiply(row, broadcast)
          reshape = f32[2] reshape(column)
          broadcast.1 = f32[2,3] broadcast(reshape), dimensions={0}
          broadcast.2 = f32[2,3] broadcast(row), dimensions={1}
          ROOT multiply.1 = f32[2,3] multiply(broadcast.1, broadcast.2)
        """);
  }

  @Test
  void comparisonsSelectAndClamp() {
    XlaOp pred = x.gt(row, numpy());
    pred.select(column, scalar, numpy()).clamp(scalar, row, pdpd(1));
    lowersTo(
        """
          broadcast = f32[2,3] broadcast(row), dimensions={1}
          compare = pred[2,3] compare(x, broadcast), direction=GT
          reshape = f32[2] reshape(column)
          broadcast.1 = f32[2,3] broadcast(reshape), dimensions={0}
          broadcast.2 = f32[2,3] broadcast(scalar), dimensions={}
          select = f32[2,3] select(compare, broadcast.1, broadcast.2)
          broadcast.3 = f32[2,3] broadcast(scalar), dimensions={}
          broadcast.4 = f32[2,3] broadcast(row), dimensions={1}
          ROOT clamp = f32[2,3] clamp(broadcast.3, select, broadcast.4)
        """);
  }

  @Test
  void pdpdSelectBroadcastsOntoOnTrue() {
    XlaOp pred = b.parameter(4, Shape.of(PRED, 2), "pred");
    pred.select(x, column, pdpd(0));
    lowersTo(
        """
          pred = pred[2] parameter(4)
          broadcast = pred[2,3] broadcast(pred), dimensions={0}
          reshape = f32[2] reshape(column)
          broadcast.1 = f32[2,3] broadcast(reshape), dimensions={0}
          ROOT select = f32[2,3] select(broadcast, x, broadcast.1)
        """);
  }

  @Test
  void defaultPolicyAppliesWithoutExplicitOne() {
    assertThat(b.defaultBroadcast(numpy())).isSameInstanceAs(b);
    x.add(row).lt(scalar).select(x, column);
    lowersTo(
        """
          broadcast = f32[2,3] broadcast(row), dimensions={1}
          add = f32[2,3] add(x, broadcast)
          broadcast.1 = f32[2,3] broadcast(scalar), dimensions={}
          compare = pred[2,3] compare(add, broadcast.1), direction=LT
          reshape = f32[2] reshape(column)
          broadcast.2 = f32[2,3] broadcast(reshape), dimensions={0}
          ROOT select = f32[2,3] select(compare, x, broadcast.2)
        """);
  }

  @Test
  void defaultPolicyIsInheritedAndOverridable() {
    XlaBuilder builder = new XlaBuilder("d").defaultBroadcast(pdpd(0));
    XlaOp square = builder.parameter(0, Shape.of(F32, 2, 2), "square");
    XlaOp vector = builder.parameter(1, Shape.of(F32, 2), "vector");
    builder.call("inner", (inner, p) -> p.get(0).clamp(p.get(1), p.get(1)), square, vector);
    square.add(vector, Dims.of(1)).add(vector, numpy());
    assertThat(Texts.built(builder))
        .isEqualTo(
            """
            inner {
              p0 = f32[2,2] parameter(0)
              p1 = f32[2] parameter(1)
              broadcast = f32[2,2] broadcast(p1), dimensions={0}
              broadcast.1 = f32[2,2] broadcast(p1), dimensions={0}
              ROOT clamp = f32[2,2] clamp(broadcast, p0, broadcast.1)
            }

            ENTRY d {
              square = f32[2,2] parameter(0)
              vector = f32[2] parameter(1)
              call = f32[2,2] call(square, vector), to_apply=inner
              broadcast.2 = f32[2,2] broadcast(vector), dimensions={1}
              add = f32[2,2] add(square, broadcast.2)
              broadcast.3 = f32[2,2] broadcast(vector), dimensions={1}
              ROOT add.1 = f32[2,2] add(add, broadcast.3)
            }
            """);
  }

  @Test
  void everyBinaryMethodTakesAPolicy() {
    BroadcastPolicy policy = numpy();
    XlaOp p = x.lt(row, policy);
    XlaOp i = x.convertElementType(org.hlo4j.hlo.ElementType.S32);
    XlaOp j = row.convertElementType(org.hlo4j.hlo.ElementType.S32);
    assertThat(x.atan2(row, policy).instruction().op().opcode()).isEqualTo("atan2");
    assertThat(x.complex(row, policy).instruction().op().opcode()).isEqualTo("complex");
    assertThat(x.div(row, policy).instruction().op().opcode()).isEqualTo("divide");
    assertThat(x.min(row, policy).instruction().op().opcode()).isEqualTo("minimum");
    assertThat(x.mul(row, policy).instruction().op().opcode()).isEqualTo("multiply");
    assertThat(x.rem(row, policy).instruction().op().opcode()).isEqualTo("remainder");
    assertThat(i.mulhi(j, policy).instruction().op().opcode()).isEqualTo("mulhi");
    assertThat(i.shiftLeft(j, policy).instruction().op().opcode()).isEqualTo("shift-left");
    assertThat(i.shiftRightArithmetic(j, policy).instruction().op().opcode())
        .isEqualTo("shift-right-arithmetic");
    assertThat(i.shiftRightLogical(j, policy).instruction().op().opcode())
        .isEqualTo("shift-right-logical");
    assertThat(p.and(p, policy).instruction().op().opcode()).isEqualTo("and");
    assertThat(p.or(p, policy).instruction().op().opcode()).isEqualTo("or");
    assertThat(p.xor(p, policy).instruction().op().opcode()).isEqualTo("xor");
  }

  @Test
  void everyComparisonTakesAPolicy() {
    BroadcastPolicy policy = numpy();
    assertThat(x.eq(row, policy).instruction().op().toString()).contains("EQ");
    assertThat(x.ne(row, policy).instruction().op().toString()).contains("NE");
    assertThat(x.ge(row, policy).instruction().op().toString()).contains("GE");
    assertThat(x.le(row, policy).instruction().op().toString()).contains("LE");
    assertThat(x.eqTotalOrder(row, policy).instruction().op().toString()).contains("TOTALORDER");
    assertThat(x.neTotalOrder(row, policy).instruction().op().toString()).contains("NE");
    assertThat(x.geTotalOrder(row, policy).instruction().op().toString()).contains("GE");
    assertThat(x.gtTotalOrder(row, policy).instruction().op().toString()).contains("GT");
    assertThat(x.leTotalOrder(row, policy).instruction().op().toString()).contains("LE");
    assertThat(x.ltTotalOrder(row, policy).instruction().op().toString()).contains("LT");
    XlaOp compare = x.compare(row, Direction.LT, Optional.of(Compare.Type.TOTALORDER), policy);
    assertThat(compare.shape()).isEqualTo(Shape.of(PRED, 2, 3));
  }

  @Test
  void broadcastsToTargetShapes() {
    Broadcasts.broadcast1(row, Dims.of(2, 3));
    Broadcasts.broadcast1(row, Dims.of(3, 2), EXPLICIT, Dims.of(0));
    Broadcasts.broadcast3(column, Dims.of(3), BIDIRECTIONAL);
    Broadcasts.broadcast3(x, Dims.of(2, 3));
    Broadcasts.broadcast3(scalar, Dims.of(1, 2), EXPLICIT, Dims.of(0));
    Broadcasts.broadcastTo(column, 0, 2, 1);
    Broadcasts.expand(x, 1);
    lowersTo(
        """
          broadcast = f32[2,3] broadcast(row), dimensions={1}
          broadcast.1 = f32[3,2] broadcast(row), dimensions={0}
          reshape = f32[2] reshape(column)
          broadcast.2 = f32[2,3] broadcast(reshape), dimensions={0}
          broadcast.3 = f32[1,2] broadcast(scalar), dimensions={}
          ROOT broadcast.4 = f32[0,2,1] broadcast(column), dimensions={1,2}
        """);
  }
}
