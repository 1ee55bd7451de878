package org.hlo4j.interpreter.engine;

import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The outcome of selecting a kernel for an instruction: the kernel, or a decline, which is the
 * reason why there is none.
 */
public sealed interface KernelChoice {
  /** The decline for an op that has no kernel at all. */
  KernelChoice NONE = decline("no kernel takes it");

  /** The kernel that was selected. */
  record Chosen(Kernel selected) implements KernelChoice {}

  /**
   * A decline.
   *
   * @param text the reason, in a few words for the printed plan
   */
  record Decline(String text) implements KernelChoice {}

  /** {@return a choice of a kernel} */
  static KernelChoice of(Kernel kernel) {
    return new Chosen(kernel);
  }

  /** {@return a choice of a kernel, or a decline with this reason if it is empty} */
  static KernelChoice of(Optional<? extends Kernel> kernel, String otherwise) {
    return kernel.<KernelChoice>map(Chosen::new).orElseGet(() -> decline(otherwise));
  }

  /** {@return a decline with this reason} */
  static KernelChoice decline(String reason) {
    return new Decline(reason);
  }

  /** {@return the kernel, if there is one} */
  default Optional<Kernel> kernel() {
    return this instanceof Chosen chosen ? Optional.of(chosen.selected()) : Optional.empty();
  }

  /** {@return why there is no kernel; empty if there is one} */
  default String reason() {
    return this instanceof Decline decline ? decline.text() : "";
  }

  /** {@return the choice that a function makes of the kernel; a decline is returned as it is} */
  default KernelChoice flatMap(Function<Kernel, KernelChoice> next) {
    return this instanceof Chosen chosen ? next.apply(chosen.selected()) : this;
  }

  /**
   * {@return this choice if it is a kernel, else another one; if both decline, a decline with both
   * reasons}
   */
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
