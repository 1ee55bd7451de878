package org.hlo4j.tools.program;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The result of the verification of a program, or of a file that cannot be read as one.
 *
 * @param file the name of the file on the command line
 * @param program the program's name, if the file holds several
 * @param status whether the program is valid
 * @param findings all findings
 * @param reason why it was skipped, otherwise empty
 */
public record Verdict(
    String file,
    Optional<String> program,
    Status status,
    ImmutableList<Finding> findings,
    String reason) {
  public Verdict(
      String file, Optional<String> program, Status status, ImmutableList<Finding> findings) {
    this(file, program, status, findings, "");
  }

  /** Returns the verdict on what is no program but was found in a folder with programs. */
  public static Verdict skipped(String file, String reason) {
    return new Verdict(file, Optional.empty(), Status.SKIPPED, ImmutableList.of(), reason);
  }

  /** The validity of a program. */
  public enum Status {
    /** The program is valid; there may be warnings. */
    OK,
    /** The program is not valid. */
    ERROR,
    /** The file is not a program, and was found in a folder with programs. */
    SKIPPED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public boolean isError() {
    return status == Status.ERROR;
  }

  /**
   * Returns the text: the first error, or the first warning and the status; if verbose, all
   * findings.
   */
  public List<String> lines(boolean isVerbose) {
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
      case SKIPPED -> lines.add("skipped " + file + ": " + reason).build();
    };
  }

  /** Returns the verdict as JSON. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("file", file);
    program.ifPresent(name -> json.addProperty("program", name));
    json.addProperty("status", status.toString());
    if (!reason.isEmpty()) {
      json.addProperty("reason", reason);
    }
    JsonArray all = new JsonArray();
    findings.forEach(finding -> all.add(finding.json()));
    json.add("findings", all);
    return json;
  }

  /** Returns findings of one severity in a file. */
  public static ImmutableList<Finding> findings(
      Finding.Severity severity, String file, List<? extends Throwable> problems) {
    return problems.stream()
        .map(problem -> new Finding(severity, file, problem))
        .collect(toImmutableList());
  }
}
