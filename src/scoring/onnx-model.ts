import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Thresholds } from './buckets.ts';
import { FEATURES } from './features.ts';

/** An ONNX graph at work. */
export interface OnnxModel {
  /** What it carries as a constant output. */
  readonly thresholds: Thresholds;
  /**
   * Scores rows: `features` holds six float32 numbers for each of `scores`, which is filled. Both must be left alone until it
   * resolves. Rejects when the runtime fails, or answers something that is no probability.
   */
  readonly run: (features: Float32Array, scores: Float32Array) => Promise<void>;
}

/** One thread: trees take microseconds, and a pool of threads would take them from the event loop's core. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
};

/**
 * Opens an artifact: input `features`, float32 [N, 6]; outputs `score`, float32 [N], and `thresholds`, float32 [3]. The native
 * runtime is loaded here and nowhere earlier, so a process that scores nothing never needs it. Rejects with the reason. A model
 * that is no longer used is freed with its last reference.
 */
export async function openOnnxModel(artifact: Uint8Array): Promise<OnnxModel> {
  const { InferenceSession: Session, Tensor: Numbers } = await import('onnxruntime-node');
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
      // Given a tensor for the output, the runtime writes there instead of into memory of its own.
      await session.run(input(features, rows), { score: new Numbers('float32', scores, [rows]) });
      for (const score of scores) {
        if (!(score >= 0 && score <= 1)) throw new Error(`the model answered ${score}, which is no probability`);
      }
    },
  };
}

function thresholdsOf(tensor: Tensor | undefined): Thresholds {
  const data = tensor?.data;
  if (!(data instanceof Float32Array) || data.length !== 3) throw new Error('the model carries no three thresholds');
  const [top_1pct = NaN, top_5pct = NaN, top_10pct = NaN] = data;
  // Anything else would leave a bucket that no score can be in.
  if (!(top_1pct < 1 && top_1pct > top_5pct && top_5pct > top_10pct && top_10pct > 0)) {
    throw new Error(`the model's thresholds do not descend between 1 and 0: ${[...data].join(', ')}`);
  }
  return { top_1pct, top_5pct, top_10pct };
}
