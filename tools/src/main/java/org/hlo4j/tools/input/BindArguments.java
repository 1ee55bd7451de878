package org.hlo4j.tools.input;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Executable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of every command that runs a program many times: which of its arguments are the same
 * in each run, and bound.
 */
public final class BindArguments {
  private static final int MAX_SHOWN = 20;

  @Option(
      names = "--bind",
      paramLabel = "NAME",
      preprocessor = MultiWordOption.class,
      description = {
        "Arguments to bind before the first run, by name or pattern, such as 'w*': they are packed"
            + " once, and what depends on them alone is computed once, as Executable.bind does."
            + " Default: those from .npz and .safetensors files, if others remain."
      })
  private List<String> patterns = new ArrayList<>();

  @Option(names = "--no-bind", description = "Bind no arguments.")
  private boolean isOff;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  BindArguments() {}

  /**
   * A program that is ready to run.
   *
   * @param program the program with its arguments bound
   * @param arguments those that are not bound
   */
  public record Bound(Executable program, ImmutableList<Literal> arguments) {
    private static final Duration MAX_CHECK = Duration.ofSeconds(2);

    public void run() {
      program.run(arguments.toArray(Literal[]::new));
    }

    /** Runs the program for up to two seconds, until it is warm, and returns whether it is. */
    public boolean isWarm() {
      return program.warmUp(MAX_CHECK, arguments.toArray(Literal[]::new));
    }
  }

  /** Returns the names of the inputs to bind; none of a program on several devices. */
  public Set<String> names(InputArguments.Prepared prepared) {
    requireOne(prepared.grid().deviceCount());
    Set<String> inputs = prepared.inputs().keySet();
    Set<String> names =
        isOff || prepared.grid().deviceCount() > 1
            ? Set.of()
            : patterns.isEmpty() ? prepared.weights() : matching(inputs);
    if (!names.isEmpty() && names.size() == inputs.size()) {
      if (!patterns.isEmpty()) {
        throw wrong(
            String.join(" ", patterns)
                + ", which is all of "
                + shown(inputs)
                + ", want one to be left for each run");
      }
      return Set.of();
    }
    return names;
  }

  /** Returns a program with zeros bound where names match: its plan does not depend on values. */
  public Executable withZeros(Executable program) {
    Map<String, Literal> zeros = new LinkedHashMap<>();
    for (String name : matching(program.parameterNames())) {
      Shape shape = program.signature().parameters().get(program.parameterNames().indexOf(name));
      if (!(shape instanceof Shape.Array array)) {
        throw wrong(name + ", which is " + shape + ", want arrays");
      }
      zeros.put(name, Literal.zeros(array));
    }
    return program.bind(zeros);
  }

  private void requireOne(int devices) {
    if (!patterns.isEmpty() && (isOff || devices > 1)) {
      throw isOff
          ? wrong(String.join(" ", patterns) + " beside --no-bind, want one of them")
          : wrong(String.join(" ", patterns) + " for " + devices + " devices, want 1");
    }
  }

  /**
   * Returns the names that the patterns match, in order.
   *
   * @throws ParameterException if a pattern matches none
   */
  Set<String> matching(Collection<String> names) {
    Set<String> all = new LinkedHashSet<>();
    for (String pattern : patterns) {
      List<String> own = names.stream().filter(matcher(pattern)).toList();
      if (own.isEmpty()) {
        throw wrong(pattern + ", want names or a pattern of names of " + shown(names));
      }
      all.addAll(own);
    }
    return all;
  }

  private static Predicate<String> matcher(String pattern) {
    String quoted = "\\Q" + pattern.replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q") + "\\E";
    return Pattern.compile(quoted, Pattern.DOTALL).asMatchPredicate();
  }

  private static String shown(Collection<String> names) {
    return names.isEmpty()
        ? "no arguments"
        : String.join(", ", Iterables.limit(names, MAX_SHOWN))
            + (names.size() > MAX_SHOWN ? " and " + (names.size() - MAX_SHOWN) + " more" : "");
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), "--bind got " + message);
  }

  /** Returns text such as {@code 2 of 3 arguments}; empty if none is bound. */
  public static String describe(InputArguments.Prepared prepared, Set<String> bound) {
    return bound.isEmpty() ? "" : bound.size() + " of " + prepared.inputs().size() + " arguments";
  }

  /** Adds the names of bound inputs to a JSON object, if there are any. */
  public static void addTo(JsonObject json, Set<String> bound) {
    if (!bound.isEmpty()) {
      JsonArray names = new JsonArray();
      bound.forEach(names::add);
      json.add("bound", names);
    }
  }

  /** Returns a program with some inputs bound. Its parameters are found by the very literals. */
  public static Bound bound(
      Executable program, InputArguments.Prepared prepared, Collection<String> names) {
    Set<Literal> bound = Collections.newSetFromMap(new IdentityHashMap<>());
    names.forEach(name -> bound.add(prepared.inputs().get(name)));
    Map<String, Literal> byName = new LinkedHashMap<>();
    ImmutableList.Builder<Literal> others = ImmutableList.builder();
    List<Literal> arguments = prepared.arguments().get(0);
    for (int i = 0; i < arguments.size(); i++) {
      if (bound.contains(arguments.get(i))) {
        byName.put(program.parameterNames().get(i), arguments.get(i));
      } else {
        others.add(arguments.get(i));
      }
    }
    return new Bound(program.bind(byName), others.build());
  }
}
