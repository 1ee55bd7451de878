package org.hlo4j.interpreter.compiled.passes;
public interface Generators {}
