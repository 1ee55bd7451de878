package org.hlo4j.stablehlo.importer;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;

/** The device meshes of a module, and what shardings by their axes are in HLO's words. */
final class Meshes {
  /** The sizes of the axes of each mesh, in order. */
  private final ImmutableMap<String, Map<String, Long>> axes;

  private final String text;

  Meshes(Operation module) {
    Map<String, Map<String, Long>> all = new LinkedHashMap<>();
    List<String> texts = new ArrayList<>();
    for (Operation operation : module.region(0).block().operations()) {
      if (operation.name().equals("sdy.mesh")) {
        String name = new Fields(operation.attributes().entries()).string("sym_name");
        String mesh = String.valueOf(operation.attributes().get("mesh"));
        all.put(name, axes(mesh));
        texts.add(name + " = " + mesh);
      }
    }
    axes = ImmutableMap.copyOf(all);
    text = String.join(", ", texts);
  }

  /** All meshes, as XLA writes them in {@code xla.sdy.meshes}; empty if there is none. */
  String text() {
    return text;
  }

  /** The sizes in {@code #sdy.mesh<["x"=2, "y"=4]>}. */
  private static Map<String, Long> axes(String mesh) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    for (String axis : list(between(mesh, '[', ']'))) {
      int equals = axis.lastIndexOf('=');
      if (equals > 0) {
        sizes.put(unquoted(axis.substring(0, equals)), number(axis.substring(equals + 1)));
      }
    }
    return sizes;
  }

  private static long number(String digits) {
    try {
      return Long.parseLong(digits.strip());
    } catch (NumberFormatException wrong) {
      throw new HloException(
          HloException.Kind.PARSE, "mesh: got size " + digits + ", want a number");
    }
  }

  private static String between(String whole, char open, char close) {
    int from = whole.indexOf(open);
    int to = whole.lastIndexOf(close);
    return from < 0 || to < from ? "" : whole.substring(from + 1, to);
  }

  private static List<String> list(String body) {
    return Splitter.on(',').trimResults().omitEmptyStrings().splitToList(body);
  }

  private static String unquoted(String name) {
    return name.strip().replace("\"", "");
  }

  /**
   * The sharding {@code #sdy.sharding<@mesh, [{"x"}, {}]>} as tiles; empty if HLO's tiles cannot
   * say it, such as parts of axes.
   */
  Optional<Sharding> sharding(Attribute sharding) {
    String body = sharding.toString();
    int at = body.indexOf('@');
    int comma = body.indexOf(',', at);
    if (at < 0 || comma < 0 || body.contains("\":(") || body.indexOf(']') < 0) {
      return Optional.empty();
    }
    Map<String, Long> mesh = axes.get(unquoted(body.substring(at + 1, comma)));
    if (mesh == null) {
      return Optional.empty();
    }
    return tiles(mesh, body.substring(body.indexOf('[', comma) + 1, body.indexOf(']', comma)));
  }

  private static Optional<Sharding> tiles(Map<String, Long> mesh, String dimensions) {
    List<String> order = new ArrayList<>(mesh.keySet());
    List<Long> tiles = new ArrayList<>();
    List<Integer> used = new ArrayList<>();
    for (String dimension : Splitter.on('}').trimResults().omitEmptyStrings().split(dimensions)) {
      long tile = 1;
      for (String axis : list(dimension.substring(dimension.indexOf('{') + 1))) {
        int index = order.indexOf(unquoted(axis));
        if (index < 0 && axis.startsWith("\"")) {
          return Optional.empty();
        }
        if (index >= 0) {
          used.add(index);
          tile *= mesh.getOrDefault(order.get(index), 1L);
        }
      }
      tiles.add(tile);
    }
    return Optional.of(Parser.parseSharding(text(mesh, order, tiles, used)));
  }

  private static String text(
      Map<String, Long> mesh, List<String> order, List<Long> tiles, List<Integer> used) {
    if (tiles.stream().allMatch(tile -> tile == 1)) {
      return "{replicated}";
    }
    List<Integer> permutation = new ArrayList<>(used);
    long rest = 1;
    for (int i = 0; i < order.size(); i++) {
      if (!used.contains(i)) {
        permutation.add(i);
        rest *= mesh.getOrDefault(order.get(i), 1L);
      }
    }
    List<Long> all = new ArrayList<>(tiles);
    if (rest > 1) {
      all.add(rest);
    }
    boolean inOrder = permutation.equals(permutation.stream().sorted().toList());
    long devices = mesh.values().stream().reduce(1L, (a, b) -> a * b);
    String source = inOrder ? "[" + devices + "]" : compact(List.copyOf(mesh.values()));
    return "{devices="
        + compact(all)
        + "<="
        + source
        + (inOrder ? "" : "T(" + compact(permutation).replaceAll("[\\[\\]]", "") + ")")
        + (rest > 1 ? " last_tile_dim_replicate" : "")
        + "}";
  }

  private static String compact(List<?> numbers) {
    return numbers.toString().replace(" ", "");
  }
}
