/** What hlo4j is like to use: one runnable main a file, shortest first. */
module org.hlo4j.examples {
  requires java.net.http;
  requires jdk.httpserver;
  requires org.hlo4j.builder;
  requires org.hlo4j.interpreter;
  requires org.hlo4j.pjrt;
  requires org.hlo4j.stablehlo;

  exports org.hlo4j.examples;
}
