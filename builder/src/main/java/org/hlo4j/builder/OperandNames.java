package org.hlo4j.builder;

import java.util.List;

/** What XLA calls the operands of ops, for messages. */
final class OperandNames {
  private OperandNames() {}

  /** Returns the name of an operand of an op with so many of them. */
  static String of(String opcode, int operand, int count) {
    return switch (opcode) {
      case "clamp" -> at(operand, "min", "operand", "max");
      case "dot", "convolution" -> at(operand, "lhs", "rhs");
      case "dynamic-slice" -> at(operand, "operand", "start_indices");
      case "dynamic-update-slice" -> at(operand, "operand", "update", "start_indices");
      case "gather" -> at(operand, "operand", "start_indices");
      case "pad" -> at(operand, "operand", "padding_value");
      case "reduce", "reduce-window" -> operand < count / 2 ? "operand" : "init_value";
      case "scatter" ->
          operand < count / 2 ? "operand" : operand == count / 2 ? "scatter_indices" : "update";
      case "select" -> at(operand, "pred", "on_true", "on_false");
      case "select-and-scatter" -> at(operand, "operand", "source", "init_value");
      case "set-dimension-size" -> at(operand, "operand", "size");
      case "triangular-solve" -> at(operand, "a", "b");
      case "while" -> "init";
      default -> "operand";
    };
  }

  /** Returns one of these names, the last for all operands behind them. */
  private static String at(int operand, String... names) {
    return List.of(names).get(Math.min(operand, names.length - 1));
  }
}
