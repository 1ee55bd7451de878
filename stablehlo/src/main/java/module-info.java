/** StableHLO and jax.export files, in and out. */
module org.hlo4j.stablehlo {
  requires transitive org.hlo4j.hlo;
  requires org.hlo4j.builder;
  requires static com.google.errorprone.annotations;

  provides org.hlo4j.hlo.file.ModuleReader with
      org.hlo4j.stablehlo.StableHloReader;

  exports org.hlo4j.stablehlo;
  exports org.hlo4j.stablehlo.jax;
  exports org.hlo4j.stablehlo.mlir;
  exports org.hlo4j.stablehlo.vhlo;
}
