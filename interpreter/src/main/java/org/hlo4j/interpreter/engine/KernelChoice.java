package org.hlo4j.interpreter.engine;

import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What selects a kernel answers: the kernel, or the reason why there is none. */
public sealed interface KernelChoice {
  /** Of an op that no kernel is written for. */
  KernelChoice NONE = decline("no kernel takes it");

  /** A kernel. */
  record Chosen(Kernel made) implements KernelChoice {}

  /**
   * No kernel.
   *
   * @param text why: a few words for the plan that is printed
   */
  record Decline(String text) implements KernelChoice {}

  /** {@return a kernel} */
  static KernelChoice of(Kernel kernel) {
    return new Chosen(kernel);
  }

  /** {@return a kernel, or why there is none} */
  static KernelChoice of(Optional<? extends Kernel> kernel, String otherwise) {
    return kernel.<KernelChoice>map(Chosen::new).orElseGet(() -> decline(otherwise));
  }

  /** {@return no kernel, and why} */
  static KernelChoice decline(String reason) {
    return new Decline(reason);
  }

  /** {@return the kernel, if there is one} */
  default Optional<Kernel> kernel() {
    return this instanceof Chosen chosen ? Optional.of(chosen.made()) : Optional.empty();
  }

  /** {@return why there is no kernel; empty if there is one} */
  default String reason() {
    return this instanceof Decline decline ? decline.text() : "";
  }

  /** {@return what becomes of a kernel; a decline stays} */
  default KernelChoice flatMap(Function<Kernel, KernelChoice> next) {
    return this instanceof Chosen chosen ? next.apply(chosen.made()) : this;
  }

  /** {@return this if it is a kernel, else another choice; the reasons of both if that is none} */
  default KernelChoice or(Supplier<KernelChoice> next) {
    if (!(this instanceof Decline first)) {
      return this;
    }
    KernelChoice other = next.get();
    if (!(other instanceof Decline second) || first.equals(NONE)) {
      return other;
    }
    return second.equals(NONE) ? first : decline(joined(first.text(), second.text()));
  }

  private static String joined(String first, String second) {
    Splitter reasons = Splitter.on("; ");
    return Stream.of(first, second)
        .flatMap(reasons::splitToStream)
        .filter(reason -> !reason.isEmpty())
        .distinct()
        .collect(joining("; "));
  }
}
