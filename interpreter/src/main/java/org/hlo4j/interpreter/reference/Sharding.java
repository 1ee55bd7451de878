package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.math.LongMath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.AttributeText;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.jspecify.annotations.Nullable;

/**
 * How one array is cut along the manual axes of a mesh, from Shardy's text such as {@code <@mesh,
 * [{"x", "y"}, {}]>}.
 *
 * @param text the text
 * @param mesh the mesh's axes with their sizes, the last one fastest, and its devices in order
 * @param dimensions for each dimension of the array the axes that cut it, the first one slowest
 */
record Sharding(String text, Mesh mesh, List<List<Axis>> dimensions) {
  private static final Pattern ONE =
      Pattern.compile(
          "<(@\"?[\\w.$-]+\"?|mesh<.*?>), \\[((?:\\{[^}]*\\}(?:p\\d+)?(?:, )?)*)\\][^>]*>");
  private static final Pattern DIMENSION = Pattern.compile("\\{([^}]*)\\}");
  private static final Pattern AXIS = Pattern.compile("\"([^\"]*)\"(:\\(\\d+\\)\\d+)?");
  private static final Pattern AXIS_SIZE = Pattern.compile("\"([^\"]*)\"=([1-9]\\d{0,8})(?!\\d)");
  private static final Pattern DEVICE_IDS =
      Pattern.compile("device_ids=\\[((?:\\d{1,9}(?:, )?)*)\\]");

  /** An axis of a mesh and how many devices lie along it. */
  record Axis(String name, int size) {}

  /** The axes of a mesh; and the devices' numbers, none if they are in order. */
  record Mesh(List<Axis> axes, List<Integer> deviceIds) {
    static Mesh parse(String text) {
      List<Axis> axes = new ArrayList<>();
      Matcher axis = AXIS_SIZE.matcher(text);
      while (axis.find()) {
        axes.add(new Axis(axis.group(1), Integer.parseInt(axis.group(2))));
      }
      List<Integer> ids = new ArrayList<>();
      Matcher devices = DEVICE_IDS.matcher(text);
      if (devices.find() && !devices.group(1).isBlank()) {
        for (String id : devices.group(1).split(",", -1)) {
          ids.add(Integer.valueOf(id.strip()));
        }
      }
      return new Mesh(axes, ids);
    }

    long size() {
      return axes.stream().mapToLong(Axis::size).reduce(1, LongMath::saturatedMultiply);
    }

    /** The place of a device along an axis. */
    int coordinate(int device, Axis wanted) {
      int rest = deviceIds.isEmpty() ? device : deviceIds.indexOf(device);
      int coordinate = 0;
      for (Axis axis : axes.reversed()) {
        coordinate = axis.equals(wanted) ? rest % axis.size() : coordinate;
        rest /= axis.size();
      }
      return coordinate;
    }
  }

  /** The shardings in a frontend attribute of the call, in order, their manual axes only. */
  static List<Sharding> of(HloInstruction call, String attribute, HloModule module) {
    Map<String, String> attributes = frontend(call.attributes().get("frontend_attributes"));
    String text = attributes.getOrDefault(attribute, "");
    String manual = attributes.getOrDefault("xla.sdy.manual_axes", "");
    List<Sharding> shardings = new ArrayList<>();
    Matcher one = ONE.matcher(text);
    while (one.find()) {
      Mesh mesh = mesh(one.group(1), call, module);
      shardings.add(new Sharding(one.group(), mesh, dimensions(one.group(2), mesh, manual, call)));
    }
    return shardings;
  }

  private static Map<String, String> frontend(@Nullable String text) {
    return text == null ? Map.of() : AttributeText.parseFrontendAttributes(text);
  }

  private static Mesh mesh(String named, HloInstruction call, HloModule module) {
    if (!named.startsWith("@")) {
      return Mesh.parse(named);
    }
    String name = named.substring(1).replace("\"", "");
    String meshes =
        frontend(module.attributes().get("frontend_attributes")).getOrDefault("xla.sdy.meshes", "");
    Matcher definition =
        Pattern.compile("\"?" + Pattern.quote(name) + "\"? = #sdy\\.mesh<([^>]*)>").matcher(meshes);
    require(
        definition.find(),
        "",
        "run: %s: mesh got @%s, want one of xla.sdy.meshes=%s",
        call.name(),
        name,
        meshes);
    return Mesh.parse(definition.group(1));
  }

  private static List<List<Axis>> dimensions(
      String text, Mesh mesh, String manual, HloInstruction call) {
    List<List<Axis>> dimensions = new ArrayList<>();
    Matcher dimension = DIMENSION.matcher(text);
    while (dimension.find()) {
      List<Axis> axes = new ArrayList<>();
      Matcher axis = AXIS.matcher(dimension.group(1));
      while (axis.find()) {
        String name = axis.group(1);
        List<Axis> named = mesh.axes().stream().filter(a -> a.name().equals(name)).toList();
        require(
            axis.group(2) == null && named.size() == 1,
            "",
            "run: %s: axis got %s, want a whole one of %s",
            call.name(),
            axis.group(),
            mesh.axes());
        axes.addAll(manual.contains('"' + name + '"') ? named : List.of());
      }
      dimensions.add(axes);
    }
    return dimensions;
  }

  /** Into how many shards each dimension is cut. */
  Dims shards(int rank) {
    Dims shards = Dims.filled(rank, 1);
    for (int i = 0; i < Math.min(rank, dimensions.size()); i++) {
      for (Axis axis : dimensions.get(i)) {
        shards = shards.with(i, shards.get(i) * axis.size());
      }
    }
    return shards;
  }

  /** Which shard a device holds, along each dimension. */
  Dims shardOf(int device, int rank, int devices) {
    require(
        mesh.size() == devices,
        "",
        "run: devices got %s, want %s for sharding %s: use Evaluator.runOnDevices",
        devices,
        mesh.size(),
        text);
    Dims shard = Dims.filled(rank, 0);
    for (int i = 0; i < Math.min(rank, dimensions.size()); i++) {
      for (Axis axis : dimensions.get(i)) {
        shard = shard.with(i, shard.get(i) * axis.size() + mesh.coordinate(device, axis));
      }
    }
    return shard;
  }

  @Override
  public String toString() {
    return text;
  }
}
