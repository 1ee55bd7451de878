package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.Names;

/**
 * Builds an HLO module, op by op, as XLA's {@code XlaBuilder} does.
 *
 * <pre>{@code
 * XlaBuilder b = new XlaBuilder("bias");
 * XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
 * XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
 * x.add(v, broadcastDimensions(1));
 * HloModule module = b.build();
 * }</pre>
 *
 * <p>In the lambda of a computation inside of another, such as the body of a loop, an op belongs to
 * the builder of its operands: {@code b.tuple(x, y)} of values of the body is one of the body,
 * whichever of the two builders {@code b} is.
 *
 * <p>Every error is reported by the call that causes it, with the operands, where they were
 * created, and the line of the caller; no error is deferred to {@link #build()}. Unlike XLA's
 * builder it never returns an invalid handle, and builders share no state. A builder is not
 * thread-safe.
 */
public final class XlaBuilder extends BroadcastFactory {
  private static final int MAX_NESTED = 200;

  private final String name;
  private final Optional<XlaBuilder> parent;
  private final int depth;
  private final String handIn;
  private final Names instructionNames;
  private final Names computationNames;
  private final Importer importer;
  private final List<HloInstruction> instructions = new ArrayList<>();
  private final Map<Integer, HloInstruction> parameters = new TreeMap<>();
  private final Map<Integer, String> wantedNames = new HashMap<>();
  private final Map<HloInstruction, HloInstruction> outerConstants = new HashMap<>();
  private Optional<String> closed = Optional.empty();
  private Optional<SourceLine> line = Optional.empty();
  private int guards;

  /**
   * The builder inside this one to which the ops of the present call belong, as its operands do.
   */
  private Optional<XlaBuilder> inner = Optional.empty();

  /** The builder around this one whose method the present call is. */
  private Optional<XlaBuilder> around = Optional.empty();

  /**
   * Creates a builder of a module.
   *
   * @param name the name of the module and its entry computation
   */
  public XlaBuilder(String name) {
    require(name != null, "", "XlaBuilder: name is null, want the name of the module");
    this.name = Names.sanitized(name);
    this.parent = Optional.empty();
    this.depth = 0;
    this.handIn = "";
    this.instructionNames = new Names();
    this.computationNames = new Names();
    this.importer = new Importer(instructionNames, computationNames);
    computationNames.unique(this.name);
  }

  private XlaBuilder(String name, XlaBuilder parent, String handIn) {
    this.name = parent.computationNames.unique(name);
    this.parent = Optional.of(parent);
    this.depth = parent.depth + 1;
    this.handIn = handIn;
    this.instructionNames = parent.instructionNames;
    this.computationNames = parent.computationNames;
    this.importer = parent.importer;
    inherit(parent);
  }

  /**
   * Returns the name of the module, or of the computation inside one.
   *
   * @return the name, as HLO text has it
   */
  public String name() {
    return name;
  }

  /**
   * Returns a parameter of the computation.
   *
   * @param number which one, from 0, each once
   * @param shape its shape
   * @param name its name; an op of the module that has it already gets another one when the module
   *     is built, but for other parameters, which keep theirs
   * @return the parameter
   * @throws HloException if the number is negative or taken
   */
  public XlaOp parameter(int number, Shape shape, String name) {
    return parameter(number, shape, name, List.of());
  }

  /**
   * Returns a parameter of the computation that is the same on all replicas, as a whole or in
   * parts.
   *
   * @param number which one, from 0, each once
   * @param shape its shape
   * @param name its name
   * @param replicatedAtLeafBuffers for each array in the shape whether replicas have the same; none
   *     where nothing is known
   * @return the parameter
   * @throws HloException if the number is negative or taken, or the list is of another length
   */
  public XlaOp parameter(
      int number, Shape shape, String name, List<Boolean> replicatedAtLeafBuffers) {
    return guarded(
        List.of(),
        () -> {
          requireGiven("parameter", shape, "shape");
          requireGiven("parameter", name, "name");
          requireGiven("parameter", replicatedAtLeafBuffers, "replication");
          long leaves = leaves(shape);
          require(
              replicatedAtLeafBuffers.isEmpty() || replicatedAtLeafBuffers.size() == leaves,
              "",
              "parameter: replication got %s, want one for each of the %s arrays of %s",
              replicatedAtLeafBuffers,
              leaves,
              shape);
          HloInstruction taken = parameters.get(number);
          require(
              taken == null,
              "",
              "parameter: number %s got taken by %s, want another",
              number,
              taken == null ? "" : taken.name());
          XlaOp op =
              append(
                  new Parameter(number, shape.withoutLayout()),
                  List.of(),
                  List.of(),
                  name,
                  replication(replicatedAtLeafBuffers),
                  Optional.empty());
          parameters.put(number, op.instruction());
          wantedNames.put(number, Names.sanitized(name));
          return op;
        });
  }

  /**
   * Returns a computation of this module, written as a lambda, for ops that call one.
   *
   * @param name its name
   * @param parameters the shapes of its parameters
   * @param body what it does
   * @return the computation
   * @throws HloException if the body makes a mistake, or uses a value of this builder that is no
   *     scalar constant
   */
  public HloComputation computation(String name, List<Shape> parameters, ComputationBody body) {
    return computation(name, parameters, body, "hand it in as a parameter");
  }

  @Override
  HloComputation computation(
      String name, List<Shape> parameters, ComputationBody body, String handIn) {
    if (inner.isPresent()) {
      return inner.get().computation(name, parameters, body, handIn);
    }
    guarded(
        List.of(),
        () -> {
          requireGiven("computation", name, "name");
          requireGiven("computation", parameters, "parameter list");
          requireGiven("computation", body, "body");
          require(
              depth < MAX_NESTED,
              "",
              "computation: %s got more than %s computations around it, want a ready one to call",
              name,
              MAX_NESTED);
          return this;
        });
    XlaBuilder inner = new XlaBuilder(name, this, handIn);
    List<XlaOp> handles = new ArrayList<>();
    for (Shape shape : parameters) {
      handles.add(inner.parameter(handles.size(), shape, "p" + handles.size()));
    }
    XlaOp root = unguarded(() -> body.build(inner, Collections.unmodifiableList(handles)));
    return importer.own(inner.finish(root));
  }

  /** Runs the user's code inside a call of the user's: calls it makes are calls of their own. */
  private <T> T unguarded(Supplier<T> work) {
    int outerGuards = guards;
    Optional<SourceLine> outerLine = line;
    Optional<XlaBuilder> outerInner = inner;
    Optional<XlaBuilder> outerAround = around;
    guards = 0;
    inner = Optional.empty();
    around = Optional.empty();
    try {
      return outerAround.isPresent() ? outerAround.get().unguarded(work) : work.get();
    } finally {
      guards = outerGuards;
      line = outerLine;
      inner = outerInner;
      around = outerAround;
    }
  }

  /**
   * Returns the module, its result the value of the op added last. The builder cannot be used any
   * more.
   *
   * @return the module
   * @throws HloException if there is no op, or a parameter number is missing
   */
  public HloModule build() {
    return guarded(
        List.of(),
        () -> {
          require(!instructions.isEmpty(), "", "build: %s got no ops, want one at least", name);
          return build(new XlaOp(this, instructions.get(instructions.size() - 1)));
        });
  }

  /**
   * Returns the module. The builder cannot be used any more.
   *
   * @param root the op whose value is the result
   * @return the module
   * @throws HloException if a parameter number is missing
   */
  public HloModule build(XlaOp root) {
    return importer.module(name, buildComputation(root), wantedNames);
  }

  /**
   * Returns only the computation, to be called in modules of other builders. The builder cannot be
   * used any more. Computations that it calls are shared; they get names of their own in the module
   * that is built at last.
   *
   * @param root the op whose value is the result
   * @return the computation
   * @throws HloException if a parameter number is missing
   */
  public HloComputation buildComputation(XlaOp root) {
    return finish(root);
  }

  private HloComputation finish(XlaOp root) {
    return guardedHere(
        "",
        Collections.singletonList(root),
        () -> {
          requireParametersComplete();
          HloInstruction own = own(root);
          closed = Optional.of(line.map(at -> " at " + at).orElse(""));
          return HloComputation.create(name, instructions, own);
        });
  }

  private void requireParametersComplete() {
    for (int i = 0; i < parameters.size(); i++) {
      require(
          parameters.containsKey(i),
          "",
          "build: parameter numbers got %s, want %s as well",
          parameters.keySet(),
          i);
    }
  }

  private static long leaves(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().mapToLong(XlaBuilder::leaves).sum()
        : 1;
  }

  private static ImmutableMap<String, String> replication(List<Boolean> replicated) {
    return replicated.isEmpty()
        ? ImmutableMap.of()
        : ImmutableMap.of("parameter_replication", "{" + Joiner.on(',').join(replicated) + "}");
  }

  /**
   * Returns an exception with the line of the program that calls hlo4j, for libraries on top of the
   * builder that throw by themselves.
   *
   * @param refusal a refusal that does not say where
   * @return the refusal to throw
   */
  public static HloException located(HloException refusal) {
    return CallSite.find().map(at -> refusal.with("at", "at " + at)).orElse(refusal);
  }

  @Override
  XlaOp apply(Op op, List<XlaOp> operands, List<HloComputation> callees) {
    return apply(op, operands, callees, ImmutableMap.of(), Optional.empty());
  }

  @Override
  XlaOp apply(
      Op op,
      List<XlaOp> operands,
      List<HloComputation> callees,
      ImmutableMap<String, String> attributes,
      Optional<Sharding> sharding) {
    return guarded(
        op.opcode(),
        operands,
        () -> {
          callees.forEach(callee -> requireGiven(op.opcode(), callee, "computation"));
          return append(op, operands, callees, op.opcode(), attributes, sharding);
        });
  }

  @Override
  XlaOp append(Op op, List<XlaOp> operands, List<HloComputation> called) {
    return append(op, operands, called, op.opcode(), ImmutableMap.of(), Optional.empty());
  }

  private XlaOp append(
      Op op,
      List<XlaOp> operands,
      List<HloComputation> called,
      String wantedName,
      ImmutableMap<String, String> attributes,
      Optional<Sharding> sharding) {
    if (inner.isPresent()) {
      return inner.get().append(op, operands, called, wantedName, attributes, sharding);
    }
    ImmutableList<HloInstruction> given =
        operands.stream().map(XlaOp::instruction).collect(toImmutableList());
    Shape shape = op.infer(HloInstruction.inputs(given, called));
    ImmutableList<HloInstruction> inputs =
        operands.stream().map(this::own).collect(toImmutableList());
    Metadata metadata = line.map(Metadata::at).orElse(Metadata.NONE);
    HloInstruction instruction =
        HloInstruction.create(
                instructionNames.unique(wantedName),
                op,
                inputs,
                called,
                shape,
                metadata,
                attributes)
            .withSharding(sharding);
    instructions.add(instruction);
    return new XlaOp(this, instruction, DimensionNames.following(op, operands, shape));
  }

  /**
   * Returns the instruction of an operand in this builder. A scalar constant of an enclosing
   * builder is copied; any other operand must belong to this builder.
   */
  private HloInstruction own(XlaOp operand) {
    if (operand.builder() == this) {
      return operand.instruction();
    }
    return outerConstants.computeIfAbsent(
        operand.instruction(),
        outer -> {
          HloInstruction copy =
              HloInstruction.create(
                  instructionNames.unique(outer.op().opcode()),
                  outer.op(),
                  ImmutableList.of(),
                  ImmutableList.of(),
                  outer.shape(),
                  outer.metadata(),
                  ImmutableMap.of());
          instructions.add(copy);
          return copy;
        });
  }

  private static boolean isScalarConstant(HloInstruction instruction) {
    return instruction.op() instanceof Constant
        && instruction.shape() instanceof Shape.Array array
        && array.isScalar();
  }

  HloInstruction inModule(HloInstruction instruction) {
    return importer.inModule(instruction);
  }

  @Override
  <T> T guarded(String opcode, List<XlaOp> operands, Supplier<T> work) {
    Optional<XlaBuilder> within = guards > 0 ? Optional.empty() : openWithin(operands);
    return within.isPresent()
        ? within.get().guardedHere(opcode, operands, () -> through(within.get(), work))
        : guardedHere(opcode, operands, work);
  }

  /** Returns the builder of the operands if it is open and inside of this one. */
  private Optional<XlaBuilder> openWithin(List<XlaOp> operands) {
    return operands.stream().allMatch(Objects::isNull)
        ? Optional.empty()
        : Optional.of(innermost(operands))
            .filter(builder -> builder.isInside(this) && builder.closed.isEmpty());
  }

  /** Does the work of a method of this builder with the ops that it adds in one inside. */
  private <T> T through(XlaBuilder within, Supplier<T> work) {
    inner = Optional.of(within);
    within.around = Optional.of(this);
    guards++;
    try {
      return work.get();
    } finally {
      guards--;
      inner = Optional.empty();
      within.around = Optional.empty();
    }
  }

  private <T> T guardedHere(String opcode, List<XlaOp> operands, Supplier<T> work) {
    if (guards > 0) {
      return work.get();
    }
    line = CallSite.find();
    guards++;
    try {
      requireOpen();
      for (int i = 0; i < operands.size(); i++) {
        requireOwn(operands.get(i), opcode, i, operands.size());
      }
      return work.get();
    } catch (HloException refusal) {
      throw placed(refusal, operands).withKind(HloException.Kind.BUILD);
    } finally {
      guards--;
    }
  }

  @Override
  HloException placed(HloException refusal, List<XlaOp> operands) {
    if (refusal.facts().stream().anyMatch(fact -> fact.name().equals("at"))) {
      return refusal;
    }
    HloException told =
        OperandTable.of(operands)
            .map(table -> refusal.withFirst("operands", table))
            .orElse(refusal);
    return line.map(at -> told.with("at", "at " + at)).orElse(told);
  }

  private void requireOpen() {
    require(
        closed.isEmpty(),
        "",
        "builder %s is closed: it was built%s, want a new XlaBuilder",
        name,
        closed.orElse(""));
  }

  private void requireOwn(XlaOp operand, String opcode, int number, int count) {
    require(
        operand != null,
        "",
        "%s is null, want an op of builder %s",
        OperandNames.of(opcode, number, count),
        name);
    if (operand.builder() == this) {
      return;
    }
    boolean outer = isInside(operand.builder());
    require(
        outer && isScalarConstant(operand.instruction()),
        "",
        "%s got from builder %s, want an op of builder %s%s",
        operand.name(),
        operand.builder().name,
        name,
        outer ? ": a computation sees its parameters and scalar constants only, " + handIn : "");
  }

  /**
   * Returns the builder of an op on these operands: the innermost, if they belong to nested
   * builders.
   */
  static XlaBuilder innermost(List<XlaOp> operands) {
    return operands.stream()
        .filter(Objects::nonNull)
        .map(XlaOp::builder)
        .reduce((one, other) -> other.isInside(one) ? other : one)
        .orElseThrow();
  }

  private boolean isInside(XlaBuilder builder) {
    return parent.map(above -> above == builder || above.isInside(builder)).orElse(false);
  }

  /** Returns the name and how many ops there are. */
  @Override
  public String toString() {
    int count = instructions.size();
    return "XlaBuilder " + name + ", " + count + (count == 1 ? " op" : " ops");
  }
}
