package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;

/**
 * Chains of asynchronous instructions: a start, any number of updates, and a done, each the first
 * operand of the next. Operands and the result may be bound at any of them; the computation runs
 * where all are bound.
 */
public final class AsyncChain {
  private AsyncChain() {}

  /**
   * Returns the start of the chain of an instruction.
   *
   * @param instruction the start itself, or an update or done behind it
   * @return the start; empty if there is none or it calls nothing
   */
  public static Optional<HloInstruction> start(HloInstruction instruction) {
    requireNonNull(instruction, "instruction");
    HloInstruction at = instruction;
    while (at.op() instanceof AsyncUpdate || at.op() instanceof AsyncDone) {
      if (at.operands().isEmpty()) {
        return Optional.empty();
      }
      at = at.operands().get(0);
    }
    return at.op() instanceof AsyncStart && !at.called().isEmpty()
        ? Optional.of(at)
        : Optional.empty();
  }

  /**
   * Returns all operands that are bound at an instruction of a chain.
   *
   * @param instruction a start, update or done
   * @return the operands of the computation, in order, those of the start first
   */
  public static ImmutableList<HloInstruction> operands(HloInstruction instruction) {
    requireNonNull(instruction, "instruction");
    Deque<List<HloInstruction>> groups = new ArrayDeque<>();
    HloInstruction at = instruction;
    while (!(at.op() instanceof AsyncStart)) {
      groups.addFirst(at.operands().subList(1, at.operands().size()));
      at = at.operands().get(0);
    }
    groups.addFirst(at.operands());
    return groups.stream().flatMap(List::stream).collect(ImmutableList.toImmutableList());
  }

  /** Returns whether operands and result are bound at an instruction of a chain, or before. */
  private static boolean isBound(HloInstruction instruction) {
    HloComputation called = start(instruction).orElseThrow().called().get(0);
    boolean hasResult =
        instruction.op() instanceof AsyncDone
            || ((Shape.Tuple) instruction.shape())
                .elements()
                .get(1)
                .compatible(called.root().shape());
    return hasResult && operands(instruction).size() == called.parameters().size();
  }

  private static boolean isAsync(HloInstruction instruction) {
    return switch (instruction.op()) {
      case AsyncStart _, AsyncUpdate _, AsyncDone _ -> true;
      default -> false;
    };
  }

  // Late binding.

  /**
   * Returns a module that computes the same, with starts that bind all operands and the result:
   * where a chain binds the last of them, it starts.
   *
   * @param module a module that the verifier accepts
   * @return the module; the same one if its starts bind all
   */
  public static HloModule bindAtOnce(HloModule module) {
    requireNonNull(module, "module");
    boolean isLate = module.computations().stream().anyMatch(AsyncChain::bindsLate);
    return isLate ? new BindingAtOnce().copy(module) : module;
  }

  private static boolean bindsLate(HloComputation computation) {
    return computation.instructions().stream()
        .anyMatch(each -> each.op() instanceof AsyncStart && !isBound(each));
  }

  /** A copy whose chains begin where all is bound. */
  private static final class BindingAtOnce extends ModuleCopy {
    @Override
    protected boolean changes(HloComputation computation) {
      return bindsLate(computation);
    }

    @Override
    protected void write(
        HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
      boolean isChained = isAsync(instruction);
      boolean isBefore = isChained && !isBound(instruction);
      if (isBefore) {
        return; // it computes nothing
      }
      boolean isFirst =
          isChained
              && !(instruction.op() instanceof AsyncStart)
              && !isBound(instruction.operands().get(0));
      if (!isFirst) {
        replace(instruction, updated(instruction), to);
      } else if (instruction.op() instanceof AsyncUpdate) {
        replace(instruction, start(instruction, instruction.name(), instruction.shape()), to);
      } else {
        done(instruction, to);
      }
    }

    private void done(HloInstruction done, List<HloInstruction> to) {
      HloInstruction late = AsyncChain.start(done).orElseThrow();
      List<Shape> parts = new ArrayList<>(((Shape.Tuple) late.shape()).elements());
      parts.set(
          0,
          new Shape.Tuple(
              AsyncChain.operands(done).stream()
                  .map(HloInstruction::shape)
                  .collect(ImmutableList.toImmutableList())));
      parts.set(1, done.shape());
      HloInstruction start = start(done, late.name(), new Shape.Tuple(ImmutableList.copyOf(parts)));
      to.add(start);
      replace(
          done,
          HloInstruction.create(
              done.name(),
              new AsyncDone(),
              ImmutableList.of(start),
              ImmutableList.of(),
              done.shape(),
              done.metadata(),
              done.attributes()),
          to);
    }

    private HloInstruction start(HloInstruction first, String name, Shape shape) {
      HloInstruction late = AsyncChain.start(first).orElseThrow();
      return HloInstruction.create(
          name,
          new AsyncStart(shape.withoutLayout(), ((AsyncStart) late.op()).asyncExecutionThread()),
          AsyncChain.operands(first).stream().map(this::copy).toList(),
          late.called().stream().map(this::copy).toList(),
          shape,
          late.metadata(),
          late.attributes());
    }
  }

  // Threads.

  /**
   * Returns a module in which all that a start calls, and what that calls in turn, belongs to the
   * thread of the start, as XLA sets it where it reads one.
   *
   * @param module the module as it is written
   * @return the module; the same one if the threads agree
   */
  public static HloModule withThreads(HloModule module) {
    requireNonNull(module, "module");
    Map<HloComputation, String> threads = new HashMap<>();
    for (HloComputation computation : module.computations()) {
      for (HloInstruction instruction : computation.instructions()) {
        if (instruction.op() instanceof AsyncStart start) {
          setThread(instruction.called(), thread(start.asyncExecutionThread()), threads);
        }
      }
    }
    boolean agree =
        threads.entrySet().stream().allMatch(entry -> agrees(entry.getKey(), entry.getValue()));
    return agree ? module : new Threads(threads).copy(module);
  }

  private static boolean agrees(HloComputation computation, String thread) {
    return thread(computation.executionThread()).equals(thread)
        && computation.instructions().stream()
            .allMatch(each ->
                !(each.op() instanceof AsyncStart start)
                    || thread(start.asyncExecutionThread()).equals(thread));
  }

  private static void setThread(
      List<HloComputation> called, String thread, Map<HloComputation, String> threads) {
    Set<HloComputation> seen = new HashSet<>(called);
    Deque<HloComputation> open = new ArrayDeque<>(called);
    while (!open.isEmpty()) {
      HloComputation next = open.remove();
      threads.put(next, thread);
      next.instructions().stream()
          .flatMap(each -> each.called().stream())
          .filter(seen::add)
          .forEach(open::add);
    }
  }

  /** Returns the name of a thread; the main one is empty. */
  private static String thread(String name) {
    return name.equals("main") ? "" : name;
  }

  /** A copy whose computations belong to other threads. */
  private static final class Threads extends ModuleCopy {
    private final Map<HloComputation, String> threads;

    Threads(Map<HloComputation, String> threads) {
      this.threads = threads;
    }

    @Override
    protected boolean changes(HloComputation computation) {
      return threads.containsKey(computation) && !agrees(computation, thread(computation));
    }

    @Override
    String thread(HloComputation computation) {
      return threads.getOrDefault(computation, computation.executionThread());
    }

    @Override
    protected void write(
        HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
      HloInstruction copy = updated(instruction);
      boolean moves =
          threads.containsKey(computation)
              && copy.op() instanceof AsyncStart start
              && !AsyncChain.thread(start.asyncExecutionThread()).equals(thread(computation));
      replace(instruction, moves ? moved(copy, thread(computation)) : copy, to);
    }

    private static HloInstruction moved(HloInstruction instruction, String thread) {
      AsyncStart start = (AsyncStart) instruction.op();
      return instruction.withOp(
          new AsyncStart(start.shape(), thread, start.outputToOperandAliasing()),
          instruction.shape());
    }
  }
}
