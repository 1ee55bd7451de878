package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/** The kernel of a generated program on scalars and small arrays, or of a loop of iterations. */
final class ScalarKernel implements Kernel {
  /** The storage of an array of the result. */
  sealed interface ResultStorage {
    /** Storage that the kernel allocates and the program fills. */
    record KernelAllocated() implements ResultStorage {}

    /** A copy of an operand's array, which the program changes. */
    record Copy(int operand) implements ResultStorage {}

    /** The array of an operand. */
    record Forwarded(int operand) implements ResultStorage {}
  }

  /**
   * The arguments and the results of the program.
   *
   * @param given the arguments after the operands
   * @param copied the operands' arrays that are passed as copies
   * @param resultStorages the storage of the arrays of the result
   */
  record Plan(
      ImmutableList<ScalarArrays.Given> given,
      ImmutableList<Integer> copied,
      ImmutableList<ResultStorage> resultStorages) {}

  private final Shape shape;
  private final ImmutableList<Shape.Array> results;
  private final ScalarProgram program;
  private final Plan plan;
  private final String description;

  ScalarKernel(Shape shape, ScalarProgram program, Plan plan, String description) {
    this.shape = shape.withoutLayout();
    this.results = Operand.arrays(shape).collect(ImmutableList.toImmutableList());
    this.program = program;
    this.plan = plan;
    this.description = description;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    List<Object> arrays = new ArrayList<>();
    for (Literal operand : operands) {
      LiteralArrays.append(operand, arrays);
    }
    Object[] storages = new Object[results.size()];
    for (int i = 0; i < storages.length; i++) {
      switch (plan.resultStorages().get(i)) {
        case ResultStorage.KernelAllocated _ -> storages[i] = context.allocate(results.get(i));
        case ResultStorage.Forwarded same -> storages[i] = arrays.get(same.operand());
        case ResultStorage.Copy copy -> {
          Object own = context.allocate(results.get(i));
          storages[i] = LiteralArrays.copy(arrays.get(copy.operand()), own);
          arrays.set(copy.operand(), storages[i]);
        }
      }
    }
    for (int operand : plan.copied()) {
      arrays.set(operand, LiteralArrays.copy(arrays.get(operand)));
    }
    LiteralArrays.append(plan.given(), arrays, context);
    program.run(arrays.toArray(), storages, context);
    return LiteralArrays.literal(shape, Arrays.asList(storages));
  }

  @Override
  public int forwardedOperand(int array) {
    return plan.resultStorages().get(array) instanceof ResultStorage.Forwarded same
        ? same.operand()
        : -1;
  }

  @Override
  public String describe() {
    long calls = calls().count();
    return description + (calls == 0 ? "" : ", with " + calls + " calls");
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
    return IntStream.range(0, results.size())
        .allMatch(i -> forwardedOperand(i) == other.forwardedOperand(i));
  }
}
