package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.compiled.copy.BitcastKernel;
import org.hlo4j.interpreter.compiled.copy.BoxKernel;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.compiled.copy.ComplexElementKernel;
import org.hlo4j.interpreter.compiled.copy.ConcatenationKernel;
import org.hlo4j.interpreter.compiled.copy.DynamicBox;
import org.hlo4j.interpreter.compiled.copy.IotaKernel;
import org.hlo4j.interpreter.compiled.fft.FftKernel;
import org.hlo4j.interpreter.compiled.indexing.GatherKernel;
import org.hlo4j.interpreter.compiled.indexing.ScatterKernel;
import org.hlo4j.interpreter.compiled.indexing.SortKernel;
import org.hlo4j.interpreter.compiled.indexing.TopkKernel;
import org.hlo4j.interpreter.compiled.linalg.CholeskyKernel;
import org.hlo4j.interpreter.compiled.linalg.LapackKernel;
import org.hlo4j.interpreter.compiled.linalg.TriangularSolveKernel;
import org.hlo4j.interpreter.compiled.random.RngKernel;
import org.hlo4j.interpreter.compiled.window.BatchNormKernel;
import org.hlo4j.interpreter.compiled.window.ReduceWindowKernel;
import org.hlo4j.interpreter.compiled.window.SelectAndScatterKernel;
import org.hlo4j.interpreter.compiled.window.WindowPositions;
import org.hlo4j.interpreter.engine.Kernel;
import org.jspecify.annotations.Nullable;

/** Kernels of ops that move elements, and of those that gather, scatter, sort or look around. */
public final class OpKernels {
  private OpKernels() {}

  /**
   * The kernel of an instruction; none if it is of another op, or its sizes are dynamic or too
   * large for a Java array, or the reference evaluator refuses it.
   *
   * @param observesNanBits whether one NaN may be told from another
   */
  public static Optional<Kernel> kernel(HloInstruction instruction, boolean observesNanBits) {
    if (!arrays(instruction).allMatch(OpKernels::isStatic)) {
      return Optional.empty();
    }
    List<Shape.Array> in =
        instruction.operands().stream()
            .map(operand -> (Shape.Array) operand.shape().withoutLayout())
            .toList();
    Shape result = instruction.shape().withoutLayout();
    return Optional.ofNullable(kernel(instruction, in, result, observesNanBits));
  }

  private static @Nullable Kernel kernel(
      HloInstruction instruction, List<Shape.Array> in, Shape result, boolean observesNanBits) {
    List<HloComputation> called = instruction.called();
    return switch (instruction.op()) {
      case Gather op when hasElements(op, (Shape.Array) result) ->
          new GatherKernel(op, in.get(0), in.get(1), (Shape.Array) result);
      case Scatter op -> new ScatterKernel(op, in, called.get(0), observesNanBits);
      case Sort op -> new SortKernel(op, in, called.get(0));
      case Topk op -> TopkKernel.of(op, in.get(0), (Shape.Tuple) result).orElse(null);
      case ReduceWindow op when WindowPositions.isListable(op.window()) ->
          new ReduceWindowKernel(
              op, in.subList(0, in.size() / 2), parts(result), called.get(0), observesNanBits);
      case SelectAndScatter op when WindowPositions.isListable(op.window()) ->
          new SelectAndScatterKernel(
              op, in.get(0), in.get(1), called.get(0), called.get(1), observesNanBits);
      case RngBitGenerator op -> new RngKernel(op, (Shape.Tuple) result);
      case BatchNormTraining op ->
          norm(BatchNormKernel.Kind.TRAINING, in, op.featureIndex(), op.epsilon());
      case BatchNormInference op ->
          norm(BatchNormKernel.Kind.INFERENCE, in, op.featureIndex(), op.epsilon());
      case BatchNormGrad op -> norm(BatchNormKernel.Kind.GRAD, in, op.featureIndex(), op.epsilon());
      case Cholesky op when in.get(0).elementType().isFloating() ->
          new CholeskyKernel(op, in.get(0));
      case TriangularSolve op when in.get(0).elementType().isFloating() ->
          new TriangularSolveKernel(op, in.get(0), in.get(1));
      case Fft op -> FftKernel.of(op, in.get(0), (Shape.Array) result).orElse(null);
      case CustomCall op -> LapackKernel.of(op, instruction, in, parts(result)).orElse(null);
      case Movement op -> movement(op, in, (Shape.Array) result);
      case Pointwise op -> pointwise(op, in, (Shape.Array) result);
      case Cholesky _,
          Collective _,
          CollectiveStart _,
          Contraction _,
          Map _,
          PartitionId _,
          ForwardingOp _,
          Recv _,
          Reduce _,
          ReduceWindow _,
          ReplicaId _,
          Rng _,
          RngGetAndUpdateState _,
          Scan _,
          SelectAndScatter _,
          Sizing _,
          TriangularSolve _ ->
          null;
    };
  }

  private static @Nullable Kernel movement(
      Movement movement, List<Shape.Array> in, Shape.Array shape) {
    return switch (movement) {
      case Transpose op -> BoxKernel.transpose(op, in.get(0), shape);
      case Broadcast op -> BoxKernel.broadcast(op, in.get(0), shape);
      case Slice op -> BoxKernel.slice(op.slice(), in.get(0), shape);
      case Reverse op -> BoxKernel.reverse(op, shape);
      case Concatenate op -> ConcatenationKernel.concatenate(op, in, shape);
      case Pad op -> ConcatenationKernel.pad(op.padding(), in.get(0), shape);
      case DynamicSlice op -> DynamicBox.slice(in.get(0), shape, in.subList(1, in.size()));
      case DynamicUpdateSlice op ->
          DynamicBox.update(in.get(0), in.get(1), in.subList(2, in.size()));
      case Iota op -> new IotaKernel(op, shape);
      case Bitcast _, Gather _, Reshape _ -> null;
    };
  }

  private static @Nullable Kernel pointwise(
      Pointwise pointwise, List<Shape.Array> in, Shape.Array shape) {
    return switch (pointwise) {
      case BitcastConvert _
          when BitcastKernel.takes(in.get(0).elementType(), shape.elementType()) ->
          new BitcastKernel(in.get(0), shape);
      case Elementwise op -> ComplexElementKernel.of(op, in, shape).orElse(null);
      case BitcastConvert _,
          Clamp _,
          Compare _,
          Convert _,
          ReducePrecision _,
          Select _,
          StochasticConvert _ ->
          null;
    };
  }

  private static Kernel norm(
      BatchNormKernel.Kind kind, List<Shape.Array> in, int featureIndex, float epsilon) {
    return new BatchNormKernel(kind, in.get(0), featureIndex, epsilon);
  }

  private static List<Shape.Array> parts(Shape shape) {
    return results(shape).stream().map(part -> (Shape.Array) part).toList();
  }

  private static List<Shape> results(Shape shape) {
    return shape instanceof Shape.Tuple tuple ? tuple.elements() : ImmutableList.of(shape);
  }

  /** Whether there is something to take where slices are left out. */
  private static boolean hasElements(Gather op, Shape.Array shape) {
    Dims leftOut = op.collapsedSliceDims().concat(op.operandBatchingDims());
    return shape.elementCount() == 0 || !op.sliceSizes().at(leftOut).contains(0);
  }

  /** The shapes of all operands and of the result, tuples taken apart. */
  public static Stream<Shape> arrays(HloInstruction instruction) {
    Stream<Shape> operands = instruction.operands().stream().map(HloInstruction::shape);
    return Stream.concat(operands, results(instruction.shape()).stream());
  }

  /** Whether it is an array of known sizes that fits a Java array. */
  public static boolean isStatic(Shape shape) {
    return shape instanceof Shape.Array array
        && !array.isDynamic()
        && array.elementCount()
            <= LiteralBuilder.MAX_COMPONENTS / CellCopies.perElement(array.elementType());
  }
}
