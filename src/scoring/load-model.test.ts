import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bucketOf } from './buckets.ts';
import { FEATURES, writeRow } from './features.ts';
import { loadModel } from './load-model.ts';
import { SHIPPED, shippedManifest, writePackage } from './testing-packages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reasonOf = async (): Promise<string> => {
  const outcome = await loadModel(folder);
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind;
};

describe('loading a model', () => {
  it('loads the shipped package, whose thresholds equal those of its manifest', async () => {
    const outcome = await loadModel(SHIPPED);
    if (outcome.kind !== 'loaded') throw new Error(JSON.stringify(outcome));
    const { model } = outcome;
    expect(model.version).toBe(shippedManifest().model_version);
    expect(model.thresholds).toEqual(shippedManifest().thresholds);
  });

  it('fills exactly the given scores, in reused memory', async () => {
    const outcome = await loadModel(SHIPPED);
    if (outcome.kind !== 'loaded') throw new Error(JSON.stringify(outcome));
    const { run, thresholds } = outcome.model;
    const rows = shippedManifest().golden_rows;
    const features = new Float32Array(64 * FEATURES.length).fill(NaN);
    const scores = new Float32Array(64).fill(7);
    for (const row of rows) {
      writeRow(features, 0, row.features);
      await run(features.subarray(0, FEATURES.length), scores.subarray(0, 1));
      expect(Math.abs((scores[0] ?? NaN) - row.score), row.name).toBeLessThanOrEqual(1e-6);
      expect(bucketOf(scores[0] ?? NaN, thresholds), row.name).toBe(row.bucket);
    }
    expect([...scores.subarray(1)]).toEqual(Array.from({ length: 63 }, () => 7));
  });

  it('loads a package with a note as another version', async () => {
    const version = writePackage(folder, 'a note');
    expect(version).not.toBe(shippedManifest().model_version);
    expect(await loadModel(folder)).toMatchObject({ kind: 'loaded', model: { version } });
  });

  it('loads the native runtime at the first model, not before', async () => {
    const script = `
      const isNative = () => process.report.getReport().sharedObjects.some((path) => path.includes('onnxruntime'));
      await import(${JSON.stringify(join(import.meta.dirname, 'scorer.ts'))});
      await import(${JSON.stringify(join(import.meta.dirname, '../api/routes.ts'))});
      const { loadModel } = await import(${JSON.stringify(join(import.meta.dirname, 'load-model.ts'))});
      const before = isNative();
      await loadModel(${JSON.stringify(SHIPPED)});
      console.log(before, isNative());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe('false true');
  });

  it('reports a missing model as absent', async () => {
    expect(await loadModel(folder)).toEqual({ kind: 'absent' });
    expect(await loadModel(join(folder, 'nowhere'))).toEqual({ kind: 'absent' });
  });

  it('refuses an artifact with another digest than the manifest', async () => {
    writePackage(folder);
    writeFileSync(join(folder, 'model.onnx'), readFileSync(join(folder, 'model.onnx')).fill(0, 500, 600));
    expect(await reasonOf()).toContain('digest');
  });

  it('refuses a version that is not the start of the digest', async () => {
    writePackage(folder, '', (manifest) => ({ ...manifest, model_version: '0123456789ab' }));
    expect(await reasonOf()).toContain('digest');
  });

  it('refuses a golden row with another score or another bucket', async () => {
    writePackage(folder, '', (manifest) => ({
      ...manifest,
      golden_rows: manifest.golden_rows.map((row) => ({ ...row, score: row.score + 2e-6 })),
    }));
    expect(await reasonOf()).toContain('golden row');
    writePackage(folder, '', (manifest) => ({
      ...manifest,
      golden_rows: manifest.golden_rows.map((row) => ({ ...row, bucket: 'rest' })),
    }));
    expect(await reasonOf()).toContain('golden row');
  });

  it('refuses a manifest with other thresholds than the artifact', async () => {
    writePackage(folder, '', (manifest) => ({ ...manifest, thresholds: { ...manifest.thresholds, top_1pct: 0.3 } }));
    expect(await reasonOf()).toContain('thresholds');
  });

  it('refuses other features, another order of features, and an invalid manifest', async () => {
    writePackage(folder, '', (manifest) => ({ ...manifest, features: manifest.features.toReversed() }));
    expect(await reasonOf()).toContain('other features');
    writePackage(folder);
    writeFileSync(join(folder, 'manifest.json'), '{"manifest_version":1');
    expect(await reasonOf()).toContain('not JSON');
    writeFileSync(join(folder, 'manifest.json'), '{"manifest_version":2}');
    expect(await reasonOf()).toContain('manifest');
  });

  it('refuses a file that is not a model, and a path outside the folder', async () => {
    writePackage(folder);
    rmSync(join(folder, 'model.onnx'));
    expect(await reasonOf()).toContain('model.onnx is missing');
    writePackage(folder, '', (manifest) => ({
      ...manifest,
      artifact: { ...manifest.artifact, file: '../model.onnx' },
    }));
    expect(await reasonOf()).toContain('manifest');
  });
});
