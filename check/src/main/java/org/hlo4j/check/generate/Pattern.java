package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.text.Parser;

/**
 * Steps that write what passes and fusions look for, and loops: the texts of {@code
 * patterns.table}.
 *
 * @param name the family of the text
 * @param holes lines that say what stands for words of the text
 * @param text computations as HLO text
 */
record Pattern(String name, ImmutableList<String> holes, String text) implements Step {
  /** The most iterations of a loop. */
  static final int MAX_ITERATIONS = 6;

  private static final ImmutableListMultimap<String, Pattern> TEXTS =
      Splitter.on("---\n")
          .splitToStream(OpRows.resource("patterns.table"))
          .skip(1)
          .map(Pattern::of)
          .collect(toImmutableListMultimap(Pattern::name, each -> each));

  static final ImmutableList<Step> ALL =
      ImmutableList.<Step>builder()
          .addAll(TEXTS.get("pattern"))
          .add(Pattern::pipeline, Pattern::pipeline, Pattern::twice)
          .build();

  private static Pattern of(String paragraph) {
    List<String> lines = Splitter.on('\n').splitToList(paragraph);
    int text = Iterables.indexOf(lines, line -> line.endsWith("{"));
    return new Pattern(
        lines.get(0),
        ImmutableList.copyOf(lines.subList(1, text)),
        String.join("\n", lines.subList(text, lines.size())));
  }

  /** Appends a loop. */
  static void loop(Block block, Choices choices) {
    require(block.mayNest(), "", "too deep, or too often");
    write("loop", block, List.of());
  }

  @Override
  public void take(Block block, Choices choices) {
    write(block, new ArrayList<>());
  }

  /** Appends a text of a family whose first parameters are these. Returns its root. */
  static HloInstruction write(String family, Block block, List<HloInstruction> operands) {
    return block.choices().oneOf(TEXTS.get(family)).write(block, new ArrayList<>(operands));
  }

  private HloInstruction write(Block block, List<HloInstruction> operands) {
    String filled = text;
    for (String hole : holes) {
      List<String> parts = Splitter.on(" = ").splitToList(hole);
      List<String> names = words(parts.get(0));
      List<String> values = values(block, names, parts.get(parts.size() - 1), operands);
      for (int i = 1; i < names.size(); i++) {
        filled = filled.replaceAll("\\b" + names.get(i) + "\\b", values.get(i - 1));
      }
    }
    return spliced(block, Parser.parse("HloModule pattern\n" + filled).entry(), operands);
  }

  private static List<String> words(String text) {
    return Splitter.on(' ').omitEmptyStrings().splitToList(text);
  }

  /** Returns what stands for some names: words, or the shape of an operand and parts of it. */
  private static List<String> values(
      Block block, List<String> names, String alternatives, List<HloInstruction> operands) {
    Choices choices = block.choices();
    if (names.get(0).equals("let")) {
      return words(choices.oneOf(Splitter.on('|').splitToList(alternatives)));
    } else if (names.get(0).equals("value")) {
      operands.add(Sources.any(block));
      return List.of(operands.getLast().shape().withoutLayout().toString());
    }
    int rank = names.size() - 3;
    if (!names.get(0).equals("given")) {
      Predicate<ElementType> types =
          names.get(0).equals("float") ? ElementType::isFloating : type -> true;
      operands.add(block.any(types, shape -> rank == 0 || shape.rank() == rank));
    }
    Shape.Array shape = Sources.shape(operands.getLast());
    return Stream.concat(
            Stream.of(shape.toString(), shape.elementType().toString()),
            shape.sizes().stream().mapToObj(Long::toString))
        .toList();
  }

  /** Appends the instructions of a computation. Returns its root. */
  private static HloInstruction spliced(
      Block block, HloComputation from, List<HloInstruction> given) {
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    for (HloInstruction each : from.instructions()) {
      List<HloInstruction> operands = each.operands().stream().map(copies::get).toList();
      HloInstruction copy =
          switch (each.op()) {
            case Parameter parameter when parameter.number() < given.size() ->
                given.get(parameter.number());
            case Parameter _ -> Sources.value(block, each.shape());
            case CustomCall hole -> made(block, hole.customCallTarget(), operands, each.shape());
            default -> block.add(each.op(), operands, called(block, each));
          };
      copies.put(each, copy);
    }
    return requireNonNull(copies.get(from.root()));
  }

  private static List<HloComputation> called(Block block, HloInstruction caller) {
    List<HloComputation> called = new ArrayList<>();
    for (HloComputation each : caller.called()) {
      boolean isLoop = caller.op() instanceof While;
      Place place = !isLoop ? Place.CALLED : called.isEmpty() ? Place.CONDITION : Place.BODY;
      Block inner =
          block.inner(place, each.programShape().parameters(), isLoop ? MAX_ITERATIONS : 1);
      called.add(inner.close(spliced(inner, each, inner.instructions())));
    }
    return called;
  }

  /** Returns what a custom call of a text stands for. */
  private static HloInstruction made(
      Block block, String target, List<HloInstruction> operands, Shape shape) {
    Choices choices = block.choices();
    return switch (target) {
      case "neutral" -> block.scalar(choices.neutral(((Shape.Array) shape).elementType()));
      case "given" -> Sources.given(block, ((Constant) operands.get(0).op()).literal());
      default -> {
        block.draft.takeWanted(block);
        OpRows.some(block, block.draft.isFull() ? 1 : 5);
        yield choices.chance(2) ? Sources.value(block, shape) : Regions.root(block, shape);
      }
    };
  }

  /** Appends steps that move elements or compute, each on the result of the one before. */
  private static void pipeline(Block block, Choices choices) {
    OpRows.of("movement", choices).take(block, choices);
    for (int i = 1 + choices.below(3); i > 0; i--) {
      block.follow(OpRows.of(choices.chance(3) ? "elementwise" : "movement", choices));
    }
  }

  /** Appends a duplicate of an instruction. */
  private static void twice(Block block, Choices choices) {
    HloInstruction again =
        choices.oneOf(
            block.instructions().stream()
                .filter(each -> !each.operands().isEmpty() && !Sources.isOpen(each))
                .filter(each -> !each.op().opcode().endsWith("-done"))
                .toList());
    block.add(again.op(), again.operands(), again.called());
  }
}
