package org.hlo4j.tools;

import com.google.gson.FormattingStyle;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Option of every command whose result programs may want to read. */
final class FormatArguments {
  /** How a result is printed. */
  enum Format {
    TEXT,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Gson GSON =
      new GsonBuilder().setFormattingStyle(FormattingStyle.PRETTY).disableHtmlEscaping().create();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "${COMPLETION-CANDIDATES}: lines for people, or one JSON object, which"
              + " docs/markdown/reference/command.md describes. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.TEXT;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  FormatArguments() {}

  boolean isJson() {
    return format == Format.JSON;
  }

  /** Prints the JSON of a command's result, a line feed behind it. */
  static void print(PrintWriter out, JsonObject result) {
    out.print(GSON.toJson(result) + "\n");
  }
}
