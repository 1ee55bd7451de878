package org.hlo4j.check.generate;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Window;

/** Operands whose shapes follow from that of the first one, and attributes that say how. */
final class Shapes {
  /** The most products of an instruction. */
  private static final long MAX_PRODUCTS = 100_000;

  private final Drawing drawing;
  private final Block block;
  private final Choices choices;

  Shapes(Drawing drawing) {
    this.drawing = drawing;
    this.block = drawing.block;
    this.choices = drawing.choices;
  }

  /** Adds what a word of the table says. */
  void source(String word) {
    switch (word) {
      case "chosen" -> chosen();
      case "unsigned" ->
          drawing.add(shape().withElementType(unsigned(drawing.type()).orElseThrow()));
      case "vector" -> drawing.add(shape().select(Dims.of((int) attribute("feature_index"))));
      case "reinterpreted" -> reinterpreted();
      case "spread" -> spread();
      case "joined" -> joined();
      case "part" -> drawing.add(shape().withSizes(Attributes.within(choices, sizes())));
      case "starts" -> starts();
      case "indices" -> new IndexRoles(drawing, shape()).gathered();
      case "updates" -> new IndexRoles(drawing, shape()).scattered();
      case "windows" -> {
        Dims places = ((Window) attribute("window")).outputSizes(sizes());
        drawing.add(shape().withSizes(places));
      }
      case "convolved" -> convolved();
      case "product" -> product(false, false);
      case "ragged" -> product(true, false);
      case "scaled" -> product(false, true);
      case "matrix" -> matrix();
      case "sides" -> sides();
      case "state" -> state();
      case "limits" -> limits();
      case "exchanged" -> exchanged();
      case "sizes" -> reshaped();
      case "sized" -> sized();
      case "size" -> size();
      default -> throw new AssertionError(word);
    }
  }

  private Shape.Array shape() {
    return drawing.shape();
  }

  private Dims sizes() {
    return shape().sizes();
  }

  private Object attribute(String name) {
    return drawing.attributes.of(name);
  }

  private void give(String name, Object value) {
    drawing.attributes.give(name, value);
  }

  private void add(HloInstruction operand) {
    drawing.operands().add(operand);
  }

  private void number(ElementType type, long number) {
    add(Sources.number(block, Shape.of(type), number));
  }

  static Optional<ElementType> unsigned(ElementType like) {
    return Arrays.stream(ElementType.values())
        .filter(type -> type.kind() == ElementType.Kind.UNSIGNED && type.bits() == like.bits())
        .findFirst();
  }

  private void chosen() {
    Shape pred = choices.chance(3) ? Shape.of(ElementType.PRED) : Sources.pred(shape());
    drawing.operands().add(0, Sources.value(block, pred));
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
    give("new_element_type", to);
    drawing.add(Shape.of(from, ratio > 1 ? sizes.inserted(sizes.count(), ratio) : sizes));
  }

  private void spread() {
    int more = choices.below(6 - sizes().count());
    Dims added = choices.sizes(more, Sources.most(block) / Math.max(1, shape().elementCount()));
    Dims sizes = sizes();
    Dims dimensions = Dims.range(0, sizes.count());
    for (int i = 0; i < more; i++) {
      int at = choices.below(sizes.count() + 1);
      sizes = sizes.inserted(at, added.get(i));
      dimensions = shifted(dimensions, at);
    }
    give("shape", shape().withSizes(sizes));
    give("dimensions", dimensions);
  }

  /** Returns numbers of dimensions when there is one more at a place. */
  static Dims shifted(Dims dimensions, int at) {
    return Dims.of(dimensions.stream().map(d -> d >= at ? d + 1 : d).toArray());
  }

  private void joined() {
    int dimension = ((Dims) attribute("dimensions")).getInt(0);
    for (int more = choices.below(5); more > 0; more--) {
      Dims other = sizes().with(dimension, choices.below(6));
      drawing.add(shape().withSizes(choices.chance(3) ? sizes() : other));
    }
  }

  /** Adds start indices: scalars of a type, or a vector of them. */
  private void starts() {
    ElementType type = choices.type(ElementType::isIntegral);
    if (choices.chance(6)) {
      long most = sizes().stream().max().orElse(1);
      add(Sources.indices(block, Shape.of(type, sizes().count()), most));
    } else {
      sizes().stream().forEach(size -> add(Sources.indices(block, Shape.of(type), size)));
    }
  }

  // Products.

  /** Returns the type of the other operand, mostly the same. */
  private ElementType other(ElementType type) {
    return choices.chance(8)
        ? choices.type(each -> !drawing.opcode().equals("scaled-dot") || each.isFloating())
        : type;
  }

  /** The roles of the dimensions of two operands: batch, contracting, and free ones. */
  private void product(boolean isRagged, boolean isScaled) {
    Shape.Array lhs = shape();
    Dims order = choices.permutation(lhs.rank());
    int batch =
        isScaled
            ? choices.below(order.count())
            : choices.chance(2) ? 0 : choices.below(order.count() + 1);
    int contracted = batch + (isScaled ? 1 : choices.below(order.count() + 1 - batch));
    Dims shared = order.subList(0, contracted);
    long common = Math.max(1, lhs.sizes().at(shared).product());
    int more = choices.below(isScaled ? 2 : Math.max(1, 4 - contracted));
    Dims free = choices.sizes(more, isScaled ? 12 : Sources.most(block) / common);
    block.requireFew(Math.max(1, lhs.elementCount()) * Math.max(1, free.product()), MAX_PRODUCTS);
    Dims where = choices.permutation(contracted + more);
    Dims place = where.inverse();
    Dims rhs = lhs.sizes().at(shared).concat(free).at(where);
    Dims lhsContracted = order.subList(batch, contracted);
    give("lhs_batch_dims", order.subList(0, batch));
    give("lhs_contracting_dims", lhsContracted);
    give("rhs_batch_dims", place.subList(0, batch));
    give("rhs_contracting_dims", place.subList(batch, contracted));
    if (isRagged) {
      ragged(lhs, shared, rhs);
    } else {
      drawing.add(Shape.of(other(lhs.elementType()), rhs));
    }
    for (int i = 0; isScaled && i < 2; i++) {
      scale(Sources.shape(drawing.operands().get(i)));
    }
  }

  /** The ragged dimension is any of lhs; sizes of groups for all, or for each index before it. */
  private void ragged(Shape.Array lhs, Dims shared, Dims rhs) {
    int ragged = choices.below(lhs.rank());
    boolean isFree = !shared.contains(ragged);
    long groups = choices.between(isFree ? 0 : 1, 3);
    int at = choices.below(rhs.count() + 1);
    give("lhs_ragged_dims", Dims.of(ragged));
    give("rhs_group_dims", isFree ? Dims.of(at) : Dims.of());
    for (String role : List.of("rhs_batch_dims", "rhs_contracting_dims")) {
      Dims dims = (Dims) attribute(role);
      give(role, isFree ? shifted(dims, at) : dims);
    }
    RaggedDot op = (RaggedDot) drawing.attributes.op();
    Dims family = op.family(lhs.rank());
    Dims before = family.subList(0, family.indexOf(ragged));
    Dims batch = op.lhsBatchDims();
    Dims prefix = batch.contains(ragged) ? before : batch.concat(before);
    Dims sizes = choices.chance(3) ? lhs.sizes().at(prefix) : Dims.of();
    Shape.Array counts =
        Shape.of(choices.type(ElementType::isIntegral), sizes.inserted(sizes.count(), groups));
    // Not negative, and together at times more than there is.
    long most = Math.min(counts.elementType().maxLong() & Integer.MAX_VALUE, lhs.size(ragged) + 1);
    drawing.add(Shape.of(other(lhs.elementType()), isFree ? rhs.inserted(at, groups) : rhs));
    add(Sources.given(block, choices.whole(counts, 0, Math.max(0, most))));
  }

  /** Adds a scale for each block of an operand, or for all of it. */
  private void scale(Shape.Array operand) {
    Dims blocks =
        Dims.of(
            operand.sizes().stream()
                .map(size -> {
                  long any = choices.between(1, Math.max(1, size));
                  return size == 0 || choices.chance(2) ? size : size % any == 0 ? any : 1;
                })
                .toArray());
    ElementType type = choices.type(ElementType::isFloating);
    boolean isScalar = drawing.operands().size() == 2 && choices.chance(3);
    drawing.add(Shape.of(type, isScalar ? Dims.of() : blocks));
  }

  /** Dimension numbers in any order, groups of features or of the batch, any window. */
  private void convolved() {
    int spatial = choices.below(4);
    long groups = choices.chance(2) ? 1 : choices.between(1, 4);
    boolean isOfBatch = choices.chance(3);
    long batch = choices.between(0, 3) * (isOfBatch ? groups : 1);
    long features = choices.between(choices.chance(6) ? 0 : 1, 6);
    long outputs = choices.between(choices.chance(6) ? 0 : 1, 6) * groups;
    Dims image = choices.sizes(spatial, 200);
    Window window = Attributes.window(choices, image);
    ElementType type = choices.anyType();
    Dims lhs = Dims.of(batch, features * (isOfBatch ? 1 : groups)).concat(image);
    Dims rhs = Dims.of(outputs, features).concat(window.sizes());
    block.requireFew(
        Math.max(1, batch) * window.outputSizes(image).product() * Math.max(1, rhs.product()),
        MAX_PRODUCTS);
    Dims input = choices.permutation(lhs.count());
    Dims kernel = choices.permutation(rhs.count());
    Dims output = choices.permutation(lhs.count());
    give("window", window);
    give("dim_labels", numbers(input, kernel, output));
    give("feature_group_count", isOfBatch ? 1 : groups);
    give("batch_group_count", isOfBatch ? groups : 1);
    drawing.add(Shape.of(type, lhs.at(input.inverse())));
    drawing.add(Shape.of(other(type), rhs.at(kernel.inverse())));
  }

  /** Returns the numbers that say where batch, feature and spatial dimensions are. */
  private static ConvolutionDimensionNumbers numbers(Dims input, Dims kernel, Dims output) {
    int rank = input.count();
    return new ConvolutionDimensionNumbers(
        input.getInt(0),
        input.getInt(1),
        input.subList(2, rank),
        kernel.getInt(1),
        kernel.getInt(0),
        kernel.subList(2, rank),
        output.getInt(0),
        output.getInt(1),
        output.subList(2, rank));
  }

  // Routines.

  /**
   * Adds matrices in a batch, mostly symmetric and positive definite: their diagonals are large.
   */
  private void matrix() {
    ElementType type = choices.type(each -> each.isFloating() || each.isComplex());
    long n = choices.between(0, choices.chance(4) ? 20 : 6);
    block.requireFew(n * n * n, 20_000);
    Dims batch = choices.sizes(choices.chance(2) ? 0 : choices.below(4), 6);
    Shape.Array shape = Shape.of(type, batch.concat(Dims.of(n, n)));
    int parts = type.componentCount();
    int seed = choices.below(100);
    Literal definite =
        Literal.ofBits(
            shape,
            i -> {
              long row = i / parts / n % n;
              long column = i / parts % n;
              double beside = (row * row + column * column + seed) % 9 / 4.0 - 1;
              double number = row == column ? n + 1 + seed % 4 : beside;
              return type.componentType().encode(i % parts == 0 ? number : 0);
            });
    add(choices.chance(3) ? Sources.value(block, shape) : Sources.given(block, definite));
  }

  private void sides() {
    int last = shape().rank() - ((boolean) attribute("left_side") ? 1 : 2);
    drawing.add(shape().withSizes(sizes().with(last, choices.between(0, 9))));
  }

  private void state() {
    RngBitGenerator.Algorithm algorithm = (RngBitGenerator.Algorithm) attribute("algorithm");
    boolean isLong = algorithm != RngBitGenerator.Algorithm.RNG_THREE_FRY && choices.chance(2);
    Shape.Array state = Shape.of(ElementType.U64, isLong ? 3 : 2);
    ElementType type = choices.type(each -> each.isIntegral() || each.isFloating());
    Shape.Array bits = Sources.shape(block, type, choices.rank());
    give("shape", RngBitGenerator.of(algorithm, state, bits).shape());
    drawing.add(state);
  }

  /** Adds 0 and 1, or the mean and deviation. */
  private void limits() {
    boolean isUniform = attribute("distribution") == Rng.Distribution.RNG_UNIFORM;
    ElementType type =
        choices.type(
            each -> isUniform ? !each.isComplex() && each != ElementType.S1 : each.isFloating());
    give("shape", Sources.shape(block, type, choices.rank()));
    for (int i = 0; i < 2; i++) {
      long number = i;
      add(
          isUniform
              ? Sources.given(
                  block,
                  Literal.ofBits(
                      Shape.of(type),
                      at -> type.isFloating() ? type.encode((double) number) : number))
              : Sources.value(block, Shape.of(type)));
    }
  }

  /** Some rows to other rows of an array. */
  private void exchanged() {
    long all = sizes().get(0);
    long rows = choices.between(0, Math.min(all, 99));
    long from = choices.between(0, all - rows);
    long to = choices.between(0, 3);
    Shape.Array one = Shape.of(choices.oneOf(List.of(ElementType.S32, ElementType.S64)), 1);
    drawing.add(shape().withSizes(sizes().with(0, rows + to + choices.below(3))));
    for (long number : new long[] {from, rows, to, rows}) {
      add(Sources.number(block, one, number));
    }
  }

  // Sizes.

  private void reshaped() {
    Dims sizes = Fitting.factors(choices, sizes());
    boolean isDynamic = choices.restrictions().isDynamic() && sizes.count() > 0;
    Shape.Array result = shape().withSizes(sizes);
    give("shape", isDynamic ? result.withDynamic(List.of(choices.below(sizes.count()))) : result);
    sizes.stream().forEach(size -> number(ElementType.S32, size));
  }

  private void sized() {
    List<HloInstruction> lines =
        Sources.values(block, shape -> shape instanceof Shape.Array array && array.rank() > 0);
    add(
        lines.isEmpty() || choices.chance(3)
            ? Sources.array(block, type -> true, 1, 5)
            : choices.oneOf(lines));
  }

  /** To a size that is known only at run time, and back to a static one, or the whole. */
  private void size() {
    int dimension = ((Dims) attribute("dimensions")).getInt(0);
    boolean isFixed = !choices.restrictions().isDynamic() || choices.chance(4);
    long whole = shape().size(dimension);
    give(
        "shape",
        (isFixed
                ? SetDimensionSize.fixed(shape(), dimension)
                : SetDimensionSize.dynamic(shape(), dimension))
            .shape());
    number(ElementType.S32, isFixed ? whole : choices.between(0, whole));
  }
}
