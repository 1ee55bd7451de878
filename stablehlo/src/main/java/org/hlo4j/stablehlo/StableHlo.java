package org.hlo4j.stablehlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.ByteStrings;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.exporter.ChloLegalization;
import org.hlo4j.stablehlo.exporter.ModuleExport;
import org.hlo4j.stablehlo.importer.ModuleImport;
import org.hlo4j.stablehlo.importer.ModuleOutline;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.hlo4j.stablehlo.mlir.MlirPrinter;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;
import org.hlo4j.stablehlo.vhlo.LeastVersion;
import org.hlo4j.stablehlo.vhlo.PortableArtifact;
import org.hlo4j.stablehlo.vhlo.Version;

/**
 * The conversions between StableHLO and HLO.
 *
 * <pre>{@code
 * HloModule module = StableHlo.toHlo(StableHlo.read(Path.of("f.mlir")));
 * }</pre>
 */
public final class StableHlo {
  /** Larger arrays are data, not sizes. */
  private static final int MAX_SIZES = 1024;

  private StableHlo() {}

  /**
   * Reads a StableHLO module from a file.
   *
   * @param file text, such as {@code jax.jit(f).lower(x).as_text()} gives, or a portable artifact
   * @return the {@code builtin.module}
   * @throws IOException if the file cannot be read
   * @throws HloException if it holds something else or several modules
   */
  public static Operation read(Path file) throws IOException {
    return HloFiles.read(file, bytes -> only(readAll(bytes)));
  }

  private static Operation only(ImmutableList<Operation> all) {
    require(
        all.size() == 1,
        PARSE,
        "got %s modules, want 1; StableHlo.readAll reads several",
        all.size());
    return all.get(0);
  }

  /**
   * Reads the StableHLO modules of the bytes of a file.
   *
   * @param bytes MLIR text, in which lines of {@code // -----} part modules, or bytecode
   * @return the modules; for a text of nothing but comments one without functions
   * @throws HloException if they are something else
   */
  public static ImmutableList<Operation> readAll(byte[] bytes) {
    FileForm form = FileForm.of(bytes);
    return switch (form) {
      case MLIR_BYTECODE -> ImmutableList.of(PortableArtifact.read(bytes));
      case MLIR_TEXT, HLO_TEXT, PROTO_TEXT, EMPTY -> parseAll(bytes);
      case UNKNOWN -> {
        if (Bytes.contains(bytes, (byte) 0)) {
          throw noStableHlo(form);
        }
        yield parseAll(bytes);
      }
      case HLO_MODULE_PROTO, HLO_PROTO, HLO_SNAPSHOT, JAX_EXPORT, NPY, NPZ, SAFETENSORS ->
          throw noStableHlo(form);
    };
  }

  private static ImmutableList<Operation> parseAll(byte[] bytes) {
    String text = ByteStrings.decoded(bytes);
    ImmutableList<Operation> all = MlirParser.parseAll(text, StandardDialects.INSTANCE);
    return all.isEmpty() ? ImmutableList.of(parse(text)) : all;
  }

  private static HloException noStableHlo(FileForm form) {
    return new HloException(PARSE, "file: got %s, want MLIR text or bytecode", form);
  }

  /**
   * Reads a StableHLO module.
   *
   * @param text MLIR text: a module, or functions without one
   * @return the {@code builtin.module}
   * @throws HloException with line, column and caret of all mistakes
   */
  public static Operation parse(String text) {
    return MlirParser.parse(text, StandardDialects.INSTANCE);
  }

  /**
   * Prints a StableHLO module in the forms that upstream prints. Locations are printed if any is
   * known.
   *
   * @param module the {@code builtin.module}
   * @return text that {@link #parse} reads as the same module, including its locations
   */
  public static String print(Operation module) {
    return ReadLimits.guarded(
        "StableHLO",
        () -> MlirPrinter.print(module, StandardDialects.INSTANCE, hasLocations(module)));
  }

  private static boolean hasLocations(Operation operation) {
    return !operation.location().equals(Location.unknown())
        || operation.blocks().stream()
            .anyMatch(block ->
                block.arguments().stream().anyMatch(StableHlo::isLocated)
                    || block.operations().stream().anyMatch(StableHlo::hasLocations));
  }

  /** Returns whether an argument has a location besides its name, which is printed anyway. */
  private static boolean isLocated(Value argument) {
    Location named = new Location.Name(argument.name(), Location.unknown());
    return !argument.location().equals(Location.unknown()) && !argument.location().equals(named);
  }

  /**
   * Converts a StableHLO module to an HLO module that computes the same. A function becomes a
   * computation and a call becomes a call. A region becomes a computation, and the values that it
   * captures are passed to it. Locations become metadata.
   *
   * @param module a {@code builtin.module} with static shapes; its entry is the function {@code
   *     main}, or the only function there is
   * @return the module, not verified; its result is that of the entry, a tuple unless there is just
   *     one
   * @throws HloException if an op breaks a rule of StableHLO or has no counterpart in HLO; the
   *     message begins with the place in the file and the name of the op
   */
  public static HloModule toHlo(Operation module) {
    return ReadLimits.guarded("StableHLO", () -> ModuleImport.of(module));
  }

  /**
   * Verifies all functions of a module against the rules of StableHLO's specification, as
   * upstream's verifier does. Sizes may be unknown; what depends on them is not verified.
   *
   * @param module a {@code builtin.module}
   * @return the violations, each with its position in the file, the name of the op and the label of
   *     the rule, such as {@code slice C3}; empty if there are none
   */
  public static ImmutableList<HloException> verify(Operation module) {
    return ReadLimits.guarded("StableHLO", () -> ModuleImport.verify(module));
  }

  /**
   * Converts an HLO module to a StableHLO module that computes the same. The entry becomes the
   * public function {@code main}. Computations of calls become private functions; computations of
   * loops, branches and reductions become regions. Tuples are flattened to their leaves: the leaves
   * of the entry's parameters become arguments, the leaves of its result become results. An
   * asynchronous op is executed where it is started. Fusions become calls.
   *
   * <p>As in XLA's own converter, a tuple of one element is that element. So {@link #toHlo} gives
   * an entry with one result that result, not a tuple.
   *
   * <p>Kept are: names and source lines in metadata (as locations, including stack frames),
   * shardings, frontend attributes, aliases, buffer donors, the numbers of devices, {@code
   * parameter_replication} and {@code result_accuracy}. Attributes that change no result are
   * dropped. Some of them guide a compiler: layouts (except those of the entry, custom calls and
   * infeeds), layout constraints of collectives, schedules, control dependencies, kinds of fusions
   * and convolutions, threads, domains, aliases of fusions, hints for the partitioner, and backend
   * configurations (except those of custom calls). Others inform people: names of instructions,
   * origins, statistics, and metadata that only profilers read. Annotations of an instruction
   * without a counterpart, such as the sharding of a tuple, are dropped with it. Ops that only CHLO
   * has, such as {@code erf} and {@code topk}, become ops of CHLO.
   *
   * <p>The result is verified, so that a form that StableHLO has not is refused. What XLA's own
   * converter makes of each op and attribute is recorded in our tests, with each difference.
   *
   * @param module the module
   * @return a {@code builtin.module}
   * @throws HloException if the module is not valid; of kind {@code UNSUPPORTED} if StableHLO
   *     cannot express some of its ops or of their attributes, with opcode and name of each
   */
  public static Operation fromHlo(HloModule module) {
    Operation made = ModuleExport.of(module);
    ImmutableList<HloException> violations = verify(made);
    if (!violations.isEmpty()) {
      throw new HloException(
          UNSUPPORTED,
          violations.stream()
              .map(HloException::summary)
              .distinct()
              .collect(joining("; ", "StableHLO has no such form: ", "")));
    }
    return made;
  }

  /**
   * Writes a portable artifact. Artifacts have no ops of CHLO; these are written as custom calls
   * that XLA reads as the same ops, such as {@code mhlo.erf}.
   *
   * @param module a {@code builtin.module}
   * @param version the least version of StableHLO that its readers need; if empty, the first
   *     version from 1.0.0 on that has all ops
   * @return the bytes of the file
   * @throws HloException if the version lacks ops, or if they cannot be written to artifacts at
   *     all; all of these are named
   */
  public static byte[] toArtifact(Operation module, Optional<Version> version) {
    Operation written = ReadLimits.guarded("artifact", () -> ChloLegalization.of(module));
    return version
        .map(target -> PortableArtifact.write(written, target))
        .orElseGet(() -> PortableArtifact.write(written));
  }

  /**
   * Writes a portable artifact for one reader whose version is known: in that version, or in the
   * newest that is known if the reader is newer. Unlike what {@link #toArtifact} writes, it need
   * not be what later readers convert, so that an older version can hold more.
   *
   * @param module a {@code builtin.module}
   * @param reader the version of the reader, at least 0.9.0
   * @return the bytes of the file
   * @throws HloException as {@link #toArtifact}
   */
  public static byte[] toArtifactFor(Operation module, Version reader) {
    Operation written = ReadLimits.guarded("artifact", () -> ChloLegalization.of(module));
    return PortableArtifact.writeFor(written, reader);
  }

  /**
   * Returns the least version of StableHLO whose artifacts can hold a module, from 0.9.0 on, and
   * the operations that force it. {@link #toArtifact} writes that version if it is given.
   *
   * @param module a {@code builtin.module}
   * @return the version and the operations
   * @throws HloException if artifacts cannot hold the module at all
   */
  public static LeastVersion leastVersion(Operation module) {
    return PortableArtifact.leastOfAll(
        ReadLimits.guarded("artifact", () -> ChloLegalization.of(module)));
  }

  /**
   * Specializes a module with unknown sizes to the given shapes of its arguments. Sizes are
   * propagated from the arguments through calls. Arithmetic on sizes is evaluated, so that ops that
   * take sizes as operands become static.
   *
   * @param module a {@code builtin.module}; static ones are taken too
   * @param arguments a static shape for each argument of the entry
   * @return the module, not verified
   * @throws HloException as {@link #toHlo}; also if a shape does not fit its argument, a {@code
   *     shape_assertion} does not hold, or a size does not follow from the shapes
   */
  public static HloModule specialize(Operation module, List<? extends Shape> arguments) {
    return ReadLimits.guarded(
        "StableHLO",
        () ->
            ModuleImport.specialized(module, ImmutableList.copyOf(arguments), ImmutableList.of()));
  }

  /**
   * Specializes a module to its arguments. It is the same as {@link #specialize} for their shapes,
   * except that a program which takes sizes as arguments is specialized to their values as well:
   * the module then is right for these values only.
   *
   * @param module a {@code builtin.module}
   * @param arguments the arguments of the entry
   * @return the module, not verified
   * @throws HloException as {@link #specialize}
   */
  public static HloModule specializeFor(Operation module, List<Literal> arguments) {
    ImmutableList<Shape> shapes = arguments.stream().map(Literal::shape).collect(toImmutableList());
    try {
      return specialize(module, shapes);
    } catch (HloException unknownSize) {
      if (unknownSize.kind() != UNSUPPORTED) {
        throw unknownSize;
      }
      return ModuleImport.specialized(
          module, shapes, arguments.stream().map(StableHlo::sizes).collect(toImmutableList()));
    }
  }

  /** Returns the elements of an argument that may hold sizes; none of any other one. */
  private static long[] sizes(Literal argument) {
    return argument.shape() instanceof Shape.Array array
            && array.elementType().isIntegral()
            && array.rank() <= 2
            && array.elementCount() <= MAX_SIZES
            && !argument.isElided()
        ? argument.toLongs()
        : new long[0];
  }

  /**
   * Converts a self-checking program to HLO. Its checks are ops of the dialect {@code check}, or
   * custom calls with the names of these ops.
   *
   * @param module a {@code builtin.module} with static shapes
   * @return for each entry the module and its checks; the entry is the function {@code main}, or
   *     else each function without arguments
   * @throws HloException as {@link #toHlo}; also if a function that is called checks something
   */
  public static ImmutableList<CheckedModule> selfChecking(Operation module) {
    return ReadLimits.guarded("StableHLO", () -> ModuleImport.checked(module));
  }

  /**
   * Returns the name of a module.
   *
   * @param module a {@code builtin.module}
   * @return its symbol; if it has none, the name of the first function
   */
  public static String name(Operation module) {
    return ModuleOutline.name(module);
  }

  /**
   * Returns the arguments of a module's entry, with names and types.
   *
   * @param module a {@code builtin.module}
   * @return the arguments
   * @throws HloException if it has no entry
   */
  public static ImmutableList<Value> arguments(Operation module) {
    return ModuleOutline.arguments(module);
  }

  /**
   * Returns the shape of a value, with {@link Shape#UNBOUNDED} for sizes that are not known.
   *
   * @param type its type
   * @return the shape
   * @throws HloException if HLO has no such type
   */
  public static Shape shape(Type type) {
    return ModuleOutline.symbolicShape(type);
  }

  /**
   * Returns a module with another entry.
   *
   * @param module a {@code builtin.module}
   * @param function the name of one of its functions, without {@code @}
   * @return the module with that function, as {@code main} if there are others, and those that it
   *     calls
   * @throws HloException if there is no such function, or it calls a function named main
   */
  public static Operation withEntry(Operation module, String function) {
    return ModuleOutline.withEntry(module, function);
  }

  /**
   * Returns whether a module has a function to run: one with a body that is named {@code main} or
   * is the only function.
   *
   * @param module a {@code builtin.module}
   * @return whether {@link #toHlo} finds its entry
   */
  public static boolean hasEntry(Operation module) {
    return ModuleOutline.hasEntry(module);
  }

  /**
   * Returns whether a module's arguments, or their shapes, have to be given to {@link
   * #specializeFor} or {@link #specialize} before the module can be run.
   *
   * @param module a {@code builtin.module}
   * @return whether the module has an entry with an argument of unknown size, or with sizes that
   *     follow from the values of arguments
   */
  public static boolean hasSymbolicDimensions(Operation module) {
    return ModuleOutline.hasSymbolicDimensions(module);
  }
}
