package org.hlo4j.check.compare;

import java.util.Locale;

/** What a comparison of two results says, from the best to the worst. */
public enum Verdict {
  /** They have the same bits, where any two NaNs count as equal. */
  SAME,
  /** They differ, within the interval that the program's own roundings justify. */
  ROUNDED,
  /** They differ, and a specification leaves the element open ({@link LeftOpen}). */
  UNSPECIFIED,
  /**
   * They differ, and roundings justify any value: they decide a branch, an integer, or whether the
   * value is finite.
   */
  UNDECIDED,
  /** They differ by more than roundings justify. */
  WRONG;

  /**
   * Returns the worse of two verdicts.
   *
   * @param other another verdict
   * @return this one or the other
   */
  public Verdict worse(Verdict other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /**
   * Returns whether the results are as good as equal.
   *
   * @return whether this is {@link #SAME} or {@link #ROUNDED}
   */
  public boolean isGood() {
    return this == SAME || this == ROUNDED;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
