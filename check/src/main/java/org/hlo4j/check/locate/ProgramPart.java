package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.graph.Traverser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleDevices;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/**
 * Programs of some instructions of a computation, with parameters for the values of others. A value
 * that is a tuple becomes a parameter for each array in it.
 */
final class ProgramPart {
  /** How many instructions, and bytes of operands and results, are computed in one run. */
  private static final int MAX_TOGETHER = 64;

  private static final long MAX_BYTES = 1L << 26;

  private ProgramPart() {}

  /** Returns the program of instructions alone, whose operands are parameters or constants. */
  static Program alone(List<HloInstruction> roots, Values values) {
    Set<HloInstruction> operands = new HashSet<>();
    roots.forEach(root -> operands.addAll(root.operands()));
    return of(roots, operands, values);
  }

  /** Returns the program of an instruction alone, with the values of each device. */
  static Program onDevices(HloInstruction root, HloModule of, List<Values> ofDevices) {
    List<Program> parts = ofDevices.stream().map(values -> alone(List.of(root), values)).toList();
    return Program.ofDevices(
        parts.get(0).module().withText(devices(of.devices()), ""),
        parts.stream().map(Program::arguments).toList());
  }

  private static ImmutableMap<String, String> devices(ModuleDevices devices) {
    return ImmutableMap.of(
        "replica_count", "" + devices.replicas(), "num_partitions", "" + devices.partitions());
  }

  /** Returns the program that computes the root of another one, with arrays as parameters. */
  static Program whole(Program program) {
    HloComputation entry = program.module().entry();
    Values values = new Values(Long.MAX_VALUE);
    values.putGiven(entry, program.arguments());
    return of(List.of(entry.root()), Set.of(), values);
  }

  /** Returns things in groups that are given to the system, or the reference, at once. */
  static <T> List<List<T>> chunks(List<T> all, ToLongFunction<T> bytes) {
    List<List<T>> chunks = new ArrayList<>();
    long left = 0;
    for (T each : all) {
      left -= bytes.applyAsLong(each);
      if (chunks.isEmpty() || left < 0 || chunks.getLast().size() == MAX_TOGETHER) {
        chunks.add(new ArrayList<>());
        left = MAX_BYTES - bytes.applyAsLong(each);
      }
      chunks.getLast().add(each);
    }
    return chunks;
  }

  /**
   * Returns the program that computes instructions from some given ones. Its result is a tuple if
   * there are several.
   */
  static Program of(List<HloInstruction> roots, Set<HloInstruction> given, Values values) {
    Set<HloInstruction> results = Set.copyOf(roots);
    ImmutableList<HloInstruction> needed =
        ImmutableList.copyOf(
            Traverser.<HloInstruction>forGraph(
                    at -> isGiven(at, given) && !results.contains(at) ? List.of() : at.operands())
                .depthFirstPostOrder(roots));
    List<Rewrite.Edit> edits =
        needed.stream()
            .filter(at -> isGiven(at, given))
            .map(at -> new Rewrite.Edit(at.name(), given(values, at, results.contains(at))))
            .toList();
    HloModule part =
        HloModule.create("part", HloComputation.create("main", needed, needed.getLast()));
    return Rewrite.of(Program.of(part), edits, roots.stream().map(HloInstruction::name).toList());
  }

  private static boolean isGiven(HloInstruction at, Set<HloInstruction> given) {
    return at.op() instanceof Parameter || (given.contains(at) && !(at.op() instanceof Constant));
  }

  /** Returns the change to a value; one that is a result is computed as well. */
  private static Rewrite.Change given(Values values, HloInstruction of, boolean isResult) {
    return (draft, at) -> {
      boolean isBoth = isResult && !(at.op() instanceof Parameter);
      if (isBoth) {
        draft.add(at);
      }
      return draft.given(isBoth ? draft.fresh(at.name()) : at.name(), values.of(of), of.shape());
    };
  }
}
