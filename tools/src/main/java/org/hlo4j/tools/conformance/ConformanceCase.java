package org.hlo4j.tools.conformance;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.check.compare.Comparison.LeftOpen;
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
 * @param basis what the rule stands on
 * @param hlo the program
 * @param inputs its arguments
 * @param result its result; empty if it must be refused
 * @param refusal the message of hlo4j if it must be refused; empty otherwise
 * @param twins valid programs, which differ from a refused one in the refused thing only
 */
public record ConformanceCase(
    String op,
    String name,
    String type,
    String rule,
    Basis basis,
    String hlo,
    ImmutableList<Literal> inputs,
    Optional<ConformanceResult> result,
    String refusal,
    ImmutableList<Twin> twins) {
  /** Bounds beyond so many representable values are absolute ones for hlo4j test. */
  private static final int MAX_ULPS = 64;

  ConformanceCase withHlo(String text) {
    return new ConformanceCase(op, name, type, rule, basis, text, inputs, result, refusal, twins);
  }

  ConformanceCase withResult(ConformanceResult value) {
    return new ConformanceCase(
        op, name, type, rule, basis, hlo, inputs, Optional.of(value), refusal, twins);
  }

  ConformanceCase withRefusal(String message, List<Twin> valid) {
    return new ConformanceCase(
        op, name, type, rule, basis, hlo, inputs, result, message, ImmutableList.copyOf(valid));
  }

  /** Returns the folder of a twin. */
  String twinPath(int number) {
    return path() + "/twin-" + number;
  }

  /** Returns the folder of the case in its suite. */
  String path() {
    return op
        + "/"
        + (name.isEmpty() ? "" : name + "-")
        + type
        + (result.isPresent() ? "" : "-refused");
  }

  /** Returns whether it is a refusal that proves nothing, for want of a twin. */
  public boolean isWithoutTwin() {
    return result.isEmpty() && twins.isEmpty();
  }

  /** Returns the entry of a case without a twin in the index, with the reason. */
  public JsonObject withoutTwin() {
    JsonObject json = new JsonObject();
    json.addProperty("op", op);
    json.addProperty("type", type);
    json.addProperty("rule", rule);
    json.addProperty("words", basis.words());
    json.addProperty("source", basis.source());
    json.addProperty("message", refusal);
    json.addProperty("reason", Twins.missing(op));
    return json;
  }

  /** Returns the entry of the case in the index. */
  JsonObject index(List<String> programs) {
    JsonObject json = new JsonObject();
    json.addProperty("path", path());
    json.addProperty("op", op);
    json.addProperty("type", type);
    json.addProperty("kind", result.isPresent() ? "value" : "refusal");
    json.addProperty("rule", rule);
    json.addProperty("standing", standing().toString());
    json.addProperty("words", basis.words());
    json.addProperty("source", basis.source());
    result
        .filter(value -> !value.open().isEmpty())
        .ifPresent(value -> json.add("open", open(value)));
    if (result.isEmpty()) {
      json.addProperty("message", refusal);
      JsonArray valid = new JsonArray();
      IntStream.rangeClosed(1, twins.size()).mapToObj(this::twinPath).forEach(valid::add);
      json.add("twins", valid);
    }
    JsonArray files = new JsonArray();
    programs.forEach(files::add);
    json.add("programs", files);
    return json;
  }

  private Standing standing() {
    return result.filter(value -> !value.open().isEmpty()).isPresent()
        ? Standing.OPEN
        : Standing.REQUIRED;
  }

  private JsonArray open(ConformanceResult result) {
    JsonArray rows = new JsonArray();
    for (LeftOpen row : result.open()) {
      Basis words =
          Optional.of(row)
              .filter(LeftOpen.COMPLEX_LIMITS::equals)
              .flatMap(each -> Basis.ofComplex(op))
              .orElse(new Basis(row.words(), row.source()));
      JsonObject json = new JsonObject();
      json.addProperty("name", row.toString());
      json.addProperty("condition", row.condition());
      json.addProperty("words", words.words());
      json.addProperty("source", words.source());
      rows.add(json);
    }
    return rows;
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
      long ulps = result.ulps(i);
      if (ulps > 0 && ulps <= MAX_ULPS) {
        ElementType part = result.expected().get(i).elementType().componentType();
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
