package org.hlo4j.stablehlo.mlir;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of values in a text that is being written: their own names where these are free, else
 * numbers and MLIR's suggestions. The results of a block are named before the values in their
 * regions.
 */
final class ValueNames {
  /** The numbering state of a region; numbers that are used in a region are free again after it. */
  private static final class Level {
    final Set<String> taken;
    final List<String> definedNames = new ArrayList<>();
    int results;
    int arguments;

    Level(Set<String> taken) {
      this.taken = taken;
    }
  }

  private final Map<Value, String> names = new HashMap<>();
  private final Map<Operation, String> resultTexts = new HashMap<>();
  private final Map<String, Integer> repeated = new HashMap<>();
  private final Deque<Level> levels = new ArrayDeque<>();

  ValueNames() {
    levels.push(new Level(new HashSet<>()));
  }

  /** Enters a region, in which the names so far are visible unless it is isolated. */
  void enter(boolean isolated) {
    Level outer = levels.element();
    Level inner = new Level(isolated ? new HashSet<>() : outer.taken);
    if (!isolated) {
      inner.results = outer.results;
      inner.arguments = outer.arguments;
    }
    levels.push(inner);
  }

  void leave() {
    Level inner = levels.pop();
    inner.taken.removeAll(Set.copyOf(inner.definedNames));
  }

  /** Returns the name of a value with its percent sign; a value without a name gets one. */
  String of(Value value) {
    String name = names.get(value);
    return name != null ? name : define(value, value.name().isEmpty() ? "arg" : value.name());
  }

  boolean has(Value value) {
    return names.containsKey(value);
  }

  void put(Value value, String name) {
    names.put(value, name);
  }

  /** Names the results of an operation, unless they have names. */
  void defineResults(Operation operation, List<String> suggested) {
    List<Value> results = operation.results();
    if (results.isEmpty() || has(results.get(0))) {
      return;
    }
    List<String> groups = new ArrayList<>();
    for (int from = 0, to; from < results.size(); from = to) {
      String preferredName = preferredName(results.get(from), from, suggested);
      to = from + 1;
      while (to < results.size()
          && preferredName(results.get(to), to, suggested).equals(preferredName)) {
        to++;
      }
      groups.add(defineGroup(results.subList(from, to), preferredName));
    }
    resultTexts.put(operation, String.join(", ", groups));
  }

  /** Returns the results of an operation as its definition writes them: {@code %0:2}. */
  String ofResults(Operation operation) {
    return resultTexts.getOrDefault(operation, "");
  }

  private static String preferredName(Value value, int number, List<String> suggested) {
    if (!isNumber(value.name()) || suggested.isEmpty()) {
      return value.name();
    }
    return suggested.get(Math.min(number, suggested.size() - 1));
  }

  private String defineGroup(List<Value> values, String preferredName) {
    String name = define(values.get(0), preferredName);
    for (int i = 0; i < values.size() && values.size() > 1; i++) {
      names.put(values.get(i), name + "#" + i);
    }
    return values.size() == 1 ? name : name + ":" + values.size();
  }

  private String define(Value value, String preferredName) {
    Level level = levels.element();
    String name = uniqueName(level, preferredName);
    level.definedNames.add(name);
    names.put(value, "%" + name);
    return "%" + name;
  }

  private String uniqueName(Level level, String preferredName) {
    boolean number = isNumber(preferredName);
    boolean argument = preferredName.equals("arg");
    String name = preferredName;
    if (number || argument) {
      do {
        name = number ? Integer.toString(level.results++) : "arg" + level.arguments++;
      } while (!level.taken.add(name));
      return name;
    }
    while (!level.taken.add(name)) {
      name = preferredName + "_" + (repeated.merge(preferredName, 1, Integer::sum) - 1);
    }
    return name;
  }

  /** Returns whether a name is empty or consists of digits. */
  private static boolean isNumber(String name) {
    return name.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
