package org.hlo4j.tools.program;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.tools.console.ErrorMessages;

/**
 * A problem that was found in a file.
 *
 * @param severity whether it makes the program invalid
 * @param file the file
 * @param problem the problem; the message of a refusal may begin with the file and the position
 */
public record Finding(Severity severity, String file, Throwable problem) {
  /** Whether a finding makes a program invalid. */
  public enum Severity {
    ERROR,
    WARNING;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the text {@code error FILE:LINE:COL: message}, with all details if {@code inFull}. */
  public String line(boolean inFull) {
    String description = inFull ? ErrorMessages.inFull(problem) : ErrorMessages.describe(problem);
    return severity + " " + (description.startsWith(file + ":") ? "" : file + ": ") + description;
  }

  /** Returns the finding as JSON. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("severity", severity.toString());
    if (problem instanceof HloException refusal) {
      refusal
          .position()
          .ifPresent(position -> {
            json.addProperty("line", position.line());
            json.addProperty("column", position.column());
          });
      json.addProperty("kind", refusal.kind().name().toLowerCase(Locale.ROOT));
      json.addProperty("message", message(refusal));
      Optional.of(refusal.label())
          .filter(label -> !label.isEmpty())
          .ifPresent(label -> json.addProperty("rule", label));
      refusal.instruction().ifPresent(name -> json.addProperty("instruction", name));
    } else {
      json.addProperty("kind", problem instanceof IOException ? "io" : "internal");
      json.addProperty("message", ErrorMessages.describe(problem));
    }
    return json;
  }

  /** Returns the summary with the actual and the expected value, without the position. */
  private String message(HloException refusal) {
    String message = without(file + ":", refusal.summary()).stripLeading();
    String place = refusal.position().map(SourcePosition::toString).orElse("1:1");
    return without(place + ":", message).stripLeading();
  }

  private static String without(String start, String text) {
    return text.startsWith(start) ? text.substring(start.length()) : text;
  }
}
