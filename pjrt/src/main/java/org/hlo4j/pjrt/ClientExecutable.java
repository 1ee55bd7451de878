package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.engine.OutsideExecutable;
import org.hlo4j.pjrt.form.Shards;
import org.jspecify.annotations.Nullable;

/** A module on the first device of a client. Bound arguments are on the device. */
final class ClientExecutable extends OutsideExecutable {
  private final ClientPrograms programs;

  /** For each array of the arguments what is bound; none at all if nothing is. */
  private final ImmutableList<Optional<PjrtBuffer>> kept;

  private ClientExecutable(
      HloModule module,
      @Nullable Literal[] bound,
      ClientPrograms programs,
      ImmutableList<Optional<PjrtBuffer>> kept) {
    super(module, bound);
    this.programs = programs;
    this.kept = kept;
  }

  static ClientExecutable of(HloModule module, ClientPrograms programs) {
    return new ClientExecutable(module, nothingBound(module), programs, ImmutableList.of());
  }

  @Override
  protected Executable rebound(@Nullable Literal[] all) {
    List<Optional<PjrtBuffer>> more = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      Shape shape = module().entry().parameters().get(i).shape();
      int end = more.size() + Shards.arrays(shape).size();
      if (all[i] == null) {
        more.addAll(Collections.nCopies(end - more.size(), Optional.empty()));
      } else if (bound(i) != null) {
        more.addAll(kept.subList(more.size(), end));
      } else {
        all[i].arrays().forEach(each -> more.add(Optional.of(programs.client().buffer(each))));
      }
    }
    return new ClientExecutable(module(), all, programs, ImmutableList.copyOf(more));
  }

  @Override
  protected Literal runChecked(Literal[] arguments) {
    return programs.run(ImmutableList.of(withBound(arguments)), kept).get(0);
  }

  @Override
  protected String system() {
    return "pjrt " + programs.client().platform();
  }

  @Override
  public String explain() {
    StringBuilder text = new StringBuilder(system() + ": " + programs.client().plugin() + "\n");
    for (int i = 0; i < kept.size(); i++) {
      Literal own = bound(i);
      if (own != null) {
        String name = module().entry().parameters().get(i).name();
        text.append("on the device: ").append(name).append(' ').append(own.shape()).append('\n');
      }
    }
    if (programs.all().isEmpty()) {
      text.append("compiled for the sizes of the arguments, when they are met\n");
    }
    programs.all().forEach((shapes, program) -> describe(shapes, program, text));
    return text.toString();
  }

  private static void describe(
      ImmutableList<Shape> shapes, ClientProgram program, StringBuilder text) {
    PjrtExecutable executable = program.executable();
    text.append("program of %s\n  form: %s\n".formatted(shapes, executable.form()));
    ifGiven("cost", () -> costs(executable.costAnalysis()), text);
    ifGiven("memory", () -> memory(executable.memoryAnalysis()), text);
    ifGiven("optimized", () -> instructions(executable.optimizedProgram()), text);
  }

  /** Appends a fact, unless the plugin does not tell it. */
  private static void ifGiven(String name, Supplier<String> fact, StringBuilder text) {
    try {
      text.append("  ").append(name).append(": ").append(fact.get()).append('\n');
    } catch (HloException untold) {
      text.append("not told: ").append(untold.summary()).append('\n');
    }
  }

  private static String costs(ImmutableMap<String, Object> all) {
    return "%s operations, %s bytes read and written"
        .formatted(number(all.get("flops")), number(all.get("bytes accessed")));
  }

  private static String number(@Nullable Object value) {
    return value instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : "an unknown number of";
  }

  private static String memory(ImmutableMap<String, Long> all) {
    return Maps.filterValues(all, bytes -> bytes > 0).entrySet().stream()
        .map(each ->
            each.getKey().replaceAll("(_size)?_in_bytes", "").replace('_', ' ')
                + " "
                + number(each.getValue()))
        .collect(Collectors.joining(", ", "", " bytes"));
  }

  private static String instructions(HloModule optimized) {
    return "%s instructions in the entry, %s computations"
        .formatted(optimized.entry().instructions().size(), optimized.computations().size());
  }
}
