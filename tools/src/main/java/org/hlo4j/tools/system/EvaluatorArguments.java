package org.hlo4j.tools.system;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.pjrt.Pjrt;
import org.hlo4j.pjrt.PjrtEvaluator;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Quantities;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of every command that evaluates a program: the choice of the evaluator and its
 * limits.
 */
public final class EvaluatorArguments {
  private static final ImmutableMap<String, Function<EvaluatorOptions, Evaluator>> EVALUATORS =
      ImmutableMap.of("reference", Interpreter::reference, "compiled", Interpreter::compiled);

  /** The evaluator if none is requested. */
  public static final String DEFAULT = "compiled";

  /** The names of the evaluators, for completion. */
  static final class Names extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Names() {
      super(EVALUATORS.keySet());
    }
  }

  @Option(
      names = "--evaluator",
      paramLabel = "NAME",
      defaultValue = DEFAULT,
      completionCandidates = Names.class,
      description =
          "The evaluator: ${COMPLETION-CANDIDATES}, or a PJRT plugin by name or file, with options"
              + " of its client: pjrt:cpu or pjrt:/path/plugin.so,cpu_device_count=2. Default:"
              + " ${DEFAULT-VALUE}.")
  private String evaluator = DEFAULT;

  @Option(
      names = "--max-steps",
      paramLabel = "N",
      description =
          "The maximum number of instructions evaluated, counted in each iteration of a loop.")
  private Optional<Long> maxSteps = Optional.empty();

  @Option(
      names = "--max-bytes",
      paramLabel = "N",
      converter = Quantities.Bytes.class,
      description = "The maximum number of bytes alive at a time: 1000, 512k, 64m, 2g.")
  private Optional<Long> maxBytes = Optional.empty();

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      converter = Quantities.Time.class,
      description =
          "The maximum time of each run: 500ms, 10s, 2m, 1h. Compilation does not count in it, but"
              + " has the same limit.")
  private Optional<Duration> deadline = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "The seed of the program's random numbers. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // spec is set by picocli
  EvaluatorArguments() {}

  /** Returns the requested evaluator. */
  public Evaluator evaluator() {
    return evaluator(options());
  }

  /** Returns the requested evaluator, which counts its steps. */
  public Evaluator evaluator(Progress progress) {
    return evaluator(options(progress, Transfers.create()));
  }

  /** Returns the requested options, with a counter of the steps and these queues. */
  public EvaluatorOptions options(Progress progress, Transfers transfers) {
    return options().toBuilder().stepCounter(progress.steps()).transfers(transfers).build();
  }

  /** Returns the requested evaluator with other options than the requested ones. */
  public Evaluator evaluator(EvaluatorOptions options) {
    return named(evaluator, options);
  }

  /** Returns the evaluators in a comma-separated list of names, without duplicates. */
  public ImmutableMap<String, Evaluator> evaluators() {
    return listed(evaluator).stream()
        .distinct()
        .collect(toImmutableMap(name -> name, name -> named(name, options())));
  }

  /** Returns the names in a list, in which the options of a plugin belong to the name before. */
  private static List<String> listed(String text) {
    List<String> names = new ArrayList<>();
    for (String part : Splitter.on(',').split(text)) {
      int last = names.size() - 1;
      if (part.contains("=") && last >= 0 && PjrtEvaluators.isNamed(names.get(last))) {
        names.set(last, names.get(last) + "," + part);
      } else {
        names.add(part);
      }
    }
    return names;
  }

  private Evaluator named(String name, EvaluatorOptions options) {
    if (PjrtEvaluators.isNamed(name)) {
      return Pjrt.evaluator(PjrtEvaluators.client(name), options);
    }
    return Optional.ofNullable(EVALUATORS.get(name))
        .orElseThrow(() -> wrong("--evaluator got " + name + ", want one of " + names()))
        .apply(options);
  }

  /** Returns the custom calls that the evaluator does not know, unless it is a plugin. */
  public Optional<String> unknownCalls(HloModule module) {
    return isPlugin() ? Optional.empty() : CustomCalls.unknown(module);
  }

  /** Returns whether a plugin is requested. */
  public boolean isPlugin() {
    return PjrtEvaluators.isNamed(evaluator);
  }

  /** Returns the requested plugin in a process of its own. */
  public PjrtEvaluator isolated() {
    if (!isPlugin()) {
      throw wrong("--isolated got --evaluator " + evaluator + ", want a plugin such as pjrt:cpu");
    } else if (maxSteps.isPresent() || maxBytes.isPresent() || seed != 0) {
      throw wrong("--max-steps, --max-bytes and --seed got a plugin in a process, want none there");
    }
    return PjrtEvaluators.isolated(evaluator, deadline);
  }

  /** Returns the requested options. */
  public EvaluatorOptions options() {
    EvaluatorOptions.Builder options = EvaluatorOptions.builder().seed(seed);
    maxSteps.ifPresent(steps -> options.maxSteps(atLeastZero("--max-steps", steps)));
    maxBytes.ifPresent(options::maxBytes);
    deadline.ifPresent(options::deadline);
    return options.build();
  }

  private static String names() {
    return String.join(", ", List.copyOf(EVALUATORS.keySet())) + ", pjrt:PLUGIN";
  }

  private long atLeastZero(String option, long number) {
    if (number < 0) {
      throw wrong(option + " got " + number + ", want at least 0");
    }
    return number;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
