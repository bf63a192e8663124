import { describe, expect, it } from 'vitest';
import { FLAG_LIMITS } from '../limits.ts';
import type { ServedNow } from '../../../core/vocabulary/commands/commands.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { aPlayer, definitionsOf } from '../../testing-players.ts';
import { flagsServed, served, servedAnew } from './serve.ts';
import { servedOf } from './served-of.ts';
import { flagsOf } from '../testing-served-flags.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';

const CONTEXT = { game: 'demo', environment: 'live', at: 2_000 } as const;
const TARGETING = flagsOf({ shop: { version: 4 }, xp: {}, ads: {} }).of('demo', 'live');

const now = (flagKey: string, variantKey: string | null, some: Partial<ServedNow> = {}): ServedNow => ({
  flagKey,
  flagVersion: 4,
  period: 1,
  variantKey,
  value: JSON.stringify(variantKey),
  reason: 'percentage_rollout',
  ...(variantKey === null ? {} : { stratum: 10_000 }),
  ...some,
});

/** A player after these evaluations in order, and the keys that became mixed each time. */
function life(...turns: ServedNow[][]) {
  let player: PlayerState = aPlayer();
  const mixed = turns.map((flags) => {
    const facts = served(player, flags, TARGETING, CONTEXT);
    for (const fact of facts) player = flagsServed(player, fact);
    return facts.map((fact) => fact.mixed.join());
  });
  return { player, mixed, shop: servedOf(player, 'shop') };
}

describe('the served variants of a player', () => {
  it('are stored by flag, in order of the keys, and only changes emit a fact', () => {
    const { player, mixed } = life(
      [now('xp', 'a'), now('shop', 'a'), now('ads', null)],
      [now('xp', 'a'), now('shop', 'a')],
      [now('shop', 'a', { period: 2, flagVersion: 9 })],
    );
    expect(player.servedFlags.map(({ flagKey, period }) => [flagKey, period])).toEqual([
      ['ads', 1],
      ['shop', 2],
      ['xp', 1],
    ]);
    expect(mixed).toEqual([[''], [], ['']]);
  });

  it('change only if value, variant, reason or period differ from the stored ones', () => {
    const { player } = life([now('shop', 'a'), now('xp', null, { value: 'true' })]);
    const evaluation = (flagKey: string, variantKey: string | null, some: Partial<FlagEvaluation> = {}) =>
      ({
        flagKey,
        variantKey,
        value: JSON.stringify(variantKey),
        reason: 'percentage_rollout',
        period: 1,
        ...(variantKey === null ? {} : { stratum: 10_000 }),
        ...some,
      }) as const;
    const xp = evaluation('xp', null, { value: 'true' });
    expect(servedAnew(player, [evaluation('shop', 'a'), xp], TARGETING)).toEqual([]);
    expect(servedAnew(player, [xp, evaluation('shop', 'a')], TARGETING)).toEqual([]);
    for (const other of [
      evaluation('shop', 'b'),
      evaluation('shop', 'a', { value: '"other"' }),
      evaluation('shop', 'a', { reason: 'segment_match', segmentId: 'seg_1' }),
      evaluation('ads', null),
    ]) {
      expect(servedAnew(player, [xp, other], TARGETING)).toMatchObject([{ flagKey: other.flagKey }]);
    }
    const off = evaluation('ads', null, { reason: 'flag_disabled' });
    expect(servedAnew(player, [off], TARGETING)).toEqual([]);
    expect(servedAnew({ ...player, environment: 'test' }, [evaluation('shop', 'b')], TARGETING)).toEqual([]);
    expect(servedAnew(player, [evaluation('gone', 'b')], TARGETING)).toEqual([]);
  });

  it('contain no long value: the variant identifies it', () => {
    const value = JSON.stringify('x'.repeat(FLAG_LIMITS.servedValueLength));
    const { player, shop } = life([now('shop', 'a', { value })]);
    expect(shop?.value).toBeNull();
    const evaluation = {
      flagKey: 'shop',
      variantKey: 'a',
      stratum: 10_000,
      value,
      reason: 'percentage_rollout',
      period: 1,
    } as const;
    expect(servedAnew(player, [evaluation], TARGETING)).toEqual([]);
  });

  it('mark the player once when the same period serves a second variant', () => {
    const turns = [now('shop', 'a'), now('shop', null), now('shop', 'b'), now('shop', 'a'), now('shop', 'b')];
    expect(life(...turns.map((one) => [one])).mixed).toEqual([[''], [''], ['shop'], [''], ['']]);
    // A default is no variant, a disabled flag serves none, and another period is another experiment.
    expect(life([now('shop', 'a')], [now('shop', null)], [now('shop', 'a')]).mixed).toEqual([[''], [''], ['']]);
    const off = now('xp', null, { value: 'false', reason: 'flag_disabled' });
    expect(life([now('xp', null, { value: 'true' })], [off]).mixed).toEqual([[''], ['']]);
    expect(life([now('shop', 'a')], [now('shop', 'b', { period: 2 })]).mixed).toEqual([[''], ['']]);
    const back = life([now('shop', 'a')], [now('shop', 'b', { period: 2 })], [now('shop', 'a', { period: 2 })]);
    expect(back.mixed).toEqual([[''], [''], ['shop']]);
  });

  it('do not mark a player for what it got before or after it took part, or with another share', () => {
    const xp = (value: string, stratum?: number, some: Partial<ServedNow> = {}) =>
      now('xp', null, { value, ...(stratum === undefined ? {} : { stratum }), ...some });
    expect(life([xp('false')], [xp('true', 5_000)], [xp('false')]).mixed).toEqual([[''], [''], ['']]);
    expect(life([xp('false', 1_000)], [xp('true', 5_000)]).mixed).toEqual([[''], ['']]);
    const forced = xp('true', undefined, { reason: 'player_override' });
    expect(life([forced], [xp('false', 5_000)]).mixed).toEqual([[''], ['xp']]);
    expect(life([forced], [xp('true')]).mixed).toEqual([[''], ['']]);
    // Entering an audience with the same value is a change: from then on the player counts.
    expect(life([xp('false')], [xp('false', 5_000)]).player.servedFlags).toMatchObject([
      { stratum: 5_000, changes: 1 },
    ]);
  });

  it('mark a player whom an override gives any variant beside a draw, also the one that was drawn', () => {
    const drawn = now('shop', 'a', { stratum: 10_000 });
    const forced = (variantKey: string | null): ServedNow => {
      const { stratum: _, ...undrawn } = now('shop', variantKey, { value: '"x"', reason: 'player_override' });
      return undrawn;
    };
    for (const override of [forced('a'), forced('b'), forced(null)]) {
      expect(life([drawn], [override], [drawn]).mixed).toEqual([[''], ['shop'], ['']]);
      expect(life([override], [drawn]).mixed).toEqual([[''], ['shop']]);
    }
    expect(life([drawn], [{ ...forced('a'), period: 2 }]).mixed).toEqual([[''], ['']]);
    const off = now('shop', null, { reason: 'flag_disabled' });
    expect(life([drawn], [off], [forced('a')]).mixed).toEqual([[''], [''], ['shop']]);
  });

  it('include the latest earlier variants, each with its period and version', () => {
    const { shop } = life(
      [now('shop', 'a')],
      [now('shop', 'b')],
      [now('shop', 'c', { period: 2 })],
      [now('shop', 'd')],
    );
    expect(shop?.earlier.map(({ variant, period }) => [variant, period])).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('drop deleted flags when the limit is reached', () => {
    const kept = Array.from({ length: FLAG_LIMITS.servedFlags }, (_, turn): ServedFlag => {
      const flagKey = turn === 0 ? 'ads' : `gone-${turn}`;
      return { ...now(flagKey, 'a'), changes: 0, mixed: false, earlier: [] };
    });
    const full = aPlayer({ servedFlags: kept });
    const [fact] = served(full, [now('shop', 'a')], TARGETING, CONTEXT);
    if (fact === undefined) throw new Error('nothing was served');
    expect(flagsServed(full, fact).servedFlags.map(({ flagKey }) => flagKey)).toEqual(['ads', 'shop']);
    expect(served(full, [now('ads', 'b')], definitionsOf().of('demo', 'live'), CONTEXT)).toHaveLength(1);
  });
});
