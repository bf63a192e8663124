import type { ExperimentLayer } from '../../../core/vocabulary/documents/experiments.ts';
import type { Holdout } from '../../../core/vocabulary/documents/game.ts';
import { bucketsIn, seededBucket } from '../../conditions/buckets/hash.ts';

/* The shares of players that a layer and a holdout have. */

/**
 * Whether a key is in the range of a layer. Experiments of one layer look at one bucket of a key, so that ranges which
 * do not overlap share no key.
 */
export function layerRange({ key, from, to }: ExperimentLayer): (text: string) => boolean {
  const bucketOf = seededBucket(`${LAYER}${key}`);
  const [first, end] = [bucketsIn(from), bucketsIn(to)];
  return (text) => {
    const bucket = bucketOf(text);
    return bucket >= first && bucket < end;
  };
}

/** Keeps the buckets of a layer apart from those of a flag or experiment with the same text as its salt. */
const LAYER = 'layer:';

/** Whether a holdout has the player. It goes by the id of the player, whatever experiments are drawn by. */
export function createHoldoutTest(): (holdout: Holdout | undefined, playerId: string) => boolean {
  let held: Holdout | undefined;
  let has: (playerId: string) => boolean = () => false;
  return (holdout, playerId) => {
    if (holdout === undefined) return false;
    if (holdout !== held) {
      const bucketOf = seededBucket(holdout.salt);
      const end = bucketsIn(holdout.percentage);
      has = (id) => bucketOf(id) < end;
      held = holdout;
    }
    return has(playerId);
  };
}
