package org.hlo4j.interpreter.engine;

import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/**
 * What a kernel may use of another one's context: all of it, but its result lies where that one
 * says.
 *
 * @param context the other one's context
 * @param storage gives the storage of the result
 */
public record Placed(KernelContext context, Supplier<Object> storage) implements KernelContext {
  @Override
  public Object allocate(Shape.Array shape) {
    return storage.get();
  }

  @Override
  public Literal call(HloComputation computation, Literal... arguments) {
    return context.call(computation, arguments);
  }

  @Override
  public Workers workers() {
    return context.workers();
  }

  @Override
  public void checkLimits() {
    context.checkLimits();
  }

  @Override
  public void checkLimits(int iterations) {
    context.checkLimits(iterations);
  }
}
