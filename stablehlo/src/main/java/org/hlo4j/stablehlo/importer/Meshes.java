package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;
import org.jspecify.annotations.Nullable;

/**
 * The device meshes of a module, and the conversion of shardings by mesh axes to HLO's shardings.
 */
final class Meshes {
  private static final Pattern MESH = Pattern.compile("#sdy\\.mesh<(?<body>[^>]*)>");
  private static final Pattern IDS = Pattern.compile("device_ids\\s*=\\s*\\[([^\\]]*)]");

  /** A sharding in brackets: a mesh or its name, and axes. */
  private static final Pattern SHARDING =
      Pattern.compile(
          "<\\s*(?:@(?<name>\"[^\"]*\"|[\\w$.-]+)|mesh<(?<mesh>[^>]*)>)"
              + "\\s*,\\s*\\[(?<dimensions>[^\\[\\]<>]*)]"
              + "(?:\\s*,\\s*replicated\\s*=\\s*(?<replicated>\\{[^{}]*}))?"
              + "(?:\\s*,\\s*unreduced\\s*=\\s*(?<unreduced>\\{[^{}]*}))?\\s*>");

  /** What is left of an attribute without its shardings. */
  private static final Pattern NONE =
      Pattern.compile("#sdy\\.sharding(?:_per_value<\\s*\\[[,\\s]*]\\s*>)?");

  private static final Pattern PRIORITY = Pattern.compile("}\\s*p\\d+");
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
  private static final int MAX_SHOWN = 80;

  private final ImmutableMap<String, Mesh> meshes;
  private final String text;

  Meshes(Operation module) {
    Map<String, Mesh> all = new LinkedHashMap<>();
    List<String> texts = new ArrayList<>();
    for (Operation operation : module.region(0).block().operations()) {
      if (operation.name().equals("sdy.mesh")) {
        String name = new Fields(operation).string("sym_name");
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
      Matcher mesh = MESH.matcher(text);
      require(mesh.matches(), PARSE, "got %s, want #sdy.mesh<[…]>", text);
      return inline(mesh.group("body"));
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

  /** Reads {@code ["x"=2, "y"=4], device_ids=[…]}, the body of a mesh. */
  private static Mesh inline(String body) {
    return named("mesh" + IDS.matcher(body).replaceFirst("device_ids=($1)") + ", []").mesh();
  }

  /** Reads a sharding by HLO's parser, whose text it is but for the name of the mesh. */
  private static Sharding.Named named(String text) {
    try {
      Sharding sharding = Parser.parseSharding("{" + text + "}");
      return (Sharding.Named) sharding.placements().get(0);
    } catch (HloException refusal) {
      throw new HloException(
          PARSE, "got %s: %s", Ascii.truncate(text, MAX_SHOWN, "…"), refusal.summary());
    }
  }

  private Mesh required(String name) {
    Mesh mesh = meshes.get(name);
    if (mesh == null) {
      throw new HloException(PARSE, "got mesh @%s, want one of %s", name, meshes.keySet());
    }
    return mesh;
  }

  /** Returns a mesh of these axes; without ids, its devices are in order. */
  static Mesh of(List<String> names, Dims sizes, Dims devices) {
    return devices.isEmpty()
        ? Mesh.of(names, sizes)
        : new Mesh(ImmutableList.copyOf(names), new TileAssignment.Listed(sizes, devices));
  }

  /**
   * Converts {@code #sdy.sharding<@mesh, [{"x"}, {}]>} to tiles, and {@code
   * #sdy.sharding_per_value<[<@mesh, [{"x"}]>, …]>} to those of each value.
   */
  Sharding sharding(Attribute attribute) {
    try {
      return Annotations.joined(
          shardings(attribute).stream().map(MeshSharding::tiled).collect(toImmutableList()));
    } catch (HloException refusal) {
      throw refusal.prefixed("sdy.sharding: ");
    }
  }

  /** Returns the only sharding of an attribute, or that of each value. */
  ImmutableList<MeshSharding> shardings(Attribute attribute) {
    String text = attribute.toString();
    require(
        NONE.matcher(SHARDING.matcher(text).replaceAll("")).matches(),
        PARSE,
        "got %s, want #sdy.sharding<@mesh, [{…}]>, or one for each value",
        text);
    return SHARDING.matcher(text).results().map(this::sharding).collect(toImmutableList());
  }

  /** Reads {@code <@mesh, [{"x"}p0, {"y":(1)2, ?}], replicated={…}, unreduced={…}>}. */
  private MeshSharding sharding(MatchResult text) {
    String inline = text.group("mesh");
    String name = text.group("name");
    Mesh mesh = inline == null ? required(CharMatcher.is('"').removeFrom(name)) : inline(inline);
    axes(mesh, text.group("replicated"));
    return new MeshSharding(
        mesh,
        axes(mesh, PRIORITY.matcher(text.group("dimensions")).replaceAll("}")),
        ImmutableList.copyOf(Iterables.concat(axes(mesh, text.group("unreduced")))));
  }

  /** Reads {@code {"x"}, {"y":(1)2, ?}}; null is none. */
  private static ImmutableList<ImmutableList<AxisRef>> axes(Mesh mesh, @Nullable String text) {
    String given = Strings.nullToEmpty(text);
    // HLO's parser takes numbers of axes, too.
    QUOTED
        .matcher(given)
        .results()
        .forEach(name ->
            require(
                mesh.names().contains(name.group(1)),
                PARSE,
                "axis got %s, want one of %s",
                name.group(),
                mesh));
    return named(mesh + ", [" + given + "]").dimensions().stream()
        .map(Sharding.Named.Dimension::axes)
        .collect(toImmutableList());
  }
}
