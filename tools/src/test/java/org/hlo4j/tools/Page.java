package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertWithMessage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the documentation.
 *
 * @param file where it is
 * @param prose its text without the blocks
 * @param blocks its fenced blocks, in order
 * @param results the rows of its tables of expressions and results
 */
record Page(Path file, String prose, List<Block> blocks, List<Row> results) {
  private static final Pattern FENCE =
      Pattern.compile("(?ms)^```(?<language>\\w*)\\n(?<body>.*?)^```$");

  private static final Pattern RESULTS =
      Pattern.compile("(?m)^\\|.*\\| result \\|\\n\\|[-|]+\\n(?<rows>(?:\\|.*\\n)+)");

  private static final Pattern ROW =
      Pattern.compile("\\| `[^`]+` \\| `(?<java>[^`]+)` \\| `(?<result>[^`]+)` \\|");

  /**
   * A row of a table of expressions.
   *
   * @param java the expression
   * @param result what it gives
   */
  record Row(String java, String result) {}

  /**
   * A fenced block.
   *
   * @param language the language named after the opening fence
   * @param body its lines
   * @param line the number of its first line
   */
  record Block(String language, String body, int line) {
    boolean is(String wanted) {
      return language.equals(wanted);
    }
  }

  static Page read(Path file) throws IOException {
    String text = Files.readString(file);
    List<Block> blocks = new ArrayList<>();
    Matcher fence = FENCE.matcher(text);
    while (fence.find()) {
      int line = 2 + (int) text.substring(0, fence.start()).lines().count();
      blocks.add(new Block(fence.group("language"), fence.group("body"), line));
    }
    String prose = fence.replaceAll("").replaceAll("`[^`\n]*`", "``");
    return new Page(file, prose, blocks, results(text));
  }

  private static List<Row> results(String text) {
    List<Row> results = new ArrayList<>();
    Matcher table = RESULTS.matcher(text);
    while (table.find()) {
      for (String line : table.group("rows").lines().toList()) {
        Matcher row = ROW.matcher(line);
        assertWithMessage(line).that(row.matches()).isTrue();
        results.add(new Row(row.group("java"), row.group("result")));
      }
    }
    return results;
  }

  /** Returns what a block prints: the text block right after it, if there is one. */
  String outputOf(Block block) {
    int next = blocks.indexOf(block) + 1;
    return next < blocks.size() && blocks.get(next).is("text") ? blocks.get(next).body() : "";
  }

  List<Block> blocks(String language) {
    return blocks.stream().filter(block -> block.is(language)).toList();
  }
}
