package org.hlo4j.interpreter.compiled.reduce;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.compiled.arrays.ElementBits;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The base class of kernels that run a {@link ReducePlan}. A chunk of results runs through the
 * passes as a whole or a few results at a time.
 */
abstract class ReduceKernel implements Kernel {
  /** With this many elements or more, an array is in no near cache. */
  static final long MIN_FAR = 1 << 21;

  final ReducePlan plan;
  final ReductionSpace space;

  ReduceKernel(ReducePlan plan) {
    this.plan = plan;
    this.space = plan.space();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    int all = plan.firstLocal() + plan.locals().size();
    Object[] arrays = Arrays.copyOf(plan.arrays().inputs(operands), all);
    Literal result = plan.arrays().allocate(arrays, plan.firstOutput(), context);
    ComputedArray.Reader[] readers = plan.arrays().readers(arrays, context);
    System.arraycopy(readers, 0, arrays, plan.firstReader(), readers.length);
    context.reserving(
        plan.arrays().bytesOfNumbers(),
        () -> "the tables of " + describe(),
        () -> run(arrays, context));
    return result;
  }

  @Override
  public String describe() {
    String sizes = space.kept().count() + "x" + space.depth();
    String what =
        space.isInnerReduced() ? "rows " + sizes : "columns " + sizes + "x" + space.inner();
    return "reduce " + what + ", passes " + plan.passes().size() + plan.arrays().describe();
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return InPlaceOperands.isSafe(plan, operand);
  }

  /** Computes the outputs. */
  abstract void run(Object[] arrays, KernelContext context);

  /** {@return a frame with workspaces of its own} */
  ChunkFrame frame(Object[] arrays, int results, int positions, int strip) {
    Object[] own = arrays.clone();
    for (int i = 0; i < plan.locals().size(); i++) {
      ReducePlan.Local local = plan.locals().get(i);
      int count =
          switch (local.extent()) {
            case RESULTS -> results;
            case POSITIONS -> positions;
            case STRIP -> strip;
            case ACCUMULATORS -> ReduceLoops.MAX_ACCUMULATORS;
            case ACCUMULATORS_OF_ROWS -> ReduceLoops.MAX_ROWS * ReduceLoops.MAX_ACCUMULATORS;
          };
      own[plan.firstLocal() + i] = Storages.allocate(local.type(), count);
    }
    return new ChunkFrame(own, space.inner(), plan.passes().size());
  }

  /** {@return an initial value of a reduction} */
  static Number initial(ChunkFrame frame, LoopNode node) {
    return number(array(frame, node), index(node), node.type());
  }

  /** {@return the array that holds an initial value} */
  private static Object array(ChunkFrame frame, LoopNode node) {
    return switch (node) {
      case LoopNode.Immediate immediate -> immediate.scalar().unsafeStorage();
      case LoopNode.Read read -> frame.arrays[read.input()];
      default -> throw new AssertionError("an initial value that is computed");
    };
  }

  private static int index(LoopNode node) {
    return node instanceof LoopNode.Read read ? (int) read.position().base() : 0;
  }

  /** {@return an element in its wide carrier type} */
  static Number number(Object array, int index, ElementType type) {
    return type.isFloating()
        ? (Number) Doubles.read(type, array, index)
        : (Number) ElementBits.read(type, array, index);
  }

  /** Sets accumulators, or results that are reduced into directly, to the initial values. */
  static void start(ChunkFrame frame, ReduceStep step, int count) {
    for (int k = 0; k < step.results().size(); k++) {
      LoopNode initial = step.reduction().initials().get(k);
      if (step.isSum()) {
        Number value = initial(frame, initial);
        Storages.fill(frame.arrays[step.accumulators()], 0, count, ElementType.F64, value);
      } else {
        ArrayLocation location = step.results().get(k);
        int at = location.at(frame);
        // The bits as stored; they may be those of a NaN that the reducer copies.
        long bits = Storages.bits(array(frame, initial), index(initial));
        Storages.fillBits(frame.arrays[location.slot()], at, at + count, bits);
      }
    }
  }

  /**
   * Reduces rows in order: a multiple of {@link ReduceLoops#ROWS}, or one. Those that a strip
   * computed have the stride {@code rowStride} in the workspace.
   */
  static void reduce(ChunkFrame frame, ReduceStep step, int[] innerRows, int count, int rowStride) {
    int atOnce = Math.min(innerRows.length, ReduceLoops.ROWS);
    int inputs = step.sources().size();
    Object[] arrays = new Object[2 * inputs];
    int[] positions = new int[inputs * atOnce + inputs];
    for (int k = 0; k < inputs; k++) {
      arrays[k] = frame.arrays[step.sources().get(k).slot()];
      ArrayLocation result = step.results().get(k);
      arrays[inputs + k] = frame.arrays[step.isSum() ? step.accumulators() : result.slot()];
      positions[inputs * atOnce + k] = step.isSum() ? 0 : result.at(frame);
    }
    ReduceLoop loop = atOnce == 1 ? step.remainderLoop() : step.loop();
    for (int first = 0; first < innerRows.length; first += atOnce) {
      for (int k = 0; k < inputs; k++) {
        for (int row = 0; row < atOnce; row++) {
          frame.innerRow = innerRows[first + row];
          frame.workspace = (first + row) * rowStride;
          positions[k * atOnce + row] = step.sources().get(k).at(frame);
        }
      }
      loop.run(arrays, positions, 0, count);
    }
  }

  /** Rounds sums to their type. */
  static void finish(ChunkFrame frame, ReduceStep step, int count) {
    if (step.isSum()) {
      ArrayLocation location = step.results().get(0);
      double[] sums = (double[]) frame.arrays[step.accumulators()];
      Object results = frame.arrays[location.slot()];
      Doubles.write(step.reduction().body().type(), sums, 0, results, location.at(frame), count);
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  final void prepare() {
    plan.arrays().prepare();
    plan.prologue().ifPresent(strip -> strip.loop().prepare());
    for (ReducePass pass : plan.passes()) {
      pass.strip().ifPresent(strip -> strip.loop().prepare());
      pass.epilogue().ifPresent(strip -> strip.loop().prepare());
      pass.steps().forEach(step -> step.loop().prepare());
      pass.steps().forEach(step -> step.remainderLoop().prepare());
      pass.steps().forEach(step -> step.multiRowLoop().ifPresent(ReduceLoop::prepare));
      pass.steps().forEach(step -> step.denseLoop().ifPresent(ReduceLoop::prepare));
    }
  }
}
