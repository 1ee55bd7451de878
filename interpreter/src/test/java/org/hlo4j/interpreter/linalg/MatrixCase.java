package org.hlo4j.interpreter.linalg;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;

/**
 * One matrix and the evaluator that factorizes it.
 *
 * @param exponent of the largest part of the matrix
 */
record MatrixCase(Type type, String kind, Literal a, int exponent, Evaluators evaluator) {
  private static final ImmutableMap<Evaluators, Evaluator> EVALUATORS =
      Maps.toMap(
          ImmutableList.copyOf(Evaluators.values()),
          evaluator -> evaluator.alone(EvaluatorOptions.defaults()));

  private static final Map<String, HloModule> MODULES = new ConcurrentHashMap<>();

  /** The element types of linear algebra, with LAPACK's letter. */
  enum Type {
    S(ElementType.F32),
    D(ElementType.F64),
    C(ElementType.C64),
    Z(ElementType.C128);

    final ElementType element;

    Type(ElementType element) {
      this.element = element;
    }

    String routine(String real, String complex) {
      String name = element.isComplex() ? complex : real;
      return "\"lapack_" + name().toLowerCase(Locale.ROOT) + name + "_ffi\"";
    }

    String routine(String real, String complex, String config) {
      return routine(real, complex) + ", backend_config={" + config + "}";
    }

    String of(String sizes) {
      return element + "[" + sizes + "]";
    }

    String real(String sizes) {
      return element.componentType() + "[" + sizes + "]";
    }
  }

  static MatrixCase of(Type type, String kind, Literal a, Evaluators evaluator) {
    return new MatrixCase(type, kind, a, exponent(a), evaluator);
  }

  int rows() {
    return (int) a.arrayShape().size(0);
  }

  int columns() {
    return (int) a.arrayShape().size(1);
  }

  int least() {
    return Math.min(rows(), columns());
  }

  /** The exponent of the largest part, or 0. */
  private static int exponent(Literal a) {
    double most = 0;
    boolean isComplex = a.elementType().isComplex();
    for (int i = 0; i < a.elementCount(); i++) {
      double re = isComplex ? a.realAt(i) : a.doubleAt(i);
      most = Math.max(most, Math.max(Math.abs(re), isComplex ? Math.abs(a.imaginaryAt(i)) : 0));
    }
    return most == 0 ? 0 : (int) Math.floor(Math.log(most) / Math.log(2));
  }

  List<Literal> run(String target, String result, Literal... in) {
    String[] shapes = new String[in.length];
    for (int i = 0; i < in.length; i++) {
      shapes[i] = in[i].shape().toString();
    }
    HloModule module =
        MODULES.computeIfAbsent("HloModule m\n" + call(target, result, shapes), Parser::parse);
    Literal out = run(module, in);
    return out.shape() instanceof Shape.Tuple ? out.elements() : List.of(out);
  }

  Literal run(HloModule module, Literal... in) {
    return requireNonNull(EVALUATORS.get(evaluator)).run(module, in);
  }

  List<Literal> library(String name, Function<XlaOp, List<XlaOp>> program) {
    HloModule module =
        MODULES.computeIfAbsent(
            name + a.shape(),
            key -> {
              XlaBuilder b = new XlaBuilder("m");
              return b.build(b.tuple(program.apply(b.parameter(0, a.shape(), "a"))));
            });
    return run(module, a).elements();
  }

  /** The results of gesdd or gesvd, with so many columns of u and rows of v*. */
  List<Literal> singular(String routine, char mode, int left, int right) {
    String result =
        String.format(
            "(%s, %s, %s, %s, s32[])",
            type.of(sizes()),
            type.real("" + least()),
            type.of(rows() + "," + left),
            type.of(right + "," + columns()));
    return run(type.routine(routine, routine, "mode = " + (int) mode + " : ui8"), result, a);
  }

  /** The results of potrf for the lower triangle. */
  List<Literal> cholesky() {
    String result = "(" + type.of(sizes()) + ", s32[])";
    return run(type.routine("potrf", "potrf", "uplo = 76 : ui8"), result, a);
  }

  SimpleMatrix matrix() {
    return scaled(a);
  }

  /** A matrix of the size of a, divided by a power of two so that nothing overflows. */
  SimpleMatrix scaled(Literal literal) {
    return scaled(literal, -exponent);
  }

  static SimpleMatrix matrix(Literal literal) {
    return scaled(literal, 0);
  }

  static SimpleMatrix scaled(Literal literal, int exponent) {
    boolean isComplex = literal.elementType().isComplex();
    ElementType type = isComplex ? ElementType.C128 : ElementType.F64;
    LiteralBuilder result = new LiteralBuilder(literal.arrayShape().withElementType(type));
    for (int i = 0; i < literal.elementCount(); i++) {
      if (isComplex) {
        double re = Math.scalb(literal.realAt(i), exponent);
        result.setComplex(i, re, Math.scalb(literal.imaginaryAt(i), exponent));
      } else {
        result.setDouble(i, Math.scalb(literal.doubleAt(i), exponent));
      }
    }
    return StackOfMatrices.of(result.build()).get(0);
  }

  /** Real values of the size of a, as the diagonal of a matrix. */
  SimpleMatrix diagonal(Literal values, int rows, int columns) {
    boolean isComplex = type.element.isComplex();
    SimpleMatrix matrix =
        new SimpleMatrix(isComplex ? 2 * rows : rows, isComplex ? 2 * columns : columns);
    for (int i = 0; i < values.elementCount(); i++) {
      double value = Math.scalb(values.doubleAt(i), -exponent());
      matrix.set(i, i, value);
      if (isComplex) {
        matrix.set(i + rows, i + columns, value);
      }
    }
    return matrix;
  }

  double epsilon() {
    return Math.scalb(1.0, -type.element.componentType().mantissaBits());
  }

  static boolean areSame(Literal a, Literal b, int i) {
    return a.elementType().isComplex()
        ? a.realAt(i) == b.realAt(i) && a.imaginaryAt(i) == b.imaginaryAt(i)
        : a.doubleAt(i) == b.doubleAt(i);
  }

  /** The least number that LAPACK does not count as zero beside larger ones. */
  double smallest() {
    boolean isFloat = type.element.componentType() == ElementType.F32;
    return isFloat ? Float.MIN_VALUE : least() * Double.MIN_NORMAL;
  }

  /** Returns the first rows and columns of a square matrix. */
  static Literal corner(Literal a, int size) {
    LiteralBuilder result = new LiteralBuilder(Shape.of(a.elementType(), size, size));
    for (int i = 0; i < size * size; i++) {
      result.copy(i, a, a.linear(i / size, i % size));
    }
    return result.build();
  }

  static Literal upper(Literal a, int rows) {
    int columns = (int) a.arrayShape().size(1);
    LiteralBuilder result = LiteralBuilder.zeros(Shape.of(a.elementType(), rows, columns));
    for (int i = 0; i < rows * columns; i++) {
      if (i / columns <= i % columns) {
        result.copy(i, a, i);
      }
    }
    return result.build();
  }

  static Literal columns(Literal a, int count) {
    LiteralBuilder result =
        new LiteralBuilder(Shape.of(a.elementType(), a.arrayShape().size(0), count));
    for (int i = 0; i < a.arrayShape().size(0) * count; i++) {
      result.copy(i, a, a.linear(i / count, i % count));
    }
    return result.build();
  }

  /** Returns the part of a matrix in so many diagonals below and above the main one. */
  static Literal band(Literal a, int below, int above) {
    int n = (int) a.arrayShape().size(0);
    LiteralBuilder result = LiteralBuilder.zeros(a.arrayShape());
    for (int i = 0; i < n * n; i++) {
      int distance = i % n - i / n;
      if (-below <= distance && distance <= above) {
        result.copy(i, a, i);
      }
    }
    return result.build();
  }

  static Literal selfAdjoint(Literal a) {
    int n = (int) a.arrayShape().size(0);
    LiteralBuilder result = new LiteralBuilder(a.arrayShape());
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        int from = Math.max(i, j) * n + Math.min(i, j);
        if (a.elementType().isComplex()) {
          double im = i == j ? 0 : i > j ? a.imaginaryAt(from) : -a.imaginaryAt(from);
          result.setComplex(i * n + j, a.realAt(from), im);
        } else {
          result.setDouble(i * n + j, a.doubleAt(from));
        }
      }
    }
    return result.build();
  }

  MatrixCase withSelfAdjoint() {
    return of(type, kind, selfAdjoint(a), evaluator);
  }

  String sizes() {
    return rows() + "," + columns();
  }
}
