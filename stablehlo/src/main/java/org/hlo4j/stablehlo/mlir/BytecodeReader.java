package org.hlo4j.stablehlo.mlir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    Value define(Value value, ByteReader in) {
      int number = next.get(next.size() - 1);
      in.require(number < values.size(), "a region has more values than it says");
      values.set(number, value);
      next.set(next.size() - 1, number + 1);
      return value;
    }
  }

  /** A key of the attributes of an operation: their numbers in the file. */
  private record AttributesKey(int operation, long dictionary, long properties) {}

  private final BytecodeDialects dialects;
  private final BytecodeSections sections;
  private final EntryTable table;
  private final ImmutableList<ByteReader> properties;
  private final Map<AttributesKey, Attributes> attributes = new HashMap<>();
  private int depth;

  private BytecodeReader(byte[] file, BytecodeDialects dialects) {
    this.dialects = dialects;
    this.sections = new BytecodeSections(file, dialects);
    this.table = new EntryTable(sections, dialects);
    this.properties =
        sections
            .properties()
            .map(in -> in.list("properties", () -> in.slice(in.count("bytes"))))
            .orElse(ImmutableList.of());
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
    Block top =
        reader.block(
            reader.entries(reader.sections.section(BytecodeSections.OPERATIONS)), scope, "");
    require(
        top.operations().size() == 1,
        PARSE,
        "the file has %s operations at its top, want one module",
        top.operations().size());
    return top.operations().get(0);
  }

  private EntryReader entries(ByteReader in) {
    return new EntryReader(in, table);
  }

  private Region region(EntryReader in, Scope scope, String parent) {
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

  private Block block(EntryReader in, Scope scope, String parent) {
    long header = in.varint();
    ImmutableList<Value> arguments = (header & 1) == 0 ? ImmutableList.of() : arguments(in, scope);
    int count = fitting(header >>> 1, in, "got %s of %s operations, %s bytes follow", "a block");
    ImmutableList.Builder<Operation> operations = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      operation(in, scope, parent).ifPresent(operations::add);
    }
    return new Block(arguments, operations.build());
  }

  private static int fitting(long count, ByteReader in, String message, Object what) {
    return in.fitting(count, in.remaining(), message, what);
  }

  private ImmutableList<Value> arguments(EntryReader in, Scope scope) {
    boolean isFlagged = sections.version >= BytecodeSections.OPTIONAL_LOCATIONS;
    ImmutableList<Value> arguments =
        in.list(
            "arguments",
            () -> {
              long type = in.varint();
              Type of = in.type(isFlagged ? type >>> 1 : type);
              boolean located = !isFlagged || (type & 1) != 0;
              return scope.define(
                  new Value(of, "", located ? in.location() : Location.unknown()), in);
            });
    if (sections.version >= BytecodeSections.USE_ORDERS && in.readByte() != 0) {
      skipUseOrders(in, arguments.size());
    }
    return arguments;
  }

  /** Reads an operation; returns empty for a cast, which is left out. */
  private Optional<Operation> operation(EntryReader in, Scope scope, String parent) {
    Place place = Place.atByte(in.position());
    in.setSubject("");
    int number = in.index(sections.operationNames.size(), "operation name");
    String stored = sections.operationNames.get(number);
    in.setSubject(stored);
    int mask = in.readByte();
    Location location = in.location();
    long dictionary = has(mask, ATTRIBUTES) ? in.varint() : -1;
    long property = has(mask, PROPERTIES) ? in.varint() : -1;
    ImmutableList<Type> types =
        has(mask, RESULTS) ? in.list("results", in::type) : ImmutableList.of();
    ImmutableList<Value> operands =
        has(mask, OPERANDS) ? in.list("operands", () -> operand(in, scope)) : ImmutableList.of();
    in.require(
        !has(mask, SUCCESSORS) || in.count("successors") == 0,
        "got branches to other blocks, which no operation here has");
    if (has(mask, USE_ORDERS)) {
      skipUseOrders(in, types.size());
    }
    if (isIdentity(stored, operands, types)) {
      scope.define(operands.get(0), in);
      return Optional.empty();
    }
    String name = placed(place, () -> dialects.operationName(stored, parent));
    Attributes given = attributes(new AttributesKey(number, dictionary, property), stored, in);
    ImmutableList<Region> regions =
        has(mask, REGIONS) ? regions(in, scope, name) : ImmutableList.of();
    // Defined only now, so that nothing inside the operation can use its results.
    ImmutableList<Value> results =
        types.stream()
            .map(type -> scope.define(new Value(type, "", location), in))
            .collect(toImmutableList());
    return Optional.of(new Operation(name, operands, results, given, regions, location, place));
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

  private static Value operand(ByteReader in, Scope scope) {
    int number = in.index(scope.values.size(), "value");
    Value value = scope.values.get(number);
    in.require(value != null, "value %s is used before it is defined", number);
    return requireNonNull(value);
  }

  private static void skipUseOrders(ByteReader in, int values) {
    int orders = values > 1 ? in.count("orders") : 1;
    for (int i = 0; i < orders; i++) {
      if (values > 1) {
        in.varint();
      }
      int indices =
          fitting(in.varint() >>> 1, in, "got %s of %s uses, %s bytes follow", "an order");
      for (int j = 0; j < indices; j++) {
        in.varint();
      }
    }
  }

  private ImmutableList<Region> regions(EntryReader in, Scope scope, String name) {
    int most = Nesting.MAX_DEPTH;
    in.require(++depth <= most, "operations are nested more than %s deep", most);
    long header = in.varint();
    int count = fitting(header >>> 1, in, "got %2$s regions, %3$s bytes follow", "");
    boolean isolated = (header & 1) != 0;
    boolean section = isolated && sections.version >= BytecodeSections.ISOLATED_SECTIONS;
    EntryReader body = section ? entries(BytecodeSections.operations(in)) : in;
    Scope inner = isolated ? new Scope() : scope;
    ImmutableList.Builder<Region> regions = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
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
      EntryReader own = entries(properties.get(number));
      own.setSubject(stored);
      given.putAll(dialects.properties(stored, own));
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
