package org.hlo4j.interpreter.compiled.window;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.GeneratedCode;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.jspecify.annotations.Nullable;

/** The loops of a computation: the scalar form, and the vector form once C2 has compiled it. */
final class WindowLoops {
  /**
   * The maximum number of lines in a call: C2 strip-mines longer loops, and then spills the
   * accumulators.
   */
  static final int MAX_LINES = 990;

  private static final int ENOUGH = 1 << 17;

  private final Tiered<WindowLoop> tiers;
  private final int width;

  private WindowLoops(BodyCode body) {
    int lanes = Machine.width(body.widestBits());
    this.width = body.isVectorizable() ? lanes : 1;
    Consumer<CodeEmitter> writing = code -> new WindowLoopCode(code, body).write();
    Supplier<WarmupInput<WindowLoop>> warmup = () -> warmup(body, width);
    this.tiers = Tiered.of(WindowLoop.class, "Reduce", writing, width, warmup, ENOUGH);
  }

  /** {@return the loops; empty if there is no code for the computation} */
  static Optional<WindowLoops> of(HloComputation computation, boolean observesNanBits) {
    return BodyCode.ofReduction(computation)
        .map(body -> body.withObservableNaNs(observesNanBits))
        .flatMap(known -> GeneratedCode.getOrGenerate(WindowLoops.class, known, WindowLoops::new));
  }

  private static WarmupInput<WindowLoop> warmup(BodyCode body, int width) {
    int most = WarmupInput.ITERATIONS * width;
    Object[] inits = new Object[body.accumulatorCount()];
    Object[] to = new Object[body.accumulatorCount()];
    Object[] from = new Object[body.accumulatorCount()];
    for (int k = 0; k < to.length; k++) {
      inits[k] = Storages.allocate(body.type(k), 1);
      to[k] = Storages.allocate(body.type(k), 2 * most);
      from[k] = Storages.allocate(body.type(k), 2 * most);
    }
    int[] lines = {0, 1, most / 2, most};
    return (reducing, iterations) ->
        reducing.reduce(inits, to, 0, most, from, lines, 2, Math.max(0, iterations) * width, 2);
  }

  /** {@return the scalar form} */
  WindowLoop scalar() {
    return tiers.first();
  }

  /** {@return the vector form, if C2 has compiled it and at least one vector fits the length} */
  @Nullable WindowLoop vectorLoopIfCompiled(long work, int length) {
    return length < width ? null : tiers.second(work);
  }

  int width() {
    return width;
  }

  void prepare() {
    tiers.prepare();
  }
}
