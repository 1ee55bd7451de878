package org.hlo4j.pjrt.ffi;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterators;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.CustomCall;
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

  private static final PrintOptions FORM = PrintOptions.FULL.without(PrintOptions.Part.METADATA);

  /**
   * What a plugin says of a call.
   *
   * @param attributes its attributes
   * @param operands the shapes of its operands, without layouts
   * @param results those of its results
   */
  record Key(Attribute.Dictionary attributes, List<Shape> operands, List<Shape> results) {
    static Key of(Frame frame) {
      return new Key(
          frame.attributes(),
          frame.operands().stream().map(FrameBuffer::shape).toList(),
          frame.results().stream().map(FrameBuffer::shape).toList());
    }

    /**
     * Returns the call. If there is no text of it, it has a name of its own, and arrays that are
     * row-major, or matrices that are stored column by column, as LAPACK's routines take them.
     */
    CallSite site(String target, boolean areColumns) {
      HloInstruction call =
          attributes.entries().get(TEXT) instanceof Attribute.Str text
              ? Parser.parse(text.value()).entry().root()
              : untold(target, areColumns);
      return sized(call, operands, results);
    }

    private HloInstruction untold(String target, boolean areColumns) {
      int most =
          Stream.concat(operands.stream(), results.stream()).mapToInt(Key::rank).max().orElse(0);
      int columns = areColumns && most >= 2 ? most : -1;
      List<Shape> in = operands.stream().map(each -> ordered(each, columns)).toList();
      List<Shape> out = results.stream().map(each -> ordered(each, columns)).toList();
      Shape shape = out.size() == 1 ? out.get(0) : new Shape.Tuple(ImmutableList.copyOf(out));
      CustomCall op =
          new CustomCall(shape, target)
              .typed()
              .withShapes(shape, Optional.of(ImmutableList.copyOf(in)));
      HloInstruction call =
          HloInstruction.of("call", op, parameters("call", in).toArray(HloInstruction[]::new))
              .withOp(op, shape);
      return attributes.entries().isEmpty()
          ? call
          : call.withAttribute("backend_config", attributes.toString());
    }

    private static int rank(Shape shape) {
      return shape instanceof Shape.Array array ? array.rank() : 0;
    }

    private static Shape ordered(Shape shape, int rankOfColumns) {
      return shape.mapArrays(array -> {
        Layout rows = Layout.rowMajor(array.rank());
        long last = array.rank() - 1L;
        return array.withLayout(
            array.rank() == rankOfColumns
                ? new Layout(rows.minorToMajor().with(0, last - 1).with(1, last), "")
                : rows);
      });
    }
  }

  /** Returns a call of arrays of these sizes, which a partition may have smaller than a program. */
  private static CallSite sized(HloInstruction call, List<Shape> operands, List<Shape> results) {
    CustomCall op = (CustomCall) call.op();
    Iterator<Shape.Array> in = arrays(operands);
    Iterator<Shape.Array> out = arrays(results);
    ImmutableList<Shape> own =
        declared(call).stream().map(each -> sized(each, in)).collect(toImmutableList());
    Shape shape = sized(call.shape(), out);
    HloException.require(
        !in.hasNext() && !out.hasNext(), "", "got %s -> %s, want %s", operands, results, call);
    CustomCall sized =
        op.withShapes(shape.withoutLayout(), op.operandLayoutConstraints().map(any -> own));
    return new CallSite(
        alone(call.withOp(sized, shape), own).entry().root(),
        leaves(laidOut(own)),
        leaves(ImmutableList.of(laidOut(shape))));
  }

  private static Iterator<Shape.Array> arrays(List<Shape> shapes) {
    return Iterators.filter(shapes.iterator(), Shape.Array.class);
  }

  private static Shape sized(Shape shape, Iterator<Shape.Array> sizes) {
    return shape.mapArrays(array -> {
      HloException.require(sizes.hasNext(), "", "got no array, want %s", array);
      Shape.Array next = sizes.next();
      HloException.require(
          next.rank() == array.rank() && next.elementType() == array.elementType(),
          "",
          "got %s, want %s",
          next,
          array);
      return next.withLayout(array.layout().orElse(null));
    });
  }

  private static ImmutableList<Shape> leaves(List<Shape> shapes) {
    return shapes.stream()
        .flatMap(each -> Sharding.leaves(each).stream())
        .collect(toImmutableList());
  }

  /** Returns the shapes of the operands of a call, with the layouts that it wants, if any. */
  private static ImmutableList<Shape> declared(HloInstruction call) {
    return ((CustomCall) call.op())
        .operandLayoutConstraints()
        .orElseGet(() ->
            call.operands().stream()
                .map(each -> each.shape().withoutLayout())
                .collect(toImmutableList()));
  }

  /** Returns shapes whose arrays have layouts, row-major where none is given. */
  private static ImmutableList<Shape> laidOut(List<Shape> shapes) {
    return shapes.stream().map(CallSite::laidOut).collect(toImmutableList());
  }

  private static Shape laidOut(Shape shape) {
    return shape
        .withDefaultLayout()
        .mapArrays(
            array -> array.withLayout(new Layout(array.layout().orElseThrow().minorToMajor(), "")));
  }

  /** Returns a call for a plugin, with its text, and layouts for all arrays. */
  static HloInstruction told(HloInstruction call) {
    Attribute text = new Attribute.Str(Printer.print(alone(call), FORM));
    Shape shape = laidOut(call.shape());
    CustomCall op = (CustomCall) call.op();
    return call.withOp(op.typed().withShapes(shape, Optional.of(laidOut(declared(call)))), shape)
        .withCalled(ImmutableList.of())
        .withAttribute(
            "backend_config", new Attribute.Dictionary(ImmutableMap.of(TEXT, text)).toString());
  }

  /** Returns a module of nothing but a call, whose operands are its parameters. */
  static HloModule alone(HloInstruction call) {
    return alone(call, call.operands().stream().map(HloInstruction::shape).toList());
  }

  private static HloModule alone(HloInstruction call, List<Shape> operands) {
    List<HloInstruction> all = parameters(call.name(), operands);
    HloInstruction copy = call.withoutControlPredecessors().withOperands(all);
    all.add(copy);
    return HloModule.create("call", HloComputation.create("entry", all, copy));
  }

  private static List<HloInstruction> parameters(String call, List<Shape> shapes) {
    List<HloInstruction> all = new ArrayList<>();
    for (Shape shape : shapes) {
      String name = call + ".operand." + all.size();
      Parameter op = new Parameter(all.size(), shape);
      all.add(HloInstruction.of(name, op).withOp(op, shape));
    }
    return all;
  }
}
