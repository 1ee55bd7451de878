package org.hlo4j.check.diff;

import static java.util.stream.Collectors.toSet;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/** What changed between two instructions that correspond. */
final class Changes {
  private static final int MAX_TEXT = 80;

  /** How much of what is the same is shown before the first difference of long texts. */
  private static final int CONTEXT = 20;

  private static final String CONTROL = "control-predecessors";
  private static final String NONE = "none";

  private final ImmutableList.Builder<ModuleDiff.Change> changes = ImmutableList.builder();

  private Changes() {}

  static ImmutableList<ModuleDiff.Change> of(
      HloInstruction one,
      HloInstruction other,
      Matching matching,
      HloComputation first,
      HloComputation second) {
    Changes changes = new Changes();
    changes.ops(one.op(), other.op());
    changes.shapes(one.shape(), other.shape());
    changes.operands(one, other, matching);
    changes.called(one.called(), other.called(), matching);
    changes.compare(
        "root", one == first.root() ? "yes" : "no", other == second.root() ? "yes" : "no");
    changes.compare("sharding", sharding(one), sharding(other));
    Set<HloInstruction> counterparts =
        predecessors(one, first)
            .map(each -> matching.instructions().getOrDefault(each, each))
            .collect(toSet());
    if (!counterparts.equals(predecessors(other, second).collect(toSet()))) {
      changes.add(CONTROL, controlText(one), controlText(other));
    }
    changes.attributes(unnamed(one), unnamed(other));
    return changes.changes.build();
  }

  /** Returns the changes of attributes that are kept as text. */
  static ImmutableList<ModuleDiff.Change> ofAttributes(
      Map<String, String> first, Map<String, String> second) {
    Changes changes = new Changes();
    changes.attributes(first, second);
    return changes.changes.build();
  }

  private void attributes(Map<String, String> first, Map<String, String> second) {
    for (String name : Sets.union(first.keySet(), second.keySet())) {
      compare(name, first.getOrDefault(name, NONE), second.getOrDefault(name, NONE));
    }
  }

  private boolean compare(String what, Object from, Object to) {
    boolean isSame = from.equals(to);
    if (!isSame) {
      add(what, from, to);
    }
    return isSame;
  }

  private void add(String what, Object from, Object to) {
    String one = String.valueOf(from);
    String other = String.valueOf(to);
    int same = Strings.commonPrefix(one, other).length();
    int begin = same < MAX_TEXT - CONTEXT ? 0 : same - CONTEXT;
    changes.add(new ModuleDiff.Change(what, text(one, begin), text(other, begin)));
  }

  /** Returns a part of a text, which tells where two long texts differ. */
  private static String text(String text, int begin) {
    int end = Math.min(text.length(), begin + MAX_TEXT);
    return (begin > 0 ? "…" : "") + text.substring(begin, end) + (end < text.length() ? "…" : "");
  }

  /** Adds the attributes that HLO text has; what the shape says is a change of the shape. */
  private void ops(Op one, Op other) {
    if (one instanceof Constant first && other instanceof Constant second) {
      if (!one.equals(other) && first.literal().shape().equals(second.literal().shape())) {
        add("value", first.literal().toHloText(), second.literal().toHloText());
      }
    } else if (one.getClass() != other.getClass()) {
      add("op", one.opcode(), other.opcode());
    } else if (!one.equals(other)) {
      OpSchema.attributes(one).stream()
          .filter(attribute -> attribute.place() != OpAttribute.Place.SHAPE)
          .forEach(each -> compare(each.name(), each.value(one), each.value(other)));
    }
  }

  private void shapes(Shape one, Shape other) {
    if (compare("shape", one.withoutLayout(), other.withoutLayout())) {
      compare("layout", one.toString(), other.toString());
    }
  }

  private void operands(HloInstruction one, HloInstruction other, Matching matching) {
    if (compare("operands", one.operands().size(), other.operands().size())) {
      List<HloInstruction> others = matching.inOrderOf(one, other);
      for (int i = 0; i < others.size(); i++) {
        HloInstruction from = one.operands().get(i);
        if (matching.instructions().get(from) != others.get(i)) {
          add("operand " + i, described(from), described(others.get(i)));
        }
      }
    }
  }

  private static String described(HloInstruction instruction) {
    return instruction.op().opcode() + " " + instruction.name();
  }

  private void called(List<HloComputation> ones, List<HloComputation> others, Matching matching) {
    compare("computations", ones.size(), others.size());
    for (int i = 0; i < Math.min(ones.size(), others.size()); i++) {
      if (!matching.correspond(ones.get(i), others.get(i))) {
        add("computation", ones.get(i).name(), others.get(i).name());
      }
    }
  }

  private static String sharding(HloInstruction instruction) {
    return instruction.sharding().map(Object::toString).orElse(NONE);
  }

  /** Returns the instructions that an attribute names, of which the counterparts count. */
  private static Stream<HloInstruction> predecessors(HloInstruction at, HloComputation in) {
    Set<String> names = Set.copyOf(at.controlPredecessors());
    return names.isEmpty()
        ? Stream.of()
        : in.instructions().stream().filter(each -> names.contains(each.name()));
  }

  private static String controlText(HloInstruction instruction) {
    return instruction.attributes().getOrDefault(CONTROL, NONE);
  }

  /** Returns the attributes that name no instructions. */
  private static Map<String, String> unnamed(HloInstruction instruction) {
    return Maps.filterKeys(instruction.attributes(), name -> !name.equals(CONTROL));
  }
}
