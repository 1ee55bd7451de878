package org.hlo4j.builder;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Gives each instruction, or computation, of one module a name of its own: add, add.1, add.2. */
final class Names {
  private static final Pattern FIT = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_.-]*");
  private static final Pattern UNFIT = Pattern.compile("[^a-zA-Z0-9_.-]");

  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> next = new HashMap<>();

  /** The wanted name, made fit for HLO text, with a number behind it if it is taken. */
  String unique(String wanted) {
    String base = sanitized(wanted);
    String name = base;
    while (!taken.add(name)) {
      name = base + "." + next.merge(base, 1, Integer::sum);
    }
    return name;
  }

  /** As XLA does: what is no letter, digit, dot, dash or underscore becomes an underscore. */
  static String sanitized(String name) {
    if (FIT.matcher(name).matches()) {
      return name;
    }
    String fit = UNFIT.matcher(name).replaceAll("_");
    return FIT.matcher(fit).matches() ? fit : "_" + fit;
  }
}
