package org.hlo4j.check.generate;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * HLO text with holes, of an op or of several: what it is of are operands that the words make, and
 * what is in the holes is drawn ({@link Drawing}).
 *
 * @param words what makes the operands in turn
 * @param lets names in the text, and some words for which they stand
 * @param text computations as HLO text
 */
record Pattern(ImmutableList<String> words, ImmutableList<String> lets, String text)
    implements Step {
  /** Targets of custom calls that stand for what is made where the text is. */
  private static final ImmutableSet<String> MADE =
      ImmutableSet.of("neutral", "given", "value", "next");

  /** Returns a pattern of lines of which the first is a heading, and lets follow. */
  static Pattern of(List<String> words, List<String> lines) {
    int text = Iterables.indexOf(lines, line -> line.endsWith("{"));
    return new Pattern(
        ImmutableList.copyOf(words),
        ImmutableList.copyOf(lines.subList(1, text)),
        String.join("\n", lines.subList(text, lines.size())));
  }

  /** Returns the pattern of a row: its text, or that of the op of all operands. */
  static Pattern of(String opcode, String row, Map<String, String> usual) {
    List<String> parts = Splitter.on(" => ").splitToList(row);
    Map<String, String> attributes = new LinkedHashMap<>();
    OpSchema.of(opcode).stream()
        .flatMap(schema -> schema.attributes().stream())
        .filter(each -> usual.containsKey(each.name()))
        .forEach(each -> attributes.put(each.name(), usual.get(each.name())));
    List<String> words = new ArrayList<>();
    for (String word : Drawing.words(parts.get(0))) {
      int equals = word.indexOf('=');
      if (equals < 0) {
        words.add(word);
      } else {
        attributes.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    String shape = attributes.getOrDefault("shape", "R");
    attributes.remove("shape");
    String given = attributes.entrySet().stream().map(each -> ", " + each).collect(joining());
    String text =
        parts.size() > 1
            ? parts.get(1).replace("; ", "\n  ")
            : "r = " + shape + " " + opcode + "(NAMES)" + given;
    return new Pattern(
        ImmutableList.copyOf(words),
        ImmutableList.of(),
        "ENTRY e {\n  OPERANDS\n  " + text + "\n}");
  }

  @Override
  public void take(Block block, Choices choices) {
    write(new Drawing(block, ImmutableList.of()));
  }

  /** Appends the text, with what is drawn for it. Returns its root. */
  HloInstruction write(Drawing drawing) {
    words.forEach(drawing::word);
    lets.forEach(drawing::let);
    return spliced(drawing.block, drawing.parsed(text), drawing.operands);
  }

  /** Appends the instructions of a computation. Returns its root. */
  static HloInstruction spliced(Block block, HloComputation from, List<HloInstruction> given) {
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    for (HloInstruction each : from.instructions()) {
      List<HloInstruction> operands = each.operands().stream().map(copies::get).toList();
      if (operands.stream().anyMatch(Sources::isOpen)
          && block.choices().chance(3)
          && block.mayNest()) {
        OpRows.any(block);
      }
      HloInstruction copy =
          switch (each.op()) {
            case Parameter parameter when parameter.number() < given.size() ->
                given.get(parameter.number());
            case Parameter _ -> Sources.value(block, each.shape());
            case CustomCall hole when MADE.contains(hole.customCallTarget()) ->
                made(block, hole.customCallTarget(), operands, each.shape());
            default -> block.add(each.op(), operands, Regions.called(block, each));
          };
      copies.put(each, copy);
    }
    return requireNonNull(copies.get(from.root()));
  }

  /** Returns what a custom call of a text stands for. */
  private static HloInstruction made(
      Block block, String target, List<HloInstruction> operands, Shape shape) {
    return switch (target) {
      case "neutral" -> block.scalar(block.choices().neutral(((Shape.Array) shape).elementType()));
      case "given" -> Sources.given(block, ((Constant) operands.get(0).op()).literal());
      case "value" -> Sources.value(block, shape);
      default -> {
        Regions.fill(block, block.draft.isFull() ? 1 : 5);
        yield block.choices().chance(2) ? Sources.value(block, shape) : Regions.root(block, shape);
      }
    };
  }

  /** Appends a duplicate of an instruction. */
  static void twice(Block block, Choices choices) {
    HloInstruction again =
        choices.oneOf(
            block.instructions().stream()
                .filter(each -> !each.operands().isEmpty() && !Sources.isOpen(each))
                .filter(each -> !each.op().opcode().endsWith("-done"))
                .toList());
    block.add(again.op(), again.operands(), again.called());
  }
}
