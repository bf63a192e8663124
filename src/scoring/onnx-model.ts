import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Thresholds } from './buckets.ts';
import { FEATURES } from './features.ts';
import { loadOnnxRuntime } from './onnx-runtime.ts';

/** An ONNX graph that is ready to run. */
export interface OnnxModel {
  /** A constant output of the graph. */
  readonly thresholds: Thresholds;
  /**
   * Fills `scores` from `features`, which has six float32 numbers for each score. Do not change either until it
   * resolves. Rejects if the runtime fails or a score is not a probability.
   */
  readonly run: (features: Float32Array, scores: Float32Array) => Promise<void>;
}

/** One thread: trees take microseconds, and a pool of threads would compete with the event loop for its core. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
};

/**
 * Opens an artifact: input `features`, float32 [N, 6]; outputs `score`, float32 [N], and `thresholds`, float32 [3].
 * Loads the native runtime at the first call, so a process without scoring never needs it. Rejects with the reason. A
 * model is freed with its last reference.
 */
export async function openOnnxModel(artifact: Uint8Array): Promise<OnnxModel> {
  const { InferenceSession: Session, Tensor: Numbers } = await loadOnnxRuntime();
  const session = await Session.create(artifact, SESSION_OPTIONS);
  const input = (features: Float32Array, rows: number): { features: Tensor } => ({
    features: new Numbers('float32', features, [rows, FEATURES.length]),
  });
  const outputs = await session.run(input(new Float32Array(FEATURES.length), 1), ['thresholds']);
  const thresholds = thresholdsOf(outputs['thresholds']);

  return {
    thresholds,
    async run(features, scores) {
      const rows = scores.length;
      // With a tensor for the output, the runtime writes to it instead of allocating memory.
      await session.run(input(features, rows), { score: new Numbers('float32', scores, [rows]) });
      for (const score of scores) {
        if (!(score >= 0 && score <= 1)) throw new Error(`the model returned ${score}, which is not a probability`);
      }
    },
  };
}

function thresholdsOf(tensor: Tensor | undefined): Thresholds {
  const data = tensor?.data;
  if (!(data instanceof Float32Array) || data.length !== 3) throw new Error('the model must have three thresholds');
  const [top_1pct = NaN, top_5pct = NaN, top_10pct = NaN] = data;
  // Otherwise a bucket would be empty.
  if (!(top_1pct < 1 && top_1pct > top_5pct && top_5pct > top_10pct && top_10pct > 0)) {
    throw new Error(`the model's thresholds must descend between 1 and 0, but are ${[...data].join(', ')}`);
  }
  return { top_1pct, top_5pct, top_10pct };
}
