import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aFlag, aRule, compiled, variantsOf } from '../../../actors/flags/evaluate/testing-flag.ts';
import { definitionsOf } from '../../../actors/testing-players.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* Flags with `client_visible: false`, at every door of a client key. */

const on = { rules: [aRule()] };
const HIDDEN = aFlag({ key: 'secret_gate', clientVisible: false, ...on });
const OFF = aFlag({ key: 'hidden_off', clientVisible: false, enabled: false });
const OPEN = aFlag({ key: 'open', ...on });
/** Visible, with a hidden prerequisite that is not met, and with a visible one. */
const NEEDS_HIDDEN = aFlag({ key: 'needs_hidden', prerequisites: [{ flagKey: 'hidden_off', value: true }] });
const NEEDS_OPEN = aFlag({ key: 'needs_open', prerequisites: [{ flagKey: 'open', value: false }] });
const MET = aFlag({ key: 'met', ...on, prerequisites: [{ flagKey: 'secret_gate', value: true }] });
const SPLIT = aFlag({
  key: 'hidden_test',
  flagType: 'multivariate',
  clientVisible: false,
  variants: variantsOf({ a: 1 }),
  ...on,
});
const DISABLED = aFlag({ key: 'off', enabled: false });
const VISIBLE = ['met', 'needs_hidden', 'needs_open', 'off', 'open'];
const ALL = [...VISIBLE, 'hidden_off', 'hidden_test', 'secret_gate'].toSorted();

let flags: Map<string, ReturnType<typeof compiled>>;
let owner: DecidingBackend;
let gateway: Gateway;
let client: string;
let server: string;
let player: string;

const define = (document: FlagDocument) => flags.set(document.key, compiled(document));

beforeEach(async () => {
  flags = new Map();
  for (const one of [HIDDEN, OFF, OPEN, NEEDS_HIDDEN, NEEDS_OPEN, MET, SPLIT, DISABLED]) define(one);
  owner = createDecidingBackend(systemClock, definitionsOf({ flags }));
  gateway = await startGateway({ backend: owner });
  client = await gateway.key({ kind: 'client' });
  server = await gateway.key();
  player = String((await post(server, '/v1/players/players', { external_id: 'p' })).data['id']);
});
afterEach(() => gateway.close());

async function post(key: string, path: string, body: unknown) {
  const response = await gateway.call(key, 'POST', path, body);
  const text = await response.clone().text();
  return { status: response.status, text, ...(await bodyOf(response)) };
}
const keysOf = (map: unknown): string[] => Object.keys(Object(map)).toSorted();
const exposed = () => owner.facts.filter(({ kind }) => kind === 'FlagExposed');

describe('a hidden flag', () => {
  it('is 404 FLAG_NOT_FOUND by name for a client key, and exposes nobody', async () => {
    for (const key of ['secret_gate', 'hidden_off', 'hidden_test']) {
      const evaluate = (by: string) => post(by, `/v1/flags/flags/${key}/evaluate`, { player_id: player });
      const unknown = await post(client, '/v1/flags/flags/nothing/evaluate', { player_id: player });
      expect(await evaluate(client)).toMatchObject({ status: 404, error: { code: 'FLAG_NOT_FOUND' } });
      expect((await evaluate(client)).text).toBe(unknown.text);
      expect(await evaluate(server)).toMatchObject({ status: 200, data: { flag_key: key } });
      const context = { targetingKey: 'p' };
      const ofrep = (by: string) => gateway.call(by, 'POST', `/ofrep/v1/evaluate/flags/${key}`, { context });
      expect([(await ofrep(client)).status, (await ofrep(server)).status]).toEqual([404, 200]);
    }
  });

  it('is absent where all flags are answered, and unknown where it is requested', async () => {
    const bulk = (by: string, more = {}) => post(by, '/v1/flags/flags/evaluate', { player_id: player, ...more });
    const { data, text } = await bulk(client);
    expect(keysOf(data['evaluations'])).toEqual(VISIBLE);
    expect(data['unknown_flags']).toEqual([]);
    expect(text).not.toMatch(/secret_gate|hidden_off|hidden_test/);
    expect(keysOf((await bulk(server)).data['evaluations'])).toEqual(ALL);
    const named = await bulk(client, { flag_keys: ['secret_gate', 'open', 'gone'] });
    expect(keysOf(named.data['evaluations'])).toEqual(['open']);
    expect(named.data['unknown_flags']).toEqual(['secret_gate', 'gone']);
    const ofrep = async (by: string) =>
      (await gateway.call(by, 'POST', '/ofrep/v1/evaluate/flags', { context: { targetingKey: 'p' } })).text();
    expect(await ofrep(client)).not.toMatch(/secret_gate|hidden_off|hidden_test/);
    expect(await ofrep(server)).toMatch(/hidden_off.*hidden_test.*secret_gate/);
  });

  it('is in no answer of a session', async () => {
    const init = (by: string, more = {}) => post(by, '/v1/bff/game/init', { player_id: player, ...more });
    const all = await init(client);
    expect(keysOf(all.data['flags'])).toEqual(VISIBLE);
    expect(all.text).not.toMatch(/secret_gate|hidden_off|hidden_test/);
    const named = await init(client, { requested_flags: ['secret_gate', 'open', 'gone'] });
    expect(keysOf(named.data['flags'])).toEqual(['open']);
    expect(named.data['unknown_flags']).toEqual(['secret_gate', 'gone']);
    expect(keysOf((await init(server)).data['flags'])).toEqual(ALL);
  });

  it('is told as gone when it becomes hidden, and never if only a server knew it', async () => {
    const sync = async (by: string, sessionId: unknown) =>
      (await post(by, '/v1/bff/game/sync', { player_id: player, session_id: sessionId, events: [] })).data[
        'updated_flags'
      ];
    const mine = (await post(client, '/v1/bff/game/init', { player_id: player })).data['session_id'];
    const theirs = (await post(server, '/v1/bff/game/init', { player_id: player })).data['session_id'];
    expect(await sync(client, theirs)).toEqual({});
    define({ ...HIDDEN, version: 2, rules: [] });
    expect(keysOf(await sync(client, mine))).toEqual(['met']);
    expect(keysOf(await sync(server, theirs))).toEqual(['met', 'secret_gate']);
    define({ ...OPEN, version: 2, clientVisible: false });
    expect(await sync(client, mine)).toMatchObject({ open: { enabled: false, value: null } });
    expect(await sync(client, mine)).toEqual({});
    define({ ...OPEN, version: 3 });
    expect(await sync(client, mine)).toMatchObject({ open: { enabled: true, value: true } });
  });

  it('is exposed by no event of a client', async () => {
    await post(server, '/v1/flags/flags/evaluate', { player_id: player });
    const event = { player_id: player, event_name: 'seen', properties: { flag_key: 'hidden_test', variant_key: 'a' } };
    expect((await post(client, '/v1/events/events', event)).status).toBe(200);
    expect(exposed()).toEqual([]);
    expect((await post(server, '/v1/events/events', event)).status).toBe(200);
    expect(exposed()).toMatchObject([{ flagKey: 'hidden_test', variantKey: 'a' }]);
  });

  it('is not named as the unmet prerequisite of a visible flag', async () => {
    const evaluate = (by: string, key: string) => post(by, `/v1/flags/flags/${key}/evaluate`, { player_id: player });
    expect((await evaluate(client, 'needs_hidden')).data).not.toHaveProperty('prerequisite_key');
    expect((await evaluate(client, 'needs_hidden')).data).toMatchObject({ value: false, reason: 'flag_disabled' });
    expect((await evaluate(server, 'needs_hidden')).data).toMatchObject({ prerequisite_key: 'hidden_off' });
    expect((await evaluate(client, 'needs_open')).data).toMatchObject({ prerequisite_key: 'open' });
    expect((await evaluate(client, 'met')).data).toMatchObject({ value: true });
  });
});

describe('a visible flag that is disabled', () => {
  it('is answered as disabled', async () => {
    const evaluation = await post(client, '/v1/flags/flags/off/evaluate', { player_id: player });
    expect(evaluation).toMatchObject({ status: 200, data: { value: false, reason: 'flag_disabled' } });
  });
});

describe('an unregistered player in OFREP', () => {
  it('gets the values of an empty player, and is registered by nothing', async () => {
    const before = owner.facts.length;
    const body = { context: { targetingKey: 'never-seen' } };
    for (const by of [client, server]) {
      expect((await gateway.call(by, 'POST', '/ofrep/v1/evaluate/flags', body)).status).toBe(200);
      const one = await gateway.call(by, 'POST', '/ofrep/v1/evaluate/flags/open', body);
      expect(await one.json()).toMatchObject({ key: 'open', value: true, reason: 'SPLIT' });
    }
    expect(owner.facts).toHaveLength(before);
    expect((await gateway.call(server, 'GET', '/v1/players/players/external/never-seen')).status).toBe(404);
  });
});
