package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.LIMIT;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;

/** A writer of operations as MLIR bytecode, in the encoding of a {@link BytecodeForm}. */
public final class BytecodeWriter {
  private static final String CAST = "builtin.unrealized_conversion_cast";

  /** An operation as it is written, and its encoded form. */
  private record Step(Operation operation, BytecodeForm.Stored stored) {}

  /** A block as it is written: with casts of its arguments and of operands and results. */
  private record Steps(Block block, List<Value> arguments, List<Step> steps) {}

  /** The numbers of the values in scope at the writer's position. */
  private static final class Scope {
    final Map<Value, Integer> numbers = new HashMap<>();
    int size;

    void define(List<Value> values) {
      values.forEach(value -> numbers.put(value, size++));
    }
  }

  private final BytecodeForm form;
  private final BuiltinWriter builtin;
  private final EntryPool pool;
  private final Map<ImmutableList<Object>, Integer> properties = new LinkedHashMap<>();
  private final Map<String, List<String>> operationNames = new TreeMap<>();
  private final Map<String, Integer> operationNumbers = new HashMap<>();
  private int depth;

  private BytecodeWriter(BytecodeForm form) {
    this.form = form;
    this.builtin = form.builtin();
    this.pool = builtin.pool();
  }

  /**
   * {@return an operation as bytecode}
   *
   * @param operation the operation at the top, a module
   * @param form the encoding of operations
   * @throws HloException if one cannot be written
   */
  public static byte[] write(Operation operation, BytecodeForm form) {
    return new BytecodeWriter(form).file(operation);
  }

  private boolean hasVersion(int version) {
    return form.containerVersion() >= version;
  }

  private byte[] file(Operation operation) {
    EntryWriter top = new EntryWriter().varint(1 << 1);
    write(new Step(operation, form.operation(operation)), new Scope(), top);
    pool.number();
    ByteWriter dialects = dialects();
    ByteWriter sizes = new ByteWriter();
    ByteWriter entries = new ByteWriter();
    pool.writeEntries(entries, sizes);
    ByteWriter operations = pool.bytes(top.parts());
    ByteWriter properties = propertyTable();
    ByteWriter strings = new ByteWriter();
    pool.writeStrings(strings);

    ByteWriter file = new ByteWriter();
    file.writeBytes(BytecodeSections.magic());
    file.varint(form.containerVersion());
    file.writeBytes((form.producer() + "\0").getBytes(StandardCharsets.UTF_8));
    file.section(BytecodeSections.DIALECTS, dialects);
    file.section(BytecodeSections.ENTRY_SIZES, sizes);
    file.section(BytecodeSections.ENTRIES, entries);
    file.section(BytecodeSections.OPERATIONS, operations);
    file.section(BytecodeSections.STRINGS, strings);
    if (hasVersion(BytecodeSections.PROPERTIES)) {
      file.section(BytecodeSections.PROPERTY_TABLE, properties);
    }
    return file.toByteArray();
  }

  private ByteWriter propertyTable() {
    ByteWriter table = new ByteWriter();
    table.varint(properties.size());
    for (ImmutableList<Object> parts : properties.keySet()) {
      table.sized(pool.bytes(parts));
    }
    return table;
  }

  /**
   * Returns the names of dialects and, for each dialect, those of its operations; also numbers the
   * operations.
   */
  private ByteWriter dialects() {
    ByteWriter out = new ByteWriter();
    List<String> names = pool.dialectNames();
    out.varint(names.size());
    for (String dialect : names) {
      name(dialect, BytecodeSections.DIALECT_VERSIONS, false, out);
    }
    if (hasVersion(BytecodeSections.OPTIONAL_LOCATIONS)) {
      out.varint(operationNames.values().stream().mapToInt(List::size).sum());
    }
    int next = 0;
    for (Map.Entry<String, List<String>> group : operationNames.entrySet()) {
      out.varint(pool.dialect(group.getKey()));
      out.varint(group.getValue().size());
      for (String operation : group.getValue()) {
        operationNumbers.put(group.getKey() + "." + operation, next++);
        name(operation, BytecodeSections.PROPERTIES, true, out);
      }
    }
    return out;
  }

  /** Writes the number of a name, with a flag if the container version has one there. */
  private void name(String name, int flaggedSince, boolean flag, ByteWriter out) {
    int number = pool.string(name);
    if (hasVersion(flaggedSince)) {
      out.varintWithFlag(number, flag);
    } else {
      out.varint(number);
    }
  }

  /**
   * Returns an operation, between the casts that it needs if it has types of the builtin dialect.
   */
  private void add(Operation operation, List<Step> into) {
    BytecodeForm.Stored stored = form.operation(operation);
    if (stored.own()) {
      into.add(new Step(operation, stored));
      return;
    }
    List<Value> operands = copies(operation.operands());
    List<Value> results = copies(operation.results());
    cast(operation.operands(), operands, false, operation.location(), into);
    Operation inner =
        operation.replaced(operation.name(), operands, results, operation.attributes());
    into.add(new Step(inner, stored));
    cast(results, operation.results(), true, operation.location(), into);
  }

  private static List<Value> copies(List<Value> values) {
    return values.stream().map(value -> Value.of(value.type())).toList();
  }

  /**
   * Adds casts of values between the types of the operations' own dialect and those of the builtin
   * dialect.
   */
  private static void cast(
      List<Value> from, List<Value> to, boolean toOwn, Location location, List<Step> into) {
    BytecodeForm.Stored stored =
        new BytecodeForm.Stored(CAST, toOwn, false, new EntryWriter(), Map.of(), Map.of());
    for (int i = 0; i < from.size(); i++) {
      List<Value> one = List.of(from.get(i));
      List<Value> other = List.of(to.get(i));
      into.add(
          new Step(
              new Operation(CAST, one, other, Attributes.NONE, List.of(), location, Place.NONE),
              stored));
    }
  }

  private Steps steps(Block block, boolean own, Location location) {
    List<Step> steps = new ArrayList<>();
    List<Value> arguments = own ? block.arguments() : copies(block.arguments());
    if (!own) {
      cast(arguments, block.arguments(), true, location, steps);
    }
    block.operations().forEach(operation -> add(operation, steps));
    return new Steps(block, arguments, steps);
  }

  private EntryWriter.Entry type(Value value, boolean own) {
    return own ? form.type(value.type()) : builtin.type(value.type());
  }

  /** Makes the name of an operation one of the file's; all are numbered at the end. */
  private EntryWriter.Later named(String name) {
    int dot = name.indexOf('.');
    String dialect = name.substring(0, dot);
    pool.dialect(dialect);
    if (operationNumbers.putIfAbsent(name, -1) == null) {
      operationNames
          .computeIfAbsent(dialect, any -> new ArrayList<>())
          .add(name.substring(dot + 1));
    }
    return new EntryWriter.Later(() -> operationNumbers.getOrDefault(name, -1));
  }

  private Optional<EntryWriter.Entry> dictionary(BytecodeForm.Stored stored) {
    Map<String, EntryWriter.Entry> entries = new TreeMap<>(stored.discardable());
    if (!hasVersion(BytecodeSections.PROPERTIES)) {
      entries.putAll(stored.inherent());
    }
    return entries.isEmpty() ? Optional.empty() : Optional.of(builtin.dictionary(entries));
  }

  private void write(Step step, Scope scope, EntryWriter out) {
    require(
        ++depth <= Nesting.MAX_DEPTH,
        LIMIT,
        "artifact: operations are nested more than %s deep, want fewer",
        Nesting.MAX_DEPTH);
    Operation operation = step.operation;
    ImmutableList<Object> parts = step.stored.properties().parts();
    boolean hasProperties = !parts.isEmpty() && hasVersion(BytecodeSections.PROPERTIES);
    Optional<EntryWriter.Entry> dictionary = dictionary(step.stored);
    int mask =
        (dictionary.isEmpty() ? 0 : BytecodeReader.ATTRIBUTES)
            | (operation.results().isEmpty() ? 0 : BytecodeReader.RESULTS)
            | (operation.operands().isEmpty() ? 0 : BytecodeReader.OPERANDS)
            | (operation.regions().isEmpty() ? 0 : BytecodeReader.REGIONS)
            | (hasProperties ? BytecodeReader.PROPERTIES : 0);
    out.with(named(step.stored.name())).oneByte(mask).entry(builtin.location(operation.location()));
    dictionary.ifPresent(out::entry);
    if (hasProperties) {
      out.varint(properties.computeIfAbsent(parts, any -> properties.size()));
    }
    if (!operation.results().isEmpty()) {
      out.entries(operation.results(), result -> type(result, step.stored.own()));
    }
    if (!operation.operands().isEmpty()) {
      out.varint(operation.operands().size());
      operation.operands().forEach(operand -> out.varint(number(operand, step, scope)));
    }
    if (!operation.regions().isEmpty()) {
      writeRegions(step, scope, out);
    }
    depth--;
  }

  private static int number(Value operand, Step step, Scope scope) {
    Integer number = scope.numbers.get(operand);
    if (number == null) {
      throw new HloException(
          ARGUMENT, "%s: operand %s is not defined before it is used", step.stored.name(), operand);
    }
    return number;
  }

  private void writeRegions(Step step, Scope scope, EntryWriter out) {
    boolean isolated = step.stored.isolated();
    List<Region> regions = step.operation.regions();
    out.varint(regions.size() << 1 | (isolated ? 1 : 0));
    Scope inner = isolated ? new Scope() : scope;
    boolean section = isolated && hasVersion(BytecodeSections.ISOLATED_SECTIONS);
    EntryWriter body = section ? new EntryWriter() : out;
    for (Region region : regions) {
      boolean own = step.stored.own();
      Location location = step.operation.location();
      writeRegion(
          region.blocks().stream().map(block -> steps(block, own, location)).toList(),
          own,
          inner,
          body);
    }
    if (section) {
      out.with(new EntryWriter.Section(body.parts()));
    }
  }

  private void writeRegion(List<Steps> blocks, boolean own, Scope scope, EntryWriter out) {
    out.varint(blocks.size());
    if (blocks.isEmpty()) {
      return;
    }
    int before = scope.size;
    // Values of nested regions are numbered after all values of this one.
    for (Steps block : blocks) {
      scope.define(block.arguments);
      block.steps.forEach(step -> scope.define(step.operation.results()));
    }
    out.varint(scope.size - before);
    blocks.forEach(block -> writeBlock(block, own, scope, out));
    scope.size = before;
  }

  private void writeBlock(Steps steps, boolean own, Scope scope, EntryWriter out) {
    List<Value> arguments = steps.block.arguments();
    out.varint(steps.steps.size() << 1 | (arguments.isEmpty() ? 0 : 1));
    if (!arguments.isEmpty()) {
      out.varint(arguments.size());
      for (Value argument : arguments) {
        EntryWriter.Entry type = type(argument, own);
        boolean isFlagged = hasVersion(BytecodeSections.OPTIONAL_LOCATIONS);
        out.with(isFlagged ? new EntryWriter.Flagged(type) : type);
        out.entry(builtin.location(argument.location()));
      }
      if (hasVersion(BytecodeSections.USE_ORDERS)) {
        out.oneByte(0);
      }
    }
    steps.steps.forEach(step -> write(step, scope, out));
  }
}
