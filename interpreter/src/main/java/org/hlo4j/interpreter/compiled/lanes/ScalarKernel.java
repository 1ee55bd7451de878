package org.hlo4j.interpreter.compiled.lanes;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** Runs a generated program on scalars. */
final class ScalarKernel implements Kernel {
  private final Shape shape;
  private final ImmutableList<Shape.Array> results;
  private final ScalarProgram program;

  ScalarKernel(Shape shape, ScalarProgram program) {
    this.shape = shape;
    this.results = Item.scalars(shape).collect(ImmutableList.toImmutableList());
    this.program = program;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] storages = new Object[results.size()];
    for (int i = 0; i < storages.length; i++) {
      storages[i] = context.allocate(results.get(i));
    }
    program.run(flat(operands), storages, context);
    return result(shape, storages, new int[1]);
  }

  private static Object[] flat(Literal[] operands) {
    List<Object> storages = new ArrayList<>(operands.length);
    for (Literal operand : operands) {
      flatten(operand, storages);
    }
    return storages.toArray();
  }

  private static void flatten(Literal literal, List<Object> storages) {
    if (literal.shape() instanceof Shape.Tuple) {
      literal.elements().forEach(element -> flatten(element, storages));
    } else {
      storages.add(literal.unsafeStorage());
    }
  }

  private static Literal result(Shape shape, Object[] storages, int[] next) {
    return switch (shape) {
      case Shape.Array array -> Literal.unsafeOf(array, storages[next[0]++]);
      case Shape.Tuple tuple -> {
        ImmutableList.Builder<Literal> elements = ImmutableList.builder();
        tuple.elements().forEach(element -> elements.add(result(element, storages, next)));
        yield Literal.tuple(elements.build());
      }
      case Shape.Token _, Shape.Opaque _ -> throw new AssertionError(shape);
    };
  }

  @Override
  public String describe() {
    return "generated method on scalars";
  }
}
