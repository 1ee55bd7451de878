package org.hlo4j.hlo.rows;

import com.google.common.collect.ImmutableList;

/**
 * The operands of an instruction, separated by commas outside of brackets.
 *
 * @param operands the text of each operand
 * @param after the text after the bracket that ends the list
 */
record OperandList(ImmutableList<String> operands, String after) {
  /**
   * Parses the text after the bracket that begins the list.
   *
   * @throws IllegalArgumentException if no bracket ends it
   */
  static OperandList of(String text) {
    ImmutableList.Builder<String> operands = ImmutableList.builder();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean ends = depth == 0 && (c == ',' || c == ')');
      if (ends && !text.substring(start, i).isBlank()) {
        operands.add(text.substring(start, i).strip());
        start = i + 1;
      }
      if (ends && c == ')') {
        return new OperandList(operands.build(), text.substring(i + 1));
      }
      depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
    }
    throw new IllegalArgumentException(text + ": want ) behind the operands");
  }
}
