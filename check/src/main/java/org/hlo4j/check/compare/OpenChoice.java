package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableListMultimap.flatteningToImmutableListMultimap;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.interpreter.engine.LapackCall;

/**
 * How something that is left open in the result of an instruction is chosen in another way. The
 * last column of {@code open.table} says of which ops, under which condition, and what finds it.
 */
sealed interface OpenChoice {
  /** Returns the row of the table. */
  LeftOpen row();

  /** Elements of the result that may have any value. */
  record Elements(LeftOpen row, Finder finder) implements OpenChoice {}

  /** Elements of the result that may have some other values. */
  record Blocks(LeftOpen row, OpenBlocks.Finder finder) implements OpenChoice {}

  /** NaNs among the operands, with another sign and payload. */
  record NaNs(LeftOpen row) implements OpenChoice {}

  /** The signs (phases) of the vectors of a decomposition. */
  record Signs(LeftOpen row) implements OpenChoice {}

  /** The vectors of a decomposition that complete a basis. */
  record Basis(LeftOpen row) implements OpenChoice {}

  /** Finds the elements that are open. */
  @FunctionalInterface
  interface Finder {
    /** Returns which elements of an array of a result are open. */
    IntPredicate of(OpenElements.Made made);
  }

  /** A way to find what is open, of some ops under a condition. */
  record Rule(LeftOpen row, ImmutableList<String> opcodes, String condition, String finder) {
    static Stream<Rule> of(LeftOpen row) {
      return Splitter.on("; ")
          .splitToStream(row.rules())
          .map(text -> text.split(" ", 3))
          .map(words ->
              new Rule(
                  row, ImmutableList.copyOf(Splitter.on(',').split(words[0])), words[1], words[2]));
    }
  }

  /** The rules by opcode. */
  ImmutableListMultimap<String, Rule> RULES =
      Arrays.stream(LeftOpen.values())
          .flatMap(Rule::of)
          .collect(flatteningToImmutableListMultimap(rule -> rule, rule -> rule.opcodes().stream()))
          .inverse();

  /** Returns what is open in the result of an instruction. */
  static ImmutableList<OpenChoice> of(HloInstruction instruction) {
    return Stream.of(instruction.op().opcode(), "*")
        .flatMap(opcode -> RULES.get(opcode).stream())
        .filter(rule -> holds(rule.condition(), instruction))
        .map(rule -> choice(rule, instruction))
        .collect(toImmutableList());
  }

  /** Returns what is open also between hlo4j's evaluators: the signs of vectors. */
  static ImmutableList<OpenChoice> signs(HloInstruction instruction) {
    return of(instruction).stream()
        .filter(each -> each instanceof Signs || each instanceof Basis)
        .collect(toImmutableList());
  }

  private static boolean holds(String condition, HloInstruction at) {
    return switch (condition) {
      case "always" -> true;
      case "integral" -> type(at).isIntegral();
      case "real" -> !type(at).isComplex();
      case "complexRounded", "complexFunction" ->
          at.op() instanceof Elementwise op
              && type(at).isComplex()
              && isRounded(op.kind(), condition.equals("complexFunction"));
      case "totalOrder" -> ((Compare) at.op()).type().equals(Optional.of(Compare.Type.TOTALORDER));
      case "noMantissa" -> ((ReducePrecision) at.op()).mantissaBits() == 0;
      case "unstable" -> !((Sort) at.op()).isStable();
      case "noOrder" -> !combiner(at).isOrder();
      case "orderOfNaNs" -> combiner(at).isOrder() && combiner(at).comparesNaNs();
      case "orderOfUpdates" -> !combiner(at).commutesUpdates();
      case "promises" ->
          at.op() instanceof Gather gather
              ? gather.indicesAreSorted()
              : at.op() instanceof Scatter op && (op.uniqueIndices() || op.indicesAreSorted());
      case "monoid" -> combiner(at).isMonoid();
      case "noMonoid" -> !combiner(at).isMonoid();
      case "topk" -> target(at).equals("TopK");
      case "buffer" -> target(at).equals(CustomCall.CREATE_BUFFER);
      case "lapack" -> LapackCall.routine(target(at)).isPresent();
      case "potrf" -> LapackCall.routine(target(at)).equals(Optional.of("potrf"));
      case "vectors" -> !FreeVectors.of(at).isEmpty();
      default -> throw new AssertionError(condition);
    };
  }

  private static ElementType type(HloInstruction at) {
    return ((Shape.Array) at.operands().get(0).shape()).elementType();
  }

  private static boolean isRounded(Elementwise.Kind kind, boolean isFunction) {
    return switch (kind) {
      case MULTIPLY, DIVIDE, SIGN, ABS -> !isFunction;
      default -> kind == Elementwise.Kind.SQRT || kind.isTranscendental();
    };
  }

  private static Combiner combiner(HloInstruction at) {
    return new Combiner(at.called().getLast());
  }

  private static String target(HloInstruction call) {
    return ((CustomCall) call.op()).customCallTarget();
  }

  private static OpenChoice choice(Rule rule, HloInstruction at) {
    LeftOpen row = rule.row();
    return switch (rule.finder()) {
      case "nans" -> new NaNs(row);
      case "signs" -> new Signs(row);
      case "basis" -> new Basis(row);
      case "branchCuts" -> new Blocks(row, OpenBlocks::branchCuts);
      case "initialValues" -> new Blocks(row, combiner(at)::initialValues);
      case "overflowingLogistic" -> new Blocks(row, OpenBlocks::overflowingLogistic);
      case "ties" -> new Blocks(row, OpenBlocks::ties);
      case "updates" -> new Blocks(row, OpenBlocks::updates);
      case "all" -> new Elements(row, made -> i -> true);
      case "brokenPromise" -> new Elements(row, OpenElements::brokenPromise);
      case "failed" -> new Elements(row, OpenElements::failed);
      case "indefinite" -> new Elements(row, OpenElements::indefinite);
      case "infiniteWeights" -> new Elements(row, OpenElements::infiniteWeights);
      case "linesOfNaNs" -> new Elements(row, OpenElements::linesOfNaNs);
      case "negativePowers" -> new Elements(row, OpenElements::negativePowers);
      case "ofComplexLimits" -> new Elements(row, OpenElements::ofComplexLimits);
      case "ofNaN" -> new Elements(row, OpenElements::ofNaN);
      case "otherTriangle" -> new Elements(row, OpenElements::otherTriangle);
      case "outOfRange" -> new Elements(row, OpenElements::outOfRange);
      case "partlyOutside" -> new Elements(row, OpenElements::partlyOutside);
      case "quotients" -> new Elements(row, OpenElements::quotients);
      case "selectedNaNs" -> new Elements(row, OpenElements::selectedNaNs);
      case "unsortedGather" -> new Elements(row, OpenElements::unsortedGather);
      default -> throw new AssertionError(rule);
    };
  }
}
