import { join } from 'node:path';
import type { Thresholds } from './buckets.ts';
import type { Model } from './load-model.ts';
import { watchModel, type WatchOptions } from './watched-model.ts';

/** The models in one package folder. */
export interface Models {
  /** The model whose scores are returned. */
  current(): Model | undefined;
  /** The model that scores the same requests for comparison only; undefined if it equals the current one. */
  challenger(): Model | undefined;
  stop(): void;
}

/** What people see of a model. */
export interface LoadedModel {
  name: string;
  version: string;
  /** What it has learned from, in the words of its manifest. */
  trainedOn: string;
  thresholds: Thresholds;
}

/** The models of this process; undefined: none is loaded. */
export interface LoadedModels {
  current: LoadedModel | undefined;
  challenger: LoadedModel | undefined;
}

export function shownModels({ current, challenger }: Pick<Models, 'current' | 'challenger'>): LoadedModels {
  return { current: shownModel(current()), challenger: shownModel(challenger()) };
}

function shownModel(model: Model | undefined): LoadedModel | undefined {
  if (model === undefined) return undefined;
  const { version, thresholds, manifest } = model;
  return { name: manifest.name, version, trainedOn: manifest.training.data, thresholds };
}

/** Folder of the challenger, inside the folder of the current model. */
export const CHALLENGER_FOLDER = 'challenger';

/** Watches a package folder and its challenger. Resolves after the first check of both; either may be missing. */
export async function watchModels(options: Omit<WatchOptions, 'role'>): Promise<Models> {
  const current = await watchModel({ ...options, role: 'current' });
  const challenger = await watchModel({
    ...options,
    folder: join(options.folder, CHALLENGER_FOLDER),
    role: 'challenger',
  });
  return {
    current: () => current.model,
    challenger: () => (challenger.model?.version === current.model?.version ? undefined : challenger.model),
    stop() {
      current.stop();
      challenger.stop();
    },
  };
}
