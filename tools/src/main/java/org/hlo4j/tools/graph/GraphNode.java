package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.tools.program.Origins;

/**
 * A node of a program's graph: what the drawing shows of an instruction.
 *
 * @param instruction the instruction
 * @param text the text of the instruction, without parts that are of no use here
 * @param source its source line, if known
 */
record GraphNode(HloInstruction instruction, String text, Optional<SourceLine> source) {

  /**
   * Returns the nodes of each computation, in the order of its instructions.
   *
   * @param options the options for printing instructions
   * @param longest the length to which longer texts are cut
   */
  static Map<HloComputation, ImmutableList<GraphNode>> of(
      HloModule module, PrintOptions options, int longest) {
    Origins origins = new Origins(module);
    ImmutableMap<HloInstruction, String> lines = Printer.instructions(module, options);
    Map<HloComputation, ImmutableList<GraphNode>> nodes = new HashMap<>();
    for (HloComputation computation : module.computations()) {
      ImmutableList.Builder<GraphNode> list = ImmutableList.builder();
      for (HloInstruction instruction : computation.instructions()) {
        String root = instruction == computation.root() ? "ROOT " : "";
        String line = root + lines.getOrDefault(instruction, "");
        String text = line.length() <= longest ? line : line.substring(0, longest) + "…";
        list.add(new GraphNode(instruction, text, origins.of(instruction)));
      }
      nodes.put(computation, list.build());
    }
    return nodes;
  }
}
