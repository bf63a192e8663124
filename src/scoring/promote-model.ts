import { copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadModel, MANIFEST_FILE } from './load-model.ts';

/** Folder of the previous model, inside the folder of the current one. */
export const PREVIOUS_FOLDER = 'previous';

const CARD_FILE = 'MODEL_CARD.md';

/** The files of a package in memory. */
interface Package {
  artifactFile: string;
  artifact: Buffer;
  manifest: Buffer;
  card: Buffer | undefined;
}

export type PromoteOutcome = { kind: 'promoted'; version: string } | { kind: 'refused'; reason: string };

/**
 * Verifies a package and makes it the current model in `folder`; the old one moves to `previous/`. The new artifact is
 * written next to the old one. Then one rename replaces the manifest, so a reader sees either package complete. If the
 * package came from `challenger/` or `previous/` in `folder`, that folder is deleted.
 */
export async function promoteModel(from: string, folder: string): Promise<PromoteOutcome> {
  const checked = await loadModel(from);
  if (checked.kind === 'absent') return { kind: 'refused', reason: `there is no model in ${from}` };
  if (checked.kind === 'refused') return checked;
  const { version } = checked.model;
  const next = await readPackage(from);
  const artifactFile = `model-${version}.onnx`;
  const manifest: { artifact: object } = JSON.parse(next.manifest.toString('utf8'));
  const renamed = { ...manifest, artifact: { ...manifest.artifact, file: artifactFile } };

  await mkdir(folder, { recursive: true });
  if ((await loadModel(folder)).kind === 'loaded') await keepPrevious(folder);
  await replaceFile(join(folder, artifactFile), next.artifact);
  await replaceFile(join(folder, MANIFEST_FILE), Buffer.from(`${JSON.stringify(renamed, null, 2)}\n`));
  if (next.card !== undefined) await replaceFile(join(folder, CARD_FILE), next.card);
  await deleteOldArtifacts(folder, artifactFile);
  const isBelow = resolve(from).startsWith(`${resolve(folder)}/`);
  // `previous/` now has the model that was current until now.
  if (isBelow && resolve(from) !== resolve(folder, PREVIOUS_FOLDER)) await rm(from, { recursive: true });
  return { kind: 'promoted', version };
}

async function readPackage(folder: string): Promise<Package> {
  const manifest = await readFile(join(folder, MANIFEST_FILE));
  const { artifact }: { artifact: { file: string } } = JSON.parse(manifest.toString('utf8'));
  return {
    artifactFile: artifact.file,
    artifact: await readFile(join(folder, artifact.file)),
    manifest,
    card: await readFile(join(folder, CARD_FILE)).catch(() => undefined),
  };
}

/** Copies the current package to `previous/` atomically. */
async function keepPrevious(folder: string): Promise<void> {
  const kept = await readPackage(folder);
  const half = join(folder, `.${PREVIOUS_FOLDER}.new`);
  await rm(half, { recursive: true, force: true });
  await mkdir(half);
  for (const name of [kept.artifactFile, MANIFEST_FILE]) await copyFile(join(folder, name), join(half, name));
  if (kept.card !== undefined) await copyFile(join(folder, CARD_FILE), join(half, CARD_FILE));
  await rm(join(folder, PREVIOUS_FOLDER), { recursive: true, force: true });
  await rename(half, join(folder, PREVIOUS_FOLDER));
}

/** Deletes artifacts that the manifest no longer names. */
async function deleteOldArtifacts(folder: string, inUse: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('model') && name.endsWith('.onnx') && name !== inUse) await rm(join(folder, name));
  }
}

/** Writes a file atomically and syncs it first. */
async function replaceFile(path: string, data: Buffer): Promise<void> {
  const half = `${path}.new`;
  const file = await open(half, 'w');
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(half, path);
}
