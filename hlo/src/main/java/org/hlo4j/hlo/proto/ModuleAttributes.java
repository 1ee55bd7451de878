package org.hlo4j.hlo.proto;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;

/**
 * The attributes of a module header: text in hlo4j, fields in hlo.proto. An attribute that has no
 * field and is not part of XLA's module configuration is refused.
 */
final class ModuleAttributes {
  static final String SCHEDULED = "is_scheduled";
  private static final String LAYOUT = "entry_computation_layout";

  /** The attributes that XLA keeps in HloModuleConfig, which is not part of HloModuleProto. */
  private static final ImmutableSet<String> CONFIGURATION =
      ImmutableSet.of(
          "alias_passthrough_params",
          "allow_spmd_sharding_propagation_to_parameters",
          "allow_spmd_sharding_propagation_to_output",
          "replica_count",
          "num_partitions");

  private static final ImmutableMap<String, Long> ALIAS_KINDS =
      ImmutableMap.of("may-alias", 1L, "must-alias", 2L);

  private static final Pattern ALIAS =
      Pattern.compile(
          "(?:(\\{[\\d, ]*\\}): *)?\\((\\d{1,9}), *(\\{[\\d, ]*\\})(?:,"
              + " *(may-alias|must-alias))?\\)");

  private ModuleAttributes() {}

  /** Reads the attributes of a module. */
  static ImmutableMap<String, String> read(ProtoMessage module) {
    Map<String, String> found = new LinkedHashMap<>();
    found.put(SCHEDULED, module.has("schedule") ? "true" : "");
    found.put("input_output_alias", aliases(module, "input_output_alias"));
    found.put("buffer_donor", aliases(module, "buffer_donor"));
    found.put(
        LAYOUT,
        module
            .message("host_program_shape")
            .map(shape -> layout(Shapes.readProgram(shape)))
            .orElse(""));
    found.put("frontend_attributes", InstructionAttributes.frontend(module));
    found.put("origin_recovery_table", recovery(module));
    found.putAll(TextAttributes.read(module));
    found.values().removeIf(""::equals);
    return ImmutableMap.copyOf(found);
  }

  private static String layout(ProgramShape shape) {
    return "{"
        + new Shape.Tuple(ImmutableList.copyOf(shape.parameters()))
        + "->"
        + shape.result()
        + "}";
  }

  private static String aliases(ProtoMessage module, String field) {
    return module.messageOrEmpty(field).messages("entries").stream()
        .map(ModuleAttributes::alias)
        .collect(
            Collectors.collectingAndThen(
                Collectors.joining(", "), list -> list.isEmpty() ? "" : "{ " + list + " }"));
  }

  private static String alias(ProtoMessage entry) {
    String parameter =
        "(" + entry.integer("parameter_number") + ", " + index(entry.dims("parameter_shape_index"));
    return entry.type().name().equals("BufferDonorEntryProto")
        ? parameter + ")"
        : index(entry.dims("output_shape_index")) + ": " + parameter + kind(entry) + ")";
  }

  private static String kind(ProtoMessage entry) {
    return entry.integer("kind") == 2 ? ", must-alias" : ", may-alias";
  }

  private static String index(Dims index) {
    return index.stream().mapToObj(Long::toString).collect(Collectors.joining(",", "{", "}"));
  }

  // From text.

  /** Writes the attributes, except the schedule, to a module. */
  static void write(ProtoBuilder module, Map<String, String> attributes, ProgramShape entry) {
    attributes.forEach((name, value) -> write(module, name, value));
    if (!attributes.containsKey(LAYOUT)) {
      writeLayout(module, entry);
    }
  }

  private static void write(ProtoBuilder module, String name, String value) {
    switch (name) {
      case SCHEDULED -> {
        // implied by the schedule
      }
      case LAYOUT -> writeLayout(module, value);
      case "input_output_alias", "buffer_donor" -> writeAliases(module, name, value);
      case "frontend_attributes" -> InstructionAttributes.writeFrontend(module, value);
      case "origin_recovery_table" -> writeRecovery(module, value);
      default -> {
        if (!CONFIGURATION.contains(name)) {
          throw new HloException(
              "",
              "proto: got the attribute "
                  + Ascii.truncate(name, 80, "…")
                  + ", which hlo.proto has no field for");
        }
        TextAttributes.put(module, name, value);
      }
    }
  }

  private static HloException refused(String name, String value, String want) {
    return new HloException(
        "", "proto: " + name + " got " + Ascii.truncate(value, 80, "…") + ", want " + want);
  }

  // The arrays that were optimized away, and how to recompute them.

  private static String recovery(ProtoMessage module) {
    List<ProtoMessage> entries =
        module.messageOrEmpty("original_value_recovery_table").messages("entries");
    return entries.isEmpty()
        ? ""
        : entries.stream()
            .map(entry ->
                "  "
                    + OriginalValues.array(entry, "old_original_array")
                    + " : "
                    + OriginalValues.array(entry, "new_original_array")
                    + "\n")
            .collect(Collectors.joining("", "{\n", "}"));
  }

  /**
   * Writes the recovery table. A row may end with a quoted module, which computes the old array
   * from the new one.
   */
  private static void writeRecovery(ProtoBuilder module, String value) {
    ProtoBuilder table = module.at("original_value_recovery_table");
    String inside = value.strip();
    for (String row : inside.substring(1, inside.length() - 1).strip().split("\n", -1)) {
      List<String> sides = TextParts.split(row, ':');
      if (sides.size() != 2 || !sides.get(1).endsWith("}")) {
        throw refused("origin_recovery_table", value, "rows of {\"old\"} : {\"new\"}");
      }
      ProtoBuilder entry = ProtoBuilder.of("OriginalValueRecoveryEntry");
      OriginalValues.putArray(entry, "old_original_array", sides.get(0));
      OriginalValues.putArray(entry, "new_original_array", sides.get(1));
      table.put("entries", entry);
    }
  }

  private static void writeLayout(ProtoBuilder module, String value) {
    String inside = value.strip();
    int end = endOfParameters(inside);
    try {
      Shape parameters = Parser.parseShape(inside.substring(1, end));
      int arrow = inside.indexOf("->", end) + 2;
      Shape result = Parser.parseShape(inside.substring(arrow, inside.length() - 1));
      ImmutableList<Shape> list = ((Shape.Tuple) parameters).elements();
      writeLayout(module, new ProgramShape(list, result));
    } catch (HloException | IndexOutOfBoundsException | ClassCastException otherText) {
      throw refused(LAYOUT, value, "{(shapes)->shape}");
    }
  }

  /**
   * Writes the shapes of the entry. The parameters also get names there: XLA requires one for each,
   * and ignores them.
   */
  private static void writeLayout(ProtoBuilder module, ProgramShape shape) {
    ProtoBuilder message = Shapes.writeProgram(shape);
    for (int i = 0; i < shape.parameters().size(); i++) {
      message.add("parameter_names", "p" + i);
    }
    module.put("host_program_shape", message);
  }

  private static int endOfParameters(String text) {
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
      if (depth == 0 && text.charAt(i) == ')') {
        return i + 1;
      }
    }
    return 0;
  }

  private static void writeAliases(ProtoBuilder module, String name, String value) {
    boolean alias = name.equals("input_output_alias");
    ProtoBuilder aliases = module.at(name);
    for (String part : Braces.list(value)) {
      Matcher entry = ALIAS.matcher(part.strip());
      if (!entry.matches() || alias != (entry.group(1) != null)) {
        throw refused(
            name, value, alias ? "{ {index}: (parameter, {index}) }" : "{ (parameter, {index}) }");
      }
      ProtoBuilder message =
          ProtoBuilder.of(alias ? "AliasEntryProto" : "BufferDonorEntryProto")
              .put("parameter_number", Long.parseLong(entry.group(2)))
              .put("parameter_shape_index", Braces.numbers(entry.group(3)));
      if (alias) {
        message.put("output_shape_index", Braces.numbers(entry.group(1)));
        message.put("kind", ALIAS_KINDS.getOrDefault(String.valueOf(entry.group(4)), 1L));
      }
      aliases.put("entries", message);
    }
  }
}
