package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.ir.Sharding.Placement;
import org.hlo4j.hlo.ir.Sharding.ShardGroup;
import org.hlo4j.hlo.ir.Sharding.Uniform;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.hlo.text.Parser;

/**
 * The conversion of shardings to and from OpSharding. Every sharding can be written, and every form
 * is read.
 */
final class Shardings {
  private static final int MAXIMAL = 1;
  private static final int TUPLE = 2;
  private static final int TILED = 3;

  private Shardings() {}

  // From a message.

  static Sharding read(ProtoMessage sharding) {
    if (sharding.integer("type") != TUPLE) {
      return single(sharding);
    }
    return new Sharding.Tuple(
        sharding.messages("tuple_shardings").stream()
            .map(Shardings::single)
            .collect(toImmutableList()));
  }

  private static Sharding.Single single(ProtoMessage sharding) {
    Optional<ProtoMessage> named = sharding.message("named_sharding");
    if (named.isPresent()) {
      ProtoMessage from = named.get();
      return from.located(() -> new Sharding.Single(named(from), Optional.empty(), metadata(from)));
    }
    return sharding.located(
        () -> new Sharding.Single(placement(sharding), group(sharding), metadata(sharding)));
  }

  private static ImmutableList<Metadata> metadata(ProtoMessage from) {
    return from.messages("metadata").stream().map(MetadataFields::read).collect(toImmutableList());
  }

  private static Placement placement(ProtoMessage sharding) {
    long type = sharding.integer("type");
    if (type == TILED) {
      return new Sharding.Tiled(tiles(sharding), lastTileDims(sharding));
    }
    return type == MAXIMAL ? maximal(sharding) : uniform(sharding, "type", type);
  }

  private static Sharding.Maximal maximal(ProtoMessage sharding) {
    Dims devices = sharding.dims("tile_assignment_devices");
    if (devices.count() != 1) {
      throw sharding.refusal(
          "tile_assignment_devices",
          "got " + devices.count() + " devices, want the one of maximal");
    }
    return new Sharding.Maximal(devices.get(0));
  }

  private static TileAssignment tiles(ProtoMessage sharding) {
    Dims tiles = sharding.dims("tile_assignment_dimensions");
    Dims reshapeDims = sharding.dims("iota_reshape_dims");
    return reshapeDims.isEmpty()
        ? new TileAssignment.Listed(tiles, sharding.dims("tile_assignment_devices"))
        : new TileAssignment.Iota(tiles, reshapeDims, sharding.dims("iota_transpose_perm"));
  }

  private static ImmutableList<Uniform> lastTileDims(ProtoMessage sharding) {
    if (sharding.bool("replicate_on_last_tile_dim")) {
      return ImmutableList.of(Uniform.REPLICATED);
    }
    return Arrays.stream(sharding.integers("last_tile_dims"))
        .mapToObj(type -> uniform(sharding, "last_tile_dims", type))
        .collect(toImmutableList());
  }

  private static Uniform uniform(ProtoMessage sharding, String field, long type) {
    return Arrays.stream(Uniform.values())
        .filter(each -> number(each) == type)
        .findFirst()
        .orElseThrow(() -> sharding.refusal(field, "got " + type + ", want a type of OpSharding"));
  }

  private static int number(Uniform uniform) {
    return switch (uniform) {
      case REPLICATED -> 0;
      case MANUAL -> 4;
      case UNKNOWN -> 5;
      case UNREDUCED -> 6;
    };
  }

  private static Optional<ShardGroup> group(ProtoMessage sharding) {
    if (!sharding.bool("is_shard_group")) {
      return Optional.empty();
    }
    boolean as = sharding.integer("shard_group_type") == 0;
    return Optional.of(
        new ShardGroup(
            sharding.integer("shard_group_id"), as ? ShardGroup.Kind.AS : ShardGroup.Kind.LIKE));
  }

  private static Sharding.Named named(ProtoMessage from) {
    if (from.has("tuple_shardings")) {
      throw from.refusal("tuple_shardings", "got a tuple, want a sharding of one array");
    }
    return new Sharding.Named(
        Meshes.read(from.messageOrEmpty("mesh")),
        from.messages("dim_shardings").stream()
            .map(dimension ->
                new Sharding.Named.Dimension(
                    Meshes.axes(dimension, "axes"), dimension.bool("is_closed")))
            .collect(toImmutableList()),
        Meshes.axes(from, "replicated_axes"),
        Meshes.axes(from, "unreduced_axes"),
        Meshes.axes(from, "manual_axes"));
  }

  // To a message.

  static ProtoBuilder write(Sharding sharding) {
    return switch (sharding) {
      case Sharding.Single single -> write(single);
      case Sharding.Tuple tuple -> {
        ProtoBuilder message = ProtoBuilder.of("OpSharding").put("type", TUPLE);
        tuple.parts().forEach(part -> message.put("tuple_shardings", write(part)));
        yield message;
      }
    };
  }

  private static ProtoBuilder write(Sharding.Single single) {
    ProtoBuilder message = ProtoBuilder.of("OpSharding");
    switch (single.placement()) {
      case Uniform uniform -> message.put("type", number(uniform));
      case Sharding.Maximal(long device) ->
          message.put("type", MAXIMAL).put("tile_assignment_devices", Dims.of(device));
      case Sharding.Tiled tiled -> putTiles(message, tiled);
      case Sharding.Named named -> putNamed(message.at("named_sharding"), named);
    }
    ProtoBuilder to =
        single.placement() instanceof Sharding.Named ? message.at("named_sharding") : message;
    single.metadata().forEach(each -> to.put("metadata", MetadataFields.write(each)));
    single
        .group()
        .ifPresent(group ->
            message
                .put("is_shard_group", true)
                .put("shard_group_id", group.id())
                .put("shard_group_type", group.kind() == ShardGroup.Kind.AS ? 0 : 1));
    return message;
  }

  private static void putTiles(ProtoBuilder message, Sharding.Tiled tiled) {
    message.put("type", TILED).put("tile_assignment_dimensions", tiled.tiles().tiles());
    switch (tiled.tiles()) {
      case TileAssignment.Listed listed -> message.put("tile_assignment_devices", listed.devices());
      case TileAssignment.Iota iota ->
          message
              .put("iota_reshape_dims", iota.reshapeDims())
              .put("iota_transpose_perm", iota.transposePerm());
    }
    if (tiled.lastTileDims().equals(ImmutableList.of(Uniform.REPLICATED))) {
      message.put("replicate_on_last_tile_dim", true);
    } else {
      int[] types = tiled.lastTileDims().stream().mapToInt(Shardings::number).toArray();
      message.put("last_tile_dims", Dims.copyOf(Ints.asList(types)));
    }
  }

  private static void putNamed(ProtoBuilder message, Sharding.Named named) {
    message.put("mesh", Meshes.write(named.mesh()));
    for (Sharding.Named.Dimension dimension : named.dimensions()) {
      ProtoBuilder part =
          ProtoBuilder.of("DimensionSharding").put("is_closed", dimension.isClosed());
      Meshes.putAxes(part, "axes", dimension.axes());
      message.put("dim_shardings", part);
    }
    Meshes.putAxes(message, "replicated_axes", named.replicated());
    Meshes.putAxes(message, "unreduced_axes", named.unreduced());
    Meshes.putAxes(message, "manual_axes", named.manual());
  }

  // Domains, whose entry and exit have the opposite names in hlo.proto and HLO text.

  static Domain.Border border(ProtoMessage from, String field) {
    return new Domain.Border(
        "sharding", side(from, "domain_exit_sharding"), side(from, "domain_entry_sharding"));
  }

  private static String side(ProtoMessage from, String field) {
    return from.message(field).map(sharding -> read(sharding).toString()).orElse("{}");
  }

  static void writeBorder(ProtoBuilder to, String field, Domain.Border border) {
    HloException.require(
        border.kind().equals("sharding"),
        "",
        "proto: kind of a domain got %s, want sharding, of which alone hlo.proto knows",
        border.kind());
    writeSide(to, "domain_exit_sharding", border.entry());
    writeSide(to, "domain_entry_sharding", border.exit());
  }

  private static void writeSide(ProtoBuilder to, String field, String text) {
    if (!text.equals("{}")) {
      to.put(field, write(Parser.parseSharding(text)));
    }
  }
}
