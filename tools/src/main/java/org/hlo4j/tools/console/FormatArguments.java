package org.hlo4j.tools.console;

import com.google.gson.FormattingStyle;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The option for the output format, of every command whose result programs may read. */
public final class FormatArguments {
  /** The format of a result. */
  enum Format {
    TEXT,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A parser of a format's name. */
  static final class FormatConverter extends NameConverter<Format> {
    FormatConverter() {
      super(Format.class);
    }
  }

  private static final Gson GSON =
      new GsonBuilder().setFormattingStyle(FormattingStyle.PRETTY).disableHtmlEscaping().create();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      converter = FormatConverter.class,
      description =
          "The output format: ${COMPLETION-CANDIDATES}. text is for reading; json is one JSON"
              + " object, described in docs/markdown/reference/command.md. Default:"
              + " ${DEFAULT-VALUE}.")
  private Format format = Format.TEXT;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  FormatArguments() {}

  public boolean isJson() {
    return format == Format.JSON;
  }

  /** Prints the JSON of a command's result, followed by a line feed. */
  public static void print(PrintWriter out, JsonObject result) {
    out.print(GSON.toJson(result) + "\n");
  }
}
