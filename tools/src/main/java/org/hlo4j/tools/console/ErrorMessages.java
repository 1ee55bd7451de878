package org.hlo4j.tools.console;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.ControlCharacters;

/** One-line messages for the user about exceptions. */
public final class ErrorMessages {
  private static final int MAX_LENGTH = 500;

  private ErrorMessages() {}

  /** Returns a line for each refusal, or one line for any other exception. */
  public static ImmutableList<String> lines(Throwable problem, boolean inFull) {
    List<? extends Throwable> all =
        problem instanceof Refusals several ? several.all() : List.of(problem);
    return all.stream().map(one -> inFull ? inFull(one) : describe(one)).collect(toImmutableList());
  }

  /** Returns one line about any exception. */
  public static String describe(Throwable problem) {
    return switch (problem) {
      case HloException refusal -> describe(refusal);
      case Refusals several ->
          describe(several.all().get(0)) + " (and " + (several.all().size() - 1) + " more)";
      case UncheckedIOException wrapped -> describe(requireNonNull(wrapped.getCause()));
      case IOException io -> describe(io);
      case InvalidPathException name ->
          name.getInput() + ": no name of a file (" + name.getReason() + ")";
      case OutOfMemoryError full -> "the heap is full; HLO4J_OPTS=-Xmx8g gives it 8 GB";
      case StackOverflowError deep -> "the stack is full; HLO4J_OPTS=-Xss64m gives it 64 MB";
      default -> "internal error, please report it: " + oneLine(problem.toString());
    };
  }

  /** Returns the text of {@link #describe(Throwable)} with all details. */
  public static String inFull(Throwable problem) {
    if (problem instanceof HloException refusal) {
      return String.valueOf(refusal.getMessage());
    }
    if (problem instanceof IOException || problem instanceof Error) {
      return describe(problem);
    }
    StringWriter text = new StringWriter();
    problem.printStackTrace(new PrintWriter(text));
    return describe(problem) + "\n" + text;
  }

  /** Returns the summary, the rule and the instruction of a refusal. */
  public static String describe(HloException refusal) {
    StringBuilder line = new StringBuilder(refusal.summary());
    if (!refusal.label().isEmpty()) {
      line.append(" [").append(refusal.label()).append(']');
    }
    fact(refusal, "instruction", line, "; at ");
    fact(refusal, "at", line, ", "); // the line of the Python or Java source, as "at f.py:3"
    fact(refusal, "nearest", line, "; ");
    fact(refusal, "parameter", line, "; for parameter ");
    return oneLine(line.toString());
  }

  private static void fact(HloException refusal, String name, StringBuilder line, String before) {
    refusal.facts().stream()
        .filter(fact -> fact.name().equals(name))
        .findFirst()
        .ifPresent(fact -> line.append(before).append(fact.text()));
  }

  private static String describe(IOException problem) {
    return switch (problem) {
      case NoSuchFileException missing -> missing.getFile() + ": no such file or directory";
      case AccessDeniedException denied -> denied.getFile() + ": permission denied";
      case NotDirectoryException file -> file.getFile() + ": not a directory";
      case FileAlreadyExistsException file -> file.getFile() + ": already exists";
      case CharacterCodingException garbled -> "not UTF-8 text";
      default -> oneLine(problem.getMessage() == null ? problem.toString() : problem.getMessage());
    };
  }

  /** Returns a text without line breaks and control characters, cut to a readable length. */
  public static String oneLine(String text) {
    String line = ControlCharacters.escape(text.strip().replaceAll("\\s*\\R\\s*", " "));
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
  }
}
