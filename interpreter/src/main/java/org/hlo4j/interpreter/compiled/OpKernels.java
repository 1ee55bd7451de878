package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
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
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.copy.BitcastKernel;
import org.hlo4j.interpreter.compiled.copy.BoxKernel;
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
import org.hlo4j.interpreter.compiled.window.ReduceWindowKernel;
import org.hlo4j.interpreter.compiled.window.SelectAndScatterKernel;
import org.hlo4j.interpreter.compiled.window.WindowPositions;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Kernels of single ops that are not generated loops: movement ops, gather, scatter, sort, windows,
 * random bits, batch norm, linear algebra and FFT.
 */
public final class OpKernels {
  private OpKernels() {}

  /**
   * Returns the kernel of an instruction. There is none for other ops, for sizes that are dynamic
   * or too large for a Java array, and for what the reference evaluator refuses.
   *
   * @param observesNanBits whether the module can tell one NaN from another
   */
  public static KernelChoice kernel(HloInstruction instruction, boolean observesNanBits) {
    Optional<Shape> unfit =
        arrays(instruction).filter(shape -> !Storages.canHold(shape)).findFirst();
    if (unfit.isPresent()) {
      return KernelChoice.decline("no array of static sizes that Java can hold: " + unfit.get());
    }
    List<Shape.Array> in =
        instruction.operands().stream()
            .map(operand -> (Shape.Array) operand.shape().withoutLayout())
            .toList();
    Shape result = instruction.shape().withoutLayout();
    return kernel(instruction, in, result, observesNanBits);
  }

  private static KernelChoice kernel(
      HloInstruction instruction, List<Shape.Array> in, Shape result, boolean observesNanBits) {
    List<HloComputation> called = instruction.called();
    return switch (instruction.op()) {
      case Gather op when hasElements(op, (Shape.Array) result) ->
          KernelChoice.of(new GatherKernel(op, in.get(0), in.get(1), (Shape.Array) result));
      case Gather op -> KernelChoice.decline("slices without elements");
      case Scatter op -> KernelChoice.of(new ScatterKernel(op, in, called.get(0), observesNanBits));
      case Sort op -> KernelChoice.of(new SortKernel(op, in, called.get(0)));
      case Topk op -> TopkKernel.of(op, in.get(0), (Shape.Tuple) result);
      case ReduceWindow op when WindowPositions.isListable(op.window()) ->
          KernelChoice.of(
              new ReduceWindowKernel(
                  op, in.subList(0, in.size() / 2), parts(result), called.get(0), observesNanBits));
      case SelectAndScatter op when WindowPositions.isListable(op.window()) ->
          KernelChoice.of(
              new SelectAndScatterKernel(
                  op, in.get(0), in.get(1), called.get(0), called.get(1), observesNanBits));
      case ReduceWindow _, SelectAndScatter _ -> KernelChoice.decline("a window of many positions");
      case RngBitGenerator op -> KernelChoice.of(new RngKernel(op, (Shape.Tuple) result));
      case BatchNormGrad _, BatchNormInference _, BatchNormTraining _ ->
          KernelChoice.decline("passes expand it");
      case Cholesky op when in.get(0).elementType().isFloating() ->
          KernelChoice.of(new CholeskyKernel(op, in.get(0)));
      case TriangularSolve op when in.get(0).elementType().isFloating() ->
          KernelChoice.of(new TriangularSolveKernel(op, in.get(0), in.get(1)));
      case Cholesky _, TriangularSolve _ ->
          KernelChoice.decline("matrices of " + in.get(0).elementType());
      case Fft op -> FftKernel.of(op, in.get(0), (Shape.Array) result);
      case CustomCall op -> LapackKernel.of(op, instruction, in, parts(result));
      case Movement op -> movement(op, in, (Shape.Array) result);
      case Pointwise op -> pointwise(op, in, (Shape.Array) result);
      default -> KernelChoice.NONE;
    };
  }

  private static KernelChoice movement(Movement movement, List<Shape.Array> in, Shape.Array shape) {
    return switch (movement) {
      case Transpose op -> KernelChoice.of(BoxKernel.transpose(op, in.get(0), shape));
      case Broadcast op -> KernelChoice.of(BoxKernel.broadcast(op, in.get(0), shape));
      case Slice op -> KernelChoice.of(BoxKernel.slice(op.slice(), in.get(0), shape));
      case Reverse op -> KernelChoice.of(BoxKernel.reverse(op, shape));
      case Concatenate op -> KernelChoice.of(ConcatenationKernel.concatenate(op, in, shape));
      case Pad op -> KernelChoice.of(ConcatenationKernel.pad(op.padding(), in.get(0), shape));
      case DynamicSlice op ->
          KernelChoice.of(DynamicBox.slice(in.get(0), shape, in.subList(1, in.size())));
      case DynamicUpdateSlice op ->
          KernelChoice.of(DynamicBox.update(in.get(0), in.get(1), in.subList(2, in.size())));
      case Iota op -> KernelChoice.of(new IotaKernel(op, shape));
      case Bitcast _, Gather _, Reshape _ -> KernelChoice.NONE;
    };
  }

  private static KernelChoice pointwise(
      Pointwise pointwise, List<Shape.Array> in, Shape.Array shape) {
    return switch (pointwise) {
      case BitcastConvert _
          when BitcastKernel.supports(in.get(0).elementType(), shape.elementType()) ->
          KernelChoice.of(new BitcastKernel(in.get(0), shape));
      case Elementwise op -> ComplexElementKernel.of(op, in, shape);
      default -> KernelChoice.NONE;
    };
  }

  private static List<Shape.Array> parts(Shape shape) {
    return results(shape).stream().map(part -> (Shape.Array) part).toList();
  }

  private static List<Shape> results(Shape shape) {
    return shape instanceof Shape.Tuple tuple ? tuple.elements() : ImmutableList.of(shape);
  }

  /** Returns whether the dimensions that slices leave out have an element to take. */
  private static boolean hasElements(Gather op, Shape.Array shape) {
    Dims leftOut = op.collapsedSliceDims().concat(op.operandBatchingDims());
    return shape.elementCount() == 0 || !op.sliceSizes().at(leftOut).contains(0);
  }

  /**
   * Returns the shapes of all operands and of the result, with a tuple result split into its
   * elements.
   */
  public static Stream<Shape> arrays(HloInstruction instruction) {
    Stream<Shape> operands = instruction.operands().stream().map(HloInstruction::shape);
    return Stream.concat(operands, results(instruction.shape()).stream());
  }
}
