package org.hlo4j.hlo.text;

import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.io.Serializable;

/**
 * The options of {@link Printer}: the parts of HLO text that are written.
 *
 * <p>All named forms but {@link #SHORT} are XLA's own. XLA reads all forms except {@link
 * #FINGERPRINT} and those with truncated constants.
 *
 * @param parts the parts that are written
 */
public record PrintOptions(ImmutableSet<Part> parts) implements Serializable {
  /** A part of HLO text that may be written or omitted. */
  public enum Part {
    /** A percent sign before names. */
    PERCENT,
    /** The layouts of shapes. */
    LAYOUTS,
    /** The metadata of instructions, and the tables of stack frames. */
    METADATA,
    /** {@code backend_config}. */
    BACKEND_CONFIGS,
    /** {@code control-predecessors}. */
    CONTROL_PREDECESSORS,
    /** The values of constants of more than 10 elements, rather than <code>{...}</code>. */
    LARGE_CONSTANTS,
    /** The signature of a computation after its name. */
    PROGRAM_SHAPES,
    /** The shapes of operands before their names. */
    OPERAND_SHAPES,
    /** Instructions under their own names, rather than {@code tmp_0}, {@code tmp_1}, …. */
    INSTRUCTION_NAMES,
    /** Computations that are called by their names, rather than with their body. */
    CALLED_NAMES,
    /**
     * The parts that may differ between programs that are optimized alike: names of the module and
     * of computations, infeed configurations, floating-point constants other than all 0 or all 1,
     * and the notation of replica groups.
     */
    PARTICULARS
  }

  /** The complete form, to store and to exchange: nothing is lost. */
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

  /** The shortest form that can be parsed again: only what is computed. */
  public static final PrintOptions SHORT_PARSABLE =
      of(
          Part.LAYOUTS,
          Part.BACKEND_CONFIGS,
          Part.LARGE_CONSTANTS,
          Part.INSTRUCTION_NAMES,
          Part.CALLED_NAMES,
          Part.PARTICULARS);

  /** A short form for people, with large constants truncated. */
  public static final PrintOptions SHORT =
      of(
          Part.BACKEND_CONFIGS,
          Part.CONTROL_PREDECESSORS,
          Part.INSTRUCTION_NAMES,
          Part.CALLED_NAMES,
          Part.PARTICULARS);

  /**
   * A form that is the same for all modules that differ only in instruction names and metadata. As
   * in XLA, large constants are truncated.
   */
  public static final PrintOptions CANONICAL =
      of(Part.LAYOUTS, Part.OPERAND_SHAPES, Part.PARTICULARS);

  /**
   * A form that is the same for all modules that are optimized alike, with the computations in the
   * order of the module, as jaxlib prints it. It cannot be parsed.
   */
  public static final PrintOptions FINGERPRINT = CANONICAL.without(Part.PARTICULARS);

  /**
   * Returns options with exactly these parts.
   *
   * @param parts the parts that are written
   * @return the options
   */
  public static PrintOptions of(Part... parts) {
    return new PrintOptions(ImmutableSet.copyOf(requireNoNulls(parts, "parts")));
  }

  /**
   * Returns these options with more parts.
   *
   * @param more the parts to add
   * @return the options
   */
  public PrintOptions with(Part... more) {
    return new PrintOptions(
        ImmutableSet.<Part>builder().addAll(parts).addAll(requireNoNulls(more, "more")).build());
  }

  /**
   * Returns these options with fewer parts.
   *
   * @param fewer the parts to remove
   * @return the options
   */
  public PrintOptions without(Part... fewer) {
    return new PrintOptions(
        Sets.difference(parts, ImmutableSet.copyOf(requireNoNulls(fewer, "fewer")))
            .immutableCopy());
  }

  boolean has(Part part) {
    return parts.contains(part);
  }
}
