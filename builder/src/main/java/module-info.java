/** How a person makes a computation. */
module org.hlo4j.builder {
  requires transitive org.hlo4j.hlo;

  exports org.hlo4j.builder;
  exports org.hlo4j.builder.broadcast;
  exports org.hlo4j.builder.lib;
}
