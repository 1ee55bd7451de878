/** XLA's CPUs, GPUs and TPUs through PJRT plugins, called by {@code java.lang.foreign}. */
module org.hlo4j.pjrt {
  requires transitive org.hlo4j.interpreter;
  requires org.hlo4j.stablehlo;
  requires static com.google.errorprone.annotations;

  exports org.hlo4j.pjrt;
}
