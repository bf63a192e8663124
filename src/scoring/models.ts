import { join } from 'node:path';
import type { Model } from './load-model.ts';
import { watchModel, type WatchOptions } from './watched-model.ts';

/** The models of one package folder. */
export interface Models {
  /** The one that answers. */
  current(): Model | undefined;
  /** The one that is scored beside it and answers nobody; undefined too when it is the same. */
  challenger(): Model | undefined;
  stop(): void;
}

/** Where a package that wants to take over lies: in the folder of the one it challenges. */
export const CHALLENGER_FOLDER = 'challenger';

/** Watches a package folder and the challenger in it. Resolves when both were looked at; neither need be there. */
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
