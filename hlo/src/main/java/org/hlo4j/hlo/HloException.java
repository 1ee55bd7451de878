package org.hlo4j.hlo;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.Serializable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one exception of hlo4j: a refusal, made of facts.
 *
 * <p>The first line of the message says what is wrong, with what was got and what was wanted; then
 * follow the facts, in the order they became known: the operands and where they were made, a
 * drawing, what would fit, the place. Code that reads refusals reads {@link #kind}, {@link
 * #position}, {@link #instruction}, {@link #label} and {@link #facts}, not the message.
 *
 * <p>The stack trace begins where the user's program called hlo4j. The system property {@code
 * -Dhlo4j.traces=full} keeps the frames of hlo4j above that.
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
  public record Fact(String name, String text) implements Serializable {
    /** Keeps the beginning of a long text. */
    public Fact {
      text = Ascii.truncate(text, MAX_FACT, "…");
    }
  }

  /** What was being done when it was refused, or why it could not be done. */
  public enum Kind {
    /** A text, a protocol buffer or another file does not hold what it should. */
    PARSE,
    /** An op cannot be built from these operands and attributes. */
    BUILD,
    /** A module breaks a rule of XLA's. */
    VERIFY,
    /** A method was called with values it does not take; also the kind where none was said. */
    ARGUMENT,
    /** The thing is legal but hlo4j does not do it. */
    UNSUPPORTED,
    /** A limit was passed: steps, bytes, a deadline, nesting. */
    LIMIT,
    /** The thread was interrupted. */
    INTERRUPTED,
    /** A file could not be read or written. */
    IO
  }

  /**
   * What code reads; null where it is not known.
   *
   * @param kind what kind of mistake
   * @param position where in the text
   * @param instruction the name of the instruction
   */
  private record Origin(
      @Nullable Kind kind, @Nullable SourcePosition position, @Nullable String instruction)
      implements Serializable {
    static final Origin UNKNOWN = new Origin(null, null, null);
  }

  /** How much of one value, of the first line, and of one fact is told. */
  private static final int MAX_VALUE = 300;

  private static final int MAX_SUMMARY = 2_000;
  private static final int MAX_FACT = 10_000;

  /** The rule that does not hold; empty if it has no label. */
  private final String label;

  /** What was got and what was wanted. */
  private final String summary;

  /** What else helps, below the summary. */
  private final ImmutableList<Fact> facts;

  /** Its kind and place. */
  private final Origin origin;

  /**
   * A refusal without further facts.
   *
   * @param label the rule that does not hold, such as {@code dot C7}; empty if it has no label
   * @param summary what was got and what was wanted
   */
  public HloException(String label, String summary) {
    this(label, summary, ImmutableList.of(), Origin.UNKNOWN);
    setStackTrace(UserFrames.of(getStackTrace()));
  }

  /**
   * A refusal of a kind, without label or further facts.
   *
   * @param kind what was being done
   * @param summary what was got and what was wanted
   */
  public HloException(Kind kind, String summary) {
    this("", summary, ImmutableList.of(), new Origin(kind, null, null));
    setStackTrace(UserFrames.of(getStackTrace()));
  }

  private HloException(String label, String summary, ImmutableList<Fact> facts, Origin origin) {
    super(message(label, cutInside(summary), facts));
    this.label = label;
    this.summary = cutInside(summary);
    this.facts = facts;
    this.origin = origin;
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
      throw new HloException(label, String.format(format, cut(arguments)));
    }
  }

  /**
   * Throws a refusal of a kind unless something holds.
   *
   * @param holds whether it holds
   * @param kind the kind of the refusal
   * @param format what was got and what was wanted, as for {@link String#format}
   * @param arguments the values named in it
   * @throws HloException if it does not hold
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public static void require(
      boolean holds, Kind kind, @FormatString String format, @Nullable Object... arguments) {
    if (!holds) {
      throw new HloException(kind, String.format(format, cut(arguments)));
    }
  }

  /**
   * Throws unless a number is that of a dimension, which are counted from 0. Of a negative number
   * the refusal says which dimension it is if counted from the end.
   *
   * @param dimension the number
   * @param rank how many dimensions there are
   * @param label the rule's label
   * @param format what was got and what was wanted, as for {@link String#format}
   * @param arguments the values named in it
   * @throws HloException if there is no such dimension
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public static void requireDimension(
      long dimension,
      int rank,
      String label,
      @FormatString String format,
      @Nullable Object... arguments) {
    if (dimension >= 0 && dimension < rank) {
      return;
    }
    HloException refusal = new HloException(label, String.format(format, cut(arguments)));
    throw dimension < 0 && dimension >= -rank
        ? refusal.with(
            "fits", "fits: " + (dimension + rank) + ", dimension " + dimension + " from the end")
        : refusal;
  }

  /** Values whose text is long become the beginning of it. */
  private static @Nullable Object[] cut(@Nullable Object[] values) {
    @Nullable Object[] told = values.clone();
    for (int i = 0; i < told.length; i++) {
      if (told[i] != null && !(told[i] instanceof Number)) {
        told[i] = Ascii.truncate(told[i].toString(), MAX_VALUE, "…");
      }
    }
    return told;
  }

  /** The place stands at the beginning of a summary, what was wanted at its end. */
  private static String cutInside(String summary) {
    int half = MAX_SUMMARY / 2;
    return summary.length() <= MAX_SUMMARY
        ? summary
        : summary.substring(0, half) + "…" + summary.substring(summary.length() - half);
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
    return sameStack(new HloException(label, summary, more.build(), origin));
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
    return sameStack(new HloException(label, summary, more, origin));
  }

  /**
   * The same refusal, its first line prefixed, such as with the op that was asked for.
   *
   * @param prefix what comes before the summary
   * @return a new exception
   */
  public HloException prefixed(String prefix) {
    return sameStack(new HloException(label, prefix + summary, facts, origin));
  }

  /**
   * The same refusal of what a file holds, its first line prefixed with the file: {@code
   * FILE:LINE:COLUMN: ...} if the refusal begins with its place in the text, else {@code FILE:
   * ...}.
   *
   * @param file the file, as the user knows it
   * @return a new exception
   */
  public HloException inFile(String file) {
    return prefixed(file + (position().isPresent() ? ":" : ": "));
  }

  /**
   * The same refusal with its kind, unless that is said already: the innermost knows best.
   *
   * @param kind what was being done
   * @return a new exception, thrown from the same place
   */
  public HloException withKind(Kind kind) {
    return origin.kind != null
        ? this
        : withOrigin(new Origin(kind, origin.position, origin.instruction));
  }

  /**
   * The same refusal with its place in the text, unless that is said already.
   *
   * @param position line and column
   * @return a new exception, thrown from the same place
   */
  public HloException withPosition(SourcePosition position) {
    return origin.position != null
        ? this
        : withOrigin(new Origin(origin.kind, position, origin.instruction));
  }

  /**
   * The same refusal with the name of the instruction it is about, unless that is said already.
   *
   * @param instruction the name in its module, without a percent sign
   * @return a new exception, thrown from the same place
   */
  public HloException withInstruction(String instruction) {
    return origin.instruction != null
        ? this
        : withOrigin(new Origin(origin.kind, origin.position, instruction));
  }

  private HloException withOrigin(Origin known) {
    return sameStack(new HloException(label, summary, facts, known));
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

  /**
   * What was being done, or why it could not be done.
   *
   * @return the kind; {@link Kind#ARGUMENT} where none was said
   */
  public Kind kind() {
    return origin.kind == null ? Kind.ARGUMENT : origin.kind;
  }

  /**
   * Where in the HLO text it is.
   *
   * @return line and column; empty if there is no text or the refusal is about the whole of it
   */
  public Optional<SourcePosition> position() {
    return Optional.ofNullable(origin.position);
  }

  /**
   * The instruction it is about.
   *
   * @return the name in its module, without a percent sign; empty if it is about none
   */
  public Optional<String> instruction() {
    return Optional.ofNullable(origin.instruction);
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
