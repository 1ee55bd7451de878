package org.hlo4j.check.diff;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The difference of two modules: which instructions correspond, whatever their names are, and what
 * changed.
 *
 * <p>Computations are matched from the entries on, by the calls of matched instructions. In a pair
 * of computations, parameters are matched by number, then instructions that compute the same from
 * the same operands; then operands and users of those, if they have the same opcode; then what
 * computes the same but for layouts and attributes; and last what has the same opcode and shape. Of
 * the computations that are left, those that are the same are pairs. The time is nearly linear.
 *
 * <p>Both operands of a commutative op may be in either order. A chain of broadcasts, transposes
 * and reshapes counts as one instruction, the last one, where one can do the same; so does a
 * conversion to a wider type and back.
 *
 * @param attributes changes of the modules' own attributes, such as {@code input_output_alias}
 * @param computations a difference for each pair of computations, the entries first
 * @param onlyInFirst computations that only the first module has
 * @param onlyInSecond computations that only the second module has
 */
public record ModuleDiff(
    ImmutableList<Change> attributes,
    ImmutableList<ComputationDiff> computations,
    ImmutableList<HloComputation> onlyInFirst,
    ImmutableList<HloComputation> onlyInSecond) {
  /** What changes are called besides {@code operand 1} and names of attributes. */
  public static final ImmutableSet<String> CHANGE_NAMES =
      ImmutableSet.of(
          "op",
          "shape",
          "layout",
          "value",
          "operands",
          "computation",
          "computations",
          "root",
          "sharding");

  /**
   * Two computations that correspond.
   *
   * @param first that of the first module
   * @param second that of the second module
   * @param same pairs of instructions that are the same but for names and metadata
   * @param changed pairs that differ
   * @param removed instructions of the first computation that have no counterpart
   * @param added instructions of the second computation that have no counterpart
   */
  public record ComputationDiff(
      HloComputation first,
      HloComputation second,
      ImmutableList<Pair> same,
      ImmutableList<Pair> changed,
      ImmutableList<HloInstruction> removed,
      ImmutableList<HloInstruction> added) {}

  /**
   * Two instructions that correspond.
   *
   * @param first that of the first module
   * @param second that of the second module
   * @param changes what changed; none if they are the same
   */
  public record Pair(HloInstruction first, HloInstruction second, ImmutableList<Change> changes) {}

  /**
   * A change of an instruction.
   *
   * @param what what changed: {@code op}, {@code shape}, {@code layout}, an attribute by its name
   *     in HLO text, {@code value} of a constant, {@code operand 1}, {@code computation}, {@code
   *     computations} (how many), {@code root} (whether it is the result), {@code sharding} or
   *     another attribute
   * @param from the value in the first module
   * @param to the value in the second module
   */
  public record Change(String what, String from, String to) {}

  /**
   * Returns what changes between two modules may be called, but for {@code operand 1}.
   *
   * @param first a module
   * @param second another one
   * @return {@link #CHANGE_NAMES} and the names of the attributes that the modules have
   */
  public static ImmutableSet<String> changeNames(HloModule first, HloModule second) {
    ImmutableSet.Builder<String> names = ImmutableSet.<String>builder().addAll(CHANGE_NAMES);
    for (HloModule module : List.of(first, second)) {
      names.addAll(module.attributes().keySet());
      module
          .instructions()
          .forEach(each -> {
            names.addAll(each.attributes().keySet());
            OpSchema.attributes(each.op()).forEach(attribute -> names.add(attribute.name()));
          });
    }
    return names.build();
  }

  /**
   * Compares two modules.
   *
   * @param first a module
   * @param second another one
   * @return their difference
   */
  public static ModuleDiff of(HloModule first, HloModule second) {
    return new Matching(Simplified.of(first), Simplified.of(second)).diff();
  }

  /**
   * Compares two modules as if the instructions of their fusions and calls stood where these are
   * called: programs before and after fusion. The names of such instructions begin with the name of
   * the fusion and a slash, {@code fusion.3/add.1}. What is ordered before or after a fusion is
   * ordered before or after its root; other attributes of fusions and calls do not count.
   *
   * @param first a module
   * @param second another one
   * @return their difference
   * @throws HloException if a module would have more than a million instructions
   */
  public static ModuleDiff ofFlattened(HloModule first, HloModule second) {
    return of(CallInliner.inlined(first, "/"), CallInliner.inlined(second, "/"));
  }

  /**
   * Returns the difference without some changes. Instructions and attributes that differ in nothing
   * else are the same.
   *
   * @param whats what is ignored, as {@link Change#what} names it, such as {@code layout}
   * @return the difference
   */
  public ModuleDiff ignoring(Set<String> whats) {
    return new ModuleDiff(
        without(attributes, whats),
        computations.stream()
            .map(each -> ignoring(each, whats))
            .collect(ImmutableList.toImmutableList()),
        onlyInFirst,
        onlyInSecond);
  }

  private static ComputationDiff ignoring(ComputationDiff diff, Set<String> whats) {
    ImmutableList.Builder<Pair> same = ImmutableList.<Pair>builder().addAll(diff.same());
    ImmutableList.Builder<Pair> changed = ImmutableList.builder();
    for (Pair pair : diff.changed()) {
      ImmutableList<Change> left = without(pair.changes(), whats);
      (left.isEmpty() ? same : changed).add(new Pair(pair.first(), pair.second(), left));
    }
    return new ComputationDiff(
        diff.first(), diff.second(), same.build(), changed.build(), diff.removed(), diff.added());
  }

  private static ImmutableList<Change> without(List<Change> changes, Set<String> whats) {
    return changes.stream()
        .filter(each -> !whats.contains(each.what()))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns whether the modules are the same but for names and metadata.
   *
   * @return whether nothing was changed, removed or added
   */
  public boolean isSame() {
    return attributes.isEmpty()
        && removed().isEmpty()
        && added().isEmpty()
        && computations.stream().allMatch(each -> each.changed().isEmpty());
  }

  /**
   * Returns the instructions without a counterpart in the second module, those of computations
   * without one included.
   *
   * @return the instructions
   */
  public ImmutableList<HloInstruction> removed() {
    return all(computations.stream().map(ComputationDiff::removed), onlyInFirst);
  }

  /**
   * Returns the instructions without a counterpart in the first module, those of computations
   * without one included.
   *
   * @return the instructions
   */
  public ImmutableList<HloInstruction> added() {
    return all(computations.stream().map(ComputationDiff::added), onlyInSecond);
  }

  private static ImmutableList<HloInstruction> all(
      Stream<ImmutableList<HloInstruction>> inPairs, List<HloComputation> whole) {
    return Stream.concat(
            inPairs.flatMap(List::stream),
            whole.stream().flatMap(each -> each.instructions().stream()))
        .collect(ImmutableList.toImmutableList());
  }
}
