package org.hlo4j.builder;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/** The table of operands in an error message: name, shape, creating instruction and line. */
final class OperandTable {
  private OperandTable() {}

  static Optional<String> of(List<XlaOp> operands) {
    List<List<String>> rows = new ArrayList<>();
    operands.stream()
        .filter(Objects::nonNull)
        .map(XlaOp::instruction)
        .distinct()
        .forEach(operand -> rows.add(row(operand)));
    return rows.isEmpty() ? Optional.empty() : Optional.of(aligned(rows));
  }

  private static List<String> row(HloInstruction operand) {
    String what =
        operand.op() instanceof Parameter parameter
            ? "parameter " + parameter.number()
            : operand.op().opcode();
    String where = operand.metadata().source().map(SourceLine::toString).orElse("");
    return List.of(operand.name(), operand.shape().toString(), what, where);
  }

  private static String aligned(List<List<String>> rows) {
    return rows.stream()
        .map(row -> {
          StringBuilder line = new StringBuilder();
          for (int i = 0; i < row.size(); i++) {
            int column = i;
            int width = rows.stream().mapToInt(r -> r.get(column).length()).max().orElse(0);
            line.append(row.get(i)).append(" ".repeat(3 + width - row.get(i).length()));
          }
          return line.toString().stripTrailing();
        })
        .collect(Collectors.joining("\n"));
  }
}
