/** HLO programs: values, ops, the IR, the verifier, and HLO text. */
@SuppressWarnings("module") // modules that are compiled later
module org.hlo4j.hlo {
  requires transitive com.google.common;
  requires transitive org.jspecify;
  requires com.google.gson;
  requires static com.google.errorprone.annotations;

  uses org.hlo4j.hlo.file.ModuleReader;

  exports org.hlo4j.hlo;
  exports org.hlo4j.hlo.file;
  exports org.hlo4j.hlo.ir;
  exports org.hlo4j.hlo.npy;
  exports org.hlo4j.hlo.op;
  exports org.hlo4j.hlo.ownership to
      org.hlo4j.interpreter,
      org.hlo4j.stablehlo;
  exports org.hlo4j.hlo.proto;
  exports org.hlo4j.hlo.rows to
      org.hlo4j.testing,
      org.hlo4j.tools;
  exports org.hlo4j.hlo.safetensors;
  exports org.hlo4j.hlo.schema to
      org.hlo4j.builder,
      org.hlo4j.check,
      org.hlo4j.interpreter,
      org.hlo4j.pjrt,
      org.hlo4j.stablehlo,
      org.hlo4j.tools;
  exports org.hlo4j.hlo.serial to
      org.hlo4j.interpreter,
      org.hlo4j.pjrt,
      org.hlo4j.stablehlo;
  exports org.hlo4j.hlo.source to
      org.hlo4j.interpreter,
      org.hlo4j.stablehlo,
      org.hlo4j.tools;
  exports org.hlo4j.hlo.text;
}
