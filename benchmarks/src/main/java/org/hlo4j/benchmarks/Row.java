package org.hlo4j.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * A row of the table.
 *
 * @param workload the workload
 * @param times the time of each round, for each contender that supports the workload
 */
record Row(Workload workload, Map<String, double[]> times) {
  private static boolean isPeer(String name) {
    return !name.startsWith("compiled") && !name.equals("reference");
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Returns the ratio of a contender's time to ours: the median over the rounds. */
  OptionalDouble ratio(String name) {
    double[] own = times.get(PeerTable.OURS);
    double[] other = times.get(name);
    if (own == null || other == null) {
      return OptionalDouble.empty();
    }
    double[] ratios = new double[own.length];
    Arrays.setAll(ratios, round -> other[round] / own[round]);
    return OptionalDouble.of(median(ratios));
  }

  /** Returns the row as Markdown. */
  String line(List<Contender> contenders) {
    StringBuilder line = new StringBuilder("| ").append(workload.what()).append(" | ");
    for (Contender contender : contenders) {
      double[] time = times.get(contender.name());
      line.append(time == null ? "" : number(median(time))).append(" | ");
    }
    OptionalDouble best =
        times.keySet().stream()
            .filter(Row::isPeer)
            .map(this::ratio)
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .min();
    line.append(best.isPresent() ? number(best.getAsDouble()) : "").append(" | ");
    return line.append("≥ ").append(number(workload.goal())).append(" |\n").toString();
  }

  private static String number(double value) {
    String format = value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f";
    return Objects.toString(String.format(Locale.ROOT, format, value));
  }
}
