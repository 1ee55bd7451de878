package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.reflect.ClassPath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Broadcasting;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls each public method of the exported packages with null and with extreme values, one argument
 * at a time. It returns, or throws an {@link HloException}, an IOException or, for null, a
 * NullPointerException, with a message. That of null names the parameter: {@code sizes is null},
 * {@code operands[0] is null}.
 */
final class PublicMethodsTest {
  private static final HloModule MODULE =
      Parser.parse("HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] abs(x) }");

  /**
   * Those of enums are Java's; product documents its ArithmeticException, as getInt. What each op
   * has for infer, verifier and evaluators to call is looked at there.
   */
  private static final ImmutableSet<String> LEFT_OUT =
      ImmutableSet.of("valueOf", "product", "resultShape", "atSizes", "source");

  /** Those that take dimension numbers as Dims.getInt gives them. */
  private static final ImmutableSet<String> DIMENSION_NUMBERS =
      ImmutableSet.of("getInt", "append", "select");

  /** All classes, found once: it takes long to look through all jars. */
  private static ClassPath classes;

  @TempDir private Path folder;

  @BeforeAll
  static void find() throws IOException {
    classes = ClassPath.from(PublicMethodsTest.class.getClassLoader());
  }

  /** For each type a value that most methods take. */
  private Map<Class<?>, Object> samples() {
    Map<Class<?>, Object> all = new HashMap<>();
    all.put(int.class, 1);
    all.put(long.class, 1L);
    all.put(double.class, 1.0);
    all.put(float.class, 1f);
    all.put(boolean.class, true);
    all.put(Object.class, 1);
    all.put(String.class, "a");
    all.put(long[].class, new long[] {1});
    all.put(byte[].class, new byte[] {1, 2, 3});
    all.put(Class.class, float[].class);
    all.put(ByteBuffer.class, ByteBuffer.allocate(4));
    all.put(Path.class, folder.resolve("file"));
    all.put(Map.class, ImmutableMap.of());
    all.put(ImmutableMap.class, ImmutableMap.of());
    all.put(List.class, ImmutableList.of());
    all.put(ImmutableList.class, ImmutableList.of());
    all.put(Iterable.class, ImmutableList.of());
    all.put(Collection.class, ImmutableList.of());
    all.put(ImmutableSortedSet.class, ImmutableSortedSet.of());
    all.put(Optional.class, Optional.empty());
    all.put(Function.class, (Function<Object, Object>) x -> x);
    all.put(Supplier.class, (Supplier<String>) () -> "a");
    all.put(InputStream.class, new ByteArrayInputStream(new byte[3]));
    all.put(OutputStream.class, new ByteArrayOutputStream());
    all.put(Object[].class, new Object[] {"a"});
    all.put(Dims.class, Dims.of(2));
    all.put(ElementType.class, ElementType.F32);
    all.put(Shape.class, Shape.of(ElementType.F32, 2));
    all.put(Shape.Array.class, Shape.of(ElementType.F32, 2));
    all.put(Shape.Tuple.class, Shape.tuple(Shape.of(ElementType.F32)));
    all.put(Shape[].class, new Shape[] {Shape.of(ElementType.F32)});
    all.put(Literal.class, Literal.of(new float[] {1, 2}));
    all.put(Literal[].class, new Literal[] {Literal.of(1)});
    all.put(LiteralBuilder.class, LiteralBuilder.zeros(Shape.of(ElementType.F32, 2)));
    all.put(HloModule.class, MODULE);
    all.put(HloComputation.class, MODULE.entry());
    all.put(HloInstruction.class, MODULE.entry().root());
    all.put(Op.class, MODULE.entry().root().op());
    addOps(all);
    all.put(Metadata.class, Metadata.NONE);
    all.put(Sharding.class, Parser.parseSharding("{replicated}"));
    all.put(SourcePosition.class, new SourcePosition(1, 1));
    all.put(HloException.class, new HloException("", "a"));
    all.put(HloException.Kind.class, HloException.Kind.PARSE);
    return all;
  }

  private static void addOps(Map<Class<?>, Object> all) {
    Shape.Array matrix = Shape.of(ElementType.F32, 2, 3);
    all.put(Dot.class, Dot.matmul());
    all.put(Gather.class, Gather.takeRows(matrix, Shape.of(ElementType.S32, 1)));
    all.put(
        Scatter.class, Scatter.inverseOf(Gather.takeRows(matrix, Shape.of(ElementType.S32, 1))));
    all.put(Slice.class, Slice.of(Dims.of(0), Dims.of(1), Dims.of(1)));
    all.put(SliceRanges.class, new SliceRanges(Dims.of(0), Dims.of(1), Dims.of(1)));
    all.put(PadConfig.class, PadConfig.none(1));
    all.put(Window.class, Window.of(2));
    all.put(Mesh.class, Mesh.of(ImmutableList.of("x"), Dims.of(2)));
    all.put(TileAssignment.class, TileAssignment.inOrder(Dims.of(2)));
    all.put(ReplicaGroups.class, ReplicaGroups.of(new long[] {0, 1}));
    all.put(AxisRef.class, AxisRef.of(0));
    all.put(Operands.class, new Operands(ImmutableList.of(matrix), ImmutableList.of()));
    all.put(Broadcasting.Operand.class, new Broadcasting.Operand("x", matrix));
    all.put(
        ConvolutionDimensionNumbers.class, ConvolutionDimensionNumbers.parse("b01f_01io->b01f"));
    all.put(Layout.class, Layout.rowMajor(1));
    all.put(ProgramShape.class, new ProgramShape(ImmutableList.of(), matrix));
    all.put(SourceLine.class, new SourceLine("a.py", 1));
    all.put(UnknownFields.class, UnknownFields.NONE);
    all.put(PrintOptions.class, PrintOptions.FULL);
    all.put(Verifier.class, Verifier.strict());
  }

  /** What a parameter of a type takes; of an enum its first constant. */
  private static @Nullable Object sample(Class<?> type, Map<Class<?>, Object> samples) {
    Object[] constants = type.getEnumConstants();
    return samples.containsKey(type) || constants == null ? samples.get(type) : constants[0];
  }

  private static List<@Nullable Object> extremes(Class<?> type) {
    if (type == int.class) {
      return Arrays.asList(Integer.MIN_VALUE, -1, 0, 2, Integer.MAX_VALUE);
    }
    if (type == long.class) {
      return Arrays.asList(Long.MIN_VALUE, -1L, 0L, 2L, Long.MAX_VALUE);
    }
    if (type == double.class) {
      return Arrays.asList(Double.NaN, Double.NEGATIVE_INFINITY, Double.MAX_VALUE, -0.0);
    }
    if (type.isPrimitive()) {
      return Arrays.asList();
    }
    List<@Nullable Object> all = new ArrayList<>();
    all.add(null);
    if (type == Object.class) {
      all.addAll(Arrays.asList("text", Double.NaN, new Object[] {null}, new float[0][0], 'c'));
    } else if (type == String.class) {
      all.addAll(List.of("", "\0", "x".repeat(100_000), "\uD83D"));
    } else if (type == Dims.class) {
      all.addAll(List.of(Dims.of(), Dims.of(-1), Dims.of(Long.MAX_VALUE, Long.MAX_VALUE)));
      all.add(Dims.of(Long.MIN_VALUE));
      all.add(Dims.filled(300, 1));
    } else if (type == long[].class) {
      all.addAll(List.of(new long[0], new long[] {-1}, new long[] {Long.MIN_VALUE}));
      all.add(new long[] {Long.MAX_VALUE, Long.MAX_VALUE});
    } else if (type == ByteBuffer.class) {
      all.addAll(List.of(ByteBuffer.allocate(0), ByteBuffer.allocate(3)));
      all.add(ByteBuffer.allocate(4).asReadOnlyBuffer());
    } else if (type.isArray() && !type.getComponentType().isPrimitive()) {
      all.add(java.lang.reflect.Array.newInstance(type.getComponentType(), 0));
      all.add(java.lang.reflect.Array.newInstance(type.getComponentType(), 1));
    } else if (type == List.class || type == Iterable.class || type == Collection.class) {
      all.add(Collections.singletonList(null));
    } else if (type == Map.class) {
      all.add(Collections.singletonMap(null, null));
      all.add(Collections.singletonMap("a", null));
    } else if (Shape.class.isAssignableFrom(type) && type.isInstance(Shape.of(ElementType.F32))) {
      all.add(Shape.of(ElementType.S4, Long.MAX_VALUE));
      all.add(Shape.of(ElementType.C128, 0, Long.MAX_VALUE));
      all.add(Shape.parse("f32[<=2,?]"));
      all.add(Shape.of(ElementType.F32));
    } else if (type == Literal.class) {
      all.add(Literal.tuple());
      all.add(Literal.token());
      all.add(Literal.of(true));
      all.add(Literal.elided(Shape.of(ElementType.F32, 2)));
    } else if (type == ElementType.class) {
      all.addAll(Arrays.asList(ElementType.values()));
    }
    return all;
  }

  /** What a call is made on: objects of some kinds, for static methods and constructors nothing. */
  private static List<@Nullable Object> receivers(Executable call, Map<Class<?>, Object> samples) {
    if (!(call instanceof Method) || Modifier.isStatic(call.getModifiers())) {
      return Arrays.asList((Object) null);
    }
    List<@Nullable Object> all = new ArrayList<>();
    for (Object each : samples.values()) {
      if (call.getDeclaringClass().isInstance(each)) {
        all.add(each);
      }
    }
    if (call.getDeclaringClass() == ElementType.class) {
      all.addAll(Arrays.asList(ElementType.values()));
    }
    if (call.getDeclaringClass().isInstance(Literal.of(1))) {
      all.addAll(List.of(Literal.of(1), Literal.tuple(), Literal.token(), Literal.of(new long[0])));
      all.add(Literal.elided(Shape.of(ElementType.F32, 2)));
      all.add(Literal.complex(ElementType.C64, 1, 2));
    }
    if (call.getDeclaringClass() == Dims.class) {
      all.addAll(List.of(Dims.of(), Dims.of(Long.MAX_VALUE, 2), Dims.of(-1), Dims.of(1, 0, 2)));
    }
    if (call.getDeclaringClass().isInstance(Shape.of(ElementType.F32))) {
      all.addAll(List.of(Shape.of(ElementType.F32), Shape.parse("f32[<=2,?]")));
    }
    return all;
  }

  private static Object invoke(Executable call, @Nullable Object on, @Nullable Object[] arguments)
      throws ReflectiveOperationException {
    return call instanceof Method method
        ? method.invoke(on, arguments)
        : ((java.lang.reflect.Constructor<?>) call).newInstance(arguments);
  }

  private static boolean isDocumented(Throwable thrown, Executable call, String parameter) {
    String message = thrown.getMessage();
    if (message == null || message.isEmpty()) {
      return false;
    }
    return thrown instanceof HloException
        || thrown instanceof IOException
        || (thrown instanceof NullPointerException
            && message.matches("(a key of )?" + parameter + "(\\[.+\\])? is null"))
        || (thrown instanceof ArithmeticException && DIMENSION_NUMBERS.contains(call.getName()));
  }

  private void callAll(Executable call, Set<String> faults) throws Exception {
    Parameter[] parameters = call.getParameters();
    if (parameters.length == 0) {
      callOnAll(call, Optional.empty(), null, faults);
    }
    for (Parameter varied : parameters) {
      for (Object value : extremes(varied.getType())) {
        callOnAll(call, Optional.of(varied), value, faults);
      }
    }
  }

  private void callOnAll(
      Executable call, Optional<Parameter> varied, @Nullable Object value, Set<String> faults)
      throws ReflectiveOperationException {
    Map<Class<?>, Object> samples = samples();
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Parameter each : call.getParameters()) {
      boolean isVaried = Optional.of(each).equals(varied);
      Object argument = isVaried ? value : sample(each.getType(), samples);
      if (argument == null && !isVaried) {
        return; // there is no sample of its type
      }
      arguments.add(argument);
    }
    for (Object on : receivers(call, samples)) {
      try {
        invoke(call, on, arguments.toArray());
      } catch (InvocationTargetException invocation) {
        Throwable thrown = Objects.requireNonNull(invocation.getCause());
        if (!isDocumented(thrown, call, varied.map(Parameter::getName).orElse(""))) {
          faults.add(
              call.getDeclaringClass().getName().replace("org.hlo4j.hlo.", "")
                  + "."
                  + call.getName().replaceAll(".*[.$]", "")
                  + ("(" + varied.map(Parameter::toString).orElse("") + "): ")
                  + Ascii.truncate(thrown.toString(), 150, "…"));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".file", ".ir", ".npy", ".op", ".proto", ".safetensors", ".text"})
  void refusalsSayWhatWasGot(String name) throws Exception {
    Set<String> faults = new TreeSet<>();
    String inPackage = "org.hlo4j.hlo" + name;
    for (ClassPath.ClassInfo info : classes.getTopLevelClasses(inPackage)) {
      if (!info.url().getPath().contains("/test-classes/")) {
        addFaults(info.load(), faults);
      }
    }
    assertWithMessage("%s", String.join("\n", faults)).that(faults).isEmpty();
  }

  private void addFaults(Class<?> type, Set<String> faults) throws Exception {
    if (!Modifier.isPublic(type.getModifiers()) || !type.getName().startsWith("org.hlo4j")) {
      return;
    }
    for (Method method : type.getMethods()) {
      if (method.getDeclaringClass() != Object.class
          && !method.isSynthetic()
          && !LEFT_OUT.contains(method.getName())
          && method.getDeclaringClass().getName().startsWith("org.hlo4j")) {
        callAll(method, faults);
      }
    }
    for (Executable constructor : type.getConstructors()) {
      callAll(constructor, faults);
    }
    for (Class<?> inner : type.getClasses()) {
      addFaults(inner, faults);
    }
  }
}
