package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.io.Resources;
import java.io.IOException;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.vhlo.PortableArtifact;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Device groups given by the axes of a mesh. */
class ReplicaGroupsTest {
  private static String module(String groups) {
    return """
    sdy.mesh @mesh = <["x"=2, "y"=4]>
    sdy.mesh @reordered = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
    func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {
      %%0 = "stablehlo.all_reduce"(%%a) ({
      ^bb0(%%l: tensor<f32>, %%r: tensor<f32>):
        %%s = stablehlo.add %%l, %%r : tensor<f32>
        stablehlo.return %%s : tensor<f32>
      }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        replica_groups = #stablehlo.replica_group_mesh_axes<%s>}
        : (tensor<4xf32>) -> tensor<4xf32>
      return %%0 : tensor<4xf32>
    }
    """
        .formatted(groups);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"y\">] | mesh['x'=2,'y'=4] {'y'}",
        "mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"y\", sub_axis_info ="
            + " #stablehlo.sub_axis_info<pre_size = 2, size = 2>>] | mesh['x'=2,'y'=4] {'y':(2)2}",
        "mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)2>]"
            + " | mesh['x'=2,'y'=4] {'y':(1)2}",
        "mesh = @reordered, axes = [#stablehlo.axis_ref<name = \"x\">]"
            + " | mesh['x'=2,'y'=2], device_ids=(0,2,1,3) {'x'}",
        "mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"z\", size = 8>]>,"
            + " axes = [#stablehlo.axis_ref<name = \"z\">] | mesh['z'=8] {'z'}",
        "mesh = #stablehlo.mesh<axes=[<name = \"z\", size = 4>], device_ids=dense<[0, 2, 1, 3]> :"
            + " tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = \"z\">]"
            + " | mesh['z'=4], device_ids=(0,2,1,3) {'z'}",
      })
  void meshAxesBecomeReplicaGroups(String groups, String text) {
    String want = "replica_groups=" + text + ", use_global_device_ids=true";
    HloModule module = StableHlo.toHlo(StableHlo.parse(module(groups)));
    assertThat(Printer.print(module)).contains(want);
    Operation exported = StableHlo.fromHlo(module);
    assertThat(backFrom(StableHlo.parse(StableHlo.print(exported)))).contains(want);
    byte[] artifact = PortableArtifact.write(exported);
    assertThat(backFrom(PortableArtifact.read(artifact))).contains(want);
  }

  private static String backFrom(Operation module) {
    return Printer.print(StableHlo.toHlo(module));
  }

  /** The bytes of an axis and of a mesh in artifacts, as jaxlib 0.10.2 writes them. */
  @Test
  void artifactsOfXlaAreRead() throws IOException {
    Operation module =
        PortableArtifact.read(
            Resources.toByteArray(
                Resources.getResource(ReplicaGroupsTest.class, "../vhlo/mesh.mlirbc")));
    assertThat(StableHlo.print(module))
        .contains(
            "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes ="
                + " [#stablehlo.mesh_axis<name = \"a\", size = 2>, #stablehlo.mesh_axis<name ="
                + " \"b\", size = 4>]>, axes = [#stablehlo.axis_ref<name = \"b\", sub_axis_info ="
                + " (1)2>]>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"z\">]"
            + " | replica_groups got axis \"z\", want one of mesh['x'=2,'y'=4]",
        "mesh = @none, axes = []" + " | replica_groups got mesh @none, want a symbol of the module",
        "mesh = @main, axes = []"
            + " | replica_groups got #stablehlo.replica_group_mesh_axes<mesh = @main, axes = []>,"
            + " want rows of ids or axes of a sdy.mesh",
      })
  void invalidMeshAxesAreRejected(String groups, String message) {
    HloException refusal =
        assertThrows(HloException.class, () -> StableHlo.toHlo(StableHlo.parse(module(groups))));
    assertThat(refusal).hasMessageThat().startsWith("4:3: stablehlo.all_reduce: " + message);
  }
}
