package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import org.hlo4j.hlo.op.Elementwise.Kind;

/** Ops that are cheaper to compute again than to store and read. */
public final class CheapOps {
  private static final ImmutableSet<Kind> EXPENSIVE =
      Sets.immutableEnumSet(
          Kind.DIVIDE, Kind.MULHI, Kind.REMAINDER, Kind.ROUND_NEAREST_AFZ, Kind.SQRT);

  private CheapOps() {}

  /** {@return whether a kind of op is cheap} */
  public static boolean contains(Kind kind) {
    return !kind.isTranscendental() && !EXPENSIVE.contains(kind);
  }
}
