package org.hlo4j.check.verdicts;

import com.google.common.collect.ImmutableList;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * The products whose sum is an element of a dot, convolution, sum, window sum, scatter: found by
 * what the op, which is linear, makes of arrays with a single one.
 */
final class Terms {
  /** A product of the sum. */
  record Term(double factor, double other) {
    BigDecimal exact() {
      return new BigDecimal(factor).multiply(new BigDecimal(other));
    }
  }

  private final List<List<Term>> sums = new ArrayList<>();

  private Terms(int components) {
    for (int i = 0; i < components; i++) {
      sums.add(new ArrayList<>());
    }
  }

  /** Finds the terms of each component of the result of a program of one op. */
  static Terms of(ProgramText op, String type, ImmutableList<Literal> operands) {
    String text = op.statements().getFirst();
    return text.contains("lhs_contracting_dims={1}, rhs_contracting_dims={0}")
            && operands.get(0).arrayShape().rank() == 2
            && operands.get(1).arrayShape().rank() == 2
            && !operands.get(0).elementType().isComplex()
        ? matrices(operands.get(0), operands.get(1))
        : text.contains(" reduce(") && isOfRows(text, operands.get(0))
            ? rows(operands.get(0), operands.get(1))
            : linear(op, operands);
  }

  private static boolean isOfRows(String reduce, Literal operand) {
    int last = operand.arrayShape().rank() - 1;
    return reduce.contains("dimensions={" + last + "}") && !operand.elementType().isComplex();
  }

  private static Terms rows(Literal operand, Literal start) {
    int k = (int) operand.arrayShape().size(operand.arrayShape().rank() - 1);
    Terms terms = new Terms(operand.elementCount() / k);
    for (int at = 0; at < operand.elementCount(); at++) {
      if (at % k == 0) {
        terms.addUnlessZero(at / k, 1, start.doubleAt(0));
      }
      terms.sums.get(at / k).add(new Term(operand.doubleAt(at), 1));
    }
    return terms;
  }

  private static Terms matrices(Literal lhs, Literal rhs) {
    int m = (int) lhs.arrayShape().size(0);
    int k = (int) lhs.arrayShape().size(1);
    int n = (int) rhs.arrayShape().size(1);
    Terms terms = new Terms(m * n);
    for (int at = 0; at < m * n * k; at++) {
      int i = at / k / n;
      int j = at / k % n;
      terms
          .sums
          .get(at / k)
          .add(new Term(lhs.doubleAt(i * k + at % k), rhs.doubleAt(at % k * n + j)));
    }
    return terms;
  }

  private static Terms linear(ProgramText op, ImmutableList<Literal> operands) {
    String text = op.statements().getFirst();
    boolean isProduct = text.contains(" dot(") || text.contains(" convolution(");
    int varied = text.contains(" scatter(") ? 2 : text.contains(" select-and-scatter(") ? 1 : 0;
    int added = isProduct ? -1 : varied == 2 ? 0 : varied == 1 ? 2 : 1;
    boolean isComplex = operands.get(varied).elementType().isComplex();
    String wide = isComplex ? "c128" : "f64";
    Evaluation evaluation = new Evaluation(op, wide);
    List<Literal> given = new ArrayList<>(Evaluation.converted(op, wide, operands));
    Literal numbers = given.get(varied);
    Shape.Array shape = numbers.arrayShape();
    given.set(varied, Literal.zeros(shape));
    Literal start = evaluation.run(given);
    Terms terms = new Terms(start.elementCount() * (isComplex ? 2 : 1));
    if (added >= 0) {
      given.set(added, Literal.zeros(given.get(added).arrayShape()));
      for (int i = 0; i < start.elementCount(); i++) {
        terms.add(i, 1, 0, start, i);
      }
    }
    for (int j = 0; j < numbers.elementCount(); j++) {
      LiteralBuilder one = LiteralBuilder.zeros(shape);
      one.setBits(isComplex ? 2 * j : j, Double.doubleToRawLongBits(1));
      given.set(varied, one.build());
      Literal factors = evaluation.run(given);
      double imaginary = isComplex ? numbers.imaginaryAt(j) : 0;
      for (int i = 0; i < factors.elementCount(); i++) {
        terms.add(i, isComplex ? numbers.realAt(j) : numbers.doubleAt(j), imaginary, factors, i);
      }
    }
    return terms;
  }

  /** Adds (real + imaginary i) times an element of the factors to the sum of an element. */
  private void add(int element, double real, double imaginary, Literal factors, int at) {
    if (!factors.elementType().isComplex()) {
      addUnlessZero(element, real, factors.doubleAt(at));
      return;
    }
    addUnlessZero(2 * element, real, factors.realAt(at));
    addUnlessZero(2 * element, -imaginary, factors.imaginaryAt(at));
    addUnlessZero(2 * element + 1, real, factors.imaginaryAt(at));
    addUnlessZero(2 * element + 1, imaginary, factors.realAt(at));
  }

  private void addUnlessZero(int component, double factor, double other) {
    if (other != 0) {
      sums.get(component).add(new Term(factor, other));
    }
  }

  /** Sums in an order and a type, {@code pairs in f32 fma}, or exactly without some terms. */
  Literal sum(List<String> words, Shape.Array shape) {
    LiteralBuilder result = LiteralBuilder.zeros(shape);
    ElementType part = shape.elementType().componentType();
    for (int i = 0; i < sums.size(); i++) {
      result.setBits(i, part.encode(sum(words, sums.get(i), part)));
    }
    return result.build();
  }

  private static double sum(List<String> words, List<Term> terms, ElementType result) {
    int in = words.indexOf("in");
    if (in < 0) {
      return exact(left(words, terms));
    }
    ElementType type =
        words.get(in + 1).equals("R") ? result : ElementType.named(words.get(in + 1)).orElseThrow();
    int count = in == 2 ? Integer.parseInt(words.get(1)) : 0;
    return new Accumulator(type::round, words.contains("fma")).sum(words.getFirst(), count, terms);
  }

  private static List<Term> left(List<String> words, List<Term> terms) {
    List<Term> left = new ArrayList<>(terms);
    String which = words.getLast();
    int place =
        which.matches("-?\\d+")
            ? Math.floorMod(Integer.parseInt(which), Math.max(1, terms.size()))
            : 0;
    if (terms.isEmpty() || words.getFirst().equals("exact")) {
      return left;
    }
    switch (words.getFirst() + (which.equals("half") ? " half" : "")) {
      case "dropping half" -> left.subList((terms.size() + 1) / 2, terms.size()).clear();
      case "dropping" -> left.remove(place);
      case "repeating" -> left.add(terms.get(place));
      default -> throw new IllegalArgumentException("no sum: " + words);
    }
    return left;
  }

  private static double exact(List<Term> terms) {
    BigDecimal sum = BigDecimal.ZERO;
    for (Term term : terms) {
      sum = sum.add(term.exact());
    }
    return sum.round(new MathContext(40)).doubleValue();
  }

  /**
   * Adds in a type.
   *
   * @param rounding to the type
   * @param fused whether products are not rounded
   */
  private record Accumulator(DoubleUnaryOperator rounding, boolean fused) {
    double sum(String order, int count, List<Term> terms) {
      return switch (order) {
        case "order" -> inOrder(terms);
        case "reversed" -> {
          List<Term> reversed = new ArrayList<>(terms);
          Collections.reverse(reversed);
          yield inOrder(reversed);
        }
        case "pairs" -> pairs(terms);
        case "lanes" -> lanes(terms, count);
        case "chunks" -> chunks(terms, count);
        case "kahan" -> kahan(terms);
        default -> throw new IllegalArgumentException("no order: " + order);
      };
    }

    double round(double x) {
      return rounding.applyAsDouble(x);
    }

    double add(double sum, Term term) {
      return fused
          ? round(Math.fma(term.factor, term.other, sum))
          : round(sum + round(term.factor * term.other));
    }

    double inOrder(List<Term> terms) {
      double sum = 0;
      for (Term term : terms) {
        sum = add(sum, term);
      }
      return sum;
    }

    double pairs(List<Term> terms) {
      int half = terms.size() / 2;
      return terms.size() < 2
          ? inOrder(terms)
          : round(pairs(terms.subList(0, half)) + pairs(terms.subList(half, terms.size())));
    }

    double lanes(List<Term> terms, int count) {
      double[] lanes = new double[count];
      for (int i = 0; i < terms.size(); i++) {
        lanes[i % count] = add(lanes[i % count], terms.get(i));
      }
      return Arrays.stream(lanes).reduce(0, (a, b) -> round(a + b));
    }

    double chunks(List<Term> terms, int size) {
      double sum = 0;
      for (int i = 0; i < terms.size(); i += size) {
        sum = round(sum + inOrder(terms.subList(i, Math.min(terms.size(), i + size))));
      }
      return sum;
    }

    double kahan(List<Term> terms) {
      double sum = 0;
      double lost = 0;
      for (Term term : terms) {
        double next = round(round(term.factor * term.other) - lost);
        double total = round(sum + next);
        lost = round(round(total - sum) - next);
        sum = total;
      }
      return sum;
    }
  }
}
