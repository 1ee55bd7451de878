package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
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

/** What the header of a module says: text in hlo4j, fields in hlo.proto. */
final class ModuleAttributes {
  static final String SCHEDULED = "is_scheduled";
  private static final String LAYOUT = "entry_computation_layout";

  /** The attributes in the order in which XLA writes them. */
  private static final ImmutableList<String> ORDER =
      ImmutableList.of(
          SCHEDULED,
          "input_output_alias",
          "buffer_donor",
          LAYOUT,
          "allow_spmd_sharding_propagation_to_parameters",
          "allow_spmd_sharding_propagation_to_output",
          "replica_count",
          "num_partitions",
          "frontend_attributes");

  private static final ImmutableMap<String, Long> ALIAS_KINDS =
      ImmutableMap.of("may-alias", 1L, "must-alias", 2L);

  private static final Pattern ALIAS =
      Pattern.compile(
          "(?:(\\{[\\d, ]*\\}): *)?\\((\\d{1,9}), *(\\{[\\d, ]*\\})(?:,"
              + " *(may-alias|must-alias))?\\)");

  private ModuleAttributes() {}

  /** The attributes of a module, in XLA's order. */
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
    found.putAll(TextAttributes.read(module));
    found.values().removeIf(""::equals);
    ImmutableMap.Builder<String, String> ordered = ImmutableMap.builder();
    for (String name : ORDER) {
      String value = found.remove(name);
      if (value != null) {
        ordered.put(name, value);
      }
    }
    return ordered.putAll(found).buildOrThrow();
  }

  private static String layout(ProgramShape shape) {
    List<String> parameters = new ArrayList<>();
    for (int i = 0; i < shape.parameters().size(); i++) {
      boolean numbered = i > 0 && i % 5 == 0;
      parameters.add((numbered ? "/*index=" + i + "*/" : "") + shape.parameters().get(i));
    }
    return "{(" + String.join(", ", parameters) + ")->" + shape.result() + "}";
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

  /** Puts the attributes but the schedule into a module. */
  static void write(ProtoBuilder module, Map<String, String> attributes, ProgramShape entry) {
    attributes.forEach((name, value) -> write(module, name, value));
    if (!attributes.containsKey(LAYOUT)) {
      writeLayout(module, entry);
    }
    ProtoMessage written = ProtoMessage.of(module.type(), module.toBytes());
    Map<String, String> found = new LinkedHashMap<>(read(written));
    found.put(SCHEDULED, "true");
    TextAttributes.putRest(module, attributes, found);
  }

  private static void write(ProtoBuilder module, String name, String value) {
    switch (name) {
      case LAYOUT -> writeLayout(module, value);
      case "input_output_alias", "buffer_donor" -> writeAliases(module, name, value);
      case "frontend_attributes" -> InstructionAttributes.writeFrontend(module, value);
      default -> {
        // no field: it is kept as text
      }
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
      // it is kept as text
    }
  }

  /** The parameters have names there, which XLA wants to be as many, and passes over. */
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
        continue;
      }
      ProtoBuilder message =
          ProtoBuilder.of(alias ? "AliasEntryProto" : "BufferDonorEntryProto")
              .put("parameter_number", Long.parseLong(entry.group(2)))
              .put("parameter_shape_index", numbers(entry.group(3)));
      if (alias) {
        message.put("output_shape_index", numbers(entry.group(1)));
        message.put("kind", ALIAS_KINDS.getOrDefault(String.valueOf(entry.group(4)), 1L));
      }
      aliases.put("entries", message);
    }
  }

  private static Dims numbers(String list) {
    return Dims.copyOf(Braces.list(list).stream().map(Long::parseLong).toList());
  }
}
