package org.hlo4j.stablehlo.mlir;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes operations as text: the generic form itself, custom forms by the {@link Dialects}. */
public final class OpPrinter {
  private final StringBuilder out = new StringBuilder();
  private final Dialects dialects;
  private final boolean withLocations;
  private final Map<Value, String> names = new HashMap<>();
  private final Map<Location, String> aliases = new LinkedHashMap<>();
  private final Deque<Names> scopes = new ArrayDeque<>();
  private int indent;

  /** The next numbers of results and arguments without a name. */
  private static final class Numbers {
    int results;
    int arguments;

    Numbers copy() {
      Numbers copy = new Numbers();
      copy.results = results;
      copy.arguments = arguments;
      return copy;
    }
  }

  /** Names that are taken, and the next numbers. */
  private record Names(Set<String> taken, Map<String, Integer> counts, Numbers number) {
    static Names outermost() {
      return new Names(new HashSet<>(), new HashMap<>(), new Numbers());
    }

    /** A scope within: names of the outer one stay taken, those given here are free behind it. */
    Names inner() {
      return new Names(new HashSet<>(taken), new HashMap<>(counts), number.copy());
    }
  }

  OpPrinter(Dialects dialects, boolean withLocations) {
    this.dialects = dialects;
    this.withLocations = withLocations;
    scopes.push(Names.outermost());
  }

  String print(Operation module) {
    operation(module);
    out.append('\n');
    aliases.forEach(
        (location, name) -> out.append(name).append(" = loc(").append(location).append(")\n"));
    return out.toString();
  }

  // What custom forms use.

  /**
   * Appends text.
   *
   * @param text the text
   * @return this
   */
  public OpPrinter text(String text) {
    out.append(text);
    return this;
  }

  /**
   * Appends the use of a value: its name, with a number for one of several results.
   *
   * @param value the value
   * @return this
   */
  public OpPrinter value(Value value) {
    String known = names.get(value);
    out.append(
        known == null ? defined(value, value.name().isEmpty() ? "arg" : value.name()) : known);
    return this;
  }

  /**
   * Appends uses of values with commas between them.
   *
   * @param values the numbers
   * @return this
   */
  public OpPrinter operands(List<Value> values) {
    for (int i = 0; i < values.size(); i++) {
      text(i == 0 ? "" : ", ").value(values.get(i));
    }
    return this;
  }

  /**
   * Appends an argument of a block with its type and location.
   *
   * @param value the value
   * @return this
   */
  public OpPrinter argument(Value value) {
    return value(value).text(": " + value.type()).location(value.location());
  }

  /**
   * Gives a value the name of another.
   *
   * @param value the value
   * @param other what takes their place
   */
  public void sameName(Value value, Value other) {
    String name = names.get(other);
    if (name != null) {
      names.put(value, name);
    }
  }

  /**
   * Appends attributes in braces, if there are any.
   *
   * @param attributes the attributes
   * @return this
   */
  public OpPrinter attributes(Attributes attributes) {
    return attributes.entries().isEmpty() ? this : text(" " + attributes);
  }

  /**
   * Appends a location, if they are printed.
   *
   * @param location the location
   * @return this
   */
  public OpPrinter location(Location location) {
    if (withLocations) {
      out.append(" loc(").append(alias(location)).append(')');
    }
    return this;
  }

  private String alias(Location location) {
    return location.equals(Location.unknown())
        ? "unknown"
        : aliases.computeIfAbsent(location, each -> "#loc" + (aliases.size() + 1));
  }

  /**
   * Starts a new line.
   *
   * @return this
   */
  public OpPrinter newLine() {
    out.append('\n').append("  ".repeat(indent));
    return this;
  }

  /**
   * Names given from here on are free again behind {@link #leave}.
   *
   * @return this
   */
  public OpPrinter enter() {
    scopes.push(scopes.element().inner());
    return this;
  }

  /**
   * The same, for a region that sees no names from outside.
   *
   * @return this
   */
  public OpPrinter enterIsolated() {
    scopes.push(Names.outermost());
    return this;
  }

  /** Ends what {@link #enter} began. */
  public void leave() {
    scopes.pop();
  }

  /**
   * Appends a region in braces, whose arguments were printed elsewhere.
   *
   * @param region the region
   * @return this
   */
  public OpPrinter body(Region region) {
    out.append('{');
    indent++;
    if (!region.isEmpty()) {
      enter();
      region.block().arguments().forEach(this::ensureNamed);
      operations(region.block());
      leave();
    }
    indent--;
    return newLine().text("}");
  }

  private void ensureNamed(Value argument) {
    if (!names.containsKey(argument)) {
      defined(argument, "arg");
    }
  }

  private void operations(Block block) {
    for (Operation operation : block.operations()) {
      newLine().operation(operation);
    }
  }

  private void region(Region region) {
    out.append('{');
    enter();
    for (Block block : region.blocks()) {
      if (!block.arguments().isEmpty()) {
        newLine().text("^bb0(");
        for (int i = 0; i < block.arguments().size(); i++) {
          text(i == 0 ? "" : ", ").argument(block.arguments().get(i));
        }
        text("):");
      }
      indent++;
      operations(block);
      indent--;
    }
    leave();
    newLine().text("}");
  }

  private void operation(Operation operation) {
    results(operation);
    int start = out.length();
    OpSyntax syntax = dialects.syntax(operation.name()).orElse(null);
    if (syntax != null) {
      out.append(shortName(operation.name()));
      if (syntax.print(this, operation)) {
        location(operation.location());
        return;
      }
      out.setLength(start);
    }
    generic(operation);
    location(operation.location());
  }

  private static String shortName(String name) {
    return switch (name) {
      case "builtin.module" -> "module";
      case "func.return" -> "return";
      case "func.call" -> "call";
      default -> name;
    };
  }

  /** {@code %0 = }, {@code %0:2 = }. */
  private void results(Operation operation) {
    if (operation.results().isEmpty()) {
      return;
    }
    Value first = operation.results().get(0);
    String name = defined(first, first.name().isEmpty() ? suggested(operation) : first.name());
    int count = operation.results().size();
    if (count == 1) {
      out.append(name).append(" = ");
      return;
    }
    out.append(name).append(':').append(count).append(" = ");
    for (int i = 0; i < count; i++) {
      names.put(operation.results().get(i), name + "#" + i);
    }
  }

  /** Constants are called {@code cst}, those of integers {@code c}, as MLIR does it. */
  private static String suggested(Operation operation) {
    if (!operation.name().equals("stablehlo.constant")) {
      return "";
    }
    return operation.results().get(0).type() instanceof Type.Tensor tensor
            && tensor.element() instanceof Type.Int
        ? "c"
        : "cst";
  }

  /** The new name of a value; a wanted one gets a number if it is taken. */
  private String defined(Value value, String wanted) {
    Names scope = scopes.element();
    String name;
    if (wanted.isEmpty() || isNumber(wanted)) {
      do {
        name = Integer.toString(scope.number.results++);
      } while (!scope.taken.add(name));
    } else if (wanted.equals("arg")) {
      do {
        name = "arg" + scope.number.arguments++;
      } while (!scope.taken.add(name));
    } else {
      name = wanted;
      while (!scope.taken.add(name)) {
        name = wanted + "_" + scope.counts.merge(wanted, 1, Integer::sum);
      }
    }
    names.put(value, "%" + name);
    return "%" + name;
  }

  private static boolean isNumber(String name) {
    return name.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private void generic(Operation operation) {
    out.append(MlirText.quoted(operation.name())).append('(');
    operands(operation.operands()).text(")");
    if (!operation.regions().isEmpty()) {
      text(" (");
      for (int i = 0; i < operation.regions().size(); i++) {
        text(i == 0 ? "" : ", ");
        region(operation.region(i));
      }
      text(")");
    }
    attributes(operation.attributes());
    text(" : " + new Type.Function(operation.operandTypes(), operation.resultTypes()));
  }
}
