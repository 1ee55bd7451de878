package org.hlo4j.hlo.text;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Names of which each is given once: HLO text repeats them in each computation, modules do not. */
final class UniqueNames {
  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> next = new HashMap<>();

  /** This name, or if it is taken, with a number behind it that makes it another. */
  String take(String name) {
    if (taken.add(name)) {
      return name;
    }
    String root = withoutNumber(name);
    int number = next.getOrDefault(root, 1);
    while (!taken.add(root + "." + number)) {
      number++;
    }
    next.put(root, number + 1);
    return root + "." + number;
  }

  private static String withoutNumber(String name) {
    int end = name.length();
    while (end > 0 && Lexer.isDigit(name.charAt(end - 1))) {
      end--;
    }
    return end > 1 && end < name.length() && name.charAt(end - 1) == '.'
        ? name.substring(0, end - 1)
        : name;
  }
}
