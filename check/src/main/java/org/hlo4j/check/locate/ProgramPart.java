package org.hlo4j.check.locate;

import com.google.common.base.Verify;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/**
 * A builder of programs of some instructions of a computation, with parameters for the values of
 * the others. A value that is a tuple becomes a parameter for each array in it.
 */
final class ProgramPart {
  private final Values values;
  private final List<HloInstruction> instructions = new ArrayList<>();
  private final List<Literal> arguments = new ArrayList<>();
  private final List<HloInstruction> roots = new ArrayList<>();

  /** Creates a builder for instructions with these values. */
  ProgramPart(Values values) {
    this.values = values;
  }

  /** Returns the program of one instruction, whose operands are parameters, or else constants. */
  static Program of(HloInstruction root, Values values) {
    ProgramPart part = new ProgramPart(values);
    part.add(root, Set.copyOf(root.operands()), "");
    return part.program();
  }

  /** Returns the program that computes an instruction from some given ones. */
  static Program of(HloInstruction root, Set<HloInstruction> given, Values values) {
    ProgramPart part = new ProgramPart(values);
    part.add(root, given, "");
    return part.program();
  }

  /** Adds an instruction as a root, and what computes it from some given ones. */
  void add(HloInstruction root, Set<HloInstruction> given, String prefix) {
    IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();
    roots.add(copy(root, root, given, prefix, copies));
  }

  /** Returns the program, whose result is a tuple if there are several roots. */
  Program program() {
    if (roots.size() > 1) {
      HloInstruction[] all = roots.toArray(HloInstruction[]::new);
      instructions.add(HloInstruction.of("results", new Tuple(), all));
    }
    HloComputation entry =
        HloComputation.create("main", instructions, instructions.get(instructions.size() - 1));
    return new Program(HloModule.create("part", entry), ImmutableList.copyOf(arguments));
  }

  /** Copies instructions depth first, without recursion: a chain may be long. */
  private HloInstruction copy(
      HloInstruction root,
      HloInstruction ofRoot,
      Set<HloInstruction> given,
      String prefix,
      IdentityHashMap<HloInstruction, HloInstruction> copies) {
    List<HloInstruction> stack = new ArrayList<>(List.of(root));
    while (!stack.isEmpty()) {
      HloInstruction top = stack.get(stack.size() - 1);
      boolean isGiven =
          top.op() instanceof Parameter
              || (top != ofRoot && given.contains(top) && !(top.op() instanceof Constant));
      List<HloInstruction> missing =
          isGiven
              ? List.of()
              : top.operands().stream().filter(each -> !copies.containsKey(each)).toList();
      if (!missing.isEmpty()) {
        stack.addAll(missing.reversed());
        continue;
      }
      stack.remove(stack.size() - 1);
      if (!copies.containsKey(top)) {
        copies.put(
            top,
            isGiven
                ? parameter(prefix + top.name(), values.of(top), top.shape())
                : computed(top, prefix, copies));
      }
    }
    return Verify.verifyNotNull(copies.get(root));
  }

  private HloInstruction computed(
      HloInstruction old, String prefix, Map<HloInstruction, HloInstruction> copies) {
    HloInstruction copy =
        HloInstruction.create(
                prefix + old.name(),
                old.op(),
                old.operands().stream().map(copies::get).toList(),
                old.called(),
                old.shape(),
                old.metadata(),
                Maps.filterKeys(old.attributes(), name -> !name.equals("control-predecessors")))
            .withSharding(old.sharding());
    instructions.add(copy);
    return copy;
  }

  private HloInstruction parameter(String name, Literal value, Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      HloInstruction[] elements = new HloInstruction[tuple.elements().size()];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = parameter(name + "." + i, value.element(i), tuple.elements().get(i));
      }
      HloInstruction whole = HloInstruction.of(name, new Tuple(), elements);
      instructions.add(whole);
      return whole;
    }
    HloInstruction parameter = HloInstruction.of(name, new Parameter(arguments.size(), shape));
    arguments.add(value);
    instructions.add(parameter);
    return parameter;
  }
}
