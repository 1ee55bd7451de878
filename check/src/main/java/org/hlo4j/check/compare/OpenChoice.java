package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.LapackCall;

/** How something that is left open in the result of an instruction is chosen in another way. */
sealed interface OpenChoice {
  /** Returns the row of the table. */
  LeftOpen row();

  /** Elements of the result that may have any value. */
  record Elements(LeftOpen row, Finder finder) implements OpenChoice {}

  /** Elements of the result that may have some other values. */
  record Blocks(LeftOpen row, OpenBlocks.Finder finder) implements OpenChoice {}

  /** NaNs among the operands, with another sign and payload. */
  record NaNs(LeftOpen row) implements OpenChoice {}

  /** The signs (phases) of the vectors of a decomposition. */
  record Signs(LeftOpen row) implements OpenChoice {}

  /** The vectors of a decomposition that complete a basis. */
  record Basis(LeftOpen row) implements OpenChoice {}

  /** Finds the elements that are open. */
  @FunctionalInterface
  interface Finder {
    /** Returns which elements of an array of a result are open. */
    IntPredicate of(OpenElements.Made made);
  }

  private static Finder all() {
    return made -> i -> true;
  }

  private static ImmutableList<OpenChoice> some(LeftOpen row, Finder finder) {
    return ImmutableList.of(new Elements(row, finder));
  }

  private static ImmutableList<OpenChoice> when(boolean isOpen, OpenChoice choice) {
    return isOpen ? ImmutableList.of(choice) : ImmutableList.of();
  }

  /** Returns what is open in the result of an instruction: the decision for each op. */
  static ImmutableList<OpenChoice> of(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Elementwise op -> elementwise(op.kind(), instruction);
      case Convert _, StochasticConvert _ -> some(LeftOpen.CONVERT_RANGE, OpenElements::outOfRange);
      case BitcastConvert _ -> ImmutableList.of(new NaNs(LeftOpen.NAN_BITS));
      case Compare op ->
          when(
              op.type().filter(type -> type == Compare.Type.TOTALORDER).isPresent(),
              new NaNs(LeftOpen.NAN_BITS));
      case ReducePrecision op ->
          when(op.mantissaBits() == 0, new Elements(LeftOpen.NAN_PRECISION, OpenElements::ofNaN));
      case Clamp _, Select _ -> ImmutableList.of();
      case Gather op ->
          when(
              op.indicesAreSorted(),
              new Elements(LeftOpen.INDEX_PROMISES, OpenElements::unsortedGather));
      case Movement _ -> ImmutableList.of();
      case Convolution _ -> some(LeftOpen.CONVOLUTION_PADDING, OpenElements::infiniteWeights);
      case Contraction _ -> ImmutableList.of();
      case Reduce _, ReduceWindow _ -> reduction(instruction);
      case SelectAndScatter _ ->
          ImmutableList.<OpenChoice>builder()
              .addAll(reduction(instruction))
              .add(new Elements(LeftOpen.SELECT_ORDER, OpenElements::selectedNaNs))
              .build();
      case Scatter op -> scatter(op, instruction);
      case Sort op -> sort(op, instruction);
      case Topk _ -> ImmutableList.of(new NaNs(LeftOpen.NAN_BITS));
      case Map _, Scan _ -> ImmutableList.of();
      case BatchNormTraining _, BatchNormInference _, BatchNormGrad _ -> ImmutableList.of();
      case Fft _, TriangularSolve _ -> ImmutableList.of();
      case Cholesky _ ->
          ImmutableList.of(
              new Elements(LeftOpen.CHOLESKY_TRIANGLE, OpenElements::otherTriangle),
              new Elements(LeftOpen.CHOLESKY_INDEFINITE, OpenElements::indefinite));
      case RngBitGenerator _ -> some(LeftOpen.RANDOM_BITS, all());
      case Rng _, RngGetAndUpdateState _ -> some(LeftOpen.RANDOM_NUMBERS, all());
      case AllReduce _, ReduceScatter _ ->
          when(
              !new Combiner(instruction.called().get(0)).isMonoid(),
              new Elements(LeftOpen.REDUCE_ORDER, all()));
      case Collective _, CollectiveStart _, ForwardingOp _, Sizing _ -> ImmutableList.of();
      case PartitionId _, ReplicaId _, Recv _ -> ImmutableList.of();
      case CustomCall op -> customCall(op.customCallTarget(), instruction);
    };
  }

  /** Returns what is open also between hlo4j's evaluators: the signs of vectors. */
  static ImmutableList<OpenChoice> signs(HloInstruction instruction) {
    return FreeVectors.of(instruction).isEmpty()
        ? ImmutableList.of()
        : ImmutableList.of(new Signs(LeftOpen.VECTOR_SIGNS), new Basis(LeftOpen.VECTOR_BASIS));
  }

  private static ImmutableList<OpenChoice> elementwise(
      Elementwise.Kind kind, HloInstruction instruction) {
    ElementType type = ((Shape.Array) instruction.operands().get(0).shape()).elementType();
    boolean isRounded =
        kind == Elementwise.Kind.MULTIPLY
            || kind == Elementwise.Kind.DIVIDE
            || kind == Elementwise.Kind.SQRT
            || kind == Elementwise.Kind.SIGN
            || kind == Elementwise.Kind.ABS
            || kind.isTranscendental();
    if (type.isComplex()) {
      return ImmutableList.<OpenChoice>builder()
          .addAll(
              when(isRounded, new Elements(LeftOpen.COMPLEX_LIMITS, OpenElements::ofComplexLimits)))
          .addAll(
              when(
                  kind == Elementwise.Kind.SQRT || kind.isTranscendental(),
                  new Blocks(LeftOpen.COMPLEX_LIMITS, OpenBlocks::branchCuts)))
          .build();
    }
    ImmutableList<OpenChoice> none = ImmutableList.of();
    return switch (kind) {
      case DIVIDE, REMAINDER ->
          when(type.isIntegral(), new Elements(LeftOpen.INTEGER_DIVISION, OpenElements::quotients));
      case POWER ->
          when(
              type.isIntegral(),
              new Elements(LeftOpen.INTEGER_POWER, OpenElements::negativePowers));
      case LOGISTIC ->
          ImmutableList.of(new Blocks(LeftOpen.LOGISTIC_FORMULA, OpenBlocks::overflowingLogistic));
      case ADD, SUBTRACT, MULTIPLY, MULHI, NEGATE, ABS, SIGN, MAXIMUM, MINIMUM, SQRT -> none;
      case AND, OR, XOR, NOT, POPCNT, COUNT_LEADING_ZEROS -> none;
      case SHIFT_LEFT, SHIFT_RIGHT_ARITHMETIC, SHIFT_RIGHT_LOGICAL -> none;
      case CEIL, FLOOR, ROUND_NEAREST_AFZ, ROUND_NEAREST_EVEN, IS_FINITE -> none;
      case REAL, IMAG, MAKE_COMPLEX -> none;
      case ACOS, ACOSH, ASIN, ASINH, ATAN, ATAN2, ATANH, COSINE, COSH, SINE, SINH, TAN, TANH ->
          none;
      case CBRT, ERF, EXPONENTIAL, EXPONENTIAL_MINUS_ONE, LOG, LOG_PLUS_ONE, RSQRT -> none;
    };
  }

  private static ImmutableList<OpenChoice> reduction(HloInstruction instruction) {
    Combiner combiner = new Combiner(instruction.called().getLast());
    return ImmutableList.of(
        combiner.isMonoid()
            ? new Blocks(LeftOpen.REDUCE_INIT, combiner::initialValues)
            : new Elements(LeftOpen.REDUCE_ORDER, all()));
  }

  private static ImmutableList<OpenChoice> scatter(Scatter op, HloInstruction instruction) {
    ImmutableList.Builder<OpenChoice> choices = ImmutableList.builder();
    choices.add(new Elements(LeftOpen.SCATTER_BOUNDS, OpenElements::partlyOutside));
    if (op.uniqueIndices() || op.indicesAreSorted()) {
      choices.add(new Elements(LeftOpen.INDEX_PROMISES, OpenElements::brokenPromise));
    }
    if (!new Combiner(instruction.called().get(0)).commutesUpdates()) {
      choices.add(new Blocks(LeftOpen.SCATTER_ORDER, OpenBlocks::updates));
    }
    return choices.build();
  }

  private static ImmutableList<OpenChoice> sort(Sort op, HloInstruction instruction) {
    Combiner comparator = new Combiner(instruction.called().get(0));
    ImmutableList.Builder<OpenChoice> choices = ImmutableList.builder();
    choices.add(new NaNs(LeftOpen.NAN_BITS));
    if (!comparator.isOrder() || comparator.comparesNaNs()) {
      choices.add(
          new Elements(
              LeftOpen.SORT_ORDER, comparator.isOrder() ? OpenElements::linesOfNaNs : all()));
    }
    if (!op.isStable()) {
      choices.add(new Blocks(LeftOpen.SORT_TIES, OpenBlocks::ties));
    }
    return choices.build();
  }

  private static ImmutableList<OpenChoice> customCall(String target, HloInstruction call) {
    return switch (target) {
      case CustomCall.CREATE_BUFFER -> some(LeftOpen.UNINITIALIZED, all());
      case "TopK" -> ImmutableList.of(new NaNs(LeftOpen.NAN_BITS));
      default ->
          ImmutableList.<OpenChoice>builder()
              .addAll(signs(call))
              .addAll(
                  when(
                      LapackCall.routine(target).filter("potrf"::equals).isPresent(),
                      new Elements(LeftOpen.CHOLESKY_TRIANGLE, OpenElements::otherTriangle)))
              .addAll(
                  when(
                      LapackCall.routine(target).isPresent(),
                      new Elements(LeftOpen.LAPACK_FAILURE, OpenElements::failed)))
              .build();
    };
  }
}
