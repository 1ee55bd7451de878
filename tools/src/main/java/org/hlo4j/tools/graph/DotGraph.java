package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions;

/**
 * A program as a graph in Graphviz's language. Computations are clusters. Solid edges run from
 * operand to user and are labelled with the shape; dashed edges run from caller to called
 * computation.
 */
public final class DotGraph {
  private static final int MAX_TOOLTIP_LENGTH = 400;

  private final StringBuilder text = new StringBuilder();
  private final Map<HloInstruction, String> ids = new HashMap<>();
  private final Map<HloComputation, String> clusters = new HashMap<>();

  private DotGraph() {}

  /** Returns the graph in Graphviz's language dot. */
  public static String print(HloModule module) {
    return new DotGraph().module(module);
  }

  private String module(HloModule module) {
    text.append("digraph ").append(quoted(module.name())).append(" {\n");
    text.append("  compound=true\n  node [shape=box fontname=\"sans-serif\" fontsize=11]\n");
    text.append("  edge [fontname=\"sans-serif\" fontsize=9]\n");
    Map<HloComputation, ImmutableList<GraphNode>> nodes =
        GraphNode.of(module, PrintOptions.SHORT, MAX_TOOLTIP_LENGTH);
    for (HloComputation computation : module.computations()) {
      cluster(computation, nodes.getOrDefault(computation, ImmutableList.of()));
    }
    for (HloComputation computation : module.computations()) {
      computation.instructions().forEach(this::edges);
    }
    return text.append("}\n").toString();
  }

  private void cluster(HloComputation computation, List<GraphNode> nodes) {
    String cluster = "cluster_" + clusters.size();
    clusters.put(computation, cluster);
    text.append("  subgraph ").append(cluster).append(" {\n    label=");
    text.append(quoted(computation.name())).append('\n');
    for (GraphNode node : nodes) {
      HloInstruction instruction = node.instruction();
      String id = "n" + ids.size();
      ids.put(instruction, id);
      String tooltip = node.text() + node.source().map(line -> "\n" + line).orElse("");
      text.append("    ").append(id).append(" [label=");
      text.append(
          quoted(
              instruction.op().opcode()
                  + "\n"
                  + instruction.name()
                  + "\n"
                  + instruction.shape().withoutLayout()));
      text.append(" tooltip=").append(quoted(tooltip));
      text.append(instruction == computation.root() ? " penwidth=2]\n" : "]\n");
    }
    text.append("  }\n");
  }

  private void edges(HloInstruction user) {
    for (HloInstruction operand : user.operands()) {
      text.append("  ").append(ids.get(operand)).append(" -> ").append(ids.get(user));
      text.append(" [label=").append(quoted(operand.shape().withoutLayout().toString()));
      text.append("]\n");
    }
    for (HloComputation called : user.called()) {
      text.append("  ").append(ids.get(user)).append(" -> ").append(ids.get(called.root()));
      text.append(" [style=dashed lhead=").append(clusters.get(called)).append("]\n");
    }
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
