package org.hlo4j.stablehlo.mlir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.HloException;

/**
 * An operation: a name, operands, results, attributes and regions. A module is an operation, too.
 *
 * <p>Properties and attributes are merged into one dictionary. Operations are compared by identity.
 */
public final class Operation {
  private final String name;
  private final ImmutableList<Value> operands;
  private final ImmutableList<Value> results;
  private final Attributes attributes;
  private final ImmutableList<Region> regions;
  private final Location location;
  private final Place place;

  /**
   * Creates an operation, which is not verified.
   *
   * @param name the full name, such as {@code stablehlo.add}
   * @param operands the operands
   * @param results the results, defined here
   * @param attributes the attributes by name, inherent and discardable ones
   * @param regions the regions
   * @param location its origin in the user's program
   * @param place its position in the file
   */
  public Operation(
      String name,
      List<Value> operands,
      List<Value> results,
      Attributes attributes,
      List<Region> regions,
      Location location,
      Place place) {
    this.name = name;
    this.operands = ImmutableList.copyOf(operands);
    this.results = ImmutableList.copyOf(results);
    this.attributes = attributes;
    this.regions = ImmutableList.copyOf(regions);
    this.location = location;
    this.place = place;
  }

  /**
   * {@return an operation that was not read from a file}
   *
   * @param name the full name
   * @param operands the operands
   * @param results the results, defined here
   * @param attributes the attributes by name
   * @param regions the regions
   */
  public static Operation of(
      String name,
      List<Value> operands,
      List<Value> results,
      Attributes attributes,
      Region... regions) {
    return new Operation(
        name, operands, results, attributes, List.of(regions), Location.unknown(), Place.NONE);
  }

  /** {@return the full name, such as {@code stablehlo.add}} */
  public String name() {
    return name;
  }

  /** {@return the dialect, such as {@code stablehlo}} */
  public String dialect() {
    return name.substring(0, Math.max(0, name.indexOf('.')));
  }

  /** {@return the operands} */
  public ImmutableList<Value> operands() {
    return operands;
  }

  /**
   * {@return an operand}
   *
   * @param number its index, from 0
   */
  public Value operand(int number) {
    return operands.get(number);
  }

  /** {@return the results} */
  public ImmutableList<Value> results() {
    return results;
  }

  /** {@return the attributes, inherent and discardable ones} */
  public Attributes attributes() {
    return attributes;
  }

  /** {@return the regions} */
  public ImmutableList<Region> regions() {
    return regions;
  }

  /** {@return the blocks of all regions} */
  public ImmutableList<Block> blocks() {
    return regions.stream().flatMap(region -> region.blocks().stream()).collect(toImmutableList());
  }

  /** {@return how many operations this one and those in it are} */
  public long count() {
    long count = 1;
    for (Block block : blocks()) {
      for (Operation inner : block.operations()) {
        count += inner.count();
      }
    }
    return count;
  }

  /**
   * {@return a region}
   *
   * @param number its index, from 0
   * @throws HloException if there are fewer, as is possible in bytecode
   */
  public Region region(int number) {
    if (number >= regions.size()) {
      String got = "got " + regions.size() + " regions, want at least " + (number + 1);
      throw located(new HloException(PARSE, got));
    }
    return regions.get(number);
  }

  /** {@return its origin in the user's program} */
  public Location location() {
    return location;
  }

  /** {@return its position in the file} */
  public Place place() {
    return place;
  }

  /**
   * {@return an operation in the place of this one, with its regions}
   *
   * @param other its full name
   * @param taken its operands
   * @param given its results
   * @param with its attributes
   */
  public Operation replaced(String other, List<Value> taken, List<Value> given, Attributes with) {
    return new Operation(other, taken, given, with, regions, location, place);
  }

  /**
   * {@return the same operation with other attributes; its results are the same values}
   *
   * @param other the new attributes
   */
  public Operation withAttributes(Attributes other) {
    return replaced(name, operands, results, other);
  }

  /**
   * {@return the same operation with other regions; its results are the same values}
   *
   * @param other the new regions
   */
  public Operation withRegions(List<Region> other) {
    return new Operation(name, operands, results, attributes, other, location, place);
  }

  /** {@return the types of the operands} */
  public ImmutableList<Type> operandTypes() {
    return Value.types(operands);
  }

  /** {@return the types of the results} */
  public ImmutableList<Type> resultTypes() {
    return Value.types(results);
  }

  /**
   * Returns a refusal of this operation: its position and name precede the summary, and the user's
   * source line follows it.
   *
   * @param refusal what is wrong
   * @return the refusal
   */
  public HloException located(HloException refusal) {
    HloException placed = place.of(refusal.prefixed(name + ": "));
    return location.source().map(line -> placed.with("at", "at " + line)).orElse(placed);
  }

  /**
   * Returns the name and the types: {@code stablehlo.add : (tensor<f32>, tensor<f32>) ->
   * tensor<f32>}.
   */
  @Override
  public String toString() {
    return name + " : " + new Type.Function(operandTypes(), resultTypes());
  }
}
