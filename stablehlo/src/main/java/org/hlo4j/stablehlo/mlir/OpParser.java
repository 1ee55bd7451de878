package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.source.ParseException;

/**
 * Reads operations from text: the generic form itself, custom forms by the {@link Dialects}. What a
 * custom form needs is public.
 */
public final class OpParser {
  /**
   * The use of a value whose type is not read yet.
   *
   * @param name its name without the percent sign
   * @param number which of the results of that name
   * @param position where it stands
   */
  public record Use(String name, int number, int position) {
    /** As the text has it: {@code %0#1}. */
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
    if (in.atEnd()) {
      throw in.wanted("more");
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

  /** {@return a position to name in errors and to go back to} */
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
   * {@return the text from a position to here}
   *
   * @param position a position in the text
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
    return in.wanted(wanted);
  }

  /**
   * {@return a mistake at a position}
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
          throw new ParseException(
              start, "got attribute " + entry.getKey() + " twice, want it once");
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
    int start = in.skip();
    if (in.peek() != '%') {
      throw in.wanted("a value such as %0");
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
   * @param state gets what was read
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
   * {@return the value of a name, of any type}
   *
   * @param use the use of a value
   */
  public Value lookUp(Use use) {
    return regions.lookUp(use);
  }

  /**
   * {@return an argument of a block or function: {@code name}, type, maybe a location}
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
   * {@return a new value, which is named in the current scope by the region it is given to}
   *
   * @param name the name
   * @param type the type
   * @param location the location
   * @param position where its name stands
   */
  public Value newArgument(String name, Type type, Location location, int position) {
    regions.argumentAt(name, position);
    return new Value(type, name, location);
  }

  /** {@return a location, if one is here} */
  public Optional<Location> optionalLocation() {
    return attributes.optionalLocation();
  }

  /**
   * Reads {@code dense<...>} and the type behind its colon, with something between them.
   *
   * @param between reads what stands before the colon
   * @return the elements
   */
  public Attribute elements(Runnable between) {
    in.expectWord("dense");
    return attributes.dense().dense(between);
  }

  /**
   * Reads a region in braces.
   *
   * @param arguments the arguments of its first block, if they stood elsewhere
   * @param isolated whether it sees no values from outside
   * @return the region
   */
  public Region region(List<Value> arguments, boolean isolated) {
    return regions.region(arguments, isolated);
  }
}
