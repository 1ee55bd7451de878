package org.hlo4j.testing;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What tests leave to the night: with the system property {@code hlo4j.test.nightly} they run all
 * their cases, without it a sample, which is always the same.
 */
public final class Nightly {
  private static final boolean IS_ON = Boolean.getBoolean("hlo4j.test.nightly");

  private Nightly() {}

  /**
   * Returns whether all cases run.
   *
   * @return whether it is night
   */
  public static boolean isOn() {
    return IS_ON;
  }

  /**
   * Returns the choices that a row runs with: at night all of them, by day each {@code n}th, at
   * least one. Where they begin depends on the row, so that rows of one table have other choices.
   *
   * @param n from one choice to the next by day
   * @param row the text of the row
   * @param choices what the row could run with
   * @return the choices to run with, in their order
   * @param <T> the type of the choices
   */
  public static <T> List<T> some(int n, String row, List<T> choices) {
    if (IS_ON || choices.isEmpty()) {
      return choices;
    }
    int first = Math.floorMod((row.hashCode() * 0x9E3779B9) >>> 8, Math.min(n, choices.size()));
    return IntStream.range(0, choices.size())
        .filter(i -> i % n == first)
        .mapToObj(choices::get)
        .toList();
  }
}
