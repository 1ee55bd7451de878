package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;

/**
 * A row of {@code ops.table}, which says what the operands and computations of an op are. What is
 * legal follows from the definitions of the ops, which refuse what was drawn and is not; what an
 * evaluator likes is no source.
 *
 * @param opcode the op, or the first of several
 * @param companions ops without which there is no such row, these included
 * @param isOwn whether other systems may not take it
 * @param ways what it may look like
 */
record OpRows(
    String opcode, ImmutableSet<String> companions, boolean isOwn, ImmutableList<Pattern> ways)
    implements Step {
  /** The rows by opcode. */
  static final Map<String, OpRows> ALL = new LinkedHashMap<>();

  private static final ListMultimap<String, Step> FAMILIES = ArrayListMultimap.create();
  private static final ListMultimap<String, Pattern> TEXTS = ArrayListMultimap.create();

  /** The families, as often as they are drawn. */
  private static final List<String> WEIGHTED = new ArrayList<>();

  /** The texts of attributes, for rows that say nothing else. */
  private static final Map<String, String> USUAL = new HashMap<>();

  static {
    String family = "";
    for (String line : lines()) {
      List<String> parts = Splitter.on(':').limit(2).trimResults().splitToList(line);
      List<String> words = Drawing.words(parts.get(0).replaceAll("[*\\[\\]]", ""));
      if (line.startsWith("[")) {
        family = words.get(0);
        WEIGHTED.addAll(Collections.nCopies(Integer.parseInt(words.get(1)), family));
      } else if (family.equals("attributes")) {
        words.forEach(each -> USUAL.put(each, parts.get(1)));
      } else {
        OpRows row = of(words, line.startsWith("*"), parts.get(1));
        FAMILIES.put(family, row);
        words.forEach(each -> ALL.putIfAbsent(each, row));
      }
    }
    ALL.keySet().removeIf(each -> each.startsWith("+"));
    String patterns = String.join("\n", Tables.rows("generate/patterns.table"));
    for (String paragraph : Splitter.on("---\n").split(patterns)) {
      List<String> lines = paragraph.lines().toList();
      List<String> words = Drawing.words(lines.get(0));
      TEXTS.put(words.get(0), Pattern.of(words.subList(1, words.size()), lines));
    }
    FAMILIES.putAll("pattern", TEXTS.get("pattern"));
    FAMILIES.put("pattern", Pattern::twice);
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>(Tables.rows("generate/ops.table"));
    for (Kind kind : Kind.values()) {
      String any = "any:of-" + kind.mnemonic();
      String both =
          String.format("%1$s like / %1$s like => r = %2$s(x1, x0)", any, kind.mnemonic());
      lines.add(kind.mnemonic() + ": " + (kind.arity() == 1 ? any : both));
    }
    return lines;
  }

  private static OpRows of(List<String> words, boolean isOwn, String ways) {
    return new OpRows(
        words.get(0),
        words.stream().map(each -> each.replace("+", "")).collect(toImmutableSet()),
        isOwn,
        Splitter.on(" / ")
            .splitToStream(ways)
            .map(each -> Pattern.of(words.get(0), each, USUAL))
            .collect(toImmutableList()));
  }

  /** Returns the row of an op. */
  static OpRows row(String opcode) {
    return requireNonNull(ALL.get(opcode), opcode);
  }

  /** Returns a row of a family. */
  static Step of(String family, Choices choices) {
    return choices.oneOf(FAMILIES.get(family));
  }

  /** Returns a text of a family. */
  static Pattern text(String family, Choices choices) {
    return choices.oneOf(TEXTS.get(family));
  }

  /** Returns the text of an attribute for rows that do not give it. */
  static String usual(String attribute) {
    return requireNonNull(USUAL.get(attribute), attribute);
  }

  @Override
  public void take(Block block, Choices choices) {
    switch (opcode) {
      case "while" -> {
        require(block.mayNest(), "", "too deep, or too often");
        text("loop", choices).take(block, choices);
      }
      case "parameter" -> {
        require(block.isEntry(), "", "the caller gives the parameters");
        block.parameter(choices.literal(Sources.outcome(block, List.of())));
      }
      case "constant" -> block.scalar(choices.literal((Shape) Sources.shape(block)));
      default -> choices.oneOf(ways).take(block, choices);
    }
  }

  /** Returns whether programs that have the op have effects. */
  boolean hasEffects() {
    return ways.stream().anyMatch(each -> each.words().contains("effects"));
  }

  /** Draws a row and appends what it says, if it applies here. */
  static boolean any(Block block) {
    return take(block, of(block.choices().oneOf(WEIGHTED), block.choices()));
  }

  /** Draws some rows, fewer than so many. */
  static void some(Block block, int most) {
    for (int i = block.choices().below(most); i > 0; i--) {
      any(block);
    }
  }

  /** Appends what a row says, if it applies here, and takes its tuples apart. */
  static boolean take(Block block, Step row) {
    int before = block.instructions().size();
    boolean isTaken = block.attempt(row);
    for (HloInstruction each : block.instructions().subList(before, block.instructions().size())) {
      if (each.shape() instanceof Shape.Tuple tuple && !Sources.isOpen(each)) {
        for (int i = 0; i < tuple.elements().size(); i++) {
          if (!block.choices().chance(4)) {
            block.add(new GetTupleElement(i), each);
          }
        }
      }
    }
    return isTaken;
  }
}
