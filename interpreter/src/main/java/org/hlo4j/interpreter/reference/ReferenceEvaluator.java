package org.hlo4j.interpreter.reference;

import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;

/** The reference evaluator: verifies the module, checks the arguments, runs the entry. */
public final class ReferenceEvaluator implements Evaluator {
  /** Targets of custom calls that need not be given. */
  public static final ImmutableSet<String> KNOWN_TARGETS = StandardTargets.ALL.keySet();

  private final EvaluatorOptions options;

  /**
   * An evaluator; it has no state.
   *
   * @param options limits of each run, and what it is given
   */
  public ReferenceEvaluator(EvaluatorOptions options) {
    this.options = options;
  }

  @Override
  public Literal run(HloModule module, Literal... arguments) {
    require(module != null, "", "run: module got null, want one");
    Verifier.lenient().verify(module);
    int count = module.entry().parameters().size();
    require(arguments != null, "", "run: arguments got null, want %s literals", count);
    List<Literal> given = Arrays.asList(arguments);
    checkArguments(module.entry().parameters(), given, "");
    checkCustomCalls(module);
    return run(module, given);
  }

  private Literal run(HloModule module, List<Literal> arguments) {
    try {
      return new Run(module, options, Device.alone()).call(module.entry(), arguments);
    } catch (StackOverflowError full) {
      throw new HloException(
          "", "run: the stack got full, want fewer nested calls or a larger -Xss");
    }
  }

  private void checkCustomCalls(HloModule module) {
    ImmutableSortedSet<String> given = ImmutableSortedSet.copyOf(options.customCalls().keySet());
    ImmutableSortedSet<String> unknown =
        module.computations().stream()
            .flatMap(computation -> computation.instructions().stream())
            .flatMap(instruction -> target(instruction.op()).stream())
            .filter(target -> !given.contains(target) && !KNOWN_TARGETS.contains(target))
            .collect(toImmutableSortedSet(Comparator.naturalOrder()));
    require(
        unknown.isEmpty(),
        "",
        "run: custom_call_target got %s, want one of Interpreter.KNOWN_CUSTOM_CALLS or of %s given"
            + " by EvaluatorOptions.withCustomCall",
        unknown,
        given);
  }

  private static Optional<String> target(Op op) {
    return op instanceof CustomCall call ? Optional.of(call.customCallTarget()) : Optional.empty();
  }

  @Override
  public ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    Verifier.lenient().verify(module);
    require(
        arguments.size() == grid.deviceCount(),
        "",
        "run: got arguments for %s devices, want %s",
        arguments.size(),
        grid.deviceCount());
    for (int i = 0; i < arguments.size(); i++) {
      checkArguments(module.entry().parameters(), arguments.get(i), " of device " + i);
    }
    checkCustomCalls(module);
    return new DeviceRuns(options, module, grid).run(arguments);
  }

  private static void checkArguments(
      List<HloInstruction> parameters, List<Literal> arguments, String of) {
    require(
        arguments.size() == parameters.size(),
        "",
        "run: argument count%s got %s, want %s",
        of,
        arguments.size(),
        parameters.size());
    for (int i = 0; i < arguments.size(); i++) {
      HloInstruction parameter = parameters.get(i);
      require(arguments.get(i) != null, "", "run: argument %s%s got null, want a literal", i, of);
      Shape got = arguments.get(i).shape();
      require(
          ActualSizes.within(parameter.shape(), got),
          "",
          "run: argument %s%s got %s, want %s for parameter %s",
          i,
          of,
          got,
          parameter.shape().withoutLayout(),
          parameter.name());
    }
  }
}
