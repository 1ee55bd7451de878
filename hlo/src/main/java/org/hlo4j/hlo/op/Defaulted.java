package org.hlo4j.hlo.op;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An attribute that HLO text leaves out where it says nothing: an empty list, false, a count of 1,
 * or a list of defaults only.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Defaulted {}
