package org.hlo4j.tools;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What is to be said of a program, or of a file that cannot be read as one.
 *
 * @param file the file, as it was given
 * @param program the program's name, if the file holds several
 * @param status whether it is right
 * @param findings all that was found
 */
record Verdict(
    String file, Optional<String> program, Status status, ImmutableList<Finding> findings) {
  /** Whether a program is right. */
  enum Status {
    /** It is; there may be warnings. */
    OK,
    /** It is not. */
    ERROR,
    /** It is no program, and was only found beside some. */
    SKIPPED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  boolean isError() {
    return status == Status.ERROR;
  }

  /** For people: the first error, or the first warning before the ok; of verbose ones all. */
  List<String> lines(boolean isVerbose) {
    ImmutableList.Builder<String> lines = ImmutableList.builder();
    if (isVerbose) {
      findings.forEach(finding -> lines.add(finding.line(true)));
    } else if (!findings.isEmpty()) {
      int more = findings.size() - 1;
      lines.add(findings.get(0).line(false) + (more > 0 ? " (and " + more + " more)" : ""));
    }
    return switch (status) {
      case OK -> lines.add("ok " + file + program.map(name -> ": " + name).orElse("")).build();
      case ERROR -> lines.build();
      case SKIPPED -> lines.add("skipped " + file + ": another protocol buffer").build();
    };
  }

  /** For programs. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("file", file);
    program.ifPresent(name -> json.addProperty("program", name));
    json.addProperty("status", status.toString());
    JsonArray all = new JsonArray();
    findings.forEach(finding -> all.add(finding.json()));
    json.add("findings", all);
    return json;
  }

  /** The findings of one severity in a file. */
  static ImmutableList<Finding> findings(
      Finding.Severity severity, String file, List<? extends Throwable> problems) {
    return problems.stream()
        .map(problem -> new Finding(severity, file, problem))
        .collect(toImmutableList());
  }
}
