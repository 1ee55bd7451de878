package org.hlo4j.check.compare;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.check.part.Computed;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * What compilers rewrite without keeping each rounding, as rows {@code before -> after}: single
 * letters are any values, {@code c}, {@code d} constants, numbers constants of that value. A module
 * in which all that fit are applied is another form of the program, near which a result may be.
 */
final class Rewrites {
  /**
   * What XLA's algebraic_simplifier.cc and simplify_fp_conversions.cc make simpler, and other
   * compilers like them.
   */
  private static final ImmutableList<Row> ROWS =
      Tables.rows("compare/rewrites.table").stream()
          .map(Row::of)
          .collect(ImmutableList.toImmutableList());

  private static final int MAX_STEPS = 8;

  private Rewrites() {}

  /** Returns the module rewritten; empty if nothing fits. */
  static Optional<HloModule> of(HloModule module) {
    Rewriting rewriting = new Rewriting();
    HloModule rewritten = rewriting.copy(module);
    return rewriting.steps == 0 ? Optional.empty() : Optional.of(rewritten);
  }

  /** One row. */
  private record Row(Term before, Term after) {
    static Row of(String line) {
      int arrow = line.indexOf(" -> ");
      return new Row(Term.parse(line.substring(0, arrow)), Term.parse(line.substring(arrow + 4)));
    }
  }

  /**
   * An expression.
   *
   * @param name an op, a letter, or a number
   * @param operands those of an op
   */
  private record Term(String name, ImmutableList<Term> operands) {
    static Term parse(String text) {
      return parse(Arrays.asList(text.split("(?=[(),])|(?<=[(),])")).listIterator());
    }

    private static Term parse(ListIterator<String> words) {
      String name = words.next().strip();
      ImmutableList.Builder<Term> operands = ImmutableList.builder();
      if (words.hasNext() && !words.next().equals("(")) {
        words.previous();
      } else if (words.hasNext()) {
        do {
          operands.add(parse(words));
        } while (!words.next().equals(")"));
      }
      return new Term(name, operands.build());
    }

    private boolean isNumber() {
      return !Character.isLetter(name.charAt(0));
    }

    /** Returns whether an instruction fits, and notes what the letters are. */
    boolean fits(HloInstruction at, Map<String, HloInstruction> letters) {
      if (!(at.shape() instanceof Shape.Array array)
          || !array.elementType().componentType().isFloating()) {
        return false;
      } else if (isNumber()) {
        return splat(at)
            .filter(scalar -> !scalar.elementType().isComplex())
            .filter(scalar -> scalar.doubleAt(0) == Double.parseDouble(name))
            .isPresent();
      } else if (operands.isEmpty()) {
        boolean isFree = !name.equals("c") && !name.equals("d");
        HloInstruction known = letters.putIfAbsent(name, at);
        return (known == null || known == at) && (isFree || isConstant(at));
      } else if (!at.op().opcode().equals(name)) {
        return false;
      }
      Map<String, HloInstruction> before = new HashMap<>(letters);
      boolean fits = fitsEach(at.operands(), letters);
      if (!fits && (name.equals("add") || name.equals("multiply"))) {
        letters.clear();
        letters.putAll(before);
        fits = fitsEach(at.operands().reverse(), letters);
      }
      return fits;
    }

    private boolean fitsEach(List<HloInstruction> values, Map<String, HloInstruction> letters) {
      for (int i = 0; i < operands.size(); i++) {
        if (!operands.get(i).fits(values.get(i), letters)) {
          return false;
        }
      }
      return true;
    }

    private static boolean isConstant(HloInstruction at) {
      return at.op() instanceof Constant
          || ((at.op() instanceof Broadcast || at.op() instanceof Elementwise)
              && at.operands().stream().allMatch(Term::isConstant));
    }

    /** Returns the scalar that each element of a constant is. */
    static Optional<Literal> splat(HloInstruction at) {
      if (at.op() instanceof Broadcast) {
        return splat(at.operands().get(0));
      }
      if (!(at.op() instanceof Constant constant)
          || !(constant.literal().shape() instanceof Shape.Array array)
          || constant.literal().elementCount() == 0) {
        return Optional.empty();
      }
      Literal all = constant.literal();
      Literal scalar = all.taken(Shape.of(array.elementType()), i -> 0);
      int parts = array.elementType().componentCount();
      return IntStream.range(0, parts * all.elementCount())
              .allMatch(i -> all.bitsAt(i) == scalar.bitsAt(i % parts))
          ? Optional.of(scalar)
          : Optional.empty();
    }
  }

  /** The rewriting of one module. */
  private static final class Rewriting extends ModuleCopy {
    private int steps;

    @Override
    protected void write(
        HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
      to.add(updated(instruction));
      HloInstruction at = evaluated(to.getLast(), to);
      Optional<HloInstruction> next = Optional.of(at);
      for (int step = 0; step < MAX_STEPS && next.isPresent(); step++) {
        at = next.get();
        next = step(at, to);
      }
      put(instruction, next.orElse(at));
    }

    /** Returns what an op makes of arrays of one constant each. */
    private HloInstruction evaluated(HloInstruction at, List<HloInstruction> to) {
      boolean isOfConstants =
          (at.op() instanceof Elementwise || at.op() instanceof Convert)
              && at.operands().stream().allMatch(each -> Term.splat(each).isPresent());
      if (!isOfConstants) {
        return at;
      }
      steps++;
      List<Literal> scalars =
          at.operands().stream().map(each -> Term.splat(each).orElseThrow()).toList();
      return constant(at, Computed.of(at.op(), List.of(), scalars), to);
    }

    /** Returns an array of a constant in the shape of an instruction. */
    private HloInstruction constant(HloInstruction like, Literal scalar, List<HloInstruction> to) {
      HloInstruction one = added(new Constant(scalar), List.of(), like, to);
      Shape.Array shape = (Shape.Array) like.shape().withoutLayout();
      return added(new Broadcast(shape, Dims.of()), List.of(one), like, to);
    }

    private Optional<HloInstruction> step(HloInstruction at, List<HloInstruction> to) {
      for (Row row : ROWS) {
        Map<String, HloInstruction> letters = new HashMap<>();
        if (row.before().fits(at, letters) && areFit(row, at, letters)) {
          steps++;
          return Optional.of(built(row.after(), at, letters, to));
        }
      }
      return Optional.empty();
    }

    /** Returns whether the result has the same shape, and is not constant before it is. */
    private static boolean areFit(Row row, HloInstruction at, Map<String, HloInstruction> letters) {
      boolean isConstant = letters.values().stream().allMatch(Term::isConstant);
      boolean keepsShape =
          !(at.op() instanceof Convert)
              || letters.values().stream().allMatch(each -> each.shape().compatible(at.shape()));
      return !isConstant && keepsShape && !row.after().equals(row.before());
    }

    private HloInstruction built(
        Term term,
        HloInstruction like,
        Map<String, HloInstruction> letters,
        List<HloInstruction> to) {
      if (term.isNumber()) {
        ElementType type = like.arrayShape().elementType();
        return constant(like, Literal.full(Shape.of(type), Double.valueOf(term.name())), to);
      } else if (term.operands().isEmpty()) {
        return requireNonNull(letters.get(term.name()));
      }
      List<HloInstruction> operands =
          term.operands().stream().map(each -> built(each, like, letters, to)).toList();
      return added(OpSchema.elementwise(term.name()).orElseThrow(), operands, like, to);
    }

    private HloInstruction added(
        Op op, List<HloInstruction> operands, HloInstruction like, List<HloInstruction> to) {
      String name = "rewritten." + steps + "." + to.size() + "." + like.name();
      to.add(HloInstruction.of(name, op, operands.toArray(HloInstruction[]::new)));
      return to.getLast();
    }
  }
}
