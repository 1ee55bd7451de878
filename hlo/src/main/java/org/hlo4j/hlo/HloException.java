package org.hlo4j.hlo;

import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.Serializable;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.source.ControlCharacters;
import org.jspecify.annotations.Nullable;

/**
 * The exception type of hlo4j. It consists of a summary and a list of facts. Errors of a PJRT
 * plugin are of a subclass, which has their code.
 *
 * <p>The first line of the message says what is wrong, with the actual and the expected value. The
 * facts follow in the order in which they became known: the operands and where they were created, a
 * diagram, what would be valid, the position. Programs should examine {@link #kind}, {@link
 * #position}, {@link #instruction}, {@link #label} and {@link #facts}, and not parse the message.
 *
 * <p>The stack trace begins where the user's program called hlo4j. The system property {@code
 * -Dhlo4j.traces=full} keeps the frames of hlo4j as well.
 */
public class HloException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * A fact about an error.
   *
   * @param name the kind of the fact: {@code operands}, {@code alignment}, {@code fits}, {@code
   *     at}, …
   * @param text the text that is printed, one or more lines
   */
  public record Fact(String name, String text) implements Serializable {
    /** Keeps the beginning of a long text, and escapes its control characters. */
    public Fact {
      requireNonNull(text, "text");
      text = Ascii.truncate(ControlCharacters.escape(text), MAX_FACT, "…");
    }
  }

  /** The activity that failed, or the reason why it failed. */
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
    IO,
    /** Another process, which did the work, ended without an answer. */
    ENDED
  }

  /**
   * The machine-readable origin of an error; a component is null if it is not known.
   *
   * @param kind the kind of the error
   * @param position the position in the text
   * @param instruction the name of the instruction
   */
  private record Origin(
      @Nullable Kind kind, @Nullable SourcePosition position, @Nullable String instruction)
      implements Serializable {
    static final Origin UNKNOWN = new Origin(null, null, null);
  }

  /**
   * The largest number of characters that a message shows of a value, of the first line, and of a
   * fact.
   */
  private static final int MAX_VALUE = 300;

  private static final int MAX_SUMMARY = 2_000;
  private static final int MAX_FACT = 10_000;

  /** The label of the violated rule; empty if it has none. */
  private final String label;

  /** The first line: the actual and the expected value. */
  private final String summary;

  /** The facts that are printed below the summary. */
  private final ImmutableList<Fact> facts;

  /** The kind, the position and the instruction. */
  private final Origin origin;

  /**
   * Creates an exception without facts.
   *
   * @param label the label of the violated rule, such as {@code dot C7}; empty if it has none
   * @param summary the actual and the expected value
   */
  @SuppressWarnings("this-escape") // subclasses override nothing of Throwable
  public HloException(String label, String summary) {
    requireNonNull(label, "label");
    requireNonNull(summary, "summary");
    this(label, summary, ImmutableList.of(), Origin.UNKNOWN);
    setStackTrace(UserFrames.of(getStackTrace()));
  }

  /**
   * Creates an exception of a kind, without label and facts.
   *
   * @param kind the activity that failed
   * @param summary the actual and the expected value
   */
  @SuppressWarnings("this-escape") // subclasses override nothing of Throwable
  public HloException(Kind kind, String summary) {
    requireNonNull(summary, "summary");
    this("", summary, ImmutableList.of(), new Origin(kind, null, null));
    setStackTrace(UserFrames.of(getStackTrace()));
  }

  /**
   * Creates an exception of a kind, of values that are named in it.
   *
   * @param kind the activity that failed
   * @param format what was got and what was wanted, as for {@link String#format}
   * @param arguments the values named in it
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public HloException(Kind kind, @FormatString String format, @Nullable Object... arguments) {
    this(kind, String.format(Locale.ROOT, requireNonNull(format, "format"), arguments));
  }

  /**
   * Creates an exception with all that another has, its stack trace included: for subclasses.
   *
   * @param other the exception to copy
   */
  @SuppressWarnings("this-escape") // subclasses override nothing of Throwable
  protected HloException(HloException other) {
    this(other.label, other.summary, other.facts, other.origin);
    setStackTrace(other.getStackTrace());
    keepCause(other);
  }

  private HloException(String label, String summary, ImmutableList<Fact> facts, Origin origin) {
    super(message(label, shown(summary), facts));
    this.label = label;
    this.summary = shown(summary);
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
      throw new HloException(label, String.format(Locale.ROOT, format, cut(arguments)));
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
      throw new HloException(kind, format, cut(arguments));
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
    requireNonNull(arguments, "arguments");
    requireNonNull(format, "format");
    requireNonNull(label, "label");
    if (dimension >= 0 && dimension < rank) {
      return;
    }
    boolean isFromEnd = dimension < 0 && dimension >= -rank;
    requireFitting(
        false,
        () -> isFromEnd ? dimension + rank + ", dimension " + dimension + " from the end" : "",
        label,
        format,
        arguments);
  }

  /**
   * Throws unless a rule holds. The refusal says what would fit, if anything does.
   *
   * @param holds whether the rule holds
   * @param fits gives what would fit, or an empty text
   * @param label the rule's label
   * @param format what was got and what was wanted, as for {@link String#format}
   * @param arguments the values named in it
   * @throws HloException if the rule does not hold
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public static void requireFitting(
      boolean holds,
      Supplier<String> fits,
      String label,
      @FormatString String format,
      @Nullable Object... arguments) {
    if (!holds) {
      HloException refusal =
          new HloException(label, String.format(Locale.ROOT, format, cut(arguments)));
      String offer = fits.get();
      throw offer.isEmpty() ? refusal : refusal.with("fits", "fits: " + offer);
    }
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

  /**
   * Escapes the control characters of a summary, and cuts the middle out of a long one: it begins
   * with the position and ends with the expected value.
   */
  private static String shown(String text) {
    int half = MAX_SUMMARY / 2;
    String summary = ControlCharacters.escape(text);
    return summary.length() <= MAX_SUMMARY
        ? summary
        : summary.substring(0, half) + "…" + summary.substring(summary.length() - half);
  }

  /**
   * Returns this exception with one more fact at the end.
   *
   * @param name the kind of fact
   * @param text one or more lines
   * @return a new exception, with the same stack trace
   */
  public HloException with(String name, String text) {
    requireNonNull(text, "text");
    return withAll(name, ImmutableList.of(text));
  }

  /**
   * Returns this exception with more facts of one kind at the end.
   *
   * @param name the kind of fact
   * @param texts the facts, each of one or more lines
   * @return a new exception, with the same stack trace
   */
  public HloException withAll(String name, Iterable<String> texts) {
    ImmutableList.Builder<Fact> more = ImmutableList.<Fact>builder().addAll(facts);
    requireNoNulls(texts, "texts").forEach(text -> more.add(new Fact(name, text)));
    return sameStack(new HloException(label, summary, more.build(), origin));
  }

  /**
   * Returns this exception with one more fact before all others.
   *
   * @param name the kind of fact
   * @param text one or more lines
   * @return a new exception, with the same stack trace
   */
  public HloException withFirst(String name, String text) {
    ImmutableList<Fact> more =
        ImmutableList.<Fact>builder().add(new Fact(name, text)).addAll(facts).build();
    return sameStack(new HloException(label, summary, more, origin));
  }

  /**
   * Returns this exception with a prefix of its first line, such as the requested op.
   *
   * @param prefix what comes before the summary
   * @return a new exception
   */
  public HloException prefixed(String prefix) {
    return sameStack(new HloException(label, prefix + summary, facts, origin));
  }

  /**
   * Returns this exception with the name of a file before its first line: {@code FILE:LINE:COLUMN:
   * ...} if the message begins with a position in the text, else {@code FILE: ...}.
   *
   * @param file the file, as the user knows it
   * @return a new exception
   */
  public HloException inFile(String file) {
    return prefixed(file + (position().isPresent() ? ":" : ": "));
  }

  /**
   * Returns this exception with a kind, unless it has one already: the innermost kind is the most
   * precise.
   *
   * @param kind the activity that failed
   * @return a new exception, with the same stack trace
   */
  public HloException withKind(Kind kind) {
    return origin.kind != null
        ? this
        : withOrigin(new Origin(kind, origin.position, origin.instruction));
  }

  /**
   * Returns this exception with a position in the text, unless it has one already.
   *
   * @param position line and column
   * @return a new exception, with the same stack trace
   */
  public HloException withPosition(SourcePosition position) {
    return origin.position != null
        ? this
        : withOrigin(new Origin(origin.kind, position, origin.instruction));
  }

  /**
   * Returns this exception with the name of the instruction that it is about, unless it has one
   * already.
   *
   * @param instruction the name in its module, without a percent sign
   * @return a new exception, with the same stack trace
   */
  public HloException withInstruction(String instruction) {
    return origin.instruction != null
        ? this
        : withOrigin(new Origin(origin.kind, origin.position, instruction));
  }

  /**
   * Returns this exception with what was thrown before it, such as by a user's function.
   *
   * @param cause what {@link #getCause} returns
   * @return a new exception, with the same stack trace
   */
  public HloException withCause(Throwable cause) {
    requireNonNull(cause, "cause");
    HloException caused = sameStack(new HloException(label, summary, facts, origin));
    if (caused.getCause() == null) {
      caused.initCause(cause);
    }
    return caused;
  }

  private void keepCause(HloException other) {
    if (other.getCause() != null) {
      initCause(other.getCause());
    }
  }

  private HloException withOrigin(Origin known) {
    return sameStack(new HloException(label, summary, facts, known));
  }

  /** Returns the summary, the label in brackets, and the facts, each on one or more lines. */
  @Override
  public String getMessage() {
    return message(label, summary, facts);
  }

  /**
   * Returns the label of the rule that does not hold, such as {@code broadcast B5}; empty if it has
   * none.
   *
   * @return the label
   */
  public String label() {
    return label;
  }

  /**
   * Returns the first line of the message, without the label.
   *
   * @return what was got and what was wanted
   */
  public String summary() {
    return summary;
  }

  /**
   * Returns the facts, in the order of the message.
   *
   * @return the facts
   */
  public ImmutableList<Fact> facts() {
    return facts;
  }

  /**
   * Returns what was being done, or why it could not be done.
   *
   * @return the kind; {@link Kind#ARGUMENT} where none was said
   */
  public Kind kind() {
    return origin.kind == null ? Kind.ARGUMENT : origin.kind;
  }

  /**
   * Returns the position in the HLO text.
   *
   * @return line and column; empty if there is no text or the error is about the whole text
   */
  public Optional<SourcePosition> position() {
    return Optional.ofNullable(origin.position);
  }

  /**
   * Returns the instruction it is about.
   *
   * @return the name in its module, without a percent sign; empty if it is about none
   */
  public Optional<String> instruction() {
    return Optional.ofNullable(origin.instruction);
  }

  private HloException sameStack(HloException next) {
    next.setStackTrace(getStackTrace());
    next.keepCause(this);
    return sameType(next);
  }

  /**
   * Returns what {@link #with} and the other methods that add to an exception return. Subclasses
   * return one of their own type.
   *
   * @param changed this exception with what was added, of the plain type
   * @return the same as an exception of this type
   */
  protected HloException sameType(HloException changed) {
    return changed;
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
