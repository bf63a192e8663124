import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, describe, expect, it } from 'vitest';

interface GoldenRow {
  name: string;
  features: Record<string, number>;
  score: number;
  bucket: string;
}

interface Manifest {
  model_version: string;
  artifact: { file: string; sha256: string };
  features: { name: string; minimum: number; maximum: number | null }[];
  thresholds: Record<string, number>;
  golden_rows: GoldenRow[];
}

const manifest: Manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'manifest.json'), 'utf8'));
const artifact = readFileSync(join(import.meta.dirname, manifest.artifact.file));
const names = manifest.features.map(({ name }) => name);
const { golden_rows: rows } = manifest;

let session: InferenceSession;
beforeAll(async () => {
  // This test opens the artifact without the service's code, which turns the runtime's telemetry off.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  session = await InferenceSession.create(artifact, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
  });
});

/** Scores of golden rows that arrive together, and the thresholds; numbers are float32, widened without loss. */
async function score(batch: readonly GoldenRow[]): Promise<{ scores: number[]; thresholds: number[] }> {
  const features = Float32Array.from(batch.flatMap((row) => names.map((name) => row.features[name]!)));
  const outputs = await session.run({ features: new Tensor('float32', features, [batch.length, names.length]) });
  return { scores: numbers(outputs['score']!), thresholds: numbers(outputs['thresholds']!) };
}

function numbers(tensor: Tensor): number[] {
  if (!(tensor.data instanceof Float32Array)) throw new Error(`a tensor of ${tensor.type}`);
  return [...tensor.data];
}

function bucketOf(value: number, [top1 = NaN, top5 = NaN, top10 = NaN]: number[]): string {
  if (value >= top1) return 'top_1pct';
  if (value >= top5) return 'top_5pct';
  return value >= top10 ? 'top_10pct' : 'rest';
}

describe('the shipped conversion model', () => {
  it('matches the digest and the version in its manifest', () => {
    const digest = createHash('sha256').update(artifact).digest('hex');
    expect(manifest.artifact.sha256).toBe(digest);
    expect(manifest.model_version).toBe(digest.slice(0, 12));
  });

  it('takes the six documented features in their order', () => {
    expect(names).toEqual([
      'loot_distinct_types',
      'sess_duration_total',
      'match_avg_fight_time',
      'match_wins',
      'install_hour',
      'vpay_count',
    ]);
  });

  it('gives golden rows the scores of Python within 1e-6 and exactly the same buckets', async () => {
    const { scores, thresholds } = await score(rows);
    expect(scores).toHaveLength(rows.length);
    for (const [index, row] of rows.entries()) {
      expect(Math.abs(scores[index]! - row.score), row.name).toBeLessThanOrEqual(1e-6);
      expect(bucketOf(scores[index]!, thresholds), row.name).toBe(row.bucket);
    }
  });

  it('contains its thresholds, p99 before p95 before p90', async () => {
    const { thresholds } = await score(rows.slice(0, 1));
    expect(thresholds).toEqual([
      manifest.thresholds['top_1pct'],
      manifest.thresholds['top_5pct'],
      manifest.thresholds['top_10pct'],
    ]);
    expect(thresholds.toSorted((a, b) => b - a)).toEqual(thresholds);
  });

  it.each(['top_1pct', 'top_5pct', 'top_10pct'])(
    'puts a score equal to the threshold into %s, and the next lower one below',
    async (bucket) => {
      const edge = rows.filter(({ name }) => name.endsWith(`the threshold of ${bucket}`));
      expect(edge.map((row) => row.name)).toEqual([
        `exactly the threshold of ${bucket}`,
        `just below the threshold of ${bucket}`,
      ]);
      const { scores } = await score(edge);
      expect(scores[0]).toBe(manifest.thresholds[bucket]);
      expect(edge[0]!.bucket).toBe(bucket);
      expect(scores[1]).toBeLessThan(manifest.thresholds[bucket]!);
      expect(edge[1]!.bucket).not.toBe(bucket);
    },
  );

  it('gives a row the same bits alone, at any position of a batch, and in batches of any size', async () => {
    const alone = await Promise.all(rows.map(async (row) => (await score([row])).scores[0]!));
    for (const size of [2, 3, 7, 16, 64, 257]) {
      const batch = Array.from({ length: size }, (_, place) => (place * 5) % rows.length);
      const { scores } = await score(batch.map((index) => rows[index]!));
      expect(scores, `batch of ${size}`).toEqual(batch.map((index) => alone[index]));
    }
  });

  it('returns probabilities, also for values far outside its training data', async () => {
    const { scores } = await score(rows);
    for (const value of scores) {
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThan(1);
    }
  });
});
