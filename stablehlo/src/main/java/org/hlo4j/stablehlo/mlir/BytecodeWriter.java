package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/** A writer of operations as MLIR bytecode, in the encoding of a {@link BytecodeForm}. */
public final class BytecodeWriter {
  private static final String CAST = "builtin.unrealized_conversion_cast";

  /** An operation whose entries are collected but not yet numbered. */
  private record Prepared(
      String name,
      EntryWriter.Entry location,
      EntryWriter.@Nullable Entry dictionary,
      int properties,
      List<Value> operands,
      List<Value> results,
      List<EntryWriter.Entry> resultTypes,
      boolean isolated,
      List<List<PreparedBlock>> regions) {}

  private record PreparedBlock(
      List<Value> arguments,
      List<EntryWriter.Entry> types,
      List<EntryWriter.Entry> locations,
      List<Prepared> operations) {}

  /** The numbers of the values in scope at the writer's position. */
  private static final class Scope {
    final Map<Value, Integer> numbers = new HashMap<>();
    int size;
  }

  private final BytecodeForm form;
  private final EntryPool pool = new EntryPool();
  private final BuiltinWriter builtin;
  private final Map<ImmutableList<Object>, Integer> properties = new HashMap<>();
  private final List<ImmutableList<Object>> propertyList = new ArrayList<>();
  private final Map<String, List<String>> operationNames = new TreeMap<>();
  private final Map<String, Integer> operationNumbers = new HashMap<>();

  private int depth;

  private BytecodeWriter(BytecodeForm form) {
    this.form = form;
    this.builtin = new BuiltinWriter(pool, form.hasLocationRanges());
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
    List<Prepared> top = new ArrayList<>();
    prepare(operation, top);
    pool.number();
    ByteWriter dialects = dialects();
    ByteWriter sizes = new ByteWriter();
    ByteWriter entries = new ByteWriter();
    pool.writeEntries(entries, sizes);
    ByteWriter operations = new ByteWriter();
    operations.varintWithFlag(top.size(), false);
    Scope scope = new Scope();
    top.forEach(each -> write(each, scope, operations));
    ByteWriter properties = propertyTable();
    ByteWriter strings = new ByteWriter();
    pool.writeStrings(strings);

    ByteWriter file = new ByteWriter();
    file.write(BytecodeSections.magic());
    file.varint(form.containerVersion());
    file.write((form.producer() + "\0").getBytes(StandardCharsets.UTF_8));
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
    table.varint(propertyList.size());
    for (ImmutableList<Object> parts : propertyList) {
      ByteWriter bytes = new ByteWriter();
      pool.write(parts, bytes);
      table.varint(bytes.size());
      table.write(bytes);
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

  private void prepare(Operation operation, List<Prepared> into) {
    HloException.require(
        ++depth <= Nesting.MAX_DEPTH,
        HloException.Kind.LIMIT,
        "artifact: operations are nested more than %s deep, want fewer",
        Nesting.MAX_DEPTH);
    BytecodeForm.Stored stored = form.operation(operation, pool, builtin);
    EntryWriter.Entry location = builtin.location(operation.location());
    List<Value> operands = operation.operands();
    List<Value> results = operation.results();
    if (!stored.own()) {
      operands = castAll(operands, false, location, into);
      results = copies(results);
    }
    List<EntryWriter.Entry> types = new ArrayList<>();
    results.forEach(result -> types.add(type(result.type(), stored.own())));
    List<List<PreparedBlock>> regions = new ArrayList<>();
    for (Region region : operation.regions()) {
      List<PreparedBlock> blocks = new ArrayList<>();
      region.blocks().forEach(block -> blocks.add(prepare(block, stored.own(), location)));
      regions.add(blocks);
    }
    into.add(
        new Prepared(
            named(stored.name()),
            location,
            dictionary(stored),
            properties(stored),
            operands,
            results,
            types,
            stored.isolated(),
            regions));
    if (!stored.own()) {
      cast(results, operation.results(), true, location, into);
    }
    depth--;
  }

  private EntryWriter.Entry type(Type type, boolean own) {
    return own ? form.type(type, pool) : builtin.type(type);
  }

  private PreparedBlock prepare(Block block, boolean own, EntryWriter.Entry location) {
    List<Prepared> operations = new ArrayList<>();
    List<Value> arguments = block.arguments();
    if (!own) {
      arguments = copies(arguments);
      cast(arguments, block.arguments(), true, location, operations);
    }
    List<EntryWriter.Entry> types = new ArrayList<>();
    List<EntryWriter.Entry> locations = new ArrayList<>();
    for (Value argument : block.arguments()) {
      types.add(type(argument.type(), own));
      locations.add(builtin.location(argument.location()));
    }
    block.operations().forEach(operation -> prepare(operation, operations));
    return new PreparedBlock(arguments, types, locations, operations);
  }

  private static List<Value> copies(List<Value> values) {
    List<Value> copies = new ArrayList<>();
    values.forEach(value -> copies.add(Value.of(value.type())));
    return copies;
  }

  private List<Value> castAll(
      List<Value> values, boolean toOwn, EntryWriter.Entry location, List<Prepared> into) {
    List<Value> casts = copies(values);
    cast(values, casts, toOwn, location, into);
    return casts;
  }

  /**
   * Writes casts of values between the types of the operations' own dialect and those of the
   * builtin dialect.
   */
  private void cast(
      List<Value> from,
      List<Value> to,
      boolean toOwn,
      EntryWriter.Entry location,
      List<Prepared> into) {
    for (int i = 0; i < from.size(); i++) {
      into.add(
          new Prepared(
              named(CAST),
              location,
              null,
              -1,
              ImmutableList.of(from.get(i)),
              ImmutableList.of(to.get(i)),
              ImmutableList.of(type(to.get(i).type(), toOwn)),
              false,
              ImmutableList.of()));
    }
  }

  private String named(String name) {
    int dot = name.indexOf('.');
    String dialect = name.substring(0, dot);
    pool.dialect(dialect);
    List<String> names = operationNames.computeIfAbsent(dialect, any -> new ArrayList<>());
    if (operationNumbers.putIfAbsent(name, -1) == null) {
      names.add(name.substring(dot + 1));
    }
    return name;
  }

  private EntryWriter.@Nullable Entry dictionary(BytecodeForm.Stored stored) {
    Map<String, EntryWriter.Entry> entries = new TreeMap<>(stored.discardable());
    if (!hasVersion(BytecodeSections.PROPERTIES)) {
      entries.putAll(stored.inherent());
    }
    return entries.isEmpty() ? null : builtin.dictionary(entries);
  }

  private int properties(BytecodeForm.Stored stored) {
    ImmutableList<Object> parts = stored.properties().parts();
    if (parts.isEmpty() || !hasVersion(BytecodeSections.PROPERTIES)) {
      return -1;
    }
    Integer known = properties.get(parts);
    if (known == null) {
      known = propertyList.size();
      properties.put(parts, known);
      propertyList.add(parts);
    }
    return known;
  }

  private void write(Prepared operation, Scope scope, ByteWriter out) {
    out.varint(operationNumbers.getOrDefault(operation.name, -1));
    out.writeByte(mask(operation));
    out.varint(operation.location.number);
    if (operation.dictionary != null) {
      out.varint(operation.dictionary.number);
    }
    if (operation.properties >= 0) {
      out.varint(operation.properties);
    }
    if (!operation.results.isEmpty()) {
      out.varint(operation.results.size());
      operation.resultTypes.forEach(type -> out.varint(type.number));
    }
    if (!operation.operands.isEmpty()) {
      out.varint(operation.operands.size());
      operation.operands.forEach(operand -> out.varint(number(operand, operation, scope)));
    }
    if (!operation.regions.isEmpty()) {
      writeRegions(operation, scope, out);
    }
  }

  private static int mask(Prepared operation) {
    return (operation.dictionary == null ? 0 : BytecodeReader.ATTRIBUTES)
        | (operation.results.isEmpty() ? 0 : BytecodeReader.RESULTS)
        | (operation.operands.isEmpty() ? 0 : BytecodeReader.OPERANDS)
        | (operation.regions.isEmpty() ? 0 : BytecodeReader.REGIONS)
        | (operation.properties < 0 ? 0 : BytecodeReader.PROPERTIES);
  }

  private static int number(Value operand, Prepared operation, Scope scope) {
    Integer number = scope.numbers.get(operand);
    if (number == null) {
      throw new HloException(
          HloException.Kind.ARGUMENT,
          operation.name + ": operand " + operand + " is not defined before it is used");
    }
    return number;
  }

  private void writeRegions(Prepared operation, Scope scope, ByteWriter out) {
    out.varintWithFlag(operation.regions.size(), operation.isolated);
    Scope inner = operation.isolated ? new Scope() : scope;
    boolean section = operation.isolated && hasVersion(BytecodeSections.ISOLATED_SECTIONS);
    ByteWriter body = section ? new ByteWriter() : out;
    operation.regions.forEach(region -> writeRegion(region, inner, body));
    if (section) {
      out.section(BytecodeSections.OPERATIONS, body);
    }
  }

  private void writeRegion(List<PreparedBlock> blocks, Scope scope, ByteWriter out) {
    out.varint(blocks.size());
    if (blocks.isEmpty()) {
      return;
    }
    int before = scope.size;
    // Values of nested regions are numbered after all values of this one.
    for (PreparedBlock block : blocks) {
      block.arguments.forEach(argument -> scope.numbers.put(argument, scope.size++));
      for (Prepared operation : block.operations) {
        operation.results.forEach(result -> scope.numbers.put(result, scope.size++));
      }
    }
    out.varint(scope.size - before);
    blocks.forEach(block -> writeBlock(block, scope, out));
    scope.size = before;
  }

  private void writeBlock(PreparedBlock block, Scope scope, ByteWriter out) {
    boolean arguments = !block.arguments.isEmpty();
    out.varintWithFlag(block.operations.size(), arguments);
    if (arguments) {
      out.varint(block.arguments.size());
      for (int i = 0; i < block.arguments.size(); i++) {
        int type = block.types.get(i).number;
        if (hasVersion(BytecodeSections.OPTIONAL_LOCATIONS)) {
          out.varintWithFlag(type, true);
        } else {
          out.varint(type);
        }
        out.varint(block.locations.get(i).number);
      }
      if (hasVersion(BytecodeSections.USE_ORDERS)) {
        out.writeByte(0);
      }
    }
    block.operations.forEach(operation -> write(operation, scope, out));
  }
}
