package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.schema.OpSchema;

/** The rows of collectives, on the only device. */
final class CollectiveRows {
  static final ImmutableMap<String, Step> ALL =
      OpSchema.opcodes().stream()
          .filter(opcode -> opcode.matches("(all-|collective-|reduce-scatter|ragged-all).*"))
          .collect(toImmutableMap(opcode -> opcode, CollectiveRows::row));

  /** Those along a dimension. */
  private static final ImmutableSet<String> ALONG =
      ImmutableSet.of("all-gather", "all-gather-start", "all-to-all", "reduce-scatter");

  private CollectiveRows() {}

  private static Step row(String opcode) {
    return opcode.startsWith("ragged")
        ? CollectiveRows::raggedAllToAll
        : (block, choices) -> collective(block, opcode.replace("-done", "-start"));
  }

  /** A collective, or its start and end. */
  private static void collective(Block block, String opcode) {
    Choices choices = block.choices();
    boolean reduces = opcode.contains("reduce");
    boolean isStarted = opcode.endsWith("-start");
    HloInstruction first = Sources.array(block, type -> true, ALONG.contains(opcode) ? 1 : 0, 5);
    List<HloInstruction> operands =
        opcode.equals("all-to-all") ? List.of(first) : operands(block, first, reduces);
    Shape joined =
        operands.size() == 1
            ? shape(first)
            : new Shape.Tuple(ImmutableList.copyOf(ControlRows.shapes(operands)));
    ImmutableMap.Builder<String, Object> given = ImmutableMap.builder();
    given.put("shape", isStarted ? Shape.tuple(joined, joined) : joined);
    if (opcode.equals("all-to-all")) { // along a dimension, or of one operand for each device
      given.put(
          "dimensions",
          Optional.of(Dims.of(choices.below(shape(first).rank()))).filter(d -> choices.chance(2)));
    }
    // The only device sends to itself, or nobody does, which gives zeros.
    given.put(
        "source_target_pairs",
        choices.chance(3) ? ImmutableList.of() : ImmutableList.of(Dims.of(0, 0)));
    HloComputation[] called =
        reduces ? new HloComputation[] {reducer(block, first)} : new HloComputation[0];
    HloInstruction start = Row.add(block, opcode, given.buildOrThrow(), operands, called);
    if (isStarted) {
      ControlRows.between(block);
      Row.add(block, opcode.replace("-start", "-done"), ImmutableMap.of(), List.of(start));
    }
  }

  /** One to three arrays, for reductions of one type. */
  private static List<HloInstruction> operands(Block block, HloInstruction first, boolean isOne) {
    Choices choices = block.choices();
    List<HloInstruction> operands = new ArrayList<>(List.of(first));
    while (operands.size() < 3 && choices.chance(3)) {
      operands.add(
          choices.chance(4)
              ? first
              : Sources.array(
                  block,
                  type -> !isOne || type == shape(first).elementType(),
                  shape(first).rank(),
                  5));
    }
    return operands;
  }

  private static HloComputation reducer(Block block, HloInstruction first) {
    Shape scalar = Shape.of(shape(first).elementType());
    return Regions.of(
        block, Place.DEVICES, List.of(scalar, scalar), scalar, shape(first).elementCount());
  }

  /** Some rows to other rows of an array. */
  private static void raggedAllToAll(Block block, Choices choices) {
    HloInstruction input = Sources.line(block);
    Dims sizes = shape(input).sizes();
    long rows = choices.between(0, Math.min(sizes.get(0), 99));
    long from = choices.between(0, sizes.get(0) - rows);
    long to = choices.between(0, 3);
    ElementType type = choices.oneOf(List.of(ElementType.S32, ElementType.S64));
    HloInstruction output =
        Sources.value(block, shape(input).withSizes(sizes.with(0, rows + to + choices.below(3))));
    Row.add(
        block,
        "ragged-all-to-all",
        ImmutableMap.of(),
        List.of(
            input,
            output,
            vector(block, type, from),
            vector(block, type, rows),
            vector(block, type, to),
            vector(block, type, rows)));
  }

  private static HloInstruction vector(Block block, ElementType type, long number) {
    Literal literal = block.choices().whole(Shape.of(type, 1), number, number);
    return Sources.given(block, literal);
  }
}
