package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;

/**
 * A row for each op, which says what its operands and computations are: those of {@code ops.table},
 * those of the element-wise ops, and of loops. What is legal follows from the definitions of the
 * ops, which refuse what was drawn and is not; what an evaluator likes is no source.
 */
final class OpRows {
  /** The rows of the table by opcode. */
  private static final Map<String, Row> ROWS = new LinkedHashMap<>();

  /** The steps of each family, as often as it is drawn. */
  private static final List<List<Step>> WEIGHTED = new ArrayList<>();

  private static final ImmutableList<Step> ELEMENTWISE =
      Arrays.stream(Kind.values()).map(OpRows::elementwise).collect(toImmutableList());

  /** All rows by opcode. */
  static final ImmutableMap<String, Step> ALL = all();

  private OpRows() {}

  /**
   * A line of the table.
   *
   * @param chain the ops, each of the result of the one before
   * @param companions ops without which there is no such row, these included
   * @param isOwn whether other systems may not take it
   * @param sources what makes operands and computations
   */
  private record Row(
      ImmutableList<String> chain,
      ImmutableSet<String> companions,
      boolean isOwn,
      ImmutableList<String> sources)
      implements Step {
    static Row of(String line) {
      List<String> parts = Splitter.on(':').limit(2).trimResults().splitToList(line);
      List<String> words = words(parts.get(0));
      return new Row(
          words.stream()
              .filter(each -> !each.startsWith("+"))
              .map(OpRows::opcode)
              .collect(toImmutableList()),
          words.stream().map(OpRows::opcode).collect(toImmutableSet()),
          words.get(0).startsWith("*"),
          ImmutableList.copyOf(words(parts.get(1))));
    }

    @Override
    public void take(Block block, Choices choices) {
      switch (chain.get(0)) {
        case "while" -> new Loop(block).add();
        case "parameter" -> argument(block);
        default -> Drawing.take(block, chain, sources);
      }
    }
  }

  private static List<String> words(String text) {
    return Splitter.on(' ').omitEmptyStrings().splitToList(text);
  }

  private static String opcode(String word) {
    return word.replaceAll("[*+]", "");
  }

  private static Step elementwise(Kind kind) {
    List<String> sources =
        kind.arity() == 1 ? List.of("any:own") : List.of("any:own", "like", "either");
    return (block, choices) -> Drawing.take(block, List.of(kind.mnemonic()), sources);
  }

  private static ImmutableMap<String, Step> all() {
    ImmutableMap.Builder<String, Step> all = ImmutableMap.builder();
    Iterator<Step> steps = ELEMENTWISE.iterator();
    for (Kind kind : Kind.values()) {
      all.put(kind.mnemonic(), steps.next());
    }
    WEIGHTED.addAll(Collections.nCopies(3, ELEMENTWISE));
    WEIGHTED.add(Pattern.ALL);
    List<Step> family = new ArrayList<>();
    for (String line : lines()) {
      if (line.startsWith("[")) {
        family = new ArrayList<>();
        int weight = Integer.parseInt(line.replaceAll("\\D", ""));
        WEIGHTED.addAll(Collections.nCopies(weight, family));
      } else if (!line.startsWith("#")) {
        Row row = Row.of(line);
        for (String opcode : row.chain()) {
          if (ROWS.putIfAbsent(opcode, row) == null) {
            family.add(row);
            all.put(opcode, row);
          }
        }
      }
    }
    return all.buildOrThrow();
  }

  private static List<String> lines() {
    InputStream table = requireNonNull(OpRows.class.getResourceAsStream("ops.table"));
    return new BufferedReader(new InputStreamReader(table, UTF_8)).lines().toList();
  }

  /** Returns the row of an op. */
  static Step of(String opcode) {
    return requireNonNull(ALL.get(opcode), opcode);
  }

  /** Returns an op and those without which there is none of it. */
  static ImmutableSet<String> withCompanions(String opcode) {
    Row row = ROWS.get(opcode);
    return row == null ? ImmutableSet.of(opcode) : row.companions();
  }

  /** Returns whether other systems may not take an op. */
  static boolean isOwn(String opcode) {
    Row row = ROWS.get(opcode);
    return row != null && row.isOwn();
  }

  /** Returns whether programs that have an op have effects. */
  static boolean hasEffects(String opcode) {
    Row row = ROWS.get(opcode);
    return row != null && (row.sources().contains("effects") || row.sources().contains("observed"));
  }

  /** A parameter of the entry, which may be a tuple. */
  private static void argument(Block block) {
    Choices choices = block.choices();
    Supplier<Literal> any =
        () -> choices.literal(Sources.shape(block, choices.anyType(), choices.rank()));
    require(block.isEntry(), "", "the caller gives the parameters");
    block.parameter(
        choices.chance(2)
            ? any.get()
            : Literal.tuple(
                Stream.generate(any)
                    .limit(choices.below(4))
                    .map(part -> choices.chance(4) ? Literal.tuple(part, part) : part)
                    .toList()));
  }

  /** Returns the row of an op that is applied to each element. */
  static Step pointwise(Choices choices) {
    return choices.oneOf(ELEMENTWISE);
  }

  /** Draws a row and appends what it says, if it applies here. */
  static boolean any(Block block) {
    return take(block, block.choices().oneOf(block.choices().oneOf(WEIGHTED)));
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
    if (!block.attempt(row)) {
      return false;
    }
    List<HloInstruction> all = block.instructions();
    for (HloInstruction each : all.subList(before, all.size())) {
      if (each.shape() instanceof Shape.Tuple tuple && !Sources.isOpen(each)) {
        for (int i = 0; i < tuple.elements().size() && i < 8; i++) {
          if (!block.choices().chance(4)) {
            block.add(new GetTupleElement(i), each);
          }
        }
      }
    }
    return true;
  }
}
