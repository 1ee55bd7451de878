package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import com.google.common.graph.Traverser;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Draft;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/**
 * The instructions of a computation whose values are given, from which programs compute others: the
 * parameters, and these. A value that is a tuple becomes a parameter for each array in it.
 *
 * @param values the values of all of them
 * @param instructions those that are given beside the parameters
 */
record Given(Values values, Set<HloInstruction> instructions) {
  /** Returns all that is known: an instruction is then computed alone. */
  static Given all(Values values) {
    return new Given(values, values.instructions());
  }

  Given and(Set<HloInstruction> more) {
    return new Given(values, Sets.union(instructions, more).immutableCopy());
  }

  boolean has(HloInstruction at) {
    return at.op() instanceof Parameter
        || (instructions.contains(at) && !(at.op() instanceof Constant));
  }

  /** Returns what a program of some results has, each after its operands. */
  ImmutableList<HloInstruction> needed(List<HloInstruction> roots) {
    Set<HloInstruction> results = Set.copyOf(roots);
    return ImmutableList.copyOf(
        Traverser.<HloInstruction>forGraph(
                at -> has(at) && !results.contains(at) ? List.of() : at.operands())
            .depthFirstPostOrder(roots));
  }

  /** Returns whether the program of an instruction computes another one. */
  boolean computes(HloInstruction root, HloInstruction at) {
    return needed(List.of(root)).contains(at);
  }

  /** Returns the program that computes an instruction. */
  Program part(HloInstruction root) {
    return part(List.of(root));
  }

  /**
   * Returns the program that computes instructions, also those that are given to others. Its result
   * is a tuple if there are several.
   */
  Program part(List<HloInstruction> roots) {
    ImmutableList<HloInstruction> needed = needed(roots);
    Draft draft = Draft.entry(needed.stream().map(HloInstruction::name).toList());
    Predicate<HloInstruction> isAgain =
        at -> has(at) && roots.contains(at) && !(at.op() instanceof Parameter);
    Map<HloInstruction, HloInstruction> again = new HashMap<>();
    Map<HloInstruction, HloInstruction> taken = new HashMap<>();
    UnaryOperator<HloInstruction> operand =
        of ->
            taken.computeIfAbsent(
                of,
                at -> {
                  String name = isAgain.test(at) ? draft.fresh(at.name()) : at.name();
                  return draft.given(name, values.of(at), at.shape());
                });
    UnaryOperator<HloInstruction> copy =
        at -> {
          List<HloInstruction> operands = at.operands().stream().map(operand).toList();
          return draft.add(at.withOperands(operands).withoutControlPredecessors());
        };
    needed.stream().filter(at -> !has(at)).forEach(at -> taken.put(at, copy.apply(at)));
    List<HloInstruction> results =
        roots.stream()
            .map(at -> isAgain.test(at) ? again.computeIfAbsent(at, copy) : operand.apply(at))
            .toList();
    HloInstruction root = draft.together("results", results);
    return draft.program("part", root);
  }

  /** Returns the program of an instruction alone, with the values of each device. */
  static Program ofDevices(HloInstruction root, HloModule of, List<Values> all) {
    List<Program> parts = all.stream().map(values -> all(values).part(root)).toList();
    return Program.ofDevices(
        parts
            .get(0)
            .module()
            .withText(Maps.filterKeys(of.attributes(), Rewrite.LASTING::contains), ""),
        parts.stream().map(Program::arguments).toList());
  }

  /** Returns the program that computes the root of another one, with arrays as parameters. */
  static Program whole(Program program) {
    Values arguments = Values.given(program, Long.MAX_VALUE).get(0);
    return new Given(arguments, Set.of()).part(program.module().entry().root());
  }
}
