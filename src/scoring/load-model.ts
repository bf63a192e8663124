import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketOf, type Thresholds } from './buckets.ts';
import { FEATURES, writeRow } from './features.ts';
import { parseManifest, type Manifest } from './manifest.ts';
import { openOnnxModel, type OnnxModel } from './onnx-model.ts';

/** A model that was checked and may answer. */
export interface Model {
  /** First 12 hex characters of the artifact's SHA-256. */
  readonly version: string;
  readonly thresholds: Thresholds;
  readonly manifest: Manifest;
  readonly run: OnnxModel['run'];
}

export type LoadOutcome = { kind: 'loaded'; model: Model } | { kind: 'absent' } | { kind: 'refused'; reason: string };

export const MANIFEST_FILE = 'manifest.json';

/** How far a golden row's score may be from what Python got. */
const GOLDEN_TOLERANCE = 1e-6;

/**
 * Loads a package: the manifest, the artifact whose digest it names, and its golden rows, which must come out as they did in
 * Python, to 1e-6 and bucket by bucket. What fails any of this is refused with the reason; no manifest at all is `absent`.
 */
export async function loadModel(folder: string): Promise<LoadOutcome> {
  const text = await readIfThere(join(folder, MANIFEST_FILE));
  if (text === undefined) return { kind: 'absent' };
  const manifest = parseManifest(text.toString('utf8'));
  if (typeof manifest === 'string') return { kind: 'refused', reason: manifest };
  const artifact = await readIfThere(join(folder, manifest.artifact.file));
  if (artifact === undefined) return { kind: 'refused', reason: `there is no ${manifest.artifact.file}` };
  const digest = createHash('sha256').update(artifact).digest('hex');
  if (digest !== manifest.artifact.sha256 || digest.slice(0, 12) !== manifest.model_version) {
    return { kind: 'refused', reason: `the artifact's digest, ${digest}, is not the one its manifest names` };
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

/** The manifest's thresholds are a copy for readers; they must be the artifact's, or people would be told others. */
function thresholdFault({ manifest, thresholds }: Model): string | undefined {
  const { top_1pct, top_5pct, top_10pct } = manifest.thresholds;
  const isSame =
    top_1pct === thresholds.top_1pct && top_5pct === thresholds.top_5pct && top_10pct === thresholds.top_10pct;
  return isSame ? undefined : `its thresholds are ${JSON.stringify(thresholds)}, not those its manifest tells`;
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
      return `the golden row "${name}" scores ${ours} (${bucketOf(ours, thresholds)}), not ${score} (${bucket})`;
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
