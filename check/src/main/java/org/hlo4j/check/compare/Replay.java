package org.hlo4j.check.compare;

import com.google.common.base.Suppliers;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Perturbed.Choice;
import org.hlo4j.check.compare.Perturbed.Site;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * A program that runs again and again on the reference, each time with another choice of the values
 * where it is {@link Perturbed}.
 */
final class Replay {
  /**
   * A program under judgement.
   *
   * @param module the module
   * @param result what the reference computes
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @param reference runs modules with the arguments
   */
  record Subject(
      HloModule module,
      Literal result,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Comparison.Reference reference) {
    /** Returns the same with another module, such as a slice, which has another result. */
    Subject with(HloModule other, Literal otherResult) {
      return new Subject(other, otherResult, profile, options, reference);
    }

    /** Runs another form of the module; empty if it is refused. */
    Optional<Literal> computed(HloModule form) {
      return Runner.unlessRefused(() -> reference.prepared(form, options).get());
    }
  }

  private final Subject subject;
  private final Perturbed perturbed;
  private final boolean flushes;
  private final EvaluatorOptions options;

  /** The module, prepared once: its sites ask the choice of the run. */
  private Supplier<Supplier<Literal>> prepared;

  private Choice choice = (site, operands) -> operands.get(0);
  private String refusal = "";

  Replay(Subject subject) {
    Allowances allowances = new Allowances(subject.profile());
    this.subject = subject;
    this.perturbed = new Perturbed(subject.module(), allowances, this::chosen);
    this.flushes = allowances.flushes();
    this.options = subject.options().toBuilder().valueListener(perturbed).build();
    this.prepared = prepared(options);
  }

  private Supplier<Supplier<Literal>> prepared(EvaluatorOptions within) {
    return Suppliers.memoize(() -> subject.reference().prepared(perturbed.module(), within));
  }

  /** Limits the runs by the time that some have taken. */
  void limitSince(long start) {
    prepared = prepared(Runner.withDeadlineSince(start, options));
  }

  /** Chooses, for one device after the other. */
  private synchronized Literal chosen(Site site, List<Literal> operands) {
    return choice.of(site, operands);
  }

  Literal run(Choice ofRun) {
    choice = ofRun;
    try {
      return prepared.get().get();
    } finally {
      perturbed.end();
    }
  }

  /** Returns the result of a run; empty if it is refused, which is noted, or of another shape. */
  Optional<Literal> attempt(Choice ofRun) {
    return Runner.answered(
            () -> Optional.of(run(ofRun)),
            refused -> {
              refusal = refused.summary();
              return Optional.<Literal>empty();
            })
        .filter(value -> value.shape().equals(subject.result().shape()));
  }

  /** Returns why the last run was refused. */
  String refusal() {
    return refusal;
  }

  Subject subject() {
    return subject;
  }

  /** Returns whether denormal numbers may be zero. */
  boolean flushes() {
    return flushes;
  }

  /** Returns the places that runs have come to where something is open. */
  List<Site> openSites() {
    return perturbed.sites().stream().filter(each -> each.row().isPresent()).toList();
  }

  /** Returns the places that roundings shift: those that are only moved to the root, or others. */
  List<Site> sites(boolean areOwn) {
    return perturbed.sites().stream()
        .filter(each -> each.row().isEmpty() && each.isOwn() == areOwn)
        .toList();
  }
}
