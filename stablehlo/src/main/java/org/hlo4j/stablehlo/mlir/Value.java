package org.hlo4j.stablehlo.mlir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * An SSA value: a result of an {@link Operation} or an argument of a {@link Block}.
 *
 * <p>Values are compared by identity: two values with the same type and name are different.
 */
public final class Value {
  private final Type type;
  private final String name;
  private final Location location;

  /**
   * Creates a value, which is different from all others.
   *
   * @param type its type
   * @param name its name in the text, without the percent sign; empty if none is known
   * @param location its origin; used for block arguments only
   */
  public Value(Type type, String name, Location location) {
    this.type = requireNonNull(type, "type");
    this.name = requireNonNull(name, "name");
    this.location = requireNonNull(location, "location");
  }

  /**
   * {@return a new value without name and location}
   *
   * @param type the type
   */
  public static Value of(Type type) {
    return new Value(type, "", Location.unknown());
  }

  /**
   * {@return the types of values}
   *
   * @param values the values
   */
  public static ImmutableList<Type> types(List<Value> values) {
    return values.stream().map(Value::type).collect(toImmutableList());
  }

  /** {@return its type} */
  public Type type() {
    return type;
  }

  /** {@return the name in the text, without the percent sign; empty if none is known} */
  public String name() {
    return name;
  }

  /** {@return its origin} */
  public Location location() {
    return location;
  }

  /** Returns the name and the type: {@code %arg0: tensor<2xf32>}. */
  @Override
  public String toString() {
    return "%" + name + ": " + type;
  }
}
