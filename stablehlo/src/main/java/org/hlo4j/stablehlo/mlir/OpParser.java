package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of operations. It reads the generic form itself and custom forms by the {@link
 * Dialects}. The methods that custom forms need are public.
 */
public final class OpParser {
  /**
   * A use of a value whose type is not known yet.
   *
   * @param name its name without the percent sign
   * @param number the index among the results of that name
   * @param position its position in the text
   */
  public record Use(String name, int number, int position) {
    /** Returns the use as it is written: {@code %0#1}. */
    String text() {
      return "%" + name + (number == 0 ? "" : "#" + number);
    }
  }

  private final TextScanner in;
  private final AttributeParser attributes;
  private final RegionParser regions;

  OpParser(ParseContext context, TextScanner in) {
    this.in = in;
    this.attributes = new AttributeParser(context, in, this);
    this.regions = new RegionParser(context, in, this);
  }

  AttributeParser attributes() {
    return attributes;
  }

  RegionParser regions() {
    return regions;
  }

  // Methods for custom forms.

  /**
   * {@return whether a word comes next, which is then consumed}
   *
   * @param word the word
   */
  public boolean eatWord(String word) {
    return in.eatWord(word);
  }

  /**
   * {@return whether punctuation comes next, which is then consumed}
   *
   * @param punctuation the punctuation
   */
  public boolean eat(String punctuation) {
    return in.eat(punctuation);
  }

  /**
   * {@return whether punctuation comes next}
   *
   * @param punctuation the punctuation
   */
  public boolean looksAt(String punctuation) {
    return in.looksAt(punctuation);
  }

  /**
   * {@return whether a word comes next}
   *
   * @param word the word
   */
  public boolean looksAtWord(String word) {
    return in.looksAtWord(word);
  }

  /** {@return the next character that is not blank, 0 at the end} */
  public char peek() {
    return in.peek();
  }

  /**
   * Consumes punctuation or a word, which has to come next.
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
    if (in.atEnd()) {
      throw in.unexpectedToken("more");
    }
    return in.charAt(in.at++);
  }

  /** {@return a string} */
  public String string() {
    return in.string();
  }

  /** {@return the name of a symbol} */
  public String symbol() {
    return in.symbol();
  }

  /** {@return a whole number} */
  public long integer() {
    return in.integer();
  }

  /** {@return the current position, which can be named in errors and returned to} */
  public int position() {
    return in.skip();
  }

  /**
   * Goes back to a position.
   *
   * @param position a position in the text
   */
  public void goTo(int position) {
    in.at = position;
  }

  /**
   * {@return the text from a position to the current one}
   *
   * @param position a position in the text
   */
  public String textFrom(int position) {
    return in.text.substring(position, in.at);
  }

  /** Skips the brackets that come next, with their contents. */
  public void skipBrackets() {
    in.skip();
    in.at = in.endOfBrackets();
  }

  /**
   * {@return an error at the current position, which names the actual and the expected text}
   *
   * @param wanted the expected text
   */
  public RuntimeException wrong(String wanted) {
    return in.unexpectedToken(wanted);
  }

  /**
   * {@return an error at a position}
   *
   * @param position a position in the text
   * @param message what is wrong
   */
  public RuntimeException wrongAt(int position, String message) {
    return new ParseException(position, message);
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

  /**
   * Reads attributes in braces, if they come next.
   *
   * @param into the map that the attributes are added to
   */
  public void optionalAttributes(Map<String, Attribute> into) {
    if (in.peek() == '{') {
      int start = in.at;
      ImmutableMap<String, Attribute> entries = attributes.dictionary();
      for (Map.Entry<String, Attribute> entry : entries.entrySet()) {
        if (into.put(entry.getKey(), entry.getValue()) != null) {
          throw new ParseException(
              start, "got attribute " + entry.getKey() + " twice, want it once");
        }
      }
    }
  }

  /** {@return numbers in brackets: {@code [1, 2]}} */
  public ImmutableList<Long> integers() {
    ImmutableList.Builder<Long> numbers = ImmutableList.builder();
    list("[", "]", () -> numbers.add(in.integer()));
    return numbers.build();
  }

  /**
   * Reads any number of elements in brackets, with commas between them.
   *
   * @param open the bracket before the first one
   * @param close the bracket behind the last one
   * @param element reads an element
   */
  public void list(String open, String close, Runnable element) {
    in.list(open, close, element);
  }

  /** {@return whether the use of a value comes next} */
  public boolean looksAtUse() {
    return in.peek() == '%';
  }

  /** {@return the use of a value} */
  public Use use() {
    int start = in.skip();
    if (in.peek() != '%') {
      throw in.unexpectedToken("a value such as %0");
    }
    in.at++;
    String name = in.name();
    int number = 0;
    if (in.charAt(in.at) == '#' && TextScanner.isDigit(in.charAt(in.at + 1))) {
      in.at++;
      number = in.count();
    }
    return new Use(name, number, start);
  }

  /** {@return uses separated by commas, maybe none} */
  public ImmutableList<Use> uses() {
    ImmutableList.Builder<Use> uses = ImmutableList.builder();
    boolean isNext = looksAtUse();
    while (isNext) {
      uses.add(use());
      int comma = in.at;
      isNext = in.eat(',') && looksAtUse();
      if (!isNext) {
        in.at = comma;
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
   * {@return the value of a use, which has to have the given type}
   *
   * @param use the use of a value
   * @param type the type
   */
  public Value resolve(Use use, Type type) {
    Value value = lookUp(use);
    if (!value.type().equals(type)) {
      throw new ParseException(
          use.position, "got " + use.text() + " of type " + value.type() + ", want " + type);
    }
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
    if (uses.size() != types.size()) {
      throw new ParseException(
          uses.isEmpty() ? in.at : uses.get(0).position,
          "got " + uses.size() + " operands, want " + types.size() + ", as many as types");
    }
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
    int start = in.skip();
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

  /** {@return a location, if one comes next} */
  public Optional<Location> optionalLocation() {
    return attributes.optionalLocation();
  }

  /**
   * Reads {@code dense<...>}, other text, and the type after its colon.
   *
   * @param between reads the text before the colon
   * @return the elements
   */
  public Attribute elements(Runnable between) {
    in.expectWord("dense");
    return attributes.dense().dense(between);
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
