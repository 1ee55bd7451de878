package org.hlo4j.interpreter.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/**
 * The cost of the instructions of a module, counted as in XLA's HloCostAnalysis: an operation for
 * each element of an element-wise op, two for each term of a dot or convolution, and the operands
 * and the result of each instruction as bytes. The ops of {@link Routine} are counted by their
 * usual algorithms.
 */
public final class ModuleCost {
  /**
   * Operations per element of the normalization, of training with its statistics, and of the
   * gradient.
   */
  private static final double INFERENCE = 4;

  private static final double TRAINING = 8;
  private static final double GRADIENT = 12;

  /**
   * The cost of an instruction, a computation or a module.
   *
   * @param flops arithmetic operations, without transcendental functions
   * @param transcendentals evaluations of transcendental functions
   * @param bytes bytes read and written
   */
  public record Cost(double flops, double transcendentals, double bytes) {
    static final Cost NONE = new Cost(0, 0, 0);

    Cost plus(Cost other) {
      return new Cost(
          flops + other.flops, transcendentals + other.transcendentals, bytes + other.bytes);
    }

    Cost times(double count) {
      return new Cost(count * flops, count * transcendentals, count * bytes);
    }

    private Cost withBytes(double newBytes) {
      return new Cost(flops, transcendentals, newBytes);
    }
  }

  private final Map<HloComputation, Cost> known = new HashMap<>();
  private final Function<HloInstruction, OptionalLong> tripCounts;

  /**
   * Creates a counter.
   *
   * @param tripCounts the number of iterations of a loop; a loop whose count is not known counts as
   *     one iteration
   */
  public ModuleCost(Function<HloInstruction, OptionalLong> tripCounts) {
    this.tripCounts = tripCounts;
  }

  /**
   * Returns the cost of a module. Computations are visited callees first, so that deep nesting
   * needs no deep recursion.
   */
  public Cost of(HloModule module) {
    module.computations().forEach(this::of);
    return of(module.entry());
  }

  private Cost of(HloComputation computation) {
    Cost cost = known.get(computation);
    if (cost == null) {
      cost = computation.instructions().stream().map(this::of).reduce(Cost.NONE, Cost::plus);
      known.put(computation, cost);
    }
    return cost;
  }

  /** Returns the cost of an instruction. */
  public Cost of(HloInstruction instruction) {
    double elements = elements(instruction.shape());
    return switch (instruction.op()) {
      case Contraction op -> flops(instruction, ContractionCost.operations(op, instruction));
      case Elementwise op when op.kind().isTranscendental() || op.kind() == Kind.SQRT ->
          new Cost(0, elements, bytes(instruction));
      case Pointwise _ -> flops(instruction, elements);
      case HigherOrder op -> higherOrder(op, instruction).withBytes(bytes(instruction));
      case Routine op -> flops(instruction, operations(op, instruction));
      case Collective _, CollectiveStart _ ->
          called(instruction, 0).times(elements).withBytes(bytes(instruction));
      case Movement op -> flops(instruction, 0).withBytes(bytes(op, instruction));
      case External _, Sizing _ -> flops(instruction, 0);
      case ForwardingOp op -> forwarding(op, instruction);
    };
  }

  private static Cost flops(HloInstruction instruction, double flops) {
    return new Cost(flops, 0, bytes(instruction));
  }

  private Cost called(HloInstruction instruction, int index) {
    return instruction.called().size() <= index ? Cost.NONE : of(instruction.called().get(index));
  }

  /** Returns the cost of the reducer or comparator, times the number of its applications. */
  private Cost higherOrder(HigherOrder op, HloInstruction instruction) {
    double results = elements(first(instruction.shape()));
    double inputs = elements(instruction, 0);
    Cost each = called(instruction, 0);
    return switch (op) {
      case org.hlo4j.hlo.op.Map _ -> each.times(results);
      case Reduce _ -> each.times(Math.max(0, inputs - results));
      case ReduceWindow reduce -> each.times(results * (reduce.window().sizes().product() - 1));
      case Scan _ -> each.times(inputs);
      case Scatter _ -> each.times(elements(instruction, instruction.operands().size() - 1));
      case SelectAndScatter select -> {
        double sources = elements(instruction, 1);
        yield each.times(sources * (select.window().sizes().product() - 1))
            .plus(called(instruction, 1).times(sources));
      }
      case Sort sort -> each.times(inputs * log2(size(instruction, sort.dimensions())));
    };
  }

  private static double operations(Routine op, HloInstruction instruction) {
    double elements = elements(instruction, 0);
    return switch (op) {
      case BatchNormInference _ -> INFERENCE * elements;
      case BatchNormTraining _ -> TRAINING * elements;
      case BatchNormGrad _ -> GRADIENT * elements;
      case Cholesky _ -> elements * last(instruction) / 3;
      case TriangularSolve _ -> elements(instruction.shape()) * last(instruction);
      case Fft fft -> 5 * elements * log2((double) fft.fftLength().product());
      case RngBitGenerator _ -> elements(instruction.shape());
      case Topk _ -> elements;
    };
  }

  private Cost forwarding(ForwardingOp op, HloInstruction instruction) {
    Cost called = instruction.called().stream().map(this::of).reduce(Cost.NONE, Cost::plus);
    return switch (op) {
      case While _ -> called.times((double) tripCounts.apply(instruction).orElse(1));
      case Conditional _ ->
          instruction.called().stream()
              .map(this::of)
              .max((a, b) -> Double.compare(a.flops + a.bytes, b.flops + b.bytes))
              .orElse(Cost.NONE);
      case Fusion _ -> called.withBytes(bytes(instruction));
      case Copy _ -> flops(instruction, 0);
      default -> called;
    };
  }

  /**
   * Returns the bytes read and written. Of an array that is sliced or updated, only the accessed
   * part counts.
   */
  private static double bytes(Movement op, HloInstruction instruction) {
    double all = bytes(instruction);
    double base =
        instruction.operands().isEmpty() ? 0 : bytes(instruction.operands().get(0).shape());
    double result = bytes(instruction.shape());
    return switch (op) {
      case DynamicUpdateSlice _ ->
          all - base - result + bytes(instruction.operands().get(1).shape());
      default ->
          OpTraits.of(op).has(Trait.KEEPS_ORDER)
              ? 0
              : OpTraits.of(op).has(Trait.INDEXED) ? all - base + result : all;
    };
  }

  private static double bytes(HloInstruction instruction) {
    return bytes(instruction.shape())
        + instruction.operands().stream().mapToDouble(operand -> bytes(operand.shape())).sum();
  }

  private static double bytes(Shape shape) {
    return shape.arrays().stream().mapToDouble(Liveness::bytes).sum();
  }

  private static double elements(Shape shape) {
    return shape.arrays().stream().mapToDouble(Shape.Array::elementCount).sum();
  }

  private static double elements(HloInstruction instruction, int operand) {
    return elements(instruction.operands().get(operand).shape());
  }

  private static Shape first(Shape shape) {
    List<Shape.Array> arrays = shape.arrays();
    return arrays.isEmpty() ? shape : arrays.get(0);
  }

  private static double size(HloInstruction instruction, Dims dimensions) {
    return ((Shape.Array) instruction.operands().get(0).shape()).sizes().at(dimensions).product();
  }

  /** Returns the size of the last dimension of the first operand. */
  private static double last(HloInstruction instruction) {
    Shape.Array array = (Shape.Array) instruction.operands().get(0).shape();
    return array.size(array.rank() - 1);
  }

  private static double log2(double count) {
    return count <= 1 ? 0 : Math.ceil(Math.log(count) / Math.log(2));
  }
}
