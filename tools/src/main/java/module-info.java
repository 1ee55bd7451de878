/** The command line {@code hlo4j}: runs, verifies, prints, tests, benchmarks and traces files. */
module org.hlo4j.tools {
  requires org.hlo4j.check;
  requires org.hlo4j.hlo;
  requires org.hlo4j.interpreter;
  requires org.hlo4j.pjrt;
  requires org.hlo4j.stablehlo;
  requires com.google.gson;
  requires info.picocli;
  requires jdk.management;

  opens org.hlo4j.tools to
      info.picocli;
  opens org.hlo4j.tools.command to
      info.picocli;
  opens org.hlo4j.tools.console to
      info.picocli;
  opens org.hlo4j.tools.input to
      info.picocli;
  opens org.hlo4j.tools.program to
      info.picocli;
  opens org.hlo4j.tools.system to
      info.picocli;
}
