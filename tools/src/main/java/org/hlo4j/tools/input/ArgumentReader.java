package org.hlo4j.tools.input;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.console.Refusals;
import org.hlo4j.tools.program.ProgramSource;

/**
 * A reader of the arguments that the user gives for a program's parameters. All errors are reported
 * at once; an invalid file is reported even if there are too many or too few arguments.
 */
public final class ArgumentReader {
  /** The treatment of arrays of another element type. */
  public enum Conversion {
    /** They are refused. */
    NEVER,
    /** They are refused with a message that names the option for conversion. */
    OFFERED,
    /** They are converted. */
    ALWAYS
  }

  private final String program;
  private final List<ProgramSource.Input> parameters;
  private final Conversion conversion;
  private final List<HloException> refusals = new ArrayList<>();
  private final Set<String> weights = new LinkedHashSet<>();

  /**
   * Creates a reader.
   *
   * @param program the name of the program, for refusals
   * @param parameters its parameters
   * @param conversion the treatment of arrays of another element type
   */
  public ArgumentReader(
      String program, List<ProgramSource.Input> parameters, Conversion conversion) {
    this.program = program;
    this.parameters = parameters;
    this.conversion = conversion;
  }

  /** Returns the arrays that the inputs name; errors are kept for {@link #read}. */
  public List<InputArray> arrays(List<String> inputs) {
    ImmutableSet<String> names =
        parameters.stream().map(ProgramSource.Input::name).collect(toImmutableSet());
    List<InputArray> arrays = new ArrayList<>();
    for (String input : inputs) {
      try {
        arrays.addAll(InputArray.of(input, names));
      } catch (HloException refusal) {
        refusals.add(refusal);
      } catch (IOException problem) {
        refusals.add(new HloException(HloException.Kind.IO, ErrorMessages.describe(problem)));
      }
    }
    return arrays;
  }

  /**
   * Returns the arguments, in the order of the parameters.
   *
   * @param given the arrays
   * @param isFilling whether parameters may have no array; their arguments are empty then
   * @throws HloException or {@link Refusals}, if anything is wrong with any of them
   */
  public List<Optional<Literal>> read(List<InputArray> given, boolean isFilling) {
    List<Optional<InputArray>> assigned = assigned(given, isFilling);
    List<Optional<Literal>> arguments =
        IntStream.range(0, parameters.size())
            .mapToObj(i ->
                assigned
                    .get(i)
                    .map(array -> read(array, parameters.get(i)))
                    .orElseGet(() -> withoutValue(parameters.get(i).shape())))
            .toList();
    Refusals.throwIfAny(refusals);
    return arguments;
  }

  /**
   * Returns the names of the parameters for which {@link #read} took arrays of files of weights.
   */
  Set<String> weights() {
    return weights;
  }

  /** Returns how many arrays are for a device: those of tokens may be left out. */
  int countPerDevice(int given, int devices) {
    int needed = (int) parameters.stream().filter(each -> hasValue(each.shape())).count();
    return given == needed * devices ? needed : parameters.size();
  }

  /** Returns whether there are values of a shape that differ. */
  private static boolean hasValue(Shape shape) {
    return switch (shape) {
      case Shape.Token _ -> false;
      case Shape.Tuple tuple -> tuple.elements().stream().anyMatch(ArgumentReader::hasValue);
      case Shape.Array _, Shape.Buffer _, Shape.Opaque _ -> true;
    };
  }

  /** Returns the only literal of a shape; empty if there are several. */
  private static Optional<Literal> withoutValue(Shape shape) {
    return hasValue(shape) ? Optional.empty() : Optional.of(new RandomLiterals(0).next(shape));
  }

  /**
   * Assigns an array to each parameter: arrays with names first, then the others in order. Unless
   * there are more of them, they are for the parameters that have a value.
   */
  private List<Optional<InputArray>> assigned(List<InputArray> given, boolean isFilling) {
    List<Optional<InputArray>> assigned = new ArrayList<>();
    parameters.forEach(parameter -> assigned.add(Optional.empty()));
    given.stream()
        .filter(array -> array.name().isPresent())
        .forEach(array -> name(array, assigned));
    List<InputArray> others = given.stream().filter(array -> array.name().isEmpty()).toList();
    boolean[] isNeeded = new boolean[parameters.size()];
    int needed = 0;
    for (int i = 0; i < isNeeded.length; i++) {
      isNeeded[i] = assigned.get(i).isEmpty() && hasValue(parameters.get(i).shape());
      needed += isNeeded[i] ? 1 : 0;
    }
    int next = 0;
    for (InputArray array : others) {
      while (next < assigned.size()
          && (assigned.get(next).isPresent() || (others.size() <= needed && !isNeeded[next]))) {
        next++;
      }
      if (next < assigned.size()) {
        assigned.set(next, Optional.of(array));
      }
    }
    long missing =
        IntStream.range(0, isNeeded.length)
            .filter(i -> isNeeded[i] && assigned.get(i).isEmpty())
            .count();
    if (given.size() > parameters.size() || (missing > 0 && !isFilling && refusals.isEmpty())) {
      refusals.add(wrongCount(given.size()));
    }
    return assigned;
  }

  private HloException wrongCount(int count) {
    return new HloException(
        "",
        String.format(
            "%s: got %s of %s arguments (%s), want %s",
            program,
            count,
            parameters.size(),
            parameterList(),
            conversion == Conversion.NEVER
                ? "one for each"
                : "--input for each, or --random SEED"));
  }

  private void name(InputArray array, List<Optional<InputArray>> assigned) {
    String name = array.name().orElseThrow();
    int parameter =
        IntStream.range(0, parameters.size())
            .filter(i -> parameters.get(i).name().equals(name))
            .findFirst()
            .orElse(-1);
    if (parameter < 0) {
      refusals.add(
          new HloException(
              "",
              String.format(
                  "%s: got no parameter %s, want one of %s",
                  array.description(), name, parameterList())));
    } else if (assigned.get(parameter).isPresent()) {
      refusals.add(
          new HloException(
              "",
              String.format(
                  "%s: got parameter %s twice, want it once", array.description(), name)));
    } else {
      assigned.set(parameter, Optional.of(array));
    }
  }

  private String parameterList() {
    return parameters.stream().map(ProgramSource.Input::toString).collect(joining(", "));
  }

  private Optional<Literal> read(InputArray array, ProgramSource.Input parameter) {
    if (array.isWeight()) {
      weights.add(parameter.name());
    }
    try {
      return suited(array, parameter, array.reader().read(parameter.shape()));
    } catch (HloException refusal) {
      refusals.add(refusal.with("parameter", parameter.toString()));
    } catch (IOException problem) {
      refusals.add(
          new HloException(HloException.Kind.IO, ErrorMessages.describe(problem))
              .with("parameter", parameter.toString()));
    }
    return Optional.empty();
  }

  /** Returns an array in a form that the parameter accepts. */
  private Optional<Literal> suited(
      InputArray array, ProgramSource.Input parameter, Literal literal) {
    if (suits(parameter.shape(), literal.shape())) {
      return Optional.of(literal);
    }
    boolean isConvertible =
        parameter.shape() instanceof Shape.Array want
            && literal.shape() instanceof Shape.Array got
            && haveSizesOf(want, got);
    if (isConvertible && conversion == Conversion.ALWAYS) {
      return Optional.of(
          literal.convertElementType(((Shape.Array) parameter.shape()).elementType()));
    }
    refusals.add(
        new HloException(
            "",
            String.format(
                "%s: got %s, want %s for parameter %s%s",
                array.description(),
                literal.shape(),
                parameter.typeText(),
                parameter.name(),
                isConvertible && conversion == Conversion.OFFERED
                    ? "; --convert converts it"
                    : "")));
    return Optional.empty();
  }

  private static boolean suits(Shape wanted, Shape got) {
    return (wanted instanceof Shape.Array want && got instanceof Shape.Array array)
        ? want.elementType() == array.elementType() && haveSizesOf(want, array)
        : wanted.compatible(got);
  }

  /**
   * Returns whether an array has the sizes of a shape; sizes that are unknown are checked when the
   * program is bound.
   */
  private static boolean haveSizesOf(Shape.Array wanted, Shape.Array got) {
    return wanted.sizes().contains(Shape.UNBOUNDED)
        || (wanted.rank() == got.rank()
            && IntStream.range(0, wanted.rank())
                .allMatch(i ->
                    wanted.size(i) == got.size(i)
                        || (wanted.isDynamic(i) && got.size(i) <= wanted.size(i))));
  }
}
