import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cancel, Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { loadModel, MANIFEST_FILE, type Model } from './load-model.ts';
import type { Manifest } from './manifest.ts';

/** The model of one folder, as of its files' latest change that could be used. */
export interface WatchedModel {
  /** Undefined until one could be loaded. */
  readonly model: Model | undefined;
  stop(): void;
}

export interface WatchOptions {
  folder: string;
  /** `challenger`: there need not be one, and when its files go, it goes. */
  role: 'current' | 'challenger';
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'modelLoads' | 'modelInfo'>;
  /** Told of each model that is taken into use. */
  onLoaded: (manifest: Manifest) => void;
}

/**
 * Loads the model of a folder, and again whenever the folder's files change: what was loaded is checked whole before it takes
 * the other's place, in one assignment, so every batch is scored by one model. What cannot be used is logged once and changes
 * nothing. Resolves when the first look is done, whatever it found.
 *
 * A change counts once two looks in a row find the same: files that are just being replaced are left to their writer.
 */
export async function watchModel(options: WatchOptions): Promise<WatchedModel> {
  const { folder, role, clock, logger, metrics, onLoaded } = options;
  let model: Model | undefined;
  let stopped = false;
  let cancel: Cancel = () => {};
  let seen = await fingerprint(folder);
  let validated = seen;

  function use(next: Model | undefined): void {
    if (model !== undefined) metrics.modelInfo.remove(role, model.version);
    if (next !== undefined) metrics.modelInfo.set({ role, version: next.version }, 1);
    model = next;
  }

  async function load(): Promise<void> {
    const outcome = await loadModel(folder);
    if (stopped) return;
    const about = { folder, role, in_use: model?.version };
    metrics.modelLoads.inc({ role, outcome: outcome.kind });
    switch (outcome.kind) {
      case 'loaded':
        use(outcome.model);
        logger.info({ ...about, version: outcome.model.version }, 'a model is in use');
        onLoaded(outcome.model.manifest);
        break;
      case 'refused':
        logger.error({ ...about, reason: outcome.reason }, 'a model cannot be used; what is in use stays');
        break;
      case 'absent':
        if (role === 'challenger') use(undefined);
        else logger.error(about, 'there is no model in its folder; what is in use stays');
        break;
    }
  }

  async function look(): Promise<void> {
    const now = await fingerprint(folder);
    const settled = now === seen;
    seen = now;
    if (settled && now !== validated) {
      validated = now;
      await load();
    }
    if (!stopped) again();
  }

  function again(): void {
    cancel = clock.timer(LIMITS.modelLookMs, () => void look());
  }

  await load();
  again();
  return {
    get model() {
      return model;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Changes with every change of a package's manifest and artifacts, also with one that leaves size and time alone. */
async function fingerprint(folder: string): Promise<string> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    return '';
  }
  const files = names.filter((name) => name === MANIFEST_FILE || name.endsWith('.onnx')).toSorted();
  return (await Promise.all(files.map((name) => fileState(join(folder, name))))).join('\n');
}

async function fileState(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return `${path} gone`;
  }
}
