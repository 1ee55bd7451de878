package org.hlo4j.tools.command;

import com.google.common.collect.LinkedHashMultiset;
import com.google.common.collect.Multiset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * What became of fusions in a difference of flattened modules: where the instructions of each
 * fusion are in the other program.
 */
final class FusionChanges {
  private static final int MAX_LINES = 20;

  private final Map<String, Multiset<String>> places = new LinkedHashMap<>();
  private final String other;

  private FusionChanges(String other) {
    this.other = other;
  }

  /** Returns a line for each fusion of B that is not one of A, and the other way round. */
  static List<String> lines(ModuleDiff diff) {
    List<String> lines = new ArrayList<>();
    FusionChanges inSecond = new FusionChanges("A");
    FusionChanges inFirst = new FusionChanges("B");
    for (ModuleDiff.ComputationDiff each : diff.computations()) {
      Stream.concat(each.same().stream(), each.changed().stream())
          .forEach(pair -> {
            inFirst.add(pair.first(), fusion(pair.second()));
            inSecond.add(pair.second(), fusion(pair.first()));
          });
      each.removed().forEach(one -> inFirst.add(one, "only in A"));
      each.added().forEach(one -> inSecond.add(one, "only in B"));
    }
    lines.addAll(inSecond.lines("B", inFirst));
    lines.addAll(inFirst.lines("A", inSecond));
    return lines;
  }

  /** Returns the fusion or call that an instruction is in; empty if there is none. */
  static String fusion(HloInstruction instruction) {
    return instruction.name().substring(0, Math.max(0, instruction.name().lastIndexOf('/')));
  }

  private void add(HloInstruction instruction, String place) {
    String fusion = fusion(instruction);
    if (!fusion.isEmpty()) {
      places.computeIfAbsent(fusion, name -> LinkedHashMultiset.create()).add(place);
    }
  }

  private List<String> lines(String program, FusionChanges counterparts) {
    List<String> lines = new ArrayList<>();
    places.forEach((fusion, parts) -> {
      if (!isWhole(parts, counterparts)) {
        lines.add(line(fusion, program, parts));
      }
    });
    int more = lines.size() - MAX_LINES;
    return more <= 1
        ? lines
        : Stream.concat(
                lines.stream().limit(MAX_LINES), Stream.of("… and " + more + " more of " + program))
            .toList();
  }

  /** Returns whether a fusion is exactly one of the other program. */
  private static boolean isWhole(Multiset<String> parts, FusionChanges counterparts) {
    Multiset<String> others =
        parts.elementSet().size() == 1
            ? counterparts.places.getOrDefault(parts.iterator().next(), LinkedHashMultiset.create())
            : LinkedHashMultiset.create();
    return others.size() == parts.size() && others.elementSet().size() == 1;
  }

  private String line(String fusion, String program, Multiset<String> parts) {
    return fusion
        + " of "
        + program
        + ": "
        + parts.elementSet().stream()
            .map(place -> parts.count(place) + " " + text(place))
            .collect(Collectors.joining(", "));
  }

  private String text(String place) {
    return place.startsWith("only in ")
        ? place
        : place.isEmpty() ? "not fused in " + other : "of " + place;
  }
}
