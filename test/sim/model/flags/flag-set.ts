import type { FlagDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../../../core/vocabulary/documents/experiments.ts';
import type { Holdout } from '../../../../core/vocabulary/documents/game.ts';

/** Flags that are not archived, by key, with what else decides for players. */
export interface ModelFlags extends ReadonlyMap<string, FlagDocument> {
  /** The experiments that run or are paused, by flag. */
  readonly experiments?: ReadonlyMap<string, ExperimentDocument>;
  /** The players who are in no experiment of the game. */
  readonly holdout?: Holdout | undefined;
}
