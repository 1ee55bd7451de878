package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.Effects;

/**
 * The state that the passes over one module share: the names in use, what has effects, and counts
 * of what was done.
 */
final class Session {
  private final Set<String> names = new HashSet<>();
  private final Map<String, Integer> last = new HashMap<>();
  private final Map<String, Integer> counts = new LinkedHashMap<>();
  private final Effects effects = new Effects();

  Session(HloModule module) {
    for (HloComputation computation : module.computations()) {
      names.add(computation.name());
      for (HloInstruction instruction : computation.instructions()) {
        names.add(instruction.name());
      }
    }
  }

  /** Returns an unused name: the wanted one, or its stem with another number appended. */
  String fresh(String wanted) {
    if (names.add(wanted)) {
      return wanted;
    }
    String stem = stem(wanted);
    int number = last.getOrDefault(stem, 0) + 1;
    while (!names.add(stem + "." + number)) {
      number++;
    }
    last.put(stem, number);
    return stem + "." + number;
  }

  /** Returns a name without the number at its end. */
  private static String stem(String name) {
    int end = name.length();
    while (end > 0 && Character.isDigit(name.charAt(end - 1))) {
      end--;
    }
    return end > 1 && end < name.length() && name.charAt(end - 1) == '.'
        ? name.substring(0, end - 1)
        : name;
  }

  /** Returns what tells the instructions with effects, those that passes have made as well. */
  Effects effects() {
    return effects;
  }

  /** Counts that something was done once more. */
  void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** Returns how often something was done so far. */
  int counted(String what) {
    return counts.getOrDefault(what, 0);
  }

  /** Returns all counts, in the order in which things were first done. */
  ImmutableMap<String, Integer> counts() {
    return ImmutableMap.copyOf(counts);
  }
}
