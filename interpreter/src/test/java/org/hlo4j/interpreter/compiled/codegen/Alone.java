package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Workers;

/** A context of a kernel that is run by itself. */
public final class Alone implements KernelContext {
  /** How often limits were checked. */
  public int checks;

  /** How often they may be, before the deadline is over. */
  public int most = Integer.MAX_VALUE;

  @Override
  public Object allocate(Shape.Array shape) {
    return new LiteralBuilder(shape).build().unsafeStorage();
  }

  @Override
  public Literal call(HloComputation computation, Literal... arguments) {
    throw new AssertionError("no call needed");
  }

  @Override
  public Workers workers() {
    return Workers.of(1);
  }

  @Override
  public void checkLimits() {
    if (++checks > most) {
      throw new HloException("", "run: got beyond the deadline");
    }
  }
}
