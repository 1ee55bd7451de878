package org.hlo4j.hlo.text;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.ir.Sharding.Placement;
import org.hlo4j.hlo.ir.Sharding.ShardGroup;
import org.hlo4j.hlo.ir.Sharding.Uniform;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of shardings: {@code {replicated}}, {@code {devices=[2,1,2]<=[4]
 * last_tile_dim_replicate}}, {@code {mesh['x'=2,'y'=2], [{'x'}, {}]}}, or a list of them for a
 * tuple. {@link Sharding} prints itself.
 */
final class ShardingParser {
  private static final String WANT =
      "replicated, manual, unknown, unreduced, maximal device=, devices=[ or mesh[";

  private final Lexer text;
  private Optional<Placement> placement = Optional.empty();
  private ImmutableList<Uniform> lastTileDims = ImmutableList.of();
  private Optional<ShardGroup> group = Optional.empty();
  private ImmutableList<Metadata> metadata = ImmutableList.of();

  private ShardingParser(Lexer text) {
    this.text = text;
  }

  static Sharding sharding(Lexer text) {
    int start = text.skipBlanks();
    text.expect("{", "{");
    char next = text.peek();
    text.moveTo(start);
    return next == '{' || next == '}'
        ? new Sharding.Tuple(MeshParser.list(text, "{", "}", ShardingParser::single))
        : single(text);
  }

  private static Sharding.Single single(Lexer text) {
    int start = text.skipBlanks();
    text.expect("{", "{");
    ShardingParser parser = new ShardingParser(text);
    if (MeshParser.isNext(text)) {
      parser.named(start);
    } else {
      do {
        parser.part();
      } while (text.peek() != '}');
    }
    text.expect("}", "}");
    return ShapeParser.checked(start, () -> parser.sharding(start));
  }

  private Sharding.Single sharding(int start) {
    Placement parts =
        placement.orElseThrow(
            () -> new ParseException(start, "got a sharding without a placement, want " + WANT));
    if (parts instanceof Sharding.Tiled tiled) {
      parts = new Sharding.Tiled(tiled.tiles(), lastTileDims);
    } else if (!lastTileDims.isEmpty()) {
      throw new ParseException(start, "got last tile dimensions of " + parts + ", want devices=[");
    }
    return new Sharding.Single(parts, group, metadata);
  }

  // Shardings without a mesh: parts separated by blanks.

  private void part() {
    int start = text.skipBlanks();
    String word = text.word();
    switch (word) {
      case "replicated", "manual", "unknown", "unreduced" -> place(start, uniform(start, word));
      case "maximal" -> {
        text.expect("device", "device=");
        text.expect("=", "= and the id of the device");
        place(start, new Sharding.Maximal(text.integer("the id of the device")));
      }
      case "devices" -> {
        text.expect("=", "= and the sizes of the tiles");
        place(start, new Sharding.Tiled(MeshParser.tiles(text), ImmutableList.of()));
      }
      case "last_tile_dim_replicate" -> last(start, ImmutableList.of(Uniform.REPLICATED));
      case "last_tile_dims" -> {
        text.expect("=", "= and a list");
        last(start, MeshParser.list(text, "{", "}", ShardingParser::lastTileDim));
      }
      case "shard_as", "shard_like" -> shardGroup(start, word);
      case "metadata" -> metadata(start);
      default -> {
        text.moveTo(start);
        throw text.wanted(WANT);
      }
    }
  }

  private void place(int start, Placement next) {
    if (placement.isPresent()) {
      throw new ParseException(start, "got a second placement, want one: " + WANT);
    }
    placement = Optional.of(next);
  }

  private void last(int start, ImmutableList<Uniform> dimensions) {
    if (!lastTileDims.isEmpty()) {
      throw new ParseException(start, "got last tile dimensions twice, want them once");
    }
    lastTileDims = dimensions;
  }

  private static Uniform lastTileDim(Lexer text) {
    int start = text.skipBlanks();
    return uniform(start, text.word());
  }

  private static Uniform uniform(int start, String word) {
    return Arrays.stream(Uniform.values())
        .filter(each -> each.toString().equals(word))
        .findFirst()
        .orElseThrow(() ->
            new ParseException(
                start,
                "got "
                    + (word.isEmpty() ? "no word" : Ascii.truncate(word, 30, "…"))
                    + ", want replicated, manual or unreduced"));
  }

  private void shardGroup(int start, String word) {
    if (group.isPresent()) {
      throw new ParseException(start, "got " + word + ", want one group of shardings");
    }
    ShardGroup.Kind kind = word.equals("shard_as") ? ShardGroup.Kind.AS : ShardGroup.Kind.LIKE;
    group = Optional.of(new ShardGroup(text.integer("the number of the group"), kind));
  }

  /** Reads one metadata record or a list. */
  private void metadata(int start) {
    text.expect("=", "= and {");
    if (!metadata.isEmpty()) {
      throw new ParseException(start, "got metadata twice, want it once");
    }
    int value = text.skipBlanks();
    text.expect("{", "{");
    boolean isList = text.peek() == '{';
    text.moveTo(value);
    metadata =
        isList
            ? MeshParser.list(text, "{", "}", MetadataText::parse)
            : ImmutableList.of(MetadataText.parse(text));
  }

  // Shardings by a mesh: parts separated by commas.

  private void named(int start) {
    Mesh mesh = MeshParser.mesh(text);
    text.accept(",");
    ImmutableList<Sharding.Named.Dimension> dimensions = ImmutableList.of();
    Map<String, ImmutableList<AxisRef>> axes = new HashMap<>();
    if (text.peek() == '[') {
      dimensions = MeshParser.list(text, "[", "]", part -> dimension(part, mesh));
    } else if (!mesh.isMaximal()) {
      uniformAxes(mesh, axes);
    }
    while (text.accept(",")) {
      int at = text.skipBlanks();
      String word = text.word();
      switch (word) {
        case "metadata" -> metadata(at);
        case "replicated", "unreduced", "manual" -> {
          text.expect("=", "= and axes");
          if (axes.put(word, MeshParser.axes(text, mesh)) != null) {
            throw new ParseException(at, "got " + word + " twice, want it once");
          }
        }
        default -> {
          text.moveTo(at);
          throw text.wanted("replicated=, unreduced=, manual= or metadata=");
        }
      }
    }
    place(start, ShapeParser.checked(start, named(mesh, dimensions, axes)));
  }

  private static Supplier<Placement> named(
      Mesh mesh,
      ImmutableList<Sharding.Named.Dimension> dimensions,
      Map<String, ImmutableList<AxisRef>> axes) {
    return () ->
        new Sharding.Named(
            mesh,
            dimensions,
            axes.getOrDefault("replicated", ImmutableList.of()),
            axes.getOrDefault("unreduced", ImmutableList.of()),
            axes.getOrDefault("manual", ImmutableList.of()));
  }

  /** Reads a word that applies to all axes. */
  private void uniformAxes(Mesh mesh, Map<String, ImmutableList<AxisRef>> axes) {
    int start = text.skipBlanks();
    String word = text.word();
    switch (word) {
      case "replicated" -> {}
      case "unreduced", "manual" -> axes.put(word, mesh.axes());
      default -> {
        text.moveTo(start);
        throw text.wanted("[, replicated, unreduced or manual");
      }
    }
  }

  /** {@code {'x', 'y':(1)2}}, with {@code ?} at the end if it is open. */
  private static Sharding.Named.Dimension dimension(Lexer text, Mesh mesh) {
    ImmutableList.Builder<AxisRef> axes = ImmutableList.builder();
    text.expect("{", "{");
    boolean open = text.accept("?");
    boolean more = !open && text.peek() != '}';
    while (more) {
      axes.add(MeshParser.axis(text, mesh));
      more = text.accept(",");
      open = more && text.accept("?");
      more &= !open;
    }
    text.expect("}", open ? "}" : ", or }");
    return new Sharding.Named.Dimension(axes.build(), !open);
  }
}
