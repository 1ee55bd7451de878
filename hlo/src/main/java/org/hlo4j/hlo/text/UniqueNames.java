package org.hlo4j.hlo.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A generator of unique names: instruction names are unique within a computation in HLO text, but
 * within the whole module in {@link org.hlo4j.hlo.ir.HloModule}.
 */
final class UniqueNames {
  /** A name that was given out, with the next number of its root before that, which restores it. */
  private record Given(String name, String root, int next) {}

  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> next = new HashMap<>();
  private final List<Given> given = new ArrayList<>();

  /** Returns this name, or if it is taken, this name with a number that makes it unique. */
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

  /** Returns how many names were given so far. */
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
