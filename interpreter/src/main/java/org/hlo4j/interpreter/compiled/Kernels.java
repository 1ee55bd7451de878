package org.hlo4j.interpreter.compiled;

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
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
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
import org.hlo4j.hlo.op.DynamicSlice;
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
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Pad;
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
import org.hlo4j.hlo.op.Reverse;
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
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.conv.Convolutions;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.indexing.ComputedIndices;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.hlo4j.interpreter.compiled.passes.Generators;
import org.hlo4j.interpreter.compiled.reduce.ComplexSum;
import org.hlo4j.interpreter.compiled.reduce.ReduceKernels;
import org.hlo4j.interpreter.compiled.whileloop.ScalarPrograms;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The choice of a kernel for each instruction. Instructions without a kernel are computed by the
 * reference.
 */
final class Kernels {
  /** The instructions that the kernels allow in fusions. */
  static final Generators GENERATORS =
      new Generators(
          Loops::canFuse,
          instruction -> instruction.op() instanceof Reduce,
          GemmFusions::canFuse,
          instruction -> of(instruction, false).kernel().isPresent());

  private Kernels() {}

  /**
   * Returns the kernel of an instruction. Declines if there is no code for it in any form.
   *
   * @param observesNanBits whether the module can tell one NaN from another
   */
  static KernelChoice of(HloInstruction instruction, boolean observesNanBits) {
    try {
      KernelChoice kernel = plain(instruction, observesNanBits);
      return observesNanBits ? kernel.flatMap(made -> QuietNaNs.of(made, instruction)) : kernel;
    } catch (NoCodeException none) {
      return none.decline();
    }
  }

  private static KernelChoice plain(HloInstruction instruction, boolean observesNanBits) {
    return switch (instruction.op()) {
      case Clamp _, Compare _, Convert _, ReducePrecision _, Select _ ->
          Loops.kernel(instruction, observesNanBits);
      case BitcastConvert _, Elementwise _ ->
          Loops.kernel(instruction, observesNanBits)
              .or(() -> OpKernels.kernel(instruction, observesNanBits));
      case BatchNormGrad _,
          BatchNormInference _,
          BatchNormTraining _,
          Broadcast _,
          Cholesky _,
          Concatenate _,
          CustomCall _,
          DynamicSlice _,
          DynamicUpdateSlice _,
          Fft _,
          Gather _,
          Iota _,
          Pad _,
          Reverse _,
          RngBitGenerator _,
          Scatter _,
          SelectAndScatter _,
          Slice _,
          Sort _,
          Topk _,
          Transpose _,
          TriangularSolve _ ->
          OpKernels.kernel(instruction, observesNanBits);
      case Call _, Conditional _, While _ -> ScalarPrograms.kernel(instruction, observesNanBits);
      case ReduceWindow _ ->
          scan(instruction, observesNanBits)
              .or(() -> OpKernels.kernel(instruction, observesNanBits));
      case Scan _ -> ReduceKernels.scan(instruction);
      case Reduce _ ->
          ReduceKernels.kernel(instruction)
              .or(() -> ComplexSum.of(instruction, ReduceKernels::kernel));
      case Dot _ -> DotKernels.kernel(instruction);
      case Convolution _ -> Convolutions.kernel(instruction);
      case Fusion _ -> fusion(instruction, observesNanBits);
      case AddDependency _,
          AfterAll _,
          AllGatherDone _,
          AllReduceDone _,
          AsyncDone _,
          AsyncStart _,
          AsyncUpdate _,
          Bitcast _,
          Collective _,
          CollectivePermuteDone _,
          CollectiveStart _,
          Constant _,
          Copy _,
          CopyDone _,
          CopyStart _,
          Domain _,
          DynamicReshape _,
          GetDimensionSize _,
          GetTupleElement _,
          Infeed _,
          Map _,
          OptBarrier _,
          Outfeed _,
          Parameter _,
          PartitionId _,
          RaggedDot _,
          Recv _,
          RecvDone _,
          ReplicaId _,
          Reshape _,
          Rng _,
          RngGetAndUpdateState _,
          ScaledDot _,
          Send _,
          SendDone _,
          SetDimensionSize _,
          StochasticConvert _,
          Tuple _ ->
          KernelChoice.NONE;
    };
  }

  private static KernelChoice scan(HloInstruction window, boolean observesNanBits) {
    KernelChoice kernel = ReduceKernels.scan(window);
    return observesNanBits ? kernel.flatMap(made -> QuietNaNs.ofReducer(made, window)) : kernel;
  }

  private static KernelChoice fusion(HloInstruction fusion, boolean observesNanBits) {
    return ScalarPrograms.kernel(fusion, observesNanBits)
        .or(() -> Loops.kernel(fusion, observesNanBits))
        .or(() -> GemmFusions.kernel(fusion, observesNanBits))
        .or(() -> indexing(fusion, observesNanBits))
        .or(() -> ReduceKernels.kernel(fusion));
  }

  private static KernelChoice indexing(HloInstruction fusion, boolean observesNanBits) {
    HloInstruction root = fusion.called().get(0).root();
    return root.op() instanceof Gather || root.op() instanceof Scatter
        ? OpKernels.kernel(root, observesNanBits)
            .flatMap(kernel -> ComputedIndices.of(fusion.called().get(0), kernel))
        : KernelChoice.decline("no gather or scatter");
  }
}
