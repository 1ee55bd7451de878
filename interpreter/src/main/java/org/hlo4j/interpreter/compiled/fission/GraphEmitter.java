package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.SetMultimap;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Instruction;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.BranchlessEmitter;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.ElementAccess;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.fission.FissionNode.Kind;

/**
 * The code emitter of loops that are split. Within a loop it writes no code, but records the data
 * flow graph of an iteration: what it computes and stores. At the end of the loop it writes the
 * loop over strips.
 */
final class GraphEmitter extends BranchlessEmitter {
  /**
   * A store to an array.
   *
   * @param array the local variable of the array
   * @param index the index in the array
   * @param value the stored value
   */
  record ArrayStore(int array, FissionNode index, FissionNode value) {}

  private static final ImmutableSet<String> BITS =
      ImmutableSet.of(
          "floatToRawIntBits", "intBitsToFloat", "doubleToRawLongBits", "longBitsToDouble");

  /** The methods that C2 vectorizes. */
  private static final ImmutableSet<String> VECTORIZED_METHODS =
      ImmutableSet.of(
          "java/lang/Math.max",
          "java/lang/Math.min",
          "java/lang/Math.abs",
          "java/lang/Math.fma",
          "java/lang/Math.sqrt",
          "java/lang/Math.signum",
          "java/lang/Math.floor",
          "java/lang/Math.ceil",
          "java/lang/Math.rint",
          "java/lang/Integer.rotateLeft",
          "java/lang/Integer.bitCount",
          "java/lang/Integer.numberOfLeadingZeros",
          "java/lang/Long.bitCount",
          "java/lang/Long.numberOfLeadingZeros");

  private final ClassDesc self;
  private final List<StripWriter> writers;
  private final AtomicBoolean isRecording;

  /** The values of the local variables that the iteration has assigned so far. */
  private final Map<Integer, FissionNode> locals = new HashMap<>();

  /** The nodes by what they compute: equal computations share one node. */
  private final Map<List<Object>, FissionNode> interned = new HashMap<>();

  /** The indices that grow by one from iteration to iteration. */
  private final Set<FissionNode> contiguous = new HashSet<>();

  /** The indices at which arrays are read, by the local variables of the arrays. */
  private final SetMultimap<Integer, FissionNode> loaded = HashMultimap.create();

  /** The last store to each array, by the local variable of the array. */
  private final Map<Integer, ArrayStore> stored = new LinkedHashMap<>();

  private GraphEmitter(
      CodeBuilder code, ClassDesc self, List<StripWriter> writers, AtomicBoolean isRecording) {
    super(code);
    this.self = self;
    this.writers = writers;
    this.isRecording = isRecording;
  }

  /**
   * Writes a method whose loops are split.
   *
   * @param self the generated class
   * @param writers receives the writers of the loops, which have methods to add to the class
   * @throws NoCodeException if there is no loop, or one of them cannot be split
   */
  static void write(
      CodeBuilder code, ClassDesc self, Consumer<CodeEmitter> writing, List<StripWriter> writers) {
    AtomicBoolean isRecording = new AtomicBoolean();
    code.transforming(
        (builder, element) -> {
          require(!isRecording.get(), "code that is not recorded");
          builder.with(element);
        },
        guarded -> writing.accept(new GraphEmitter(guarded, self, writers, isRecording)));
    require(!writers.isEmpty(), "no loop");
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new NoCodeException("cannot be split: " + problem);
    }
  }

  @Override
  public void loop(int counter, int end, int step, Runnable body) {
    if (step != 1) {
      super.loop(counter, end, step, body);
      return;
    }
    require(!isRecording.get(), "a loop within the loop");
    locals.clear();
    interned.clear();
    contiguous.clear();
    loaded.clear();
    stored.clear();
    FissionNode count = new FissionNode(Kind.COUNT, TypeKind.INT, counter);
    locals.put(counter, count);
    contiguous.add(count);
    isRecording.set(true);
    body.run();
    isRecording.set(false);
    FissionSchedule schedule = new FissionSchedule(ImmutableList.copyOf(stored.values()));
    require(schedule.isPossible(), "values that no array holds");
    require(schedule.isWorthwhile(), "C2 vectorizes all or nothing");
    String name = "loop" + writers.size() + "part";
    StripWriter writer = new StripWriter(this, self, name, schedule, counter, end);
    writer.write();
    writers.add(writer);
    inPrologue(writer::writeArrays);
  }

  // ---- the graph

  private FissionNode intern(List<Object> key, Supplier<FissionNode> making) {
    return interned.computeIfAbsent(key, _ -> making.get());
  }

  private FissionNode apply(
      Kind kind, Object what, TypeKind type, Consumer<CodeBuilder> code, FissionNode... operands) {
    List<FissionNode> inputs = List.of(operands);
    return intern(List.of(what, inputs), () -> new FissionNode(kind, type, inputs, code));
  }

  private FissionNode node(int local, TypeKind type) {
    FissionNode assigned = locals.get(local);
    return assigned != null
        ? assigned
        : intern(List.of("local", local), () -> new FissionNode(Kind.INVARIANT, type, local));
  }

  private FissionNode index(int local) {
    return node(local, TypeKind.INT);
  }

  private FissionNode node(Value value) {
    return node(value.local(), value.lane().kind());
  }

  private void assign(int local, FissionNode node) {
    require(!interned.containsKey(List.of("local", local)), "a value of the previous iteration");
    locals.put(local, node);
  }

  private int newIndex(FissionNode node) {
    int local = newLocal(TypeKind.INT);
    assign(local, node);
    return local;
  }

  private Value newValue(Lane lane, FissionNode node) {
    Value value = newValue(lane);
    assign(value.local(), node);
    return value;
  }

  // ---- operations

  @Override
  public int sum(int number, int... summands) {
    if (!isRecording.get()) {
      return super.sum(number, summands);
    }
    FissionNode constant = constant(number);
    return newIndex(
        Arrays.stream(summands)
            .mapToObj(this::index)
            .reduce(this::add)
            .map(sum -> number == 0 ? sum : add(sum, constant))
            .orElse(constant));
  }

  private FissionNode constant(int number) {
    return apply(Kind.CONSTANT, number, TypeKind.INT, code -> code.loadConstant(number));
  }

  private FissionNode add(FissionNode first, FissionNode second) {
    FissionNode sum = apply(Kind.APPLY, "add", TypeKind.INT, CodeBuilder::iadd, first, second);
    if (contiguous.contains(first.isInvariant ? second : first)
        && (first.isInvariant || second.isInvariant)) {
      contiguous.add(sum);
    }
    return sum;
  }

  @Override
  public int product(int first, int second) {
    return isRecording.get()
        ? newIndex(
            apply(
                Kind.APPLY,
                "multiply",
                TypeKind.INT,
                CodeBuilder::imul,
                index(first),
                index(second)))
        : super.product(first, second);
  }

  @Override
  public void assign(Value target, Value source) {
    if (isRecording.get()) {
      assign(target.local(), node(source));
    } else {
      super.assign(target, source);
    }
  }

  @Override
  public Value splat(Lane lane, int scalarLocal) {
    return isRecording.get()
        ? newValue(lane, node(scalarLocal, lane.kind()))
        : super.splat(lane, scalarLocal);
  }

  @Override
  protected Value apply(Lane lane, Instruction instruction, Value... operands) {
    if (!isRecording.get()) {
      return super.apply(lane, instruction, operands);
    }
    FissionNode[] inputs = Arrays.stream(operands).map(this::node).toArray(FissionNode[]::new);
    Kind kind = Kind.APPLY;
    Object what = instruction.opcode();
    if (instruction instanceof InvokeInstruction call) {
      String method = call.name().stringValue();
      String name = call.owner().asInternalName() + "." + method;
      what = List.of(name, call.typeSymbol());
      if (BITS.contains(method)) {
        kind = Kind.BITS;
      } else if (!VECTORIZED_METHODS.contains(name)) {
        kind = Kind.CALL;
      }
    }
    return newValue(
        lane,
        kind == Kind.BITS && inputs[0].kind == Kind.BITS
            ? inputs[0].inputs.get(0)
            : apply(kind, what, lane.kind(), code -> code.with(instruction), inputs));
  }

  @Override
  public Value callWhere(
      Value value, Value mask, Class<?> owner, String method, Value... arguments) {
    if (!isRecording.get()) {
      return super.callWhere(value, mask, owner, method, arguments);
    }
    FissionNode call = node(call(owner, method, value.lane(), arguments));
    ImmutableList.Builder<FissionNode> inputs = ImmutableList.builder();
    inputs.add(node(mask), node(value)).addAll(call.inputs);
    return newValue(
        value.lane(), new FissionNode(Kind.REPLACED, call.storage, inputs.build(), call.code));
  }

  // ---- arrays

  private static boolean isNarrow(TypeKind storage) {
    return storage != storage.asLoadable();
  }

  @Override
  protected Value load(Lane lane, ElementType type, int array, int index) {
    if (!isRecording.get()) {
      return super.load(lane, type, array, index);
    }
    FissionNode element = load(ElementAccess.kind(type), array, index(index));
    if (ElementAccess.isMasked(type)) {
      FissionNode mask = constant(ElementAccess.mask(type));
      element = apply(Kind.APPLY, "and", TypeKind.INT, CodeBuilder::iand, element, mask);
    }
    return newValue(lane, element);
  }

  private FissionNode load(TypeKind storage, int array, FissionNode index) {
    loaded.put(array, index);
    TypeKind type = storage.asLoadable();
    ArrayStore before = stored.get(array);
    if (before != null) {
      require(before.index() == index && !isNarrow(storage), "a read from another index");
      return before.value();
    } else if (!contiguous.contains(index)) {
      FissionNode held =
          intern(List.of("array", array), () -> new FissionNode(Kind.ARRAY, storage, array));
      Consumer<CodeBuilder> code = builder -> builder.arrayLoad(storage);
      return new FissionNode(Kind.ELEMENT, type, List.of(held, index), code);
    }
    FissionNode load =
        intern(
            List.of("load", array, index), () -> new FissionNode(Kind.LOAD, storage, array, index));
    return isNarrow(storage)
        ? apply(Kind.WIDENED, "widened", type, FissionNode.NOTHING, load)
        : load;
  }

  /**
   * Records a store. An array that is stored to may be read, and stored to again, at the same index
   * only. Then it makes no difference that, after fission, all iterations of a strip read before
   * any of them stores, and that only the last store takes place.
   */
  @Override
  protected void storeElement(ElementType type, int array, int index, Value value) {
    if (!isRecording.get()) {
      super.storeElement(type, array, index, value);
      return;
    }
    TypeKind storage = ElementAccess.kind(type);
    FissionNode at = index(index);
    ArrayStore before = stored.get(array);
    require(
        contiguous.contains(at)
            && (before == null || before.index() == at)
            && loaded.get(array).stream().allMatch(at::equals),
        "stores at other indices");
    FissionNode held =
        isNarrow(storage)
            ? new FissionNode(Kind.NARROWED, storage, List.of(node(value)), FissionNode.NOTHING)
            : node(value);
    stored.put(array, new ArrayStore(array, at, held));
  }
}
