package org.hlo4j.interpreter.bounded;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.hlo4j.builder.CustomCallOptions;
import org.hlo4j.builder.Participants;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ConformanceRows;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shapes that say bounds in place of sizes, on one device and on several. */
final class BoundedShapesTest {
  private static ConformanceRows rows() throws IOException, URISyntaxException {
    URL file = BoundedShapesTest.class.getResource("/bounded-shapes.rows");
    return ConformanceRows.read(Path.of(Objects.requireNonNull(file).toURI()));
  }

  @TestFactory
  Stream<DynamicTest> rowsOnOneDevice() throws IOException, URISyntaxException {
    return rows().tests(Evaluators.both()::run);
  }

  @TestFactory
  Stream<DynamicTest> rowsOnTwoDevices() throws IOException, URISyntaxException {
    return rows().tests(BoundedShapesTest::onTwoDevices);
  }

  private static Literal onTwoDevices(HloModule module, Literal... arguments) {
    DeviceGrid grid = new DeviceGrid(2, 1);
    List<List<Literal>> twice = Collections.nCopies(2, Arrays.asList(arguments));
    return Evaluators.both().runOnDevices(module, grid, twice).get(1);
  }

  // Programs.

  private static final Shape.Array UP_TO_FIVE = Shape.of(F32, 5).withDynamic(List.of(0));

  private final XlaBuilder b = new XlaBuilder("bounded");

  private static Literal run(XlaOp root, Literal... arguments) {
    return Evaluators.both().run(root.builder().build(root), arguments);
  }

  private static Literal numbers(float... values) {
    return Literal.of(values);
  }

  @Test
  void oneProgramForAllSizes() {
    XlaOp x = b.parameter(0, UP_TO_FIVE, "x");
    XlaOp sum = x.reduceAll(b.constant(0f), XlaOp::add);
    XlaOp count = x.getDimensionSize(0).convertElementType(F32);
    HloModule mean = b.build(b.tuple(x.sub(sum.div(count)), count));
    Evaluator evaluator = Evaluators.both();

    assertThat(evaluator.run(mean, numbers(1, 2, 3, 4, 5)))
        .isEqualTo(Literal.tuple(numbers(-2, -1, 0, 1, 2), Literal.of(5f)));
    assertThat(evaluator.run(mean, numbers(4, 6)))
        .isEqualTo(Literal.tuple(numbers(-1, 1), Literal.of(2f)));
    assertThat(evaluator.run(mean, numbers())).isEqualTo(Literal.tuple(numbers(), Literal.of(0f)));
    assertThat(evaluator.run(mean, numbers(4, 6)).toString())
        .isEqualTo("(f32[2], f32[]) ( {-1, 1}, 2 )");
  }

  @Test
  void theSizeIsKnownAtRunTimeOnly() {
    XlaOp size = b.parameter(0, Shape.of(S32), "size");
    XlaOp taken = b.iota(F32, 4).setDimensionSize(size, 0);
    HloModule module = b.build(taken.add(taken.mul(b.constant(10f))));
    Evaluator evaluator = Evaluators.both();

    assertThat(evaluator.run(module, Literal.of(0))).isEqualTo(numbers());
    assertThat(evaluator.run(module, Literal.of(3))).isEqualTo(numbers(0, 11, 22));
    assertThat(evaluator.run(module, Literal.of(4))).isEqualTo(numbers(0, 11, 22, 33));
    HloException beyond =
        assertThrows(HloException.class, () -> evaluator.run(module, Literal.of(5)));
    assertThat(beyond.summary())
        .isEqualTo(
            "set-dimension-size: size of dimension 0 got 5, want from 0 to 4: f32[4] has no more");
    assertThat(beyond.facts().get(0).text())
        .isEqualTo("%set-dimension-size = f32[<=4] set-dimension-size(%iota, %size)");
  }

  @Test
  void aLoopCarriesWhatShrinks() {
    XlaOp x = b.parameter(0, UP_TO_FIVE, "x");
    XlaOp shrunk =
        b.whileLoop(
            x,
            state -> state.getDimensionSize(0).gt(state.builder().constant(2)),
            state -> {
              XlaOp one = state.builder().constant(1);
              return state.setDimensionSize(state.getDimensionSize(0).sub(one), 0);
            });
    assertThat(run(shrunk, numbers(5, 6, 7, 8))).isEqualTo(numbers(5, 6));
  }

  @Test
  void branchesGiveTheirOwnSizes() {
    XlaOp which = b.parameter(0, Shape.of(PRED), "which");
    XlaOp x = b.parameter(1, UP_TO_FIVE, "x");
    XlaOp either =
        b.conditional(
            which,
            x,
            value -> value.setDimensionSize(value.builder().constant(1), 0),
            x,
            XlaOp::neg);
    HloModule module = b.build(either);
    Evaluator evaluator = Evaluators.both();
    assertThat(evaluator.run(module, Literal.of(true), numbers(1, 2))).isEqualTo(numbers(1));
    assertThat(evaluator.run(module, Literal.of(false), numbers(1, 2))).isEqualTo(numbers(-1, -2));
  }

  @Test
  void calledComputationsAndTuples() {
    XlaOp x = b.parameter(0, Shape.tuple(UP_TO_FIVE, Shape.of(S32)), "x");
    XlaOp called = b.call("twice", (inner, p) -> p.get(0).add(p.get(0)), x.getTupleElement(0));
    Literal pair = Literal.tuple(numbers(1, 2, 3), Literal.of(7));
    assertThat(run(b.tuple(called, x.getTupleElement(1)), pair))
        .isEqualTo(Literal.tuple(numbers(2, 4, 6), Literal.of(7)));
  }

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void whatComesFromOutsideIsWithinItsBounds(Evaluators evaluators) {
    Transfers transfers = Transfers.create().feedIn(numbers(1, 2), numbers(1, 2, 3, 4, 5, 6));
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .transfers(transfers)
            .customCall("some", (call, operands) -> numbers(7))
            .build();
    XlaOp fed = b.infeed(UP_TO_FIVE);
    XlaOp called = b.customCall(CustomCallOptions.of("some", UP_TO_FIVE));
    b.outfeed(fed);
    HloModule module = b.build(b.tuple(fed, called));
    Evaluator evaluator = evaluators.alone(options);

    assertThat(evaluator.run(module)).isEqualTo(Literal.tuple(numbers(1, 2), numbers(7)));
    assertThat(transfers.takeFedOut()).containsExactly(numbers(1, 2));
    assertThat(assertThrows(HloException.class, () -> evaluator.run(module)).summary())
        .isEqualTo("infeed got f32[6], want f32[<=5]");
  }

  @Test
  void devicesHaveTheirOwnSizes() {
    XlaOp x = b.parameter(0, UP_TO_FIVE, "x");
    HloModule module = b.build(x.add(x));
    List<List<Literal>> arguments = List.of(List.of(numbers(1)), List.of(numbers(1, 2)));
    assertThat(Evaluators.both().runOnDevices(module, new DeviceGrid(2, 1), arguments))
        .containsExactly(numbers(2), numbers(2, 4))
        .inOrder();
  }

  @Test
  void devicesThatMeetHaveTheSameSizes() {
    XlaOp x = b.parameter(0, UP_TO_FIVE, "x");
    HloModule module = b.build(x.allReduce(XlaOp::add, Participants.allReplicas()));
    Evaluator evaluator = Evaluators.both();
    DeviceGrid grid = new DeviceGrid(2, 1);
    List<List<Literal>> same = List.of(List.of(numbers(1, 2)), List.of(numbers(3, 4)));
    assertThat(evaluator.runOnDevices(module, grid, same))
        .containsExactly(numbers(4, 6), numbers(4, 6));

    List<List<Literal>> other = List.of(List.of(numbers(1, 2)), List.of(numbers(3)));
    HloException refusal =
        assertThrows(HloException.class, () -> evaluator.runOnDevices(module, grid, other));
    assertThat(refusal.summary())
        .isEqualTo(
            "run: all-reduce: sizes at run time got [f32[2]] on device 0, but [f32[1]] on device 1,"
                + " want the same");
  }

  @Test
  void gatheredAndScatteredOverDevices() {
    Shape.Array pairs = Shape.of(F32, 2, 3).withDynamic(List.of(1));
    XlaOp x = b.parameter(0, pairs, "x");
    XlaOp gathered = x.allGather(0, 2, Participants.allReplicas());
    XlaOp scattered = x.reduceScatter(XlaOp::add, 0, 2, Participants.allReplicas());
    HloModule module = b.build(b.tuple(gathered, scattered));
    Literal columns = Literal.of(new float[][] {{1}, {2}});
    List<Literal> results =
        Evaluators.both()
            .runOnDevices(
                module, new DeviceGrid(2, 1), List.of(List.of(columns), List.of(columns)));
    assertThat(results.get(1))
        .isEqualTo(
            Literal.tuple(
                Literal.of(new float[][] {{1}, {2}, {1}, {2}}), Literal.of(new float[][] {{4}})));
  }

  @Test
  void roomIsTakenForTheSizesThatThereAre() {
    Shape.Array large = Shape.of(F32, 1L << 40).withDynamic(List.of(0));
    XlaOp x = b.parameter(0, large, "x");
    assertThat(run(x.neg(), numbers(1, 2))).isEqualTo(numbers(-1, -2));
  }
}
