package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.ValueListener;
import org.jspecify.annotations.Nullable;

/**
 * One run of a program: evaluates its computations step by step, and holds the state of the run,
 * such as its buffers, random numbers and resource counters.
 */
final class Run implements Execution {
  private static final int MAX_NESTED_CALLS = 400;
  private static final int MAX_FACTS = 20;
  private static final boolean[] NOTHING_DONATED = {};

  private final Program program;
  private final EvaluatorOptions options;
  private final ResourceLimits resourceLimits;
  private final @Nullable Literal result;
  private final @Nullable Profiler profiler;
  private final Thread thread = Thread.currentThread();
  private final long handedOutBefore = HandedOut.count();
  private @Nullable Device device;
  private @Nullable RandomState random;
  private @Nullable TransferQueues transfers;
  private @Nullable BufferPool buffers;
  private @Nullable OwnArrays ownArrays;
  private Supplier<Set<Object>> argumentsOfAll = Set::of;
  private @Nullable Frame frame;
  private int nestedCalls;

  /** Whether the computation under way is no part of the module. */
  private boolean isPart;

  /** The bytes that are reserved for the value of the step under way. */
  private long reserved;

  private Run(
      Program program,
      ResourceLimits resourceLimits,
      @Nullable Device device,
      @Nullable Literal result,
      @Nullable Profiler profiler) {
    this.program = program;
    this.options = program.options();
    this.resourceLimits = resourceLimits;
    this.device = device;
    this.result = result;
    this.profiler = profiler;
  }

  /**
   * Returns the result of the program's entry on a device, within the limits of all devices.
   *
   * @param ofAll the arrays of the arguments of all devices, any of which may come to this one
   * @param profiler measures the steps; null for none
   */
  static Literal onDevice(
      Device device,
      Program program,
      ResourceLimits limits,
      Literal[] arguments,
      Supplier<Set<Object>> ofAll,
      @Nullable Profiler profiler) {
    Run run = new Run(program, limits, device, null, profiler);
    return run.own(run.entry(arguments, ofAll));
  }

  /** Returns the result of the program's entry. */
  static Literal onSingleDevice(Program program, Literal[] arguments) {
    Run run = new Run(program, program.limits(1), null, null, null);
    return run.own(run.entry(arguments));
  }

  /** Returns the result of the program's entry, which may have arrays of the arguments. */
  static Literal withoutCopies(Program program, Literal[] arguments) {
    return new Run(program, program.limits(1), null, null, null).entry(arguments);
  }

  /**
   * Returns the result of the program's entry, written to the arrays of a literal where possible.
   */
  static Literal intoResult(Literal result, Program program, Literal[] arguments) {
    return new Run(program, program.limits(1), null, result, null).entry(arguments);
  }

  /** Runs the program's entry, and adds the times of its steps to a profile. */
  static void profiled(Profiler profiler, Program program, Literal[] arguments) {
    var _ = new Run(program, program.limits(1), null, null, profiler).entry(arguments);
  }

  /** Returns a result in arrays that are nobody else's. */
  private Literal own(Literal value) {
    return program.ownsResult() ? value : ownArrays().result(value, resourceLimits::reserve);
  }

  private OwnArrays ownArrays() {
    if (ownArrays == null) {
      ownArrays = new OwnArrays(argumentsOfAll.get());
    }
    return ownArrays;
  }

  private Literal entry(Literal[] given) {
    return entry(given, () -> OwnArrays.arrays(List.<Literal[]>of(given)));
  }

  private Literal entry(Literal[] given, Supplier<Set<Object>> ofAll) {
    argumentsOfAll = ofAll;
    try {
      return Program.refusingErrors(() ->
          resourceLimits.limits().within(() -> call(program.scheduledModule().entry(), given)));
    } finally {
      if (buffers != null) {
        program.returnBufferPool(buffers);
      }
    }
  }

  @Override
  public HloModule module() {
    return program.scheduledModule();
  }

  @Override
  public EvaluatorOptions options() {
    return options;
  }

  @Override
  public Device device() {
    if (device == null) {
      device = Device.single();
    }
    return device;
  }

  @Override
  public WholeArrays wholeArrays() {
    return resourceLimits.wholeArrays();
  }

  @Override
  public RandomState random() {
    if (random == null) {
      random = new RandomState(options.seed());
    }
    return random;
  }

  @Override
  public Literal detached(Literal value) {
    return ownArrays()
        .detached(value, shape -> resourceLimits.unreserve(resourceLimits.reserve(shape)));
  }

  @Override
  public TransferQueues transfers() {
    if (transfers == null) {
      transfers = options.transfers().map(TransferQueues::of).orElseGet(TransferQueues::new);
    }
    return transfers;
  }

  @Override
  public void reserve(long bytes, Supplier<String> purpose) {
    resourceLimits.reserve(bytes, purpose);
    if (CheckMode.isOn() && frame != null && frame.check != null) {
      frame.check.reserved(bytes);
    }
  }

  @Override
  public void unreserve(long bytes) {
    resourceLimits.unreserve(bytes);
    if (CheckMode.isOn() && frame != null && frame.check != null) {
      frame.check.unreserved(bytes);
    }
  }

  @Override
  public Object borrow(Shape.Array shape, String purpose) {
    reserve(Liveness.bytes(shape), () -> purpose);
    Object known = buffers().borrow(shape);
    Object storage = known == null ? LiteralBuilder.newStorage(shape) : known;
    if (CheckMode.isOn()) {
      CheckMode.poison(storage);
    }
    return storage;
  }

  @Override
  public void giveBack(Shape.Array shape, Object storage) {
    buffers().giveBack(storage);
    unreserve(Liveness.bytes(shape));
  }

  @Override
  public void afterIterations(int iterations) {
    resourceLimits.count(iterations);
    resourceLimits.limits().check();
  }

  @Override
  public Workers workers() {
    return program.workers();
  }

  @Override
  public Object allocate(Shape.Array shape) {
    Object storage = storage(shape);
    if (frame != null && frame.check != null) {
      frame.check.allocated(shape, storage);
    }
    return storage;
  }

  /**
   * Returns storage to write an array of a result to. All storage that kernels write to comes from
   * here, so none of it is an array that somebody was handed.
   */
  private Object storage(Shape.Array shape) {
    boolean isWatched = options.valueListener().isPresent();
    boolean isNew = isWatched || Liveness.bytes(shape) < Liveness.MIN_BYTES;
    Object known = frame == null || isNew ? null : knownStorage(frame, shape);
    if (CheckMode.isOn() && known != null && HandedOut.contains(known)) {
      throw new AssertionError("an array is to be written to that somebody was handed");
    }
    return known == null || isHandedOut(known) ? LiteralBuilder.newStorage(shape) : known;
  }

  /** Returns whether this run has handed out an array that it made. */
  boolean isHandedOut(Object storage) {
    return HandedOut.count() != handedOutBefore && HandedOut.contains(storage);
  }

  /**
   * Returns the buffer of a temporary, an array of the result that the caller wants, that of a dead
   * operand, or one that is free; null if there is none.
   */
  private @Nullable Object knownStorage(Frame called, Shape.Array shape) {
    int buffer = called.buffer(shape);
    if (buffer >= 0) {
      return buffers().of(called.schedule)[buffer];
    }
    Object storage = called.resultStorage();
    if (storage == null) {
      storage = called.reuseOperandStorage(shape);
    }
    return storage == null ? buffers().acquire(shape) : storage;
  }

  private BufferPool buffers() {
    if (buffers == null) {
      buffers = program.takeBufferPool();
    }
    return buffers;
  }

  @Override
  public Literal call(HloComputation computation, List<Literal> arguments) {
    // Calls may nest 400 deep: none of the forms calls one of the others for the sake of brevity.
    return call(computation, NOTHING_DONATED, arguments.toArray(Literal[]::new));
  }

  @Override
  public Literal call(HloComputation computation, Literal... arguments) {
    return call(computation, NOTHING_DONATED, arguments);
  }

  @Override
  public Literal call(HloComputation computation, boolean[] given, Literal... arguments) {
    require(
        nestedCalls < MAX_NESTED_CALLS,
        "",
        "run: calls nest more than %s deep at %s, want fewer",
        MAX_NESTED_CALLS,
        computation.name());
    if (CheckMode.isOn() && Thread.currentThread() != thread) {
      throw new AssertionError("a worker calls " + computation.name());
    }
    Frame caller = frame;
    long reservedByCaller = reserved;
    nestedCalls++;
    try {
      Schedule schedule = program.schedule(computation);
      if (profiler != null) {
        profiler.begin(schedule, computation);
      }
      frame = new Frame(schedule, arguments, given, caller == null ? result : null, this);
      return evaluate(frame, schedule);
    } finally {
      frame = caller;
      reserved = reservedByCaller;
      nestedCalls--;
    }
  }

  @Override
  public Literal compute(
      Object key, Supplier<HloComputation> making, boolean[] donated, Literal... arguments) {
    boolean wasPart = isPart;
    isPart = true;
    try {
      return call(program.part(key, making), donated, arguments);
    } finally {
      isPart = wasPart;
    }
  }

  @Override
  public boolean[] freshResults(HloComputation computation) {
    return program.schedule(computation).freshResults();
  }

  private Literal evaluate(Frame called, Schedule schedule) {
    Literal[] values = called.values;
    for (int i = 0; i < values.length; i++) {
      reserved = 0;
      int step = i;
      Literal value =
          profiler == null
              ? value(called, schedule, i)
              : profiler.timed(schedule, i, () -> value(called, schedule, step));
      values[i] = value;
      resourceLimits.retain(value, reserved);
      if (options.valueListener().isPresent() && !isPart) {
        HloInstruction instruction = schedule.instruction(i);
        ValueListener listener = options.valueListener().get();
        listener.onValue(device().number(), instruction, HandedOut.note(value));
      } else if (schedule.freeAfter(i).length > 0) {
        called.end(buffers());
      }
      for (int buffer : schedule.buffersDeadAfter(i)) {
        CheckMode.poison(buffers().of(schedule)[buffer]);
      }
      for (int slot : schedule.deadAfter(i)) {
        resourceLimits.release(values[slot]);
        values[slot] = null;
      }
    }
    Literal root = values[schedule.rootSlot()];
    if (nestedCalls > 1) { // the result of the run stays while other devices run
      resourceLimits.release(root);
    }
    return root;
  }

  private Literal value(Frame called, Schedule schedule, int slot) {
    try {
      resourceLimits.step();
      Literal[] operands = called.begin(slot);
      if (options.valueListener().isEmpty() || isPart) {
        return value(called, schedule, slot, operands);
      }
      return options
          .valueListener()
          .get()
          .value(
              device().number(),
              schedule.instruction(slot),
              List.of(operands),
              in -> again(called, schedule, slot, in));
    } catch (HloException refusal) {
      throw withLocation(refusal, schedule.instruction(slot));
    } catch (OutOfMemoryError full) {
      throw withLocation(
          new HloException(
              Kind.LIMIT, "run: the heap has no room to compute it, want a larger -Xmx"),
          schedule.instruction(slot));
    }
  }

  /** Computes a step from other operands, as if it were the first time. */
  private Literal again(Frame called, Schedule schedule, int slot, List<Literal> operands) {
    resourceLimits.unreserve(reserved);
    reserved = 0;
    var _ = called.begin(slot);
    return value(called, schedule, slot, operands.toArray(Literal[]::new));
  }

  private Literal value(Frame called, Schedule schedule, int slot, Literal[] operands) {
    Kernel kernel = schedule.kernel(slot);
    if (kernel != null) {
      HloInstruction instruction = schedule.instruction(slot);
      if (options.checksBounds()) {
        checked(Step.asDeclared(instruction, Arrays.asList(operands)));
      }
      return computed(kernel, instruction, operands, called.check);
    }
    Literal forwarded = schedule.forwarded(slot, operands, called.arguments);
    if (forwarded != null) {
      return forwarded;
    }
    HloInstruction instruction = schedule.instruction(slot);
    List<Literal> in = Arrays.asList(operands);
    List<Literal> given = Arrays.asList(called.arguments);
    return schedule.hasDynamicShape(slot)
        ? bounded(checked(program.evaluator().resolveSizes(instruction, in, this)), given)
        : copied(instruction, in, value(checked(Step.asDeclared(instruction, in)), given));
  }

  /** Returns a step whose indices are within bounds, if they are to be. */
  private Step checked(Step step) {
    if (options.checksBounds()) {
      program.evaluator().requireInBounds(step);
    }
    return step;
  }

  /** Returns a value, after a check that it is a new array if {@link Liveness} takes it for one. */
  private static Literal copied(HloInstruction instruction, List<Literal> operands, Literal value) {
    if (CheckMode.isOn() && Liveness.copies(instruction)) {
      StepCheck.requireOwnStorage(instruction, operands, value);
    }
    return value;
  }

  private Literal computed(
      Kernel kernel, HloInstruction instruction, Literal[] operands, @Nullable StepCheck check) {
    reserve(instruction.op(), instruction.shape());
    Literal result = kernel.run(operands, this);
    if (check != null) {
      check.end(result);
    }
    return result;
  }

  /**
   * Reserves the memory of a value. What a call gives, the computation that it calls makes and
   * counts.
   */
  private void reserve(Op op, Shape shape) {
    long bytes = resourceLimits.reserve(shape);
    if (op instanceof ForwardingOp) {
      resourceLimits.unreserve(bytes);
    } else {
      reserved = bytes;
    }
  }

  private Literal bounded(Step step, List<Literal> arguments) {
    Literal value = value(step, arguments);
    DynamicShapes.requireWithin(step.instruction(), value);
    return value;
  }

  private Literal value(Step step, List<Literal> arguments) {
    if (!(step.op() instanceof ForwardingOp)) {
      reserve(step.op(), step.shape());
    }
    return step.hasNoElements()
        ? step.empty()
        : program.evaluator().evaluate(step, arguments, this);
  }

  /**
   * Adds the location of an instruction to an exception, from the innermost to the outermost call,
   * up to a maximum.
   */
  private static HloException withLocation(HloException refusal, HloInstruction instruction) {
    if (refusal.facts().size() >= MAX_FACTS) {
      return refusal;
    }
    return instruction.located(refusal);
  }
}
