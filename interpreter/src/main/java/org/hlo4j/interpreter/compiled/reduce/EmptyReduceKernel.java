package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of a reduction of no elements: the results are the initial values.
 *
 * @param results the shapes of the results
 * @param isTuple whether they are elements of a tuple
 */
record EmptyReduceKernel(List<Shape.Array> results, boolean isTuple) implements Kernel {
  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    List<Literal> values = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      Shape.Array shape = results.get(i);
      Object storage = context.allocate(shape);
      int[] sizes = {(int) shape.elementCount()};
      BoxCopy.of(shape.elementType(), sizes, new int[] {0}, new int[] {1})
          .run(operands[results.size() + i].unsafeStorage(), 0, storage, 0, context.workers());
      values.add(Literal.unsafeOf(shape, storage));
    }
    return isTuple ? Literal.tuple(values) : values.get(0);
  }

  @Override
  public String describe() {
    return "reduce nothing";
  }
}
