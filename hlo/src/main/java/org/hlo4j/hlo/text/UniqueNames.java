package org.hlo4j.hlo.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Names of which each is given once: HLO text repeats them in each computation, modules do not. */
final class UniqueNames {
  /** A name that was given, and which number would have come next before that. */
  private record Given(String name, String root, int next) {}

  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> next = new HashMap<>();
  private final List<Given> given = new ArrayList<>();

  /** This name, or if it is taken, with a number behind it that makes it another. */
  String take(String name) {
    if (taken.add(name)) {
      given.add(new Given(name, "", 0));
      return name;
    }
    String root = withoutNumber(name);
    int before = next.getOrDefault(root, 1);
    int number = before;
    while (!taken.add(root + "." + number)) {
      number++;
    }
    next.put(root, number + 1);
    given.add(new Given(root + "." + number, root, before));
    return root + "." + number;
  }

  /** How many names were given so far. */
  int mark() {
    return given.size();
  }

  /** Takes back the names that were given since. */
  void release(int mark) {
    for (int i = given.size() - 1; i >= mark; i--) {
      Given last = given.remove(i);
      taken.remove(last.name);
      if (!last.root.isEmpty()) {
        next.put(last.root, last.next);
      }
    }
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
