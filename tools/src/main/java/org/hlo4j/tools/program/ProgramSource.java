package org.hlo4j.tools.program;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.jax.JaxCall;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.mlir.Operation;

/** A program in the form that it was read in, and its conversion to an HLO module. */
public sealed interface ProgramSource {
  /** Returns the programs in the content of a file of a form, all if it is text of several. */
  static ImmutableList<ProgramSource> all(FileForm form, byte[] bytes) {
    return switch (form) {
      case MLIR_TEXT, MLIR_BYTECODE ->
          StableHlo.readAll(bytes).stream().map(ProgramSource::of).collect(toImmutableList());
      case JAX_EXPORT -> ImmutableList.of(new Exported(JaxExport.read(bytes), "cpu"));
      case HLO_TEXT, HLO_MODULE_PROTO, HLO_PROTO, HLO_SNAPSHOT ->
          HloFiles.readModules(bytes).stream().map(Hlo::new).collect(toImmutableList());
      case PROTO_TEXT, NPY, NPZ, SAFETENSORS, EMPTY, UNKNOWN ->
          ImmutableList.of(new Hlo(HloFiles.readModule(bytes)));
    };
  }

  /** Returns a StableHLO program. */
  static ProgramSource of(Operation module) {
    return !StableHlo.hasEntry(module) || StableHlo.hasSymbolicDimensions(module)
        ? new Open(module)
        : new Imported(module);
  }

  /** Returns the module; refused if it depends on the shapes of the inputs. */
  HloModule module();

  /** Returns the StableHLO module of the program; empty if it is HLO. */
  Optional<Operation> stableHlo();

  /** Returns whether the module is the same for all inputs. */
  default boolean isStatic() {
    return false;
  }

  /** Returns the inputs that a user gives. */
  ImmutableList<Input> inputs();

  /** Returns the module for certain inputs, and the arguments of its entry. */
  Bound bind(List<Literal> inputs);

  /**
   * An input of a program.
   *
   * @param name its name
   * @param typeText its type, for messages
   * @param shape its shape, which may have unknown sizes
   */
  record Input(String name, String typeText, Shape shape) {
    /** Returns this input with a known shape. */
    public Input with(Shape known) {
      return new Input(name, known.toString(), known);
    }

    @Override
    public String toString() {
      return name + ": " + typeText;
    }
  }

  /**
   * A module that can be run.
   *
   * @param module the module
   * @param arguments the arguments of its entry
   */
  record Bound(HloModule module, List<Literal> arguments) {}

  /** A program whose module is the same for all inputs. */
  sealed interface Static extends ProgramSource {
    @Override
    default boolean isStatic() {
      return true;
    }

    @Override
    default ImmutableList<Input> inputs() {
      return Streams.zip(
              module().parameterNames().stream(),
              module().entry().parameters().stream().map(HloInstruction::shape),
              (name, shape) -> new Input(name, shape.withoutLayout().toString(), shape))
          .collect(toImmutableList());
    }

    @Override
    default Bound bind(List<Literal> inputs) {
      return new Bound(module(), inputs);
    }
  }

  /**
   * An HLO module.
   *
   * @param module the module
   */
  record Hlo(HloModule module) implements Static {
    @Override
    public Optional<Operation> stableHlo() {
      return Optional.empty();
    }
  }

  /**
   * A StableHLO module with known sizes, which is imported on first access.
   *
   * @param operation the {@code builtin.module}
   * @param imported supplies the imported module
   */
  record Imported(Operation operation, Supplier<HloModule> imported) implements Static {
    Imported(Operation operation) {
      this(operation, Suppliers.memoize(() -> StableHlo.toHlo(operation)));
    }

    @Override
    public HloModule module() {
      return imported.get();
    }

    @Override
    public Optional<Operation> stableHlo() {
      return Optional.of(operation);
    }
  }

  /**
   * A StableHLO module with unknown sizes.
   *
   * @param operation the {@code builtin.module}
   */
  record Open(Operation operation) implements ProgramSource {
    @Override
    public Optional<Operation> stableHlo() {
      return Optional.of(operation);
    }

    @Override
    public HloModule module() {
      throw needed(inputs());
    }

    @Override
    public ImmutableList<Input> inputs() {
      return StableHlo.arguments(operation).stream()
          .map(argument ->
              new Input(
                  argument.name(), argument.type().toString(), StableHlo.shape(argument.type())))
          .collect(toImmutableList());
    }

    @Override
    public Bound bind(List<Literal> inputs) {
      return new Bound(StableHlo.specializeFor(operation, inputs), inputs);
    }
  }

  /**
   * A function saved by jax.export.
   *
   * @param export the function
   * @param platform the platform whose code is used
   */
  record Exported(JaxExport export, String platform) implements ProgramSource {
    @Override
    public Optional<Operation> stableHlo() {
      return Optional.of(export.module());
    }

    @Override
    public HloModule module() {
      if (!export.sizeVariables().isEmpty()) {
        throw needed(inputs());
      }
      return export.toHlo(Map.of(), platform);
    }

    @Override
    public ImmutableList<Input> inputs() {
      return export.inputs().stream()
          .map(input -> new Input(input.path(), input.toString(), input.symbolicShape()))
          .collect(toImmutableList());
    }

    @Override
    public Bound bind(List<Literal> inputs) {
      JaxCall call = export.callFlat(inputs, platform);
      return new Bound(call.module(), List.of(call.arguments()));
    }
  }

  private static HloException needed(List<Input> inputs) {
    return new HloException(
        HloException.Kind.ARGUMENT,
        "dimensions are dynamic ("
            + inputs.stream().map(Input::toString).collect(Collectors.joining(", "))
            + "), want --input for each, which makes them known, or --shape NAME=SIZE");
  }
}
