package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import org.hlo4j.hlo.op.Elementwise.Kind;

/** Ops that are cheaper to compute again than to store and read. */
public final class CheapOps {
  private static final ImmutableSet<Kind> ALL =
      Sets.immutableEnumSet(
          Kind.ABS,
          Kind.ADD,
          Kind.AND,
          Kind.CEIL,
          Kind.COUNT_LEADING_ZEROS,
          Kind.FLOOR,
          Kind.IMAG,
          Kind.IS_FINITE,
          Kind.MAKE_COMPLEX,
          Kind.MAXIMUM,
          Kind.MINIMUM,
          Kind.MULTIPLY,
          Kind.NEGATE,
          Kind.NOT,
          Kind.OR,
          Kind.POPCNT,
          Kind.REAL,
          Kind.ROUND_NEAREST_EVEN,
          Kind.SHIFT_LEFT,
          Kind.SHIFT_RIGHT_ARITHMETIC,
          Kind.SHIFT_RIGHT_LOGICAL,
          Kind.SIGN,
          Kind.SUBTRACT,
          Kind.XOR);

  private CheapOps() {}

  /** {@return whether a kind of op is cheap} */
  public static boolean contains(Kind kind) {
    return ALL.contains(kind);
  }
}
