package org.hlo4j.hlo.schema;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Gives each instruction, or computation, of one module a name of its own: add, add.1, add.2. */
public final class Names {
  private static final Pattern FIT = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_.-]*");
  private static final Pattern UNFIT = Pattern.compile("[^a-zA-Z0-9_.-]");

  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> next = new HashMap<>();

  /** No name is taken yet. */
  public Names() {}

  /**
   * The wanted name, made fit for HLO text, with a number behind it if it is taken.
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
   * A name for HLO text. As XLA does: what is no letter, digit, dot, dash or underscore becomes an
   * underscore.
   *
   * @param name any text
   * @return the name
   */
  public static String sanitized(String name) {
    if (FIT.matcher(name).matches()) {
      return name;
    }
    String fit = UNFIT.matcher(name).replaceAll("_");
    return FIT.matcher(fit).matches() ? fit : "_" + fit;
  }
}
