package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.INTERRUPTED;
import static org.hlo4j.hlo.HloException.Kind.LIMIT;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.Names;
import org.hlo4j.stablehlo.Check;
import org.hlo4j.stablehlo.CheckedModule;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a StableHLO module to an HLO module. Each function becomes a computation, which
 * calls refer to. Each region becomes a computation of its own.
 */
public final class ModuleImport {
  /** The purpose of an import. */
  private enum Mode {
    /** The module is run. */
    RUN,
    /** The module is run, and also returns the values that its checks compare. */
    CHECK,
    /** The module is only verified: sizes may stay unknown, and all violations are collected. */
    VERIFY
  }

  private static final long[] NOT_KNOWN = {};

  private static final String GET_ELEMENT = "stablehlo.get_tuple_element";

  /**
   * The largest depth of nested calls of functions with unknown sizes; each level uses Java's
   * stack.
   */
  private static final int MAX_DEPTH = 200;

  private static final int MAX_COMPUTATIONS = 100_000;

  /** A function for arguments of certain shapes and, where they matter, values. */
  private record Specialization(
      String name, ImmutableList<Shape> shapes, ImmutableList<Dims> values) {}

  private final Operation module;
  private final CallGraph order;
  private final Meshes meshes;
  private final Names instructionNames = new Names();
  private final Names computationNames = new Names();
  private final Map<Specialization, HloComputation> functions = new HashMap<>();
  private final Map<HloComputation, HloComputation> copies = new HashMap<>();
  private final Map<Value, Operation> constants = new HashMap<>();
  private final FrameTables frames = new FrameTables();
  private final Captures captures = new Captures(constants);
  private final List<Check> checks = new ArrayList<>();
  private final List<HloInstruction> checked = new ArrayList<>();
  private final Mode mode;
  private final List<HloException> findings = new ArrayList<>();
  private final KnownValues known = new KnownValues();
  private final @Nullable ImmutableList<Shape> arguments;
  private final ImmutableList<long[]> knownArguments;
  private final ImportAccount account;
  private int depth;
  private @Nullable ComputationImport entryTarget;
  private @Nullable Operation entry;

  private ModuleImport(Operation module, Mode mode) {
    this(module, mode, null, ImmutableList.of());
  }

  private ModuleImport(
      Operation module,
      Mode mode,
      @Nullable ImmutableList<Shape> arguments,
      ImmutableList<long[]> knownArguments) {
    this.module = module;
    this.mode = mode;
    this.arguments = arguments;
    this.knownArguments = knownArguments;
    this.order = new CallGraph(module);
    this.meshes = new Meshes(module);
    this.account = new ImportAccount(module);
  }

  /**
   * Converts a StableHLO module to an HLO module that computes the same.
   *
   * @param module a {@code builtin.module} of static shapes
   * @return the module, not verified; a function of one result returns that, any other number a
   *     tuple
   * @throws HloException if an op breaks a rule or has no counterpart; the message has its position
   */
  public static HloModule of(Operation module) {
    ModuleImport in = new ModuleImport(module, Mode.RUN);
    return in.importFrom(in.order.entry(module));
  }

  /** Converts a function that is not the entry to an HLO module. */
  static HloModule of(Operation module, String function) {
    ModuleImport in = new ModuleImport(module, Mode.RUN);
    return in.importFrom(in.order.function(function, module));
  }

  /**
   * Converts a module whose sizes may be unknown to a static HLO module.
   *
   * @param module a {@code builtin.module}
   * @param arguments the shapes of the entry's arguments
   * @param known for each argument its elements if the module depends on them, or an empty array;
   *     an empty list if none is known
   * @return the module
   * @throws HloException as {@link #of}; also if a shape does not fit, a size does not follow from
   *     the shapes, or an assertion on them does not hold
   */
  public static HloModule specialized(Operation module, List<Shape> arguments, List<long[]> known) {
    ModuleImport in =
        new ModuleImport(
            module, Mode.RUN, ImmutableList.copyOf(arguments), ImmutableList.copyOf(known));
    in.order.postOrder(in.order.entry(module));
    return in.importFrom(in.order.entry(module));
  }

  /**
   * Converts a self-checking program to HLO.
   *
   * @param module a {@code builtin.module} of static shapes
   * @return for each entry the module and its checks
   * @throws HloException as {@link #of}; also if a function that is called checks something
   */
  public static ImmutableList<CheckedModule> checked(Operation module) {
    return new CallGraph(module)
        .testEntries(module).stream()
            .map(entry -> checked(module, entry))
            .collect(toImmutableList());
  }

  /**
   * Verifies the functions of a module, whether the entry calls them or not.
   *
   * @param module a {@code builtin.module}, whose sizes may be unknown
   * @return the violations; those of one function are in the order of its operations
   */
  public static ImmutableList<HloException> verify(Operation module) {
    try {
      ModuleImport in = new ModuleImport(module, Mode.VERIFY);
      in.order
          .functions()
          .values()
          .forEach(function -> in.verify(() -> FunctionImport.verifyFunction(in, function)));
      in.verify(in.order::requireNoRecursion);
      return in.findings.isEmpty() ? ImportFindings.of(module) : ImmutableList.copyOf(in.findings);
    } catch (HloException refusal) {
      return ImmutableList.of(refusal);
    }
  }

  private void verify(Runnable rules) {
    try {
      rules.run();
    } catch (HloException refusal) {
      refuse(refusal);
    }
  }

  /** Records a refusal as a finding if the module is only verified; throws it otherwise. */
  void refuse(HloException refusal) {
    if (mode != Mode.VERIFY || isStop(refusal)) {
      throw refusal;
    }
    findings.add(refusal);
  }

  static boolean isStop(HloException refusal) {
    return refusal.kind() == INTERRUPTED || refusal.kind() == HloException.Kind.LIMIT;
  }

  /** Returns whether the module is only verified. */
  boolean isVerifying() {
    return mode == Mode.VERIFY;
  }

  /** Returns the shape of a type; sizes may be unknown if the module is only verified. */
  Shape shape(Type type) {
    return isVerifying() ? Shapes.symbolicShape(type) : Shapes.of(type);
  }

  /** Returns whether an operation of the module defines a symbol. */
  boolean hasSymbol(String name) {
    return module.region(0).block().operations().stream()
        .anyMatch(each -> new Fields(each).string("sym_name").equals(name));
  }

  /** Returns the function of a name. */
  Operation callee(String name, Operation user) {
    return order.function(name, user);
  }

  private static CheckedModule checked(Operation module, Operation entry) {
    ModuleImport in = new ModuleImport(module, Mode.CHECK);
    HloModule checked = in.importFrom(entry);
    int all = ((Shape.Tuple) checked.entry().programShape().result()).elements().size();
    return new CheckedModule(checked, all - 2 * in.checks.size(), ImmutableList.copyOf(in.checks));
  }

  /** Registers a check of two values, which are compared when the module is run. */
  void addCheck(Check check, List<HloInstruction> values, ComputationImport where) {
    if (mode == Mode.VERIFY) {
      return;
    }
    require(
        mode == Mode.CHECK,
        UNSUPPORTED,
        "got a check, which has no counterpart in HLO; hlo4j test runs self-checking programs");
    require(where == entryTarget, UNSUPPORTED, "got a check in a function that is called");
    checks.add(check);
    checked.addAll(values);
  }

  /**
   * Finishes the computation of a function; that of the entry also returns the values to be
   * checked.
   */
  HloComputation finish(
      ComputationImport target, Operation function, ImmutableList<HloInstruction> results) {
    String name = FunctionImport.name(function);
    if (mode != Mode.CHECK || target != entryTarget) {
      return new ResultShardings(this, function).finish(target, name, results);
    }
    return target.finishTuple(
        name, ImmutableList.copyOf(Iterables.concat(results, checked)), Optional.empty());
  }

  /** Returns a new computation for a function. */
  ComputationImport target(Operation function) {
    ComputationImport target = new ComputationImport(this);
    if (function == entry) {
      entryTarget = target;
    }
    return target;
  }

  private HloModule importFrom(Operation entryFunction) {
    entry = entryFunction;
    if (arguments == null) {
      importStatic(entryFunction);
    }
    HloComputation computation =
        computation(
            entryFunction,
            arguments == null ? FunctionImport.declared(entryFunction) : arguments,
            knownArguments);
    String name = new Fields(module).string("sym_name");
    return ModuleAttributes.annotated(
        HloModule.create(
            Names.sanitized(name.isEmpty() ? FunctionImport.name(entryFunction) : name),
            computation),
        module,
        entryFunction,
        meshes,
        frames.text());
  }

  /**
   * Imports callees before their callers, so that the depth of calls is not limited by the stack.
   */
  private void importStatic(Operation entryFunction) {
    for (Operation function : order.postOrder(entryFunction)) {
      if (!ModuleOutline.hasSymbolicArguments(function)) {
        computation(function, FunctionImport.declared(function), ImmutableList.of());
      }
    }
  }

  /** Returns the computation of a function without known arguments, as a custom call names it. */
  HloComputation declared(String name, Operation user) {
    Operation function = order.function(name, user);
    return computation(function, FunctionImport.declared(function), ImmutableList.of());
  }

  /**
   * Returns the computation of a function for arguments of certain shapes; there is one for each
   * set of shapes.
   */
  HloComputation function(String name, Operation user, List<HloInstruction> operands) {
    Operation function = order.function(name, user);
    List<long[]> values = new ArrayList<>();
    boolean specializing = isSpecializing();
    for (HloInstruction operand : operands) {
      long[] value = specializing ? known.of(operand) : null;
      values.add(value == null ? NOT_KNOWN : value);
    }
    return computation(
        function,
        operands.stream().map(HloInstruction::shape).collect(toImmutableList()),
        ImmutableList.copyOf(values));
  }

  private HloComputation computation(Operation function, List<Shape> shapes, List<long[]> values) {
    List<long[]> all = values.isEmpty() ? Collections.nCopies(shapes.size(), NOT_KNOWN) : values;
    Specialization key =
        new Specialization(
            FunctionImport.name(function),
            ImmutableList.copyOf(shapes),
            all.stream().map(Dims::of).collect(toImmutableList()));
    HloComputation done = functions.get(key);
    if (done == null) {
      require(
          depth < MAX_DEPTH && functions.size() < MAX_COMPUTATIONS,
          LIMIT,
          "@%s: got more than %s calls within calls or %s computations",
          FunctionImport.name(function),
          MAX_DEPTH,
          MAX_COMPUTATIONS);
      depth++;
      done = FunctionImport.computation(this, function, shapes, all);
      depth--;
      functions.put(key, done);
    }
    return done;
  }

  ImportAccount account() {
    return account;
  }

  Meshes meshes() {
    return meshes;
  }

  KnownValues known() {
    return known;
  }

  /** Returns whether sizes are made static; branches whose predicate is known are then resolved. */
  boolean isSpecializing() {
    return arguments != null;
  }

  Lowering lowering(Operation operation) {
    if (ComputationImport.isConstant(operation)) {
      constants.put(operation.results().get(0), operation);
    }
    return Lowerings.find(operation.name())
        .orElseThrow(() ->
            new HloException(UNSUPPORTED, "got an op that is not known, want one of StableHLO"));
  }

  /** Returns the values that a block captures. */
  ImmutableList<Value> captures(Block block) {
    return captures.of(block);
  }

  @Nullable Operation constant(Value value) {
    return constants.get(value);
  }

  String instructionName(String base) {
    return instructionNames.unique(base);
  }

  String computationName(String base) {
    return computationNames.unique(base);
  }

  Metadata metadata(Operation operation) {
    return metadata(operation.location());
  }

  Metadata metadata(Location location) {
    return frames.metadata(location);
  }

  /**
   * Copies a computation of another builder, with all computations that it calls, under names of
   * this module. Its metadata, lines of the library, mean nothing to a user.
   */
  HloComputation importComputation(HloComputation computation) {
    HloComputation known = copies.get(computation);
    if (known != null) {
      return known;
    }
    ComputationImport copy = new ComputationImport(this);
    List<HloInstruction> parameters =
        computation.parameters().stream()
            .map(each ->
                copy.parameter(
                    ((Parameter) each.op()).number(), each.shape(), "parameter", Metadata.NONE))
            .toList();
    known =
        copy.finish(
            computation.name(), List.of(copy.inline(computation, parameters, Optional.empty())));
    copies.put(computation, known);
    return known;
  }

  /** Returns the annotations of an operation. */
  Annotations annotations(Operation operation) {
    return Annotations.of(operation.attributes(), meshes);
  }

  /**
   * Returns an instruction of a lowering with the annotations of the operation: if it has the shape
   * of the results, those of the operation; if it is an element of a tuple, those of the tuple.
   */
  HloInstruction annotated(HloInstruction instruction, Operation operation) {
    Annotations annotations = annotations(operation);
    if (annotations.equals(Annotations.NONE)) {
      return instruction;
    }
    if (instruction.op() instanceof GetTupleElement && !operation.name().equals(GET_ELEMENT)) {
      return Annotations.onElement(instruction);
    }
    return instruction.shape().compatible(expected(operation))
        ? annotations.on(instruction)
        : instruction;
  }

  private static Shape expected(Operation operation) {
    return Shapes.joined(
        operation.resultTypes().stream().map(Shapes::placeholder).collect(toImmutableList()));
  }
}
