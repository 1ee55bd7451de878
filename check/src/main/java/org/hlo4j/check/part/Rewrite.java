package org.hlo4j.check.part;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Collections.nCopies;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Parameter;

/**
 * A program with some instructions changed, without what nothing needs any more: dead instructions,
 * unused parameters of the entry, unused computations.
 */
public final class Rewrite extends ModuleCopy {
  /** Attributes of a module that stay true whatever its entry takes and returns. */
  public static final ImmutableSet<String> LASTING =
      ImmutableSet.of("replica_count", "num_partitions");

  private final Program program;
  private final ImmutableList<String> outputs;
  private final Map<String, Change> changes = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  /** The names of what nothing needs, and what stays all the same. */
  private final Set<String> dead = new HashSet<>();

  private final List<Literal> arguments;

  /** What takes the place of an instruction. */
  @FunctionalInterface
  public interface Change {
    /**
     * Returns what takes the place of an instruction, in the computation under construction.
     *
     * @param draft the computation
     * @param at the instruction, with what its operands and callees have become
     * @return what stands for it
     */
    HloInstruction applied(Draft draft, HloInstruction at);
  }

  /**
   * A change of a program at one instruction.
   *
   * @param at the name of the instruction
   * @param change what takes its place
   */
  public record Edit(String at, Change change) {}

  private Rewrite(Program program, Collection<Edit> edits, List<String> outputs) {
    this.program = program;
    this.outputs = ImmutableList.copyOf(outputs);
    this.arguments = new ArrayList<>(program.arguments());
    edits.forEach(edit -> changes.put(edit.at(), edit.change()));
    program.module().instructions().forEach(each -> names.add(each.name()));
    dead(program.module()).forEach(each -> dead.add(each.name()));
    dead.removeAll(changes.keySet());
  }

  /**
   * Returns the instructions that the roots of their computations do not need, but parameters.
   *
   * @param module a module
   * @return the instructions
   */
  public static ImmutableSet<HloInstruction> dead(HloModule module) {
    return module.computations().stream()
        .flatMap(each ->
            Sets.difference(
                ImmutableSet.copyOf(each.instructions()),
                HloComputation.live(each.instructions(), at -> at == each.root()))
                .stream())
        .filter(at -> !(at.op() instanceof Parameter))
        .collect(toImmutableSet());
  }

  /**
   * Returns the program with these changes.
   *
   * @param program the program
   * @param edits the changes
   * @param outputs the names of instructions of the entry whose values are the results; empty for
   *     those of the program
   * @return the program
   * @throws HloException if the changes do not suit it
   */
  public static Program of(Program program, Collection<Edit> edits, List<String> outputs) {
    return new Rewrite(program, edits, outputs).rewritten();
  }

  /**
   * Returns a module with a change.
   *
   * @param module the module
   * @param edit the change
   * @param kept what stays in it although the root may not need it
   * @return the module
   */
  public static HloModule module(HloModule module, Edit edit, Set<HloInstruction> kept) {
    int count = module.entry().parameters().size();
    Program any = new Program(module, ImmutableList.copyOf(nCopies(count, Literal.token())));
    Rewrite rewrite = new Rewrite(any, ImmutableList.of(edit), ImmutableList.of());
    kept.forEach(each -> rewrite.dead.add(each.name()));
    return rewrite.rewritten().module();
  }

  private Program rewritten() {
    HloModule module = program.module();
    HloComputation edited = copy(module).entry();
    List<HloInstruction> taken = edited.parameters();
    HloModule whole =
        ModuleCopy.map(
            HloModule.create(module.name(), edited),
            at ->
                at.op() instanceof Parameter parameter && taken.contains(at)
                    ? at.withOp(new Parameter(taken.indexOf(at), parameter.shape()), at.shape())
                    : at);
    boolean isSame = whole.entry().programShape().equals(module.entry().programShape());
    return new Program(
        whole.withText(
            isSame ? module.attributes() : Maps.filterKeys(module.attributes(), LASTING::contains),
            module.stackFrames()),
        taken.stream()
            .map(each -> arguments.get(((Parameter) each.op()).number()))
            .collect(toImmutableList()),
        program.deviceCount() == 1
            ? infeed(edited, program.infeed())
            : program.infeed().stream()
                .map(own -> Literal.tuple(infeed(edited, own.elements())))
                .collect(toImmutableList()));
  }

  /** Returns the values of the infeeds that stay, if all are in the entry; else all values. */
  private ImmutableList<Literal> infeed(HloComputation edited, ImmutableList<Literal> values) {
    Iterator<Literal> left = values.iterator();
    List<HloInstruction> infeeds =
        program.module().entry().instructions().stream()
            .filter(each -> each.op() instanceof Infeed)
            .toList();
    return infeeds.size() != values.size()
        ? values
        : infeeds.stream()
            .map(each -> Map.entry(copy(each), left.next()))
            .filter(each -> edited.instructions().contains(each.getKey()))
            .map(Map.Entry::getValue)
            .collect(toImmutableList());
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    HloInstruction updated = updated(instruction);
    HloInstruction at =
        updated.controlPredecessors().isEmpty() ? updated : updated.withoutControlPredecessors();
    Draft draft = draft(computation, to);
    Change change = changes.get(instruction.name());
    if (change != null) {
      put(instruction, change.applied(draft, at));
    } else if (updated == instruction) {
      replace(instruction, at, to);
    } else {
      put(instruction, draft.fitted(at, at.op()));
    }
  }

  @Override
  protected HloInstruction root(HloComputation computation, List<HloInstruction> to) {
    boolean isEntry = computation == program.module().entry();
    HloInstruction root =
        isEntry && !outputs.isEmpty() ? results(draft(computation, to)) : copy(computation.root());
    to.retainAll(
        HloComputation.live(
            to,
            at ->
                at == root
                    || dead.contains(at.name())
                    || (!isEntry && at.op() instanceof Parameter)));
    return root;
  }

  private HloInstruction results(Draft draft) {
    Map<String, HloInstruction> byName = new HashMap<>();
    draft.instructions().forEach(each -> byName.put(each.name(), each));
    return draft.together(
        "results", outputs.stream().map(each -> requireNonNull(byName.get(each), each)).toList());
  }

  private Draft draft(HloComputation computation, List<HloInstruction> instructions) {
    boolean isEntry = computation == program.module().entry();
    return new Draft(names, isEntry && program.isOfEachDevice(), arguments, instructions);
  }
}
