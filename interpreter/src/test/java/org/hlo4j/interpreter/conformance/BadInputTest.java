package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ConformanceRows;
import org.hlo4j.testing.ConformanceRows.Row;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every row of every op with one thing made wrong: an operand taken away, given twice or replaced
 * by an odd one; a number of an attribute negative, far out of range or the greatest there is; a
 * list emptied or with an element twice; another computation called. Each gives a value or one
 * refusal that says what it got and what it wants, in bounded time and memory. At night each row is
 * made wrong in each way, otherwise in each fourth, the next row from the next way on.
 */
final class BadInputTest {
  private static final Evaluator EVALUATOR =
      Evaluators.both(
          EvaluatorOptions.builder()
              .maxSteps(20_000)
              .maxBytes(1 << 20)
              .deadline(Duration.ofSeconds(10))
              .build());

  private static final int STEP = Boolean.getBoolean("hlo4j.test.nightly") ? 1 : 8;

  private static final ImmutableList<String> ODD_OPERANDS =
      ImmutableList.of(
          "pred[] true",
          "f32[2,1,2] {{{1, 2}}, {{nan, 4}}}",
          "s32[0] {}",
          "c64[1] {(1, 2)}",
          "u8[3] {1, 255, 0}",
          "(s32[]) (1)",
          "()");

  private static final ImmutableList<String> ODD_NUMBERS =
      ImmutableList.of("-1", "7", "0", "9223372036854775807", "-9223372036854775808");

  private static final String ODD_COMPUTATION =
      "odd {\n  ROOT odd.one = (f32[]) constant((1))\n}\n\n";

  private static final Pattern NUMBER = Pattern.compile("(?<![\\w.-])-?\\d+(?![\\w.])");
  private static final Pattern LIST = Pattern.compile("\\{([^{}=]*)}");
  private static final Pattern CALLED =
      Pattern.compile("(to_apply|select|scatter|condition|body|calls|\\w+_computation)=[\\w.]+");

  /** An instruction: what is before its operands, they, and what is behind. */
  private record Parts(String head, List<String> operands, String tail) {
    static Parts of(String instruction) {
      int open =
          instruction.indexOf('(', instruction.startsWith("(") ? closing(instruction, 0) : 0);
      int close = closing(instruction, open);
      List<String> operands = new ArrayList<>();
      int start = open + 1;
      int depth = 0;
      for (int i = start; i <= close; i++) {
        char c = instruction.charAt(i);
        if (i == close || (c == ',' && depth == 0)) {
          operands.add(instruction.substring(start, i).strip());
          start = i + 1;
        }
        depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
      }
      operands.removeIf(String::isEmpty);
      return new Parts(instruction.substring(0, open + 1), operands, instruction.substring(close));
    }

    private static int closing(String text, int open) {
      int depth = 0;
      for (int i = open; i < text.length(); i++) {
        depth +=
            "([{".indexOf(text.charAt(i)) >= 0 ? 1 : ")]}".indexOf(text.charAt(i)) >= 0 ? -1 : 0;
        if (depth == 0) {
          return i;
        }
      }
      throw new IllegalArgumentException(text);
    }

    String with(List<String> newOperands) {
      return head + String.join(", ", newOperands) + tail;
    }
  }

  private static List<String> spoilt(String instruction) {
    Parts parts = Parts.of(instruction);
    List<String> spoilt = new ArrayList<>();
    for (int i = 0; i < parts.operands().size(); i++) {
      List<String> operands = new ArrayList<>(parts.operands());
      String operand = operands.remove(i);
      spoilt.add(parts.with(operands));
      operands.add(i, operand + ", " + operand);
      spoilt.add(parts.with(operands));
      for (String odd : ODD_OPERANDS) {
        operands.set(i, odd);
        spoilt.add(parts.with(operands));
      }
    }
    String before = parts.with(parts.operands());
    before = before.substring(0, before.length() - parts.tail().length());
    for (String tail : spoiltAttributes(parts.tail())) {
      spoilt.add(before + tail);
    }
    return spoilt;
  }

  private static List<String> spoiltAttributes(String tail) {
    List<String> spoilt = new ArrayList<>();
    for (Matcher number = NUMBER.matcher(tail); number.find(); ) {
      for (String odd : ODD_NUMBERS) {
        spoilt.add(replaced(tail, number, odd));
      }
    }
    for (Matcher list = LIST.matcher(tail); list.find(); ) {
      spoilt.add(replaced(tail, list, "{}"));
      String first = list.group(1).replaceAll(",.*", "");
      spoilt.add(replaced(tail, list, "{" + first + "," + list.group(1) + "}"));
    }
    for (Matcher called = CALLED.matcher(tail); called.find(); ) {
      spoilt.add(replaced(tail, called, called.group(1) + "=odd"));
    }
    return spoilt;
  }

  private static String replaced(String text, Matcher found, String by) {
    return text.substring(0, found.start()) + by + text.substring(found.end());
  }

  @TestFactory
  Stream<DynamicTest> oddInputIsRefusedOrEvaluated() throws IOException, URISyntaxException {
    return ConformanceRowsTest.files().stream()
        .map(file ->
            DynamicTest.dynamicTest(String.valueOf(file.getFileName()), () -> checkFile(file)));
  }

  private static void checkFile(Path file) throws IOException {
    int first = 0;
    for (Row row : ConformanceRows.read(file).rows()) {
      if (row.text().contains("=> ")) {
        List<String> all = spoilt(row.text().substring(0, row.text().lastIndexOf("=> ")).strip());
        for (int i = first++ % STEP; i < all.size(); i += STEP) {
          String odd = all.get(i) + " !! any";
          check(new Row(row.source(), row.line(), odd, ODD_COMPUTATION + row.computations()));
        }
      }
    }
  }

  private static void check(Row row) {
    String told;
    try {
      told = row.check((module, arguments) -> EVALUATOR.run(module, arguments)).orElse("");
    } catch (RuntimeException | Error thrown) {
      throw new AssertionError(row + "\nwant a value or an HloException", thrown);
    }
    if (told.startsWith("got the refusal")) {
      String refusal = told.substring("got the refusal".length());
      assertWithMessage("%s", row)
          .that(refusal)
          .containsMatch("\\b(got|has|of)\\b(?s:.)*\\bwant\\b|beyond");
    }
  }
}
