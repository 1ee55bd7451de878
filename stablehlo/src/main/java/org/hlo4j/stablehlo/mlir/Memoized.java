package org.hlo4j.stablehlo.mlir;

import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.jspecify.annotations.Nullable;

/** The elements of a constant, decoded at first use. Threads that come at once decode it once. */
final class Memoized implements Supplier<Literal> {
  private @Nullable Supplier<Literal> source;
  private @Nullable Literal literal;

  Memoized(Supplier<Literal> source) {
    this.source = source;
  }

  @Override
  public synchronized Literal get() {
    Literal known = literal;
    if (known == null && source != null) {
      known = source.get();
      literal = known;
      source = null;
    }
    if (known == null) {
      throw new IllegalStateException();
    }
    return known;
  }
}
