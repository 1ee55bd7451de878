package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.dialect.AttributeRow;
import org.hlo4j.stablehlo.dialect.OpRow;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.dialect.StructForm;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.jspecify.annotations.Nullable;

/**
 * A version of an operation in portable artifacts.
 *
 * @param name its name there, such as {@code vhlo.add_v1}
 * @param since the first version that has it
 * @param until the last version that has it, if there is one
 * @param row the operation of StableHLO
 * @param slots its attributes by their names there, in the order of StableHLO's definition
 */
record VhloOp(
    String name,
    Version since,
    Optional<Version> until,
    OpRow row,
    ImmutableMap<String, VhloSlot> slots) {
  private static final ImmutableList<String> OF_FUNCTIONS = ImmutableList.of("func", "call");

  static VhloOp parse(String line) {
    List<String> words = Splitter.on(' ').splitToList(line);
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

  /** The properties: all attributes in the order of their names. */
  Map<String, Attribute> properties(EntryReader in) {
    Map<String, Attribute> properties = new HashMap<>();
    for (String slot : ImmutableSortedSet.copyOf(slots.keySet())) {
      properties.put(slot, in.attribute());
    }
    return properties;
  }

  /** The attributes of StableHLO's operation. */
  Attributes read(Map<String, Attribute> given) {
    Map<String, Attribute> attributes = new HashMap<>(given);
    Map<String, StructForm> structs = new LinkedHashMap<>();
    slots.forEach((name, slot) -> read(slot, attributes.remove(name), attributes, structs));
    structs.forEach((name, form) -> attributes.put(name, form.build()));
    return row.canonical(attributes);
  }

  private void read(
      VhloSlot slot,
      @Nullable Attribute value,
      Map<String, Attribute> attributes,
      Map<String, StructForm> structs) {
    if (value == null && slot.filler().isEmpty()) {
      throw missing(slot);
    }
    if (value == null || slot.isFilled(value)) {
      return;
    }
    AttributeRow target = row.attributes().get(slot.attribute());
    if (target == null) {
      throw new HloException(
          HloException.Kind.UNSUPPORTED,
          String.format(
              "attribute %s got %s, which newer versions of the operation do not have",
              slot.name(), value));
    }
    if (slot.field().isEmpty()) {
      attributes.put(slot.attribute(), form(slot, target, value));
      return;
    }
    StructForm form =
        structs.computeIfAbsent(slot.attribute(), any -> new StructForm(target.parameter()));
    form.with(slot.field(), AttributeRow.flat(value));
    // What kind of channel it is, artifacts do not say of collectives.
    if (target.parameter().equals("channel_handle") && !slots.containsKey("channel_type")) {
      form.with("type", 0);
    }
  }

  /** Names of functions are strings, and what is there or not a boolean. */
  private static Attribute form(VhloSlot slot, AttributeRow target, Attribute value) {
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

  private static HloException missing(VhloSlot slot) {
    return new HloException(HloException.Kind.PARSE, "attribute " + slot.name() + " is missing");
  }
}
