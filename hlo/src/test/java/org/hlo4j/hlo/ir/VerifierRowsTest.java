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
 * The checks of XLA's verifier one by one, in verifier.rows, and the shape rules of ops, in
 * shapes.rows: modules, each with what the parser or the strict verifier says of it.
 *
 * <p>A row is HLO text and then {@code !!} with the whole message, or {@code ok}. Above it stands
 * {@code # opcode: the check}. The text is a module, or computations with an ENTRY, or one
 * instruction whose operands are shapes, which become parameters {@code p0}, {@code p1}. A
 * computation that stands alone may be called by all rows below.
 */
final class VerifierRowsTest {
  private static final Pattern INSTRUCTION =
      Pattern.compile("(?<head>[^\n]*? ?(?!b\\()[a-z][a-z0-9-]*\\()(?<rest>.*)", Pattern.DOTALL);

  private static final Pattern HEADING = Pattern.compile("(?m)^# (.*)\n?");
  private static final Pattern VERDICT = Pattern.compile("(?ms)^ *(!! .*|ok)\\z");

  private record Row(String check, String text, String message) {
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
        String module = whole(shared.toString(), body.substring(0, verdict.start()));
        rows.add(new Row(check, module, spaced(verdict.group(1))));
      } else {
        shared.append(body).append('\n');
      }
    }
    return rows;
  }

  private static String whole(String shared, String text) {
    if (text.startsWith("HloModule")) {
      return text;
    }
    return text.contains("ENTRY") ? shared + text : shared + entry(text.strip());
  }

  /** One instruction as an entry computation. */
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

  /** Splits at commas outside of brackets; where the bracket that was open is closed. */
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
    return Stream.concat(rows("verifier.rows").stream(), rows("shapes.rows").stream())
        .map(row ->
            DynamicTest.dynamicTest(
                row.check() + ": " + spaced(row.text()),
                () -> assertThat(row.verdict()).isEqualTo(row.message())));
  }
}
