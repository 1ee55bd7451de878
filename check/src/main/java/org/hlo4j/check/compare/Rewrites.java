package org.hlo4j.check.compare;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.part.Computed;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.Dims;
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
final class Rewrites extends ModuleCopy {
  /**
   * What XLA's algebraic_simplifier.cc and simplify_fp_conversions.cc make simpler, and other
   * compilers like them.
   */
  private static final ImmutableList<Row> ROWS =
      Tables.rows("compare/rewrites.table").stream()
          .map(line -> Splitter.on(" -> ").splitToList(line))
          .map(sides -> new Row(Term.parse(sides.get(0)), Term.parse(sides.get(1))))
          .collect(ImmutableList.toImmutableList());

  private static final int MAX_STEPS = 8;

  /** The instructions that are computed from constants only. */
  private final Set<HloInstruction> constants = new HashSet<>();

  /** The scalars that all elements of some of these are. */
  private final Map<HloInstruction, Literal> scalars = new HashMap<>();

  private int steps;

  private Rewrites() {}

  /** Returns the module rewritten; empty if nothing fits. */
  static Optional<HloModule> of(HloModule module) {
    Rewrites rewrites = new Rewrites();
    HloModule rewritten = rewrites.copy(module);
    return rewrites.steps == 0 ? Optional.empty() : Optional.of(rewritten);
  }

  /** One row. */
  private record Row(Term before, Term after) {}

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

    boolean isNumber() {
      return !Character.isLetter(name.charAt(0));
    }
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    HloInstruction at = added(updated(instruction), to);
    Optional<HloInstruction> next = step(at, to);
    for (int step = 1; step < MAX_STEPS && next.isPresent(); step++) {
      at = next.get();
      next = step(at, to);
    }
    put(instruction, next.orElse(at));
  }

  private Optional<HloInstruction> step(HloInstruction at, List<HloInstruction> to) {
    for (Row row : ROWS) {
      Map<String, HloInstruction> letters = new HashMap<>();
      if (fits(row.before(), at, letters)
          && !constants.containsAll(letters.values())
          && (!(at.op() instanceof Convert)
              || letters.values().stream().allMatch(each -> each.shape().compatible(at.shape())))) {
        steps++;
        return Optional.of(built(row.after(), at, letters, to));
      }
    }
    return Optional.empty();
  }

  /** Returns whether an instruction fits, and notes what the letters are. */
  private boolean fits(Term term, HloInstruction at, Map<String, HloInstruction> letters) {
    if (!(at.shape() instanceof Shape.Array array)
        || !array.elementType().componentType().isFloating()) {
      return false;
    } else if (term.isNumber()) {
      Literal scalar = scalars.get(at);
      return scalar != null
          && !scalar.elementType().isComplex()
          && scalar.doubleAt(0) == Double.parseDouble(term.name());
    } else if (term.operands().isEmpty()) {
      boolean isFree = !term.name().equals("c") && !term.name().equals("d");
      HloInstruction known = letters.putIfAbsent(term.name(), at);
      return (known == null || known == at) && (isFree || constants.contains(at));
    }
    boolean commutes = at.op() instanceof Elementwise op && op.kind().isCommutative();
    Map<String, HloInstruction> before = Map.copyOf(letters);
    return at.op().opcode().equals(term.name())
        && Stream.of(at.operands(), at.operands().reverse())
            .limit(commutes ? 2 : 1)
            .anyMatch(operands -> {
              letters.keySet().retainAll(before.keySet());
              return IntStream.range(0, operands.size())
                  .allMatch(i -> fits(term.operands().get(i), operands.get(i), letters));
            });
  }

  private HloInstruction built(
      Term term,
      HloInstruction like,
      Map<String, HloInstruction> letters,
      List<HloInstruction> to) {
    if (term.isNumber()) {
      Shape.Array shape = (Shape.Array) like.shape().withoutLayout();
      Shape.Array scalar = Shape.of(shape.elementType());
      Op number = new Constant(Literal.full(scalar, Double.valueOf(term.name())));
      return added(
          new Broadcast(shape, Dims.of()), List.of(added(number, List.of(), like, to)), like, to);
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
    return added(HloInstruction.of(name, op, operands.toArray(HloInstruction[]::new)), to);
  }

  /** Writes an instruction, and notes whether it is computed from constants. */
  private HloInstruction added(HloInstruction at, List<HloInstruction> to) {
    to.add(at);
    boolean isComputed =
        at.op() instanceof Broadcast
            || at.op() instanceof Elementwise
            || at.op() instanceof Convert;
    if (at.op() instanceof Constant || (isComputed && constants.containsAll(at.operands()))) {
      constants.add(at);
      scalar(at).ifPresent(scalar -> scalars.put(at, scalar));
    }
    return at;
  }

  /** Returns the scalar that each element of what is computed from constants is. */
  private Optional<Literal> scalar(HloInstruction at) {
    List<Literal> operands =
        at.operands().stream().map(scalars::get).filter(Objects::nonNull).toList();
    if (operands.size() < at.operands().size()) {
      return Optional.empty();
    } else if (at.op() instanceof Constant constant) {
      Literal all = constant.literal();
      return Optional.of(all)
          .filter(each -> each.shape() instanceof Shape.Array && each.elementCount() > 0)
          .map(each -> each.taken(Shape.of(each.elementType()), i -> 0))
          .filter(each -> each.repeated(all.arrayShape().sizes()).equals(all));
    }
    return Optional.of(
        at.op() instanceof Broadcast ? operands.get(0) : Computed.of(at.op(), List.of(), operands));
  }
}
