package org.hlo4j.check.generate;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Preconditions;
import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.text.Parser;

/**
 * What is drawn for the holes of a text. Its words make the operands in turn, of which the first
 * mostly says what the others may be. Then these stand in the text:
 *
 * <ul>
 *   <li>{@code <a|b|0..3>}: one of some alternatives, in which {@code 0..3} is a number of a range,
 *       whose bounds may be sizes ({@link #number}). An alternative may be the dimensions of an
 *       operand by letters, {@code 0kM}, the sizes of a letter ({@link Roles}), or a name that a
 *       word gives.
 *   <li>{@code <5:a|b>}: the same one time out of 5, and nothing else.
 *   <li>{@code <,:a|b>}, {@code <,1:a|b>} and {@code <xS:a|b>}: an alternative for each dimension
 *       of the first operand, of another, or of a letter, with what is between them.
 *   <li>{@code S0}, {@code T0}: the shape and type of an operand; {@code R}: the shape of the
 *       result, if a word gives it; {@code V}: the shapes of all operands.
 *   <li>{@code @(V)->R}: any computation of these parameters with this result. There {@code E} is a
 *       scalar for each of the first operands, of which an op has one or more, and {@code D} two.
 * </ul>
 */
final class Drawing {
  /** A word: its name, types after a colon, roles of dimensions, and whether there may be more. */
  private static final Pattern WORD =
      Pattern.compile("(\\w*)(?::([\\w-]+))?([({<][\\w,]*[)}>])?(\\+?)");

  private static final Pattern HOLE = Pattern.compile("<(?:(\\d+|[,x])([A-Z0-9]?):)?([^<>]*)>");
  private static final Pattern RANGE = Pattern.compile("(-?\\d+|[a-z])\\.\\.(-?\\d+|[a-z])");
  private static final Pattern CALLED = Pattern.compile("@\\(([^)]*)\\)->(\\w+(?:\\[])?|\\(\\))");
  private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*");

  /** An attribute without a value. */
  private static final Pattern ABSENT =
      Pattern.compile(",? ?\\b\\w++=(?=[ ,}]|$)", Pattern.MULTILINE);

  final List<HloInstruction> operands;
  final Block block;
  private final Choices choices;
  private final Roles roles;
  private final Map<String, String> names = new HashMap<>();

  /** Shapes by the names that texts have for them. */
  private final Map<String, List<Shape>> shapes = new HashMap<>();

  /** What the accumulators of a reduction combine by, where systems have to agree. */
  private final List<Kind> kinds = new ArrayList<>();

  /** How many operands are those that {@code E} is of. */
  private int inputs = 1;

  /** Whether the result has another type than that which the operands say. */
  private boolean isOfOtherType;

  Drawing(Block block, List<HloInstruction> given) {
    this.block = block;
    this.choices = block.choices();
    this.roles = new Roles(choices);
    this.operands = new ArrayList<>(given);
  }

  /** Returns the shape of the first operand, an array. */
  private Shape.Array shape() {
    return Sources.shape(operands.get(0));
  }

  private Dims sizes() {
    return shape().sizes();
  }

  private ElementType type() {
    return shape().elementType();
  }

  // Operands.

  /** Makes what a word of the table says. */
  void word(String word) {
    Matcher parts = WORD.matcher(word);
    if (word.endsWith("]")) {
      add(Parser.parseShape(shown(filled(word))));
    } else {
      Preconditions.checkState(parts.matches(), word);
      Predicate<ElementType> types = types(Strings.nullToEmpty(parts.group(2)));
      operand(parts.group(1), types, Strings.nullToEmpty(parts.group(3)));
      if (!parts.group(4).isEmpty()) { // up to two more arrays of the same sizes
        times(
            3, () -> like(shape().withElementType(choices.chance(2) ? type() : choices.anyType())));
        inputs = operands.size();
      }
    }
  }

  private void operand(String name, Predicate<ElementType> types, String letters) {
    switch (name) {
      case "any" -> existing(types, letters.isEmpty() ? "(A)" : letters);
      case "" -> add(made(types, letters));
      case "like" -> like(shape().withElementType(type(types)));
      case "value" -> operands.add(Sources.any(block));
      case "values" -> operands.addAll(Sources.some(block));
      case "pair" -> operands.add(block.tuple(List.of(Sources.any(block), Sources.any(block))));
      case "effects" -> block.draft.requireEffects();
      case "zero" -> number(made(types, letters), 0);
      case "one" -> number(made(types, letters), 1);
      case "result" -> result(made(types, letters));
      case "preferred" -> isOfOtherType = choices.chance(4);
      case "same" -> result(together(Sources.shapes(operands)));
      case "factors" -> result(Shape.of(choices.type(types), factors()));
      case "dynamic" -> dynamic();
      case "layout" -> layout();
      case "outcome" -> result(Sources.outcome(block, Sources.shapes(operands)));
      case "reinterpreted" -> reinterpreted();
      case "dimension" -> roles.give("d", Dims.of(choices.below(sizes().count())));
      case "joined" -> joined();
      case "starts" -> starts();
      case "fitted" -> fitted();
      case "index" -> {
        long bound = operands.isEmpty() ? 3 : sizes().stream().max().orElse(1);
        operands.add(Sources.indices(block, made(types, letters), bound));
      }
      case "counts" -> {
        long most = roles.sizes("r").get(0) + 1;
        operands.add(Sources.given(block, choices.whole(made(types, letters), 0, most)));
      }
      case "map" -> map();
      case "offsets" -> offsets();
      case "updates" -> inputs().forEach(type -> add(Shape.of(type, roles.sizes("U"))));
      case "window" -> window();
      case "labels" -> labels();
      case "definite" -> definite(made(types, letters));
      case "exchanged" -> exchanged();
      case "size" -> size();
      case "sizes" ->
          ((Shape.Array) result())
              .sizes().stream().forEach(each -> number(Shape.of(ElementType.S32), each));
      case "sized" -> operands.add(Sources.any(block, Drawing::isLine));
      case "initials" -> initials();
      case "scanned" -> scanned();
      default -> throw new AssertionError(name);
    }
  }

  /** Adds an array that has these dimensions. */
  private void existing(Predicate<ElementType> types, String letters) {
    operands.add(Sources.array(block, types, roles.ranks(letters)));
    roles.part(letters, Sources.shape(operands.getLast()).sizes());
  }

  /** Returns the type of the first operand, if it suits, or another. */
  private ElementType type(Predicate<ElementType> types) {
    return !operands.isEmpty() && types.test(type()) ? type() : choices.type(types);
  }

  private Shape.Array made(Predicate<ElementType> types, String letters) {
    long most = choices.oneOf(List.of(12L, 60L, Sources.most(block)));
    return Shape.of(type(types), roles.made(letters, most));
  }

  /** Adds a value of a shape. */
  private void add(Shape shape) {
    operands.add(Sources.value(block, shape));
  }

  /** Adds an array of a number. */
  private void number(Shape.Array shape, long number) {
    operands.add(Sources.number(block, shape, number));
  }

  private void times(int bound, Runnable work) {
    for (int i = choices.below(bound); i > 0; i--) {
      work.run();
    }
  }

  /** Adds a value of a shape, at times the first operand once more. */
  private void like(Shape.Array shape) {
    if (shape.equals(shape()) && choices.chance(6)) {
      operands.add(operands.get(0));
    } else {
      add(shape);
    }
  }

  private Predicate<ElementType> types(String name) {
    return switch (name) {
      case "float" -> ElementType::isFloating;
      case "real" -> type -> !type.isComplex();
      case "complex" -> ElementType::isComplex;
      case "integral" -> ElementType::isIntegral;
      case "number" -> type -> type != ElementType.PRED;
      case "continuous" -> type -> type.isFloating() || type.isComplex();
      case "other" -> choices.chance(8) ? type -> type != type() : type -> true;
      case "random" -> choices.anyType()::equals;
      case "same" -> type()::equals;
      case "alike" ->
          type -> type.bits() == type().bits() && type.isComplex() == type().isComplex();
      default ->
          name.startsWith("of-")
              ? OpSchema.elementwise(name.substring(3)).orElseThrow().kind()::accepts
              : type -> name.isEmpty() || type.toString().equals(name);
    };
  }

  // Shapes of results.

  void result(Shape shape) {
    shapes.put("R", List.of(shape));
    if (shape instanceof Shape.Array array) {
      roles.give("R", array.sizes());
    }
  }

  /** Returns the shape of the result, or of its first array. */
  private Shape result() {
    return requireNonNull(shapes.get("R")).get(0);
  }

  private static Shape together(List<Shape> shapes) {
    return shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(ImmutableList.copyOf(shapes));
  }

  /** Returns other sizes of the same product: merged, split and with ones. */
  private Dims factors() {
    Dims result = choices.chance(3) ? Dims.of(sizes().product()) : sizes();
    for (int i = choices.below(4); i > 0 && result.count() < 6; i--) {
      int at = choices.below(result.count() + 1);
      long factor = choices.between(1, 4);
      boolean divides = at < result.count() && result.get(at) % factor == 0;
      result =
          divides
              ? result.with(at, result.get(at) / factor).inserted(at, factor)
              : result.inserted(at, 1);
    }
    return result;
  }

  /** Makes a dimension of the result dynamic, in programs that have such ones. */
  private void dynamic() {
    Shape.Array shape = (Shape.Array) result();
    if (choices.restrictions().isDynamic && shape.rank() > 0 && !choices.chance(4)) {
      int one = roles.has("d") ? roles.sizes("d").getInt(0) : choices.below(shape.rank());
      result(shape.withDynamic(List.of(one)));
    }
  }

  private void layout() {
    Shape.Array shape = (Shape.Array) result();
    if (choices.chance(3)) {
      result(shape.withLayout(new Layout(choices.permutation(shape.rank()), "")));
    }
  }

  /** To as many bits, or fewer with one more dimension, or more with one less. */
  private void reinterpreted() {
    ElementType from = choices.anyType();
    ElementType to =
        choices.type(type ->
            type.isComplex() == from.isComplex()
                && (type.bits() % from.bits() == 0 || from.bits() % type.bits() == 0));
    Dims sizes = choices.sizes(Math.min(choices.rank(), 4), Sources.most(block));
    Dims more = Dims.of(Math.max(to.bits(), from.bits()) / Math.min(to.bits(), from.bits()));
    add(Shape.of(from, to.bits() > from.bits() ? sizes.concat(more) : sizes));
    result(Shape.of(to, to.bits() < from.bits() ? sizes.concat(more) : sizes));
  }

  // Moves.

  private void joined() {
    int dimension = roles.sizes("d").getInt(0);
    times(5, () -> add(shape().withSizes(sizes().with(dimension, choices.below(6)))));
  }

  private void starts() {
    ElementType type = choices.type(ElementType::isIntegral);
    sizes().stream().forEach(size -> operands.add(Sources.indices(block, Shape.of(type), size)));
  }

  /** To a line and back, with other elements at its ends or fewer: h were there, p and q more. */
  private void fitted() {
    long had = sizes().product();
    long low = choices.between(-2, 3);
    roles.give("h", Dims.of(had));
    roles.give("p", Dims.of(low));
    roles.give("q", Dims.of(roles.sizes("R").product() - had - low));
  }

  // Gather and scatter: of an array, B are batching dimensions, C collapsed ones, O those of
  // windows; of the indices, V are other batch dimensions, and v has the index vectors. M is the
  // map of these, L the sizes of a slice, F the dimensions of windows in
  // the result, whose sizes are U.

  private void map() {
    Dims some = roles.places("0CO");
    Dims map =
        some.at(choices.permutation(some.count())).subList(0, choices.below(some.count() + 1));
    Dims slices =
        Dims.of(
            sizes().stream()
                .map(size -> choices.chance(3) ? size : choices.between(0, size))
                .toArray());
    for (long thin : roles.places("0BC").toArray()) {
      slices = slices.with((int) thin, Math.min(1, sizes().get((int) thin)));
    }
    roles.give("M", map);
    roles.give("L", slices);
    boolean isImplied = map.count() == 1 && choices.chance(2);
    roles.give("v", isImplied ? Dims.of() : Dims.of(map.count()));
  }

  private void offsets() {
    Dims windows = roles.sizes("L").at(roles.places("0O"));
    Dims batch = Sources.shape(operands.getLast()).sizes().at(sorted(roles.places("1VB")));
    Dims order = choices.permutation(windows.count() + batch.count());
    Dims places = sorted(order.subList(0, windows.count()));
    Dims others = Dims.range(0, order.count()).without(places);
    roles.give("F", places);
    roles.give("U", windows.concat(batch).at(places.concat(others).inverse()));
  }

  private static Dims sorted(Dims dims) {
    return Dims.of(dims.stream().sorted().toArray());
  }

  // Products.

  /** A window over the dimensions S: W are its sizes, P how often it fits. */
  private void window() {
    String text = filled(OpRows.usual("any-window"));
    Window window = Window.parse(text);
    names.put("window", text);
    roles.give("W", window.sizes());
    roles.give("P", window.outputSizes(roles.sizes("S")));
  }

  private void labels() {
    roles.made("{b,o,S}", 1);
    String lhs = roles.labels(0).replace('i', 'f');
    String result = roles.labels(2).replace('o', 'f');
    names.put("labels", lhs + "_" + roles.labels(1) + "->" + result);
  }

  // Routines.

  /** Adds matrices, mostly symmetric and positive definite: their diagonals are large. */
  private void definite(Shape.Array shape) {
    long n = shape.size(shape.rank() - 1);
    double diagonal = n + 1 + choices.below(4);
    Literal definite =
        Literal.ofBits(
                shape.withElementType(ElementType.F64),
                i -> {
                  long row = i / n % n;
                  long column = i % n;
                  double beside = (row * row + column * column) % 9 / 4.0 - 1;
                  return ElementType.F64.encode(row == column ? diagonal : beside);
                })
            .convertElementType(shape.elementType());
    operands.add(choices.chance(3) ? Sources.value(block, shape) : Sources.given(block, definite));
  }

  /** Some rows to other rows of an array. */
  private void exchanged() {
    long all = sizes().get(0);
    long rows = choices.between(0, Math.min(all, 99));
    long from = choices.between(0, all - rows);
    long to = choices.between(0, 3);
    Shape.Array one = Shape.of(choices.oneOf(List.of(ElementType.S32, ElementType.S64)), 1);
    add(shape().withSizes(sizes().with(0, rows + to + choices.below(3))));
    LongStream.of(from, rows, to, rows).forEach(each -> number(one, each));
  }

  // Sizes.

  private static boolean isLine(Shape shape) {
    return shape instanceof Shape.Array array && array.rank() > 0;
  }

  /** To a size that is known only at run time, or the whole. */
  private void size() {
    long whole = roles.sizes("R").get(roles.sizes("d").getInt(0));
    boolean isFixed = !result().isDynamic();
    number(Shape.of(ElementType.S32), isFixed ? whole : choices.between(0, whole));
  }

  // Computations.

  /** Adds initial values: any, or for other systems those that change nothing. */
  private void initials() {
    for (ElementType type : inputs()) {
      if (choices.restrictions().isPortable) {
        kinds.add(Regions.combining(choices, type));
        operands.add(Regions.identity(block, kinds.getLast(), type));
      } else {
        add(Shape.of(type));
      }
    }
  }

  /** Inputs, outputs and carried values of any shapes. */
  private void scanned() {
    Dims kept = Dims.range(0, shape().rank()).without(roles.sizes("d"));
    List<Shape> parameters =
        new ArrayList<>(operands.stream().map(each -> Sources.shape(each).select(kept)).toList());
    times(3, () -> operands.add(Sources.array(block, type -> true, rank -> true)));
    List<Shape> carries = Sources.shapes(operands.subList(inputs, operands.size()));
    parameters.addAll(carries);
    List<Shape> results = new ArrayList<>();
    times(3, () -> results.add(choices.oneOf(parameters)));
    results.addAll(carries);
    names.put("carries", Integer.toString(carries.size()));
    shapes.put("I", parameters);
    shapes.put("O", List.of(new Shape.Tuple(ImmutableList.copyOf(results))));
  }

  /** Returns a computation: one that is to be made, or what other systems agree about. */
  private String computation(String name, String parameters, String result) {
    List<Shape> given =
        Splitter.on(',')
            .omitEmptyStrings()
            .splitToStream(parameters)
            .flatMap(each -> shapes(each).stream())
            .toList();
    StringBuilder text = new StringBuilder(name + " {\n");
    for (int i = 0; i < given.size(); i++) {
      text.append(String.format("  a%s = %s parameter(%s)\n", i, given.get(i), i));
    }
    if (!choices.restrictions().isPortable || !parameters.equals("E,E")) {
      Shape shape = together(shapes(result));
      text.append(String.format("  ROOT r = %s custom-call(), %s\n", shape, Regions.ANY));
    } else if (result.equals("E")) {
      text.append(combined(given.subList(0, inputs)));
    } else {
      text.append("  ROOT r = compare(a0, a1), direction=GE\n");
    }
    return text.append("}\n").toString();
  }

  private String combined(List<Shape> accumulators) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < inputs; i++) {
      ElementType type = ((Shape.Array) accumulators.get(i)).elementType();
      Kind kind = kinds.isEmpty() ? Regions.combining(choices, type) : kinds.get(i);
      text.append(String.format("  k%s = %s(a%s, a%s)\n", i, kind.mnemonic(), i, i + inputs));
    }
    return text + (inputs == 1 ? "" : "  r = tuple(" + listed("k", inputs) + ")\n");
  }

  private static String listed(String letter, int count) {
    return IntStream.range(0, count).mapToObj(i -> letter + i).collect(Collectors.joining(", "));
  }

  // The text.

  /** Returns the text as a computation. */
  HloComputation parsed(String text) {
    String filled = filled(text);
    HloComputation entry = parse(filled);
    if (isOfOtherType) {
      result(Sources.shape(entry.root()).withElementType(choices.anyType()));
      return parse(filled);
    }
    return entry;
  }

  private HloComputation parse(String filled) {
    StringBuilder all = new StringBuilder("HloModule m\n");
    String calling =
        CALLED
            .matcher(filled)
            .replaceAll(found -> {
              String name = "c" + all.length();
              all.append(computation(name, found.group(1), found.group(2)));
              return name;
            });
    List<Shape> given = Sources.shapes(operands);
    names.put(
        "OPERANDS",
        IntStream.range(0, given.size())
            .mapToObj(i -> "x" + i + " = " + given.get(i) + " parameter(" + i + ")")
            .collect(Collectors.joining("\n  ")));
    names.put("NAMES", listed("x", given.size()));
    return Parser.parse(all + shown(calling)).entry();
  }

  static ImmutableList<String> words(String text) {
    return ImmutableList.copyOf(Splitter.on(' ').omitEmptyStrings().split(text));
  }

  /** Gives the names of a line one of its alternatives. */
  void let(String line) {
    List<String> parts = Splitter.on(" = ").splitToList(line);
    List<String> own = words(parts.get(0));
    List<String> values = words(choices.oneOf(Splitter.on('|').splitToList(parts.get(1))));
    for (int i = 1; i < own.size(); i++) {
      names.put(own.get(i), shown(filled(values.get(i - 1))));
    }
  }

  /** Returns a text with what names stand for: those that it gives, shapes and types. */
  private String shown(String text) {
    return NAME.matcher(text)
        .replaceAll(found -> {
          String name = found.group();
          return names.containsKey(name)
              ? names.get(name)
              : name.matches("T\\d")
                  ? Sources.type(operand(name)).toString()
                  : name.matches("S\\d|[RV]")
                      ? shapes(name).stream().map(Shape::toString).collect(Collectors.joining(", "))
                      : name;
        });
  }

  private HloInstruction operand(String name) {
    return operands.get(Character.digit(name.charAt(1), 10));
  }

  private List<Shape> shapes(String name) {
    return switch (name) {
      case "E" -> scalars(1);
      case "D" -> scalars(2);
      case "V" -> Sources.shapes(operands);
      case "R", "I", "O" -> shapes.getOrDefault(name, List.of());
      default ->
          name.startsWith("S")
              ? Sources.shapes(List.of(operand(name)))
              : List.of(Parser.parseShape(name));
    };
  }

  private List<Shape> scalars(int times) {
    return inputs().stream()
        .flatMap(type -> Collections.nCopies(times, (Shape) Shape.of(type)).stream())
        .toList();
  }

  /** Returns the types of the first operands. */
  private List<ElementType> inputs() {
    return operands.subList(0, inputs).stream().map(Sources::type).toList();
  }

  private String filled(String text) {
    String filled =
        HOLE.matcher(text)
            .replaceAll(hole -> {
              String alternatives = hole.group(3);
              String how = Strings.nullToEmpty(hole.group(1));
              if (how.isEmpty() || Character.isDigit(how.charAt(0))) {
                boolean isThere = how.isEmpty() || choices.chance(Integer.parseInt(how));
                return isThere ? value(alternatives, 0) : "";
              }
              return sizes(hole.group(2)).stream()
                  .mapToObj(size -> value(alternatives, size))
                  .collect(Collectors.joining(how));
            });
    return ABSENT.matcher(filled).replaceAll("");
  }

  private Dims sizes(String letter) {
    return letter.isEmpty()
        ? sizes()
        : Character.isDigit(letter.charAt(0))
            ? Sources.shape(operand("x" + letter)).sizes()
            : roles.sizes(letter);
  }

  private String value(String alternatives, long size) {
    String one = choices.oneOf(Splitter.on('|').splitToList(alternatives));
    if (names.containsKey(one)) {
      return names.get(one);
    } else if (roles.has(one)) {
      return text(roles.sizes(one));
    } else if (one.matches("\\d[a-zA-Z]+")) {
      return text(roles.places(one));
    }
    return switch (one) {
      case "type" -> choices.anyType().toString();
      case "float" -> choices.type(ElementType::isFloating).toString();
      case "unary" -> function(1);
      case "binary" -> function(2);
      case "H" -> names.computeIfAbsent(one, _ -> "" + choices.chance(2));
      case "N" -> names.computeIfAbsent(one, _ -> "" + (1 + block.draft.nextName()));
      default ->
          RANGE
              .matcher(one)
              .replaceAll(range ->
                  "" + choices.between(number(range.group(1), size), number(range.group(2), size)));
    };
  }

  /** Returns a function that takes arrays of the type of the result. */
  private String function(int arity) {
    ElementType type = ((Shape.Array) result()).elementType();
    return choices.oneOf(
        Arrays.stream(Kind.values())
            .filter(kind -> kind.arity() == arity && kind.accepts(type))
            .filter(kind -> kind.resultType(type) == type)
            .map(Kind::mnemonic)
            .toList());
  }

  private static String text(Dims dims) {
    return dims.stream().mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  /**
   * Returns a bound of a range: a number, or the size of a letter. Of the dimension for which an
   * alternative is, s is the size, h its half if it is even, and w it or 4; r is the last dimension
   * of the first operand; i and j are twice the size c but 2 and 1.
   */
  private long number(String text, long size) {
    return switch (text) {
      case "s" -> size;
      case "h" -> size % 2 == 0 ? size / 2 : size;
      case "w" -> Math.clamp(size, 1, 4);
      case "r" -> sizes().count() - 1;
      case "i" -> 2 * roles.sizes("c").get(0) - 2;
      case "j" -> 2 * roles.sizes("c").get(0) - 1;
      default -> roles.has(text) ? roles.sizes(text).get(0) : Long.parseLong(text);
    };
  }
}
