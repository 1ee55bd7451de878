package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Multimaps;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.dialect.AttributeDefinition;
import org.hlo4j.stablehlo.dialect.OpDefinition;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.dialect.StructTable;
import org.hlo4j.stablehlo.dialect.Tables;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.EntryWriter;
import org.hlo4j.stablehlo.mlir.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A version of an operation of portable artifacts.
 *
 * @param name its name, such as {@code vhlo.add_v1}
 * @param since the first version that has it
 * @param until the last version that has it, if there is one
 * @param definition the operation of StableHLO
 * @param slots its attributes by their names in artifacts, in the order of StableHLO's definition
 */
record VhloOp(
    String name,
    Version since,
    Optional<Version> until,
    OpDefinition definition,
    ImmutableMap<String, VhloSlot> slots) {
  private static final ImmutableList<String> OF_FUNCTIONS = ImmutableList.of("func", "call");

  /** All by their names. */
  static final ImmutableMap<String, VhloOp> BY_NAME =
      Tables.rows("vhlo.ops").map(VhloOp::parse).collect(toImmutableMap(VhloOp::name, op -> op));

  /** All versions of the operations of StableHLO. */
  static final ImmutableListMultimap<String, VhloOp> BY_OPERATION =
      Multimaps.index(BY_NAME.values(), op -> op.definition().name());

  private static final String OPERAND_LAYOUTS = "operand_layouts";
  private static final String RESULT_LAYOUTS = "result_layouts";
  private static final Attribute ZERO = Attribute.Int.i64(0);

  private static VhloOp parse(List<String> words) {
    String name = words.get(0);
    String plain = name.substring(0, name.lastIndexOf("_v"));
    String dialect = OF_FUNCTIONS.contains(plain) ? "func." : "stablehlo.";
    List<VhloSlot> slots =
        words.subList(3, words.size()).stream().map(VhloSlot::parse).collect(toImmutableList());
    return new VhloOp(
        "vhlo." + name,
        Version.parse(words.get(1)),
        Optional.of(words.get(2)).filter(last -> !last.equals("-")).map(Version::parse),
        OpTable.find(dialect + plain).orElseThrow(),
        slots.stream().collect(toImmutableMap(VhloSlot::name, slot -> slot)));
  }

  /** Reads the properties: all attributes, sorted by name. */
  Map<String, Attribute> properties(EntryReader in) {
    Map<String, Attribute> properties = new HashMap<>();
    for (String slot : ImmutableSortedSet.copyOf(slots.keySet())) {
      properties.put(slot, in.attribute());
    }
    return properties;
  }

  /** Converts the attributes to those of StableHLO's operation. */
  Attributes read(Map<String, Attribute> given) {
    Map<String, Attribute> attributes = new HashMap<>(given);
    Map<String, Map<String, Attribute>> structs = new LinkedHashMap<>();
    slots.forEach((name, slot) -> read(slot, attributes.remove(name), attributes, structs));
    structs.forEach((name, fields) ->
        attributes.put(
            name,
            StructTable.struct(
                requireNonNull(definition.attributes().get(name)).parameter(), fields)));
    completeLayouts(attributes);
    return definition.canonical(attributes);
  }

  /**
   * Adds the other list of layouts if there is one, since an empty list means none, but also that a
   * call with layouts has no operands or no results.
   */
  private static void completeLayouts(Map<String, Attribute> attributes) {
    Attribute none = new Attribute.Array(ImmutableList.of());
    if (attributes.containsKey(OPERAND_LAYOUTS)) {
      attributes.putIfAbsent(RESULT_LAYOUTS, none);
    }
    if (attributes.containsKey(RESULT_LAYOUTS)) {
      attributes.putIfAbsent(OPERAND_LAYOUTS, none);
    }
  }

  private void read(
      VhloSlot slot,
      @Nullable Attribute value,
      Map<String, Attribute> attributes,
      Map<String, Map<String, Attribute>> structs) {
    if (value == null && slot.absentValue().isEmpty()) {
      throw missing(slot);
    }
    if (value == null || slot.isAbsentValue(value)) {
      return;
    }
    AttributeDefinition target = definition.attributes().get(slot.attribute());
    if (target == null) {
      throw new HloException(
          UNSUPPORTED,
          "attribute %s got %s, which newer versions of the operation do not have",
          slot.name(),
          value);
    }
    if (slot.field().isEmpty()) {
      attributes.put(slot.attribute(), form(slot, target, value));
      return;
    }
    Map<String, Attribute> fields =
        structs.computeIfAbsent(slot.attribute(), any -> new HashMap<>());
    fields.put(slot.field(), AttributeDefinition.flat(value));
    // Artifacts do not store the channel type of collectives.
    if (target.parameter().equals("channel_handle") && !slots.containsKey("channel_type")) {
      fields.put("type", Attribute.Int.i64(0));
    }
  }

  /**
   * Converts an attribute. Names of functions are stored as strings, and unit attributes as
   * booleans.
   */
  private static Attribute form(VhloSlot slot, AttributeDefinition target, Attribute value) {
    if (slot.name().equals("called_computations") && value instanceof Attribute.Array list) {
      return new Attribute.Array(
          list.elements().stream().map(VhloOp::symbol).collect(toImmutableList()));
    }
    return switch (target.kind()) {
      case SYMBOL -> symbol(value);
      case UNIT -> Attribute.Unit.INSTANCE;
      default -> value;
    };
  }

  private static Attribute symbol(Attribute value) {
    return value instanceof Attribute.Str name ? Attribute.Symbol.of(name.value()) : value;
  }

  /** Returns whether a version of StableHLO has this version of the operation. */
  boolean isAvailableIn(Version version) {
    return !version.isBefore(since)
        && until.map(last -> !last.isBefore(release(version))).orElse(true);
  }

  /** Returns a version without its patch number, which is irrelevant here. */
  private static Version release(Version version) {
    return new Version(version.major(), version.minor(), 0);
  }

  /** Returns whether these slots can express the attributes of StableHLO's operation. */
  boolean canExpress(Operation operation) {
    return definition.attributes().keySet().stream()
        .allMatch(name -> canExpress(name, operation.attributes().get(name)));
  }

  private boolean canExpress(String attribute, @Nullable Attribute value) {
    if (value == null || slots.values().stream().anyMatch(slot -> slot.stores(attribute, ""))) {
      return true;
    }
    return value instanceof Attribute.Struct struct
        && struct.fields().keySet().stream()
            .filter(field -> !isChannelType(struct, field))
            .allMatch(
                field -> slots.values().stream().anyMatch(slot -> slot.stores(attribute, field)));
  }

  /** Returns whether a field is a channel type, which artifacts do not store for collectives. */
  private static boolean isChannelType(Attribute.Struct struct, String field) {
    return struct.mnemonic().equals("channel_handle") && field.equals("type");
  }

  /** Converts the attributes to those of artifacts, by their names in artifacts. */
  Map<String, EntryWriter.Entry> write(Operation operation, VhloWriter writer) {
    if (!canExpress(operation)) {
      throw new HloException(
          UNSUPPORTED,
          "got %s, of which artifacts hold %s",
          operation.attributes(),
          slots.keySet());
    }
    Map<String, EntryWriter.Entry> entries = new HashMap<>();
    slots.forEach((name, slot) -> entries.put(name, write(slot, operation, writer)));
    return entries;
  }

  private EntryWriter.Entry write(VhloSlot slot, Operation operation, VhloWriter writer) {
    AttributeDefinition target = definition.attributes().get(slot.attribute());
    Attribute value = operation.attributes().get(slot.attribute());
    if (value == null && target != null) {
      value = target.defaultValue().orElse(null);
    }
    if (value == null) {
      AttributeDefinition.Kind kind =
          target == null ? AttributeDefinition.Kind.PAIRS : target.kind();
      value = slot.absentValue(kind, operation).orElseThrow(() -> missing(slot));
    } else if (!slot.field().isEmpty()) {
      value = field(slot, value);
    }
    return slot.name().equals("api_version")
        ? writer.apiVersion(value)
        : writer.attribute(stored(value));
  }

  private static Attribute field(VhloSlot slot, Attribute value) {
    if (!(value instanceof Attribute.Struct struct)) {
      throw new HloException(
          ARGUMENT, "attribute %s got %s, want a struct", slot.attribute(), value);
    }
    Attribute field = struct.fields().get(slot.field());
    return field != null
        ? field
        : requireNonNull(StructTable.fields(struct.mnemonic()).get(slot.field()))
            .defaultValue()
            .orElse(ZERO);
  }

  /** Converts a unit attribute to a boolean. */
  private static Attribute stored(Attribute value) {
    return value == Attribute.Unit.INSTANCE ? Attribute.Int.bool(true) : value;
  }

  private static HloException missing(VhloSlot slot) {
    return new HloException(PARSE, "attribute %s is missing", slot.name());
  }
}
