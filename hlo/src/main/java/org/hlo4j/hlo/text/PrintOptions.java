package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;

/**
 * What the {@link Printer} writes and what it leaves out.
 *
 * <p>All named forms but {@link #SHORT} are XLA's own. XLA reads all forms but {@link #FINGERPRINT}
 * and those with constants cut short.
 *
 * @param parts what is written
 */
public record PrintOptions(ImmutableSet<Part> parts) {
  /** Something that may be written or left out. */
  public enum Part {
    /** A percent sign before names. */
    PERCENT,
    /** The layouts of shapes. */
    LAYOUTS,
    /** Where instructions come from, and the tables of stack frames. */
    METADATA,
    /** {@code backend_config}. */
    BACKEND_CONFIGS,
    /** {@code control-predecessors}. */
    CONTROL_PREDECESSORS,
    /** Constants of more than 10 elements, rather than <code>{...}</code>. */
    LARGE_CONSTANTS,
    /** The signature of a computation behind its name. */
    PROGRAM_SHAPES,
    /** The shapes of operands before their names. */
    OPERAND_SHAPES,
    /** Instructions under their own names, rather than {@code tmp_0}, {@code tmp_1}, …. */
    INSTRUCTION_NAMES,
    /** Computations that are called by their names, rather than with their body. */
    CALLED_NAMES,
    /**
     * What tells one program from another that is optimised alike: names of module and
     * computations, configurations of infeeds, floating-point constants other than all 0 or all 1,
     * how replica groups are written.
     */
    PARTICULARS
  }

  /** Everything, nothing lost: the form to store and to exchange. */
  public static final PrintOptions FULL =
      of(
          Part.PERCENT,
          Part.LAYOUTS,
          Part.METADATA,
          Part.BACKEND_CONFIGS,
          Part.CONTROL_PREDECESSORS,
          Part.LARGE_CONSTANTS,
          Part.PROGRAM_SHAPES,
          Part.INSTRUCTION_NAMES,
          Part.CALLED_NAMES,
          Part.PARTICULARS);

  /** What is computed, to parse it again, and no more. */
  public static final PrintOptions SHORT_PARSABLE =
      of(
          Part.LAYOUTS,
          Part.BACKEND_CONFIGS,
          Part.LARGE_CONSTANTS,
          Part.INSTRUCTION_NAMES,
          Part.CALLED_NAMES,
          Part.PARTICULARS);

  /** For reading by eye: short, and large constants cut. */
  public static final PrintOptions SHORT =
      of(
          Part.BACKEND_CONFIGS,
          Part.CONTROL_PREDECESSORS,
          Part.INSTRUCTION_NAMES,
          Part.CALLED_NAMES,
          Part.PARTICULARS);

  /**
   * The same for all modules that differ but in the names of instructions and where they come from.
   * As in XLA, large constants are cut.
   */
  public static final PrintOptions CANONICAL =
      of(Part.LAYOUTS, Part.OPERAND_SHAPES, Part.PARTICULARS);

  /** The same for all modules that are optimised alike. It cannot be parsed. */
  public static final PrintOptions FINGERPRINT = CANONICAL.without(Part.PARTICULARS);

  /**
   * These parts and no others.
   *
   * @param parts what is written
   * @return the options
   */
  public static PrintOptions of(Part... parts) {
    return new PrintOptions(ImmutableSet.copyOf(parts));
  }

  /**
   * The same with more parts.
   *
   * @param more what is written too
   * @return the options
   */
  public PrintOptions with(Part... more) {
    return new PrintOptions(ImmutableSet.<Part>builder().addAll(parts).add(more).build());
  }

  /**
   * The same with fewer parts.
   *
   * @param fewer what is left out
   * @return the options
   */
  public PrintOptions without(Part... fewer) {
    return new PrintOptions(Sets.difference(parts, ImmutableSet.copyOf(fewer)).immutableCopy());
  }

  boolean has(Part part) {
    return parts.contains(part);
  }
}
