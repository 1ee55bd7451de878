package org.hlo4j.pjrt.form;

import static org.hlo4j.hlo.HloException.require;

import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.vhlo.Version;

/**
 * What a plugin reads.
 *
 * @param stableHlo its version of StableHLO; empty if it does not say
 * @param readsHlo whether it takes the format {@code hlo}
 */
public record ProgramReader(Optional<Version> stableHlo, boolean readsHlo) {
  /** Where a plugin says its version of StableHLO, in its attributes. */
  public static final String CURRENT_VERSION = "stablehlo_current_version";

  /**
   * The version that is written for a plugin that does not say its own: 12 weeks before the newest
   * one that is known, as XLA's other frameworks do.
   */
  private static final Version TWELVE_WEEKS_OLD = new Version(1, 16, 2);

  /**
   * Returns what a plugin reads by its attributes. All are taken to read HLO until they refuse it.
   *
   * @param attributes the attributes of the plugin: strings, numbers, or arrays of them
   * @return what it reads
   * @throws HloException if the version has another form than three numbers
   */
  public static ProgramReader of(Map<String, ?> attributes) {
    Object version = attributes.get(CURRENT_VERSION);
    require(
        version == null || (version instanceof long[] parts && parts.length == 3),
        "",
        "plugin: %s got %s, want three numbers",
        CURRENT_VERSION,
        version);
    return new ProgramReader(
        version instanceof long[] parts
            ? Optional.of(new Version((int) parts[0], (int) parts[1], (int) parts[2]))
            : Optional.empty(),
        true);
  }

  /** Returns the version of what is written: never newer than the plugin's, nor than ours. */
  Version written() {
    Version own = stableHlo.orElse(TWELVE_WEEKS_OLD);
    return Version.NEWEST.isBefore(own) ? Version.NEWEST : own;
  }

  /** Returns {@code StableHLO 1.13.3, the plugin's version}, and the like. */
  String describe() {
    String whose =
        stableHlo.isEmpty()
            ? "12 weeks old, since the plugin does not say its version"
            : Version.NEWEST.isBefore(stableHlo.get())
                ? "the newest one we write; the plugin has " + stableHlo.get()
                : "the plugin's version";
    return "StableHLO " + written() + ", " + whose;
  }
}
