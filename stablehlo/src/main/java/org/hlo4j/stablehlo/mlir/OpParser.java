package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A parser of operations. It reads the generic form itself and custom forms by the {@link
 * Dialects}. The methods that custom forms need are public.
 */
public final class OpParser extends TextScanner {
  /**
   * A use of a value whose type is not known yet.
   *
   * @param name its name without the percent sign
   * @param number the index among the results of that name
   * @param position its position in the text
   */
  public record Use(String name, int number, int position) {
    /** Returns the use as it is written: {@code %0#1}. */
    @Override
    public String toString() {
      return "%" + name + (number == 0 ? "" : "#" + number);
    }
  }

  final ParseContext context;
  final TypeParser types = new TypeParser(this);
  final DenseParser dense = new DenseParser(this);
  private final AttributeParser attributes = new AttributeParser(this);
  private final LocationParser locations = new LocationParser(this);
  final RegionParser regions;

  OpParser(ParseContext context, int start, int end) {
    super(context.text, start, end);
    this.context = context;
    this.regions = new RegionParser(this);
  }

  /** {@return a type} */
  public Type type() {
    return types.type();
  }

  /** {@return the types of results: one, or any number in parentheses} */
  public ImmutableList<Type> types() {
    return types.results();
  }

  /** {@return types separated by commas} */
  public ImmutableList<Type> typeList() {
    ImmutableList.Builder<Type> types = ImmutableList.builder();
    do {
      types.add(type());
    } while (eat(','));
    return types.build();
  }

  /** {@return an attribute} */
  public Attribute attribute() {
    return attributes.attribute();
  }

  /**
   * Reads attributes in braces, if they come next.
   *
   * @param into the map that the attributes are added to
   */
  public void optionalAttributes(Map<String, Attribute> into) {
    int start = skip();
    optionalAttributes()
        .forEach((name, value) -> {
          boolean isNew = into.put(name, value) == null;
          require(isNew, start, "got attribute %s twice, want it once", name);
        });
  }

  /** {@return the attributes in braces, if they come next; else none} */
  public ImmutableMap<String, Attribute> optionalAttributes() {
    return peek() == '{' ? attributes.dictionary() : ImmutableMap.of();
  }

  /** {@return numbers in brackets: {@code [1, 2]}} */
  public ImmutableList<Long> integers() {
    return listOf("[]", this::integer);
  }

  /** {@return whether the use of a value comes next} */
  public boolean looksAtUse() {
    return peek() == '%';
  }

  /** {@return the use of a value} */
  public Use use() {
    int start = skip();
    if (peek() != '%') {
      throw wrong("a value such as %0");
    }
    at++;
    String name = name();
    int number = 0;
    if (charAt(at) == '#' && TextScanner.isDigit(charAt(at + 1))) {
      at++;
      number = count();
    }
    return new Use(name, number, start);
  }

  /** {@return uses separated by commas, maybe none} */
  public ImmutableList<Use> uses() {
    ImmutableList.Builder<Use> uses = ImmutableList.builder();
    boolean isNext = looksAtUse();
    while (isNext) {
      uses.add(use());
      int comma = at;
      isNext = eat(',') && looksAtUse();
      if (!isNext) {
        at = comma;
      }
    }
    return uses.build();
  }

  /** {@return uses in parentheses} */
  public ImmutableList<Use> usesInParentheses() {
    expect('(');
    ImmutableList<Use> uses = uses();
    expect(')');
    return uses;
  }

  /**
   * {@return the value of a use, which has to have the given type}
   *
   * @param use the use of a value
   * @param type the type
   */
  public Value resolve(Use use, Type type) {
    Value value = lookUp(use);
    require(
        value.type().equals(type),
        use.position,
        "got %s of type %s, want %s",
        use,
        value.type(),
        type);
    return value;
  }

  /**
   * Resolves uses and adds them to the operands of an op.
   *
   * @param uses the uses of values
   * @param types a type for each
   * @param state the op whose operands are added
   */
  public void resolve(List<Use> uses, List<Type> types, OpState state) {
    require(
        uses.size() == types.size(),
        uses.isEmpty() ? at : uses.get(0).position,
        "got %s operands, want %s, as many as types",
        uses.size(),
        types.size());
    for (int i = 0; i < uses.size(); i++) {
      state.operands().add(resolve(uses.get(i), types.get(i)));
    }
  }

  /**
   * {@return the value of a use, whatever its type}
   *
   * @param use the use of a value
   */
  public Value lookUp(Use use) {
    return regions.lookUp(use);
  }

  /**
   * {@return an argument of a block or function: {@code name}, type, and possibly a location}
   *
   * @param withLocation whether a location may follow
   */
  public Value argument(boolean withLocation) {
    int start = skip();
    expect('%');
    String name = name();
    expect(':');
    Type type = type();
    Location location =
        withLocation ? optionalLocation().orElse(Location.unknown()) : Location.unknown();
    return newArgument(name, type, location, start);
  }

  /**
   * {@return a new value, whose name comes into scope with the region that it is an argument of}
   *
   * @param name the name
   * @param type the type
   * @param location the location
   * @param position the position of its name
   */
  public Value newArgument(String name, Type type, Location location, int position) {
    regions.argumentAt(name, position);
    return new Value(type, name, location);
  }

  /** {@return a location, {@code loc(...)}} */
  Location location() {
    return locations.location();
  }

  /** {@return a location, if one comes next} */
  public Optional<Location> optionalLocation() {
    return looksAtWord("loc") ? Optional.of(location()) : Optional.empty();
  }

  /**
   * Reads {@code dense<...>}, other text, and the type after its colon.
   *
   * @param between reads the text before the colon
   * @return the elements
   */
  public Attribute elements(Runnable between) {
    expect("dense");
    return dense.dense(between);
  }

  /**
   * Reads a region in braces.
   *
   * @param arguments the arguments of its first block, if they were read before
   * @param isolated whether it captures no values
   * @return the region
   */
  public Region region(List<Value> arguments, boolean isolated) {
    return regions.region(arguments, isolated);
  }
}
