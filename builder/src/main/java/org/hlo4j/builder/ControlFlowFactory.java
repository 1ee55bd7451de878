package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.schema.AttributeText;

/** The control-flow ops of a builder: calls, loops, conditionals, sorts and scans. */
abstract class ControlFlowFactory extends TransferFactory {
  /**
   * Runs an existing computation.
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
   * Runs a computation given as a lambda.
   *
   * @param name the name of the computation
   * @param body the body of the computation
   * @param operands its arguments, which give its parameters their shapes
   * @return its result
   * @throws HloException if the body makes a mistake
   */
  public XlaOp call(String name, ComputationBody body, XlaOp... operands) {
    List<XlaOp> list = Arrays.asList(operands);
    return guarded(
        list,
        () ->
            call(
                computation(name, shapes(list), body, "hand it in as an operand of call"),
                operands));
  }

  private static List<Shape> shapes(List<XlaOp> operands) {
    return operands.stream().map(XlaOp::shape).collect(toImmutableList());
  }

  /**
   * Runs a body repeatedly, as long as a condition holds. XLA's name is {@code While}; {@code
   * while} is a reserved word in Java.
   *
   * <pre>{@code
   * b.whileLoop(b.constant(0), i -> i.lt(10), i -> i.add(1))
   * }</pre>
   *
   * <p>Scalar constants from around the lambdas may be used in them. Other values that they need
   * are elements of the state, which the body gives back as they are:
   *
   * <pre>{@code
   * XlaOp last =
   *     b.whileLoop(
   *         b.tuple(b.constant(0), x),
   *         s -> s.getTupleElement(0).lt(10),
   *         s -> b.tuple(s.getTupleElement(0).add(1), s.getTupleElement(1)));
   * }</pre>
   *
   * @param init the first state; a tuple to carry several values
   * @param condition from state to pred scalar
   * @param body from state to next state
   * @return the last state
   * @throws HloException if condition or body gives another shape, or uses a value of this builder
   *     that is not a scalar constant
   */
  public XlaOp whileLoop(XlaOp init, UnaryOperator<XlaOp> condition, UnaryOperator<XlaOp> body) {
    return guarded(
        "while",
        Collections.singletonList(init),
        () -> whileLoop(init, loop("condition", init, condition), loop("body", init, body)));
  }

  /**
   * Runs an existing body computation repeatedly, as long as an existing condition computation
   * returns true.
   *
   * @param init the first state; a tuple to carry several values
   * @param condition from state to pred scalar
   * @param body from state to next state
   * @return the last state
   * @throws HloException if the signatures are incompatible
   */
  public XlaOp whileLoop(XlaOp init, HloComputation condition, HloComputation body) {
    return apply(new While(), Collections.singletonList(init), Arrays.asList(condition, body));
  }

  /**
   * Runs one of two computations.
   *
   * @param pred a pred scalar
   * @param onTrueOperand the argument of the first
   * @param onTrue the computation to run if pred is true
   * @param onFalseOperand the argument of the second
   * @param onFalse what is run if it does not hold
   * @return the result of the one that is run
   * @throws HloException if pred is no pred scalar, or the results differ in shape
   */
  public XlaOp conditional(
      XlaOp pred,
      XlaOp onTrueOperand,
      UnaryOperator<XlaOp> onTrue,
      XlaOp onFalseOperand,
      UnaryOperator<XlaOp> onFalse) {
    return guarded(
        Arrays.asList(pred, onTrueOperand, onFalseOperand),
        () ->
            conditional(
                pred,
                onTrueOperand,
                branch("true_computation", onTrueOperand, onTrue),
                onFalseOperand,
                branch("false_computation", onFalseOperand, onFalse)));
  }

  /**
   * Runs one of two existing computations.
   *
   * @param pred a pred scalar
   * @param onTrueOperand the argument of the first
   * @param onTrue the computation to run if pred is true
   * @param onFalseOperand the argument of the second
   * @param onFalse what is run if it does not hold
   * @return the result of the one that is run
   * @throws HloException if pred is no pred scalar, or the signatures are incompatible
   */
  public XlaOp conditional(
      XlaOp pred,
      XlaOp onTrueOperand,
      HloComputation onTrue,
      XlaOp onFalseOperand,
      HloComputation onFalse) {
    return apply(
        new Conditional(ElementType.PRED),
        Arrays.asList(pred, onTrueOperand, onFalseOperand),
        Arrays.asList(onTrue, onFalse));
  }

  /**
   * Runs one of several computations, selected by an index.
   *
   * @param branchIndex an s32 scalar; an index out of range selects the last
   * @param branches what may be run, one at least
   * @param operands what each takes
   * @return the result of the one that is run
   * @throws HloException if the index is no s32 scalar, there are not as many operands as branches,
   *     or the results differ in shape
   */
  public XlaOp conditional(
      XlaOp branchIndex, List<UnaryOperator<XlaOp>> branches, List<XlaOp> operands) {
    return guarded(
        before(branchIndex, operands),
        () -> {
          HloException.require(
              branches.size() == operands.size(),
              "",
              "conditional: operand count got %s, want one for each of the %s branches",
              operands.size(),
              branches.size());
          List<HloComputation> computations =
              Streams.zip(
                      operands.stream(),
                      branches.stream(),
                      (operand, body) -> branch("branch", operand, body))
                  .collect(toImmutableList());
          return conditionalCalls(branchIndex, computations, operands);
        });
  }

  /**
   * Runs one of several existing computations, selected by an index.
   *
   * @param branchIndex an s32 scalar; an index out of range selects the last
   * @param branches what may be run, one at least
   * @param operands what each takes
   * @return the result of the one that is run
   * @throws HloException if the index is no s32 scalar, there are not as many operands as branches,
   *     or the signatures are incompatible
   */
  public XlaOp conditionalCalls(
      XlaOp branchIndex, List<HloComputation> branches, List<XlaOp> operands) {
    return apply(new Conditional(ElementType.S32), before(branchIndex, operands), branches);
  }

  private static List<XlaOp> before(XlaOp first, List<XlaOp> others) {
    List<XlaOp> all = new ArrayList<>();
    all.add(first);
    all.addAll(others);
    return all;
  }

  private HloComputation branch(String name, XlaOp operand, UnaryOperator<XlaOp> body) {
    String handIn = "hand it in with the branch's operand: tuple(operand, value)";
    return of(name, operand, body, handIn);
  }

  private HloComputation loop(String name, XlaOp init, UnaryOperator<XlaOp> body) {
    String handIn = "make it an element of the loop's state: whileLoop(tuple(init, value), …)";
    return of(name, init, body, handIn);
  }

  private HloComputation of(String name, XlaOp operand, UnaryOperator<XlaOp> body, String handIn) {
    ComputationBody region = (b, p) -> body.apply(p.get(0));
    return computation(name, ImmutableList.of(operand.shape()), region, handIn);
  }

  /**
   * Sorts several arrays together along a dimension.
   *
   * @param operands N arrays of the same sizes
   * @param comparator from two elements of each array, {@code (a0, b0, a1, b1, ...)}, to whether
   *     the a's come before the b's
   * @param dimension the dimension to sort along, or -1 for the last
   * @param isStable whether equal elements must keep their order; in hlo4j they always do
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if sizes differ, there is no such dimension, or the comparator does not
   *     give a pred
   */
  public XlaOp sort(
      List<XlaOp> operands, ComputationBody comparator, int dimension, boolean isStable) {
    return guarded(
        operands,
        () -> {
          List<Shape> scalars = new ArrayList<>();
          for (XlaOp operand : operands) {
            Shape scalar = Shape.of(operand.arrayShape("sort").elementType());
            scalars.addAll(List.of(scalar, scalar));
          }
          HloComputation body = computation("comparator", scalars, comparator, HAND_IN);
          return sort(operands, body, dimension, isStable);
        });
  }

  /**
   * Sorts several arrays together along a dimension with an existing comparator computation.
   *
   * @param operands N arrays of the same sizes
   * @param comparator from two elements of each array to whether the first come before the second
   * @param dimension the dimension to sort along, or -1 for the last
   * @param isStable whether equal elements must keep their order; in hlo4j they always do
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if sizes differ, there is no such dimension, or the signature does not go
   *     with them
   */
  public XlaOp sort(
      List<XlaOp> operands, HloComputation comparator, int dimension, boolean isStable) {
    return guarded(
        operands,
        () -> {
          int along =
              dimension == -1 && !operands.isEmpty()
                  ? operands.get(0).arrayShape("sort").rank() - 1
                  : dimension;
          return apply(new Sort(along, isStable), operands, Collections.singletonList(comparator));
        });
  }

  /**
   * Scans a dimension from its beginning to its end, with values carried from step to step.
   *
   * @param inputs arrays of the same size in that dimension, one at least
   * @param inits the first values carried
   * @param body from a slice of each input and the values carried to a tuple of slices of outputs
   *     and values to carry
   * @param scanDimension the dimension
   * @return the tuple of outputs and of the last values carried
   * @throws HloException if sizes differ, there is no such dimension, or the body gives other
   *     shapes
   */
  public XlaOp scan(
      List<XlaOp> inputs, List<XlaOp> inits, ComputationBody body, int scanDimension) {
    return scan(inputs, inits, body, new Scan(Dims.of(scanDimension), inits.size(), false, false));
  }

  /**
   * Scans a dimension in either direction, with values carried from step to step.
   *
   * @param inputs arrays of the same size in that dimension, one at least
   * @param inits the first values carried
   * @param body from a slice of each input and the values carried to a tuple of slices of outputs
   *     and values to carry
   * @param scan the dimension, how many are carried, and which way
   * @return the tuple of outputs and of the last values carried
   * @throws HloException if sizes differ, there is no such dimension, or the body gives other
   *     shapes
   */
  public XlaOp scan(List<XlaOp> inputs, List<XlaOp> inits, ComputationBody body, Scan scan) {
    List<XlaOp> operands = new ArrayList<>(inputs);
    operands.addAll(inits);
    return guarded(
        operands,
        () -> {
          List<Shape> parameters = new ArrayList<>();
          for (XlaOp input : inputs) {
            Shape.Array shape = input.arrayShape("scan");
            parameters.add(shape.select(Dims.range(0, shape.rank()).without(scan.dimensions())));
          }
          inits.forEach(init -> parameters.add(init.shape()));
          HloComputation callee = computation("body", parameters, body, "make it one of the inits");
          return apply(scan, operands, Collections.singletonList(callee));
        });
  }

  /**
   * Calls an existing computation that implements one op of a higher level.
   *
   * @param composite the op that it implements
   * @param computation the implementation
   * @param operands its arguments
   * @return its result
   * @throws HloException if the arguments do not suit its parameters
   */
  public XlaOp compositeCall(Composite composite, HloComputation computation, XlaOp... operands) {
    return apply(
        new Call(true),
        Arrays.asList(operands),
        Collections.singletonList(computation),
        ImmutableMap.of("frontend_attributes", composite.toText()));
  }

  /**
   * Calls a computation, given as a lambda, that implements one op of a higher level.
   *
   * @param composite the op that it implements, whose name the computation gets
   * @param body the implementation
   * @param operands its arguments, which give its parameters their shapes
   * @return its result
   * @throws HloException if the body makes a mistake
   */
  public XlaOp compositeCall(Composite composite, ComputationBody body, XlaOp... operands) {
    List<XlaOp> list = Arrays.asList(operands);
    return guarded(
        list,
        () ->
            compositeCall(
                composite,
                computation(
                    composite.name(), shapes(list), body, "hand it in as an operand of the call"),
                operands));
  }

  /**
   * Calls a function outside of HLO by name.
   *
   * @param options what to call, and how
   * @param operands its arguments
   * @return its result, of the shape in the options
   * @throws HloException if layouts or aliasing do not suit the operands
   */
  public XlaOp customCall(CustomCallOptions options, XlaOp... operands) {
    ImmutableMap<String, String> attributes =
        options.opaque().isEmpty()
            ? ImmutableMap.of()
            : ImmutableMap.of("backend_config", AttributeText.quoted(options.opaque()));
    return apply(options.op(), Arrays.asList(operands), options.computations(), attributes);
  }
}
