package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/**
 * A case of a conformance suite: a program with its inputs and results, or one that must be
 * refused.
 *
 * @param op the opcode, or {@code module} for the rules of whole modules
 * @param name what tells it from other cases of the op and type; may be empty
 * @param type the element type of the operands; {@code none} if it has no array
 * @param rule the rule that it tests
 * @param source where the rule is written
 * @param hlo the program
 * @param inputs its arguments
 * @param result its result; empty if it must be refused
 * @param refusal the message of hlo4j if it must be refused; empty otherwise
 */
record ConformanceCase(
    String op,
    String name,
    String type,
    String rule,
    String source,
    String hlo,
    ImmutableList<Literal> inputs,
    Optional<ConformanceResult> result,
    String refusal) {

  /** Returns the folder of the case in its suite. */
  String path() {
    return op
        + "/"
        + (name.isEmpty() ? "" : name + "-")
        + type
        + (result.isPresent() ? "" : "-refused");
  }

  /** Returns the entry of the case in the index. */
  JsonObject index(List<String> programs) {
    JsonObject json = new JsonObject();
    json.addProperty("path", path());
    json.addProperty("op", op);
    json.addProperty("type", type);
    json.addProperty("kind", result.isPresent() ? "value" : "refusal");
    json.addProperty("rule", rule);
    json.addProperty("source", source);
    result.ifPresentOrElse(
        value -> json.addProperty("ulps", value.ulps()),
        () -> json.addProperty("message", refusal));
    JsonArray files = new JsonArray();
    programs.forEach(files::add);
    json.add("programs", files);
    return json;
  }

  /** Returns {@code meta.json}, as {@code hlo4j test} reads it. */
  JsonObject meta() {
    JsonArray arguments = new JsonArray();
    for (int i = 0; i < inputs.size(); i++) {
      arguments.add(array("inputs/" + i + ".npy", inputs.get(i)));
    }
    JsonArray outputs = new JsonArray();
    result.ifPresent(value -> addOutputs(value, outputs));
    JsonObject json = new JsonObject();
    json.addProperty("devices", 1);
    json.add("inputs", arguments);
    json.add("outputs", outputs);
    return json;
  }

  private static void addOutputs(ConformanceResult result, JsonArray outputs) {
    for (int i = 0; i < result.expected().size(); i++) {
      JsonObject output = array("expected/" + i + ".npy", result.expected().get(i));
      int ulps = result.ulps();
      if (ulps > 0) {
        ElementType part = result.expected().get(i).elementType();
        output.addProperty("rtol", Math.scalb((double) ulps, -part.mantissaBits()));
        output.addProperty("atol", ulps * part.decode(1));
      } else {
        output.addProperty("atol", result.distance(i));
      }
      outputs.add(output);
    }
  }

  private static JsonObject array(String file, Literal array) {
    JsonArray sizes = new JsonArray();
    array.arrayShape().sizes().stream().forEach(sizes::add);
    JsonObject json = new JsonObject();
    json.addProperty("file", file);
    json.addProperty("dtype", array.elementType().toString());
    json.add("shape", sizes);
    return json;
  }
}
