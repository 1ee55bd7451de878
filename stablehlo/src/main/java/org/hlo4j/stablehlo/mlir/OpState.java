package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An op that is being parsed.
 *
 * @param name the full name
 * @param operands the operands so far
 * @param resultTypes the types of the results so far
 * @param attributes the attributes so far
 * @param regions the regions so far
 */
public record OpState(
    String name,
    List<Value> operands,
    List<Type> resultTypes,
    Map<String, Attribute> attributes,
    List<Region> regions) {
  OpState(String name) {
    this(name, new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new ArrayList<>());
  }
}
