package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;

/**
 * A row of {@code ops.table}, which says what the operands and computations of an op are. What is
 * legal follows from the definitions of the ops, which refuse what was drawn and is not; what an
 * evaluator likes is no source.
 *
 * @param chain the ops, each of the result of the one before
 * @param companions ops without which there is no such row, these included
 * @param isOwn whether other systems may not take it
 * @param ways what makes operands and computations, in some ways
 */
record OpRows(
    ImmutableList<String> chain,
    ImmutableSet<String> companions,
    boolean isOwn,
    ImmutableList<ImmutableList<String>> ways)
    implements Step {
  /** The rows by opcode. */
  static final Map<String, OpRows> ALL = new LinkedHashMap<>();

  private static final ListMultimap<String, Step> FAMILIES = ArrayListMultimap.create();

  /** The families, as often as they are drawn. */
  private static final List<String> WEIGHTED = new ArrayList<>();

  static {
    String family = "";
    for (String line : lines()) {
      if (line.startsWith("[")) {
        List<String> parts = words(line.substring(1, line.length() - 1));
        family = parts.get(0);
        WEIGHTED.addAll(Collections.nCopies(Integer.parseInt(parts.get(1)), family));
      } else if (!line.startsWith("#") && !line.isEmpty()) {
        OpRows row = of(line);
        FAMILIES.put(family, row);
        row.chain.forEach(opcode -> ALL.putIfAbsent(opcode, row));
      }
    }
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>(resource("ops.table").lines().toList());
    for (Kind kind : Kind.values()) {
      lines.add(
          kind.mnemonic()
              + (kind.arity() == 1 ? ": any:own" : ": any:own like / any:own like between"));
    }
    return lines;
  }

  private static OpRows of(String line) {
    List<String> parts = Splitter.on(':').limit(2).trimResults().splitToList(line);
    List<String> words = words(parts.get(0));
    return new OpRows(
        words.stream()
            .filter(each -> !each.startsWith("+"))
            .map(OpRows::opcode)
            .collect(toImmutableList()),
        words.stream().map(OpRows::opcode).collect(toImmutableSet()),
        words.get(0).startsWith("*"),
        Splitter.on(" / ")
            .splitToStream(parts.get(1))
            .map(each -> ImmutableList.copyOf(words(each)))
            .collect(toImmutableList()));
  }

  private static List<String> words(String text) {
    return Splitter.on(' ').omitEmptyStrings().splitToList(text);
  }

  private static String opcode(String word) {
    return word.replaceAll("[*+]", "");
  }

  /** Returns the text of a file beside this class. */
  static String resource(String name) {
    try {
      return Resources.toString(requireNonNull(OpRows.class.getResource(name), name), UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** Returns the row of an op. */
  static OpRows row(String opcode) {
    return requireNonNull(ALL.get(opcode), opcode);
  }

  /** Returns a row of a family. */
  static Step of(String family, Choices choices) {
    return choices.oneOf(family.equals("pattern") ? Pattern.ALL : FAMILIES.get(family));
  }

  @Override
  public void take(Block block, Choices choices) {
    switch (chain.get(0)) {
      case "while" -> Pattern.loop(block, choices);
      case "parameter" -> argument(block, choices);
      default -> Drawing.take(block, chain, choices.oneOf(ways));
    }
  }

  /** Returns whether programs that have the op have effects. */
  boolean hasEffects() {
    return ways.stream().anyMatch(each -> each.contains("effects"));
  }

  /** A parameter of the entry, which may be a tuple. */
  private static void argument(Block block, Choices choices) {
    require(block.isEntry(), "", "the caller gives the parameters");
    List<Literal> parts =
        Stream.generate(() -> choices.literal((Shape) Sources.shape(block)))
            .limit(choices.below(4))
            .map(part -> choices.chance(4) ? Literal.tuple(part, part) : part)
            .toList();
    block.parameter(parts.size() == 1 ? parts.get(0) : Literal.tuple(parts));
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
