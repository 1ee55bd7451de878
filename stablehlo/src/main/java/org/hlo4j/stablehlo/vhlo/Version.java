package org.hlo4j.stablehlo.vhlo;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.require;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;

/**
 * A version of StableHLO.
 *
 * @param major changes when old artifacts become unreadable
 * @param minor changes with each addition
 * @param patch does not change what an artifact may hold
 */
public record Version(int major, int minor, int patch) implements Comparable<Version> {
  /** The first version with a compatibility guarantee. */
  public static final Version OLDEST = new Version(0, 9, 0);

  /** The first version with the five-year guarantee; the default of the writer. */
  public static final Version STABLE = new Version(1, 0, 0);

  /** The newest version all of whose operations are known. */
  public static final Version NEWEST = new Version(1, 20, 0);

  private static final Pattern FORM = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})");
  private static final Comparator<Version> ORDER =
      Comparator.comparingInt(Version::major)
          .thenComparingInt(Version::minor)
          .thenComparingInt(Version::patch);

  /**
   * {@return the version written as {@code 1.2.0}}
   *
   * @param text the version
   * @throws HloException if it has another form
   */
  public static Version parse(String text) {
    Matcher matcher = FORM.matcher(text);
    require(matcher.matches(), ARGUMENT, "got StableHLO version %s, want one such as 1.0.0", text);
    return new Version(
        Integer.parseInt(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        Integer.parseInt(matcher.group(3)));
  }

  @Override
  public int compareTo(Version other) {
    return ORDER.compare(this, other);
  }

  /**
   * {@return whether it is before another}
   *
   * @param other the other
   */
  public boolean isBefore(Version other) {
    return compareTo(other) < 0;
  }

  /** Returns {@code 1.2.0}. */
  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
