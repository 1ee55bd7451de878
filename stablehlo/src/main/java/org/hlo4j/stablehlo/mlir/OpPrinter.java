package org.hlo4j.stablehlo.mlir;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A printer of operations. It writes the generic form itself and custom forms by the {@link
 * Dialects}.
 */
public final class OpPrinter {
  private final StringBuilder out = new StringBuilder();
  private final Dialects dialects;
  private final boolean withLocations;
  private final boolean genericForm;
  private final ValueNames names = new ValueNames();
  private final Map<Location, String> aliases = new LinkedHashMap<>();
  private final Deque<String> parents = new ArrayDeque<>();
  private int indent;

  OpPrinter(Dialects dialects, boolean withLocations, boolean genericForm) {
    this.dialects = dialects;
    this.withLocations = withLocations;
    this.genericForm = genericForm;
  }

  String print(Operation module) {
    operation(module);
    out.append('\n');
    aliases.forEach(
        (location, name) -> out.append(name).append(" = loc(").append(location).append(")\n"));
    return out.toString();
  }

  // Methods for custom forms.

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
    out.append(names.of(value));
    return this;
  }

  /**
   * Appends uses of values with commas between them.
   *
   * @param values the values
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
   * Gives a value the name of another value, if that has one.
   *
   * @param value the value to name
   * @param other the value whose name it gets
   */
  public void sameName(Value value, Value other) {
    if (names.has(other)) {
      names.put(value, names.of(other));
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
   * Enters a scope. Names given from here on are released by {@link #leave}.
   *
   * @return this
   */
  public OpPrinter enter() {
    names.enter(false);
    return this;
  }

  /**
   * Enters a scope in which the names from outside are not visible.
   *
   * @return this
   */
  public OpPrinter enterIsolated() {
    names.enter(true);
    return this;
  }

  /** Leaves the scope that {@link #enter} opened. */
  public void leave() {
    names.leave();
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
      region.block().arguments().forEach(names::of);
      operations(region.block());
      leave();
    }
    indent--;
    return newLine().text("}");
  }

  /**
   * Appends a region in braces, with its arguments in a block label.
   *
   * @param region the region
   * @return this
   */
  public OpPrinter region(Region region) {
    region(region, false);
    return this;
  }

  private void operations(Block block) {
    block.operations().forEach(each -> names.defineResults(each, dialects.resultNames(each)));
    for (Operation operation : block.operations()) {
      newLine().operation(operation);
    }
  }

  private void region(Region region, boolean isolated) {
    out.append('{');
    names.enter(isolated);
    for (Block block : region.blocks()) {
      if (!block.arguments().isEmpty()) {
        newLine().text("^bb0(");
        for (int i = 0; i < block.arguments().size(); i++) {
          text(i == 0 ? "" : ", ").argument(block.arguments().get(i));
        }
        text("):");
      } else if (block.operations().isEmpty()) {
        newLine().text("^bb0:");
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
    if (genericForm || !custom(operation)) {
      generic(operation);
    }
    location(operation.location());
  }

  /** Prints the custom form; returns whether there is one that can express the operation. */
  private boolean custom(Operation operation) {
    Optional<OpSyntax> syntax = dialects.syntax(operation.name());
    if (syntax.isEmpty()) {
      return false;
    }
    int start = out.length();
    out.append(shortName(operation.name()));
    parents.push(operation.name());
    boolean said = syntax.get().print(this, operation);
    parents.pop();
    if (!said) {
      out.setLength(start);
    }
    return said;
  }

  /**
   * Returns the name of an op, without the dialect if the parent op belongs to the same dialect and
   * the short name is unambiguous.
   */
  private String shortName(String name) {
    int dot = name.indexOf('.');
    String parent = parents.isEmpty() ? "builtin.module" : parents.element();
    boolean own = parent.startsWith(name.substring(0, dot + 1)) && !name.equals("func.func");
    return own && dialects.fullName(name.substring(dot + 1)).equals(name)
        ? name.substring(dot + 1)
        : name;
  }

  /** Appends {@code %0 = } or {@code %0:2 = }. */
  private void results(Operation operation) {
    if (operation.results().isEmpty()) {
      return;
    }
    names.defineResults(operation, dialects.resultNames(operation));
    out.append(names.ofResults(operation));
    out.append(" = ");
  }

  private void generic(Operation operation) {
    out.append(MlirText.quoted(operation.name())).append('(');
    operands(operation.operands()).text(")");
    Predicate<String> isInherent = name -> dialects.isInherent(operation.name(), name);
    Attributes inherent = operation.attributes().filtered(isInherent);
    if (!inherent.entries().isEmpty()) {
      text(" <" + inherent + ">");
    }
    regions(operation);
    attributes(operation.attributes().filtered(isInherent.negate()));
    text(" : " + new Type.Function(operation.operandTypes(), operation.resultTypes()));
  }

  private void regions(Operation operation) {
    if (operation.regions().isEmpty()) {
      return;
    }
    parents.push(operation.name());
    text(" (");
    for (int i = 0; i < operation.regions().size(); i++) {
      text(i == 0 ? "" : ", ");
      region(operation.region(i), dialects.isIsolated(operation.name()));
    }
    text(")");
    parents.pop();
  }
}
