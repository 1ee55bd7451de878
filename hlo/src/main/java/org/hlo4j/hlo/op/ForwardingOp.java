package org.hlo4j.hlo.op;

/**
 * An op whose result is made of values that are there already: an operand or a part of one, an
 * argument, a constant, what a called computation gives, what a queue holds. An evaluator needs no
 * room for the result, and but for {@link Reshape} the result has the sizes that those values have.
 */
public sealed interface ForwardingOp extends Op
    permits AddDependency,
        AfterAll,
        AllGatherDone,
        AllReduceDone,
        AsyncDone,
        AsyncStart,
        AsyncUpdate,
        Call,
        CollectivePermuteDone,
        Conditional,
        Constant,
        Copy,
        CopyDone,
        CopyStart,
        Domain,
        Fusion,
        GetTupleElement,
        Infeed,
        OptBarrier,
        Outfeed,
        Parameter,
        RecvDone,
        Reshape,
        Send,
        SendDone,
        Tuple,
        While {}
