package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Tuple;

/**
 * A program with some instructions changed, without what nothing needs any more: dead instructions,
 * unused parameters of the entry, of calls and of fusions, unused computations.
 */
final class Rewrite {
  /** Attributes of a module that stay true whatever its entry takes and returns. */
  static final ImmutableSet<String> LASTING = ImmutableSet.of("replica_count", "num_partitions");

  private final Program program;
  private final Map<String, Edit.Change> changes = new HashMap<>();
  private final ImmutableList<String> outputs;
  private final Set<String> names = new HashSet<>();
  private final IdentityHashMap<HloComputation, Trimmed> whole = new IdentityHashMap<>();
  private final IdentityHashMap<HloComputation, Trimmed> trimmed = new IdentityHashMap<>();

  private Rewrite(Program program, Collection<Edit> edits, ImmutableList<String> outputs) {
    this.program = program;
    this.outputs = outputs;
    edits.forEach(edit -> changes.put(edit.at(), edit.change()));
    program.module().instructions().forEach(each -> names.add(each.name()));
  }

  /** Returns the program with these changes; empty if they do not suit it. */
  static Optional<Program> of(Program program, Collection<Edit> edits) {
    return of(program, edits, ImmutableList.of());
  }

  /**
   * Returns the program with these changes and other results, which are the values of instructions;
   * empty if they do not suit it.
   */
  static Optional<Program> of(
      Program program, Collection<Edit> edits, ImmutableList<String> outputs) {
    try {
      return Optional.of(new Rewrite(program, edits, outputs).rewritten());
    } catch (HloException unsuitable) {
      return Optional.empty();
    }
  }

  private Program rewritten() {
    HloModule module = program.module();
    Trimmed entry = rewritten(module.entry(), true, true);
    HloModule made = HloModule.create(module.name(), entry.computation());
    boolean isSame = entry.computation().programShape().equals(module.entry().programShape());
    HloModule whole =
        isSame
            ? made.withText(module.attributes(), module.stackFrames())
            : made.withText(
                Maps.filterKeys(module.attributes(), LASTING::contains), module.stackFrames());
    return new Program(whole, entry.arguments(), infeed(entry.computation()));
  }

  /**
   * Returns the values of the infeeds that are still there, if all are in the entry; else all
   * values.
   */
  private ImmutableList<Literal> infeed(HloComputation entry) {
    List<String> before = infeeds(program.module().entry());
    Set<String> after = Set.copyOf(infeeds(entry));
    return program.deviceCount() == 1
        ? left(program.infeed(), before, after)
        : program.infeed().stream()
            .map(own -> Literal.tuple(left(own.elements(), before, after)))
            .collect(toImmutableList());
  }

  private static ImmutableList<Literal> left(
      ImmutableList<Literal> values, List<String> before, Set<String> after) {
    return before.size() != values.size()
        ? values
        : IntStream.range(0, before.size())
            .filter(i -> after.contains(before.get(i)))
            .mapToObj(values::get)
            .collect(toImmutableList());
  }

  private static List<String> infeeds(HloComputation computation) {
    return computation.instructions().stream()
        .filter(each -> each.op() instanceof Infeed)
        .map(HloInstruction::name)
        .toList();
  }

  private Trimmed callee(HloComputation old, boolean isTrimmed) {
    Map<HloComputation, Trimmed> done = isTrimmed ? trimmed : whole;
    Trimmed known = done.get(old);
    if (known == null) {
      known = rewritten(old, false, isTrimmed);
      done.put(old, known);
    }
    return known;
  }

  private Trimmed rewritten(HloComputation old, boolean isEntry, boolean isTrimmed) {
    Draft draft = isEntry ? Draft.ofEntry(names, program) : Draft.ofCallee(names);
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    Map<String, HloInstruction> byName = new HashMap<>();
    for (HloInstruction instruction : old.instructions()) {
      HloInstruction copy = copy(draft, instruction, copies);
      copies.put(instruction, copy);
      byName.put(instruction.name(), copy);
    }
    HloInstruction root =
        isEntry && !outputs.isEmpty()
            ? root(draft, byName)
            : copies.getOrDefault(old.root(), old.root());
    Set<HloInstruction> kept = new HashSet<>(Set.of(root));
    Trimmed.dead(old).stream()
        .filter(dead -> !changes.containsKey(dead.name()))
        .map(dead -> copies.getOrDefault(dead, dead))
        .forEach(kept::add);
    return Trimmed.of(old, draft, root, kept, isTrimmed);
  }

  private HloInstruction root(Draft draft, Map<String, HloInstruction> byName) {
    ImmutableList<HloInstruction> parts =
        outputs.stream().map(each -> requireNonNull(byName.get(each))).collect(toImmutableList());
    return parts.size() == 1 ? parts.get(0) : draft.add("results", new Tuple(), parts);
  }

  private HloInstruction copy(
      Draft draft, HloInstruction old, Map<HloInstruction, HloInstruction> copies) {
    ImmutableList<HloInstruction> operands =
        old.operands().stream().map(o -> copies.getOrDefault(o, o)).collect(toImmutableList());
    Edit.Change change = changes.get(old.name());
    if (change != null) {
      return change.applied(draft, withCallees(old), operands);
    }
    boolean isTrimmed = isTrimmed(old.op());
    ImmutableList<Trimmed> callees =
        old.called().stream().map(each -> callee(each, isTrimmed)).collect(toImmutableList());
    ImmutableList<HloInstruction> passed =
        isTrimmed && callees.size() == 1 ? callees.get(0).passed(operands) : operands;
    return draft.add(
        copy(old, old.op(), passed, callees.stream().map(Trimmed::computation).toList()));
  }

  private static boolean isTrimmed(Op op) {
    return op instanceof Call || op instanceof Fusion;
  }

  private HloInstruction withCallees(HloInstruction old) {
    return old.called().isEmpty()
        ? old
        : old.withCalled(
            old.called().stream().map(each -> callee(each, false).computation()).toList());
  }

  /** Returns an instruction with another op, operands and callees, and the shape they give. */
  static HloInstruction copy(
      HloInstruction old, Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape inferred = op.infer(HloInstruction.inputs(operands, called));
    Shape shape = inferred.compatible(old.shape()) ? old.shape() : inferred;
    return old.withOperands(operands)
        .withCalled(called)
        .withOp(op, shape)
        .withoutControlPredecessors();
  }

  /** Returns the arguments of a program, by the names of the parameters. */
  static Map<String, Literal> arguments(Program program) {
    Map<String, Literal> arguments = new HashMap<>();
    List<HloInstruction> parameters = program.module().entry().parameters();
    for (int i = 0; i < parameters.size(); i++) {
      arguments.put(parameters.get(i).name(), program.arguments().get(i));
    }
    return arguments;
  }
}
