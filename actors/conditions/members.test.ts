import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import type { Subject } from '../decision/targeting.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';
import { metered } from './steps.ts';

const memberOf = (segmentId: string) => ({ segmentId, segmentKey: segmentId, since: 0 });
const EXISTING = new Set(['seg_a', 'seg_b', 'seg_c']);
const lookup = { computed: () => undefined, hasSegment: (id: string) => EXISTING.has(id) };

function compiled(condition: JsonObject) {
  const made = compileCondition(condition, { lookup, context: true });
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
  return made;
}

function holds(condition: JsonObject, player: Partial<Subject['player']> = {}, context?: JsonObject): boolean {
  const subject = { player: aPlayer(player), nowMs: 0, ...(context === undefined ? {} : { context }) };
  return metered(() => compiled(condition).condition.matches(subject));
}

function faultsOf(condition: JsonObject): string[] {
  const made = compileCondition(condition, { lookup });
  const faults = made.kind === 'invalid' ? made.faults : made.refusals;
  return faults.map(({ path, message }) => `${path} ${message}`);
}

describe('$inSegment', () => {
  const inA = { segments: [memberOf('seg_a')] };

  it.each<[JsonObject, boolean, boolean]>([
    [{ $inSegment: ['seg_a'] }, true, false],
    [{ $inSegment: ['seg_b'] }, false, false],
    [{ $inSegment: ['seg_b', 'seg_a'] }, true, false],
    [{ $not: { $inSegment: ['seg_a'] } }, false, true],
    [{ $not: { $inSegment: ['seg_b'] } }, true, true],
    [{ $nor: [{ $inSegment: ['seg_a'] }, { $inSegment: ['seg_b'] }] }, false, true],
    [{ $or: [{ $inSegment: ['seg_a'] }, { is_payer: true }] }, true, false],
    [{ $and: [{ $inSegment: ['seg_a'] }, { $not: { $inSegment: ['seg_b'] } }] }, true, false],
    [{ $inSegment: ['seg_a'], is_payer: true }, false, false],
  ])('%j', (condition, ofMember, ofNobody) => {
    expect([holds(condition, inA), holds(condition)]).toEqual([ofMember, ofNobody]);
  });

  it('does not hold for a segment that is gone, negated or not', () => {
    const gone = { segments: [memberOf('seg_gone')] };
    const nobody: JsonObject[] = [
      { $inSegment: ['seg_gone'] },
      { $not: { $inSegment: ['seg_gone'] } },
      { $not: { $inSegment: ['seg_a', 'seg_gone'] } },
      { $nor: [{ is_payer: true }, { $inSegment: ['seg_gone'] }] },
      { $not: { $not: { $inSegment: ['seg_gone'] } } },
      { $not: { $and: [{ is_payer: true }, { $inSegment: ['seg_gone'] }] } },
    ];
    expect(nobody.map((condition) => holds(condition))).toEqual(nobody.map(() => false));
    expect(holds({ $not: { $inSegment: ['seg_gone'] } }, gone)).toBe(false);
    // A part without negation beside it still decides.
    expect(holds({ $or: [{ $not: { $inSegment: ['seg_gone'] } }, { is_payer: false }] })).toBe(true);
  });

  it('asks the subject, if that decides memberships', () => {
    const { condition } = compiled({ $inSegment: ['seg_a'] });
    const subject = { player: aPlayer(inA), nowMs: 0, isMember: (id: string) => id === 'seg_b' };
    expect(condition.matches(subject)).toBe(false);
    expect(compiled({ $inSegment: ['seg_b'] }).condition.matches(subject)).toBe(true);
  });

  it('says in an explanation which of the segments the player is in', () => {
    const made = compiled({ $not: { $inSegment: ['seg_b', 'seg_a'] } });
    expect(made.explain({ player: aPlayer(inA), nowMs: 0 })).toEqual({
      holds: false,
      tests: [
        { path: '/$not', name: '$not', holds: false },
        { path: '/$not/$inSegment', name: '$inSegment', holds: true, value: ['seg_a'] },
      ],
    });
  });

  it.each<[JsonObject, string]>([
    [{ $inSegment: 'seg_a' }, '/$inSegment must be a list'],
    [{ $inSegment: ['seg_a', 1] }, '/$inSegment/1 must be the id'],
    [{ $inSegment: [] }, '/$inSegment is an empty list'],
    [{ $inSegment: [' '] }, '/$inSegment/0 is an empty text'],
    [{ 'attributes.a': { $inSegment: ['seg_a'] } }, '/attributes.a/$inSegment is an unknown operator'],
    [{ events: { name: 'e', where: { $inSegment: ['seg_a'] }, count: 1 } }, '/events/where/$inSegment must be $and'],
    [
      { 'attributes.a': { $elemMatch: { x: 1, $not: { $inSegment: ['s'] } } } },
      '/attributes.a/$elemMatch/$not/$inSegment must be $and',
    ],
  ])('refuses %j', (condition, fault) => {
    expect(faultsOf(condition)[0]).toContain(fault);
  });
});

describe('$bucket', () => {
  const players = Array.from({ length: 4_000 }, (_, place) => aPlayer({ id: `player-${place}` }));
  const share = (condition: JsonObject): number => {
    const made = compiled(condition).condition;
    return players.filter((player) => made.matches({ player, nowMs: 0 })).length / players.length;
  };

  it('holds for a share of the players, always the same ones', () => {
    expect(share({ $bucket: { salt: 's', below: 20 } })).toBeCloseTo(0.2, 1);
    expect(share({ $bucket: { salt: 's', below: 0 } })).toBe(0);
    expect(share({ $bucket: { salt: 's', below: 100 } })).toBe(1);
    expect(share({ $bucket: { salt: 's', below: 50 }, $not: { $bucket: { salt: 's', below: 50 } } })).toBe(0);
    expect(share({ $bucket: { salt: 's', below: 50 }, $not: { $bucket: { salt: 's', below: 20 } } })).toBeCloseTo(
      0.3,
      1,
    );
    expect(share({ $bucket: { salt: 's', below: 20 }, $not: { $bucket: { salt: 's', below: 50 } } })).toBe(0);
  });

  it('is independent of another salt', () => {
    expect(share({ $and: [{ $bucket: { salt: 'a', below: 50 } }, { $bucket: { salt: 'b', below: 50 } }] })).toBeCloseTo(
      0.25,
      1,
    );
  });

  it('takes the device of the context, else of the player, and attributes likewise', () => {
    const byDevice = { $bucket: { salt: 's', by: 'device', below: 50 } };
    const ofDevice = (device: string): boolean => holds(byDevice, { deviceId: device });
    const inside = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'].filter(ofDevice);
    const outside = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'].filter((one) => !ofDevice(one));
    expect([inside.length, outside.length]).not.toContain(0);
    expect(holds(byDevice, { deviceId: outside[0] ?? '' }, { device_id: inside[0] ?? '' })).toBe(true);
    const byClan = { $bucket: { salt: 's', by: 'attribute:clan.id', below: 50 } };
    const ofClan = (id: string): boolean => holds(byClan, { attributes: JSON.stringify({ clan: { id } }) });
    expect(ofClan(inside[0] ?? '')).toBe(true);
    expect(ofClan(outside[0] ?? '')).toBe(false);
  });

  it.each<[string, Partial<Subject['player']>]>([
    ['device', { deviceId: null }],
    ['device', { deviceId: '' }],
    ['attribute:clan', {}],
    ['attribute:clan', { attributes: '{"clan":""}' }],
    ['attribute:clan', { attributes: '{"clan":null}' }],
    ['attribute:clan', { attributes: '{"clan":{"id":1}}' }],
    ['attribute:clan', { attributes: JSON.stringify({ clan: 'x'.repeat(257) }) }],
  ])('by %s does not hold without one, negated or not: %j', (by, player) => {
    const below100 = { $bucket: { salt: 's', by, below: 100 } };
    const below0 = { $bucket: { salt: 's', by, below: 0 } };
    const conditions: JsonObject[] = [
      below100,
      below0,
      { $not: below100 },
      { $not: below0 },
      { $nor: [{ is_payer: true }, below0] },
      { $not: { $not: below100 } },
      { $not: { $or: [below0, { is_payer: true }] } },
    ];
    expect(conditions.map((condition) => holds(condition, player))).toEqual(conditions.map(() => false));
  });

  it('shows the bucket in an explanation, null without a key', () => {
    const made = compiled({ $bucket: { salt: 's', by: 'device', below: 100 } });
    const [test] = made.explain({ player: aPlayer({ deviceId: 'd1' }), nowMs: 0 }).tests;
    expect(test).toMatchObject({ path: '/$bucket', name: '$bucket', holds: true });
    expect(Number(test?.value)).toBeGreaterThan(0);
    expect(made.explain({ player: aPlayer({ deviceId: null }), nowMs: 0 }).tests).toEqual([
      { path: '/$bucket', name: '$bucket', holds: false, value: null },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ $bucket: 20 }, '/$bucket must be {"salt"'],
    [{ $bucket: { salt: 's', below: 20, form: 1 } }, '/$bucket/form must be {"salt"'],
    [{ $bucket: { below: 20 } }, '/$bucket/salt must be a text'],
    [{ $bucket: { salt: 'x'.repeat(65), below: 20 } }, '/$bucket/salt must be a text'],
    [{ $bucket: { salt: '', below: 20 } }, '/$bucket/salt is an empty text'],
    [{ $bucket: { salt: 's' } }, '/$bucket/below must be a percentage'],
    [{ $bucket: { salt: 's', below: 101 } }, '/$bucket/below must be a percentage'],
    [{ $bucket: { salt: 's', below: -1 } }, '/$bucket/below must be a percentage'],
    [{ $bucket: { salt: 's', by: 'guild', below: 20 } }, '/$bucket/by must be player'],
    [{ $bucket: { salt: 's', by: 'attribute:', below: 20 } }, '/$bucket/by has an empty name'],
    [{ $bucket: { salt: 's', by: 'attribute:a..b', below: 20 } }, '/$bucket/by has an empty name'],
  ])('refuses %j', (condition, fault) => {
    expect(faultsOf(condition)[0]).toContain(fault);
  });
});
