package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Modules, each with the verdict of the parser or the strict verifier: ops.rows has an example of
 * each op, verifier.rows the checks of XLA's verifier one by one, and shapes.rows the shape rules
 * of ops.
 *
 * <p>A row is HLO text followed by {@code ok}, or by {@code !!} and the whole message. A line
 * {@code # opcode: the check} precedes it. The text is a module, or computations with an ENTRY, or
 * one instruction whose operands are shapes, which become parameters {@code p0}, {@code p1}. All
 * rows below a computation without a verdict may call it.
 */
final class VerifierRowsTest {
  private static final Pattern INSTRUCTION =
      Pattern.compile("(?<head>[^\n]*? ?(?!b\\()[a-z][a-z0-9-]*\\()(?<rest>.*)", Pattern.DOTALL);

  private static final Pattern HEADING = Pattern.compile("(?m)^# (.*)\n?");
  private static final Pattern VERDICT = Pattern.compile("(?ms)^ *(!! .*|ok)\\z");

  /**
   * A module and the expected verdict.
   *
   * @param check what is checked
   * @param text the module
   * @param written the text as written in the file
   * @param shown the verdict as written in the file, without {@code !!}
   */
  record Row(String check, String text, String written, String shown) {
    String message() {
      return spaced(shown.startsWith("ok") ? shown : "!! " + shown);
    }

    /** Returns the first instruction with the opcode. */
    HloInstruction instruction(String opcode) {
      return Parser.parse(text).computations().stream()
          .flatMap(computation -> computation.instructions().stream())
          .filter(instruction -> instruction.op().opcode().equals(opcode))
          .findFirst()
          .orElseThrow();
    }

    /** Returns the row with another element type in place of f32. */
    Row withType(String type) {
      return new Row(check, text.replace("f32[", type + "["), written, shown);
    }

    String verdict() {
      try {
        HloModule module = Parser.parse(text);
        Verifier.strict().verify(module);
        return "ok";
      } catch (HloException refusal) {
        return spaced("!! " + refusal.getMessage());
      }
    }
  }

  private static String spaced(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  static List<Row> rows(String file) throws IOException {
    String text =
        Resources.toString(
            Resources.getResource(VerifierRowsTest.class, file), StandardCharsets.UTF_8);
    List<Row> rows = new ArrayList<>();
    StringBuilder shared = new StringBuilder();
    String check = "";
    for (String block : Splitter.on("\n\n").trimResults().omitEmptyStrings().split(text)) {
      Matcher heading = HEADING.matcher(block);
      check = heading.find() ? heading.group(1) : check;
      String body = heading.replaceAll("");
      Matcher verdict = VERDICT.matcher(body);
      if (verdict.find()) {
        String written = body.substring(0, verdict.start()).strip();
        String shown = verdict.group(1).replaceFirst("^!! ", "").strip();
        rows.add(new Row(check, whole(shared.toString(), written), written, shown));
      } else {
        shared.append(body).append('\n');
      }
    }
    return rows;
  }

  /** Returns the computations of a file that all rows may call. */
  static String shared(String file) throws IOException {
    String text =
        Resources.toString(
            Resources.getResource(VerifierRowsTest.class, file), StandardCharsets.UTF_8);
    return Splitter.on("\n\n")
        .trimResults()
        .omitEmptyStrings()
        .splitToStream(text)
        .map(block -> HEADING.matcher(block).replaceAll(""))
        .filter(block -> !VERDICT.matcher(block).find())
        .map(block -> block + "\n")
        .collect(joining());
  }

  private static String whole(String shared, String text) {
    if (text.startsWith("HloModule")) {
      return text;
    }
    return text.contains("ENTRY") ? shared + text : shared + entry(text.strip());
  }

  /** Returns an entry computation that contains one instruction. */
  private static String entry(String instruction) {
    Matcher parts = INSTRUCTION.matcher(instruction);
    if (!parts.matches()) {
      throw new IllegalArgumentException(instruction);
    }
    String rest = parts.group("rest");
    List<String> shapes = new ArrayList<>();
    int end = split(rest, shapes);
    String parameters =
        IntStream.range(0, shapes.size())
            .mapToObj(i -> "p" + i + " = " + shapes.get(i) + " parameter(" + i + ")\n")
            .collect(joining());
    String names = IntStream.range(0, shapes.size()).mapToObj(i -> "p" + i).collect(joining(", "));
    return "ENTRY e {\n"
        + parameters
        + "ROOT r = "
        + parts.group("head")
        + names
        + rest.substring(end)
        + "\n}\n";
  }

  /** Splits at commas outside of brackets; returns the index of the bracket that ends the list. */
  private static int split(String text, List<String> shapes) {
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean ends = depth == 0 && (c == ',' || c == ')');
      if (ends && !text.substring(start, i).isBlank()) {
        shapes.add(text.substring(start, i).strip());
        start = i + 1;
      }
      if (ends && c == ')') {
        return i;
      }
      depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
    }
    throw new IllegalArgumentException(text);
  }

  @TestFactory
  Stream<DynamicTest> everyCheck() throws IOException {
    List<Row> all = new ArrayList<>(rows("ops.rows"));
    all.addAll(rows("verifier.rows"));
    all.addAll(rows("shapes.rows"));
    return all.stream()
        .map(row ->
            DynamicTest.dynamicTest(
                row.check() + ": " + spaced(row.text()),
                () -> assertThat(row.verdict()).isEqualTo(row.message())));
  }
}
