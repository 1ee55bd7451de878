package org.hlo4j.stablehlo.jax;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.stablehlo.importer.ModuleImport;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.vhlo.PortableArtifact;
import org.jspecify.annotations.Nullable;

/**
 * A function that {@code jax.export} saved: the file of {@code Exported.serialize()}.
 *
 * <pre>{@code
 * JaxExport export = JaxExport.read(Path.of("f.bin"));
 * JaxCall call = export.call(Map.of("w", w), x);
 * Object result = call.result(evaluator.run(call.module(), call.arguments()));
 * }</pre>
 *
 * <p>{@link JaxFunction} does the same and compiles each module once. An export is serializable, as
 * the bytes of its file in a form of a version that is checked; a {@code JaxFunction} is not.
 *
 * @serial exclude
 */
public final class JaxExport implements Serializable {
  private static final long serialVersionUID = 1L;

  static final String PLATFORM_INDEX = "_platform_index";

  /** What the file says. */
  record Contents(
      String functionName,
      PyTree inTree,
      PyTree outTree,
      ImmutableList<JaxArray> inputs,
      ImmutableList<JaxArray> outputs,
      ImmutableList<String> platforms,
      int deviceCount,
      int orderedEffects,
      int callingConventionVersion,
      ImmutableList<Integer> kept,
      ExportBytes bytes,
      Optional<JaxExport> vjp) {}

  private final transient Contents contents;
  private final transient ImmutableList<JaxArray> inputs;
  private final transient Supplier<Operation> module;

  JaxExport(Contents contents) {
    this.contents = contents;
    this.inputs = named(contents.inTree, contents.inputs);
    this.module = Suppliers.memoize(() -> PortableArtifact.read(contents.bytes.artifactBytes()));
  }

  /**
   * Returns the inputs with their paths. The tree of arguments is a pair: a tuple of the positional
   * arguments, and a dictionary of the keyword arguments.
   */
  private static ImmutableList<JaxArray> named(PyTree tree, ImmutableList<JaxArray> arrays) {
    require(
        tree instanceof PyTree.Sequence pair
            && pair.children().size() == 2
            && pair.children().get(0) instanceof PyTree.Sequence
            && pair.children().get(1) instanceof PyTree.Dictionary,
        PARSE,
        "in_tree got %s, want ((arguments...), {keywords...})",
        tree);
    return arrays.stream()
        .map(array ->
            new JaxArray(
                array.path().startsWith("[0]")
                    ? "args" + array.path().substring(3)
                    : "kwargs" + array.path().substring(3),
                array.dtype(),
                array.elementType(),
                array.sizes(),
                array.keySize()))
        .collect(toImmutableList());
  }

  /**
   * Reads a file.
   *
   * @param file the file of {@code Exported.serialize()}
   * @return the function
   * @throws IOException if the file cannot be read
   * @throws HloException if it holds something else
   */
  public static JaxExport read(Path file) throws IOException {
    return HloFiles.read(file, JaxExport::readOwned);
  }

  /**
   * Reads the bytes of a file.
   *
   * @param bytes the result of {@code Exported.serialize()}
   * @return the function
   * @throws HloException if they hold something else
   */
  public static JaxExport read(byte[] bytes) {
    require(bytes != null, ARGUMENT, "bytes is null");
    return readOwned(bytes.clone());
  }

  /**
   * Reads the bytes of a file from a buffer, from its position to its limit.
   *
   * @param bytes the result of {@code Exported.serialize()}; the position of the buffer stays
   * @return the function
   * @throws HloException if they hold something else
   */
  public static JaxExport read(ByteBuffer bytes) {
    require(bytes != null, ARGUMENT, "bytes is null");
    byte[] all = new byte[bytes.remaining()];
    bytes.get(bytes.position(), all);
    return readOwned(all);
  }

  /**
   * Reads a file from a stream, up to its end, at most a quarter of the heap.
   *
   * @param stream the stream, which stays open
   * @return the function
   * @throws IOException if the stream cannot be read
   * @throws HloException if it holds something else, or more than the heap allows
   */
  public static JaxExport read(InputStream stream) throws IOException {
    return readOwned(HloProtos.readAll(stream));
  }

  private static JaxExport readOwned(byte[] bytes) {
    FileForm form = FileForm.of(bytes);
    require(
        form == FileForm.JAX_EXPORT,
        PARSE,
        "file: got %s, want what Exported.serialize() gives",
        form);
    return ExportReader.read(bytes);
  }

  /**
   * Returns whether bytes are a file of {@code jax.export}.
   *
   * @param bytes the whole file
   * @return whether it is a flatbuffer that holds a portable artifact in the slot of such a file
   */
  public static boolean isExport(byte[] bytes) {
    return FileForm.of(bytes) == FileForm.JAX_EXPORT;
  }

  /**
   * Returns whether a file is one of {@code jax.export}, of which only a small part is read.
   *
   * @param file the file, of any size
   * @return whether it is a flatbuffer that holds a portable artifact in the slot of such a file
   * @throws IOException if the file cannot be read
   */
  public static boolean isExport(Path file) throws IOException {
    return FileForm.isJaxExport(file);
  }

  /** {@return the name of the Python function} */
  public String functionName() {
    return contents.functionName;
  }

  /** {@return the tree of the arguments: the positional ones and the keyword arguments} */
  public PyTree inTree() {
    return contents.inTree;
  }

  /** {@return the tree of the result} */
  public PyTree outTree() {
    return contents.outTree;
  }

  /** {@return the arrays of the arguments, in the order of the tree} */
  public ImmutableList<JaxArray> inputs() {
    return inputs;
  }

  /** {@return the arrays of the result, in the order of the tree} */
  public ImmutableList<JaxArray> outputs() {
    return contents.outputs;
  }

  /** {@return the platforms it was exported for, such as {@code cpu}} */
  public ImmutableList<String> platforms() {
    return contents.platforms;
  }

  /**
   * Returns the number of devices that the function was exported for. It takes and gives whole
   * arrays for any number; {@link #inputShardings} and {@link #outputShardings} say which slices of
   * them each device holds.
   *
   * @return JAX's {@code nr_devices}, 1 or more
   */
  public int deviceCount() {
    return contents.deviceCount;
  }

  /** {@return the version of JAX's calling convention, 9 or 10} */
  public int callingConventionVersion() {
    return contents.callingConventionVersion;
  }

  /** {@return the indices of the inputs that the module takes; the others are unused} */
  public ImmutableList<Integer> kept() {
    return contents.kept;
  }

  /** {@return a copy of the StableHLO portable artifact in the file} */
  public byte[] artifact() {
    return contents.bytes.artifactBytes();
  }

  /**
   * {@return the bytes of the file, which {@link #read(byte[])} reads} Of the {@link #vjp} of
   * another export they are those of a file of its own.
   */
  public byte[] serialize() {
    return contents.bytes.serialized();
  }

  /** {@return the function that computes gradients, if it was exported too} */
  public Optional<JaxExport> vjp() {
    return contents.vjp;
  }

  /**
   * Returns the StableHLO module.
   *
   * @return the {@code builtin.module}, read once
   * @throws HloException if the artifact is damaged or newer than the supported versions
   */
  public Operation module() {
    return module.get();
  }

  /** {@return the names of the size variables in the shapes, sorted} */
  public ImmutableSet<String> sizeVariables() {
    TreeSet<String> names = new TreeSet<>();
    inputs.forEach(
        array -> array.sizes().forEach(size -> SizeExpression.parse(size).variables(names)));
    return ImmutableSet.copyOf(names);
  }

  /**
   * Creates a call with positional arguments, on the platform {@code cpu}.
   *
   * @param arguments nested lists, maps and literals, as described in {@link PyTree}
   * @return the call
   * @throws HloException if the arguments do not have the form or the shapes of the function
   */
  public JaxCall call(@Nullable Object @Nullable ... arguments) {
    List<?> all = arguments == null ? Collections.singletonList(null) : Arrays.asList(arguments);
    return call(all, Map.of(), "cpu");
  }

  /**
   * Creates a call.
   *
   * @param arguments the positional arguments
   * @param keywords the keyword arguments
   * @param platform the platform whose code is used
   * @return the call
   * @throws HloException if the arguments do not have the form or the shapes of the function, or it
   *     was not exported for the platform
   */
  public JaxCall call(List<?> arguments, Map<String, ?> keywords, String platform) {
    PyTree.Sequence pair = (PyTree.Sequence) contents.inTree;
    List<Literal> leaves = new ArrayList<>();
    leaves.addAll(pair.children().get(0).flatten(arguments, "args"));
    leaves.addAll(pair.children().get(1).flatten(keywords, "kwargs"));
    return callFlat(leaves, platform);
  }

  /**
   * Creates a call with the arrays of the arguments in the order of {@link #inputs}.
   *
   * @param leaves one for each input, used or not
   * @param platform the platform whose code is used
   * @return the call
   * @throws HloException if their number is wrong, or their shapes do not fit
   */
  public JaxCall callFlat(List<Literal> leaves, String platform) {
    Map<String, Long> sizes = sizes(leaves.stream().map(Literal::shape).toList());
    List<Literal> parameters = new ArrayList<>();
    List<long[]> known = new ArrayList<>();
    List<Integer> inputsOfParameters = new ArrayList<>();
    int next = 0;
    requirePlatform(platform);
    for (Parameters.Parameter parameter : Parameters.of(module(), contents.platforms.size() > 1)) {
      long[] value = new long[0];
      int input = -1;
      switch (parameter) {
        case Parameters.Token token -> parameters.add(Literal.token());
        case Parameters.Constant constant -> {
          value = new long[] {constant(constant.name(), sizes, platform)};
          parameters.add(Literal.of(constant.elementType(), value[0]));
        }
        case Parameters.Argument argument -> {
          require(
              next < contents.kept.size(),
              PARSE,
              "@main takes more than the %s kept arguments",
              contents.kept.size());
          input = contents.kept.get(next++);
          parameters.add(leaves.get(input));
        }
      }
      known.add(value);
      inputsOfParameters.add(input);
    }
    return new JaxCall(this, known, parameters, inputsOfParameters);
  }

  /**
   * Returns the static HLO module for certain sizes, on the platform {@code cpu}. Its entry takes
   * the inputs that are {@link #kept}.
   *
   * @param sizes the values of the {@link #sizeVariables}
   * @return the module, not verified
   * @throws HloException if a size is missing, or the function does not take these sizes
   */
  public HloModule toHlo(Map<String, Long> sizes) {
    return toHlo(sizes, "cpu");
  }

  /**
   * Returns the static HLO module for certain sizes. Its entry takes the inputs that are {@link
   * #kept}.
   *
   * @param sizes the values of the {@link #sizeVariables}
   * @param platform the platform whose code is used
   * @return the module, not verified
   * @throws HloException if a size is missing, the function does not take these sizes, or it was
   *     not exported for the platform
   */
  public HloModule toHlo(Map<String, Long> sizes, String platform) {
    return elided(sizes, platform).module();
  }

  /** Returns a call for certain sizes, with arguments that have no elements. */
  private JaxCall elided(Map<String, Long> sizes, String platform) {
    List<Literal> inputLiterals = new ArrayList<>();
    for (JaxArray input : inputs) {
      Shape.Array known =
          input
              .shape(sizes)
              .orElseThrow(() ->
                  new HloException(
                      ARGUMENT,
                      "%s: got the sizes %s, want %s, which %s has: %s",
                      contents.functionName,
                      sizes,
                      sizeVariables(),
                      input.path(),
                      input));
      inputLiterals.add(Literal.elided(known));
    }
    return callFlat(inputLiterals, platform);
  }

  /**
   * Returns how the inputs lie on the devices.
   *
   * @param sizes the values of the {@link #sizeVariables}
   * @return one for each of {@link #inputs}; replicated where the function does not say it, or does
   *     not use the input
   * @throws HloException as {@link #toHlo(Map)}
   */
  public ImmutableList<ArraySharding> inputShardings(Map<String, Long> sizes) {
    JaxCall call = elided(sizes, "cpu");
    return call.inputShardings(inputs.stream().map(i -> i.shape(sizes).orElseThrow()).toList());
  }

  /**
   * Returns how the arrays of the result lie on the devices.
   *
   * @param sizes the values of the {@link #sizeVariables}
   * @return one for each of {@link #outputs}; replicated where the function does not say it
   * @throws HloException as {@link #toHlo(Map)}
   */
  public ImmutableList<ArraySharding> outputShardings(Map<String, Long> sizes) {
    return elided(sizes, "cpu").outputShardings();
  }

  HloModule specialized(List<Shape> shapes, List<long[]> known) {
    return ReadLimits.guarded("StableHLO", () -> ModuleImport.specialized(module(), shapes, known));
  }

  private void requirePlatform(String platform) {
    require(
        contents.platforms.contains(platform),
        ARGUMENT,
        "%s: platform got %s, want one of %s, which it was exported for",
        contents.functionName,
        platform,
        contents.platforms);
  }

  private long constant(String name, Map<String, Long> sizes, String platform) {
    if (name.equals(PLATFORM_INDEX)) {
      return contents.platforms.indexOf(platform);
    }
    Long value = sizes.get(name);
    if (value == null) {
      throw new HloException(PARSE, "@main takes the size %s, which no argument gives", name);
    }
    return value;
  }

  /**
   * Returns the values of the size variables.
   *
   * @param shapes the shapes of all inputs
   * @return the name and value of each
   * @throws HloException if the shapes do not fit
   */
  public Map<String, Long> sizes(List<Shape> shapes) {
    return new SizeSolver(contents.functionName, inputs).solve(shapes);
  }

  /** Returns the signature: {@code f(float32[b,8], float32[b,3]) -> float32[]}. */
  @Override
  public String toString() {
    return contents.functionName
        + inputs.stream()
            .map(JaxArray::toString)
            .collect(java.util.stream.Collectors.joining(", ", "(", ") -> "))
        + contents.outputs.stream()
            .map(JaxArray::toString)
            .collect(java.util.stream.Collectors.joining(", "));
  }

  /** Returns the number of tokens before the results. */
  int orderedEffects() {
    return contents.orderedEffects;
  }

  private Object writeReplace() {
    return new ExportForm(this);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("jax.export: got its fields, want its serial form");
  }
}
