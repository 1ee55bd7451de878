package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * Programs drawn from the rows of ops ({@link OpRows}). Each seed has a row of its own, and a place
 * in which it stands, so that seeds that follow each other reach each op in each place.
 */
final class RowPrograms {
  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  /** The attempts for each step if some ops only are allowed. */
  private static final int ATTEMPTS = 20;

  private RowPrograms() {}

  /**
   * Returns the program of a seed.
   *
   * @param steps how many steps it has beside its own; a few if this is 0
   */
  static Program of(long seed, int steps, Restrictions restrictions) {
    Choices choices = new Choices(seed, restrictions, true);
    ImmutableList<String> opcodes =
        OpRows.ALL.keySet().stream().filter(restrictions::isDrawn).collect(toImmutableList());
    String opcode = opcodes.get((int) Long.remainderUnsigned(seed, opcodes.size()));
    Block entry = Block.entry(Draft.varied(choices, OpRows.hasEffects(opcode)));
    int most = steps > 0 ? steps : choices.below(5) + choices.below(5);
    some(entry, choices, most / 2);
    own(Long.divideUnsigned(seed, opcodes.size()), OpRows.of(opcode), entry);
    some(entry, choices, most - most / 2);
    if (entry.instructions().isEmpty()) {
      Sources.leaf(entry, choices.shape());
    }
    return program("rows", entry, root(entry, choices));
  }

  /** Returns the program of an entry, with values of its infeeds. */
  static Program program(String name, Block entry, HloInstruction root) {
    Program program =
        new Program(
            HloModule.create(name, entry.close(root)), ImmutableList.copyOf(entry.arguments()));
    return program.hasFeeds()
        ? program.fedFrom(any -> shape -> Optional.of(literal(entry.choices(), shape)), LIMITS)
        : program;
  }

  /** Takes so many steps; where few ops are allowed, of which few suit, those that apply. */
  private static void some(Block block, Choices choices, int count) {
    int attempts = choices.restrictions().ops().isPresent() ? ATTEMPTS : 1;
    for (int i = 0, taken = 0; i < attempts * count && taken < count; i++) {
      taken += OpRows.any(block) || attempts == 1 ? 1 : 0;
    }
  }

  /** Appends the row of the seed in the place of its round. */
  private static void own(long round, Step row, Block entry) {
    List<Place> places = List.of(Place.values());
    Place place = places.get((int) Long.remainderUnsigned(round, places.size()));
    if (place == Place.ENTRY || !entry.choices().restrictions().isDrawn(place.opcode())) {
      attempt(entry, row);
      return;
    }
    entry.draft().wanted().put(place, block -> attempt(block, row));
    attempt(entry, OpRows.of(place.opcode()));
  }

  /** Takes a row, of which some draws do not apply. */
  private static void attempt(Block block, Step row) {
    for (int i = 0; i < 4; i++) {
      if (OpRows.take(block, row)) {
        return;
      }
    }
  }

  private static Literal literal(Choices choices, Shape shape) {
    return switch (shape) {
      case Shape.Array array -> choices.literal(array);
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(each -> literal(choices, each)).toList());
      case Shape.Token _, Shape.Buffer _, Shape.Opaque _ -> Literal.token();
    };
  }

  /** Chooses the root: one value, or a tuple of most of those without use and some others. */
  private static HloInstruction root(Block block, Choices choices) {
    List<HloInstruction> values = Sources.values(block, RowPrograms::isData);
    if (!values.isEmpty() && choices.chance(8)) {
      return values.getLast();
    }
    List<HloInstruction> ends = block.ends();
    return block.tuple(
        values.stream()
            .filter(each -> ends.contains(each) ? !choices.chance(5) : choices.chance(12))
            .toList());
  }

  private static boolean isData(Shape shape) {
    return switch (shape) {
      case Shape.Array _ -> true;
      case Shape.Tuple tuple -> tuple.elements().stream().allMatch(RowPrograms::isData);
      case Shape.Token _, Shape.Buffer _, Shape.Opaque _ -> false;
    };
  }
}
