package org.hlo4j.interpreter.check;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;

/**
 * A module and the arguments of its entry computation.
 *
 * @param module the module
 * @param arguments one literal for each parameter of the entry, in order
 */
public record Program(HloModule module, ImmutableList<Literal> arguments) {
  /**
   * Creates a program.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, in order
   * @return the program
   */
  public static Program of(HloModule module, Literal... arguments) {
    return new Program(module, ImmutableList.copyOf(arguments));
  }

  /**
   * Runs the program.
   *
   * @param evaluator the evaluator
   * @return the value of the entry's root
   * @throws HloException as {@link Evaluator#run(HloModule, Literal...)}
   */
  public Literal run(Evaluator evaluator) {
    return evaluator.run(module, arguments.toArray(Literal[]::new));
  }

  /** Returns deep copies of the arguments. */
  ImmutableList<Literal> copies() {
    return arguments.stream().map(Program::copy).collect(toImmutableList());
  }

  private static Literal copy(Literal argument) {
    if (!(argument.shape() instanceof Shape.Array array)) {
      return argument.elements().isEmpty()
          ? argument
          : Literal.tuple(argument.elements().stream().map(Program::copy).toList());
    }
    LiteralBuilder copy = new LiteralBuilder(array);
    for (int i = 0; i < argument.elementCount(); i++) {
      copy.copy(i, argument, i);
    }
    return copy.build();
  }
}
