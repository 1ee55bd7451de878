package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;

/**
 * Reads operations from text: the generic form itself, custom forms by the {@link Dialects}. What a
 * custom form needs is public.
 */
public final class OpParser {
  private static final int MAX_DEPTH = 120;
  private static final int MAX_ERRORS = 20;

  /**
   * The use of a value whose type is not read yet.
   *
   * @param name its name without the percent sign
   * @param number which of the results of that name
   * @param position where it stands
   */
  public record Use(String name, int number, int position) {}

  /** Results the text names: {@code %0:2, %b}. */
  private record ResultGroup(String name, int count, int position) {}

  private final TextScanner in;
  private final AttributeParser attributes;
  private final Dialects dialects;
  private final List<TextError> errors;
  private final LineNumbers lines;
  private Scope scope = new Scope();
  private int depth;

  OpParser(
      TextScanner in,
      Dialects dialects,
      AliasTable aliases,
      List<TextError> errors,
      LineNumbers lines) {
    this.in = in;
    this.dialects = dialects;
    this.attributes = new AttributeParser(in, dialects, aliases);
    this.attributes.setOps(this);
    this.errors = errors;
    this.lines = lines;
  }

  // What custom forms use.

  /**
   * {@return whether a word stands here, which is then read}
   *
   * @param word the word
   */
  public boolean eatWord(String word) {
    return in.eatWord(word);
  }

  /**
   * {@return whether punctuation stands here, which is then read}
   *
   * @param punctuation the punctuation
   */
  public boolean eat(String punctuation) {
    return in.eat(punctuation);
  }

  /**
   * {@return whether punctuation stands here}
   *
   * @param punctuation the punctuation
   */
  public boolean looksAt(String punctuation) {
    return in.looksAt(punctuation);
  }

  /**
   * {@return whether a word stands here}
   *
   * @param word the word
   */
  public boolean looksAtWord(String word) {
    return in.looksAtWord(word);
  }

  /** {@return the next character that is no blank, 0 at the end} */
  public char peek() {
    return in.peek();
  }

  /**
   * Reads punctuation or a word that has to be here.
   *
   * @param text the text
   */
  public void expect(String text) {
    if (TextScanner.isLetter(text.charAt(0))) {
      in.expectWord(text);
    } else {
      in.expect(text);
    }
  }

  /** {@return a word} */
  public String word() {
    return in.word("a word");
  }

  /** {@return a letter or other single character} */
  public char character() {
    in.peek();
    return in.charAt(in.at++);
  }

  /** {@return a string} */
  public String string() {
    return in.string();
  }

  /** {@return the name of a symbol} */
  public String symbol() {
    in.skip();
    return in.symbol();
  }

  /** {@return a whole number} */
  public long integer() {
    return in.integer();
  }

  /** {@return a position to name in errors and to go back to} */
  public int position() {
    in.skip();
    return in.at;
  }

  /**
   * Goes back to a position.
   *
   * @param position line and column
   */
  public void goTo(int position) {
    in.at = position;
  }

  /**
   * {@return the text from a position to here}
   *
   * @param position line and column
   */
  public String textFrom(int position) {
    return in.text.substring(position, in.at);
  }

  /** Skips what is in brackets, which stand here. */
  public void skipBrackets() {
    in.skip();
    in.at = in.endOfBrackets();
  }

  /**
   * {@return a mistake here: what is got, and what was wanted}
   *
   * @param wanted what was wanted
   */
  public RuntimeException wrong(String wanted) {
    return in.wrong(wanted);
  }

  /**
   * {@return a mistake at a position}
   *
   * @param position line and column
   * @param message what is wrong
   */
  public RuntimeException wrongAt(int position, String message) {
    return new TextError(position, message);
  }

  /** {@return a type} */
  public Type type() {
    return attributes.types().type();
  }

  /** {@return the types of results: one, or any number in parentheses} */
  public ImmutableList<Type> types() {
    return attributes.types().results();
  }

  /** {@return types separated by commas} */
  public ImmutableList<Type> typeList() {
    ImmutableList.Builder<Type> types = ImmutableList.builder();
    do {
      types.add(type());
    } while (in.eat(','));
    return types.build();
  }

  /** {@return an attribute} */
  public Attribute attribute() {
    return attributes.attribute();
  }

  /** {@return a decimal number} */
  public double real() {
    return attributes.real();
  }

  /**
   * Reads attributes in braces if they are here.
   *
   * @param into gets the attributes
   */
  public void optionalAttributes(Map<String, Attribute> into) {
    if (in.peek() == '{') {
      int start = in.at;
      ImmutableMap<String, Attribute> entries = attributes.dictionary();
      for (Map.Entry<String, Attribute> entry : entries.entrySet()) {
        if (into.put(entry.getKey(), entry.getValue()) != null) {
          throw new TextError(start, "attribute " + entry.getKey() + " is given twice");
        }
      }
    }
  }

  /** {@return numbers in brackets: {@code [1, 2]}} */
  public ImmutableList<Long> integers() {
    in.expect('[');
    ImmutableList.Builder<Long> numbers = ImmutableList.builder();
    if (!in.eat(']')) {
      do {
        numbers.add(in.integer());
      } while (in.eat(','));
      in.expect(']');
    }
    return numbers.build();
  }

  /** {@return whether the use of a value stands here} */
  public boolean looksAtUse() {
    return in.peek() == '%';
  }

  /** {@return the use of a value} */
  public Use use() {
    in.skip();
    int start = in.at;
    in.expect('%');
    String name = in.name();
    int number = 0;
    if (in.charAt(in.at) == '#' && TextScanner.isDigit(in.charAt(in.at + 1))) {
      in.at++;
      number = (int) Math.min(in.integer(), Integer.MAX_VALUE);
    }
    return new Use(name, number, start);
  }

  /** {@return uses separated by commas, maybe none} */
  public ImmutableList<Use> uses() {
    ImmutableList.Builder<Use> uses = ImmutableList.builder();
    while (looksAtUse()) {
      uses.add(use());
      int comma = in.at;
      if (in.eat(',') && in.peek() != '%') {
        in.at = comma;
        break;
      }
    }
    return uses.build();
  }

  /** {@return uses in parentheses} */
  public ImmutableList<Use> usesInParentheses() {
    in.expect('(');
    ImmutableList<Use> uses = uses();
    in.expect(')');
    return uses;
  }

  /**
   * {@return the value that is used, which has to be of a type}
   *
   * @param use the use of a value
   * @param type the type
   */
  public Value resolve(Use use, Type type) {
    Value value = lookUp(use);
    if (!value.type().equals(type)) {
      throw new TextError(
          use.position, "%" + use.name + " got type " + value.type() + ", want " + type);
    }
    return value;
  }

  /**
   * Resolves uses and adds them to the operands of an op.
   *
   * @param uses the uses of values
   * @param types a type for each
   * @param state gets what was read
   */
  public void resolve(List<Use> uses, List<Type> types, OpState state) {
    if (uses.size() != types.size()) {
      throw new TextError(
          uses.isEmpty() ? in.at : uses.get(0).position,
          "got " + uses.size() + " operands, want " + types.size() + ", as many as types");
    }
    for (int i = 0; i < uses.size(); i++) {
      state.operands().add(resolve(uses.get(i), types.get(i)));
    }
  }

  /**
   * {@return the value of a name, of any type}
   *
   * @param use the use of a value
   */
  public Value lookUp(Use use) {
    Optional<Value[]> values = scope.find(use.name);
    if (values.isEmpty()) {
      throw new TextError(use.position, "%" + use.name + " is not defined here");
    }
    if (values.get().length == 0) {
      throw TextError.consequence(use.position);
    }
    if (use.number >= values.get().length) {
      throw new TextError(
          use.position,
          "%"
              + use.name
              + " got number "
              + use.number
              + ", want one of its "
              + values.get().length
              + " results");
    }
    return values.get()[use.number];
  }

  /**
   * {@return an argument of a block or function: {@code name}, type, maybe a location}
   *
   * @param withLocation whether a location may follow
   */
  public Value argument(boolean withLocation) {
    in.skip();
    int start = in.at;
    in.expect('%');
    String name = in.name();
    in.expect(':');
    Type type = type();
    Location location =
        withLocation
            ? attributes.optionalLocation().orElse(Location.unknown())
            : Location.unknown();
    return newArgument(name, type, location, start);
  }

  /**
   * {@return a new value, which is named in the current scope by the region it is given to}
   *
   * @param name the name
   * @param type the type
   * @param location the location
   * @param position line and column
   */
  public Value newArgument(String name, Type type, Location location, int position) {
    positionOfArgument = position;
    return new Value(type, name, location);
  }

  private int positionOfArgument;

  /** {@return a location, if one is here} */
  public Optional<Location> optionalLocation() {
    return attributes.optionalLocation();
  }

  /**
   * Reads a region in braces.
   *
   * @param arguments the arguments of its first block, if they stood elsewhere
   * @param isolated whether it sees no values from outside
   * @return the region
   */
  public Region region(List<Value> arguments, boolean isolated) {
    if (++depth > MAX_DEPTH) {
      throw new TextError(in.at, "got more than " + MAX_DEPTH + " regions within regions");
    }
    Scope outer = scope;
    scope = isolated ? new Scope() : scope;
    int mark = scope.mark();
    try {
      in.expect('{');
      for (Value argument : arguments) {
        define(argument.name(), new Value[] {argument}, in.at);
      }
      return blocks(arguments, isolated);
    } finally {
      scope.reset(mark);
      scope = outer;
      depth--;
    }
  }

  private Region blocks(List<Value> arguments, boolean isolated) {
    ImmutableList.Builder<Block> blocks = ImmutableList.builder();
    boolean first = true;
    if (in.peek() != '^' && in.peek() != '}') {
      blocks.add(new Block(ImmutableList.copyOf(arguments), operations()));
      first = false;
    } else if (!arguments.isEmpty() || (isolated && in.peek() == '}')) {
      blocks.add(new Block(ImmutableList.copyOf(arguments), operations()));
      first = false;
    }
    while (in.peek() == '^') {
      if (!first) {
        throw in.wrong("'}', as regions have one block");
      }
      blocks.add(labelled());
      first = false;
    }
    in.expect('}');
    return new Region(blocks.build());
  }

  private Block labelled() {
    in.expect('^');
    in.name();
    List<Value> arguments = new ArrayList<>();
    if (in.eat('(')) {
      if (!in.eat(')')) {
        do {
          Value argument = argument(true);
          define(argument.name(), new Value[] {argument}, positionOfArgument);
          arguments.add(argument);
        } while (in.eat(','));
        in.expect(')');
      }
    }
    in.expect(':');
    return new Block(ImmutableList.copyOf(arguments), operations());
  }

  private void define(String name, Value[] values, int position) {
    if (!scope.define(name, values)) {
      throw new TextError(position, "%" + name + " is defined twice");
    }
  }

  /** Operations up to the end of the block; a wrong one is left out, and told later. */
  private ImmutableList<Operation> operations() {
    ImmutableList.Builder<Operation> operations = ImmutableList.builder();
    while (in.peek() != '}' && in.peek() != '^' && !in.atEnd()) {
      operation().ifPresent(operations::add);
    }
    return operations.build();
  }

  /** An operation; empty if it is wrong. */
  Optional<Operation> operation() {
    in.skip();
    int start = in.at;
    List<ResultGroup> groups = new ArrayList<>();
    try {
      resultGroups(groups);
      return Optional.of(operation(groups, start));
    } catch (TextError error) {
      keep(error);
      for (ResultGroup group : groups) {
        scope.define(group.name, new Value[0]);
      }
      recover(start, error.position());
      return Optional.empty();
    }
  }

  private void keep(TextError error) {
    if (!error.isTold()) {
      errors.add(error);
    }
    if (errors.size() >= MAX_ERRORS) {
      throw new TooManyErrors();
    }
  }

  /** Reading stops here. */
  static final class TooManyErrors extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyErrors() {
      super("", null, false, false);
    }
  }

  /** Goes to the next line at the level of braces on which the op began. */
  private void recover(int start, int wrong) {
    int level = 0;
    int i = start;
    for (; i < in.text.length(); i++) {
      char c = in.text.charAt(i);
      if (c == '"') {
        int end = in.text.indexOf('"', i + 1);
        i = end < 0 ? in.text.length() : end;
      } else if (c == '{') {
        level++;
      } else if (c == '}') {
        if (level-- == 0) {
          break;
        }
      } else if (c == '\n' && level == 0 && i >= Math.min(wrong, in.text.length() - 1)) {
        break;
      }
    }
    in.at = i;
  }

  private void resultGroups(List<ResultGroup> groups) {
    if (in.peek() != '%') {
      return;
    }
    do {
      in.skip();
      int start = in.at;
      in.expect('%');
      String name = in.name();
      int count = in.eat(':') ? (int) in.integer() : 1;
      if (count < 1 || count > 1_000_000) {
        throw new TextError(start, "got " + count + " results, want 1 to 1000000");
      }
      groups.add(new ResultGroup(name, count, start));
    } while (in.eat(','));
    in.expect('=');
  }

  private Operation operation(List<ResultGroup> groups, int start) {
    int count = groups.stream().mapToInt(ResultGroup::count).sum();
    in.skip();
    int nameAt = in.at;
    OpState state;
    if (in.peek() == '"') {
      state = new OpState(in.string(), count);
      generic(state);
    } else {
      String name = dialects.fullName(in.word("an operation"));
      state = new OpState(name, count);
      OpSyntax syntax =
          dialects
              .syntax(name)
              .orElseThrow(() ->
                  new TextError(
                      nameAt,
                      "got "
                          + name
                          + ", which is not known in this form, want an op of StableHLO or the"
                          + " generic form \""
                          + name
                          + "\"(...)"));
      syntax.parse(this, state);
    }
    Location location = attributes.optionalLocation().orElse(Location.unknown());
    if (!groups.isEmpty() && count != state.resultTypes().size()) {
      throw new TextError(
          groups.get(0).position,
          "got " + count + " results, want " + state.resultTypes().size() + " of " + state.name());
    }
    return built(state, groups, location, start, nameAt);
  }

  private Operation built(
      OpState state, List<ResultGroup> groups, Location location, int start, int nameAt) {
    List<Value> results = new ArrayList<>();
    if (groups.isEmpty()) {
      state.resultTypes().forEach(type -> results.add(Value.of(type)));
    }
    for (ResultGroup group : groups) {
      Value[] values = new Value[group.count];
      for (int i = 0; i < group.count; i++) {
        values[i] =
            new Value(state.resultTypes().get(results.size()), group.name, Location.unknown());
        results.add(values[i]);
      }
      define(group.name, values, group.position);
    }
    return new Operation(
        state.name(),
        state.operands(),
        results,
        canonical(state, nameAt),
        state.regions(),
        location,
        Place.at(lines.place(start)));
  }

  private Attributes canonical(OpState state, int position) {
    try {
      return dialects.canonical(state.name(), state.attributes());
    } catch (HloException refusal) {
      throw new TextError(position, refusal.summary());
    }
  }

  /** {@code (%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types}. */
  private void generic(OpState state) {
    ImmutableList<Use> uses = usesInParentheses();
    if (in.peek() == '[') {
      throw in.wrong("no successors");
    }
    if (in.eat("<{")) {
      in.at--;
      optionalAttributes(state.attributes());
      in.expect('>');
    }
    if (in.eat('(')) {
      boolean isolated = dialects.isIsolated(state.name());
      do {
        state.regions().add(region(List.of(), isolated));
      } while (in.eat(','));
      in.expect(')');
    }
    optionalAttributes(state.attributes());
    in.expect(':');
    in.skip();
    int typeAt = in.at;
    if (!(type() instanceof Type.Function type)) {
      throw new TextError(typeAt, "got no function type, want (operands) -> results");
    }
    resolve(uses, type.inputs(), state);
    state.resultTypes().addAll(type.results());
  }
}
