package org.hlo4j.interpreter.compiled.passes;
import org.hlo4j.hlo.ir.HloModule;
final class Fusing implements Pass { Fusing(Generators g) {} public HloModule run(HloModule m, Session s) { return m; } }
