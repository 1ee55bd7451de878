package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Preconditions;
import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.hlo4j.check.generate.Restrictions.Trait;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * One instruction that is drawn: its attributes, operands and computations. Each word of a row of
 * {@code ops.table} adds to them; the first operand mostly says what the others may be.
 */
final class Drawing {
  /** A word: its name, types after a colon, roles of dimensions, and whether there may be more. */
  private static final Pattern WORD =
      Pattern.compile("(\\w*)(?::(\\w+))?([({<][\\w,]*[)}>])?(\\+?)");

  final Block block;
  final Choices choices;
  final Attributes attributes;
  final Roles roles;
  final List<HloInstruction> operands = new ArrayList<>();
  private final List<HloComputation> called = new ArrayList<>();
  private String opcode;

  Drawing(Block block, String opcode) {
    this.block = block;
    this.choices = block.choices();
    this.roles = new Roles(choices);
    this.opcode = opcode;
    this.attributes = new Attributes(this);
  }

  /** Appends a chain of ops, of which each takes the result of the one before. */
  static void take(Block block, List<String> chain, List<String> words) {
    Drawing drawing = new Drawing(block, chain.get(0));
    words.forEach(drawing::word);
    List<Shape> given = Sources.shapes(drawing.operands);
    HloInstruction last = drawing.add(List.copyOf(drawing.operands));
    for (String next : chain.subList(1, chain.size())) {
      if (block.choices().chance(3) && block.mayNest()) {
        OpRows.any(block);
      }
      drawing.opcode = next;
      drawing.called.clear();
      drawing.attributes.ofNext(given);
      last = drawing.add(List.of(last));
    }
  }

  /** Appends the op with operands. */
  HloInstruction add(List<HloInstruction> given) {
    operands.clear();
    operands.addAll(given);
    Optional<Elementwise> elementwise = OpSchema.elementwise(opcode);
    Op op = elementwise.isPresent() ? elementwise.get() : attributes.op(opcode);
    return block.add(op, given, List.copyOf(called));
  }

  String opcode() {
    return opcode;
  }

  /** Returns the shape of the first operand, an array. */
  Shape.Array shape() {
    return Sources.shape(operands.get(0));
  }

  private Dims sizes() {
    return shape().sizes();
  }

  ElementType type() {
    return shape().elementType();
  }

  /** Makes what a word of the table says. */
  private void word(String word) {
    if (word.startsWith("@")) {
      called.add(region(Place.valueOf(word.substring(1))));
    } else if (word.contains("=")) {
      List<String> parts = Splitter.on('=').splitToList(word);
      attributes.give(parts.get(0), parts.get(1));
    } else {
      Matcher parts = WORD.matcher(word);
      Preconditions.checkState(parts.matches(), word);
      Predicate<ElementType> types = types(Strings.nullToEmpty(parts.group(2)));
      operand(parts.group(1), types, Strings.nullToEmpty(parts.group(3)));
      if (!parts.group(4).isEmpty()) { // up to two more arrays of the same sizes
        times(
            3, () -> like(shape().withElementType(choices.chance(2) ? type() : choices.anyType())));
      }
    }
  }

  private void operand(String name, Predicate<ElementType> types, String letters) {
    switch (name) {
      case "any" -> existing(types, 0, letters);
      case "line" -> existing(types, 1, letters);
      case "" -> add(made(types, letters));
      case "like" -> like(shape().withElementType(type(types)));
      case "between" -> Collections.swap(operands, 0, 1);
      case "first" -> Collections.rotate(operands, 1);
      case "token" -> add(Shape.token());
      case "value" -> operands.add(Sources.any(block));
      case "values" -> operands.addAll(Sources.some(block));
      case "pair" -> operands.add(block.tuple(List.of(Sources.any(block), Sources.any(block))));
      case "effects" -> block.draft.requireEffects();
      case "zero" -> number(made(types, letters), 0);
      case "one" -> number(made(types, letters), 1);
      case "result" -> attributes.give("shape", made(types, letters));
      case "same" -> attributes.give("shape", together(Sources.shapes(operands)));
      case "twice" -> {
        Shape one = (Shape) attributes.of("shape");
        attributes.give("shape", Shape.tuple(one, one));
      }
      case "reinterpreted" -> reinterpreted();
      case "joined" -> joined();
      case "part" -> add(shape().withSizes(attributes.within()));
      case "starts" -> starts();
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
      case "updates" -> updates();
      case "window" -> window();
      case "labels" -> labels();
      case "scale" -> scale(types, Integer.parseInt(letters.substring(1, 2)));
      case "definite" -> definite(made(types, letters));
      case "state" -> state();
      case "exchanged" -> exchanged();
      case "size" -> size();
      case "sizes" ->
          ((Shape.Array) attributes.of("shape"))
              .sizes().stream().forEach(each -> number(Shape.of(ElementType.S32), each));
      case "sized" -> sized();
      case "initials" -> initials();
      case "scanned" -> scanned();
      default -> throw new AssertionError(name);
    }
  }

  private void existing(Predicate<ElementType> types, int rank, String letters) {
    operands.add(Sources.array(block, types, rank, 5));
    if (!letters.isEmpty()) {
      roles.part(letters, Sources.shape(operands.getLast()).sizes());
    }
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
      case "own" -> OpSchema.elementwise(opcode).orElseThrow().kind()::accepts;
      case "other" -> choices.chance(8) ? type -> type != type() : type -> true;
      default -> type -> name.isEmpty() || type.toString().equals(name);
    };
  }

  // Computations that are applied to elements.

  private static ImmutableList<Shape> scalars(List<HloInstruction> arrays) {
    return arrays.stream().map(each -> Shape.of(Sources.type(each))).collect(toImmutableList());
  }

  private static Shape together(List<Shape> shapes) {
    return shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(ImmutableList.copyOf(shapes));
  }

  /** Returns how often a computation that is applied to elements runs, at most. */
  private long runs() {
    long most =
        operands.stream()
            .filter(each -> each.shape() instanceof Shape.Array)
            .mapToLong(each -> Sources.shape(each).elementCount())
            .max()
            .orElse(1);
    return most * Math.max(1, roles.sizes("W").product());
  }

  private HloComputation region(Place place) {
    List<HloInstruction> arrays =
        switch (place) {
          case COMBINER -> operands.subList(0, operands.size() / 2);
          case SELECTOR, SCATTERER, DEVICES -> operands.subList(0, 1);
          case BRANCH -> operands.subList(called.size() + 1, called.size() + 2);
          default -> operands;
        };
    List<Shape> shapes = Sources.shapes(arrays);
    return switch (place) {
      case CALLED, BRANCH ->
          called.isEmpty()
              ? Regions.free(block, place, shapes)
              : Regions.of(block, place, shapes, called.get(0).root().shape(), 1);
      case FUSED -> Regions.tight(block, shapes);
      case ASYNCHRONOUS -> asynchronous();
      case MAPPED -> Regions.of(block, place, scalars(arrays), Shape.of(choices.anyType()), runs());
      case COMPARATOR -> Regions.comparator(block, scalars(arrays), runs());
      default -> {
        ImmutableList<Shape> results = scalars(arrays);
        List<Shape> both = Stream.concat(results.stream(), results.stream()).toList();
        Shape result = place == Place.SELECTOR ? Shape.of(ElementType.PRED) : together(results);
        yield Regions.of(block, place, both, result, runs());
      }
    };
  }

  private HloComputation asynchronous() {
    List<Shape> given = Sources.shapes(operands);
    HloComputation body = Regions.alone(block, given);
    Shape inputs = new Shape.Tuple(ImmutableList.copyOf(given));
    Shape result = body.root().shape().withoutLayout();
    attributes.give("shape", Shape.tuple(inputs, result, Shape.of(ElementType.U32)));
    return body;
  }

  /** Adds initial values: any, or for other systems those that change nothing. */
  private void initials() {
    HloInstruction root = called.getLast().root();
    List<HloInstruction> results = root.op() instanceof Tuple ? root.operands() : List.of(root);
    for (HloInstruction each : results) {
      ElementType type = Sources.type(each);
      if (choices.has(Trait.PORTABLE) && each.op() instanceof Elementwise combining) {
        operands.add(Regions.identity(block, combining.kind(), type));
      } else {
        add(Shape.of(type));
      }
    }
  }

  /** Inputs, outputs and carried values of any shapes. */
  private void scanned() {
    int dimension = ((Dims) attributes.of("dimensions")).getInt(0);
    long steps = shape().size(dimension);
    Dims kept = Dims.range(0, shape().rank()).without(Dims.of(dimension));
    List<Shape> parameters =
        new ArrayList<>(operands.stream().map(each -> Sources.shape(each).select(kept)).toList());
    int inputs = operands.size();
    times(3, () -> operands.add(Sources.array(block, type -> true, 0, 5)));
    List<Shape> carries = Sources.shapes(operands.subList(inputs, operands.size()));
    parameters.addAll(carries);
    List<Shape> results = new ArrayList<>();
    times(3, () -> results.add(choices.oneOf(parameters)));
    results.addAll(carries);
    attributes.give("num_carries", carries.size());
    Shape result = new Shape.Tuple(ImmutableList.copyOf(results));
    called.add(Regions.of(block, Place.STEP, parameters, result, steps));
  }

  /** To as many bits, or fewer with one more dimension, or more with one less. */
  private void reinterpreted() {
    ElementType from = choices.anyType();
    ElementType to =
        choices.type(type ->
            type.isComplex() == from.isComplex()
                && (type.bits() % from.bits() == 0 || from.bits() % type.bits() == 0));
    int ratio = to.bits() / from.bits();
    Dims sizes = Sources.shape(block, from, Math.min(choices.rank(), 4)).sizes();
    attributes.give("new_element_type", to);
    add(Shape.of(from, ratio > 1 ? sizes.inserted(sizes.count(), ratio) : sizes));
  }

  private void joined() {
    int dimension = ((Dims) attributes.of("dimensions")).getInt(0);
    times(5, () -> add(shape().withSizes(sizes().with(dimension, choices.below(6)))));
  }

  private void starts() {
    ElementType type = choices.type(ElementType::isIntegral);
    sizes().stream().forEach(size -> operands.add(Sources.indices(block, Shape.of(type), size)));
  }

  // Gather and scatter: of an array, B are batching dimensions, C collapsed ones, O those of
  // windows; of the indices, V are other batch dimensions, and v has the index vectors.

  private void map() {
    Dims some = roles.places("0CO");
    Dims map =
        some.at(choices.permutation(some.count())).subList(0, choices.below(some.count() + 1));
    Dims slices = attributes.within();
    for (long thin : roles.places("0BC").toArray()) {
      slices = slices.with((int) thin, Math.min(1, sizes().get((int) thin)));
    }
    attributes.give("start_index_map", map);
    attributes.give("slice_sizes", slices);
    boolean isImplied = map.count() == 1 && choices.chance(2);
    roles.give("v", isImplied ? Dims.of() : Dims.of(map.count()));
  }

  private void offsets() {
    int windows = roles.places("0O").count();
    Dims places = choices.permutation(windows + roles.places("1VB").count()).subList(0, windows);
    attributes.give("offset_dims", Dims.of(places.stream().sorted().toArray()));
  }

  /** Adds updates of what a gather would give. */
  private void updates() {
    Gather gather = (Gather) attributes.op("gather");
    Scatter scatter = Scatter.inverseOf(gather);
    OpSchema.attributes(scatter).forEach(each -> attributes.give(each.name(), each.value(scatter)));
    List<HloInstruction> arrays = operands.subList(0, operands.size() - 1);
    List<HloInstruction> inputs = List.of(arrays.get(0), operands.getLast());
    Shape.Array updates = (Shape.Array) gather.infer(HloInstruction.inputs(inputs, List.of()));
    for (HloInstruction each : List.copyOf(arrays)) {
      add(Shape.of(Sources.type(each), updates.sizes()));
    }
  }

  // Products.

  private void window() {
    Window window = attributes.window(roles.sizes("S"));
    attributes.give("window", window);
    roles.give("W", window.sizes());
    roles.give("P", window.outputSizes(roles.sizes("S")));
  }

  private void labels() {
    roles.made("{b,o,S}", 1);
    attributes.give(
        "dim_labels",
        new ConvolutionDimensionNumbers(
            roles.place("0b"),
            roles.place("0i"),
            roles.places("0S"),
            roles.place("1i"),
            roles.place("1o"),
            roles.places("1W"),
            roles.place("2b"),
            roles.place("2o"),
            roles.places("2S")));
  }

  /** Adds a scale for each block of an operand. */
  private void scale(Predicate<ElementType> types, int operand) {
    Dims blocks =
        Dims.of(
            Sources.shape(operands.get(operand)).sizes().stream()
                .map(size -> size % 2 == 0 && choices.chance(2) ? size / 2 : size)
                .toArray());
    add(Shape.of(choices.type(types), blocks));
  }

  // Routines.

  /** Adds matrices, mostly symmetric and positive definite: their diagonals are large. */
  private void definite(Shape.Array shape) {
    long n = shape.size(shape.rank() - 1);
    ElementType type = shape.elementType();
    int parts = type.componentCount();
    double diagonal = n + 1 + choices.below(4);
    Literal definite =
        Literal.ofBits(
            shape,
            i -> {
              long row = i / parts / n % n;
              long column = i / parts % n;
              double beside = (row * row + column * column) % 9 / 4.0 - 1;
              return type.componentType()
                  .encode(i % parts > 0 ? 0 : row == column ? diagonal : beside);
            });
    operands.add(choices.chance(3) ? Sources.value(block, shape) : Sources.given(block, definite));
  }

  private void state() {
    RngBitGenerator.Algorithm algorithm = (RngBitGenerator.Algorithm) attributes.of("algorithm");
    Shape.Array state = Shape.of(ElementType.U64, 2 + choices.below(2));
    attributes.give("shape", RngBitGenerator.of(algorithm, state, Sources.shape(block)).shape());
    add(state);
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

  private void sized() {
    List<HloInstruction> lines =
        Sources.values(block, shape -> shape instanceof Shape.Array array && array.rank() > 0);
    boolean isNew = lines.isEmpty() || choices.chance(3);
    operands.add(isNew ? Sources.array(block, type -> true, 1, 5) : choices.oneOf(lines));
  }

  /** To a size that is known only at run time, and back to a static one, or the whole. */
  private void size() {
    int dimension = ((Dims) attributes.of("dimensions")).getInt(0);
    boolean isFixed = !choices.has(Trait.DYNAMIC) || choices.chance(4);
    long whole = shape().size(dimension);
    attributes.give("shape", isFixed ? shape() : shape().withDynamic(List.of(dimension)));
    number(Shape.of(ElementType.S32), isFixed ? whole : choices.between(0, whole));
  }
}
