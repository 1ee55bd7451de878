package org.hlo4j.hlo.schema;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A generator of unique names for the instructions or computations of one module: add, add.1,
 * add.2.
 */
public final class Names {
  private static final Pattern FIT = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_.-]*");
  private static final Pattern UNFIT = Pattern.compile("[^a-zA-Z0-9_.-]");

  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> next = new HashMap<>();

  /** Creates a generator without taken names. */
  public Names() {}

  /**
   * Returns a name made valid for HLO text, with a number appended if it is taken.
   *
   * @param wanted any text
   * @return a name that was not given before
   */
  public String unique(String wanted) {
    String base = sanitized(wanted);
    String name = base;
    while (!taken.add(name)) {
      name = base + "." + next.merge(base, 1, Integer::sum);
    }
    return name;
  }

  /**
   * Returns a valid name for HLO text. As in XLA, every character except letters, digits, dot, dash
   * and underscore becomes an underscore, and two underscores at the beginning, which XLA refuses,
   * become {@code a_}.
   *
   * @param name any text
   * @return the name
   */
  public static String sanitized(String name) {
    if (!name.startsWith("__") && FIT.matcher(name).matches()) {
      return name;
    }
    String fit = UNFIT.matcher(name).replaceAll("_");
    if (fit.startsWith("__")) {
      return "a" + fit.substring(1);
    }
    return FIT.matcher(fit).matches() ? fit : "_" + fit;
  }
}
