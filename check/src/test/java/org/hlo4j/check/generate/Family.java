package org.hlo4j.check.generate;

import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;

/** What programs consist of that compare our evaluators: the generator's, and some of our own. */
public enum Family {
  /** Each op in each place, over all that its definition leaves open. */
  ROWS,
  /** Steps and patterns that passes and kernels look for. */
  STEPS,
  /** Loops and conditionals over arrays. */
  STATE,
  /** Programs that look at the bits of NaNs. */
  NAN,
  /** Sizes of 0, and sizes beyond int. */
  DIMENSIONS,
  /** Long chains in which operands are shared. */
  SHARED;

  /** Returns the program of a seed; empty if its choices do not give a valid one. */
  public Optional<Program> program(long seed) {
    try {
      return switch (this) {
        case ROWS -> ProgramGenerator.create().program(seed);
        case STEPS -> Optional.of(AnyPrograms.of(seed));
        case STATE -> Optional.of(StatePrograms.of(seed));
        case NAN -> Optional.of(NaNPrograms.of(seed));
        case DIMENSIONS -> Optional.of(DimensionPrograms.of(seed));
        case SHARED -> Optional.of(SharedPrograms.of(seed));
      };
    } catch (HloException unsuitable) {
      return Optional.empty();
    }
  }
}
