package org.hlo4j.tools;

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
 */
record Page(Path file, String prose, List<Block> blocks) {
  private static final Pattern FENCE =
      Pattern.compile("(?ms)^```(?<language>\\w*)\\n(?<body>.*?)^```$");

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
    return new Page(file, fence.replaceAll("").replaceAll("`[^`\n]*`", "``"), blocks);
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
