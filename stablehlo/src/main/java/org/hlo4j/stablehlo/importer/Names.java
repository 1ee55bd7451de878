package org.hlo4j.stablehlo.importer;

import com.google.common.base.CharMatcher;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Names that do not repeat: the base, with a number from the second on. */
final class Names {
  private static final CharMatcher PLAIN =
      CharMatcher.inRange('a', 'z')
          .or(CharMatcher.inRange('A', 'Z'))
          .or(CharMatcher.inRange('0', '9'))
          .or(CharMatcher.anyOf("_.-"));

  private final Map<String, Integer> counts = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  String unique(String wanted) {
    String base = plain(wanted);
    String name = base;
    while (!used.add(name)) {
      name = base + "." + counts.merge(base, 1, Integer::sum);
    }
    return name;
  }

  /** The name with only what a name of HLO may have. */
  private static String plain(String wanted) {
    String plain = PLAIN.negate().trimAndCollapseFrom(wanted, '_');
    return plain.isEmpty() || !Character.isLetter(plain.charAt(0)) ? "v" + plain : plain;
  }
}
