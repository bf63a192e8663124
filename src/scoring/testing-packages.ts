import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScoreFeatures } from '../../core/vocabulary/records/score-record.ts';
import type { Manifest } from './manifest.ts';

/** The model package in the repository. */
export const SHIPPED = fileURLToPath(new URL('../../models/first-user-conversion', import.meta.url));

export const shippedManifest = (): Manifest => JSON.parse(readFileSync(join(SHIPPED, 'manifest.json'), 'utf8'));

/**
 * Writes the shipped package to a folder, file by file like training. A note changes the artifact but not its scores:
 * it becomes the graph's `doc_string` (field 6 of ModelProto), which may be anywhere in the file.
 * @param change changes the manifest
 * @returns the version of the package
 */
export function writePackage(
  folder: string,
  note = '',
  change: (manifest: Manifest) => Manifest = (same) => same,
): string {
  const text = Buffer.from(note);
  const docString = note === '' ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x32, text.length]), text]);
  const artifact = Buffer.concat([readFileSync(join(SHIPPED, 'model.onnx')), docString]);
  const sha256 = createHash('sha256').update(artifact).digest('hex');
  const shipped = shippedManifest();
  const manifest = { ...shipped, model_version: sha256.slice(0, 12), artifact: { ...shipped.artifact, sha256 } };
  mkdirSync(folder, { recursive: true });
  replaceFile(join(folder, 'model.onnx'), artifact);
  replaceFile(join(folder, 'manifest.json'), JSON.stringify(change(manifest)));
  return manifest.model_version;
}

/** Replaces a file atomically, like training. */
export function replaceFile(path: string, data: string | Uint8Array): void {
  writeFileSync(`${path}.new`, data);
  renameSync(`${path}.new`, path);
}

export function someFeatures(some: Partial<ScoreFeatures> = {}): ScoreFeatures {
  return {
    loot_distinct_types: 1,
    sess_duration_total: 600,
    match_avg_fight_time: 99,
    match_wins: 1,
    install_hour: 16,
    vpay_count: 3,
    ...some,
  };
}
