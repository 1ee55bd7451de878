package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The kernel of a loop whose iteration is a generated method, which works on the arrays of the
 * state.
 */
final class LoopIterationKernel implements Kernel {
  /**
   * The elements that an iteration counts as, so that the first pieces have few: it is longer than
   * one of scalar code, and takes a tenth of a millisecond if there are calls.
   */
  private static final int ELEMENTS = 1 << 6;

  /**
   * The arguments of the method.
   *
   * @param areChanged for each array of the state, whether iterations write to it
   * @param given the arguments after the state
   */
  record Plan(ImmutableList<Boolean> areChanged, ImmutableList<ScalarArrays.Given> given) {}

  private final Shape shape;
  private final ImmutableList<Shape.Array> state;
  private final LoopIteration iteration;
  private final Plan plan;

  LoopIterationKernel(Shape shape, LoopIteration iteration, Plan plan) {
    this.shape = shape.withoutLayout();
    this.state = Operand.arrays(shape).collect(ImmutableList.toImmutableList());
    this.iteration = iteration;
    this.plan = plan;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    List<Object> arrays = new ArrayList<>();
    LiteralArrays.append(operands[0], arrays);
    for (int i = 0; i < state.size(); i++) {
      if (plan.areChanged().get(i)) {
        arrays.set(i, LiteralArrays.copy(arrays.get(i), context.allocate(state.get(i))));
      }
    }
    LiteralArrays.append(plan.given(), arrays, context);
    run(arrays.toArray(), context);
    return LiteralArrays.literal(shape, arrays);
  }

  private void run(Object[] arrays, KernelContext context) {
    Pieces pieces = new Pieces();
    int iterations = 0;
    while (iteration.run(arrays, context)) {
      iterations++;
      if (pieces.next(ELEMENTS)) {
        context.afterIterations(iterations);
        iterations = 0;
      }
    }
  }

  /** Returns whether all called kernels run in vector code. Warms up those that do not. */
  boolean isReady() {
    return calls().allMatch(call -> call.kernel().isReady());
  }

  /** Makes the vector code of all called kernels available now. */
  void prepare() {
    calls().forEach(call -> call.kernel().prepare());
  }

  private Stream<ScalarArrays.Given.Call> calls() {
    return plan.given().stream()
        .filter(ScalarArrays.Given.Call.class::isInstance)
        .map(ScalarArrays.Given.Call.class::cast);
  }

  /** Returns whether this kernel forwards the same arrays as another kernel. */
  boolean forwardsSameArraysAs(Kernel other) {
    return IntStream.range(0, state.size())
        .allMatch(i -> forwardedOperand(i) == other.forwardedOperand(i));
  }

  @Override
  public int forwardedOperand(int array) {
    return plan.areChanged().get(array) ? -1 : array;
  }

  @Override
  public String describe() {
    long calls = calls().count();
    return "generated method for each iteration" + (calls == 0 ? "" : ", with " + calls + " calls");
  }
}
