package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.interpreter.engine.Device;
import org.hlo4j.interpreter.engine.DeviceGroup;
import org.hlo4j.interpreter.engine.Execution;

/**
 * The boundary of a manual computation: outside, every device has the global arrays; inside, each
 * device has its own shards. Source: Shardy's {@code sdy.manual_computation} as XLA writes it in
 * HLO, and what XLA's older partitioner, GSPMD, has in its place.
 */
final class ManualSharding {
  private final HloInstruction call;
  private final Execution execution;
  private final ImmutableMap<String, String> attributes;

  ManualSharding(HloInstruction call, Execution execution) {
    this.call = call;
    this.execution = execution;
    this.attributes = frontendAttributes(call.attributes());
  }

  /** Returns the shards of this device: {@code result[i] = operand[start + i]}. */
  Literal toLocal(List<Literal> in) {
    return toLocal(in, shardings("xla.sdy.in_shardings", in.size()));
  }

  /**
   * Returns the shard of this device, where the operand is cut as its sharding says, which the call
   * has instead of its own.
   */
  Literal fullToShard(List<Literal> in) {
    return toLocal(in, List.of(places(call.operands(), in)));
  }

  private Literal toLocal(List<Literal> in, List<? extends ShardPlaces> shardings) {
    List<Shape.Array> locals = shapes(in);
    List<Literal> results = new ArrayList<>();
    for (int i = 0; i < locals.size(); i++) {
      Shape.Array local = locals.get(i);
      Dims start =
          shardings.get(i).start(execution.device().number(), local, in.get(i).arrayShape());
      results.add(Boxes.slice(in.get(i), start, local.sizes()));
    }
    return result(results);
  }

  /**
   * Returns the global arrays of this device: {@code result[start + i] = operand[i]}, with the
   * shards of the devices that differ from this one only on the axes of the sharding. So a
   * computation within another one keeps to the devices at the same place of the outer axes, and a
   * device has its own array where replicas differ. Waits until these devices have arrived.
   */
  Literal toGlobal(List<Literal> in) {
    return toGlobal(in, shardings("xla.sdy.out_shardings", in.size()));
  }

  /** Returns the global array of this device, which is cut as the sharding of the call says. */
  Literal shardToFull(List<Literal> in) {
    return toGlobal(in, List.of(places(List.of(call), in)));
  }

  private ShardPlaces places(List<HloInstruction> sharded, List<Literal> in) {
    require(in.size() == 1, "", "custom-call: operand count got %s, want 1", in.size());
    return ShardPlaces.OfTiles.of(
        call.sharding()
            .orElseThrow(() ->
                new HloException(
                    "",
                    "custom-call: sharding of "
                        + sharded.get(0).name()
                        + " got none, want the one that cuts "
                        + call.name())),
        in.get(0).arrayShape().rank(),
        execution.device().grid());
  }

  private Literal toGlobal(List<Literal> in, List<? extends ShardPlaces> shardings) {
    List<Shape.Array> globals = shapes(in);
    return result(
        IntStream.range(0, globals.size())
            .mapToObj(i -> toGlobal(in.get(i), globals.get(i), shardings.get(i)))
            .toList());
  }

  private Literal toGlobal(Literal shard, Shape.Array global, ShardPlaces sharding) {
    Device device = execution.device();
    List<Integer> group = sharding.group(device.number());
    List<List<Literal>> shards =
        device.meet(call, DeviceGroup.of(group), List.of(shard), all -> all);
    Literal whole = Literal.unsafeOf(global, LiteralBuilder.newStorage(global));
    for (int i = 0; i < group.size(); i++) {
      Literal part = shards.get(i).get(0);
      Dims start = sharding.start(group.get(i), part.arrayShape(), global);
      Boxes.overwrite(whole, part, start);
    }
    return whole;
  }

  private Literal result(List<Literal> results) {
    return call.shape() instanceof Shape.Tuple ? Literal.tuple(results) : results.get(0);
  }

  /** Returns the shapes of the results, one for each operand. */
  private List<Shape.Array> shapes(List<Literal> in) {
    Shape shape = call.shape().withoutLayout();
    List<Shape> shapes = shape instanceof Shape.Tuple tuple ? tuple.elements() : List.of(shape);
    require(
        shapes.size() == in.size() && shapes.stream().allMatch(Shape.Array.class::isInstance),
        "",
        "custom-call: result got %s, want %s arrays",
        shape,
        in.size());
    return shapes.stream().map(Shape.Array.class::cast).toList();
  }

  private List<ShardPlaces.OfMesh> shardings(String attribute, int count) {
    String text = attributes.getOrDefault(attribute, "");
    List<String> manual = ShardyParser.names(attributes.getOrDefault("xla.sdy.manual_axes", ""));
    String meshes =
        frontendAttributes(execution.module().attributes()).getOrDefault("xla.sdy.meshes", "");
    int devices = execution.device().grid().deviceCount();
    List<ShardPlaces.OfMesh> shardings =
        new ShardyParser(meshes, devices)
            .shardings(text).stream().map(sharding -> manualSharding(sharding, manual)).toList();
    require(
        shardings.size() == count,
        "",
        "custom-call: %s got %s, want shardings of %s arrays",
        attribute,
        text,
        count);
    return shardings;
  }

  private static ShardPlaces.OfMesh manualSharding(Sharding.Named sharding, List<String> manual) {
    Mesh mesh = sharding.mesh();
    return new ShardPlaces.OfMesh(
        mesh,
        sharding.dimensions().stream()
            .map(dimension ->
                dimension.axes().stream()
                    .filter(axis -> manual.contains(mesh.names().get(axis.axis())))
                    .toList())
            .toList());
  }

  private static ImmutableMap<String, String> frontendAttributes(Map<String, String> attributes) {
    return AttributeText.parseFrontendAttributes(
        attributes.getOrDefault("frontend_attributes", "{}"));
  }
}
