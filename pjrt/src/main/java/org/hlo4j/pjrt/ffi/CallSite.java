package org.hlo4j.pjrt.ffi;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * A custom call of a program, as its handler sees it.
 *
 * <p>What a plugin says of a call lacks the layouts of its arrays, its name, tuples, and what is
 * not in a dictionary. So a program that goes to a plugin has the text of the call in it, as its
 * only attribute.
 *
 * @param call the instruction
 * @param operands the arrays and tokens in its operands, with the layouts that the plugin gives
 * @param results those of its result, with the layouts that the plugin wants
 */
record CallSite(HloInstruction call, ImmutableList<Shape> operands, ImmutableList<Shape> results) {
  /** The attribute that has the text of a call. */
  static final String TEXT = "hlo4j.call";

  private static final PrintOptions FORM =
      PrintOptions.FULL.without(PrintOptions.Part.METADATA, PrintOptions.Part.PERCENT);

  private static CallSite of(HloInstruction call) {
    return new CallSite(
        call, leaves(laidOutOperands(call)), leaves(ImmutableList.of(laidOut(call.shape()))));
  }

  /** Returns the call of a text. */
  static CallSite parse(String text) {
    return of(Parser.parse(text).entry().root());
  }

  /**
   * Returns the call that a plugin makes, for a program in which it has no text.
   *
   * @param target the name
   * @param frame the call
   * @param areColumns whether matrices are stored column by column, as LAPACK takes them
   */
  static CallSite of(String target, Frame frame, boolean areColumns) {
    List<Shape> operands = ordered(frame.argumentShapes(), areColumns);
    List<Shape> results = ordered(frame.resultShapes(), areColumns);
    Shape shape =
        results.size() == 1 ? results.get(0) : new Shape.Tuple(ImmutableList.copyOf(results));
    CustomCall op =
        new CustomCall(
            shape,
            target,
            Optional.of(ImmutableList.copyOf(operands)),
            false,
            Optional.empty(),
            ImmutableList.of(),
            CustomCall.Schedule.SCHEDULE_NONE,
            CustomCall.ApiVersion.API_VERSION_TYPED_FFI);
    Attribute.Dictionary config = frame.attributes().decode();
    return of(
        HloInstruction.create(
            "call",
            op,
            parameters("call", operands),
            ImmutableList.of(),
            shape,
            Metadata.NONE,
            config.entries().isEmpty()
                ? ImmutableMap.of()
                : ImmutableMap.of("backend_config", config.toString())));
  }

  private static List<Shape> ordered(List<Shape> shapes, boolean areColumns) {
    int most = shapes.stream().mapToInt(CallSite::rank).max().orElse(0);
    return shapes.stream()
        .map(shape -> areColumns && rank(shape) == most && most >= 2 ? ofColumns(shape) : shape)
        .map(CallSite::laidOut)
        .toList();
  }

  private static int rank(Shape shape) {
    return shape instanceof Shape.Array array ? array.rank() : 0;
  }

  private static Shape ofColumns(Shape shape) {
    Shape.Array array = (Shape.Array) shape;
    Layout rows = Layout.rowMajor(array.rank());
    long last = array.rank() - 1L;
    return array.withLayout(new Layout(rows.minorToMajor().with(0, last - 1).with(1, last), ""));
  }

  private static List<HloInstruction> parameters(String call, List<Shape> shapes) {
    List<HloInstruction> all = new ArrayList<>();
    for (Shape shape : shapes) {
      all.add(
          HloInstruction.create(
              call + ".operand." + all.size(),
              new Parameter(all.size(), shape),
              ImmutableList.of(),
              ImmutableList.of(),
              shape,
              Metadata.NONE));
    }
    return all;
  }

  /** Returns the text of a call. */
  static String text(HloInstruction call) {
    return Printer.print(alone(call), FORM);
  }

  /** Returns a module of nothing but a call, whose operands are its parameters. */
  static HloModule alone(HloInstruction call) {
    List<Shape> shapes = call.operands().stream().map(HloInstruction::shape).toList();
    return alone(call, shapes, call.op(), call.shape());
  }

  private static HloModule alone(HloInstruction call, List<Shape> operands, Op op, Shape shape) {
    List<HloInstruction> all = parameters(call.name(), operands);
    HloInstruction copy =
        HloInstruction.create(
                call.name(),
                op,
                ImmutableList.copyOf(all),
                call.called(),
                shape,
                Metadata.NONE,
                Maps.filterKeys(call.attributes(), name -> !name.equals("control-predecessors")))
            .withSharding(call.sharding());
    all.add(copy);
    Set<HloComputation> computations = new LinkedHashSet<>();
    call.called().forEach(each -> addWithCallees(each, computations));
    HloComputation entry = HloComputation.create("entry", all, copy);
    computations.add(entry);
    return HloModule.create(call.name(), ImmutableList.copyOf(computations), entry);
  }

  private static void addWithCallees(HloComputation computation, Set<HloComputation> to) {
    computation
        .instructions()
        .forEach(each -> each.called().forEach(called -> addWithCallees(called, to)));
    to.add(computation);
  }

  /** Returns a shape whose arrays have layouts, row-major where none is given. */
  static Shape laidOut(Shape shape) {
    return shape
        .withDefaultLayout()
        .mapArrays(
            array -> array.withLayout(new Layout(array.layout().orElseThrow().minorToMajor(), "")));
  }

  /** Returns the shapes of the operands of a call, with layouts, row-major where none is wanted. */
  static ImmutableList<Shape> laidOutOperands(HloInstruction call) {
    CustomCall op = (CustomCall) call.op();
    return op
        .operandLayoutConstraints()
        .orElseGet(() ->
            call.operands().stream()
                .map(each -> each.shape().withoutLayout())
                .collect(toImmutableList()))
        .stream()
        .map(CallSite::laidOut)
        .collect(toImmutableList());
  }

  private static ImmutableList<Shape> leaves(List<Shape> shapes) {
    ImmutableList.Builder<Shape> all = ImmutableList.builder();
    for (Shape shape : shapes) {
      if (shape instanceof Shape.Tuple tuple) {
        all.addAll(leaves(tuple.elements()));
      } else {
        all.add(shape);
      }
    }
    return all.build();
  }

  /** Returns whether a plugin calls with arrays of these types and sizes. */
  boolean fits(Frame frame) {
    boolean fits =
        frame.argumentCount() == operands.size() && frame.resultCount() == results.size();
    for (int i = 0; fits && i < operands.size(); i++) {
      fits = frame.argument(i).is(operands.get(i));
    }
    for (int i = 0; fits && i < results.size(); i++) {
      fits = frame.result(i).is(results.get(i));
    }
    return fits;
  }

  /** Returns the call with the sizes of a frame, which a partition of the program has. */
  CallSite resized(Frame frame) {
    Iterator<Shape> sizes = frame.argumentShapes().iterator();
    List<Shape> wanted = laidOutOperands(call).stream().map(each -> resized(each, sizes)).toList();
    Shape shape = resized(call.shape(), frame.resultShapes().iterator());
    CustomCall op = (CustomCall) call.op();
    CustomCall resized =
        new CustomCall(
            shape,
            op.customCallTarget(),
            op.operandLayoutConstraints().map(any -> ImmutableList.copyOf(wanted)),
            op.customCallHasSideEffect(),
            op.literal(),
            op.outputToOperandAliasing(),
            op.schedule(),
            op.apiVersion());
    return of(alone(call, wanted, resized, shape).entry().root());
  }

  private static Shape resized(Shape shape, Iterator<Shape> sizes) {
    return switch (shape) {
      case Shape.Tuple tuple ->
          new Shape.Tuple(
              tuple.elements().stream()
                  .map(each -> resized(each, sizes))
                  .collect(toImmutableList()));
      case Shape.Array array ->
          next(sizes) instanceof Shape.Array sized && sized.rank() == array.rank()
              ? sized.withLayout(array.layout().orElse(null))
              : array;
      case Shape.Buffer _, Shape.Token _, Shape.Opaque _ -> next(sizes);
    };
  }

  private static Shape next(Iterator<Shape> sizes) {
    return sizes.hasNext() ? sizes.next() : Shape.token();
  }
}
