package org.hlo4j.stablehlo;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Place;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Value;

/** A module without what neither converter promises. */
final class MlirNormalForm {
  /** Numbers that are 1 unless they are given. */
  private static final ImmutableSet<String> ONES =
      ImmutableSet.of(
          "window_strides", "base_dilations", "window_dilations", "lhs_dilation", "rhs_dilation");

  private static final ImmutableSet<String> ZEROS = ImmutableSet.of("padding", "window_reversal");

  /**
   * What XLA writes of each instruction that has another layout than the default, and does not read
   * itself; and a note of XLA's about the origin of values.
   */
  private static final ImmutableSet<String> NOT_READ =
      ImmutableSet.of("result_layout", "xla_shape", "mhlo.original_value");

  private final Operation given;
  private final Map<String, Operation> functions = new LinkedHashMap<>();
  private final Map<String, Operation> called = new LinkedHashMap<>();
  private final Map<Value, Value> values = new HashMap<>();

  MlirNormalForm(Operation given) {
    this.given = given;
    given.region(0).block().operations().forEach(each -> functions.put(name(each), each));
  }

  private static String name(Operation function) {
    return function.attributes().get("sym_name") instanceof Attribute.Str name ? name.value() : "";
  }

  Operation module() {
    call("main");
    return with(given, given.operands(), given.results(), new ArrayList<>(called.values()));
  }

  private void call(String function) {
    Operation known = functions.get(function);
    if (known != null && !called.containsKey(function)) {
      called.put(function, known);
      called.put(function, copy(known));
    }
  }

  private Operation copy(Operation operation) {
    operation.attributes().entries().values().forEach(this::callAll);
    List<Value> operands = operation.operands().stream().map(values::get).toList();
    List<Value> results = operation.results().stream().map(this::unnamed).toList();
    List<Region> regions = new ArrayList<>();
    for (Region region : operation.regions()) {
      regions.add(region.isEmpty() ? region : Region.of(copy(region.block())));
    }
    return new Operation(
        operation.name(),
        operands,
        results,
        attributes(operation),
        regions,
        location(operation.location()),
        Place.NONE);
  }

  /** Returns a location; XLA writes the name of an instruction where it has no other. */
  private static Location location(Location location) {
    return location instanceof Location.Name name
            && name.child().equals(Location.unknown())
            && name.name().matches("[pr][0-9]+")
        ? Location.unknown()
        : location;
  }

  private void callAll(Attribute attribute) {
    if (attribute instanceof Attribute.Symbol symbol) {
      call(symbol.name());
    } else if (attribute instanceof Attribute.Array array) {
      array.elements().forEach(this::callAll);
    }
  }

  private Block copy(Block block) {
    ImmutableList<Value> arguments =
        block.arguments().stream().map(this::withoutName).collect(toImmutableList());
    return new Block(
        arguments, block.operations().stream().map(this::copy).collect(toImmutableList()));
  }

  private Value unnamed(Value value) {
    return put(value, location(value.location()));
  }

  /** Returns an argument; we write its name as its location, XLA that of the user's program. */
  private Value withoutName(Value argument) {
    boolean isName =
        argument.location() instanceof Location.Name name
            && name.child().equals(Location.unknown());
    return put(argument, isName ? Location.unknown() : argument.location());
  }

  private Value put(Value value, Location location) {
    Value made = new Value(value.type(), "", location);
    values.put(value, made);
    return made;
  }

  private Operation with(
      Operation operation, List<Value> operands, List<Value> results, List<Operation> inside) {
    Block block = new Block(ImmutableList.of(), ImmutableList.copyOf(inside));
    return new Operation(
        operation.name(),
        operands,
        results,
        operation.attributes(),
        List.of(Region.of(block)),
        operation.location(),
        Place.NONE);
  }

  private static Attributes attributes(Operation operation) {
    Map<String, Attribute> all = new TreeMap<>(operation.attributes().entries());
    all.keySet().removeAll(NOT_READ);
    all.entrySet().removeIf(each -> isDefault(each.getKey(), each.getValue()));
    if (operation.name().equals("func.func")) {
      all.remove("sym_visibility");
    }
    return Attributes.of(all);
  }

  private static boolean isDefault(String name, Attribute value) {
    return switch (name) {
      case "backend_config" -> value.equals(new Attribute.Str(""));
      case "precision_config" -> value.toString().replace("DEFAULT", "").matches("[^A-Z]*");
      default ->
          (ONES.contains(name) && isAll(value, 1)) || (ZEROS.contains(name) && isAll(value, 0));
    };
  }

  private static boolean isAll(Attribute value, long number) {
    Set<Long> numbers = new HashSet<>();
    if (value instanceof Attribute.DenseArray array) {
      numbers.addAll(array.values());
    } else if (value instanceof Attribute.Dense dense) {
      Literal elements = dense.elements();
      for (int i = 0; i < elements.elementCount(); i++) {
        numbers.add(elements.longAt(i));
      }
    }
    return numbers.isEmpty() || numbers.equals(Set.of(number));
  }
}
