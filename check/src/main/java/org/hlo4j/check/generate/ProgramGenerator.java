package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
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
  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  /** How many sets of arguments are tried for a finite result. */
  private static final int FINITE_ATTEMPTS = 8;

  /** The attempts for each step, of which few suit if some ops only are allowed. */
  private static final int ATTEMPTS = 20;

  /** What restricts programs. */
  private final Consumer<Restrictions> changes;

  private ProgramGenerator(Consumer<Restrictions> changes) {
    this.changes = changes;
  }

  /**
   * Returns a generator without restrictions.
   *
   * @return the generator
   */
  public static ProgramGenerator create() {
    return new ProgramGenerator(each -> {});
  }

  private ProgramGenerator with(Consumer<Restrictions> change) {
    return new ProgramGenerator(changes.andThen(change));
  }

  private static void requireOps(Set<String> opcodes) {
    for (String opcode : opcodes) {
      require(OpSchema.contains(opcode), "", "ops got %s, want opcodes such as add", opcode);
    }
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
    requireOps(opcodes);
    ImmutableSet<String> all =
        opcodes.stream()
            .flatMap(each -> OpRows.row(each).companions().stream())
            .collect(ImmutableSet.toImmutableSet());
    return with(each -> each.ops = all::contains);
  }

  /**
   * Returns a generator that leaves some ops out.
   *
   * @param opcodes the opcodes, such as {@code dot}
   * @return the generator
   * @throws HloException if one is no op, or one that every program may have, as parameters
   */
  public ProgramGenerator withoutOps(Set<String> opcodes) {
    requireOps(opcodes);
    for (String opcode : opcodes) {
      boolean isAlways = Restrictions.ALWAYS.contains(opcode);
      require(!isAlways, "", "ops to leave out got %s, which every program may have", opcode);
    }
    return with(each -> each.ops = each.ops.and(Predicate.not(opcodes::contains)));
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
    return with(each -> each.types = types::contains);
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
    return with(each -> each.maxElements = elements);
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
    return with(each -> each.steps = count);
  }

  /**
   * Returns a generator that searches for arguments with which the reference gives finite results.
   *
   * @return the generator
   */
  public ProgramGenerator finite() {
    return with(each -> each.isOrdinary = true);
  }

  /**
   * Returns a generator for the comparison of systems: reductions and scatters combine by a
   * commutative function, and reductions begin with its identity. XLA leaves the result of others
   * to the implementation.
   *
   * @return the generator
   */
  public ProgramGenerator portable() {
    return with(each -> each.isPortable = true);
  }

  /**
   * Returns a generator whose programs also have arrays of sizes that are known only at run time.
   *
   * @return the generator
   */
  public ProgramGenerator dynamic() {
    return with(each -> each.isDynamic = true);
  }

  /**
   * Generates the program of a seed.
   *
   * @param seed the seed
   * @return the program; empty if the choices of this seed do not give a valid one, or one with a
   *     finite result
   */
  public Optional<Program> program(long seed) {
    Restrictions restrictions = new Restrictions();
    changes.accept(restrictions);
    try {
      Program program = rows(seed, restrictions);
      (restrictions.isPortable ? Verifier.strict() : Verifier.lenient()).verify(program.module());
      return restrictions.isOrdinary
          ? withFiniteResult(program, new Choices(~seed, restrictions))
          : Optional.of(program);
    } catch (HloException unsuitable) {
      return Optional.empty();
    }
  }

  private Optional<Program> withFiniteResult(Program program, Choices choices) {
    Program next = program;
    for (int attempt = 0; attempt < FINITE_ATTEMPTS; attempt++) {
      if (next.run(Interpreter::reference, LIMITS).isFinite()) {
        return Optional.of(next);
      }
      next =
          new Program(
              program.module(),
              others(program.arguments(), choices),
              others(program.infeed(), choices));
    }
    return Optional.empty();
  }

  private static ImmutableList<Literal> others(ImmutableList<Literal> values, Choices choices) {
    return values.stream().map(each -> choices.literal(each.shape())).collect(toImmutableList());
  }

  /**
   * Returns a program drawn from the rows of ops. Each seed has a row of its own, and a place in
   * which it stands, so that seeds that follow each other reach each op in each place.
   */
  private static Program rows(long seed, Restrictions restrictions) {
    Choices choices = new Choices(seed, restrictions);
    List<String> opcodes = OpRows.ALL.keySet().stream().filter(restrictions::isDrawn).toList();
    OpRows row = OpRows.row(opcodes.get((int) Long.remainderUnsigned(seed, opcodes.size())));
    Block entry = Block.entry(ProgramDraft.varied(choices, row.hasEffects()));
    int most = restrictions.steps > 0 ? restrictions.steps : choices.below(5) + choices.below(5);
    some(entry, most / 2);
    own(Long.divideUnsigned(seed, opcodes.size()), row, entry);
    some(entry, most - most / 2);
    if (entry.instructions().isEmpty()) {
      entry.leaf(entry.shape());
    }
    return program("rows", entry, entry.root(Values::isOfArrays));
  }

  /** Returns the program of an entry, with values of its infeeds. */
  static Program program(String name, Block entry, HloInstruction root) {
    Program program =
        new Program(
            HloModule.create(name, entry.close(root)), ImmutableList.copyOf(entry.arguments));
    return program.hasFeeds()
        ? program.fedFrom(any -> shape -> Optional.of(entry.choices.literal(shape)), LIMITS)
        : program;
  }

  /** Takes some steps; fewer if too many attempts are refused. */
  private static void some(Block block, int count) {
    for (int i = 0, taken = 0; i < ATTEMPTS * count && taken < count; i++) {
      taken += OpRows.any(block) ? 1 : 0;
    }
  }

  /** Appends the row of the seed in the place of its round. */
  private static void own(long round, Step row, Block entry) {
    Place place = Place.ALL.get((int) Long.remainderUnsigned(round, Place.ALL.size()));
    Step step =
        place.equals(Place.ENTRY) || !entry.choices.restrictions().isDrawn(place.opcode())
            ? row
            : (block, choices) -> {
              block.draft.wanted.put(place, inner -> OpRows.take(inner, ATTEMPTS, row));
              OpRows.row(place.opcode()).take(block, choices);
            };
    OpRows.take(entry, ATTEMPTS, step);
  }
}
