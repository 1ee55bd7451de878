package org.hlo4j.check.verdicts;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads groups of cases:
 *
 * <pre>
 *   == dot of 64 terms: floats                            the name and the types T
 *   in T[4,64] normal; T[64,4] normal                     the arguments p0, p1
 *     ROOT r = T[4,4] dot(p0, p1), …                      the program
 *   planted: all zero | all half                          systems that are wrong (FaultySystem)
 *   allowed bf16 f16: sum order in f32                    systems that are right, of these types
 *   open: all negate                                      what specifications leave open
 *   missed f8: all times 1.01 -- rounds to the same       planted, and no bound can see it
 *   >> dot of 64 terms                                    more systems of a group before
 *   let gross = all zero | all half                       @gross stands for these systems
 * </pre>
 */
final class VerdictRows {
  private static final Pattern HEAD = Pattern.compile("== (.*): (.*)");
  private static final Pattern LINE =
      Pattern.compile("(planted|allowed|open|missed)((?: [a-z0-9]+)*): (.*?)(?: -- (.*))?");
  private static final Splitter LIST = Splitter.on(';').trimResults().omitEmptyStrings();
  private static final Splitter SYSTEMS = Splitter.on(" | ").trimResults();

  private String name = "";
  private ImmutableList<String> types = ImmutableList.of();
  private ImmutableList<String> inputs = ImmutableList.of();
  private final Set<String> names = new HashSet<>();
  private final Map<String, String> lists = new HashMap<>();
  private final List<String> statements = new ArrayList<>();
  private final List<String> computations = new ArrayList<>();
  private final List<VerdictGroup.Systems> systems = new ArrayList<>();
  private final ImmutableList.Builder<VerdictGroup> groups = ImmutableList.builder();

  private VerdictRows() {}

  static ImmutableList<VerdictGroup> parse(List<String> lines) {
    VerdictRows rows = new VerdictRows();
    StringBuilder joined = new StringBuilder();
    for (String line : lines) { // a line that ends with a bar goes on
      joined.append(joined.isEmpty() ? line : line.trim());
      if (line.endsWith(" |")) {
        joined.append(' ');
      } else {
        rows.read(joined.toString());
        joined.setLength(0);
      }
    }
    rows.end();
    return rows.groups.build();
  }

  private void read(String line) {
    Matcher head = HEAD.matcher(line);
    Matcher systemsLine = LINE.matcher(line);
    if (line.isBlank() || line.startsWith("#")) {
      return;
    }
    if (line.startsWith("let ")) {
      lists.put(
          "@" + line.substring(4, line.indexOf(" = ")), line.substring(line.indexOf(" = ") + 3));
    } else if (head.matches()) {
      end();
      name = unique(head.group(1));
      types = VerdictGroup.types(head.group(2));
    } else if (line.startsWith(">> ")) {
      end();
      again(line.substring(3));
    } else if (line.startsWith("in ")) {
      inputs = LIST.splitToStream(line.substring(3)).collect(toImmutableList());
    } else if (line.startsWith("def ")) {
      computations.add(line.substring(4));
    } else if (line.startsWith("  ")) {
      statements.addAll(LIST.splitToList(line));
    } else if (systemsLine.matches()) {
      systems.add(systems(systemsLine));
    } else {
      throw new IllegalArgumentException("no row: " + line);
    }
  }

  private String unique(String group) {
    if (!names.add(group)) {
      throw new IllegalArgumentException("two groups " + group);
    }
    return group;
  }

  private void again(String group) {
    VerdictGroup known =
        groups.build().stream().filter(g -> g.name().equals(group)).findFirst().orElseThrow();
    name = group;
    types = known.types();
    inputs = known.inputs();
    statements.addAll(known.program().statements());
    computations.addAll(known.program().computations());
  }

  private VerdictGroup.Systems systems(Matcher line) {
    return new VerdictGroup.Systems(
        line.group(1).equals("missed") ? "planted" : line.group(1),
        line.group(2).isEmpty() ? types : VerdictGroup.types(line.group(2)),
        SYSTEMS
            .splitToStream(line.group(3))
            .flatMap(s -> SYSTEMS.splitToStream(lists.getOrDefault(s, s)))
            .collect(toImmutableList()),
        line.group(4) == null ? "" : line.group(4));
  }

  private void end() {
    if (!name.isEmpty()) {
      ImmutableList<String> shapes =
          inputs.stream().map(i -> i.substring(0, i.indexOf(' '))).collect(toImmutableList());
      ProgramText program =
          new ProgramText(
              shapes, ImmutableList.copyOf(statements), ImmutableList.copyOf(computations));
      groups.add(new VerdictGroup(name, types, inputs, program, ImmutableList.copyOf(systems)));
    }
    inputs = ImmutableList.of();
    statements.clear();
    computations.clear();
    systems.clear();
  }
}
