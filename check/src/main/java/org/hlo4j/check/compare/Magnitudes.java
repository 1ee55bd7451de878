package org.hlo4j.check.compare;

import com.google.common.base.Ascii;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;

/**
 * Sums and products of other terms than those of a program: of magnitudes, which do not cancel, or
 * of the factors above or below 1. They show how far roundings can move the sum or product itself.
 */
final class Magnitudes {
  private Magnitudes() {}

  /** What a term of a sum, or a factor of a product, is replaced by. */
  enum Term {
    /** Its absolute value; 0 if not finite, which determines the sum by itself. */
    MAGNITUDE(0),
    /** Its absolute value if above 1, else 1. */
    LARGE(1),
    /** Its absolute value if below 1, else 1; 1 for 0, which determines the product by itself. */
    SMALL(1);

    private final double other;

    Term(double other) {
      this.other = other;
    }
  }

  /**
   * Appends the same sum or product, taken of other terms. The operand by which a
   * select-and-scatter selects is unchanged.
   */
  static HloInstruction of(Term term, HloInstruction sum, List<HloInstruction> instructions) {
    boolean isComplex = isComplex(sum.shape());
    String prefix = Ascii.toLowerCase(term.name()) + ".";
    List<HloInstruction> operands = new ArrayList<>();
    for (int i = 0; i < sum.operands().size(); i++) {
      HloInstruction operand = sum.operands().get(i);
      boolean isChosen = sum.op() instanceof SelectAndScatter && i == 0;
      boolean isFactor = sum.op() instanceof Contraction && i < 2;
      boolean isSummed =
          operand.shape() instanceof Shape.Array array
              && (isFactor
                  || array.elementType().isFloating()
                  || (isComplex && array.elementType().isComplex()));
      String name = prefix + i + "." + sum.name();
      HloInstruction replaced =
          isSummed && !isChosen
              ? replaced(
                  term,
                  name,
                  isFactor ? floating(name, operand, sum, instructions) : operand,
                  instructions)
              : operand;
      boolean isIndex =
          sum.op() instanceof Scatter
              && operand.shape() instanceof Shape.Array array
              && array.elementType().isIntegral();
      operands.add(isComplex && !isIndex ? likeParts(replaced, sum, instructions) : replaced);
    }
    Copies copies = new Copies(prefix + sum.name() + ".", term == Term.MAGNITUDE);
    HloInstruction same =
        HloInstruction.create(
            prefix + sum.name(),
            ofParts(sum.op(), magnitude(sum.shape())),
            operands,
            isComplex && !sum.called().isEmpty()
                ? List.of(addition(sum.name(), scalarOf(magnitude(sum.shape()))))
                : copies.of(sum.called()),
            magnitude(sum.shape()),
            Metadata.NONE);
    instructions.add(same);
    return same;
  }

  /** Returns an op whose result has the type of the magnitudes, if it names any. */
  private static Op ofParts(Op op, Shape magnitudes) {
    return switch (op) {
      case Dot dot when dot.preferredElementType().isPresent() ->
          dot.withPreferredElementType(typeOf(magnitudes));
      case Convolution convolution when convolution.preferredElementType().isPresent() ->
          convolution.withPreferredElementType(typeOf(magnitudes));
      default -> op;
    };
  }

  private static ElementType typeOf(Shape shape) {
    return ((Shape.Array) shape).elementType();
  }

  /** Returns a factor as floats of the type of the product, if it is integers or booleans. */
  private static HloInstruction floating(
      String name,
      HloInstruction factor,
      HloInstruction product,
      List<HloInstruction> instructions) {
    ElementType type = typeOf(factor.shape());
    if (type.isFloating() || type.isComplex()) {
      return factor;
    }
    Convert convert = new Convert(typeOf(product.shape()).componentType());
    HloInstruction converted = HloInstruction.of(name + ".float", convert, factor);
    instructions.add(converted);
    return converted;
  }

  /**
   * Copies of reducers, and of what they call, since some computations may have one caller only.
   *
   * @param prefix what the names begin with
   * @param cancelsNothing whether they add where they subtracted, and do not negate
   */
  private record Copies(
      String prefix, boolean cancelsNothing, Map<HloComputation, HloComputation> made) {
    Copies(String prefix, boolean cancelsNothing) {
      this(prefix, cancelsNothing, new HashMap<>());
    }

    List<HloComputation> of(List<HloComputation> computations) {
      List<HloComputation> copies = new ArrayList<>();
      for (HloComputation computation : computations) {
        HloComputation copy = made.get(computation);
        copies.add(copy == null ? of(computation) : copy);
      }
      return copies;
    }

    private HloComputation of(HloComputation computation) {
      Map<HloInstruction, HloInstruction> copies = new HashMap<>();
      List<HloInstruction> instructions = new ArrayList<>();
      for (HloInstruction each : computation.instructions()) {
        HloInstruction copy =
            HloInstruction.create(
                prefix + each.name(),
                cancelsNothing && isFloat(each) ? added(each) : each.op(),
                each.operands().stream()
                    .map(operand -> copies.getOrDefault(operand, operand))
                    .toList(),
                of(each.called()),
                each.shape(),
                each.metadata());
        instructions.add(copy);
        copies.put(each, copy);
      }
      HloInstruction root = copies.getOrDefault(computation.root(), computation.root());
      HloComputation copy = HloComputation.create(prefix + computation.name(), instructions, root);
      made.put(computation, copy);
      return copy;
    }

    private static Op added(HloInstruction instruction) {
      return switch (instruction.op()) {
        case Elementwise minus when minus.kind() == Elementwise.Kind.SUBTRACT ->
            new Elementwise(Elementwise.Kind.ADD);
        case Elementwise negate when negate.kind() == Elementwise.Kind.NEGATE ->
            new Elementwise(Elementwise.Kind.ABS);
        case Constant constant ->
            new Constant(
                Literal.full(
                    (Shape.Array) instruction.shape(), Math.abs(constant.literal().doubleAt(0))));
        case Op same -> same;
      };
    }
  }

  private static boolean isFloat(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && array.elementType().isFloating()
        && array.isScalar();
  }

  private static Shape scalarOf(Shape shape) {
    return Shape.of(typeOf(shape));
  }

  private static HloComputation addition(String of, Shape scalar) {
    HloInstruction x = HloInstruction.of("magnitude.x." + of, new Parameter(0, scalar));
    HloInstruction y = HloInstruction.of("magnitude.y." + of, new Parameter(1, scalar));
    Elementwise add = new Elementwise(Elementwise.Kind.ADD);
    HloInstruction sum = HloInstruction.of("magnitude.sum." + of, add, x, y);
    return HloComputation.create("magnitude.add." + of, List.of(x, y, sum), sum);
  }

  /**
   * Converts a magnitude to the component type of a complex product, whose factors may have other
   * types.
   */
  private static HloInstruction likeParts(
      HloInstruction magnitude, HloInstruction product, List<HloInstruction> instructions) {
    ElementType type = typeOf(product.shape()).componentType();
    if (typeOf(magnitude.shape()) == type) {
      return magnitude;
    }
    HloInstruction converted =
        HloInstruction.of(magnitude.name() + ".like", new Convert(type), magnitude);
    instructions.add(converted);
    return converted;
  }

  /** Returns the shape of the magnitudes, which are floats for a complex shape. */
  private static Shape magnitude(Shape shape) {
    return isComplex(shape)
        ? ((Shape.Array) shape).withElementType(((Shape.Array) shape).elementType().componentType())
        : shape;
  }

  private static boolean isComplex(Shape shape) {
    return shape instanceof Shape.Array array && array.elementType().isComplex();
  }

  /** Appends what replaces each element of an operand. */
  private static HloInstruction replaced(
      Term term, String name, HloInstruction operand, List<HloInstruction> instructions) {
    Shape.Array shape = (Shape.Array) magnitude(operand.shape().withoutLayout());
    HloInstruction absolute =
        HloInstruction.of(
            name + ".abs",
            new Elementwise(Elementwise.Kind.ABS),
            isComplex(operand.shape()) ? withFiniteParts(name, operand, instructions) : operand);
    instructions.add(absolute);
    HloInstruction others = filled(name + ".others", term.other, shape, absolute, instructions);
    List<HloInstruction> conditions = new ArrayList<>();
    if (term != Term.SMALL) {
      conditions.add(
          HloInstruction.of(
              name + ".finite", new Elementwise(Elementwise.Kind.IS_FINITE), absolute));
    } else {
      HloInstruction zeros = filled(name + ".zeros", 0, shape, absolute, instructions);
      conditions.add(HloInstruction.of(name + ".above", compare(Direction.GT), absolute, zeros));
    }
    if (term != Term.MAGNITUDE) {
      Direction direction = term == Term.LARGE ? Direction.GT : Direction.LT;
      conditions.add(HloInstruction.of(name + ".beyond", compare(direction), absolute, others));
      conditions.add(
          HloInstruction.of(
              name + ".both",
              new Elementwise(Elementwise.Kind.AND),
              conditions.get(0),
              conditions.get(1)));
    }
    instructions.addAll(conditions);
    HloInstruction result =
        HloInstruction.of(
            name, new Select(), conditions.get(conditions.size() - 1), absolute, others);
    instructions.add(result);
    return result;
  }

  /**
   * Appends a complex array with zeros in place of parts that are not finite, so that the other
   * part counts.
   */
  private static HloInstruction withFiniteParts(
      String name, HloInstruction operand, List<HloInstruction> instructions) {
    List<HloInstruction> parts = new ArrayList<>();
    for (Elementwise.Kind kind : List.of(Elementwise.Kind.REAL, Elementwise.Kind.IMAG)) {
      String of = name + "." + kind.mnemonic();
      HloInstruction part = HloInstruction.of(of, new Elementwise(kind), operand);
      HloInstruction finite =
          HloInstruction.of(of + ".finite", new Elementwise(Elementwise.Kind.IS_FINITE), part);
      instructions.addAll(List.of(part, finite));
      Shape.Array shape = (Shape.Array) part.shape().withoutLayout();
      HloInstruction zeros = filled(of + ".zeros", 0, shape, part, instructions);
      parts.add(HloInstruction.of(of + ".counted", new Select(), finite, part, zeros));
      instructions.add(parts.get(parts.size() - 1));
    }
    HloInstruction both =
        HloInstruction.of(
            name + ".parts",
            new Elementwise(Elementwise.Kind.MAKE_COMPLEX),
            parts.get(0),
            parts.get(1));
    instructions.add(both);
    return both;
  }

  /** Appends an array of zeros or ones of the sizes that another one has at run time. */
  private static HloInstruction filled(
      String name,
      double value,
      Shape.Array shape,
      HloInstruction like,
      List<HloInstruction> instructions) {
    if (!shape.isDynamic()) {
      HloInstruction constant = HloInstruction.of(name, new Constant(Literal.full(shape, value)));
      instructions.add(constant);
      return constant;
    }
    Compare same =
        new Compare(value == 0 ? Direction.NE : Direction.EQ, Optional.of(Compare.Type.TOTALORDER));
    HloInstruction truths = HloInstruction.of(name + ".truths", same, like, like);
    HloInstruction numbers = HloInstruction.of(name, new Convert(shape.elementType()), truths);
    instructions.addAll(List.of(truths, numbers));
    return numbers;
  }

  private static Compare compare(Direction direction) {
    return new Compare(direction, Optional.empty());
  }
}
