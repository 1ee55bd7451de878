package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;

/**
 * What a drawing of a program shows of its instructions.
 *
 * @param instruction the instruction
 * @param text how it is written, as far as it is of use
 * @param origin the line it comes from; empty if unknown
 */
record GraphNode(HloInstruction instruction, String text, String origin) {
  private static final int WIDEST = 400;

  /** Instructions of each computation, in order. */
  static Map<HloComputation, List<GraphNode>> of(HloModule module) {
    Origins origins = new Origins(module);
    Iterator<String> lines =
        Printer.print(module, PrintOptions.SHORT)
            .lines()
            .filter(line -> line.startsWith("  "))
            .iterator();
    Map<HloComputation, List<GraphNode>> nodes = new HashMap<>();
    for (HloComputation computation : module.computations()) {
      ImmutableList.Builder<GraphNode> list = ImmutableList.builder();
      for (HloInstruction instruction : computation.instructions()) {
        String line = lines.next().strip();
        String text = line.length() <= WIDEST ? line : line.substring(0, WIDEST) + "…";
        list.add(
            new GraphNode(
                instruction, text, origins.of(instruction).map(Object::toString).orElse("")));
      }
      nodes.put(computation, list.build());
    }
    return nodes;
  }
}
