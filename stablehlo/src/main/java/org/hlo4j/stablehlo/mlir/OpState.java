package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An op that is being parsed. */
public final class OpState {
  private final String name;
  private final List<Value> operands = new ArrayList<>();
  private final List<Type> resultTypes = new ArrayList<>();
  private final Map<String, Attribute> attributes = new LinkedHashMap<>();
  private final List<Region> regions = new ArrayList<>();

  OpState(String name) {
    this.name = name;
  }

  /** {@return the full name} */
  public String name() {
    return name;
  }

  /** {@return the operands so far} */
  public List<Value> operands() {
    return operands;
  }

  /** {@return the types of the results so far} */
  public List<Type> resultTypes() {
    return resultTypes;
  }

  /** {@return the attributes so far} */
  public Map<String, Attribute> attributes() {
    return attributes;
  }

  /** {@return the regions so far} */
  public List<Region> regions() {
    return regions;
  }
}
