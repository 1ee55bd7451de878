package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * A kernel whose NaNs are made the type's one quiet NaN, as the reference computes it: processors
 * give them a sign and a payload of their own. Needed only in modules that look at bits; loops see
 * to it themselves.
 *
 * @param kernel what computes the values
 * @param computed the elements of its result, if that is a tuple, that it computes
 */
record QuietNaNs(Kernel kernel, ImmutableSet<Integer> computed) implements Kernel {
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

  /** A kernel of an instruction; what it only hands on stays as it is. */
  static Kernel of(Kernel kernel, HloInstruction instruction) {
    ImmutableSet<Integer> computed = computed(instruction);
    return computed.isEmpty() ? kernel : new QuietNaNs(kernel, computed);
  }

  private static ImmutableSet<Integer> computed(HloInstruction instruction) {
    boolean isAll =
        switch (instruction.op()) {
          case BatchNormGrad op -> true;
          case BatchNormInference op -> true;
          case BatchNormTraining op -> true;
          case Cholesky op -> true;
          case Convolution op -> true;
          case Dot op -> true;
          case Fft op -> true;
          case TriangularSolve op -> true;
          case Fusion op -> holdsReduce(instruction);
          case Elementwise op -> isOfComplexNumbers(instruction);
          case Op op -> false; // generated methods of loops and calls see to it themselves
        };
    if (isAll) {
      int elements = instruction.shape() instanceof Shape.Tuple tuple ? tuple.elements().size() : 1;
      return ContiguousSet.closedOpen(0, elements);
    }
    return switch (instruction.op()) {
      case Reduce op -> computed(instruction, 0);
      case ReduceWindow op -> computed(instruction, 0);
      case Scatter op -> computed(instruction, 0);
      case SelectAndScatter op -> computed(instruction, 1);
      case Op op -> ImmutableSet.of();
    };
  }

  /** What is computed number by number, not by loops over parts. */
  private static boolean isOfComplexNumbers(HloInstruction instruction) {
    return Stream.concat(Stream.of(instruction), instruction.operands().stream())
        .map(HloInstruction::shape)
        .anyMatch(shape -> shape instanceof Shape.Array array && array.elementType().isComplex());
  }

  /** Which values a called computation computes: a choice between two hands one on. */
  private static ImmutableSet<Integer> computed(HloInstruction instruction, int callee) {
    HloInstruction root = instruction.called().get(callee).root();
    ImmutableList<HloInstruction> values =
        root.op() instanceof Tuple ? root.operands() : ImmutableList.of(root);
    return IntStream.range(0, values.size())
        .filter(value -> values.get(value).op() instanceof Elementwise)
        .boxed()
        .collect(ImmutableSet.toImmutableSet());
  }

  /** A fusion of which a reduce is a part. */
  private static boolean holdsReduce(HloInstruction fusion) {
    return fusion.called().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction ->
            instruction.op() instanceof Reduce && !computed(instruction, 0).isEmpty());
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Literal result = kernel.run(operands, context);
    if (result.shape() instanceof Shape.Tuple) {
      computed.forEach(element -> quiet(result.element(element)));
    } else {
      quiet(result);
    }
    return result;
  }

  private static void quiet(Literal value) {
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
