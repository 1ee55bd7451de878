package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A copy of a module in which instructions are written anew, computation by computation, callees
 * first. What calls a computation that changes changes as well; everything else is shared.
 */
public abstract class ModuleCopy {
  private final Map<HloComputation, HloComputation> computations = new HashMap<>();
  private final Map<HloInstruction, HloInstruction> instructions = new HashMap<>();

  /** Creates a copy of a module, to be given. */
  protected ModuleCopy() {}

  /**
   * Copies a module with each instruction replaced by one that takes the same.
   *
   * @param module the module
   * @param change what takes the place of an instruction, whose operands are replaced before
   * @return its copy; the module itself if nothing changes
   */
  public static HloModule map(HloModule module, UnaryOperator<HloInstruction> change) {
    requireNonNull(change, "change");
    return new ModuleCopy() {
      @Override
      protected void write(
          HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
        replace(instruction, change.apply(updated(instruction)), to);
      }
    }.copy(module);
  }

  /**
   * Returns whether a computation may change, apart from what it calls.
   *
   * @param computation a computation of the module
   * @return whether its instructions are written anew; true here
   */
  protected boolean changes(HloComputation computation) {
    return true;
  }

  /**
   * Writes what takes the place of an instruction, and says it by {@link #put}.
   *
   * @param computation the computation of the instruction
   * @param instruction the instruction, whose operands have been written before
   * @param to the instructions of the new computation so far
   */
  protected abstract void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to);

  /**
   * Returns the root of the copy of a computation, when all its instructions have been written.
   *
   * @param computation a computation of the module
   * @param to the instructions of the new computation
   * @return the copy of its root here
   */
  protected HloInstruction root(HloComputation computation, List<HloInstruction> to) {
    return copy(computation.root());
  }

  /**
   * Returns the name of the copy of a computation.
   *
   * @param computation a computation of the module
   * @return the same name here
   */
  protected String name(HloComputation computation) {
    return computation.name();
  }

  /** Returns the execution thread of the copy of a computation. */
  String thread(HloComputation computation) {
    return computation.executionThread();
  }

  /**
   * Copies a module.
   *
   * @param module the module
   * @return its copy; the module itself if nothing changes
   */
  public final HloModule copy(HloModule module) {
    requireNonNull(module, "module");
    ImmutableList.Builder<HloComputation> all = ImmutableList.builder();
    module.computations().forEach(computation -> all.add(written(computation)));
    ImmutableList<HloComputation> copies = all.build();
    return copies.equals(module.computations())
        ? module
        : HloModule.create(module.name(), copies, copy(module.entry()))
            .withText(module.attributes(), module.stackFrames())
            .withUnknownFields(module.unknownFields());
  }

  private HloComputation written(HloComputation computation) {
    boolean isCaller =
        computation.instructions().stream()
            .flatMap(instruction -> instruction.called().stream())
            .anyMatch(called -> copy(called) != called);
    if (isCaller || changes(computation)) {
      List<HloInstruction> list = new ArrayList<>();
      computation.instructions().forEach(each -> write(computation, each, list));
      HloInstruction root = root(computation, list);
      boolean isSame =
          root == computation.root()
              && list.equals(computation.instructions())
              && name(computation).equals(computation.name())
              && thread(computation).equals(computation.executionThread());
      if (!isSame) {
        HloComputation copy =
            HloComputation.create(name(computation), list, root, thread(computation))
                .withUnknownFields(computation.unknownFields());
        computations.put(computation, computation.position().map(copy::withPosition).orElse(copy));
      }
    }
    return copy(computation);
  }

  /**
   * Returns the copy of a computation.
   *
   * @param computation a computation of the module, of which all callers come later
   * @return its copy; itself if it does not change
   */
  protected final HloComputation copy(HloComputation computation) {
    return computations.getOrDefault(computation, computation);
  }

  /**
   * Returns what an instruction became.
   *
   * @param instruction an instruction of the module
   * @return what was put in its place; itself if nothing was
   */
  protected final HloInstruction copy(HloInstruction instruction) {
    return instructions.getOrDefault(instruction, instruction);
  }

  /**
   * Returns an instruction with the copies of its operands and of what it calls.
   *
   * @param instruction an instruction of the module
   * @return the instruction; the same one if these do not change
   */
  protected final HloInstruction updated(HloInstruction instruction) {
    List<HloInstruction> operands = instruction.operands().stream().map(this::copy).toList();
    List<HloComputation> called = instruction.called().stream().map(this::copy).toList();
    return operands.equals(instruction.operands()) && called.equals(instruction.called())
        ? instruction
        : instruction.withOperands(operands).withCalled(called);
  }

  /**
   * Says what an instruction became.
   *
   * @param old an instruction of the module
   * @param copy what its users take in its place
   */
  protected final void put(HloInstruction old, HloInstruction copy) {
    instructions.put(old, copy);
  }

  /**
   * Writes an instruction in the place of another.
   *
   * @param old an instruction of the module
   * @param replacement what takes its place
   * @param to the instructions of the new computation so far
   */
  protected final void replace(
      HloInstruction old, HloInstruction replacement, List<HloInstruction> to) {
    to.add(replacement);
    put(old, replacement);
  }
}
