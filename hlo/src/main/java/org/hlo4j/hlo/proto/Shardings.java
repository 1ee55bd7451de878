package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Domain;

/**
 * OpSharding, which hlo4j keeps as HLO text has it: {@code {devices=[2,1]<=[2]}}. What has no form
 * in the fields of OpSharding, such as a mesh, is not converted.
 */
final class Shardings {
  /** By number; a tuple is written as a list. */
  private static final ImmutableList<String> TYPES =
      ImmutableList.of(
          "replicated", "maximal", "tuple", "devices", "manual", "unknown", "unreduced");

  private static final int MAXIMAL = 1;
  private static final int TUPLE = 2;
  private static final int TILED = 3;

  private static final Pattern PART =
      Pattern.compile(
          "(?:(?<type>replicated|manual|unknown|unreduced)|maximal device=(?<device>\\d+)"
              + "|devices=\\[(?<tile>[\\d, ]*)\\]"
              + "(?:<=\\[(?<reshape>[\\d, ]*)\\](?:T\\((?<perm>[\\d, ]*)\\))?"
              + "|(?<list>[\\d,]+))"
              + "|(?<last>last_tile_dim_replicate)|last_tile_dims=\\{(?<dims>[a-z, ]*)\\}"
              + "|shard_(?<group>as|like) (?<id>\\d+))(?: |$)");

  private Shardings() {}

  // To text.

  /** The sharding as text; empty if it has no form there that hlo4j knows. */
  static Optional<String> text(ProtoMessage sharding) {
    boolean known = sharding.message("tile_shape").isEmpty() && sharding.count("metadata") == 0;
    for (int i = 0; i < sharding.entryCount(); i++) {
      known &= sharding.type().field(sharding.number(i)).isPresent();
    }
    long type = sharding.integer("type");
    if (!known || type < 0 || type >= TYPES.size()) {
      return Optional.empty();
    }
    return type == TUPLE
        ? tuple(sharding.messages("tuple_shardings"))
        : Optional.of("{" + body(sharding, (int) type) + group(sharding) + "}");
  }

  private static Optional<String> tuple(List<ProtoMessage> elements) {
    List<String> texts = elements.stream().map(Shardings::text).flatMap(Optional::stream).toList();
    return texts.size() == elements.size()
        ? Optional.of("{" + String.join(", ", texts) + "}")
        : Optional.empty();
  }

  private static String body(ProtoMessage sharding, int type) {
    return switch (type) {
      case MAXIMAL -> "maximal device=" + joined(sharding.dims("tile_assignment_devices"));
      case TILED -> tiles(sharding);
      default -> TYPES.get(type);
    };
  }

  private static String tiles(ProtoMessage sharding) {
    Dims reshape = sharding.dims("iota_reshape_dims");
    String tiles = "devices=[" + joined(sharding.dims("tile_assignment_dimensions")) + "]";
    if (reshape.isEmpty()) {
      return tiles + joined(sharding.dims("tile_assignment_devices")) + last(sharding);
    }
    Dims perm = sharding.dims("iota_transpose_perm");
    boolean plain = perm.equals(Dims.range(0, reshape.count()));
    return tiles
        + ("<=[" + joined(reshape) + "]")
        + (plain ? "" : "T(" + joined(perm) + ")")
        + last(sharding);
  }

  private static String last(ProtoMessage sharding) {
    String types =
        Arrays.stream(sharding.integers("last_tile_dims"))
            .mapToObj(type -> type >= 0 && type < TYPES.size() ? TYPES.get((int) type) : "?")
            .collect(Collectors.joining(", "));
    return (sharding.bool("replicate_on_last_tile_dim") ? " last_tile_dim_replicate" : "")
        + (types.isEmpty() ? "" : " last_tile_dims={" + types + "}");
  }

  private static String group(ProtoMessage sharding) {
    if (!sharding.bool("is_shard_group")) {
      return "";
    }
    String kind = sharding.integer("shard_group_type") == 0 ? " shard_as " : " shard_like ";
    return kind + sharding.integer("shard_group_id");
  }

  private static String joined(Dims values) {
    return values.stream().mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  // From text.

  /** The message of a text; empty if it has no form there that hlo4j knows. */
  static Optional<ProtoBuilder> message(String text) {
    String stripped = text.strip();
    if (stripped.length() < 2 || !stripped.startsWith("{") || !stripped.endsWith("}")) {
      return Optional.empty();
    }
    String body = stripped.substring(1, stripped.length() - 1).strip();
    return body.startsWith("{") || body.isEmpty() ? tuple(body) : single(body);
  }

  private static Optional<ProtoBuilder> tuple(String body) {
    ProtoBuilder tuple = ProtoBuilder.of("OpSharding").put("type", TUPLE);
    for (String element : TextParts.split(body, ',')) {
      Optional<ProtoBuilder> message =
          element.strip().startsWith("{{") ? Optional.empty() : message(element);
      if (message.isEmpty()) {
        return Optional.empty();
      }
      tuple.put("tuple_shardings", message.get());
    }
    return Optional.of(tuple);
  }

  private static Optional<ProtoBuilder> single(String body) {
    ProtoBuilder message = ProtoBuilder.of("OpSharding");
    Matcher part = PART.matcher(body);
    int at = 0;
    while (at < body.length()) {
      if (!part.find(at) || part.start() != at) {
        return Optional.empty();
      }
      try {
        put(message, part);
      } catch (NumberFormatException tooLarge) {
        return Optional.empty();
      }
      at = part.end();
    }
    return Optional.of(message);
  }

  private static void put(ProtoBuilder message, Matcher part) {
    if (part.group("type") != null) {
      message.put("type", TYPES.indexOf(part.group("type")));
    } else if (part.group("device") != null) {
      message.put("type", MAXIMAL).put("tile_assignment_devices", numbers(part.group("device")));
    } else if (part.group("tile") != null) {
      putTiles(message, part);
    } else if (part.group("last") != null) {
      message.put("replicate_on_last_tile_dim", true);
    } else if (part.group("group") != null) {
      message.put("is_shard_group", true).put("shard_group_id", Long.parseLong(part.group("id")));
      message.put("shard_group_type", part.group("group").equals("as") ? 0 : 1);
    } else {
      message.put("last_tile_dims", types(part.group("dims")));
    }
  }

  private static void putTiles(ProtoBuilder message, Matcher part) {
    message.put("type", TILED);
    message.put("tile_assignment_dimensions", numbers(part.group("tile")));
    if (part.group("list") != null) {
      message.put("tile_assignment_devices", numbers(part.group("list")));
      return;
    }
    Dims reshape = numbers(part.group("reshape"));
    String perm = part.group("perm");
    message.put("iota_reshape_dims", reshape);
    message.put(
        "iota_transpose_perm", perm == null ? Dims.range(0, reshape.count()) : numbers(perm));
  }

  private static Dims numbers(String list) {
    return Dims.of(
        Arrays.stream(list.split(",", -1)).map(String::strip).mapToLong(Long::parseLong).toArray());
  }

  /** An unknown name is a number that is none, and refused like one. */
  private static Dims types(String list) {
    return Dims.of(
        Arrays.stream(list.split(",", -1))
            .map(name -> TYPES.indexOf(name.strip()))
            .mapToLong(type -> type >= 0 ? type : Long.parseLong("?"))
            .toArray());
  }

  // Domains, whose sides hlo.proto names the other way round than HLO text does.

  static Domain.Border border(ProtoMessage from, String field) {
    return new Domain.Border(
        "sharding", side(from, "domain_exit_sharding"), side(from, "domain_entry_sharding"));
  }

  private static String side(ProtoMessage from, String field) {
    return from.message(field)
        .map(sharding ->
            text(sharding)
                .orElseThrow(() -> sharding.refusal("got a sharding that has no text form here")))
        .orElse("{}");
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
    if (text.equals("{}")) {
      return;
    }
    to.put(
        field,
        message(text)
            .orElseThrow(() ->
                new HloException(
                    "",
                    "proto: sharding of a domain got " + text + ", want a form of OpSharding")));
  }
}
