package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * Programs drawn from the rows of ops ({@link OpRows}). Each seed has a row of its own, and a place
 * in which it stands, so that seeds that follow each other reach each op in each place.
 */
final class RowPrograms {
  static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  /** The attempts for each step, of which few suit if some ops only are allowed. */
  private static final int ATTEMPTS = 20;

  private RowPrograms() {}

  /** Returns the program of a seed. */
  static Program of(long seed, Restrictions restrictions) {
    Choices choices = new Choices(seed, restrictions);
    List<String> opcodes = OpRows.ALL.keySet().stream().filter(restrictions::isDrawn).toList();
    OpRows row = OpRows.row(opcodes.get((int) Long.remainderUnsigned(seed, opcodes.size())));
    Block entry = Block.entry(ProgramDraft.varied(choices, row.hasEffects()));
    int most = restrictions.steps > 0 ? restrictions.steps : choices.below(5) + choices.below(5);
    some(entry, most / 2);
    own(Long.divideUnsigned(seed, opcodes.size()), row, entry);
    some(entry, most - most / 2);
    if (entry.instructions().isEmpty()) {
      Sources.leaf(entry, Sources.shape(entry));
    }
    return program("rows", entry, Sources.root(entry, RowPrograms::isData));
  }

  /** Returns the program of an entry, with values of its infeeds. */
  static Program program(String name, Block entry, HloInstruction root) {
    Program program =
        new Program(
            HloModule.create(name, entry.close(root)), ImmutableList.copyOf(entry.arguments));
    return program.hasFeeds()
        ? program.fedFrom(any -> shape -> Optional.of(entry.choices().literal(shape)), LIMITS)
        : program;
  }

  /** Takes so many steps that apply. */
  private static void some(Block block, int count) {
    for (int i = 0, taken = 0; i < ATTEMPTS * count && taken < count; i++) {
      taken += OpRows.any(block) ? 1 : 0;
    }
  }

  /** Appends the row of the seed in the place of its round. */
  private static void own(long round, Step row, Block entry) {
    Place place = Place.ALL.get((int) Long.remainderUnsigned(round, Place.ALL.size()));
    if (place.equals(Place.ENTRY) || !entry.choices().restrictions().isDrawn(place.opcode())) {
      attempt(entry, row);
      return;
    }
    attempt(
        entry,
        (block, choices) -> {
          block.draft.wanted.put(place, inner -> attempt(inner, row));
          OpRows.row(place.opcode()).take(block, choices);
        });
  }

  /** Takes a row, of which some draws do not apply. */
  private static void attempt(Block block, Step row) {
    boolean isTaken = false;
    for (int i = 0; i < ATTEMPTS && !isTaken; i++) {
      isTaken = OpRows.take(block, row);
    }
  }

  private static boolean isData(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().allMatch(RowPrograms::isData)
        : shape instanceof Shape.Array;
  }
}
