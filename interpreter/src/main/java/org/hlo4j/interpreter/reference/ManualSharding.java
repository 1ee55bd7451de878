package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.interpreter.engine.Execution;

/**
 * The border of a manual computation of Shardy: outside, every device has the global arrays;
 * within, its own shards. Source: Shardy's {@code sdy.manual_computation} as XLA writes it in HLO.
 */
final class ManualSharding {
  private static final Pattern SHARDING =
      Pattern.compile("<(@[^,\\s]+|mesh<[^>]*>),\\s*\\[([^\\]]*)\\]");
  private static final Pattern DIMENSION = Pattern.compile("\\{([^}]*)\\}");
  private static final Pattern NAME = Pattern.compile("\"([^\"]*)\"");

  /** How one array is sharded: for each dimension the axes of the mesh, the slowest first. */
  private record Sharding(DeviceMesh mesh, List<List<DeviceMesh.Axis>> axes) {
    /** Where the shard of a device begins in the global array. */
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

    private long shard(int device, int dimension, Shape.Array local, Shape.Array global) {
      long index = 0;
      long count = 1;
      for (DeviceMesh.Axis axis : axes.get(dimension)) {
        index = index * axis.size() + axis.coordinate(mesh, device);
        count *= axis.size();
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
    this.attributes =
        AttributeText.parseFrontendAttributes(
            call.attributes().getOrDefault("frontend_attributes", "{}"));
  }

  /** {@code result[i] = operand[start + i]}: the shards of this device. */
  Literal toLocal(List<Literal> in) {
    List<Shape.Array> locals = shapes(in);
    List<Sharding> shardings = shardings("xla.sdy.in_shardings", in.size());
    List<Literal> results = new ArrayList<>();
    for (int i = 0; i < locals.size(); i++) {
      Shape.Array local = locals.get(i);
      Dims start =
          shardings.get(i).start(execution.device().number(), local, in.get(i).arrayShape());
      results.add(Boxes.taken(in.get(i), start, Dims.filled(local.rank(), 1), local));
    }
    return result(results);
  }

  /** {@code result[start + i] = operand[i]} of every device, once they have all come. */
  Literal toGlobal(List<Literal> in) {
    List<Shape.Array> globals = shapes(in);
    List<Sharding> shardings = shardings("xla.sdy.out_shardings", in.size());
    List<Integer> everybody =
        IntStream.range(0, execution.device().grid().deviceCount()).boxed().toList();
    List<List<Literal>> shards = execution.device().exchange(call, everybody, in);
    List<Literal> results = new ArrayList<>();
    for (int i = 0; i < globals.size(); i++) {
      Shape.Array global = globals.get(i);
      LiteralBuilder whole = new LiteralBuilder(global);
      for (int device : everybody) {
        Literal shard = shards.get(device).get(i);
        Dims start = shardings.get(i).start(device, shard.arrayShape(), global);
        Boxes.put(whole, shard, start, global.sizes());
      }
      results.add(whole.build());
    }
    return result(results);
  }

  private Literal result(List<Literal> results) {
    return call.shape() instanceof Shape.Tuple ? Literal.tuple(results) : results.get(0);
  }

  /** The shapes of the results, one for each operand. */
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

  private List<Sharding> shardings(String attribute, int count) {
    String text = attributes.getOrDefault(attribute, "");
    List<String> manual = names(attributes.getOrDefault("xla.sdy.manual_axes", ""));
    List<Sharding> shardings = new ArrayList<>();
    Matcher matcher = SHARDING.matcher(text);
    while (matcher.find()) {
      DeviceMesh mesh = mesh(matcher.group(1));
      List<List<DeviceMesh.Axis>> axes = new ArrayList<>();
      Matcher dimension = DIMENSION.matcher(matcher.group(2));
      while (dimension.find()) {
        axes.add(
            DeviceMesh.Axis.all(dimension.group(1), mesh).stream()
                .filter(axis -> manual.contains(axis.name()))
                .toList());
      }
      shardings.add(new Sharding(mesh, axes));
    }
    require(
        shardings.size() == count,
        "",
        "custom-call: %s got %s, want shardings of %s arrays",
        attribute,
        text,
        count);
    return shardings;
  }

  private static List<String> names(String text) {
    return NAME.matcher(text).results().map(found -> found.group(1)).toList();
  }

  /** The mesh of a name of the module's, or one written in its place. */
  private DeviceMesh mesh(String reference) {
    int devices = execution.device().grid().deviceCount();
    if (!reference.startsWith("@")) {
      return DeviceMesh.parse(reference, devices);
    }
    String meshes =
        AttributeText.parseFrontendAttributes(
                execution.module().attributes().getOrDefault("frontend_attributes", "{}"))
            .getOrDefault("xla.sdy.meshes", "");
    String name = reference.substring(1).replace("\"", "");
    Matcher mesh =
        Pattern.compile("(?<![\\w.])\"?" + Pattern.quote(name) + "\"?\\s*=\\s*#sdy\\.(mesh<[^>]*>)")
            .matcher(meshes);
    return Optional.of(mesh)
        .filter(Matcher::find)
        .map(found -> DeviceMesh.parse(found.group(1), devices))
        .orElseThrow(() ->
            new HloException("", "custom-call: mesh got " + reference + ", want one of " + meshes));
  }
}
