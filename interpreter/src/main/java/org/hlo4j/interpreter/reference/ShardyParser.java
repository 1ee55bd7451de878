package org.hlo4j.interpreter.reference;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.TileAssignment;

/**
 * The parser of meshes and shardings in the notation of Shardy's frontend attributes: {@code
 * mesh<["x"=2, "y"=4]>} and {@code <@mesh, [{"x"}, {"y":(1)2}]>}.
 *
 * @param meshes the meshes of the module: {@code {mesh = #sdy.mesh<…>}}
 * @param deviceCount the number of devices that run the program, which each mesh must have
 */
record ShardyParser(String meshes, int deviceCount) {
  private static final Pattern SHARDING =
      Pattern.compile("<(@[^,\\s]+|mesh<[^>]*>),\\s*\\[([^\\]]*)\\]");
  private static final Pattern DIMENSION = Pattern.compile("\\{([^}]*)\\}");
  private static final Pattern NAME = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern AXIS = Pattern.compile("\"([^\"]*)\"\\s*=\\s*(\\d{1,9})");
  private static final Pattern DEVICES = Pattern.compile("device_ids\\s*=\\s*\\[([^\\]]*)\\]");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern USE =
      Pattern.compile("\"([^\"]*)\"(?::\\((\\d{1,9})\\)(\\d{1,9}))?");

  /** Returns the shardings in a text, in order. */
  ImmutableList<Sharding.Named> shardings(String text) {
    return SHARDING.matcher(text).results().map(this::sharding).collect(toImmutableList());
  }

  private Sharding.Named sharding(MatchResult found) {
    Mesh mesh = mesh(found.group(1));
    ImmutableList<Sharding.Named.Dimension> dimensions =
        DIMENSION
            .matcher(found.group(2))
            .results()
            .map(dimension -> new Sharding.Named.Dimension(axes(mesh, dimension.group(1)), true))
            .collect(toImmutableList());
    return checked(() ->
        new Sharding.Named(
            mesh, dimensions, ImmutableList.of(), ImmutableList.of(), ImmutableList.of()));
  }

  /** Returns the names in a list such as {@code {"x", "y"}}. */
  static ImmutableList<String> names(String text) {
    return NAME.matcher(text).results().map(found -> found.group(1)).collect(toImmutableList());
  }

  private static ImmutableList<AxisRef> axes(Mesh mesh, String text) {
    return USE.matcher(text).results().map(use -> axis(mesh, use)).collect(toImmutableList());
  }

  private static AxisRef axis(Mesh mesh, MatchResult use) {
    int index = mesh.names().indexOf(use.group(1));
    require(index >= 0, "", "custom-call: axis got %s, want one of %s", use.group(1), mesh.names());
    return use.group(2) == null
        ? AxisRef.of(index)
        : checked(() ->
            new AxisRef(
                index,
                Optional.of(
                    new AxisRef.Part(Long.parseLong(use.group(2)), Long.parseLong(use.group(3))))));
  }

  /** Returns the mesh of the module that has this name, or the mesh that is written inline. */
  private Mesh mesh(String reference) {
    if (!reference.startsWith("@")) {
      return parse(reference);
    }
    String name = reference.substring(1).replace("\"", "");
    Matcher mesh =
        Pattern.compile("(?<![\\w.])\"?" + Pattern.quote(name) + "\"?\\s*=\\s*#sdy\\.(mesh<[^>]*>)")
            .matcher(meshes);
    require(mesh.find(), "", "custom-call: mesh got %s, want one of %s", reference, meshes);
    return parse(mesh.group(1));
  }

  private Mesh parse(String text) {
    ImmutableMap.Builder<String, Long> axes = ImmutableMap.builder();
    AXIS.matcher(text)
        .results()
        .forEach(axis -> axes.put(axis.group(1), Long.parseLong(axis.group(2))));
    ImmutableMap<String, Long> sizes = axes.buildKeepingLast();
    long count = sizes.values().stream().reduce(1L, (a, b) -> a * b);
    require(
        count == deviceCount,
        "",
        "custom-call: %s is of %s devices, want as many as run the program: %s",
        text,
        count,
        deviceCount);
    Dims tiles = Dims.copyOf(sizes.values());
    return checked(() -> new Mesh(sizes.keySet().asList(), devices(text, tiles)));
  }

  private static TileAssignment devices(String text, Dims tiles) {
    Matcher written = DEVICES.matcher(text);
    if (!written.find()) {
      return TileAssignment.inOrder(tiles);
    }
    List<String> ids = Arrays.asList(written.group(1).strip().split("\\s*,\\s*"));
    require(
        ids.stream().allMatch(NUMBER.asMatchPredicate()),
        "",
        "device_ids got %s, want numbers",
        ids);
    return new TileAssignment.Listed(tiles, Dims.copyOf(ids.stream().map(Long::valueOf).toList()));
  }

  private static <T> T checked(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (HloException refusal) {
      throw refusal.prefixed("custom-call: ");
    }
  }
}
