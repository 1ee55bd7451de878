package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

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
import org.hlo4j.hlo.schema.OpSchema;

/**
 * A row of {@code ops.table}, which says what the operands and computations of an op, or of several
 * in a text, are. What is legal follows from the definitions of the ops, which refuse what was
 * drawn and is not; what an evaluator accepts is not asked.
 *
 * @param companions ops without which there is no such row, its own ones included
 * @param isOwn whether other systems may not take it
 * @param templates of which one is drawn
 */
record OpRows(ImmutableSet<String> companions, boolean isOwn, ImmutableList<Template> templates)
    implements Step {
  /** The rows by opcode. */
  static final Map<String, OpRows> ALL = new LinkedHashMap<>();

  private static final ListMultimap<String, OpRows> FAMILIES = ArrayListMultimap.create();

  /** The families, as often as they are drawn. */
  private static final List<String> WEIGHTED = new ArrayList<>();

  /** The texts of attributes, for rows that say nothing else, and of other names. */
  private static final Map<String, String> USUAL = new HashMap<>();

  /**
   * HLO text with holes that {@link Drawing} fills, for operands that it draws first.
   *
   * @param words how to draw the operands, in turn
   * @param text a module as HLO text, with holes
   */
  record Template(ImmutableList<String> words, String text) {
    /** Returns the template of a row: its own text, or one instruction of all operands. */
    static Template of(String opcode, String source) {
      List<String> parts = Splitter.on("=>").trimResults().splitToList(source);
      Map<String, String> attributes = new LinkedHashMap<>();
      OpSchema.of(opcode).stream()
          .flatMap(schema -> schema.attributes().stream())
          .filter(each -> USUAL.containsKey(each.name()))
          .forEach(each -> attributes.put(each.name(), usual(each.name())));
      List<String> words = new ArrayList<>();
      for (String word : Drawing.words(parts.get(0))) {
        int equals = word.indexOf('=');
        if (equals > 0 && Character.isLowerCase(word.charAt(0))) {
          attributes.put(word.substring(0, equals), word.substring(equals + 1));
        } else {
          words.add(word);
        }
      }
      String op = attributes.getOrDefault("shape", "R") + " " + opcode;
      attributes.remove("shape");
      String given = attributes.entrySet().stream().map(each -> ", " + each).collect(joining());
      String text = parts.size() > 1 ? parts.get(1) : "r = " + op + "(NAMES)" + given;
      boolean isWhole = text.contains("ENTRY");
      return new Template(
          ImmutableList.copyOf(words),
          isWhole ? text : "ENTRY e {\n  OPERANDS\n  " + text.replace("; ", "\n  ") + "\n}");
    }
  }

  static {
    String family = "";
    String lines = String.join("\n", Tables.rows("generate/ops.table"));
    for (String row : Splitter.onPattern("\n(?! )").split(lines)) {
      List<String> parts = Splitter.on(':').limit(2).trimResults().splitToList(row);
      List<String> words = Drawing.words(parts.get(0).replaceAll("[*\\[\\]]", ""));
      if (row.startsWith("[")) {
        family = words.get(0);
        WEIGHTED.addAll(Collections.nCopies(Integer.parseInt(words.get(1)), family));
      } else if (family.equals("attributes")) {
        words.forEach(each -> USUAL.put(each, parts.get(1)));
      } else {
        add(family, words, row.startsWith("*"), parts.get(1));
      }
    }
    for (Kind kind : Kind.values()) {
      String name = kind.mnemonic();
      String sources = usual("function-" + kind.arity()).replace("OP", name);
      add("elementwise", List.of(name), false, sources);
    }
    ALL.keySet().removeIf(each -> each.startsWith("+"));
  }

  private static void add(String family, List<String> words, boolean isOwn, String sources) {
    String opcode = words.isEmpty() ? "" : words.get(0);
    OpRows row =
        new OpRows(
            words.stream().map(each -> each.replace("+", "")).collect(toImmutableSet()),
            isOwn,
            Splitter.on(" / ")
                .splitToStream(sources)
                .map(each -> Template.of(opcode, each))
                .collect(toImmutableList()));
    FAMILIES.put(family, row);
    words.forEach(each -> ALL.putIfAbsent(each, row));
  }

  /** Returns the row of an op. */
  static OpRows row(String opcode) {
    return requireNonNull(ALL.get(opcode), opcode);
  }

  /** Returns a row of a family. */
  static OpRows of(String family, Choices choices) {
    return choices.oneOf(FAMILIES.get(family));
  }

  /** Returns the text of an attribute for rows that do not give it, or of another name. */
  static String usual(String name) {
    return USUAL.getOrDefault(name, name);
  }

  @Override
  public void take(Block block, Choices choices) {
    write(new Drawing(block, ImmutableList.of()));
  }

  /** Fills a template and appends its instructions. Returns its root. */
  HloInstruction write(Drawing drawing) {
    return drawing.write(drawing.block.choices.oneOf(templates));
  }

  /** Returns whether programs that have the op have effects. */
  boolean hasEffects() {
    return templates.stream().anyMatch(each -> each.words().contains("effects"));
  }

  /** Draws a row and appends what it says, if it applies here. */
  static boolean any(Block block) {
    return take(block, 1, of(block.choices.oneOf(WEIGHTED), block.choices));
  }

  /** Draws some rows, fewer than so many. */
  static void some(Block block, int most) {
    for (int i = block.choices.below(most); i > 0; i--) {
      any(block);
    }
  }

  /** Appends what a row says, after so many attempts at most, and takes its tuples apart. */
  static boolean take(Block block, int attempts, Step row) {
    int before = block.instructions().size();
    boolean isTaken = block.attempt(attempts, row);
    for (HloInstruction each : block.instructions().subList(before, block.instructions().size())) {
      if (each.shape() instanceof Shape.Tuple tuple && !Block.isOpen(each)) {
        for (int i = 0; i < tuple.elements().size(); i++) {
          if (!block.choices.chance(4)) {
            block.add(new GetTupleElement(i), each);
          }
        }
      }
    }
    return isTaken;
  }
}
