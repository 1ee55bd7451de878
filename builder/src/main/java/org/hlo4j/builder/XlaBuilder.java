package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Tuple;

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
 * <p>Every mistake is refused at the call that makes it, with the operands, where they were made,
 * and the line of the caller; nothing is kept back for {@link #build()}. Unlike its model it never
 * gives an invalid handle, and shares nothing between builders. Not safe for use by several threads
 * at once.
 */
public final class XlaBuilder extends BroadcastFactory {
  private static final int MOST_NESTED = 200;

  private final String name;
  private final Optional<XlaBuilder> parent;
  private final int depth;
  private final Names instructionNames;
  private final Names computationNames;
  private final Importer importer;
  private final List<HloInstruction> instructions = new ArrayList<>();
  private final Map<Integer, HloInstruction> parameters = new TreeMap<>();
  private Optional<String> closed = Optional.empty();
  private Optional<SourceLine> line = Optional.empty();
  private int guards;

  /**
   * A builder of a module.
   *
   * @param name the name of the module and its entry computation
   */
  public XlaBuilder(String name) {
    require(name != null, "", "XlaBuilder: name got null, want the name of the module");
    this.name = Names.sanitized(name);
    this.parent = Optional.empty();
    this.depth = 0;
    this.instructionNames = new Names();
    this.computationNames = new Names();
    this.importer = new Importer(instructionNames, computationNames);
    computationNames.unique(this.name);
  }

  private XlaBuilder(String name, XlaBuilder parent) {
    this.name = parent.computationNames.unique(name);
    this.parent = Optional.of(parent);
    this.depth = parent.depth + 1;
    this.instructionNames = parent.instructionNames;
    this.computationNames = parent.computationNames;
    this.importer = parent.importer;
    inherit(parent);
  }

  /**
   * The name of the module, or of the computation inside one.
   *
   * @return the name, as HLO text has it
   */
  public String name() {
    return name;
  }

  /**
   * A value handed to the computation.
   *
   * @param number which one, from 0, each once
   * @param shape its shape
   * @param name its name
   * @return the parameter
   * @throws HloException if the number is negative or taken
   */
  public XlaOp parameter(int number, Shape shape, String name) {
    return guarded(
        List.of(),
        () -> {
          requireGiven("parameter", shape, "shape");
          requireGiven("parameter", name, "name");
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
                  ImmutableMap.of());
          parameters.put(number, op.instruction());
          return op;
        });
  }

  /**
   * A value written into the program. An array of more than one element, all the same, becomes a
   * scalar constant and a broadcast, as in XLA.
   *
   * @param literal the value
   * @return the constant
   */
  public XlaOp constant(Literal literal) {
    return guarded(
        List.of(),
        () -> {
          requireGiven("constant", literal, "literal");
          return Constants.isUniform(literal)
              ? repeated(Constants.first(literal), literal.arrayShape())
              : appendConstant(literal);
        });
  }

  /**
   * A scalar or an array from Java: {@code constant(2f)}, {@code constant(new int[] {1, 2})},
   * {@code constant(new float[][] {{1, 2}, {3, 4}})}, nested to any rank. The element type is that
   * of {@link Literal#of(Object)}.
   *
   * @param value a boxed scalar or a nested array of a primitive type
   * @return the constant
   * @throws HloException if the array is ragged, or has null in it
   */
  public XlaOp constant(Object value) {
    return guarded(List.of(), () -> constant(value instanceof Literal l ? l : Literal.of(value)));
  }

  /**
   * A scalar or an array from Java, as an element type of choice.
   *
   * @param elementType the element type
   * @param value a boxed scalar or a nested array of a primitive type, see {@link
   *     Literal#of(ElementType, Object)}
   * @return the constant
   * @throws HloException if the array is ragged, or a value does not fit the type
   */
  public XlaOp constant(ElementType elementType, Object value) {
    return guarded(List.of(), () -> constant(Literal.of(elementType, value)));
  }

  /**
   * An array with the same value everywhere: a scalar constant and a broadcast.
   *
   * @param shape the shape, static
   * @param value a {@code Boolean} or a {@code Number}
   * @return the array
   * @throws HloException if the value does not fit the element type
   */
  public XlaOp full(Shape.Array shape, Object value) {
    return guarded(
        List.of(), () -> repeated(Literal.full(Shape.of(shape.elementType()), value), shape));
  }

  /**
   * An array of zeros, or of false.
   *
   * @param shape the shape, static
   * @return the array
   */
  public XlaOp zeros(Shape.Array shape) {
    return guarded(List.of(), () -> repeated(Literal.zeros(Shape.of(shape.elementType())), shape));
  }

  private XlaOp repeated(Literal scalar, Shape.Array shape) {
    XlaOp constant = appendConstant(scalar);
    Shape.Array result = Shape.of(shape.elementType(), shape.sizes());
    return shape.isScalar()
        ? constant
        : append(new Broadcast(result, Dims.of()), List.of(constant), List.of());
  }

  private XlaOp appendConstant(Literal literal) {
    return append(new Constant(literal), List.of(), List.of());
  }

  /**
   * Numbers counting up along a dimension: {@code result[..., i, ...] = i}.
   *
   * @param shape the shape, static, rank 1 at least, not pred
   * @param iotaDimension the dimension along which to count
   * @return the array
   * @throws HloException if there is no such dimension, or the type is pred
   */
  public XlaOp iota(Shape.Array shape, int iotaDimension) {
    return apply(new Iota((Shape.Array) shape.withoutLayout(), iotaDimension), List.of());
  }

  /**
   * The numbers from 0 on.
   *
   * @param elementType the element type, not pred
   * @param size how many
   * @return the vector
   */
  public XlaOp iota(ElementType elementType, long size) {
    return guarded(List.of(), () -> iota(Shape.of(elementType, size), 0));
  }

  /**
   * Several values as one.
   *
   * @param elements the values, maybe none
   * @return the tuple
   */
  public XlaOp tuple(XlaOp... elements) {
    return tuple(Arrays.asList(elements));
  }

  /**
   * Several values as one.
   *
   * @param elements the values, maybe none
   * @return the tuple
   */
  public XlaOp tuple(List<XlaOp> elements) {
    return apply(new Tuple(), elements);
  }

  /**
   * Runs a ready computation.
   *
   * @param computation the computation
   * @param operands its arguments
   * @return its result
   * @throws HloException if the arguments do not suit its parameters
   */
  public XlaOp call(HloComputation computation, XlaOp... operands) {
    return apply(new Call(), Arrays.asList(operands), Collections.singletonList(computation));
  }

  /**
   * Runs a computation written here.
   *
   * @param name the name of the computation
   * @param body what it does
   * @param operands its arguments, which give its parameters their shapes
   * @return its result
   * @throws HloException if the body makes a mistake
   */
  public XlaOp call(String name, Region body, XlaOp... operands) {
    List<XlaOp> list = Arrays.asList(operands);
    return guarded(list, () -> call(computation(name, shapes(list), body), operands));
  }

  /**
   * Folds dimensions of several arrays at once.
   *
   * @param operands N arrays of the same sizes
   * @param initValues N scalars of their element types
   * @param body the computation from N accumulators and N elements to a tuple of N accumulators, or
   *     to one if N is 1
   * @param dimensions the dimensions to fold
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if shapes, dimensions or the body's signature do not go together
   */
  public XlaOp reduce(
      List<XlaOp> operands, List<XlaOp> initValues, HloComputation body, long... dimensions) {
    return apply(
        new Reduce(Dims.of(dimensions)),
        concat(operands, initValues),
        Collections.singletonList(body));
  }

  /**
   * Folds dimensions of several arrays at once, with a computation written here.
   *
   * @param operands N arrays of the same sizes
   * @param initValues N scalars of their element types
   * @param body from N accumulators and N elements to a tuple of N accumulators, or one if N is 1
   * @param dimensions the dimensions to fold
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if shapes, dimensions or the body's result do not go together
   */
  public XlaOp reduce(
      List<XlaOp> operands, List<XlaOp> initValues, Region body, long... dimensions) {
    List<XlaOp> all = concat(operands, initValues);
    return guarded(
        all,
        () -> {
          List<Shape> scalars = new ArrayList<>();
          for (XlaOp operand : operands) {
            scalars.add(Shape.of(operand.arrayShape("reduce").elementType()));
          }
          List<Shape> twice =
              ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build();
          return reduce(operands, initValues, computation("region", twice, body), dimensions);
        });
  }

  private static List<XlaOp> concat(List<XlaOp> first, List<XlaOp> second) {
    List<XlaOp> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  private static List<Shape> shapes(List<XlaOp> operands) {
    return operands.stream().map(XlaOp::shape).collect(toImmutableList());
  }

  /**
   * A computation of this module, written as a lambda, for ops that call one.
   *
   * @param name its name
   * @param parameters the shapes of its parameters
   * @param body what it does
   * @return the computation
   * @throws HloException if the body makes a mistake, or uses a value of this builder
   */
  @Override
  public HloComputation computation(String name, List<Shape> parameters, Region body) {
    guarded(
        List.of(),
        () -> {
          requireGiven("computation", name, "name");
          requireGiven("computation", parameters, "parameter list");
          requireGiven("computation", body, "body");
          require(
              depth < MOST_NESTED,
              "",
              "computation: %s got more than %s computations around it, want a ready one to call",
              name,
              MOST_NESTED);
          return this;
        });
    XlaBuilder inner = new XlaBuilder(name, this);
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
    guards = 0;
    try {
      return work.get();
    } finally {
      guards = outerGuards;
      line = outerLine;
    }
  }

  /**
   * The module, its result the value of the op added last. The builder cannot be used any more.
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
   * The module. The builder cannot be used any more.
   *
   * @param root the op whose value is the result
   * @return the module
   * @throws HloException if a parameter number is missing
   */
  public HloModule build(XlaOp root) {
    return HloModule.create(name, buildComputation(root));
  }

  /**
   * The computation alone, to be called in modules of other builders. The builder cannot be used
   * any more.
   *
   * @param root the op whose value is the result
   * @return the computation
   * @throws HloException if a parameter number is missing
   */
  public HloComputation buildComputation(XlaOp root) {
    return finish(root);
  }

  private HloComputation finish(XlaOp root) {
    return guarded(
        Collections.singletonList(root),
        () -> {
          requireParametersComplete();
          closed = Optional.of(line.map(at -> " at " + at).orElse(""));
          return HloComputation.create(name, instructions, root.instruction());
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

  @Override
  XlaOp apply(Op op, List<XlaOp> operands, List<HloComputation> callees) {
    return apply(op, operands, callees, ImmutableMap.of());
  }

  @Override
  XlaOp apply(
      Op op,
      List<XlaOp> operands,
      List<HloComputation> callees,
      ImmutableMap<String, String> attributes) {
    return guarded(
        operands,
        () -> {
          callees.forEach(callee -> requireGiven(op.opcode(), callee, "computation"));
          List<HloComputation> taken = callees.stream().map(importer::take).toList();
          return append(op, operands, taken, op.opcode(), attributes);
        });
  }

  @Override
  XlaOp append(Op op, List<XlaOp> operands, List<HloComputation> called) {
    return append(op, operands, called, op.opcode(), ImmutableMap.of());
  }

  private XlaOp append(
      Op op,
      List<XlaOp> operands,
      List<HloComputation> called,
      String wantedName,
      ImmutableMap<String, String> attributes) {
    ImmutableList<HloInstruction> inputs =
        operands.stream().map(XlaOp::instruction).collect(toImmutableList());
    Shape shape = op.infer(HloInstruction.inputs(inputs, called));
    Metadata metadata = line.map(Metadata::at).orElse(Metadata.NONE);
    HloInstruction instruction =
        HloInstruction.create(
            instructionNames.unique(wantedName), op, inputs, called, shape, metadata, attributes);
    instructions.add(instruction);
    return new XlaOp(this, instruction, DimensionNames.following(op, operands, shape));
  }

  @Override
  <T> T guarded(List<XlaOp> operands, Supplier<T> work) {
    if (guards > 0) {
      return work.get();
    }
    line = CallSite.find();
    guards++;
    try {
      requireOpen();
      operands.forEach(this::requireOwn);
      return work.get();
    } catch (HloException refusal) {
      throw placed(refusal, operands);
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

  private void requireOwn(XlaOp operand) {
    require(operand != null, "", "operand got null, want an op of builder %s", name);
    if (operand.builder() == this) {
      return;
    }
    boolean outer = parent.isPresent() && isAncestor(operand.builder());
    throw new HloException(
        "",
        String.format(
            "%s got from builder %s, want an op of builder %s%s",
            operand.name(),
            operand.builder().name,
            name,
            outer ? ": a computation sees its parameters only, hand it in as an operand" : ""));
  }

  private boolean isAncestor(XlaBuilder builder) {
    return parent.map(above -> above == builder || above.isAncestor(builder)).orElse(false);
  }

  private static void requireGiven(String opcode, Object value, String what) {
    require(value != null, "", "%s: %s got null, want one", opcode, what);
  }

  /** The name and how many ops there are. */
  @Override
  public String toString() {
    return "XlaBuilder " + name + " (" + instructions.size() + " ops)";
  }
}
