package org.hlo4j.interpreter.compiled.passes;

import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** A classification of ops by what the passes may do with them. */
enum OpFamily {
  /** Has an effect, or depends on when it runs: stays, in order. */
  EFFECT,
  /** Runs computations, and has their effects. */
  CONTROL,
  /** Names, groups or forwards values. */
  PLUMBING,
  /** Computes each element from the operands' elements at the same index. */
  ELEMENTWISE,
  /** Moves elements, or computes them from their index. */
  MOVEMENT,
  /** Any other function of the operands. */
  OTHER;

  static OpFamily of(Op op) {
    return switch (op) {
      case AddDependency o -> EFFECT;
      case AfterAll o -> EFFECT;
      case AllGatherDone o -> EFFECT;
      case AllReduceDone o -> EFFECT;
      case AsyncDone o -> EFFECT;
      case AsyncStart o -> EFFECT;
      case AsyncUpdate o -> EFFECT;
      case Collective o -> EFFECT;
      case CollectivePermuteDone o -> EFFECT;
      case CollectiveStart o -> EFFECT;
      case CopyDone o -> EFFECT;
      case CopyStart o -> EFFECT;
      case CustomCall o -> EFFECT;
      case Infeed o -> EFFECT;
      case Outfeed o -> EFFECT;
      case Recv o -> EFFECT;
      case RecvDone o -> EFFECT;
      case Rng o -> EFFECT;
      case RngGetAndUpdateState o -> EFFECT;
      case Send o -> EFFECT;
      case SendDone o -> EFFECT;
      case DynamicReshape o -> EFFECT; // may refuse sizes
      case SetDimensionSize o -> EFFECT; // may refuse a size

      case Call o -> CONTROL;
      case Conditional o -> CONTROL;
      case Fusion o -> CONTROL;
      case While o -> CONTROL;

      case Constant o -> PLUMBING;
      case Copy o -> PLUMBING;
      case Domain o -> PLUMBING;
      case GetTupleElement o -> PLUMBING;
      case OptBarrier o -> PLUMBING;
      case Parameter o -> PLUMBING;
      case Tuple o -> PLUMBING;

      case BitcastConvert o -> ELEMENTWISE;
      case Clamp o -> ELEMENTWISE;
      case Compare o -> ELEMENTWISE;
      case Convert o -> ELEMENTWISE;
      case Elementwise o -> ELEMENTWISE;
      case ReducePrecision o -> ELEMENTWISE;
      case Select o -> ELEMENTWISE;
      case StochasticConvert o -> ELEMENTWISE;

      case Bitcast o -> MOVEMENT;
      case Broadcast o -> MOVEMENT;
      case Concatenate o -> MOVEMENT;
      case DynamicSlice o -> MOVEMENT;
      case DynamicUpdateSlice o -> MOVEMENT;
      case Gather o -> MOVEMENT;
      case Iota o -> MOVEMENT;
      case Pad o -> MOVEMENT;
      case Reshape o -> MOVEMENT;
      case Reverse o -> MOVEMENT;
      case Slice o -> MOVEMENT;
      case Transpose o -> MOVEMENT;

      case BatchNormGrad o -> OTHER;
      case BatchNormInference o -> OTHER;
      case BatchNormTraining o -> OTHER;
      case Cholesky o -> OTHER;
      case Convolution o -> OTHER;
      case Dot o -> OTHER;
      case Fft o -> OTHER;
      case GetDimensionSize o -> OTHER;
      case Map o -> OTHER;
      case PartitionId o -> OTHER;
      case RaggedDot o -> OTHER;
      case Reduce o -> OTHER;
      case ReduceWindow o -> OTHER;
      case ReplicaId o -> OTHER;
      case RngBitGenerator o -> OTHER;
      case ScaledDot o -> OTHER;
      case Scan o -> OTHER;
      case Scatter o -> OTHER;
      case SelectAndScatter o -> OTHER;
      case Sort o -> OTHER;
      case Topk o -> OTHER;
      case TriangularSolve o -> OTHER;
    };
  }
}
