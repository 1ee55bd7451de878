package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sizes as torch-mlir, IREE and others compute them, by the dialects arith, tensor and shape. */
class OtherSizesTest {
  private static final Shape ARGUMENT = Shape.of(ElementType.F32, 4, 3);

  /** A program that computes an index %n from the sizes of its argument. */
  private static Operation program(String lines) {
    return StableHlo.parse(
        """
        func.func @main(%%a: tensor<?x3xf32>) -> tensor<?xf32> {
          %%c0 = arith.constant 0 : index
          %%c1 = arith.constant 1 : index
          %%c2 = arith.constant 2 : index
          %%d = tensor.dim %%a, %%c0 : tensor<?x3xf32>
          %%s = shape.shape_of %%a : tensor<?x3xf32> -> tensor<2xindex>
          %s
          %%v = tensor.from_elements %%n : tensor<1xindex>
          %%r = stablehlo.dynamic_iota %%v, dim = 0 : (tensor<1xindex>) -> tensor<?xf32>
          return %%r : tensor<?xf32>
        }
        """
            .formatted(lines.replace("; ", "\n  ")));
  }

  private static String specialized(Operation module) {
    return StableHlo.specialize(module, List.of(ARGUMENT)).entry().root().shape().toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%n = tensor.dim %a, %c1 : tensor<?x3xf32> | 3",
        "%n = \"tensor.dim\"(%a, %c0) : (tensor<?x3xf32>, index) -> index | 4",
        "%n = shape.dim %a, %c0 : tensor<?x3xf32>, index -> index | 4",
        "%n = tensor.rank %a : tensor<?x3xf32> | 2",
        "%n = arith.addi %d, %c2 : index | 6",
        "%n = arith.subi %d, %c1 overflow<nsw> : index | 3",
        "%n = \"arith.muli\"(%d, %d) <{overflowFlags = #arith.overflow<none>}> : (index, index) ->"
            + " index | 16",
        "%k = arith.constant 7 : index; %n = arith.divsi %k, %d : index | 1",
        "%k = arith.constant -7 : index; %q = shape.div %k, %c2 : index, index -> index;"
            + " %n = arith.muli %q, %q : index | 16",
        "%k = arith.constant 7 : index; %n = arith.ceildivsi %k, %d : index | 2",
        "%k = arith.constant 7 : index; %n = arith.ceildivui %k, %d : index | 2",
        "%k = arith.constant -7 : i64; %e = arith.index_cast %d : index to i64; %q ="
            + " arith.floordivsi %k, %e : i64; %z = arith.constant 0 : i64; %m = arith.subi %z, %q"
            + " : i64; %n = arith.index_cast %m : i64 to index | 2",
        "%n = arith.remui %d, %c2 : index | 0",
        "%n = arith.shli %c1, %d : index | 16",
        "%n = arith.shrui %d, %c1 : index | 2",
        "%n = arith.shrsi %d, %c1 : index | 2",
        "%n = arith.maxsi %d, %c2 : index | 4",
        "%n = arith.minui %d, %c2 : index | 2",
        "%n = arith.xori %d, %c1 : index | 5",
        "%p = arith.cmpi sgt, %d, %c2 : index; %n = arith.select %p, %c2, %d : index | 2",
        "%p = arith.cmpi ult, %d, %c2 : index; %n = arith.select %p, %c2, %d : index | 4",
        "%p = arith.cmpi eq, %d, %d : index; %i = arith.extui %p : i1 to i32; %n = arith.index_cast"
            + " %i : i32 to index | 1",
        "%t = tensor.from_elements %c1, %d, %c2, %c0 : tensor<2x2xindex>; %n = tensor.extract"
            + " %t[%c0, %c1] : tensor<2x2xindex> | 4",
        "%t = arith.index_cast %s : tensor<2xindex> to tensor<2xi32>; %e = tensor.extract %t[%c0] :"
            + " tensor<2xi32>; %n = arith.index_cast %e : i32 to index | 4",
        "%n = shape.get_extent %s, %c0 : tensor<2xindex>, index -> index | 4",
        "%n = shape.num_elements %s : tensor<2xindex> -> index | 12",
        "%z = shape.shape_of %a : tensor<?x3xf32> -> !shape.shape; %k = shape.num_elements %z :"
            + " !shape.shape -> !shape.size; %n = shape.size_to_index %k : !shape.size | 12",
        "%k = shape.const_shape [1, 3] : tensor<2xindex>; %b = shape.broadcast %k, %s :"
            + " tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>; %n = shape.num_elements %b :"
            + " tensor<2xindex> -> index | 12",
        "%k = shape.const_shape [3] : !shape.shape; %b = shape.broadcast %k, %s : !shape.shape,"
            + " tensor<2xindex> -> !shape.shape; %n = shape.get_extent %b, %c0 : !shape.shape,"
            + " index -> index | 4",
        "%k = shape.const_shape [7] : !shape.shape; %z = shape.concat %k, %s : !shape.shape,"
            + " tensor<2xindex> -> !shape.shape; %n = shape.rank %z : !shape.shape -> index | 3",
        "%x:2 = \"shape.split_at\"(%s, %c1) : (tensor<2xindex>, index) -> (tensor<?xindex>,"
            + " tensor<?xindex>); %n = shape.num_elements %x#1 : tensor<?xindex> -> index | 3",
        "%k = shape.const_size 5; %l = shape.index_to_size %d; %m = shape.max %k, %l : !shape.size,"
            + " !shape.size -> !shape.size; %n = shape.size_to_index %m : !shape.size | 5",
        "%w = shape.cstr_eq %s, %s : tensor<2xindex>, tensor<2xindex>; %n = shape.assuming %w ->"
            + " (index) {; %y = arith.addi %d, %d : index; shape.assuming_yield %y : index; } | 8",
        "%p = shape.is_broadcastable %s, %s : tensor<2xindex>, tensor<2xindex>; cf.assert %p,"
            + " \"no\"; %n = arith.select %p, %c1, %c2 : index | 1",
      })
  void sizesFollowFromTheShapesOfTheArguments(String lines, int size) {
    Operation module = program(lines);
    assertThat(StableHlo.verify(module).stream().map(HloException::summary)).isEmpty();
    assertThat(specialized(module)).isEqualTo("f32[" + size + "]");
    String text = StableHlo.print(module);
    assertThat(specialized(StableHlo.parse(text))).isEqualTo("f32[" + size + "]");
    assertThat(StableHlo.print(StableHlo.parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%n = tensor.dim %a, %c2 : tensor<?x3xf32>"
            + " | 7:3: tensor.dim: index got 2, want a dimension of f32[4,3]",
        "%k = shape.const_shape [7, 3] : tensor<2xindex>; %n = arith.addi %d, %d : index; %w ="
            + " shape.cstr_broadcastable %s, %k : tensor<2xindex>, tensor<2xindex>"
            + " | 9:3: shape.cstr_broadcastable: shapes got [(4, 3), (7, 3)], want shapes that"
            + " broadcast",
        "%p = arith.cmpi eq, %d, %c2 : index; cf.assert %p, \"want 2 rows\"; %n = arith.addi %d, %d"
            + " : index | 8:3: cf.assert: want 2 rows",
      })
  void whatDoesNotHoldIsRefused(String lines, String message) {
    HloException refusal = assertThrows(HloException.class, () -> specialized(program(lines)));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%0 = stablehlo.add %k, %k : i64"
            + " | stablehlo.add: operand 0 got i64, want a tensor, tuple or token",
        "%0 = stablehlo.slice %v [0:1] : (tensor<2xindex>) -> tensor<1xindex>"
            + " | stablehlo.slice: operand 0 got tensor<2xindex>, want integers of a width",
        "%0 = stablehlo.convert %w : (tensor<2xi32>) -> tensor<2xindex>"
            + " | stablehlo.convert: result 0 got tensor<2xindex>, want integers of a width",
        "%0 = arith.index_cast %k : i64 to i32 | arith.index_cast: got i64 to i32, want index and"
            + " another integer type, one to the other",
        "%0 = \"arith.index_cast\"() : () -> index | arith.index_cast: operands got 0, want 1",
        "%0 = arith.extsi %k : i64 to i32 | arith.extsi: got i64 to i32, want a wider type",
        "%0 = arith.addi %u, %u : ui64 | arith.addi: operand got ui64, want signless integers",
        "%0 = arith.addf %k, %k : i64"
            + " | arith.addf: operand got s64[], want floating-point numbers",
        "%0 = \"arith.cmpi\"(%k, %k) {predicate = 10 : i64} : (i64, i64) -> i1"
            + " | arith.cmpi: predicate got 10, want one from 0 to 9",
        "%0 = tensor.from_elements %k : tensor<2xi64>"
            + " | tensor.from_elements: operands got 1, want one for each element of s64[2]",
        "%0 = tensor.cast %w : tensor<2xi32> to tensor<3xi32>"
            + " | tensor.cast: result got tensor<3xi32>, want sizes of tensor<2xi32>",
      })
  void typesAreVerified(String line, String message) {
    Operation module =
        StableHlo.parse(
            """
            func.func @f(%%v: tensor<2xindex>, %%w: tensor<2xi32>, %%k: i64, %%u: ui64) {
              %s
              return
            }
            """
                .formatted(line));
    assertThat(StableHlo.verify(module).stream().map(HloException::summary).collect(joining("; ")))
        .isEqualTo("2:3: " + message);
  }

  /** Without known shapes a size is one of the argument, or of a bounded one what it has. */
  @Test
  void boundedSizesAreAskedFor() {
    Operation module =
        StableHlo.parse(
            """
            func.func @main(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<index> {
              %c0 = arith.constant 0 : index
              %d = tensor.dim %a, %c0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
              %r = tensor.from_elements %d : tensor<index>
              return %r : tensor<index>
            }
            """);
    assertThat(Printer.print(StableHlo.toHlo(module)))
        .contains("get-dimension-size(%a), dimensions={0}");
  }
}
