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
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A generator of random valid programs. The same seed gives the same program.
 *
 * <pre>{@code
 * ProgramGenerator generator = ProgramGenerator.of(ProgramGenerator.Family.ANY).finite();
 * Optional<Program> program = generator.program(17);
 * }</pre>
 */
public final class ProgramGenerator {
  /** What programs consist of. */
  public enum Family {
    /** Ops of all kinds. */
    ANY,
    /** Each op in each place, over all that its definition leaves open. */
    ROWS,
    /** Loops and conditionals over arrays. */
    STATE,
    /** Programs that look at the bits of NaNs. */
    NAN,
    /** Sizes of 0, and sizes beyond int. */
    DIMENSIONS,
    /** Long chains in which operands are shared. */
    SHARED
  }

  /** How many sets of arguments are tried for a finite result. */
  private static final int FINITE_ATTEMPTS = 8;

  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  private final Family family;
  private final Restrictions restrictions;
  private final int steps;
  private final boolean isFinite;

  private ProgramGenerator(Family family, Restrictions restrictions, int steps, boolean isFinite) {
    this.family = family;
    this.restrictions = restrictions;
    this.steps = steps;
    this.isFinite = isFinite;
  }

  /**
   * Returns a generator without restrictions.
   *
   * @param family what programs consist of
   * @return the generator
   */
  public static ProgramGenerator of(Family family) {
    return new ProgramGenerator(family, Restrictions.NONE, 0, false);
  }

  /**
   * Returns a generator of the family {@link Family#ANY} that uses some ops only. Parameters,
   * constants, broadcasts of scalars and tuples are used too.
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
    return new ProgramGenerator(
        Family.ANY, restrictions.withOps(ImmutableSet.copyOf(opcodes)), steps, isFinite);
  }

  /**
   * Returns a generator of the family {@link Family#ANY} whose arrays have some types only.
   * Scalars, such as indices, may have others.
   *
   * @param types the element types
   * @return the generator
   * @throws HloException if there is none
   */
  public ProgramGenerator withTypes(Set<ElementType> types) {
    require(!types.isEmpty(), "", "generator: types got none, want at least one");
    return new ProgramGenerator(
        Family.ANY, restrictions.withTypes(ImmutableSet.copyOf(types)), steps, isFinite);
  }

  /**
   * Returns a generator of the family {@link Family#ANY} whose arrays are small.
   *
   * @param elements the most elements of an array
   * @return the generator
   * @throws HloException if it is less than 1
   */
  public ProgramGenerator withMaxElements(long elements) {
    require(elements > 0, "", "generator: max elements got %s, want at least 1", elements);
    return new ProgramGenerator(
        Family.ANY, restrictions.withMaxElements(elements), steps, isFinite);
  }

  /**
   * Returns a generator of the family {@link Family#ANY} whose programs have so many steps, of one
   * or a few instructions each.
   *
   * @param count the number of steps
   * @return the generator
   * @throws HloException if it is less than 1
   */
  public ProgramGenerator withSteps(int count) {
    require(count > 0, "", "generator: steps got %s, want at least 1", count);
    return new ProgramGenerator(Family.ANY, restrictions, count, isFinite);
  }

  /**
   * Returns a generator that searches for arguments with which the reference gives finite results.
   *
   * @return the generator
   */
  public ProgramGenerator finite() {
    return new ProgramGenerator(family, restrictions.ordinary(), steps, true);
  }

  /**
   * Returns a generator for the comparison of systems: in the family {@link Family#ANY}, reductions
   * and scatters combine by a commutative function, and reductions begin with its identity. XLA
   * leaves the result of others to the implementation.
   *
   * @return the generator
   */
  public ProgramGenerator portable() {
    return new ProgramGenerator(family, restrictions.portable(), steps, isFinite);
  }

  /**
   * Returns a generator of the family {@link Family#ANY} whose programs also have arrays of sizes
   * that are known only at run time.
   *
   * @return the generator
   */
  public ProgramGenerator dynamic() {
    return new ProgramGenerator(Family.ANY, restrictions.dynamic(), steps, isFinite);
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
      Program program = generate(seed);
      return isFinite ? withFiniteResult(program, seed) : Optional.of(program);
    } catch (HloException unsuitable) {
      return Optional.empty();
    }
  }

  private Program generate(long seed) {
    return switch (family) {
      case ANY -> AnyPrograms.of(seed, steps, restrictions);
      case ROWS -> RowPrograms.of(seed, restrictions);
      case STATE -> StatePrograms.of(seed);
      case NAN -> NaNPrograms.of(seed);
      case DIMENSIONS -> DimensionPrograms.of(seed);
      case SHARED -> SharedPrograms.of(seed);
    };
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
