package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A generator of random valid programs. The same seed gives the same program.
 *
 * <pre>{@code
 * ProgramGenerator generator = ProgramGenerator.create().finite();
 * Optional<Program> program = generator.program(17);
 * }</pre>
 */
public final class ProgramGenerator {
  /** How many sets of arguments are tried for a finite result. */
  private static final int FINITE_ATTEMPTS = 8;

  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  private final Restrictions restrictions;
  private final int steps;

  private ProgramGenerator(Restrictions restrictions, int steps) {
    this.restrictions = restrictions;
    this.steps = steps;
  }

  /**
   * Returns a generator without restrictions.
   *
   * @return the generator
   */
  public static ProgramGenerator create() {
    return new ProgramGenerator(Restrictions.NONE, 0);
  }

  /**
   * Returns a generator that uses some ops only. Parameters, constants, broadcasts of scalars and
   * tuples are used too.
   *
   * @param opcodes the opcodes, such as {@code dot}
   * @return the generator
   * @throws HloException if there is none, or one is no op
   */
  public ProgramGenerator withOps(Set<String> opcodes) {
    require(!opcodes.isEmpty(), "", "generator: ops got none, want at least one");
    for (String opcode : opcodes) {
      require(OpSchema.contains(opcode), "", "ops got %s, want opcodes such as add", opcode);
    }
    return new ProgramGenerator(restrictions.withOps(ImmutableSet.copyOf(opcodes)), steps);
  }

  /**
   * Returns a generator that leaves some ops out.
   *
   * @param opcodes the opcodes, such as {@code dot}
   * @return the generator
   * @throws HloException if one is no op, or one that every program may have, as parameters
   */
  public ProgramGenerator withoutOps(Set<String> opcodes) {
    for (String opcode : opcodes) {
      require(OpSchema.contains(opcode), "", "ops got %s, want opcodes such as add", opcode);
      require(
          !Restrictions.ALWAYS.contains(opcode),
          "",
          "ops to leave out got %s, which every program may have",
          opcode);
    }
    return new ProgramGenerator(restrictions.withoutOps(opcodes), steps);
  }

  /**
   * Returns a generator whose arrays have some types only. Scalars, such as indices, may have
   * others.
   *
   * @param types the element types
   * @return the generator
   * @throws HloException if there is none
   */
  public ProgramGenerator withTypes(Set<ElementType> types) {
    require(!types.isEmpty(), "", "generator: types got none, want at least one");
    return new ProgramGenerator(restrictions.withTypes(ImmutableSet.copyOf(types)), steps);
  }

  /**
   * Returns a generator whose arrays are small.
   *
   * @param elements the most elements of an array
   * @return the generator
   * @throws HloException if it is less than 1
   */
  public ProgramGenerator withMaxElements(long elements) {
    require(elements > 0, "", "generator: max elements got %s, want at least 1", elements);
    return new ProgramGenerator(restrictions.withMaxElements(elements), steps);
  }

  /**
   * Returns a generator whose programs have so many steps, of one or a few instructions each.
   *
   * @param count the number of steps
   * @return the generator
   * @throws HloException if it is less than 1
   */
  public ProgramGenerator withSteps(int count) {
    require(count > 0, "", "generator: steps got %s, want at least 1", count);
    return new ProgramGenerator(restrictions, count);
  }

  /**
   * Returns a generator that searches for arguments with which the reference gives finite results.
   *
   * @return the generator
   */
  public ProgramGenerator finite() {
    return new ProgramGenerator(restrictions.with(Restrictions.Trait.ORDINARY), steps);
  }

  /**
   * Returns a generator for the comparison of systems: reductions and scatters combine by a
   * commutative function, and reductions begin with its identity. XLA leaves the result of others
   * to the implementation.
   *
   * @return the generator
   */
  public ProgramGenerator portable() {
    return new ProgramGenerator(restrictions.with(Restrictions.Trait.PORTABLE), steps);
  }

  /**
   * Returns a generator whose programs also have arrays of sizes that are known only at run time.
   *
   * @return the generator
   */
  public ProgramGenerator dynamic() {
    return new ProgramGenerator(restrictions.with(Restrictions.Trait.DYNAMIC), steps);
  }

  /**
   * Generates the program of a seed.
   *
   * @param seed the seed
   * @return the program; empty if the choices of this seed do not give a valid one, or one with a
   *     finite result
   */
  public Optional<Program> program(long seed) {
    try {
      Program program = RowPrograms.of(seed, steps, restrictions);
      if (restrictions.isPortable()) {
        Verifier.strict().verify(program.module());
      }
      return restrictions.isOrdinary() ? withFiniteResult(program, seed) : Optional.of(program);
    } catch (HloException unsuitable) {
      return Optional.empty();
    }
  }

  private static Optional<Program> withFiniteResult(Program program, long seed) {
    Choices choices = new Choices(~seed);
    Program next = program;
    for (int attempt = 0; attempt < FINITE_ATTEMPTS; attempt++) {
      if (next.run(Interpreter::reference, LIMITS).isFinite()) {
        return Optional.of(next);
      }
      next =
          new Program(
              program.module(),
              ordinary(program.arguments(), choices),
              ordinary(program.infeed(), choices));
    }
    return Optional.empty();
  }

  private static ImmutableList<Literal> ordinary(ImmutableList<Literal> values, Choices choices) {
    return values.stream()
        .map(each -> choices.ordinary(each.arrayShape()))
        .collect(toImmutableList());
  }
}
