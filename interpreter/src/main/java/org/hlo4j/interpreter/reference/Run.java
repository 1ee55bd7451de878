package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;

/** One run of a module: evaluates computations, and keeps what was worked out about them. */
final class Run implements Execution {
  private static final int MOST_NESTED_CALLS = 500;
  private static final int MOST_FACTS = 20;

  private static final ImmutableSet<Class<? extends Op>> PASSING_ON =
      ImmutableSet.of(
          AddDependency.class,
          AfterAll.class,
          AllGatherDone.class,
          AllReduceDone.class,
          AsyncDone.class,
          AsyncStart.class,
          AsyncUpdate.class,
          Call.class,
          CollectivePermuteDone.class,
          Conditional.class,
          Constant.class,
          Copy.class,
          CopyDone.class,
          CopyStart.class,
          Domain.class,
          Fusion.class,
          GetTupleElement.class,
          Infeed.class,
          OptBarrier.class,
          Outfeed.class,
          Parameter.class,
          RecvDone.class,
          Reshape.class,
          Send.class,
          SendDone.class,
          Tuple.class,
          While.class);

  private final EvaluatorOptions options;
  private final Device device;
  private final HloModule module;
  private final Meter meter;
  private final RandomState random;
  private final Map<HloComputation, Schedule> schedules = new HashMap<>();
  private final Transfers transfers;
  private int nestedCalls;

  Run(EvaluatorOptions options, Device device, HloModule module) {
    this.options = options;
    this.device = device;
    this.module = module;
    this.meter = new Meter(options);
    this.random = new RandomState(options.seed());
    this.transfers = options.transfers().orElseGet(Transfers::new);
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
  public HloModule module() {
    return module;
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
      Literal value = value(instructions.get(i), operands, arguments);
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

  /** Whether the result is an operand, an argument or a constant, and takes no room of its own. */
  private static boolean passesOn(Op op) {
    return PASSING_ON.contains(op.getClass());
  }

  private Literal value(
      HloInstruction instruction, List<Literal> operands, List<Literal> arguments) {
    try {
      Shape shape = instruction.shape();
      require(!shape.isDynamic(), "", "run: got the dynamic shape %s, want static sizes", shape);
      meter.step();
      if (!passesOn(instruction.op())) {
        meter.requireRoom(shape);
      }
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
