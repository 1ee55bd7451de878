package org.hlo4j.interpreter.reference;

import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.InstructionEvaluator;
import org.hlo4j.interpreter.engine.Step;
import org.hlo4j.interpreter.reference.linalg.Triangles;

/**
 * The dispatch of the reference evaluator: evaluates each op by the method that implements its
 * specification.
 */
public final class ReferenceOps implements InstructionEvaluator {
  /** The targets of custom calls that are known without an implementation from the user. */
  public static final ImmutableSet<String> KNOWN_TARGETS = StandardTargets.ALL.keySet();

  /** Creates the dispatch, which has no state. */
  public ReferenceOps() {}

  @Override
  public ImmutableSet<String> customCallTargets() {
    return KNOWN_TARGETS;
  }

  @Override
  public Step resolveSizes(
      HloInstruction instruction, List<Literal> operands, Execution execution) {
    return DynamicShapeResolver.resolve(instruction, operands, execution.wholeArrays());
  }

  @Override
  public void requireInBounds(Step step) {
    StartCheck.requireInBounds(step);
  }

  /** Throws if elements of a constant were left out of the text of the module. */
  private static Literal known(Literal literal) {
    literal.arrays().forEach(Literal::unsafeStorage);
    return literal;
  }

  @Override
  public Literal evaluate(Step step, List<Literal> arguments, Execution execution) {
    return FittedValues.result(step.results(), value(step, arguments, execution));
  }

  private static Literal value(Step step, List<Literal> arguments, Execution execution) {
    HloInstruction instruction = step.instruction();
    List<Literal> in = step.operands();
    Shape shape = step.shape();
    return switch (step.op()) {
      case Parameter op -> arguments.get(op.number());
      case Constant op -> known(op.literal());
      case Tuple op -> Literal.tuple(in);
      case GetTupleElement op -> in.get(0).element(op.index());
      case Copy op -> in.get(0);
      case Call op -> execution.call(instruction.called().get(0), in);
      case Fusion op -> execution.call(instruction.called().get(0), in);
      case While op -> ControlFlow.whileLoop(instruction, in.get(0), execution);
      case Conditional op -> ControlFlow.conditional(op, instruction, in, execution);
      case Scan op -> Scans.scan(op, in, shape, instruction, execution);
      case Sort op -> Sorting.sort(op, in, instruction.called().get(0), execution);
      case Topk op -> Sorting.topk(op, in.get(0), shape, execution);
      case OptBarrier op -> in.get(0);
      case Domain op -> in.get(0);
      case AddDependency op -> in.get(0);
      case AfterAll op -> Literal.token();
      case Bitcast op ->
          Bitcasts.bitcast(in.get(0), instruction.operands().get(0).shape(), instruction.shape());
      case CopyStart op ->
          Literal.tuple(in.get(0), in.get(0), Literal.zeros(Shape.of(ElementType.U32)));
      case CopyDone op -> in.get(0).element(0);
      case AsyncStart op ->
          ControlFlow.asyncStart(in, shape, instruction.called().get(0), execution);
      case AsyncUpdate op -> in.get(0);
      case AsyncDone op -> in.get(0).element(1);
      case CustomCall op -> HostOps.customCall(op, instruction, in, execution);
      case Infeed op -> HostOps.infeed(op, execution);
      case Outfeed op -> HostOps.outfeed(in.get(0), execution);
      case Send op -> HostOps.send(op, instruction, in.get(0), execution);
      case SendDone op -> Literal.token();
      case Recv op -> ControlFlow.zeros(shape);
      case RecvDone op -> HostOps.recvDone(op, instruction, shape, execution);
      case PartitionId op -> Literal.of(ElementType.U32, execution.device().partitionId());
      case ReplicaId op -> Literal.of(ElementType.U32, execution.device().replicaId());
      case Iota op -> MovementOps.iota(op);
      case Reshape op -> in.get(0).withShape((Shape.Array) shape);
      case Elementwise op -> Elements.map(op.kind(), in, (Shape.Array) shape);
      case Compare op -> Elements.compare(op, in.get(0), in.get(1));
      case Select op -> Elements.select(in.get(0), in.get(1), in.get(2));
      case Clamp op -> Elements.clamp(in.get(0), in.get(1), in.get(2));
      case Convert op -> Conversions.convert(in.get(0), (Shape.Array) shape);
      case BitcastConvert op -> Conversions.bitcast(in.get(0), (Shape.Array) shape);
      case ReducePrecision op -> Conversions.reducePrecision(op, in.get(0));
      case Reduce op -> Reductions.reduce(op, in, shape, instruction.called().get(0), execution);
      case Collective op -> CollectiveOps.evaluate(op, instruction, shape, in, execution);
      case CollectiveStart op -> CollectiveOps.start(op, instruction, shape, in, execution);
      case AllGatherDone op -> in.get(0).element(1);
      case AllReduceDone op -> in.get(0);
      case CollectivePermuteDone op -> in.get(0).element(1);
      case Dot op -> MixedProducts.of(in, shape, (two, type) -> Dots.dot(op, two, type, execution));
      case RaggedDot op ->
          MixedProducts.of(in, shape, (all, type) -> RaggedDots.dot(op, all, type, execution));
      case ScaledDot op -> ScaledDots.dot(op, in, (Shape.Array) shape, execution);
      case Fft op -> Fourier.fft(op, in.get(0), (Shape.Array) shape, execution);
      case Cholesky op -> Triangles.cholesky(op, in.get(0), execution);
      case TriangularSolve op -> Triangles.solve(op, in.get(0), in.get(1), execution);
      case Rng op -> RandomNumbers.rng(op, in.get(0), in.get(1), execution);
      case RngBitGenerator op -> RandomNumbers.rngBitGenerator(op, in.get(0), (Shape.Tuple) shape);
      case RngGetAndUpdateState op -> RandomNumbers.rngGetAndUpdateState(op, execution);
      case StochasticConvert op ->
          Conversions.stochasticConvert(in.get(0), in.get(1), (Shape.Array) shape);
      case ReduceWindow op ->
          Windows.reduceWindow(op, in, shape, instruction.called().get(0), execution);
      case SelectAndScatter op ->
          Windows.selectAndScatter(
              op, in, instruction.called().get(0), instruction.called().get(1), execution);
      case Map op -> Windows.map(in, (Shape.Array) shape, instruction.called().get(0), execution);
      case Convolution op ->
          MixedProducts.of(
              in, shape, (two, type) -> Convolutions.convolution(op, two, type, execution));
      case BatchNormTraining op -> BatchNorms.training(op, in);
      case BatchNormInference op -> BatchNorms.inference(op, in);
      case BatchNormGrad op -> BatchNorms.grad(op, in);
      case DynamicUpdateSlice op -> DimensionSizes.update(in, execution);
      case Gather op -> Gathers.gather(op, in, (Shape.Array) shape);
      case Movement op -> MovementOps.move(op, in, (Shape.Array) shape);
      case Scatter op -> new Scatters(op, in, instruction.called().get(0), execution).scatter();
      case GetDimensionSize op -> DimensionSizes.get(op, in.get(0));
      case SetDimensionSize op -> DimensionSizes.set(op, in, execution.wholeArrays());
      case DynamicReshape op -> DimensionSizes.dynamicReshape(op, in);
    };
  }
}
