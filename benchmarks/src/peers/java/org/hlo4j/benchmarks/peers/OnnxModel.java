package org.hlo4j.benchmarks.peers;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A builder of an ONNX model of floats; the field numbers are those of onnx.proto. */
final class OnnxModel {
  private static final int FLOAT = 1;
  private static final int INT64 = 7;

  private final Proto graph = new Proto();
  private final Map<String, long[]> inputs = new LinkedHashMap<>();
  private int names;

  /** Adds an input, and returns its name. */
  String input(long... sizes) {
    String name = "in" + inputs.size();
    inputs.put(name, sizes);
    graph.message(11, value(name, sizes));
    return name;
  }

  /** Returns the inputs and their sizes. */
  Map<String, long[]> inputs() {
    return inputs;
  }

  /** Adds a scalar constant, and returns its name. */
  String scalar(float value) {
    String name = "c" + names++;
    byte[] raw = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array();
    graph.message(5, new Proto().number(2, FLOAT).text(8, name).data(9, raw));
    return name;
  }

  /** Adds a vector of one integer, and returns its name. */
  String index(long value) {
    String name = "c" + names++;
    byte[] raw = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    graph.message(5, new Proto().number(1, 1).number(2, INT64).text(8, name).data(9, raw));
    return name;
  }

  /** Adds a node with one result, and returns its name. */
  String node(String op, List<Proto> attributes, String... operands) {
    String result = "v" + names++;
    Proto node = new Proto();
    for (String operand : operands) {
      node.text(1, operand);
    }
    node.text(2, result).text(4, op);
    attributes.forEach(attribute -> node.message(5, attribute));
    graph.message(1, node);
    return result;
  }

  String node(String op, String... operands) {
    return node(op, List.of(), operands);
  }

  static Proto integer(String name, long value) {
    return new Proto().text(1, name).number(3, value).number(20, 2);
  }

  static Proto real(String name, float value) {
    return new Proto().text(1, name).real(2, value).number(20, 1);
  }

  static Proto word(String name, String value) {
    return new Proto().text(1, name).text(4, value).number(20, 3);
  }

  static Proto integers(String name, long... values) {
    Proto attribute = new Proto().text(1, name);
    for (long value : values) {
      attribute.number(8, value);
    }
    return attribute.number(20, 7);
  }

  private static Proto value(String name, long... sizes) {
    Proto shape = new Proto();
    for (long size : sizes) {
      shape.message(1, new Proto().number(1, size));
    }
    Proto tensor = new Proto().number(1, FLOAT).message(2, shape);
    return new Proto().text(1, name).message(2, new Proto().message(1, tensor));
  }

  /** Returns the encoded model with its result. */
  byte[] bytes(String result, long... sizes) {
    graph.text(2, "graph").message(12, value(result, sizes));
    List<Proto> parts = new ArrayList<>();
    parts.add(new Proto().text(1, "").number(2, 20));
    return new Proto().number(1, 9).message(7, graph).message(8, parts.get(0)).toBytes();
  }
}
