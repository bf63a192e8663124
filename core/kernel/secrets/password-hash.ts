import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createFairTurns } from '../flow/fair-turns.ts';
import { SECRETS_LIMITS } from './limits.ts';

/*
 * Hashes of passwords: scrypt with the cost that OWASP's cheat sheet gives for 64 MiB. The text
 * `scrypt$N$r$p$salt$hash` names its cost, so that a later version may raise it and still check older hashes.
 */

const COST = { N: 2 ** 16, r: 8, p: 2 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The memory that scrypt may take: 128 · N · r, and a little more. */
const MEMORY_BYTES = 2 * 128 * COST.N * COST.r;

/** Whose turn it takes to hash. Lanes take turns, so no caller keeps others from theirs. */
interface HashTurn {
  lane: string;
  /** Whether it is still wanted when its turn comes. */
  isWanted?: () => boolean;
}

/** Hashes passwords on libuv's threads, a few at once. `busy`: too many wait, or it is not wanted any more. */
export interface PasswordHashes {
  hash(password: string, turn?: HashTurn): Promise<{ text: string } | 'busy'>;
  /** `stored`: what `hash` returned; `null` takes as long as a wrong password. */
  matches(password: string, stored: string | null, turn?: HashTurn): Promise<boolean | 'busy'>;
}

export interface PasswordHashOptions {
  atOnce?: number;
  waiting?: number;
  /** Tests pass a low one. */
  cost?: { N: number; r: number; p: number };
}

export function createPasswordHashes(options: PasswordHashOptions = {}): PasswordHashes {
  const { atOnce = leastBusy(), waiting = SECRETS_LIMITS.passwordHashesWaiting, cost = COST } = options;
  const turns = createFairTurns({ atOnce, waiting, waitingOfLane: SECRETS_LIMITS.passwordHashesOfNetwork });

  const inTurn = <T>({ lane, isWanted }: HashTurn, work: () => Promise<T>): Promise<T | 'busy'> =>
    turns.take(lane, async () => (isWanted?.() === false ? 'busy' : work()));

  const none = encode(cost, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));
  return {
    hash: (password, turn = ANY_LANE) =>
      inTurn(turn, async () => {
        const salt = randomBytes(SALT_BYTES);
        return { text: encode(cost, salt, await derive(password, salt, cost)) };
      }),
    matches: (password, stored, turn = ANY_LANE) =>
      inTurn(turn, async () => {
        const held = decode(stored ?? none);
        if (held === undefined) return false;
        const hash = await derive(password, held.salt, held.cost);
        return timingSafeEqual(hash, held.hash) && stored !== null;
      }),
  };
}

const ANY_LANE: HashTurn = { lane: '' };

/** Hashes use at most half of the cores: the others are for the players. */
const leastBusy = (): number =>
  Math.max(1, Math.min(SECRETS_LIMITS.passwordHashes, Math.floor(availableParallelism() / 2)));

type Cost = NonNullable<PasswordHashOptions['cost']>;

function derive(password: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same characters may be typed in two forms of Unicode.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { N, r, p, maxmem: MEMORY_BYTES }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function encode({ N, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

function decode(text: string): { cost: Cost; salt: Buffer; hash: Buffer } | undefined {
  const [name, N, r, p, salt = '', hash = ''] = text.split('$');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const bytes = Buffer.from(hash, 'base64url');
  if (name !== 'scrypt' || bytes.length !== HASH_BYTES || !Object.values(cost).every(Number.isInteger))
    return undefined;
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: bytes };
}
