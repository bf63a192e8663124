import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import { SCORING_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { ScoringMetrics } from './metrics.ts';
import { loadModel, MANIFEST_FILE, type Model } from './load-model.ts';
import type { Manifest } from './manifest.ts';

/** The model of one folder, as of the latest valid version of its files. */
export interface WatchedModel {
  /** Undefined until a model is loaded. */
  readonly model: Model | undefined;
  stop(): void;
}

export interface WatchOptions {
  folder: string;
  /** A `challenger` is optional, and is dropped when its files are deleted. */
  role: 'current' | 'challenger';
  clock: Clock;
  logger: Logger;
  metrics: Pick<ScoringMetrics, 'modelLoads' | 'modelInfo'>;
  /** Called with the manifest of each model that is loaded. */
  onLoaded: (manifest: Manifest) => void;
}

/**
 * Loads the model of a folder, and again whenever the folder's files change. A model is verified before one assignment
 * replaces the old one, so one model scores each batch. An invalid model is logged once and the old one stays in use.
 * Resolves after the first check.
 *
 * A change takes effect once two checks in a row find the same files, so a half-written package is not loaded.
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
        logger.info({ ...about, version: outcome.model.version }, 'loaded a model');
        onLoaded(outcome.model.manifest);
        break;
      case 'refused':
        logger.error({ ...about, reason: outcome.reason }, 'refused a model; the model in use stays');
        break;
      case 'absent':
        if (role === 'challenger') use(undefined);
        else logger.error(about, 'the model folder has no model; the model in use stays');
        break;
    }
  }

  async function look(): Promise<void> {
    const now = await fingerprint(folder);
    const isStable = now === seen;
    seen = now;
    if (isStable && now !== validated) {
      validated = now;
      await load();
    }
    if (!stopped) again();
  }

  function again(): void {
    cancel = nextTick(clock, SCORING_LIMITS.modelCheckMs, () => void look());
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

/** Changes with every change of a package's manifest or artifacts, even if size and time stay the same. */
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
