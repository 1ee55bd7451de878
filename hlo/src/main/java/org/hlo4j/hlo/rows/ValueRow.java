package org.hlo4j.hlo.rows;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An instruction on literals with its result or refusal, such as {@code add(s32[] 1, s32[] 2) =>
 * s32[] 3}. The rules are those of {@code ConformanceRows}.
 *
 * @param source the name of the text that contains it
 * @param line the number of its first line, from 1
 * @param comment the comment above it, or above the rows before it without an empty line; may be
 *     empty
 * @param text the row, with its lines joined
 * @param computations the computations that are defined above it
 */
public record ValueRow(String source, int line, String comment, String text, String computations) {
  private static final Pattern COMPUTATION =
      Pattern.compile("%?[a-zA-Z_][\\w.-]*\\s*(\\(.*\\)\\s*->.*)?\\{.*", Pattern.DOTALL);

  /**
   * Parses the rows of a text.
   *
   * @param source a name for the text
   * @param text the rows
   * @return the rows, in order
   */
  public static ImmutableList<ValueRow> parse(String source, String text) {
    ImmutableList.Builder<ValueRow> rows = ImmutableList.builder();
    StringBuilder computations = new StringBuilder();
    List<String> comment = new ArrayList<>();
    boolean commentGrows = false;
    List<String> lines = text.lines().toList();
    int at = 0;
    while (at < lines.size()) {
      int end = endOfBlock(lines, at);
      String block = String.join("\n", lines.subList(at, end)).strip();
      boolean isComment = block.startsWith("//");
      if (block.isEmpty() || (isComment && !commentGrows)) {
        comment.clear();
      }
      if (isComment) {
        comment.add(block.substring(2).strip());
      } else if (COMPUTATION.matcher(block).matches()) {
        computations.append(block).append("\n\n");
      } else if (!block.isEmpty()) {
        String above = String.join(" ", comment);
        rows.add(new ValueRow(source, at + 1, above, joined(block), computations.toString()));
      }
      commentGrows = isComment;
      at = end;
    }
    return rows.build();
  }

  /** Returns the line after the block that begins at {@code start}. */
  private static int endOfBlock(List<String> lines, int start) {
    int end = start + 1;
    if (lines.get(start).isBlank() || lines.get(start).startsWith("//")) {
      return end;
    }
    while (end < lines.size() && continues(lines.get(end))) {
      end++;
    }
    return end;
  }

  private static boolean continues(String line) {
    return line.startsWith("}") || (!line.isBlank() && Character.isWhitespace(line.charAt(0)));
  }

  private static String joined(String block) {
    return block.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse("");
  }

  /** Returns the row with its position, such as {@code add.rows:3: add(...) => ...}. */
  @Override
  public String toString() {
    return source + ":" + line + ": " + text;
  }
}
