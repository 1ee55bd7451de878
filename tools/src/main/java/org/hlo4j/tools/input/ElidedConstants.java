package org.hlo4j.tools.input;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.tools.program.Findings;

/**
 * Constants that are written {@code {...}}, because their elements were left out when the text was
 * printed.
 */
public final class ElidedConstants {
  private ElidedConstants() {}

  /** Returns a finding for each elided constant, which also names the remedy. */
  public static ImmutableList<HloException> findings(HloModule module, String remedy) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction -> isElided(instruction.op()))
        .map(instruction ->
            Findings.at(
                instruction,
                "constant: the elements of "
                    + instruction.shape().withoutLayout()
                    + " were left out, written {...}"
                    + remedy))
        .collect(toImmutableList());
  }

  /** Returns a finding for each elided constant of a StableHLO module. */
  public static ImmutableList<HloException> findings(Operation operation) {
    ImmutableList.Builder<HloException> findings = ImmutableList.builder();
    for (Attribute value : operation.attributes().entries().values()) {
      if (value instanceof Attribute.DenseResource elided) {
        findings.add(
            operation.located(
                new HloException(
                    "",
                    "the elements of "
                        + elided.type()
                        + " were left out, written dense_resource<"
                        + elided.name()
                        + ">")));
      }
    }
    operation.regions().stream()
        .flatMap(region -> region.blocks().stream())
        .flatMap(block -> block.operations().stream())
        .forEach(inner -> findings.addAll(findings(inner)));
    return findings.build();
  }

  private static boolean isElided(Op op) {
    return op instanceof Constant constant && isElided(constant.literal());
  }

  private static boolean isElided(Literal literal) {
    return literal.isElided() || literal.elements().stream().anyMatch(ElidedConstants::isElided);
  }

  /** Returns the module with random numbers for the missing elements. */
  static HloModule filled(HloModule module, RandomLiterals numbers) {
    Map<HloComputation, HloComputation> computations = new HashMap<>();
    List<HloComputation> inOrder = new ArrayList<>();
    for (HloComputation computation : module.computations()) {
      HloComputation filled = filled(computation, numbers, lookup(computations));
      computations.put(computation, filled);
      inOrder.add(filled);
    }
    return HloModule.create(module.name(), inOrder, lookup(computations).apply(module.entry()))
        .withText(module.attributes(), module.stackFrames())
        .withUnknownFields(module.unknownFields());
  }

  private static <T> Function<T, T> lookup(Map<T, T> all) {
    return one -> Objects.requireNonNull(all.get(one));
  }

  private static HloComputation filled(
      HloComputation computation,
      RandomLiterals numbers,
      Function<HloComputation, HloComputation> callees) {
    Map<HloInstruction, HloInstruction> instructions = new HashMap<>();
    List<HloInstruction> inOrder = new ArrayList<>();
    for (HloInstruction instruction : computation.instructions()) {
      HloInstruction copy =
          HloInstruction.create(
                  instruction.name(),
                  filled(instruction.op(), numbers),
                  instruction.operands().stream().map(lookup(instructions)).toList(),
                  instruction.called().stream().map(callees).toList(),
                  instruction.shape(),
                  instruction.metadata(),
                  instruction.attributes())
              .withUnknownFields(instruction.unknownFields());
      HloInstruction filled = instruction.position().map(copy::withPosition).orElse(copy);
      instructions.put(instruction, filled);
      inOrder.add(filled);
    }
    HloInstruction root = lookup(instructions).apply(computation.root());
    return HloComputation.create(computation.name(), inOrder, root, computation.executionThread())
        .withUnknownFields(computation.unknownFields());
  }

  private static Op filled(Op op, RandomLiterals numbers) {
    return isElided(op) ? new Constant(filled(((Constant) op).literal(), numbers)) : op;
  }

  private static Literal filled(Literal literal, RandomLiterals numbers) {
    return literal.isElided()
        ? numbers.next(literal.shape())
        : literal.elements().isEmpty()
            ? literal
            : Literal.tuple(literal.elements().stream().map(e -> filled(e, numbers)).toList());
  }
}
