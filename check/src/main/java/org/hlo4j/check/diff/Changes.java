package org.hlo4j.check.diff;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
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

  private final ImmutableList.Builder<ModuleDiff.Change> changes = ImmutableList.builder();

  private Changes() {}

  static ImmutableList<ModuleDiff.Change> of(
      HloInstruction one,
      HloInstruction other,
      InstructionMatching matching,
      BiPredicate<HloComputation, HloComputation> correspond) {
    Changes changes = new Changes();
    changes.ops(one.op(), other.op());
    changes.shapes(one, other);
    changes.operands(one, other, matching);
    changes.called(one, other, correspond);
    changes.root(one == matching.first().root(), other == matching.second().root());
    if (!one.sharding().equals(other.sharding())) {
      changes.add("sharding", sharding(one), sharding(other));
    }
    changes.controlPredecessors(one, other, matching);
    changes.changes.addAll(ofAttributes(unnamed(one), unnamed(other)));
    return changes.changes.build();
  }

  /** Returns the changes of attributes that are kept as text. */
  static ImmutableList<ModuleDiff.Change> ofAttributes(
      Map<String, String> first, Map<String, String> second) {
    Changes changes = new Changes();
    for (String name : Sets.union(first.keySet(), second.keySet())) {
      String from = first.getOrDefault(name, "none");
      String to = second.getOrDefault(name, "none");
      if (!from.equals(to)) {
        changes.add(name, from, to);
      }
    }
    return changes.changes.build();
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

  private void ops(Op one, Op other) {
    if (one.equals(other)) {
      return;
    }
    if (one.getClass() != other.getClass()) {
      add("op", one.opcode(), other.opcode());
    } else if (one instanceof Constant first && other instanceof Constant second) {
      if (first.literal().shape().equals(second.literal().shape())) {
        add("value", first.literal().toHloText(), second.literal().toHloText());
      }
    } else {
      attributes(one, other);
    }
  }

  /** Adds the attributes that HLO text has; what the shape says is a change of the shape. */
  private void attributes(Op one, Op other) {
    OpSchema.of(one.opcode()).stream()
        .flatMap(schema -> schema.attributes().stream())
        .filter(attribute -> attribute.place() != OpAttribute.Place.SHAPE)
        .filter(attribute -> !attribute.value(one).equals(attribute.value(other)))
        .forEach(attribute -> add(attribute.name(), attribute.value(one), attribute.value(other)));
  }

  private void shapes(HloInstruction one, HloInstruction other) {
    if (!one.shape().withoutLayout().equals(other.shape().withoutLayout())) {
      add("shape", one.shape().withoutLayout(), other.shape().withoutLayout());
    } else if (!one.shape().toString().equals(other.shape().toString())) {
      add("layout", one.shape(), other.shape());
    }
  }

  private void operands(HloInstruction one, HloInstruction other, InstructionMatching matching) {
    if (one.operands().size() != other.operands().size()) {
      add("operands", one.operands().size(), other.operands().size());
      return;
    }
    List<HloInstruction> others = matching.inOrderOf(one, other);
    for (int i = 0; i < one.operands().size(); i++) {
      HloInstruction from = one.operands().get(i);
      HloInstruction to = others.get(i);
      if (matching.pairs().get(from) != to) {
        add("operand " + i, described(from), described(to));
      }
    }
  }

  private static String described(HloInstruction instruction) {
    return instruction.op().opcode() + " " + instruction.name();
  }

  private void called(
      HloInstruction one,
      HloInstruction other,
      BiPredicate<HloComputation, HloComputation> correspond) {
    if (one.called().size() != other.called().size()) {
      add("computations", one.called().size(), other.called().size());
    }
    for (int i = 0; i < Math.min(one.called().size(), other.called().size()); i++) {
      HloComputation from = one.called().get(i);
      HloComputation to = other.called().get(i);
      if (!correspond.test(from, to)) {
        add("computation", from.name(), to.name());
      }
    }
  }

  private void root(boolean isFirst, boolean isSecond) {
    if (isFirst != isSecond) {
      add("root", isFirst ? "yes" : "no", isSecond ? "yes" : "no");
    }
  }

  /** Control predecessors are names of instructions: their counterparts count, in any order. */
  private void controlPredecessors(
      HloInstruction one, HloInstruction other, InstructionMatching matching) {
    Set<String> from = new HashSet<>();
    one.controlPredecessors()
        .forEach(name -> from.add(matching.nameInSecond(name).orElse("only in A")));
    if (!from.equals(ImmutableSet.copyOf(other.controlPredecessors()))) {
      add(CONTROL, controlText(one), controlText(other));
    }
  }

  private static String controlText(HloInstruction instruction) {
    return instruction.attributes().getOrDefault(CONTROL, "none");
  }

  /** Returns the attributes that name no instructions. */
  private static Map<String, String> unnamed(HloInstruction instruction) {
    return Maps.filterKeys(instruction.attributes(), name -> !name.equals(CONTROL));
  }

  private static String sharding(HloInstruction instruction) {
    return instruction.sharding().map(Object::toString).orElse("none");
  }
}
