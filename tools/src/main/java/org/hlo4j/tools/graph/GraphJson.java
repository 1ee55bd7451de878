package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.PrintOptions.Part;

/**
 * The JSON of a program's graph, which the page of the graph reads:
 *
 * <pre>
 *   {name, computations: [{name, entry, root, nodes: [node], items: [item]}]}
 *   node: [name, opcode, shape, operands, called computations, text, op_name, file, line, value,
 *          share]
 *   item: index of a node, or [label, [item]]
 * </pre>
 *
 * <p>Operands and the root are indices into the nodes of the computation. The value is empty except
 * for nodes that are drawn in the boxes of their users and in no item, such as small constants. The
 * share of the time of a profile is written only if it is not 0.
 */
final class GraphJson {
  private static final PrintOptions TEXT =
      PrintOptions.SHORT.with(Part.LAYOUTS, Part.METADATA, Part.PERCENT);
  private static final int MAX_TEXT_LENGTH = 4_000;

  /** The approximate limit on the length of all instructions' texts together. */
  private static final int MAX_TOTAL_TEXT_LENGTH = 60_000_000;

  private final HloModule module;
  private final Map<HloInstruction, Double> shares;
  private final Map<HloComputation, Integer> numbers = new HashMap<>();

  GraphJson(HloModule module, Map<HloInstruction, Double> shares) {
    this.module = module;
    this.shares = shares;
    module.computations().forEach(computation -> numbers.put(computation, numbers.size()));
  }

  void write(JsonWriter json) throws IOException {
    int count = module.computations().stream().mapToInt(c -> c.instructions().size()).sum();
    int longest =
        Math.min(MAX_TEXT_LENGTH, Math.max(200, MAX_TOTAL_TEXT_LENGTH / Math.max(count, 1)));
    Map<HloComputation, ImmutableList<GraphNode>> nodes = GraphNode.of(module, TEXT, longest);
    json.beginObject().name("name").value(module.name()).name("computations").beginArray();
    for (HloComputation computation : module.computations()) {
      ImmutableMap<HloInstruction, String> values = GraphInlined.of(computation);
      json.beginObject().name("name").value(computation.name());
      json.name("entry").value(computation == module.entry());
      json.name("root").value(computation.instructions().indexOf(computation.root()));
      json.name("nodes").beginArray();
      write(json, nodes.getOrDefault(computation, ImmutableList.of()), values);
      json.endArray().name("items").beginArray();
      write(json, GraphGroups.of(computation, values.keySet()));
      json.endArray().endObject();
    }
    json.endArray().endObject();
  }

  private void write(
      JsonWriter json, List<GraphNode> nodes, ImmutableMap<HloInstruction, String> values)
      throws IOException {
    Map<HloInstruction, Integer> places = new HashMap<>();
    for (GraphNode node : nodes) {
      HloInstruction instruction = node.instruction();
      places.put(instruction, places.size());
      json.beginArray().value(instruction.name()).value(instruction.op().opcode());
      json.value(instruction.shape().withoutLayout().toString()).beginArray();
      for (HloInstruction operand : instruction.operands()) {
        json.value(places.get(operand));
      }
      json.endArray().beginArray();
      for (HloComputation called : instruction.called()) {
        json.value(numbers.get(called));
      }
      json.endArray().value(node.text()).value(instruction.metadata().opName());
      json.value(node.source().map(SourceLine::file).orElse(""));
      json.value(node.source().map(SourceLine::line).orElse(0));
      json.value(values.getOrDefault(instruction, ""));
      if (shares.containsKey(instruction)) {
        json.value(shares.get(instruction));
      }
      json.endArray();
    }
  }

  private static void write(JsonWriter json, List<GraphGroups.Item> items) throws IOException {
    for (GraphGroups.Item item : items) {
      switch (item) {
        case GraphGroups.Instruction(int place) -> json.value(place);
        case GraphGroups.Group(String label, ImmutableList<GraphGroups.Item> inner) -> {
          json.beginArray().value(label).beginArray();
          write(json, inner);
          json.endArray().endArray();
        }
      }
    }
  }
}
