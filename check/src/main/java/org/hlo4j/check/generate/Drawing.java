package org.hlo4j.check.generate;

import static com.google.common.base.Strings.nullToEmpty;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Preconditions;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;

/**
 * What is drawn for the holes of a text. Its words make the operands in turn, of which the first
 * mostly says what the others may be. Then these stand in the text:
 *
 * <ul>
 *   <li>{@code <a|b|0..3>}: one of some alternatives, in which {@code 0..3} is a number of a range,
 *       whose bounds may be sums with sizes ({@link #number}). An alternative may be the dimensions
 *       of an operand by letters, {@code 0kM}, the sizes of a letter ({@link Roles}), a type,
 *       {@code :float}, or a name that a word gives or the table.
 *   <li>{@code <5:a|b>}: the same one time out of 5, and nothing else.
 *   <li>{@code <,:a|b>}, {@code <,1:a|b>} and {@code <xS:a|b>}: an alternative for each dimension
 *       of the first operand, of another, or of a letter, with what is between them; there {@code
 *       s} is the size, {@code h} its half if it is even, and {@code w} it or 4.
 *   <li>{@code S0}, {@code T0}: the shape and type of an operand; {@code R}: the shape of the
 *       result, if a word gives it; {@code V}: the shapes of all operands.
 *   <li>{@code @(V)->R}: any computation of these parameters with this result; a name before the
 *       parameters says what the custom call stands for that is all of it ({@link Regions}). There
 *       {@code E} is a scalar for each of the first operands, of which an op has one or more, and
 *       {@code D} two.
 * </ul>
 */
final class Drawing {
  /**
   * A word: its name, types after a colon, roles of dimensions, whether there may be more, and
   * which whole numbers it has.
   */
  private static final Pattern WORD =
      Pattern.compile("(\\w*)(?::([\\w-]+))?([({/][\\w,]*[)}/])?(\\+?)(?:#(.+))?");

  private static final Pattern HOLE = Pattern.compile("<(?:(\\d+|[,x])([A-Z0-9]?):)?([^<>]*)>");
  private static final Pattern RANGE = Pattern.compile("([-+0-9a-zA-Z]+)\\.\\.([-+0-9a-zA-Z]+)");
  private static final Pattern TERM = Pattern.compile("(-?)(\\d+)?([a-zA-Z])?");
  private static final Pattern CALLED =
      Pattern.compile("@(\\w*)\\(([^)]*)\\)->(\\w+(?:\\[])?|\\(\\))");
  private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*");

  /** An attribute without a value. */
  private static final Pattern ABSENT =
      Pattern.compile(",? ?\\b\\w++=(?=[ ,}]|$)", Pattern.MULTILINE);

  final Block block;
  private final Choices choices;
  private final List<HloInstruction> operands;
  private final Roles roles;

  /** What stands for names, of shapes as well; the result has none if no word gives it. */
  private final Map<String, String> names = new HashMap<>(Map.of("R", ""));

  /** What the accumulators of a reduction combine by, where systems have to agree. */
  private final Map<Integer, Kind> kinds = new HashMap<>();

  /** How many operands are those that {@code E} is of. */
  private int inputs = 1;

  /** Whether the result has another type than that which the operands say. */
  private boolean isOfOtherType;

  Drawing(Block block, List<HloInstruction> given) {
    this.block = block;
    this.choices = block.choices;
    this.roles = new Roles(choices);
    this.operands = new ArrayList<>(given);
  }

  /** Returns the shape of the first operand, an array. */
  private Shape.Array shape() {
    return Block.shape(operands.get(0));
  }

  private Dims sizes() {
    return shape().sizes();
  }

  private ElementType type() {
    return shape().elementType();
  }

  // Operands.

  static ImmutableList<String> words(String text) {
    return ImmutableList.copyOf(Splitter.onPattern("\\s+").omitEmptyStrings().split(text));
  }

  /** Makes what a word of the table says. */
  private void word(String word) {
    String filled = filled(word);
    String text = shown(filled);
    Matcher parts = WORD.matcher(text);
    if (filled.contains(" ")) {
      words(filled).forEach(this::word);
    } else if (filled.contains("=")) {
      let(filled);
    } else if (text.endsWith("]")) {
      add(Parser.parseShape(text));
    } else {
      Preconditions.checkState(parts.matches(), word);
      Predicate<ElementType> types = types(nullToEmpty(parts.group(2)));
      operand(parts.group(1), types, nullToEmpty(parts.group(3)), nullToEmpty(parts.group(5)));
      if (!parts.group(4).isEmpty()) { // up to two more arrays of the same sizes
        times(
            3, () -> add(shape().withElementType(choices.chance(2) ? type() : choices.anyType())));
        inputs = operands.size();
      }
    }
  }

  /** Gives names one of their alternatives. */
  private void let(String names) {
    List<String> parts = Splitter.on('=').limit(2).splitToList(names);
    List<String> values =
        Splitter.on(';').splitToList(choices.oneOf(Splitter.on('|').splitToList(parts.get(1))));
    int i = 0;
    for (String name : Splitter.on(';').split(parts.get(0))) {
      this.names.put(name, shown(values.get(i++)));
    }
  }

  private void operand(String name, Predicate<ElementType> types, String letters, String numbers) {
    switch (name) {
      case "any" -> {
        String dimensions = letters.isEmpty() ? "(A)" : letters;
        operands.add(block.array(types, roles.ranks(dimensions)));
        roles.part(dimensions, Block.shape(operands.getLast()).sizes());
      }
      case "" -> {
        Shape.Array shape = made(types, letters);
        if (numbers.isEmpty()) {
          add(shape);
        } else {
          numbers(shape, () -> between(numbers));
        }
      }
      case "value" -> operands.add(block.any());
      case "values" -> operands.addAll(block.some());
      case "sized" -> {
        operands.add(block.any(shape -> shape instanceof Shape.Array array && array.rank() > 0));
        roles.part("(A)", sizes());
      }
      case "effects" -> block.draft.requireEffects();
      case "of" -> roles.part(letters, roles.sizes("R"));
      case "result" -> result(made(types, letters));
      case "preferred" -> isOfOtherType = choices.chance(4);
      case "same" -> result(together(Block.shapes(operands)));
      case "dynamic" -> dynamic();
      case "layout" -> layout();
      case "outcome" -> result(block.outcome(Block.shapes(operands)));
      case "reinterpreted" -> reinterpreted();
      case "starts" -> starts();
      case "index" -> {
        long bound = operands.isEmpty() ? 3 : sizes().stream().max().orElse(1);
        operands.add(block.indices(made(types, letters), bound));
      }
      case "map" -> map();
      case "offsets" -> offsets();
      case "updates" -> inputs().forEach(type -> add(Shape.of(type, roles.sizes("U"))));
      case "window" -> window();
      case "labels" -> labels();
      case "definite" -> definite(made(types, letters));
      case "sizes" ->
          roles.sizes("R").stream().forEach(each -> numbers(Shape.of(ElementType.S32), () -> each));
      case "initials" -> initials();
      case "scanned" -> scanned();
      default -> roles.give(name, Dims.of(between(numbers)));
    }
  }

  /** Returns a new shape of the type of the first operand, if it suits, or another. */
  private Shape.Array made(Predicate<ElementType> types, String letters) {
    ElementType type = !operands.isEmpty() && types.test(type()) ? type() : choices.type(types);
    long most = choices.oneOf(List.of(12L, 60L, block.most()));
    return Shape.of(type, roles.made(letters, most));
  }

  /** Adds a value of a shape. */
  private void add(Shape shape) {
    operands.add(block.value(shape));
  }

  /** Adds an array of whole numbers. */
  private void numbers(Shape.Array shape, LongSupplier each) {
    operands.add(block.given(choices.whole(shape, each)));
  }

  private void times(int bound, Runnable work) {
    for (int i = choices.below(bound); i > 0; i--) {
      work.run();
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
    names.put("R", shape.toString());
    if (shape instanceof Shape.Array array) {
      roles.give("R", array.sizes());
    }
  }

  /** Returns the shape of the result, or of its first array. */
  private Shape result() {
    return Parser.parseShape(shown("R"));
  }

  private static Shape together(List<Shape> shapes) {
    return shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(ImmutableList.copyOf(shapes));
  }

  /**
   * Makes a dimension of the result dynamic, in programs that have such ones: d or any. The size is
   * at least z.
   */
  private void dynamic() {
    Shape.Array shape = (Shape.Array) result();
    boolean isFixed = !choices.restrictions().isDynamic || shape.rank() == 0 || choices.chance(4);
    roles.give("z", isFixed ? roles.sizes("d") : Dims.of(0));
    if (!isFixed) {
      int one = roles.has("d") ? roles.places("0d").getInt(0) : choices.below(shape.rank());
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
    Dims sizes = choices.sizes(Math.min(choices.rank(), 4), block.most());
    Dims more = Dims.of(Math.max(to.bits(), from.bits()) / Math.min(to.bits(), from.bits()));
    add(Shape.of(from, to.bits() > from.bits() ? sizes.concat(more) : sizes));
    result(Shape.of(to, to.bits() < from.bits() ? sizes.concat(more) : sizes));
  }

  // Gather and scatter: of an array, B are batching dimensions, C collapsed ones, O those of
  // windows; of the indices, W are other batch dimensions, and v has the index vectors. M is the
  // map of these, L the sizes of a slice; of the result, whose sizes are U, N are those of windows.

  private void starts() {
    ElementType type = choices.type(ElementType::isIntegral);
    sizes().stream().forEach(size -> operands.add(block.indices(Shape.of(type), size)));
  }

  private void map() {
    Dims some = roles.places("0CO");
    Dims map =
        some.at(choices.permutation(some.count())).subList(0, choices.below(some.count() + 1));
    Dims thin = roles.places("0BC");
    Dims slices =
        Dims.of(
            IntStream.range(0, sizes().count())
                .mapToLong(d -> {
                  long most = Math.min(sizes().get(d), thin.contains(d) ? 1 : Long.MAX_VALUE);
                  boolean isWhole = thin.contains(d) || choices.chance(3);
                  return isWhole ? most : choices.between(0, most);
                })
                .toArray());
    roles.give("M", map);
    roles.give("L", slices);
    boolean isImplied = map.count() == 1 && choices.chance(2);
    roles.give("v", isImplied ? Dims.of() : Dims.of(map.count()));
  }

  private void offsets() {
    Dims batch = Dims.of(roles.places("1WB").stream().sorted().toArray());
    roles.give("N", roles.sizes("L").at(roles.places("0O")));
    roles.give("E", Block.shape(operands.getLast()).sizes().at(batch));
    roles.give("U", roles.made("/N,E/", 1));
  }

  // Products and routines.

  /** A window over the dimensions S: W are its sizes, P how often it fits. */
  private void window() {
    String text = filled("<any-window>");
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

  /** Adds matrices, mostly symmetric and positive definite. */
  private void definite(Shape.Array shape) {
    Drawing drawing = new Drawing(block, ImmutableList.of());
    drawing.result(shape);
    HloModule numbers = drawing.parsed(OpRows.of("definite", choices).templates().get(0));
    operands.add(
        choices.chance(3) ? block.value(shape) : block.given(Interpreter.reference().run(numbers)));
  }

  // Computations.

  private Kind kind(int input) {
    return kinds.computeIfAbsent(input, each -> Regions.combining(choices, inputs().get(each)));
  }

  /** Adds initial values: any, or for other systems those that change nothing. */
  private void initials() {
    for (int i = 0; i < inputs; i++) {
      ElementType type = Block.type(operands.get(i));
      operands.add(
          choices.restrictions().isPortable
              ? Regions.identity(block, kind(i), type)
              : block.value(Shape.of(type)));
    }
  }

  /** Inputs, outputs and carried values of any shapes. */
  private void scanned() {
    Dims kept = Dims.range(0, shape().rank()).without(roles.places("0d"));
    List<Shape> parameters =
        new ArrayList<>(operands.stream().map(each -> Block.shape(each).select(kept)).toList());
    times(3, () -> operands.add(block.array(type -> true, rank -> true)));
    List<Shape> carries = Block.shapes(operands.subList(inputs, operands.size()));
    parameters.addAll(carries);
    List<Shape> results = new ArrayList<>();
    times(3, () -> results.add(choices.oneOf(parameters)));
    results.addAll(carries);
    names.put("carries", Integer.toString(carries.size()));
    names.put("I", texts(parameters));
    names.put("O", "(" + texts(results) + ")");
  }

  /** Returns a computation: one that is to be made, or what other systems agree about. */
  private String computation(String name, String target, String parameters, String result) {
    List<Shape> given =
        Splitter.on(',')
            .omitEmptyStrings()
            .splitToStream(parameters)
            .flatMap(each -> shapes(each).stream())
            .toList();
    String text =
        !choices.restrictions().isPortable || !parameters.equals("E,E")
            ? String.format(
                "%s custom-call(), custom_call_target=\"%s\"",
                together(shapes(result)), target.isEmpty() ? Regions.NEXT : target)
            : result.equals("E") ? combined() : "compare(a0, a1), direction=GE";
    return name + " {\n  " + parameters("a", given) + "\n  r = " + text + "\n}\n";
  }

  private String combined() {
    List<String> each =
        IntStream.range(0, inputs)
            .mapToObj(i -> String.format("%s(a%s, a%s)", kind(i).mnemonic(), i, i + inputs))
            .toList();
    return inputs == 1 ? each.get(0) : "tuple(" + String.join(", ", each) + ")";
  }

  private static String parameters(String letter, List<Shape> shapes) {
    return IntStream.range(0, shapes.size())
        .mapToObj(i -> letter + i + " = " + shapes.get(i) + " parameter(" + i + ")")
        .collect(joining("\n  "));
  }

  // The text.

  /** Fills a template and appends its instructions. Returns its root. */
  HloInstruction write(OpRows.Template template) {
    return Regions.spliced(block, parsed(template).entry(), operands);
  }

  private HloModule parsed(OpRows.Template template) {
    template.words().forEach(this::word);
    String filled = filled(template.text());
    HloModule module = parse(filled);
    if (isOfOtherType) {
      result(module.entry().root().arrayShape().withElementType(choices.anyType()));
      return parse(filled);
    }
    return module;
  }

  private HloModule parse(String filled) {
    StringBuilder all = new StringBuilder("HloModule m\n");
    String calling =
        CALLED
            .matcher(filled)
            .replaceAll(found -> {
              String name = "c" + all.length();
              all.append(computation(name, found.group(1), found.group(2), found.group(3)));
              return name;
            });
    List<Shape> given = Block.shapes(operands);
    names.put("OPERANDS", parameters("x", given));
    names.put(
        "NAMES", IntStream.range(0, given.size()).mapToObj(i -> "x" + i).collect(joining(", ")));
    return Parser.parse(all + shown(calling));
  }

  /** Returns a text with what names stand for: those that it gives, shapes and types. */
  private String shown(String text) {
    List<Shape> given = Block.shapes(operands);
    names.put("V", texts(given));
    for (int i = 0; i < given.size(); i++) {
      names.put("S" + i, given.get(i).toString());
      if (given.get(i) instanceof Shape.Array array) {
        names.put("T" + i, array.elementType().toString());
      }
    }
    return NAME.matcher(text).replaceAll(found -> names.getOrDefault(found.group(), found.group()));
  }

  private static String texts(List<Shape> shapes) {
    return shapes.stream().map(Shape::toString).collect(joining(", "));
  }

  private HloInstruction operand(String name) {
    return operands.get(Character.digit(name.charAt(1), 10));
  }

  private List<Shape> shapes(String name) {
    return switch (name) {
      case "E" -> scalars(1);
      case "D" -> scalars(2);
      default -> ((Shape.Tuple) Parser.parseShape("(" + shown(name) + ")")).elements();
    };
  }

  private List<Shape> scalars(int times) {
    return inputs().stream()
        .flatMap(type -> Collections.nCopies(times, (Shape) Shape.of(type)).stream())
        .toList();
  }

  /** Returns the types of the first operands. */
  private List<ElementType> inputs() {
    return operands.subList(0, inputs).stream().map(Block::type).toList();
  }

  private String filled(String text) {
    String filled =
        HOLE.matcher(text)
            .replaceAll(hole -> {
              String how = nullToEmpty(hole.group(1));
              return how.matches("[,x]")
                  ? sizes(hole.group(2)).stream()
                      .mapToObj(size -> value(hole.group(3), size))
                      .collect(joining(how))
                  : how.isEmpty() || choices.chance(Integer.parseInt(how))
                      ? value(hole.group(3))
                      : "";
            });
    return ABSENT.matcher(filled).replaceAll("");
  }

  private Dims sizes(String letter) {
    return letter.isEmpty()
        ? sizes()
        : letter.matches("\\d") ? Block.shape(operand("x" + letter)).sizes() : roles.sizes(letter);
  }

  /** Returns one of some alternatives for a dimension of a size. */
  private String value(String alternatives, long size) {
    roles.give("s", Dims.of(size));
    roles.give("h", Dims.of(size % 2 == 0 ? size / 2 : size));
    roles.give("w", Dims.of(Math.clamp(size, 1, 4)));
    return value(alternatives);
  }

  private String value(String alternatives) {
    String one = choices.oneOf(Splitter.on('|').splitToList(alternatives));
    if (roles.has(one) || one.matches("\\d[a-zA-Z]+")) {
      Dims dims = roles.has(one) ? roles.sizes(one) : roles.places(one);
      return dims.stream().mapToObj(Long::toString).collect(joining(","));
    }
    String known = names.getOrDefault(one, OpRows.usual(one));
    if (!known.equals(one)) {
      return filled(known);
    } else if (one.startsWith(":")) {
      return choices.type(types(one.substring(1))).toString();
    }
    return switch (one) {
      case "unary" -> function(1);
      case "binary" -> function(2);
      case "next" -> "" + (1 + block.draft.nextName());
      default -> RANGE.matcher(one).replaceAll(range -> "" + between(range.group()));
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

  /** Returns a number of a range, or the only one. */
  private long between(String range) {
    List<String> bounds = Splitter.on("..").splitToList(range);
    return choices.between(number(bounds.get(0)), number(bounds.get(bounds.size() - 1)));
  }

  /** Returns a sum, such as {@code 2c-1}, of numbers and of how many elements letters have. */
  private long number(String sum) {
    return TERM.matcher(sum)
        .results()
        .filter(term -> !term.group().isEmpty())
        .mapToLong(term -> {
          long factor = term.group(2) == null ? 1 : Long.parseLong(term.group(2));
          Preconditions.checkState(term.group(3) == null || roles.has(term.group(3)), sum);
          long size = term.group(3) == null ? 1 : roles.sizes(term.group(3)).product();
          return (term.group(1).isEmpty() ? 1 : -1) * factor * size;
        })
        .sum();
  }
}
