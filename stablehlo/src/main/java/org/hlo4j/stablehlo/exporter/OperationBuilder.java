package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.Dims;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Place;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** A builder of an operation that is appended to a block. */
@CanIgnoreReturnValue
final class OperationBuilder {
  private final List<Operation> block;
  private final String name;
  private final Location location;
  private final Map<String, Attribute> attributes = new TreeMap<>();
  private final List<Region> regions = new ArrayList<>();
  private List<Value> operands = List.of();
  private List<Type> types = List.of();

  OperationBuilder(List<Operation> block, String name, Location location) {
    this.block = block;
    this.name = name;
    this.location = location;
  }

  OperationBuilder withOperands(List<Value> values) {
    operands = values;
    return this;
  }

  OperationBuilder withOperands(Value... values) {
    return withOperands(List.of(values));
  }

  OperationBuilder withResultTypes(List<? extends Type> results) {
    types = List.copyOf(results);
    return this;
  }

  OperationBuilder withResultTypes(Type result) {
    return withResultTypes(List.of(result));
  }

  OperationBuilder with(String attribute, Attribute value) {
    attributes.put(attribute, value);
    return this;
  }

  /** Adds an attribute if it is present. */
  OperationBuilder with(String attribute, Optional<? extends Attribute> value) {
    attributes.remove(attribute);
    value.ifPresent(present -> attributes.put(attribute, present));
    return this;
  }

  OperationBuilder with(Map<String, Attribute> all) {
    attributes.putAll(all);
    return this;
  }

  OperationBuilder with(String attribute, Dims value) {
    return with(attribute, AttributeFactory.ints(value));
  }

  OperationBuilder with(String attribute, long value) {
    return with(attribute, Attribute.Int.i64(value));
  }

  OperationBuilder with(String attribute, boolean value) {
    return with(attribute, Attribute.Int.bool(value));
  }

  OperationBuilder with(Region region) {
    regions.add(region);
    return this;
  }

  /** Appends the operation to the block and returns its results. */
  ImmutableList<Value> emit() {
    ImmutableList<Value> results = types.stream().map(Value::of).collect(toImmutableList());
    Attributes canonical =
        OpTable.find(name)
            .map(row -> row.canonical(attributes))
            .orElseGet(() -> Attributes.of(attributes));
    block.add(new Operation(name, operands, results, canonical, regions, location, Place.NONE));
    return results;
  }

  /** Appends the operation to the block and returns its only result. */
  Value emitOne() {
    return emit().get(0);
  }
}
