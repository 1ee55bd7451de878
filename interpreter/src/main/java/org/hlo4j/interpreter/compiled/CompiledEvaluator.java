package org.hlo4j.interpreter.compiled;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.lang.ref.SoftReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.passes.Pipeline;
import org.hlo4j.interpreter.engine.DeviceExecutable;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.GridExecutable;
import org.hlo4j.interpreter.engine.InstructionEvaluator;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Program;
import org.hlo4j.interpreter.engine.SizedProgram;
import org.hlo4j.interpreter.engine.SizedProgram.AtSizes;
import org.hlo4j.interpreter.engine.sizes.SizedModule;
import org.jspecify.annotations.Nullable;

/**
 * The compiled evaluator: runs a {@link Program} of the module that the passes have simplified,
 * whose instructions are computed by {@link Kernels}.
 */
public final class CompiledEvaluator implements Evaluator {
  private static final String COUNTED = "its instructions are counted, checked or listened to";

  private final EvaluatorOptions options;
  private final InstructionEvaluator reference;
  private final Effects indexing = Effects.ofIndices();
  private final Map<HloModule, CachedProgram> programs =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** The program of a module: prepared once, and kept while the heap has room. */
  private final class CachedProgram {
    private final ReentrantLock preparing = new ReentrantLock();
    private volatile SoftReference<@Nullable DeviceExecutable> cached = new SoftReference<>(null);

    DeviceExecutable of(HloModule module) {
      DeviceExecutable program = cached.get();
      return program != null
          ? program
          : new Limits(options.deadline(), options.maxBytes())
              .within(() -> Limits.exclusively(preparing, () -> prepared(module)));
    }

    private DeviceExecutable prepared(HloModule module) {
      DeviceExecutable program = cached.get();
      if (program == null) {
        program = prepare(module);
        cached = new SoftReference<>(program);
      }
      return program;
    }
  }

  /**
   * Creates an evaluator.
   *
   * @param options the limits of each run, and what a run is given
   * @param reference evaluates instructions without a kernel, and constants
   */
  public CompiledEvaluator(EvaluatorOptions options, InstructionEvaluator reference) {
    this.options = options;
    this.reference = reference;
  }

  /** Returns whether each instruction is evaluated as it is written, without passes and fusions. */
  private boolean isAsWritten() {
    return options.valueListener().isPresent() || options.checksBounds();
  }

  /** Returns the program of a module; one for each set of sizes if it has bounds in their place. */
  private DeviceExecutable prepare(HloModule given) {
    Program program = verified(given);
    if (isAsWritten() || !SizedModule.hasBounds(given)) {
      return program;
    }
    HloModule lowered = Program.verifyAndLower(given, options, reference);
    return new SizedProgram(
        program,
        arguments -> {
          SizedModule sized = SizedModule.of(lowered, arguments, reference);
          return new AtSizes(verified(sized.module()), sized.isChecked());
        });
  }

  private Program verified(HloModule given) {
    HloModule module = Program.verifyAndLower(given, options, reference);
    boolean observesNanBits = QuietNaNKernel.areObserved(module);
    ModuleKernels fusions =
        new ModuleKernels(observesNanBits, options.maxCodeBytes(), Optional.empty());
    if (isAsWritten()) {
      return Program.ofVerified(
          given,
          module,
          options,
          reference,
          instruction -> kernel(instruction, fusions),
          () -> notes("", fusions),
          Optional.empty());
    }
    boolean isSplit = options.maxSteps() == Long.MAX_VALUE && !observesNanBits;
    return program(
        given, Pipeline.of(fusions.generators(), reference).run(module), fusions, isSplit);
  }

  private Program program(
      HloModule given, Pipeline.Result result, ModuleKernels fusions, boolean isSplit) {
    return Program.ofVerified(
        given,
        result.module(),
        options,
        reference,
        instruction -> kernel(instruction, fusions),
        () -> notes("passes: " + result.counts(), fusions),
        isSplit ? Optional.of(new Preparation(result.unfused(), fusions)) : Optional.empty());
  }

  /** A part is not verified: passes give computations further callers. */
  private final class Preparation implements Program.Preparation {
    private final HloModule simplified;
    private final ModuleKernels whole;

    Preparation(HloModule simplified, ModuleKernels whole) {
      this.simplified = simplified;
      this.whole = whole;
    }

    @Override
    public HloModule simplified() {
      return simplified;
    }

    @Override
    public Program prepare(HloModule part) {
      ModuleKernels fusions = new ModuleKernels(false, options.maxCodeBytes(), Optional.of(whole));
      return program(part, Pipeline.of(fusions.generators(), reference).fuse(part), fusions, true);
    }
  }

  /**
   * Returns the notes of the plan: the counts of the passes and the vector support; the size of the
   * code only if it is limited.
   */
  private static ImmutableList<String> notes(String passes, ModuleKernels fusions) {
    return Stream.of(
            passes,
            Machine.describeVectors(),
            fusions.isCodeLimited() ? fusions.describeCode() : "")
        .filter(note -> !note.isEmpty())
        .collect(toImmutableList());
  }

  /**
   * Returns the kernel of an instruction. An instruction with a computation in it gets no kernel if
   * steps are counted, a listener wants the values or indices are checked, since a kernel does none
   * of these. A custom call for which the user has given a function gets none either.
   */
  private KernelChoice kernel(HloInstruction instruction, ModuleKernels fusions) {
    boolean isCounted = isAsWritten() || options.maxSteps() < Long.MAX_VALUE;
    String reason =
        switch (instruction.op()) {
          case Call _, Conditional _, While _ -> isCounted ? COUNTED : "";
          case Fusion fusion -> isAsWritten() ? COUNTED : "";
          case CustomCall call ->
              options.customCalls().containsKey(call.customCallTarget())
                  ? "the options have a function for it"
                  : "";
          default -> options.checksBounds() && indexing.callsEffect(instruction) ? COUNTED : "";
        };
    return reason.isEmpty() ? fusions.of(instruction) : KernelChoice.decline(reason);
  }

  @Override
  public Executable compile(HloModule module) {
    return GridExecutable.of(program(module));
  }

  @Override
  public Executable compile(HloModule module, DeviceGrid grid) {
    return GridExecutable.of(program(module), grid);
  }

  private DeviceExecutable program(HloModule module) {
    require(module != null, "", "run: module is null");
    CachedProgram program = programs.computeIfAbsent(module, key -> new CachedProgram());
    return Program.refusingErrors(() -> program.of(module));
  }

  @Override
  public ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    return program(module).runOnDevices(grid, arguments);
  }

  @Override
  public String toString() {
    return "compiled evaluator, " + options;
  }
}
