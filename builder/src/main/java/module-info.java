/** The builder of HLO computations. */
module org.hlo4j.builder {
  requires transitive org.hlo4j.hlo;
  requires static com.google.errorprone.annotations;
  requires java.xml;

  exports org.hlo4j.builder;
  exports org.hlo4j.builder.broadcast;
  exports org.hlo4j.builder.lib;
  exports org.hlo4j.builder.lib.linalg;
  exports org.hlo4j.builder.lib.math;
  exports org.hlo4j.builder.lib.nn;
  exports org.hlo4j.builder.lib.random;
  exports org.hlo4j.builder.openvino;
}
