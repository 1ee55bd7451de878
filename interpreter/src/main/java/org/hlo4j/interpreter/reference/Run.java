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
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.PassingOn;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;

/** One run of a module: evaluates computations, and keeps what was worked out about them. */
final class Run implements Execution {
  private static final int MOST_NESTED_CALLS = 500;
  private static final int MOST_FACTS = 20;

  private final HloModule module;
  private final EvaluatorOptions options;
  private final Device device;
  private final Meter meter;
  private final RandomState random;
  private final Map<HloComputation, Schedule> schedules = new HashMap<>();
  private final Transfers transfers;
  private int nestedCalls;

  Run(HloModule module, EvaluatorOptions options, Device device) {
    this.module = module;
    this.options = options;
    this.device = device;
    this.meter = new Meter(options);
    this.random = new RandomState(options.seed());
    this.transfers = options.transfers().orElseGet(Transfers::new);
  }

  @Override
  public HloModule module() {
    return module;
  }

  @Override
  public EvaluatorOptions options() {
    return options;
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public RandomState random() {
    return random;
  }

  @Override
  public Transfers transfers() {
    return transfers;
  }

  @Override
  public void checkLimits() {
    meter.check();
  }

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
      Literal value = value(schedule, i, operands, arguments);
      values[i] = value;
      meter.hold(value);
      HloInstruction instruction = instructions.get(i);
      options
          .valueListener()
          .ifPresent(listener -> listener.onValue(device.number(), instruction, value));
      for (int slot : schedule.deadAfter(i)) {
        meter.release(values[slot]);
        values[slot] = null;
      }
    }
    meter.release(values[schedule.rootSlot()]);
    return values[schedule.rootSlot()];
  }

  private Literal value(
      Schedule schedule, int slot, List<Literal> operands, List<Literal> arguments) {
    HloInstruction instruction = schedule.instructions().get(slot);
    try {
      meter.step();
      return schedule.hasBounds(slot)
          ? bounded(ActualSizes.of(instruction, operands), arguments)
          : value(Step.asDeclared(instruction, operands), arguments);
    } catch (HloException refusal) {
      throw placed(refusal, instruction);
    } catch (OutOfMemoryError full) {
      throw placed(
          new HloException("", "run: the heap has no room to compute it, want a larger -Xmx"),
          instruction);
    }
  }

  private Literal bounded(Step step, List<Literal> arguments) {
    Literal value = value(step, arguments);
    ActualSizes.requireWithin(step.instruction(), value);
    return value;
  }

  private Literal value(Step step, List<Literal> arguments) {
    if (!(step.op() instanceof PassingOn)) {
      meter.requireRoom(step.shape());
    }
    return Ops.evaluate(step, arguments, this);
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
