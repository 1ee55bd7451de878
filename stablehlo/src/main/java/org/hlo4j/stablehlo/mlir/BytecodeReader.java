package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * A reader of MLIR bytecode, versions 0 to 6. It decodes the container and the builtin dialect;
 * other dialects are decoded by {@link BytecodeDialects}.
 *
 * <p>Elements of tensors stay in the array of the file and are decoded on first access. Use-list
 * orders and versions of dialects are skipped. A count in the file causes no allocation before the
 * file has been found to hold as many bytes.
 */
public final class BytecodeReader {

  static final int ATTRIBUTES = 1;
  static final int RESULTS = 2;
  static final int OPERANDS = 4;
  private static final int SUCCESSORS = 8;
  static final int REGIONS = 16;
  private static final int USE_ORDERS = 32;
  static final int PROPERTIES = 64;

  /** A cast between dialects; it is the identity once all types have been read into one form. */
  private static final String CAST = "builtin.unrealized_conversion_cast";

  /** The values in scope at the reader's position, by their numbers. */
  private static final class Scope {
    final List<@Nullable Value> values = new ArrayList<>();

    /** The number of the next value, for each region that is open. */
    final List<Integer> next = new ArrayList<>();

    void open(int count) {
      next.add(values.size());
      for (int i = 0; i < count; i++) {
        values.add(null);
      }
    }

    void close(int count) {
      next.remove(next.size() - 1);
      values.subList(values.size() - count, values.size()).clear();
    }

    void define(Value value, ByteReader in) {
      int number = next.get(next.size() - 1);
      if (number >= values.size()) {
        throw in.refusal("a region has more values than it says");
      }
      values.set(number, value);
      next.set(next.size() - 1, number + 1);
    }
  }

  /** A key of the attributes of an operation: their numbers in the file. */
  private record AttributesKey(int operation, long dictionary, long properties) {}

  private final BytecodeDialects dialects;
  private final BytecodeSections sections;
  private final EntryTable table;
  private final List<ByteReader> properties = new ArrayList<>();
  private final Map<AttributesKey, Attributes> attributes = new HashMap<>();
  private int depth;

  private BytecodeReader(byte[] file, BytecodeDialects dialects) {
    this.dialects = dialects;
    this.sections = new BytecodeSections(file, dialects);
    this.table = new EntryTable(sections, dialects);
    ByteReader in = sections.properties();
    if (in != null) {
      int count = in.count("properties");
      for (int i = 0; i < count; i++) {
        properties.add(in.slice(in.count("bytes")));
      }
    }
  }

  /**
   * Returns whether bytes have the signature of bytecode.
   *
   * @param file the bytes
   * @return whether they do
   */
  public static boolean isBytecode(byte[] file) {
    return BytecodeSections.isBytecode(file);
  }

  /**
   * Reads a file.
   *
   * @param file its bytes, which must not change any more
   * @param dialects the known dialects
   * @return the top-level operation
   * @throws HloException if it is not such a file; the message begins with the offset of the byte
   */
  public static Operation read(byte[] file, BytecodeDialects dialects) {
    BytecodeReader reader = new BytecodeReader(file, dialects);
    Scope scope = new Scope();
    scope.open(0);
    Block top = reader.block(reader.sections.operations(), scope, "");
    HloException.require(
        top.operations().size() == 1,
        HloException.Kind.PARSE,
        "the file has %s operations at its top, want one module",
        top.operations().size());
    return top.operations().get(0);
  }

  private Region region(ByteReader in, Scope scope, String parent) {
    int blocks = in.count("blocks");
    if (blocks == 0) {
      return new Region(ImmutableList.of());
    }
    int values = in.count("values");
    scope.open(values);
    ImmutableList.Builder<Block> list = ImmutableList.builder();
    for (int i = 0; i < blocks; i++) {
      list.add(block(in, scope, parent));
    }
    scope.close(values);
    return new Region(list.build());
  }

  private Block block(ByteReader in, Scope scope, String parent) {
    long header = in.varint();
    ImmutableList<Value> arguments = (header & 1) == 0 ? ImmutableList.of() : arguments(in, scope);
    long count = header >>> 1;
    if (count > in.remaining()) {
      throw in.refusal("got a block of %s operations, %s bytes follow", count, in.remaining());
    }
    ImmutableList.Builder<Operation> operations = ImmutableList.builder();
    for (long i = 0; i < count; i++) {
      Operation operation = operation(in, scope, parent);
      if (operation != null) {
        operations.add(operation);
      }
    }
    return new Block(arguments, operations.build());
  }

  private ImmutableList<Value> arguments(ByteReader in, Scope scope) {
    int count = in.count("arguments");
    ImmutableList.Builder<Value> arguments = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      long type = in.varint();
      boolean located = true;
      if (sections.version() >= BytecodeSections.OPTIONAL_LOCATIONS) {
        located = (type & 1) != 0;
        type >>>= 1;
      }
      Type of = table.type(type, in);
      Location at = located ? table.location(in.varint(), in) : Location.unknown();
      Value argument = new Value(of, "", at);
      scope.define(argument, in);
      arguments.add(argument);
    }
    if (sections.version() >= BytecodeSections.USE_ORDERS && in.readByte() != 0) {
      skipUseOrders(in, count);
    }
    return arguments.build();
  }

  /** Reads an operation; returns null for a cast, which is left out. */
  private @Nullable Operation operation(ByteReader in, Scope scope, String parent) {
    Place place = Place.atByte(in.position());
    in.setSubject("");
    int number = in.index(sections.operationNames().size(), "operation name");
    String stored = sections.operationNames().get(number);
    in.setSubject(stored);
    int mask = in.readByte();
    Location location = table.location(in.varint(), in);
    long dictionary = has(mask, ATTRIBUTES) ? in.varint() : -1;
    long property = has(mask, PROPERTIES) ? in.varint() : -1;
    ImmutableList<Type> types = has(mask, RESULTS) ? types(in) : ImmutableList.of();
    ImmutableList<Value> operands = has(mask, OPERANDS) ? operands(in, scope) : ImmutableList.of();
    if (has(mask, SUCCESSORS) && in.count("successors") > 0) {
      throw in.refusal("got branches to other blocks, which no operation here has");
    }
    if (has(mask, USE_ORDERS)) {
      skipUseOrders(in, types.size());
    }
    if (isIdentity(stored, operands, types)) {
      scope.define(operands.get(0), in);
      return null;
    }
    String name = placed(place, () -> dialects.operationName(stored, parent));
    Attributes given = attributes(new AttributesKey(number, dictionary, property), stored, in);
    ImmutableList<Region> regions =
        has(mask, REGIONS) ? regions(in, scope, name) : ImmutableList.of();
    // Defined only now, so that nothing inside the operation can use its results.
    ImmutableList<Value> results = results(types, location, scope, in);
    return new Operation(name, operands, results, given, regions, location, place);
  }

  private static boolean has(int mask, int part) {
    return (mask & part) != 0;
  }

  private static boolean isIdentity(String stored, List<Value> operands, List<Type> types) {
    return stored.equals(CAST)
        && operands.size() == 1
        && types.size() == 1
        && operands.get(0).type() == types.get(0);
  }

  private ImmutableList<Type> types(ByteReader in) {
    int count = in.count("results");
    ImmutableList.Builder<Type> types = ImmutableList.builderWithExpectedSize(count);
    for (int i = 0; i < count; i++) {
      types.add(table.type(in.varint(), in));
    }
    return types.build();
  }

  private static ImmutableList<Value> results(
      List<Type> types, Location location, Scope scope, ByteReader in) {
    ImmutableList.Builder<Value> results = ImmutableList.builderWithExpectedSize(types.size());
    for (Type type : types) {
      Value result = new Value(type, "", location);
      scope.define(result, in);
      results.add(result);
    }
    return results.build();
  }

  private static ImmutableList<Value> operands(ByteReader in, Scope scope) {
    int count = in.count("operands");
    ImmutableList.Builder<Value> operands = ImmutableList.builderWithExpectedSize(count);
    for (int i = 0; i < count; i++) {
      int number = in.index(scope.values.size(), "value");
      Value value = scope.values.get(number);
      if (value == null) {
        throw in.refusal("value %s is used before it is defined", number);
      }
      operands.add(value);
    }
    return operands.build();
  }

  private static void skipUseOrders(ByteReader in, int values) {
    int orders = values > 1 ? in.count("orders") : 1;
    for (int i = 0; i < orders; i++) {
      if (values > 1) {
        in.varint();
      }
      long indices = in.varint() >>> 1;
      if (indices > in.remaining()) {
        throw in.refusal("got an order of %s uses, %s bytes follow", indices, in.remaining());
      }
      for (long j = 0; j < indices; j++) {
        in.varint();
      }
    }
  }

  private ImmutableList<Region> regions(ByteReader in, Scope scope, String name) {
    if (++depth > Nesting.MAX_DEPTH) {
      throw in.refusal("operations are nested more than %s deep", Nesting.MAX_DEPTH);
    }
    long header = in.varint();
    long count = header >>> 1;
    boolean isolated = (header & 1) != 0;
    if (count > in.remaining()) {
      throw in.refusal("got %s regions, %s bytes follow", count, in.remaining());
    }
    boolean section = isolated && sections.version() >= BytecodeSections.ISOLATED_SECTIONS;
    ByteReader body = section ? BytecodeSections.operations(in) : in;
    Scope inner = isolated ? new Scope() : scope;
    ImmutableList.Builder<Region> regions = ImmutableList.builder();
    for (long i = 0; i < count; i++) {
      regions.add(region(body, inner, name));
    }
    depth--;
    return regions.build();
  }

  private Attributes attributes(AttributesKey key, String stored, ByteReader in) {
    Attributes known = attributes.get(key);
    if (known == null) {
      known = newAttributes(key, stored, in);
      attributes.put(key, known);
    }
    return known;
  }

  private Attributes newAttributes(AttributesKey key, String stored, ByteReader in) {
    Map<String, Attribute> given = new HashMap<>();
    Place place = Place.atByte(in.position());
    if (key.dictionary >= 0) {
      if (!(table.attribute(key.dictionary, in) instanceof Attribute.Dictionary dictionary)) {
        throw in.refusal("got attribute %s as attributes, want a dictionary", key.dictionary);
      }
      given.putAll(dictionary.entries());
    }
    if (key.properties >= 0) {
      int number = in.index(key.properties, properties.size(), "properties");
      ByteReader own = properties.get(number).rest();
      own.setSubject(stored);
      given.putAll(dialects.properties(stored, new EntryReader(own, table)));
    }
    return placed(place, () -> dialects.attributes(stored, given));
  }

  /** Calls a dialect, and adds the position to its refusals. */
  private static <T> T placed(Place place, java.util.function.Supplier<T> said) {
    try {
      return said.get();
    } catch (HloException refusal) {
      throw place.of(refusal);
    }
  }
}
