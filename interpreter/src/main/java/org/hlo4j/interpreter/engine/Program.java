package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/**
 * A verified module that is ready to run: its computations are scheduled on demand, with kernels
 * where they exist. It also keeps the buffers of past runs for later ones.
 */
public final class Program implements DeviceExecutable {
  /** The divisor of the peak memory that gives the slack of a buffer pool. */
  private static final int IDLE_SHARE = 5;

  /** The number of runs whose buffers are kept; more would not be faster. */
  private static final int MAX_IDLE = Runtime.getRuntime().availableProcessors();

  /** The number of computations of parts of instructions that are kept. */
  private static final int MAX_PARTS = 256;

  private final HloModule given;
  private final HloModule module;
  private final EvaluatorOptions options;
  private final InstructionEvaluator evaluator;
  private final Function<HloInstruction, KernelChoice> kernels;
  private final ConcurrentMap<HloComputation, Schedule> schedules = new ConcurrentHashMap<>();
  private final ReentrantLock scheduling = new ReentrantLock();
  private final SequencedMap<Object, HloComputation> parts = new LinkedHashMap<>(16, 0.75f, true);
  private final Parameters parameters;
  private final Workers workers;
  private final Supplier<ImmutableList<String>> notes;
  private final long peakBytes;
  private final FixedOperands fixed;
  private final Optional<Preparation> preparation;

  /** Prepares the parts of a program whose arguments are bound. */
  public interface Preparation {
    /** Returns what the passes made of the module, all of them but fusion. */
    HloModule simplified();

    /**
     * Returns the program of a part of the simplified module, in which fusion is all that is left.
     */
    Program prepare(HloModule part);
  }

  private final FirstRun firstRun = new FirstRun();
  private final Queue<SoftReference<BufferPool>> idle = new ArrayBlockingQueue<>(MAX_IDLE);

  private Program(
      HloModule given,
      HloModule module,
      EvaluatorOptions options,
      InstructionEvaluator evaluator,
      Function<HloInstruction, KernelChoice> kernels,
      Supplier<ImmutableList<String>> notes,
      Optional<Preparation> preparation,
      @Nullable Literal[] bound) {
    this.notes = notes;
    this.preparation = preparation;
    this.given = given;
    this.module = module;
    this.options = options;
    this.evaluator = evaluator;
    this.kernels = kernels;
    this.workers = Workers.of(options.threads());
    this.peakBytes = PeakMemory.upperBound(module);
    this.fixed =
        new FixedOperands(module.entry().parameters(), bound, options.maxBytes() - peakBytes);
    this.parameters = Parameters.of(given.parameterNames(), module.entry());
    noteConstants(given);
    noteConstants(module);
  }

  /** Notes that the constants of a module, which runs hand on, belong to the module. */
  private static void noteConstants(HloModule module) {
    for (HloComputation computation : module.computations()) {
      for (HloInstruction instruction : computation.instructions()) {
        if (instruction.op() instanceof Constant constant) {
          HandedOut.note(constant.literal());
        }
      }
    }
  }

  /**
   * Creates a program that runs a module as it is, without passes.
   *
   * @throws HloException if the module breaks a rule or calls an unknown custom call target
   */
  public static Program of(
      HloModule module,
      EvaluatorOptions options,
      InstructionEvaluator evaluator,
      Function<HloInstruction, KernelChoice> kernels) {
    HloModule verified = verifyAndLower(module, options, evaluator);
    return new Program(
        module,
        verified,
        options,
        evaluator,
        kernels,
        ImmutableList::of,
        Optional.empty(),
        new Literal[0]);
  }

  /**
   * Verifies a module and returns it with arrays in place of its buffers, and with starts that bind
   * all operands.
   *
   * @throws HloException if the module breaks a rule or calls an unknown custom call target
   */
  public static HloModule verifyAndLower(
      HloModule module, EvaluatorOptions options, InstructionEvaluator evaluator) {
    require(module != null, "", "run: module is null");
    Verifier.lenient().verify(module);
    new CustomCallTargets(evaluator.customCallTargets(), options.customCalls().keySet())
        .requireAll(module);
    return lower(module);
  }

  /**
   * Returns a verified module as it is run and listeners are told of it: without buffers, and with
   * starts that bind all operands.
   *
   * @return the module; the same one if nothing changes, as it does not for what this returned
   */
  public static HloModule lower(HloModule module) {
    return BufferLowering.lower(AsyncChain.bindAtOnce(OperandShardings.move(module)));
  }

  /**
   * Creates a program from a module that was verified and then transformed, with the same
   * parameters.
   *
   * @param given the original module
   * @param module the module to run
   * @param kernels selects the kernel of an instruction
   * @param notes describes the transformations, for the explanation
   * @param preparation prepares the parts of the program if arguments are bound
   */
  public static Program ofVerified(
      HloModule given,
      HloModule module,
      EvaluatorOptions options,
      InstructionEvaluator evaluator,
      Function<HloInstruction, KernelChoice> kernels,
      Supplier<ImmutableList<String>> notes,
      Optional<Preparation> preparation) {
    return new Program(
        given, module, options, evaluator, kernels, notes, preparation, new Literal[0]);
  }

  /** Returns what prepares the parts of this program; empty if it is not split. */
  Optional<Preparation> preparation() {
    return preparation;
  }

  /** Returns this program for runs that all have the same literals for some parameters. */
  Program withBound(@Nullable Literal[] bound) {
    return new Program(given, module, options, evaluator, kernels, notes, preparation, bound);
  }

  /** Returns the values that are the same in each run. */
  FixedOperands fixed() {
    return fixed;
  }

  /** Returns a description of what passes did to the module, for its explanation. */
  ImmutableList<String> notes() {
    return notes.get();
  }

  /** Returns the module that is run: the result of the passes on the given one. */
  HloModule scheduledModule() {
    return module;
  }

  EvaluatorOptions options() {
    return options;
  }

  InstructionEvaluator evaluator() {
    return evaluator;
  }

  Workers workers() {
    return workers;
  }

  Schedule schedule(HloComputation computation) {
    Schedule known = schedules.get(computation);
    return known != null
        ? known
        : Limits.exclusively(
            scheduling,
            () ->
                schedules.computeIfAbsent(
                    computation, missing -> new Schedule(missing, kernels, fixed)));
  }

  /**
   * Returns the computation of a part of an instruction. Those that were not used for the longest
   * time are made again if they are needed again.
   */
  HloComputation part(Object key, Supplier<HloComputation> making) {
    synchronized (parts) {
      HloComputation part = parts.computeIfAbsent(key, any -> making.get());
      if (parts.size() > MAX_PARTS) {
        schedules.remove(parts.pollFirstEntry().getValue());
      }
      return part;
    }
  }

  /**
   * Returns the limits of a run that begins now, for all its devices. It has to count its live
   * bytes if they might exceed the limit.
   */
  ResourceLimits limits(int devices) {
    long bytes = LongMath.saturatedMultiply(peakBytes, devices);
    return new ResourceLimits(options, bytes > options.maxBytes());
  }

  /** Returns whether each run makes all arrays of its result itself, and hands them to nobody. */
  boolean ownsResult() {
    return options.valueListener().isEmpty() && schedule(module.entry()).makesResult();
  }

  /** Returns the buffer pool of an earlier run, or a new one. */
  BufferPool takeBufferPool() {
    for (var kept = idle.poll(); kept != null; kept = idle.poll()) {
      BufferPool buffers = kept.get();
      if (buffers != null) {
        buffers.begin();
        return buffers;
      }
    }
    long needed = schedule(module.entry()).peakBytes();
    return new BufferPool(needed + needed / IDLE_SHARE);
  }

  /** Keeps a buffer pool for later runs. It is softly reachable: the heap may reclaim it. */
  void returnBufferPool(BufferPool buffers) {
    var _ = idle.offer(new SoftReference<>(buffers));
  }

  @Override
  public HloModule module() {
    return given;
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public ProgramShape signature() {
    return new ProgramShape(parameters.shapes(), given.entry().root().shape().withoutLayout());
  }

  @Override
  public ImmutableList<String> parameterNames() {
    return parameters.names();
  }

  /** Returns text such as {@code executable m (x: f32[2], y: f32[]) -> f32[2]}. */
  @Override
  public String toString() {
    return describe(parameters);
  }

  /** Returns the name and the signature, with the parameters that are not bound. */
  String describe(Parameters unbound) {
    return "executable " + given.name() + " " + unbound + " -> " + signature().result();
  }

  @Override
  public Literal run(Literal... arguments) {
    parameters.check(arguments, "run");
    return runChecked(arguments);
  }

  @Override
  public Literal run(Map<String, Literal> arguments) {
    return runChecked(parameters.orderAll(arguments, "run"));
  }

  @Override
  public Literal newResult() {
    return OwnArrays.zeros(signature().result());
  }

  @Override
  public void unsafeRunInto(Literal result, Literal... arguments) {
    parameters.check(arguments, "run");
    runCheckedInto(result, arguments);
  }

  @Override
  public DeviceExecutable bind(Map<String, Literal> arguments) {
    @Nullable Literal[] bound = parameters.orderSome(arguments, "bind");
    return arguments.isEmpty() ? this : withinLimits(() -> BoundProgram.of(this, bound));
  }

  /** Does some work within the limits of a compilation. */
  <T> T withinLimits(Supplier<T> work) {
    return refusingErrors(() -> new Limits(options.deadline(), options.maxBytes()).within(work));
  }

  @Override
  public Profile profile(int runs, Literal... arguments) {
    parameters.check(arguments, "profile");
    return profileChecked(runs, arguments);
  }

  Profile profileChecked(int runs, Literal[] arguments) {
    return profile(runs, profiler -> Run.profiled(profiler, this, arguments));
  }

  private Profile profile(int runs, Consumer<Profiler> run) {
    require(runs > 0, "", "profile: got %s runs, want at least 1", runs);
    Profiler profiler = new Profiler();
    for (int i = 0; i < runs; i++) {
      run.accept(profiler);
      profiler.endRun();
    }
    return profiler.profile(module);
  }

  Literal runChecked(Literal[] arguments) {
    return firstRun.run(() -> Run.onSingleDevice(this, arguments));
  }

  /**
   * Does some work that compiles or runs a program.
   *
   * @return its result
   * @throws HloException if the stack or the heap has no room for it
   */
  public static <T> T refusingErrors(Supplier<T> work) {
    try {
      return work.get();
    } catch (StackOverflowError full) {
      throw new HloException(
          "", "run: the stack overflowed, want fewer nested calls or a larger -Xss");
    } catch (OutOfMemoryError full) {
      throw new HloException(Kind.LIMIT, "run: the heap is full, want a larger -Xmx");
    }
  }

  void runCheckedInto(Literal result, Literal[] arguments) {
    OwnArrays.requireWritable(result, module.entry().root().shape().withoutLayout(), arguments);
    OwnArrays.copy(firstRun.run(() -> Run.intoResult(result, this, arguments)), result);
  }

  @Override
  public String explain() {
    return withinLimits(() -> new Explanation(this).toString());
  }

  @Override
  public ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments) {
    return runChecked(grid, parameters.checkOnDevices(grid, arguments, "run"));
  }

  ImmutableList<Literal> runChecked(DeviceGrid grid, List<Literal[]> arguments) {
    return firstRun.run(() -> new DeviceRuns(this, grid).run(arguments));
  }

  @Override
  public Profile profileOnDevices(DeviceGrid grid, int runs, List<List<Literal>> arguments) {
    return profileChecked(grid, runs, parameters.checkOnDevices(grid, arguments, "profile"));
  }

  Profile profileChecked(DeviceGrid grid, int runs, List<Literal[]> arguments) {
    return profile(runs, profiler -> new DeviceRuns(this, grid).profiled(profiler, arguments));
  }
}
