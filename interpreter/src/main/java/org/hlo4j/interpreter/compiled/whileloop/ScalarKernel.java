package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/** Runs a generated program on scalars and single elements of arrays. */
final class ScalarKernel implements Kernel {
  /** Where an array of the result lies. */
  sealed interface Place {
    /** In storage that the program fills. */
    record New() implements Place {}

    /** In storage that the program makes. */
    record Made() implements Place {}

    /** In a copy of an operand's array, which the program changes. */
    record Copy(int operand) implements Place {}

    /** Where an operand's array lies. */
    record Same(int operand) implements Place {}
  }

  /**
   * How the program is run.
   *
   * @param given arrays that it is given behind the operands
   * @param copied the operands' arrays of which it is given copies
   * @param places where the arrays of the result lie
   */
  record Plan(
      ImmutableList<ScalarArrays.Given> given,
      ImmutableList<Integer> copied,
      ImmutableList<Place> places) {}

  private final Shape shape;
  private final ImmutableList<Shape.Array> results;
  private final ScalarProgram program;
  private final Plan plan;

  ScalarKernel(Shape shape, ScalarProgram program, Plan plan) {
    this.shape = shape.withoutLayout();
    this.results = Operand.arrays(shape).collect(ImmutableList.toImmutableList());
    this.program = program;
    this.plan = plan;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    List<Object> arrays = new ArrayList<>();
    for (Literal operand : operands) {
      LiteralArrays.append(operand, arrays);
    }
    LiteralArrays.append(plan.given(), arrays, context);
    Object[] storages = new Object[results.size()];
    for (int i = 0; i < storages.length; i++) {
      switch (plan.places().get(i)) {
        case Place.New _ -> storages[i] = context.allocate(results.get(i));
        case Place.Same same -> storages[i] = arrays.get(same.operand());
        case Place.Copy copy -> {
          Object own = context.allocate(results.get(i));
          storages[i] = LiteralArrays.copy(arrays.get(copy.operand()), own);
          arrays.set(copy.operand(), storages[i]);
        }
        case Place.Made _ -> {}
      }
    }
    for (int operand : plan.copied()) {
      arrays.set(operand, LiteralArrays.copy(arrays.get(operand)));
    }
    program.run(arrays.toArray(), storages, context);
    return LiteralArrays.literal(shape, Arrays.asList(storages));
  }

  @Override
  public int forwardedOperand(int array) {
    return plan.places().get(array) instanceof Place.Same same ? same.operand() : -1;
  }

  @Override
  public String describe() {
    return "generated method on scalars";
  }
}
