package org.hlo4j.stablehlo.importer;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * The device meshes of a module, and the conversion of shardings by mesh axes to HLO's shardings.
 */
final class Meshes {
  private final ImmutableMap<String, Mesh> meshes;
  private final String text;

  Meshes(Operation module) {
    Map<String, Mesh> all = new LinkedHashMap<>();
    List<String> texts = new ArrayList<>();
    for (Operation operation : module.region(0).block().operations()) {
      if (operation.name().equals("sdy.mesh")) {
        String name = new Fields(operation.attributes().entries()).string("sym_name");
        String mesh = String.valueOf(operation.attributes().get("mesh"));
        all.put(name, located(operation, mesh));
        texts.add(name + " = " + mesh);
      }
    }
    meshes = ImmutableMap.copyOf(all);
    text = String.join(", ", texts);
  }

  private static Mesh located(Operation operation, String text) {
    try {
      return mesh(text);
    } catch (HloException refusal) {
      throw operation.located(refusal);
    }
  }

  /** Returns the mesh of a name. */
  Optional<Mesh> find(String name) {
    return Optional.ofNullable(meshes.get(name));
  }

  /** Returns all meshes as XLA writes them in {@code xla.sdy.meshes}; empty if there is none. */
  String text() {
    return text;
  }

  /** Parses {@code #sdy.mesh<["x"=2, "y"=4], device_ids=[…]>}. */
  private static Mesh mesh(String text) {
    List<String> names = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    for (String axis : list(between(text, '[', ']'))) {
      int equals = axis.lastIndexOf('=');
      if (equals > 0) {
        names.add(unquoted(axis.substring(0, equals)));
        sizes.add(number(axis.substring(equals + 1)));
      }
    }
    int ids = text.indexOf("device_ids=");
    List<Long> devices =
        ids < 0
            ? List.of()
            : list(between(text.substring(ids), '[', ']')).stream().map(Meshes::number).toList();
    return of(names, Dims.copyOf(sizes), Dims.copyOf(devices));
  }

  /** Returns a mesh of these axes; without ids, its devices are in order. */
  static Mesh of(List<String> names, Dims sizes, Dims devices) {
    return devices.isEmpty()
        ? Mesh.of(names, sizes)
        : new Mesh(ImmutableList.copyOf(names), new TileAssignment.Listed(sizes, devices));
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
    int to = whole.indexOf(close, from + 1);
    return from < 0 || to < from ? "" : whole.substring(from + 1, to);
  }

  private static List<String> list(String body) {
    return Splitter.on(',').trimResults().omitEmptyStrings().splitToList(body);
  }

  private static String unquoted(String name) {
    return name.strip().replace("\"", "");
  }

  /**
   * Converts the sharding {@code #sdy.sharding<@mesh, [{"x"}, {}]>} to a tiled sharding; returns
   * empty if HLO's tiles cannot express it, such as sub-axes.
   */
  Optional<Sharding> sharding(Attribute sharding) {
    String body = sharding.toString();
    int at = body.indexOf('@');
    int comma = body.indexOf(',', at);
    if (at < 0 || comma < 0 || body.contains("\":(") || body.indexOf(']') < 0) {
      return Optional.empty();
    }
    Mesh mesh = meshes.get(unquoted(body.substring(at + 1, comma)));
    if (mesh == null || mesh.devices() instanceof TileAssignment.Listed) {
      return Optional.empty();
    }
    return tiles(mesh, body.substring(body.indexOf('[', comma) + 1, body.indexOf(']', comma)));
  }

  private static Optional<Sharding> tiles(Mesh mesh, String dimensions) {
    List<Long> tiles = new ArrayList<>();
    List<Integer> used = new ArrayList<>();
    for (String dimension : Splitter.on('}').trimResults().omitEmptyStrings().split(dimensions)) {
      long tile = 1;
      for (String axis : list(dimension.substring(dimension.indexOf('{') + 1))) {
        int index = mesh.names().indexOf(unquoted(axis));
        if (index < 0 && axis.startsWith("\"")) {
          return Optional.empty();
        }
        if (index >= 0) {
          used.add(index);
          tile *= mesh.devices().tiles().get(index);
        }
      }
      tiles.add(tile);
    }
    return Optional.of(Parser.parseSharding(text(mesh.devices().tiles(), tiles, used)));
  }

  private static String text(Dims mesh, List<Long> tiles, List<Integer> used) {
    if (tiles.stream().allMatch(tile -> tile == 1)) {
      return "{replicated}";
    }
    List<Integer> permutation = new ArrayList<>(used);
    long rest = 1;
    for (int i = 0; i < mesh.count(); i++) {
      if (!used.contains(i)) {
        permutation.add(i);
        rest *= mesh.get(i);
      }
    }
    List<Long> all = new ArrayList<>(tiles);
    if (rest > 1) {
      all.add(rest);
    }
    boolean inOrder = permutation.equals(permutation.stream().sorted().toList());
    long devices = mesh.product();
    String source = inOrder ? "[" + devices + "]" : compact(mesh.stream().boxed().toList());
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
