import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketOf, type Thresholds } from './buckets.ts';
import { FEATURES, writeRow } from './features.ts';
import { parseManifest, type Manifest } from './manifest.ts';
import { openOnnxModel, type OnnxModel } from './onnx-model.ts';

/** A verified model. */
export interface Model {
  /** First 12 hex characters of the artifact's SHA-256. */
  readonly version: string;
  readonly thresholds: Thresholds;
  readonly manifest: Manifest;
  readonly run: OnnxModel['run'];
}

export type LoadOutcome = { kind: 'loaded'; model: Model } | { kind: 'absent' } | { kind: 'refused'; reason: string };

export const MANIFEST_FILE = 'manifest.json';

/** Largest accepted difference between a golden row's score here and in Python. */
const GOLDEN_TOLERANCE = 1e-6;

/**
 * Loads and verifies a package: the manifest, the artifact's digest, and the golden rows, whose scores must equal those
 * of Python within 1e-6 and fall into the same buckets. `absent`: the folder has no manifest.
 */
export async function loadModel(folder: string): Promise<LoadOutcome> {
  const text = await readIfThere(join(folder, MANIFEST_FILE));
  if (text === undefined) return { kind: 'absent' };
  const manifest = parseManifest(text.toString('utf8'));
  if (typeof manifest === 'string') return { kind: 'refused', reason: manifest };
  const artifact = await readIfThere(join(folder, manifest.artifact.file));
  if (artifact === undefined) return { kind: 'refused', reason: `the file ${manifest.artifact.file} is missing` };
  const digest = createHash('sha256').update(artifact).digest('hex');
  if (digest !== manifest.artifact.sha256 || digest.slice(0, 12) !== manifest.model_version) {
    return { kind: 'refused', reason: `the artifact's digest ${digest} differs from the manifest's` };
  }
  try {
    const { thresholds, run } = await openOnnxModel(artifact);
    const model: Model = { version: manifest.model_version, thresholds, manifest, run };
    const wrong = thresholdFault(model) ?? (await goldenFault(model));
    return wrong === undefined ? { kind: 'loaded', model } : { kind: 'refused', reason: wrong };
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The manifest repeats the artifact's thresholds for readers, so the two must be equal. */
function thresholdFault({ manifest, thresholds }: Model): string | undefined {
  const { top_1pct, top_5pct, top_10pct } = manifest.thresholds;
  const isSame =
    top_1pct === thresholds.top_1pct && top_5pct === thresholds.top_5pct && top_10pct === thresholds.top_10pct;
  return isSame ? undefined : `its thresholds ${JSON.stringify(thresholds)} differ from the manifest's`;
}

async function goldenFault({ manifest, thresholds, run }: Model): Promise<string | undefined> {
  const { golden_rows: rows } = manifest;
  const features = new Float32Array(rows.length * FEATURES.length);
  const scores = new Float32Array(rows.length);
  rows.forEach((row, index) => writeRow(features, index, row.features));
  await run(features, scores);
  for (const [index, { name, score, bucket }] of rows.entries()) {
    const ours = scores[index] ?? NaN;
    if (!(Math.abs(ours - score) <= GOLDEN_TOLERANCE) || bucketOf(ours, thresholds) !== bucket) {
      return `the golden row "${name}" scores ${ours} (${bucketOf(ours, thresholds)}) instead of ${score} (${bucket})`;
    }
  }
  return undefined;
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}
