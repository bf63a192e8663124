import { describe, expect, it } from 'vitest';
import type { CommandBody, RegisterPlayer, TrackItem } from '../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../core/vocabulary/facts/facts.ts';
import { SAMPLES } from '../test/fixtures/codec/samples.ts';
import { id as SAMPLE_ID } from '../test/fixtures/codec/samples/common.ts';
import { PLAYER_LIMITS } from './decision/limits.ts';
import { liveDefinitions } from '../test/support/in-memory/live-definitions.ts';
import { aCommand, aPlayer, definitionsOf } from './testing-players.ts';
import { given } from './testing/harness.ts';

const ID = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const OTHER = '11111111-6f0b-5f8e-9d2c-0d1e2f3a4b5c';

const register = (some: Partial<RegisterPlayer> = {}): RegisterPlayer => ({
  kind: 'RegisterPlayer',
  playerId: ID,
  externalId: 'ext-1',
  createOnly: false,
  byClientKey: false,
  ...some,
});
const item = (some: Partial<TrackItem> = {}): TrackItem => ({
  index: 0,
  playerId: ID,
  eventId: 'e-1',
  remember: true,
  eventName: 'level_up',
  properties: '{"level":2}',
  sessionId: null,
  timestamp: 1_500,
  ...some,
});
const track = (...items: TrackItem[]): CommandBody => ({ kind: 'TrackEvents', items });
/** Their owner stores its position before it answers them without facts; ServeFlags is a command of the owner. */
const BY_DEFINITIONS: ReadonlySet<CommandBody['kind']> = new Set(['ListPlayers', 'ServeFlags']);
const kinds = (facts: readonly DomainFact[]) => facts.map((fact) => fact.kind);

/** The facts of a player registered with these fields. */
const registered = (some: Partial<RegisterPlayer> = {}) =>
  given([]).when(aCommand(register(some), { receivedAt: 1_000 })).facts;

describe('registering a player', () => {
  it('creates a new player', () => {
    const { facts, reply } = given([]).when(aCommand(register({ email: 'a@b.c', attributes: '{"level":3}' })));
    expect(kinds(facts)).toEqual(['PlayerRegistered']);
    expect(reply).toMatchObject({
      kind: 'player',
      created: true,
      player: {
        id: ID,
        email: 'a@b.c',
        deviceId: null,
        lifecycleStage: 'new',
        attributes: '{"level":3}',
        isPayer: false,
      },
    });
  });

  it('updates an existing player: attributes merge', () => {
    const { facts, reply } = given(registered({ attributes: '{"level":3,"country":"DE"}' })).when(
      aCommand(register({ deviceId: 'd1', attributes: '{"level":4,"vip":true}' })),
    );
    expect(facts).toMatchObject([{ kind: 'PlayerUpdated', changed: ['device_id', 'attributes'] }]);
    expect(reply).toMatchObject({
      created: false,
      player: { deviceId: 'd1', attributes: '{"level":4,"country":"DE","vip":true}' },
    });
  });

  it('changes nothing when nothing differs', () => {
    given(registered({ attributes: '{"a":1}' }))
      .when(aCommand(register({ attributes: '{"a":1}' })))
      .thenFacts([])
      .thenReply({ kind: 'player', created: false });
  });

  it('refuses an existing player when the caller requires a new one', () => {
    given(registered())
      .when(aCommand(register({ createOnly: true })))
      .thenFacts([])
      .thenReply({ kind: 'failure', code: 'DUPLICATE_PLAYER' });
  });

  it('never lets a client key replace an existing e-mail, but lets it set the first', () => {
    const kept = given(registered({ email: 'old@b.c' })).when(
      aCommand(register({ email: 'new@b.c', byClientKey: true })),
    );
    expect(kept.facts).toEqual([]);
    const set = given(registered()).when(aCommand(register({ email: 'new@b.c', byClientKey: true })));
    expect(set.states.get(ID)).toMatchObject({ email: 'new@b.c' });
  });

  it('keeps __proto__, constructor and prototype as data', () => {
    const attributes = '{"__proto__":{"isAdmin":true},"constructor":1,"prototype":[2]}';
    const { reply } = given(registered({ attributes })).when(
      aCommand({ kind: 'PatchPlayer', playerId: ID, attributes: '{"__proto__":{"x":1}}' }),
    );
    expect(reply).toMatchObject({
      player: { attributes: '{"__proto__":{"isAdmin":true,"x":1},"constructor":1,"prototype":[2]}' },
    });
    expect(Object.prototype).not.toHaveProperty('isAdmin');
  });

  it('refuses attributes that a merge would make too large, and changes nothing', () => {
    const half = JSON.stringify({ a: 'x'.repeat(40_000) });
    given(registered({ attributes: half }))
      .when(aCommand(register({ attributes: JSON.stringify({ b: 'x'.repeat(40_000) }) })))
      .thenFacts([])
      .thenReply({ kind: 'failure', code: 'VALIDATION_ERROR' });
  });
});

describe('patching a player', () => {
  it('merges as JSON Merge Patch does: null deletes a key, null clears a field', () => {
    const { reply } = given(registered({ email: 'a@b.c', attributes: '{"a":{"b":1,"c":2},"d":3}' })).when(
      aCommand({ kind: 'PatchPlayer', playerId: ID, email: null, attributes: '{"a":{"b":null},"d":null,"e":5}' }),
    );
    expect(reply).toMatchObject({ player: { email: null, attributes: '{"a":{"c":2},"e":5}' } });
  });

  it('marks a test player, and unmarks it; what says nothing of it leaves the mark', () => {
    const patch = { kind: 'PatchPlayer', playerId: ID } as const;
    const marked = given(registered()).when(aCommand({ ...patch, isTestPlayer: true }));
    expect(marked.facts).toMatchObject([{ changed: ['is_test_player'], player: { isTestPlayer: true } }, { count: 1 }]);
    const held = given([...registered(), ...marked.facts]);
    held.when(aCommand({ ...patch, isTestPlayer: true })).thenFacts([]);
    expect(held.when(aCommand({ ...patch, email: 'a@b.c' })).reply).toMatchObject({ player: { isTestPlayer: true } });
    const { facts } = held.when(aCommand({ ...patch, isTestPlayer: false }));
    expect(facts).toMatchObject([{ changed: ['is_test_player'], player: { isTestPlayer: false } }, { count: 0 }]);
  });

  it('counts test players in the ledger of the partition, refuses one too many, and has room after an erasure', () => {
    const limits = { ...PLAYER_LIMITS, testPlayers: 1 };
    const other = aPlayer({ id: 'other', externalId: 'other', isTestPlayer: true });
    const scope = { game: 'demo', environment: 'live' } as const;
    const ledger = { kind: 'ledger', id: 'ledger:testers:demo/live', ...scope, keys: [], lastSeq: 1 } as const;
    const full = [aPlayer(), other, { ...ledger, testPlayers: 1 }];
    const mark = aCommand({ kind: 'PatchPlayer', playerId: ID, isTestPlayer: true, email: 'a@b.c' });
    const refused = given(full, definitionsOf(), limits).when(mark).thenFacts([]);
    expect(refused.reply).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('the maximum is 1') });

    const rest = aCommand({ kind: 'PatchPlayer', playerId: 'other', email: 'a@b.c' });
    expect(given(full, definitionsOf(), limits).when(rest).facts).toMatchObject([{ changed: ['email'] }]);
    const erased = given(full, definitionsOf(), limits).when(aCommand({ kind: 'ErasePlayer', playerId: 'other' }));
    expect(erased.facts).toMatchObject([{ kind: 'PlayerErased' }, { kind: 'TestPlayersCounted', count: 0 }]);
    const marked = given([aPlayer(), { ...ledger, testPlayers: 0 }], definitionsOf(), limits).when(mark);
    expect(marked.facts).toMatchObject([{ kind: 'PlayerUpdated' }, { kind: 'TestPlayersCounted', count: 1 }]);
  });

  it('replies PLAYER_NOT_FOUND for a missing player', () => {
    given([])
      .when(aCommand({ kind: 'PatchPlayer', playerId: ID, email: 'a@b.c' }))
      .thenFacts([])
      .thenReply({ kind: 'failure', code: 'PLAYER_NOT_FOUND' });
  });

  it('does not see a player of another game or environment', () => {
    const patch = { kind: 'PatchPlayer', playerId: ID, email: 'x@y.z' } as const;
    for (const scope of [{ environment: 'test' as const }, { game: 'other' }]) {
      const { facts, reply } = given(registered()).when(aCommand(patch, scope));
      expect(facts).toEqual([]);
      expect(reply).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    }
  });
});

describe('tracking events', () => {
  it('accepts an event with the player’s columns on it, and moves last_seen_at to its receipt', () => {
    const { facts, states } = given(registered({ attributes: '{"country":"SE"}' })).when(aCommand(track(item())));
    expect(facts).toMatchObject([
      { kind: 'EventTracked', at: 2_000, timestamp: 1_500, country: 'SE', lifecycleStage: 'new', externalId: 'ext-1' },
    ]);
    expect(states.get(ID)).toMatchObject({ lastSeenAt: 2_000 });
  });

  it('repeats the first reply for a repeated event_id', () => {
    const first = given(registered()).when(aCommand(track(item())));
    const again = given([...registered(), ...first.facts]).when(
      aCommand(track(item({ eventName: 'other', timestamp: 9 })), { receivedAt: 3_000 }),
    );
    expect(again.facts).toEqual([]);
    expect(again.reply).toMatchObject({
      results: [{ status: 'duplicate', eventName: 'level_up', timestamp: 1_500, receivedAt: 2_000 }],
    });
  });

  it('recognises a repeat within one batch', () => {
    const { facts, reply } = given(registered()).when(aCommand(track(item(), item({ index: 1 }))));
    expect(facts).toHaveLength(1);
    expect(reply).toMatchObject({ results: [{ status: 'accepted' }, { status: 'duplicate' }] });
  });

  it('remembers the last 256 ids of a player, whatever their age', () => {
    const history: DomainFact[] = [...registered()];
    for (let i = 0; i < 256; i++) {
      history.push(...given(registered()).when(aCommand(track(item({ eventId: `id-${i}` })))).facts);
    }
    const late = { receivedAt: 400 * 86_400_000, deadlineAt: 401 * 86_400_000 };
    const status = (eventId: string) => given(history).when(aCommand(track(item({ eventId })), late)).reply;
    expect(status('id-0')).toMatchObject({ results: [{ status: 'duplicate' }] });
    expect(status('id-256')).toMatchObject({ results: [{ status: 'accepted' }] });
  });

  it('rejects the events of an unknown player and accepts the others', () => {
    const { facts, reply } = given(registered()).when(aCommand(track(item({ playerId: OTHER }), item({ index: 1 }))));
    expect(kinds(facts)).toEqual(['EventTracked']);
    expect(reply).toMatchObject({
      results: [{ index: 0, status: 'rejected', error: { code: 'PLAYER_NOT_FOUND' } }, { status: 'accepted' }],
    });
  });
});

describe('an Idempotency-Key', () => {
  const claim = { key: 'k1', bodyHash: 'h1' };

  it('is stored with the player, together with its reply', () => {
    const first = given([]).when(aCommand(register({ idempotency: claim })));
    expect(kinds(first.facts)).toEqual(['PlayerRegistered', 'IdempotencyKeyUsed']);
    const again = given(first.facts).when(aCommand(register({ idempotency: claim, attributes: '{"x":1}' })));
    expect(again.facts).toEqual([]);
    expect(again.reply).toEqual({ ...first.reply, replayed: true });
  });

  it('conflicts with another body', () => {
    const first = given([]).when(aCommand(register({ idempotency: claim })));
    const other = given(first.facts).when(aCommand(register({ idempotency: { key: 'k1', bodyHash: 'h2' } })));
    expect(other.reply).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
    expect(other.facts).toEqual([]);
  });

  it('expires after 24 hours', () => {
    const first = given([]).when(aCommand(register({ idempotency: claim })));
    const later = given(first.facts).when(
      aCommand(register({ idempotency: { key: 'k1', bodyHash: 'h2' }, deviceId: 'd' }), {
        receivedAt: 2_000 + 24 * 3_600_000,
      }),
    );
    expect(later.reply).toMatchObject({ kind: 'player', player: { deviceId: 'd' } });
  });

  it('is not stored for a failed write', () => {
    const failed = given([]).when(aCommand({ kind: 'PatchPlayer', playerId: ID, email: 'a@b.c', idempotency: claim }));
    expect(failed.facts).toEqual([]);
  });

  it('is kept for the newest 64 keys of a player', () => {
    const history: DomainFact[] = [...registered()];
    for (let i = 0; i < 65; i++) {
      const patch: CommandBody = {
        kind: 'PatchPlayer',
        playerId: ID,
        deviceId: `d${i}`,
        idempotency: { key: `k${i}`, bodyHash: 'h' },
      };
      history.push(...given(history).when(aCommand(patch)).facts);
    }
    const repeat = (i: number) =>
      given(history).when(
        aCommand({
          kind: 'PatchPlayer',
          playerId: ID,
          deviceId: `d${i}`,
          idempotency: { key: `k${i}`, bodyHash: 'h' },
        }),
      ).reply;
    expect(repeat(1)).toMatchObject({ replayed: true });
    expect(repeat(0)).not.toHaveProperty('replayed');
  });

  it('of a batch is claimed per API key, and each partition repeats its part of the reply', () => {
    const ledgerId = 'ledger:key-1';
    const claimed = given(registered()).when(aCommand({ kind: 'ClaimIdempotencyKey', ledgerId, idempotency: claim }));
    expect(claimed.reply).toEqual({ kind: 'claimed' });
    const batch: CommandBody = { kind: 'TrackEvents', items: [item()], idempotency: claim, ledgerId };
    const first = given([...registered(), ...claimed.facts]).when(aCommand(batch));
    expect(kinds(first.facts)).toEqual(['EventTracked', 'IdempotencyKeyUsed']);
    const history = [...registered(), ...claimed.facts, ...first.facts];
    expect(given(history).when(aCommand(batch)).reply).toEqual({ ...first.reply, replayed: true });
    const conflict = given(history).when(
      aCommand({ kind: 'ClaimIdempotencyKey', ledgerId, idempotency: { key: 'k1', bodyHash: 'h2' } }),
    );
    expect(conflict.reply).toMatchObject({ code: 'CONFLICT' });
  });

  it('of a finding of a guardrail is recorded once, however often it is reported', () => {
    const found = {
      experiment: 'wide',
      flagKey: 'shop',
      version: 2,
      state: 'stopped',
      phase: 1,
      variant: 'true',
      metric: '{"aggregate":"revenue"}',
      worse: 'lower',
      margin: 0,
      action: 'roll_back',
      lift: -0.05,
      low: -0.07,
      high: -0.03,
    } as const;
    const ledgerId = 'ledger:guardrails:demo/live';
    const report = (key: string) =>
      aCommand({ kind: 'ReportGuardrail', ledgerId, found, idempotency: { key, bodyHash: key } });
    const first = given([]).when(report('a'));
    expect(first.facts[0]).toMatchObject({ kind: 'GuardrailTripped', entityId: ledgerId, ...found });
    expect(given(first.facts).when(report('a')).facts).toEqual([]);
    expect(kinds(given(first.facts).when(report('b')).facts)).toEqual(['GuardrailTripped', 'IdempotencyKeyUsed']);
  });
});

describe('decide', () => {
  it('returns the same facts and reply for the same state and command', () => {
    const command = aCommand(track(item(), item({ index: 1, eventId: 'e-2' })));
    const outcome = () => {
      const { facts, reply, states } = given(registered()).when(command);
      return { facts, reply, states };
    };
    expect(outcome()).toEqual(outcome());
  });
});

describe('a command that changes nothing', () => {
  const player = aPlayer({ id: SAMPLE_ID });
  const worlds = [[], [player], [{ ...player, environment: 'test' as const }]];

  it.each(Object.values(SAMPLES.commands))('is decided by its content and the state alone: $kind', (body) => {
    const definitions = liveDefinitions();
    const readsOf = worlds.flatMap((states) => {
      const world = given(states, definitions);
      return [1, 2].flatMap(() => {
        const before = definitions.reads;
        const { facts } = world.when(aCommand(body));
        return facts.length === 0 ? [definitions.reads - before] : [];
      });
    });
    expect(readsOf.length).toBeGreaterThan(0);
    const readsAny = readsOf.some((reads) => reads > 0);
    expect(readsAny).toBe(BY_DEFINITIONS.has(body.kind));
  });
});
