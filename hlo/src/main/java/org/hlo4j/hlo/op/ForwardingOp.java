package org.hlo4j.hlo.op;

/**
 * An op whose result consists of existing values: an operand or a part of one, an argument, a
 * constant, the result of a called computation, or a value from a queue. An evaluator needs no
 * buffer for the result. Except for {@link Reshape}, the result has the sizes of those values.
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
