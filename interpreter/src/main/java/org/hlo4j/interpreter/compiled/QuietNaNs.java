package org.hlo4j.interpreter.compiled;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * A kernel whose NaNs are made the type's one quiet NaN, as the reference computes it: processors
 * give them a sign and a payload of their own. Needed only in modules that look at bits; loops see
 * to it themselves.
 *
 * @param kernel what computes the values
 */
record QuietNaNs(Kernel kernel) implements Kernel {
  /** Whether an instruction of the module may tell one NaN from another. */
  static boolean areSeen(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> looksAtBits(instruction.op()));
  }

  private static boolean looksAtBits(Op op) {
    return op instanceof BitcastConvert
        || op instanceof Sort
        || op instanceof Topk
        || (op instanceof Compare compare
            && compare.type().filter(Compare.Type.TOTALORDER::equals).isPresent());
  }

  /** Whether a kernel computes NaNs, rather than handing them on. */
  static boolean concern(HloInstruction instruction) {
    return switch (instruction.op()) {
      case BatchNormGrad op -> true;
      case BatchNormInference op -> true;
      case BatchNormTraining op -> true;
      case Cholesky op -> true;
      case Convolution op -> true;
      case Dot op -> true;
      case Fft op -> true;
      case TriangularSolve op -> true;
      case Reduce op -> computes(instruction, 0);
      case ReduceWindow op -> computes(instruction, 0);
      case Scatter op -> computes(instruction, 0);
      case SelectAndScatter op -> computes(instruction, 1);
      case Fusion op -> holdsReduce(instruction);
      case Op op -> false; // generated methods of loops and calls see to it themselves
    };
  }

  private static boolean computes(HloInstruction instruction, int callee) {
    return instruction.called().get(callee).root().op() instanceof Elementwise;
  }

  /** A fusion of which a reduce is a part. */
  private static boolean holdsReduce(HloInstruction fusion) {
    return fusion.called().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> instruction.op() instanceof Reduce && computes(instruction, 0));
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Literal result = kernel.run(operands, context);
    quiet(result);
    return result;
  }

  private static void quiet(Literal value) {
    value.elements().forEach(QuietNaNs::quiet);
    if (value.shape() instanceof Shape.Array array) {
      switch (value.unsafeStorage()) {
        case float[] floats -> quiet(floats);
        case double[] doubles -> quiet(doubles);
        case Object _ when array.elementType().isFloating() -> quiet(value, array.elementType());
        case Object integers -> {}
      }
    }
  }

  private static void quiet(Literal narrow, ElementType type) {
    for (int i = 0; i < narrow.elementCount(); i++) {
      if (Double.isNaN(type.decode(narrow.bitsAt(i)))) {
        Storages.setBits(narrow.unsafeStorage(), i, type.encode(Double.NaN));
      }
    }
  }

  private static void quiet(float[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] = Float.isNaN(values[i]) ? Float.NaN : values[i];
    }
  }

  private static void quiet(double[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] = Double.isNaN(values[i]) ? Double.NaN : values[i];
    }
  }

  @Override
  public boolean mayOverwrite(int operand) {
    return kernel.mayOverwrite(operand);
  }

  @Override
  public String describe() {
    return kernel.describe() + ", NaNs made quiet";
  }
}
