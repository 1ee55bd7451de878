package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.PassingOn;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.Workers;
import org.jspecify.annotations.Nullable;

/** One run of a module: evaluates computations, and keeps what was worked out about them. */
final class Run implements Execution {
  private static final int MOST_NESTED_CALLS = 500;
  private static final int MOST_FACTS = 20;

  private final Program program;
  private final EvaluatorOptions options;
  private final Device device;
  private final Meter meter;
  private final RandomState random;
  private @Nullable Transfers transfers;
  private int nestedCalls;

  Run(Program program, Device device) {
    this.program = program;
    this.options = program.options();
    this.device = device;
    this.meter = new Meter(options);
    this.random = new RandomState(options.seed());
  }

  @Override
  public HloModule module() {
    return program.module();
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
    if (transfers == null) {
      transfers = options.transfers().orElseGet(Transfers::new);
    }
    return transfers;
  }

  @Override
  public void checkLimits() {
    meter.check();
  }

  @Override
  public Workers workers() {
    return program.workers();
  }

  @Override
  public Object allocate(Shape.Array shape) {
    return LiteralBuilder.newStorage(shape);
  }

  @Override
  public Literal call(HloComputation computation, List<Literal> arguments) {
    return call(computation, arguments.toArray(Literal[]::new));
  }

  @Override
  public Literal call(HloComputation computation, Literal... arguments) {
    require(
        nestedCalls < MOST_NESTED_CALLS,
        "",
        "run: calls nest more than %s deep at %s, want fewer",
        MOST_NESTED_CALLS,
        computation.name());
    nestedCalls++;
    try {
      return evaluate(program.schedule(computation), arguments);
    } finally {
      nestedCalls--;
    }
  }

  private Literal evaluate(Schedule schedule, Literal[] arguments) {
    Literal[] values = new Literal[schedule.instructions().size()];
    for (int i = 0; i < values.length; i++) {
      Literal value = value(schedule, i, schedule.operands(i, values), arguments);
      values[i] = value;
      meter.hold(value);
      if (options.valueListener().isPresent()) {
        HloInstruction instruction = schedule.instructions().get(i);
        options.valueListener().get().onValue(device.number(), instruction, value);
      }
      for (int slot : schedule.deadAfter(i)) {
        meter.release(values[slot]);
        values[slot] = null;
      }
    }
    meter.release(values[schedule.rootSlot()]);
    return values[schedule.rootSlot()];
  }

  private Literal value(Schedule schedule, int slot, Literal[] operands, Literal[] arguments) {
    try {
      meter.step();
      Kernel kernel = schedule.kernel(slot);
      if (kernel != null) {
        return kernel.run(operands, this);
      }
      HloInstruction instruction = schedule.instructions().get(slot);
      List<Literal> in = Arrays.asList(operands);
      List<Literal> given = Arrays.asList(arguments);
      return schedule.hasBounds(slot)
          ? bounded(ActualSizes.of(instruction, in), given)
          : value(Step.asDeclared(instruction, in), given);
    } catch (HloException refusal) {
      throw placed(refusal, schedule.instructions().get(slot));
    } catch (OutOfMemoryError full) {
      throw placed(
          new HloException("", "run: the heap has no room to compute it, want a larger -Xmx"),
          schedule.instructions().get(slot));
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
