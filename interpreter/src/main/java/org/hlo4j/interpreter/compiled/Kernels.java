package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.conv.Convolutions;
import org.hlo4j.interpreter.compiled.copy.BitcastKernel;
import org.hlo4j.interpreter.compiled.copy.MovementKernel;
import org.hlo4j.interpreter.compiled.fft.FftKernel;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.indexing.ComputedIndices;
import org.hlo4j.interpreter.compiled.indexing.GatherKernel;
import org.hlo4j.interpreter.compiled.indexing.ScatterKernel;
import org.hlo4j.interpreter.compiled.indexing.SortKernel;
import org.hlo4j.interpreter.compiled.indexing.TopkKernel;
import org.hlo4j.interpreter.compiled.linalg.MatrixKernel;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.hlo4j.interpreter.compiled.random.RngKernel;
import org.hlo4j.interpreter.compiled.reduce.ReduceKernels;
import org.hlo4j.interpreter.compiled.whileloop.ScalarKernels;
import org.hlo4j.interpreter.compiled.window.ReduceWindowKernel;
import org.hlo4j.interpreter.compiled.window.SelectAndScatterKernel;
import org.hlo4j.interpreter.compiled.window.WindowPositions;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.hlo4j.interpreter.engine.ScalarBodies;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a kernel for each instruction. Instructions without a kernel are computed by the
 * reference.
 */
public final class Kernels {
  /**
   * What the kernel of a single op is made for. Layouts do not matter.
   *
   * @param operands the shapes of the operands
   */
  private record Request(
      HloInstruction instruction, List<Shape.Array> operands, boolean observesNanBits) {
    Shape.Array operand(int index) {
      return operands.get(index);
    }

    HloComputation called(int index) {
      return instruction.called().get(index);
    }

    Shape result() {
      return instruction.shape().withoutLayout();
    }

    Shape.Array array() {
      return (Shape.Array) result();
    }

    List<Shape.Array> results() {
      return parts(result()).stream().map(part -> (Shape.Array) part).toList();
    }
  }

  private Kernels() {}

  /**
   * Returns the kernel of an instruction. Declines if there is no code for it in any form.
   *
   * @param observesNanBits whether the module can tell one NaN from another
   * @param products the kernels of dots and convolutions
   */
  static KernelChoice of(
      HloInstruction instruction,
      boolean observesNanBits,
      Function<HloInstruction, KernelChoice> products) {
    try {
      KernelChoice kernel = plain(instruction, observesNanBits, products);
      return observesNanBits
          ? kernel.flatMap(made -> QuietNaNKernel.of(made, instruction))
          : kernel;
    } catch (NoCodeException none) {
      return none.decline();
    }
  }

  private static KernelChoice plain(
      HloInstruction instruction,
      boolean observesNanBits,
      Function<HloInstruction, KernelChoice> products) {
    return switch (instruction.op()) {
      case Clamp _, Compare _, Convert _, Iota _, ReducePrecision _, Select _ ->
          Loops.kernel(instruction, observesNanBits);
      case BitcastConvert _, Elementwise _ ->
          Loops.kernel(instruction, observesNanBits).or(() -> ofOp(instruction, observesNanBits));
      case Call _, Conditional _, While _ -> ScalarKernels.kernel(instruction, observesNanBits);
      case ReduceWindow _ ->
          scan(instruction, observesNanBits).or(() -> ofOp(instruction, observesNanBits));
      case Scan _ -> ReduceKernels.scan(instruction);
      case Reduce _ -> ReduceKernels.kernel(instruction);
      case Dot _ -> DotKernels.kernel(instruction);
      case Convolution _ -> Convolutions.kernel(instruction);
      case Fusion _ -> fusion(instruction, observesNanBits, products);
      case Collective _, CollectiveStart _ -> KernelChoice.decline(ofGroup(instruction));
      default -> ofOp(instruction, observesNanBits);
    };
  }

  /** Returns how a group of devices computes a collective: by kernels on its arrays. */
  private static String ofGroup(HloInstruction collective) {
    return collective.called().isEmpty()
        ? "copied between devices"
        : ScalarBodies.isElementwise(collective.called().get(0))
            ? "reduced by loops over the arrays of all devices"
            : "reduced by a map over the arrays of all devices";
  }

  private static KernelChoice scan(HloInstruction window, boolean observesNanBits) {
    KernelChoice kernel = ReduceKernels.scan(window);
    return observesNanBits
        ? kernel.flatMap(made -> QuietNaNKernel.ofReducer(made, window))
        : kernel;
  }

  private static KernelChoice fusion(
      HloInstruction fusion,
      boolean observesNanBits,
      Function<HloInstruction, KernelChoice> products) {
    return ScalarKernels.kernel(fusion, observesNanBits)
        .or(() -> Loops.kernel(fusion, observesNanBits))
        .or(() -> GemmFusions.kernel(fusion, observesNanBits, products))
        .or(() -> indexing(fusion, observesNanBits))
        .or(() -> ReduceKernels.kernel(fusion));
  }

  private static KernelChoice indexing(HloInstruction fusion, boolean observesNanBits) {
    HloInstruction root = fusion.called().get(0).root();
    return root.op() instanceof Gather || root.op() instanceof Scatter
        ? ofOp(root, observesNanBits)
            .flatMap(kernel -> ComputedIndices.of(fusion.called().get(0), kernel))
        : KernelChoice.decline("no gather or scatter");
  }

  // ---- kernels of single ops that are not generated loops

  /**
   * Returns the kernel of a movement op, gather, scatter, sort, window, random bits, linear algebra
   * or FFT. There is none for other ops, for sizes that are dynamic or too large for a Java array,
   * and for what the reference evaluator refuses.
   *
   * @param observesNanBits whether the module can tell one NaN from another
   */
  public static KernelChoice ofOp(HloInstruction instruction, boolean observesNanBits) {
    Function<Request, KernelChoice> factory = factory(instruction.op());
    if (factory == null) {
      return KernelChoice.NONE;
    }
    Optional<Shape> unfit =
        arrays(instruction).filter(shape -> !Storages.canHold(shape)).findFirst();
    if (unfit.isPresent()) {
      return KernelChoice.decline("no array of static sizes that Java can hold: " + unfit.get());
    }
    List<Shape.Array> operands =
        instruction.operands().stream()
            .map(operand -> (Shape.Array) operand.shape().withoutLayout())
            .toList();
    return factory.apply(new Request(instruction, operands, observesNanBits));
  }

  private static @Nullable Function<Request, KernelChoice> factory(Op any) {
    return switch (any) {
      case BatchNormGrad _, BatchNormInference _, BatchNormTraining _ ->
          of -> KernelChoice.decline("passes expand it");
      case BitcastConvert _ -> Kernels::bitcast;
      case Cholesky op -> of -> decomposition(of, () -> MatrixKernel.of(op, of.operand(0)));
      case CustomCall op ->
          of -> MatrixKernel.of(op, of.instruction(), of.operands(), of.results());
      case DynamicUpdateSlice op ->
          of -> KernelChoice.of(MovementKernel.update(op, of.operands(), of.array()));
      case Fft op -> of -> FftKernel.of(op, of.operand(0), of.array());
      case Gather op -> of -> gather(op, of);
      case Movement op when OpTraits.of(op).has(Trait.KEEPS_ORDER) -> null; // nothing to copy
      case Movement op when OpTraits.of(op).has(Trait.ON_PARTS) ->
          of -> MovementKernel.of(op, of.operands(), of.array());
      case ReduceWindow op -> of -> reduceWindow(op, of);
      case RngBitGenerator op ->
          of -> KernelChoice.of(new RngKernel(op, (Shape.Tuple) of.result()));
      case Scatter op ->
          of ->
              KernelChoice.of(
                  new ScatterKernel(op, of.operands(), of.called(0), of.observesNanBits()));
      case SelectAndScatter op -> of -> selectAndScatter(op, of);
      case Sort op -> of -> KernelChoice.of(new SortKernel(op, of.operands(), of.called(0)));
      case Topk op -> of -> TopkKernel.of(op, of.operand(0), (Shape.Tuple) of.result());
      case TriangularSolve op ->
          of -> decomposition(of, () -> MatrixKernel.of(op, of.operand(0), of.operand(1)));
      default -> null;
    };
  }

  private static KernelChoice bitcast(Request of) {
    return BitcastKernel.supports(of.operand(0).elementType(), of.array().elementType())
        ? KernelChoice.of(new BitcastKernel(of.operand(0), of.array()))
        : KernelChoice.NONE;
  }

  private static KernelChoice decomposition(Request of, Supplier<Kernel> kernel) {
    ElementType type = of.operand(0).elementType();
    return type.isFloating()
        ? KernelChoice.of(kernel.get())
        : KernelChoice.decline("matrices of " + type);
  }

  private static KernelChoice gather(Gather op, Request of) {
    return hasElements(op, of.array())
        ? KernelChoice.of(new GatherKernel(op, of.operand(0), of.operand(1), of.array()))
        : KernelChoice.decline("slices without elements");
  }

  private static KernelChoice reduceWindow(ReduceWindow op, Request of) {
    List<Shape.Array> inputs = of.operands().subList(0, of.operands().size() / 2);
    return ofWindow(
        op.window(),
        () -> new ReduceWindowKernel(op, inputs, of.results(), of.called(0), of.observesNanBits()));
  }

  private static KernelChoice selectAndScatter(SelectAndScatter op, Request of) {
    return ofWindow(
        op.window(),
        () ->
            new SelectAndScatterKernel(
                op,
                of.operand(0),
                of.operand(1),
                of.called(0),
                of.called(1),
                of.observesNanBits()));
  }

  private static KernelChoice ofWindow(Window window, Supplier<Kernel> kernel) {
    return WindowPositions.isListable(window)
        ? KernelChoice.of(kernel.get())
        : KernelChoice.decline("a window of many positions");
  }

  private static List<Shape> parts(Shape shape) {
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
    return Stream.concat(operands, parts(instruction.shape()).stream());
  }
}
