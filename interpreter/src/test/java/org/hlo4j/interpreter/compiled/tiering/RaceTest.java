package org.hlo4j.interpreter.compiled.tiering;

import static com.google.common.truth.Truth.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RaceTest {
  private static final long MILLISECOND = 1_000_000;

  /**
   * {@return the states after measurements of a first and a second form, some milliseconds apart}
   */
  private static List<TimingComparison.State> measure(
      TimingComparison race, int apart, long[]... times) {
    List<TimingComparison.State> states = new ArrayList<>();
    long now = 0;
    for (long[] time : times) {
      states.add(race.addMeasurement(time[0], time[1], now));
      now += apart * MILLISECOND;
    }
    return states;
  }

  @Test
  void vectorsWinOnceTheyAreAboutAsFast() {
    assertThat(
            measure(
                new TimingComparison.OfVectors(), 1, new long[] {100, 200}, new long[] {100, 109}))
        .containsExactly(TimingComparison.State.OPEN, TimingComparison.State.WON)
        .inOrder();
  }

  @Test
  void vectorsThatStaySlowerLose() {
    TimingComparison race = new TimingComparison.OfVectors();
    for (int look = 1; look < 20; look++) {
      assertThat(race.addMeasurement(100, 200, look)).isEqualTo(TimingComparison.State.OPEN);
    }
    assertThat(race.addMeasurement(100, 200, 20)).isEqualTo(TimingComparison.State.LOST);
  }

  @Test
  void splitLoopsMustStayFaster() {
    assertThat(
            measure(
                new TimingComparison.OfSplitLoops(),
                40,
                new long[] {100, 70},
                new long[] {60, 70},
                new long[] {100, 40},
                new long[] {100, 40},
                new long[] {100, 40}))
        .containsExactly(
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.WON)
        .inOrder();
  }

  @Test
  void splitLoopsThatGetNoFasterLose() {
    assertThat(
            measure(
                new TimingComparison.OfSplitLoops(),
                300,
                new long[] {100, 400},
                new long[] {100, 200},
                new long[] {100, 190},
                new long[] {100, 190}))
        .containsExactly(
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.LOST)
        .inOrder();
  }

  @Test
  void uncompiledSplitLoopsTimeOut() {
    long[] uncompiled = {100, 350};
    TimingComparison race = new TimingComparison.OfSplitLoops();
    assertThat(measure(race, 1000, uncompiled, uncompiled, uncompiled, uncompiled))
        .containsExactly(
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN,
            TimingComparison.State.OPEN);
    assertThat(race.addMeasurement(100, 350, 4000 * MILLISECOND))
        .isEqualTo(TimingComparison.State.LOST);
  }
}
