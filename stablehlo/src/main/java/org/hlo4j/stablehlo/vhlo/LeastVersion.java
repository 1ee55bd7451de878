package org.hlo4j.stablehlo.vhlo;

import com.google.common.collect.ImmutableList;

/**
 * The least version of StableHLO whose portable artifacts can hold a module.
 *
 * @param version the version
 * @param operations the names of the operations that earlier versions lack in the form in which
 *     they are used, sorted; empty for the first version of all
 */
public record LeastVersion(Version version, ImmutableList<String> operations) {
  /** Returns {@code 1.16.0, for stablehlo.all_gather}. */
  @Override
  public String toString() {
    return version + (operations.isEmpty() ? "" : ", for " + String.join(", ", operations));
  }
}
