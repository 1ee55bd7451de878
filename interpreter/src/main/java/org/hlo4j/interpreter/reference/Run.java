package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;

/** One run of a module: evaluates computations, and keeps what was worked out about them. */
final class Run implements Caller {
  private static final int MOST_NESTED_CALLS = 500;
  private static final int MOST_FACTS = 20;

  private final Map<HloComputation, Schedule> schedules = new HashMap<>();
  private int nestedCalls;

  @Override
  public Literal call(HloComputation computation, List<Literal> arguments) {
    require(
        nestedCalls < MOST_NESTED_CALLS,
        "",
        "run: calls nest more than %s deep at %s, want fewer",
        MOST_NESTED_CALLS,
        computation.name());
    nestedCalls++;
    try {
      return evaluate(schedules.computeIfAbsent(computation, Schedule::new), arguments);
    } finally {
      nestedCalls--;
    }
  }

  private Literal evaluate(Schedule schedule, List<Literal> arguments) {
    List<HloInstruction> instructions = schedule.instructions();
    Literal[] values = new Literal[instructions.size()];
    for (int i = 0; i < values.length; i++) {
      List<Literal> operands = new ArrayList<>();
      for (int slot : schedule.operandSlots(i)) {
        operands.add(values[slot]);
      }
      values[i] = value(instructions.get(i), operands, arguments);
      for (int slot : schedule.deadAfter(i)) {
        values[slot] = null;
      }
    }
    return values[schedule.rootSlot()];
  }

  private Literal value(
      HloInstruction instruction, List<Literal> operands, List<Literal> arguments) {
    try {
      return Ops.evaluate(instruction, operands, arguments, this);
    } catch (HloException refusal) {
      throw placed(refusal, instruction);
    } catch (OutOfMemoryError full) {
      throw placed(
          new HloException("", "run: the heap has no room to compute it, want a larger -Xmx"),
          instruction);
    }
  }

  /** Says where, from the inside out, as far as is of use. */
  private static HloException placed(HloException refusal, HloInstruction instruction) {
    if (refusal.facts().size() >= MOST_FACTS) {
      return refusal;
    }
    HloException told = refusal.with("instruction", instruction.toString());
    return instruction.metadata().source().map(at -> told.with("at", "at " + at)).orElse(told);
  }
}
