package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.source.ReadLimits;

/**
 * A verifier of modules, with the rules of XLA's verifier and an explanation of every violation.
 *
 * <p>It checks structure (names unique and well formed, operands defined before use in the same
 * computation, root and callees present, parameters numbered 0 to n - 1), that each declared shape
 * is the inferred one, layouts aside, that each asynchronous start has its done, that buffers have
 * one writer, and that shardings, threads, device groups and aliases are valid. It reports all
 * findings and not only the first, and throws no other exception on any module that can be
 * constructed. Source of the rules: XLA's {@code HloVerifier}.
 */
public final class Verifier {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_.-]*");

  private static final int MAX_FINDINGS = 20;

  private final boolean isStrict;
  private final boolean isLayoutSensitive;
  private final boolean allowsMixedPrecision;

  private Verifier(boolean isStrict, boolean isLayoutSensitive, boolean allowsMixedPrecision) {
    this.isStrict = isStrict;
    this.isLayoutSensitive = isLayoutSensitive;
    this.allowsMixedPrecision = allowsMixedPrecision;
  }

  /**
   * Returns the strict verifier, for modules that hlo4j builds. Beside all else, the dimensions of
   * a broadcast strictly increase, floats that are combined have one type, no dimension is
   * unbounded, a channel is used by one kind of collective, and attributes that XLA does not know
   * are refused.
   *
   * @return the verifier
   */
  public static Verifier strict() {
    return new Verifier(true, false, false);
  }

  /**
   * Returns the verifier for modules from elsewhere: the dimensions of a broadcast may be permuted,
   * as XLA's own verifier accepts by default, and floats of several types and unbounded dimensions
   * may occur, as it accepts if asked.
   *
   * @return the verifier
   */
  public static Verifier lenient() {
    return new Verifier(false, false, false);
  }

  /**
   * Returns this verifier with layout checks, as XLA verifies after layout assignment: tuples and
   * their elements, loops, calls, branches, barriers and dynamic-update-slice keep the layouts of
   * the values that they forward.
   *
   * @return another verifier
   */
  public Verifier layoutSensitive() {
    return new Verifier(isStrict, true, allowsMixedPrecision);
  }

  /**
   * Returns this verifier, except that floats may be of any floating-point type where one is
   * inferred, as XLA's accepts if asked: operands, results, and the computations of reductions and
   * collectives. The evaluators do not run such modules.
   *
   * @return another verifier
   */
  public Verifier allowingMixedPrecision() {
    return new Verifier(isStrict, isLayoutSensitive, true);
  }

  /**
   * Throws if a module violates a rule.
   *
   * @param module the module
   * @throws HloException with all findings, each with the instruction and where it was created
   */
  public void verify(HloModule module) {
    ImmutableList<HloException> findings = findings(module);
    if (findings.size() == 1) {
      throw findings.get(0);
    }
    if (!findings.isEmpty()) {
      throw inOne("module " + module.name() + ": " + findings.size() + " findings", findings);
    }
  }

  /**
   * Returns one exception for all findings, at the position of the first. If there are many, it
   * shows the first ones.
   */
  private static HloException inOne(String summary, ImmutableList<HloException> findings) {
    List<HloException> told = findings.subList(0, Math.min(MAX_FINDINGS, findings.size()));
    HloException all =
        new HloException(Kind.VERIFY, summary)
            .withAll("finding", Lists.transform(told, found -> "- " + found.getMessage()));
    HloException placed = findings.get(0).position().map(all::withPosition).orElse(all);
    int more = findings.size() - told.size();
    return more == 0 ? placed : placed.with("more", "and " + more + " more");
  }

  /**
   * Returns all violations in a module, in the order of its text.
   *
   * @param module the module
   * @return the findings, none if it is valid
   */
  public ImmutableList<HloException> findings(HloModule module) {
    requireNonNull(module, "module");
    return new Run(module).findings();
  }

  /**
   * Returns warnings of what XLA refuses and this verifier permits: unknown attributes. They are
   * kept and printed, and have no effect.
   *
   * @param module the module
   * @return the warnings, those of the header first; none of a strict verifier, which refuses these
   */
  public ImmutableList<HloException> warnings(HloModule module) {
    ImmutableList.Builder<HloException> warnings = ImmutableList.builder();
    if (!isStrict) {
      AttributeRules.unknown(module)
          .forEach(unknown -> warnings.add(new HloException(Kind.VERIFY, unknown)));
      module.computations().stream()
          .flatMap(computation -> computation.instructions().stream())
          .forEach(instruction ->
              AttributeRules.unknown(instruction).stream()
                  .map(unknown -> instruction.located(new HloException(Kind.VERIFY, unknown)))
                  .forEach(warnings::add));
    }
    return warnings.build();
  }

  /** One pass over one module. */
  private final class Run {
    private final HloModule module;
    private final ImmutableList.Builder<HloException> findings = ImmutableList.builder();
    private final Map<String, HloInstruction> instructionNames = new HashMap<>();
    private final Map<String, HloComputation> computationNames = new HashMap<>();
    private final Set<HloComputation> seen = new HashSet<>();
    private final Pairing pairing;
    private final BufferRules buffers;
    private final DeviceRules devices;
    private final AttributeRules attributes;

    Run(HloModule module) {
      this.module = module;
      this.pairing = new Pairing(module);
      this.buffers = new BufferRules(module);
      this.devices = new DeviceRules(module);
      this.attributes = new AttributeRules(devices);
    }

    ImmutableList<HloException> findings() {
      check(
          "module " + module.name(),
          Optional.empty(),
          () -> {
            require(NAME.matcher(module.name()).matches(), "", "name is not a name of HLO text");
            require(
                module.computations().contains(module.entry()),
                "",
                "entry %s got no place among the computations",
                module.entry().name());
          });
      for (HloComputation computation : module.computations()) {
        check(
            "computation " + computation.name(),
            computation.position(),
            () -> checkComputation(computation));
        checkInstructions(computation);
        seen.add(computation);
      }
      check(
          "module " + module.name(),
          Optional.empty(),
          () -> {
            if (isStrict) {
              AttributeRules.requireKnown(AttributeRules.unknown(module));
            }
            devices.checkModule();
            Aliases.check(module);
          });
      return findings.build();
    }

    private void check(String where, Optional<SourcePosition> position, Runnable rule) {
      try {
        rule.run();
      } catch (HloException finding) {
        HloException found = finding.prefixed(where + ": ").withKind(Kind.VERIFY);
        findings.add(position.map(found::withPosition).orElse(found));
      }
    }

    private void checkComputation(HloComputation computation) {
      require(NAME.matcher(computation.name()).matches(), "", "its name is not a name of HLO text");
      require(
          Objects.isNull(computationNames.putIfAbsent(computation.name(), computation)),
          "",
          "got another computation of that name, want unique names");
      require(
          computation.instructions().contains(computation.root()),
          "",
          "root %s got no place among its instructions",
          computation.root().name());
      List<HloInstruction> parameters = computation.parameters();
      for (int i = 0; i < parameters.size(); i++) {
        int number = ((Parameter) parameters.get(i).op()).number();
        require(
            number == i,
            "",
            "parameter numbers got %s where %s should be, want each from 0 to %s once",
            number,
            i,
            parameters.size() - 1);
      }
    }

    private void checkInstructions(HloComputation computation) {
      Set<HloInstruction> defined = new HashSet<>();
      for (HloInstruction instruction : computation.instructions()) {
        ReadLimits.checkInterrupt("verify");
        checkAt(instruction, () -> checkName(instruction));
        checkAt(instruction, () -> checkReferences(computation, instruction, defined));
        checkAt(
            instruction,
            () -> {
              checkShape(instruction);
              ComplexOrder.check(instruction);
              pairing.check(computation, instruction);
              buffers.check(computation, instruction);
              devices.check(instruction);
              attributes.check(computation, instruction, name -> isDefined(name, defined));
            });
        defined.add(instruction);
      }
    }

    private boolean isDefined(String name, Set<HloInstruction> defined) {
      HloInstruction named = instructionNames.get(name);
      return named != null && defined.contains(named);
    }

    private void checkAt(HloInstruction instruction, Runnable rule) {
      try {
        rule.run();
      } catch (HloException finding) {
        findings.add(instruction.located(finding).withKind(Kind.VERIFY));
      }
    }

    private void checkName(HloInstruction instruction) {
      String name = instruction.name();
      require(NAME.matcher(name).matches(), "", "%s is not a name of HLO text", name);
      HloInstruction other = instructionNames.putIfAbsent(name, instruction);
      require(other == null, "", "%s is the name of two instructions, want unique names", name);
    }

    private void checkReferences(
        HloComputation computation, HloInstruction instruction, Set<HloInstruction> defined) {
      for (int i = 0; i < instruction.operands().size(); i++) {
        HloInstruction operand = instruction.operands().get(i);
        require(
            defined.contains(operand),
            "",
            "operand %s of %s got %s, want an earlier instruction of %s",
            i,
            instruction.name(),
            operand.name(),
            computation.name());
      }
      for (HloComputation callee : instruction.called()) {
        require(
            seen.contains(callee),
            "",
            "%s calls %s, want an earlier computation of the module",
            instruction.name(),
            callee.name());
      }
    }

    private void checkShape(HloInstruction instruction) {
      Shape inferred =
          allowsMixedPrecision
              ? MixedPrecision.infer(instruction)
              : instruction
                  .op()
                  .infer(HloInstruction.inputs(instruction.operands(), instruction.called()));
      require(
          inferred.compatible(instruction.shape())
              || (allowsMixedPrecision
                  && MixedPrecision.alike(inferred)
                      .compatible(MixedPrecision.alike(instruction.shape()))),
          "",
          "%s: declared shape got %s, want %s as inferred",
          instruction.op().opcode(),
          instruction.shape(),
          inferred);
      instruction.shape().mapArrays(Run::checkLayout);
      if (isLayoutSensitive) {
        LayoutRules.check(instruction);
      }
      if (isStrict && !allowsMixedPrecision) {
        MixedPrecision.check(instruction);
      }
      if (isStrict) {
        AttributeRules.requireKnown(AttributeRules.unknown(instruction));
        devices.requireOneKind(instruction);
        instruction.shape().mapArrays(Run::checkBounded);
      }
      if (isStrict && instruction.op() instanceof Broadcast broadcast) {
        require(
            broadcast.dimensions().isStrictlyIncreasing(),
            "broadcast B8",
            "broadcast: dimensions got %s, want strictly increasing; Verifier.lenient() permits"
                + " others",
            broadcast.dimensions());
      }
    }

    private static Shape.Array checkBounded(Shape.Array array) {
      require(
          !array.hasUnbounded(), "", "shape got %s, want a size or bound of each dimension", array);
      return array;
    }

    private static Shape.Array checkLayout(Shape.Array array) {
      for (Layout layout : array.layout().stream().toList()) {
        require(
            layout.minorToMajor().count() == array.rank() && layout.minorToMajor().isPermutation(),
            "",
            "layout of %s, want a permutation of its %s dimensions",
            array,
            array.rank());
      }
      return array;
    }
  }
}
