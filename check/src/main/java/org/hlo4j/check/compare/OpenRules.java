package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Pattern;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;

/** Of which ops something is left open, under which conditions: the rules of a table. */
final class OpenRules {
  /** Whether comparators have been seen to order everything, NaNs, too. */
  private static final Map<HloComputation, Boolean> ORDERS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private OpenRules() {}

  /** Returns what is open in the result of an instruction. */
  static ImmutableList<LeftOpen> of(HloInstruction instruction) {
    return Arrays.stream(LeftOpen.values())
        .filter(row ->
            Splitter.on("; ").splitToStream(row.rules()).anyMatch(rule -> fits(rule, instruction)))
        .collect(toImmutableList());
  }

  /** Returns whether an instruction is one of the ops of a rule, and its condition holds. */
  private static boolean fits(String rule, HloInstruction at) {
    int space = rule.indexOf(' ');
    return Splitter.on(',').splitToList(rule.substring(0, space)).contains(at.op().opcode())
        && holds(rule.substring(space + 1), at);
  }

  /** Returns whether something is chosen as a result has it in several arrays. */
  static boolean areChosen(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Tuple
        && of(instruction).stream()
            .anyMatch(row -> row.hasValues() || row.compareTo(LeftOpen.VECTOR_BASIS) >= 0);
  }

  /** Returns whether a condition holds: a word, or a pattern that is found in the op as text. */
  private static boolean holds(String condition, HloInstruction at) {
    return switch (condition) {
      case "always" -> true;
      case "integral" -> type(at).isIntegral();
      case "real" -> !type(at).isComplex();
      case "complex" -> type(at).isComplex();
      case "orderOfKeys" ->
          !ORDERS.computeIfAbsent(
              at.called().getLast(),
              each -> combiner(at).isOrder(false) && combiner(at).isOrder(true));
      case "orderOfUpdates" -> !combiner(at).commutesUpdates();
      case "monoid" -> combiner(at).isMonoid();
      case "noMonoid" -> !combiner(at).isMonoid();
      case "vectors" -> !FreeVectors.of(at).isEmpty();
      case "eigenvalues" -> FreeVectors.of(at).stream().anyMatch(group -> group.values() < 0);
      default -> Pattern.compile(condition).matcher(at.op().toString()).find();
    };
  }

  private static ElementType type(HloInstruction at) {
    return at.operands().get(0).arrayShape().elementType();
  }

  private static Combiner combiner(HloInstruction at) {
    return new Combiner(at.called().getLast());
  }
}
