package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/** What StableHLO wants of an op, where its specification has no number for it. */
final class Verification {
  private Verification() {}

  /**
   * Refuses what does not hold.
   *
   * @param holds what has to hold
   * @param format what the op got and what StableHLO wants
   * @throws HloException of kind VERIFY unless it holds
   */
  @FormatMethod
  static void verify(boolean holds, @FormatString String format, @Nullable Object... arguments) {
    HloException.require(holds, VERIFY, format, arguments);
  }
}
