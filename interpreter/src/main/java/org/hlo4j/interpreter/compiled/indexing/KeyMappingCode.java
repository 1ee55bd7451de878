package org.hlo4j.interpreter.compiled.indexing;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * Writes the class of a {@link KeyMapping}.
 *
 * @param emitter writes the code
 * @param body the function of an element whose result is compared
 * @param order the order of floats
 * @param isDescending whether the greatest come first
 */
record KeyMappingCode(
    CodeEmitter emitter, BodyCode body, Compare.Type order, boolean isDescending) {
  private static final int FROM = 1;
  private static final int FIRST = 2;
  private static final int STEP = 3;
  private static final int KEYS = 4;
  private static final int COUNT = 5;

  /** Returns the mapping of elements to the keys of a function of them. */
  static KeyMapping mapping(BodyCode body, Compare.Type order, boolean isDescending) {
    return HiddenClasses.instance(
        KeyMapping.class,
        "Keys",
        code -> new KeyMappingCode(CodeEmitter.scalar(code), body, order, isDescending).write());
  }

  private void write() {
    CodeBuilder code = emitter.code();
    int i = emitter.newLocal(TypeKind.INT);
    int at = emitter.newLocal(TypeKind.INT);
    int unordered = emitter.newLocal(TypeKind.INT);
    boolean isLong = SortKey.isLong(body.resultType());
    ElementType keyType = isLong ? ElementType.S64 : ElementType.S32;
    emitter.body(() -> {
      int from = emitter.array(FROM, 0, body.type(0));
      int keys = emitter.array(KEYS, 0, keyType);
      code.iconst_0().istore(unordered).iload(FIRST).istore(at);
      Runnable iteration =
          () -> {
            Value element = emitter.load(body.type(0), from, at);
            Value value = body.write(emitter, ImmutableList.of(element)).get(0);
            if (order == Compare.Type.FLOAT) {
              Value isNaN = emitter.compare(Relation.NE, value, value);
              code.iload(unordered).iload(isNaN.local()).iadd().istore(unordered);
            }
            emitter.store(keyType, keys, i, key(value, isLong));
            code.iload(at).iload(STEP).iadd().istore(at);
          };
      CountedLoop.fromZero(code, i, COUNT, iteration);
      code.iload(unordered).ireturn();
    });
  }

  private Value key(Value value, boolean isLong) {
    Lane lane = isLong ? Lane.I64 : Lane.I32;
    long sign = isLong ? Long.MIN_VALUE : Integer.MIN_VALUE;
    Value key =
        switch (order) {
          case SIGNED -> emitter.convert(value, lane);
          case UNSIGNED -> emitter.xor(emitter.convert(value, lane), emitter.constant(lane, sign));
          case TOTALORDER -> ElementFunctions.totalOrder(emitter, body.resultType(), value);
          case FLOAT ->
              ElementFunctions.totalOrder(
                  emitter,
                  body.resultType(),
                  emitter.add(value, emitter.constant(value.lane(), 0)));
        };
    return isDescending ? emitter.not(key) : key;
  }
}
