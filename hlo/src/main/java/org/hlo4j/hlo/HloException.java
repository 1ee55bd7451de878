package org.hlo4j.hlo;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The one exception of hlo4j: a refusal, made of facts.
 *
 * <p>The first line of the message says what is wrong, with what was got and what was wanted; then
 * follow the facts, in the order they became known: the operands and where they were made, a
 * drawing, what would fit, the place. Code that reads refusals reads {@link #label} and {@link
 * #facts}, not the message.
 */
public final class HloException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * One thing known about a refusal.
   *
   * @param name what kind of thing: {@code operands}, {@code alignment}, {@code fits}, {@code at},
   *     …
   * @param text what is printed, one or more lines
   */
  public record Fact(String name, String text) implements Serializable {}

  private final String label;
  private final String summary;
  private final ImmutableList<Fact> facts;

  /**
   * A refusal without further facts.
   *
   * @param label the rule that does not hold, such as {@code dot C7}; empty if it has no label
   * @param summary what was got and what was wanted
   */
  public HloException(String label, String summary) {
    this(label, summary, ImmutableList.of(), null);
  }

  private HloException(
      String label, String summary, ImmutableList<Fact> facts, @Nullable Throwable cause) {
    super(message(label, summary, facts), cause);
    this.label = label;
    this.summary = summary;
    this.facts = facts;
  }

  /**
   * Throws unless a rule holds: check and message in one call.
   *
   * @param holds whether the rule holds
   * @param label the rule's label
   * @param format what was got and what was wanted, as for {@link String#format}
   * @param arguments the values named in it
   * @throws HloException if the rule does not hold
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public static void require(
      boolean holds, String label, @FormatString String format, @Nullable Object... arguments) {
    if (!holds) {
      throw new HloException(label, String.format(format, arguments));
    }
  }

  /**
   * The same refusal with one more fact at the end.
   *
   * @param name the kind of fact
   * @param text one or more lines
   * @return a new exception, thrown from the same place
   */
  public HloException with(String name, String text) {
    return withAll(name, ImmutableList.of(text));
  }

  /**
   * The same refusal with more facts of one kind at the end.
   *
   * @param name the kind of fact
   * @param texts the facts, each of one or more lines
   * @return a new exception, thrown from the same place
   */
  public HloException withAll(String name, Iterable<String> texts) {
    ImmutableList.Builder<Fact> more = ImmutableList.<Fact>builder().addAll(facts);
    texts.forEach(text -> more.add(new Fact(name, text)));
    return sameStack(new HloException(label, summary, more.build(), getCause()));
  }

  /**
   * The same refusal with one more fact before all others.
   *
   * @param name the kind of fact
   * @param text one or more lines
   * @return a new exception, thrown from the same place
   */
  public HloException withFirst(String name, String text) {
    ImmutableList<Fact> more =
        ImmutableList.<Fact>builder().add(new Fact(name, text)).addAll(facts).build();
    return sameStack(new HloException(label, summary, more, getCause()));
  }

  /**
   * The same refusal, its first line prefixed, such as with the op that was asked for.
   *
   * @param prefix what comes before the summary
   * @return a new exception
   */
  public HloException prefixed(String prefix) {
    return sameStack(new HloException(label, prefix + summary, facts, getCause()));
  }

  /** The summary, the label in brackets, and the facts, a line each or more. */
  @Override
  public String getMessage() {
    return message(label, summary, facts);
  }

  /**
   * The label of the rule that does not hold, such as {@code broadcast B5}; empty if it has none.
   *
   * @return the label
   */
  public String label() {
    return label;
  }

  /**
   * The first line of the message, without the label.
   *
   * @return what was got and what was wanted
   */
  public String summary() {
    return summary;
  }

  /**
   * All that is known beyond the summary, in the order of the message.
   *
   * @return the facts
   */
  public ImmutableList<Fact> facts() {
    return facts;
  }

  private HloException sameStack(HloException next) {
    next.setStackTrace(getStackTrace());
    return next;
  }

  private static String message(String label, String summary, ImmutableList<Fact> facts) {
    StringBuilder message = new StringBuilder(summary);
    if (!label.isEmpty()) {
      message.append(" [").append(label).append(']');
    }
    for (Fact fact : facts) {
      fact.text().lines().forEach(line -> message.append("\n  ").append(line));
    }
    return message.toString();
  }
}
