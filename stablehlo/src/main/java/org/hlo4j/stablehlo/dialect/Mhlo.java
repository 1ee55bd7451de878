package org.hlo4j.stablehlo.dialect;

/**
 * MHLO, the dialect that StableHLO was made from. Its ops, attributes and types are read as those
 * of StableHLO or CHLO that have their names.
 */
final class Mhlo {
  private static final String PREFIX = "mhlo.";

  private Mhlo() {}

  /** Returns the dialect that has an attribute of a dialect, or of MHLO. */
  static String successor(String dialect, String mnemonic) {
    if (!dialect.equals("mhlo")) {
      return dialect;
    }
    return mnemonic.equals("ragged_dot") ? "chlo" : "stablehlo";
  }

  /**
   * Returns the name that an op or a type of MHLO has in StableHLO or CHLO; any other name is
   * returned as it is.
   */
  static String renamed(String name) {
    if (!name.startsWith(PREFIX)) {
      return name;
    }
    String own = name.substring(PREFIX.length());
    String stable = "stablehlo." + own;
    String client = "chlo." + own;
    if (OpTable.find(stable).isPresent() || own.equals("token")) {
      return stable;
    }
    return OpTable.find(client).isPresent() ? client : name;
  }
}
