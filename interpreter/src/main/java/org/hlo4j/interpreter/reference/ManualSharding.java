package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.interpreter.engine.Device;
import org.hlo4j.interpreter.engine.Execution;

/**
 * The boundary of a manual computation of Shardy: outside, every device has the global arrays;
 * inside, each device has its own shards. Source: Shardy's {@code sdy.manual_computation} as XLA
 * writes it in HLO.
 */
final class ManualSharding {
  /** The sharding of one array over the manual axes of a mesh: the axes of each dimension. */
  private record ArraySharding(Mesh mesh, List<List<AxisRef>> axes) {
    /** Returns the start of the shard of a device in the global array. */
    Dims start(int device, Shape.Array local, Shape.Array global) {
      require(
          axes.size() == local.rank() && local.rank() == global.rank(),
          "",
          "custom-call: %s as shard of %s got a sharding of %s dimensions, want %s",
          local,
          global,
          axes.size(),
          global.rank());
      return Dims.of(
          IntStream.range(0, axes.size())
              .mapToLong(d -> shard(device, d, local, global) * local.size(d))
              .toArray());
    }

    /** Returns the devices that have the shards of one array with a device, itself among them. */
    List<Integer> group(int device) {
      List<AxisRef> all = axes.stream().flatMap(List::stream).toList();
      return mesh.groups(all).stream()
          .filter(group -> group.contains(device))
          .findFirst()
          .orElseThrow()
          .stream()
          .mapToObj(member -> (int) member)
          .toList();
    }

    private long shard(int device, int dimension, Shape.Array local, Shape.Array global) {
      long position = mesh.devices().devices().indexOf(device);
      long index = 0;
      long count = 1;
      for (AxisRef axis : axes.get(dimension)) {
        index = index * mesh.size(axis) + mesh.coordinate(position, axis);
        count *= mesh.size(axis);
      }
      require(
          local.size(dimension) * count == global.size(dimension),
          "",
          "custom-call: dimension %s of %s got size %s, want %s shards of %s",
          dimension,
          global,
          global.size(dimension),
          count,
          local.size(dimension));
      return index;
    }
  }

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
    List<Shape.Array> locals = shapes(in);
    List<ArraySharding> shardings = shardings("xla.sdy.in_shardings", in.size());
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
    List<Shape.Array> globals = shapes(in);
    List<ArraySharding> shardings = shardings("xla.sdy.out_shardings", in.size());
    return result(
        IntStream.range(0, globals.size())
            .mapToObj(i -> toGlobal(in.get(i), globals.get(i), shardings.get(i)))
            .toList());
  }

  private Literal toGlobal(Literal shard, Shape.Array global, ArraySharding sharding) {
    Device device = execution.device();
    List<Integer> group = sharding.group(device.number());
    List<List<Literal>> shards = device.exchange(call, group, List.of(shard));
    LiteralBuilder whole = new LiteralBuilder(global);
    for (int i = 0; i < group.size(); i++) {
      Literal part = shards.get(i).get(0);
      Dims start = sharding.start(group.get(i), part.arrayShape(), global);
      Boxes.put(whole, part, start, global.sizes());
    }
    return whole.build();
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

  private List<ArraySharding> shardings(String attribute, int count) {
    String text = attributes.getOrDefault(attribute, "");
    List<String> manual = ShardyParser.names(attributes.getOrDefault("xla.sdy.manual_axes", ""));
    String meshes =
        frontendAttributes(execution.module().attributes()).getOrDefault("xla.sdy.meshes", "");
    int devices = execution.device().grid().deviceCount();
    List<ArraySharding> shardings =
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

  private static ArraySharding manualSharding(Sharding.Named sharding, List<String> manual) {
    Mesh mesh = sharding.mesh();
    return new ArraySharding(
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
