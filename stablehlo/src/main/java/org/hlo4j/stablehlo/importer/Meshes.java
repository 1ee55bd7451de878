package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;

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
      ShardyText in = new ShardyText(text);
      in.expect("#sdy.mesh<");
      return inline(in);
    } catch (HloException refusal) {
      throw operation.located(refusal.prefixed("mesh: "));
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

  /** Reads {@code ["x"=2, "y"=4], device_ids=[…]>}, the body of a mesh. */
  static Mesh inline(ShardyText text) {
    List<String> names = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    List<Long> devices = new ArrayList<>();
    text.expect("[");
    text.list(
        "]",
        () -> {
          names.add(text.quoted());
          text.expect("=");
          sizes.add(text.number());
        });
    if (text.eat(",")) {
      text.expect("device_ids");
      text.expect("=");
      text.expect("[");
      text.list("]", () -> devices.add(text.number()));
    }
    text.expect(">");
    return of(names, Dims.copyOf(sizes), Dims.copyOf(devices));
  }

  /** Reads the symbol of a mesh. */
  Mesh named(ShardyText text) {
    String name = text.symbol();
    return find(name)
        .orElseThrow(() ->
            new HloException(
                HloException.Kind.PARSE, "got mesh @" + name + ", want one of " + meshes.keySet()));
  }

  /** Returns a mesh of these axes; without ids, its devices are in order. */
  static Mesh of(List<String> names, Dims sizes, Dims devices) {
    return devices.isEmpty()
        ? Mesh.of(names, sizes)
        : new Mesh(ImmutableList.copyOf(names), new TileAssignment.Listed(sizes, devices));
  }

  /** Returns the mesh of {@code #sdy.sharding<@mesh, [{"x"}, {}]>}. */
  Mesh meshOf(Attribute sharding) {
    ShardyText text = new ShardyText(sharding.toString());
    text.expect("#sdy.sharding<");
    return MeshSharding.parse(text, this).mesh();
  }

  /**
   * Converts {@code #sdy.sharding<@mesh, [{"x"}, {}]>} to tiles, and {@code
   * #sdy.sharding_per_value<[<@mesh, [{"x"}]>, …]>} to those of each value.
   */
  Sharding sharding(Attribute attribute) {
    try {
      ShardyText text = new ShardyText(attribute.toString());
      if (text.eat("#sdy.sharding<")) {
        return MeshSharding.parse(text, this).tiled();
      }
      return Annotations.joined(
          perValue(attribute).stream().map(MeshSharding::tiled).collect(toImmutableList()));
    } catch (HloException refusal) {
      throw refusal.prefixed("sdy.sharding: ");
    }
  }

  /** Reads {@code #sdy.sharding_per_value<[<@mesh, [{"x"}]>, …]>}. */
  ImmutableList<MeshSharding> perValue(Attribute attribute) {
    ImmutableList.Builder<MeshSharding> all = ImmutableList.builder();
    ShardyText text = new ShardyText(attribute.toString());
    text.expect("#sdy.sharding_per_value<");
    text.expect("[");
    text.list(
        "]",
        () -> {
          text.expect("<");
          all.add(MeshSharding.parse(text, this));
          text.expect(">");
        });
    return all.build();
  }
}
