package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.FormattingStyle;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A program as a page that draws its graph and needs nothing else, neither server nor network: the
 * page {@code graph.html} with the program in it as JSON.
 */
final class HtmlGraph {
  private static final String DATA = "\"@MODULE@\"";
  private static final String TITLE = "@TITLE@";

  private final HloModule module;
  private final Map<HloComputation, Integer> numbers = new HashMap<>();

  private HtmlGraph(HloModule module) {
    this.module = module;
    module.computations().forEach(computation -> numbers.put(computation, numbers.size()));
  }

  /** The page. */
  static String print(HloModule module) {
    try (InputStream page = HtmlGraph.class.getResourceAsStream("graph.html")) {
      StringWriter json = new StringWriter();
      try (JsonWriter writer = new JsonWriter(json)) {
        writer.setHtmlSafe(true);
        writer.setFormattingStyle(FormattingStyle.COMPACT);
        new HtmlGraph(module).write(writer);
      }
      String title = module.name().replace("&", "&amp;").replace("<", "&lt;");
      return new String(page.readAllBytes(), UTF_8).replace(TITLE, title).replace(DATA, json + "");
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void write(JsonWriter json) throws IOException {
    Map<HloComputation, List<GraphNode>> nodes = GraphNode.of(module);
    json.beginObject().name("name").value(module.name()).name("computations").beginArray();
    for (HloComputation computation : module.computations()) {
      json.beginObject().name("name").value(computation.name());
      json.name("entry").value(computation == module.entry());
      json.name("nodes").beginArray();
      write(json, computation, nodes.getOrDefault(computation, List.of()));
      json.endArray().endObject();
    }
    json.endArray().endObject();
  }

  /**
   * A node is [name, opcode, shape, operands, called computations, text, origin, is it the root].
   */
  private void write(JsonWriter json, HloComputation computation, List<GraphNode> nodes)
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
      json.endArray().value(node.text()).value(node.origin());
      json.value(instruction == computation.root() ? 1 : 0).endArray();
    }
  }
}
