package org.hlo4j.interpreter.conformance;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ops of each family and trait. A new op has to be added to them. */
public final class OpTraitsTest {
  private static final ImmutableMap<String, OpTraits> ROWS =
      Stream.concat(
              Stream.of(new Elementwise(Elementwise.Kind.ADD)),
              CoverageTest.examples().entrySet().stream()
                  .map(row -> row.getValue().op(row.getKey())))
          .collect(toImmutableMap(op -> op.getClass().getSimpleName(), OpTraits::of));

  public static String opsWith(Predicate<OpTraits> condition) {
    return ROWS.entrySet().stream()
        .filter(row -> condition.test(row.getValue()))
        .map(Map.Entry::getKey)
        .sorted()
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          EFFECT | AddDependency AfterAll AllGather AllGatherDone AllGatherStart AllReduce \
          AllReduceDone AllReduceStart AllToAll AsyncDone AsyncStart AsyncUpdate \
          CollectiveBroadcast CollectivePermute CollectivePermuteDone CollectivePermuteStart \
          CopyDone CopyStart CustomCall DynamicReshape Infeed Outfeed RaggedAllToAll Recv \
          RecvDone ReduceScatter Rng RngGetAndUpdateState Send SendDone SetDimensionSize
          CONTROL | Call Conditional Fusion While
          PLUMBING | Constant Copy Domain GetTupleElement OptBarrier Parameter Tuple
          ELEMENTWISE | BitcastConvert Clamp Compare Convert Elementwise ReducePrecision Select \
          StochasticConvert
          MOVEMENT | Bitcast Broadcast Concatenate DynamicSlice DynamicUpdateSlice Gather Iota \
          Pad Reshape Reverse Slice Transpose
          OTHER | BatchNormGrad BatchNormInference BatchNormTraining Cholesky Convolution Dot Fft \
          GetDimensionSize Map PartitionId RaggedDot Reduce ReduceWindow ReplicaId \
          RngBitGenerator ScaledDot Scan Scatter SelectAndScatter Sort Topk TriangularSolve
          """)
  void family(Family family, String ops) {
    assertThat(opsWith(row -> row.family() == family)).isEqualTo(ops);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          IN_LOOPS | BitcastConvert Broadcast Clamp Compare Concatenate Convert DynamicSlice \
          Elementwise Iota Pad ReducePrecision Reshape Reverse Select Slice Transpose
          ON_PARTS | Broadcast Concatenate DynamicSlice DynamicUpdateSlice Pad Reshape Reverse \
          Slice Transpose
          KEEPS_ORDER | Bitcast Reshape
          INDEXED | DynamicSlice DynamicUpdateSlice Gather
          CHEAP | Broadcast Convert Iota Reshape Slice
          MAKES_NANS | BatchNormGrad BatchNormInference BatchNormTraining Cholesky Convolution \
          CustomCall Dot Fft TriangularSolve
          OBSERVES_NANS | Bitcast BitcastConvert Compare Sort Topk
          REASSOCIATES | Dot Reduce
          """)
  void trait(Trait trait, String ops) {
    assertThat(opsWith(row -> row.has(trait))).isEqualTo(ops);
  }
}
