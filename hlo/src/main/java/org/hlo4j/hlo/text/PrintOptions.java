package org.hlo4j.hlo.text;

/**
 * What the {@link Printer} writes and what it leaves out. XLA reads all forms but those with
 * constants cut short.
 *
 * @param percent whether names have a percent sign before them
 * @param layouts whether shapes have layouts behind them
 * @param metadata whether instructions say where they come from
 * @param largeConstants whether constants of more than 10 elements are written, rather than {@code
 *     {...}}
 * @param programShapes whether computations have their signature behind their name
 * @param operandShapes whether operands have their shape before their name
 */
public record PrintOptions(
    boolean percent,
    boolean layouts,
    boolean metadata,
    boolean largeConstants,
    boolean programShapes,
    boolean operandShapes) {
  /** Everything, nothing lost: the form to store and to exchange. */
  public static final PrintOptions FULL = new PrintOptions(true, true, true, true, true, false);

  /** What is needed to parse it again and no more. */
  public static final PrintOptions SHORT_PARSABLE =
      new PrintOptions(false, true, false, true, false, false);

  /** For reading by eye: short, and large constants cut. */
  public static final PrintOptions SHORT =
      new PrintOptions(false, false, false, false, false, false);
}
