package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * A case of a conformance suite: a program with its inputs and results, or one that must be
 * refused.
 *
 * @param op the opcode
 * @param name what tells it from other cases of the op and type; may be empty
 * @param type the element type of the operands
 * @param rule the rule that it tests
 * @param source where the rule is written
 * @param hlo the program
 * @param inputs its arguments
 * @param expected its result; empty if it must be refused
 * @param ulps by how many representable values a correct result may differ
 * @param bounds the least and the greatest correct result; empty if they follow from the ulps
 */
record ConformanceCase(
    String op,
    String name,
    ElementType type,
    String rule,
    String source,
    String hlo,
    ImmutableList<Literal> inputs,
    Optional<Literal> expected,
    int ulps,
    ImmutableList<Literal> bounds) {

  /** Returns the folder of the case in its suite. */
  String path() {
    return op
        + "/"
        + (name.isEmpty() ? "" : name + "-")
        + type
        + (expected.isPresent() ? "" : "-refused");
  }

  /** Returns the entry of the case in the index. */
  JsonObject index(List<String> programs) {
    JsonObject json = new JsonObject();
    json.addProperty("path", path());
    json.addProperty("op", op);
    json.addProperty("type", type.toString());
    json.addProperty("kind", expected.isPresent() ? "value" : "refusal");
    json.addProperty("rule", rule);
    json.addProperty("source", source);
    json.addProperty("ulps", ulps);
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
    for (Literal want : expected.stream().toList()) {
      JsonObject output = array("expected/0.npy", want);
      if (!bounds.isEmpty()) {
        output.addProperty("atol", distance());
      }
      if (ulps > 0) {
        ElementType part = want.elementType();
        output.addProperty("rtol", Math.scalb((double) ulps, -part.mantissaBits()));
        output.addProperty("atol", ulps * part.decode(1));
      }
      outputs.add(output);
    }
    JsonObject json = new JsonObject();
    json.addProperty("devices", 1);
    json.add("inputs", arguments);
    json.add("outputs", outputs);
    return json;
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

  /** Returns the largest distance of the bounds. */
  private double distance() {
    ElementType part = bounds.get(0).elementType().componentType();
    int parts = bounds.get(0).elementType().isComplex() ? 2 : 1;
    double distance = 0;
    for (int i = 0; i < parts * bounds.get(0).elementCount() && part.isFloating(); i++) {
      double reach = part.decode(bounds.get(1).bitsAt(i)) - part.decode(bounds.get(0).bitsAt(i));
      distance = Double.isNaN(reach) ? distance : Math.max(distance, reach);
    }
    return distance;
  }

  /** Returns the bound of the results: so many representable values above, or below. */
  Literal bound(Literal want, boolean isHigh) {
    if (!bounds.isEmpty()) {
      return bounds.get(isHigh ? 1 : 0);
    }
    if (ulps == 0) {
      return want;
    }
    Shape.Array shape = want.arrayShape();
    LiteralBuilder bound = new LiteralBuilder(shape);
    for (int i = 0; i < want.elementCount(); i++) {
      double value = want.doubleAt(i);
      for (int step = 0; step < ulps; step++) {
        value = neighbor(shape.elementType(), value, isHigh);
      }
      bound.setDouble(i, value);
    }
    return bound.build();
  }

  /** Returns the next value; an infinity, and the largest value of types without, has none. */
  static double neighbor(ElementType type, double value, boolean isHigh) {
    if (!isHigh) {
      return -neighbor(type, -value, true);
    }
    if (value == 0) {
      return type.decode(1);
    }
    if (Double.isNaN(value) || value == Double.POSITIVE_INFINITY) {
      return value;
    }
    double next = type.decode(type.encode(value) + (value > 0 ? 1 : -1));
    return Double.isNaN(next) || next < value ? value : next;
  }
}
