import { uuidv5 } from '../../../core/kernel/ids.ts';
import type { Play } from './made-play.ts';

const MADE_IDS = '0e0b4c1e-19d1-4f51-9a4e-6a1d6b2f0c55';

/** An id as products make them, which follows from the play. */
export const madeId = (product: string, { number }: Play): string => uuidv5(MADE_IDS, `${product}\n${number}`);

export const sessionUuid = ({ player, sessionStartMs }: Play): string =>
  uuidv5(MADE_IDS, `${player}\n${sessionStartMs}`);

/** The player as products without users know it: always by one id. */
export const steadyId = ({ account, player }: Play): string => account ?? `device-${player}-0`;

export const seconds = (ms: number): number => Math.floor(ms / 1_000);
