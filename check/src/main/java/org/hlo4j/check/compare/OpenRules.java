package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import java.util.List;
import java.util.regex.Pattern;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/** Of which ops something is left open, under which conditions: the rules of a table. */
final class OpenRules {
  private record Rule(LeftOpen row, String condition) {}

  /** The rules by opcode. */
  private static final ImmutableListMultimap<String, Rule> RULES = rules();

  private OpenRules() {}

  private static ImmutableListMultimap<String, Rule> rules() {
    ImmutableListMultimap.Builder<String, Rule> rules = ImmutableListMultimap.builder();
    for (LeftOpen row : LeftOpen.values()) {
      for (String text : Splitter.on("; ").split(row.rules())) {
        List<String> words = Splitter.on(' ').limit(2).splitToList(text);
        for (String opcode : Splitter.on(',').split(words.get(0))) {
          rules.put(opcode, new Rule(row, words.get(1)));
        }
      }
    }
    return rules.build();
  }

  /** Returns what is open in the result of an instruction. */
  static ImmutableList<LeftOpen> of(HloInstruction instruction) {
    return RULES.get(instruction.op().opcode()).stream()
        .filter(rule -> holds(rule.condition(), instruction))
        .map(Rule::row)
        .collect(toImmutableList());
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
      case "orderOfKeys" -> !combiner(at).isOrder() || !combiner(at).ordersNaNs();
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
