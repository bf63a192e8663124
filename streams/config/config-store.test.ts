import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import type { FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { createMemoryBroker } from '../log/memory/log-memory.ts';
import type { MemoryBroker, MemoryFaults, MemoryLog } from '../log/memory/log-memory.ts';
import { openConfigStore } from './config-store.ts';
import type { ConfigChange, ConfigStore } from './config-store.ts';
import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { GameDocument } from '../../core/vocabulary/documents/game.ts';

const game = (name: string): GameDocument => ({ name, tenant: 'acme', namespace: 'n', createdAt: 1 });
const addressOf = (id: string): DocumentAddress<'game'> => ({
  game: id,
  environment: '_',
  kind: 'game',
  key: 'settings',
});
/** Each message takes longer than the one before, so that no two arrive together. */
function createLatencies(): () => number {
  let latencyMs = 0;
  return () => (latencyMs += 1);
}
const utf8 = (value: string) => Buffer.from(value, 'utf8');

describe('the config store', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let faults: MemoryFaults;
  let log: MemoryLog;
  let store: ConfigStore;

  beforeEach(async () => {
    clock = createFakeClock();
    faults = {};
    broker = createMemoryBroker({ clock, faults });
    log = broker.connect();
    store = await openConfigStore(log, clock, silentLogger);
  });

  test('holds the existing documents when it opens', async () => {
    await store.put(addressOf('one'), game('One'));
    const late = await openConfigStore(broker.connect(), clock, silentLogger);
    expect(late.get(addressOf('one'))?.document).toEqual(game('One'));
    expect(late.revision).toBe(store.revision);
  });

  test('reads its own writes as soon as they resolve', async () => {
    const written = await store.put(addressOf('one'), game('One'), 0);
    expect(written).toEqual({
      kind: 'written',
      entry: { ...addressOf('one'), revision: store.revision, document: game('One') },
    });
    expect(store.get(addressOf('one'))?.document.name).toBe('One');
    expect(await store.delete(addressOf('one'), store.revision)).toBe(true);
    expect(store.get(addressOf('one'))).toBeUndefined();
  });

  test('knows the version at which a document ended, whenever it opened, until there is one again', async () => {
    const address = { game: 'one', environment: 'live', kind: 'saved_query', key: 'q' } as const;
    const query = { key: 'q', name: '', description: '', query: {}, rangeDays: null, createdAt: 1, updatedAt: 1 };
    expect(store.ended(address)).toEqual({ version: 0, revision: 0 });
    await store.put(address, { ...query, version: 6 });
    await store.delete(address);
    const ended = { version: 7, revision: store.revision };
    const late = await openConfigStore(broker.connect(), clock, silentLogger);
    expect([store.ended(address), late.ended(address)]).toEqual([ended, ended]);

    // Based on this end: another one came since.
    await late.put(address, { ...query, version: 8 }, ended.revision);
    await late.delete(address);
    expect(await store.put(address, { ...query, version: 8 }, ended.revision)).toEqual({ kind: 'conflict' });
    expect(store.ended(address).version).toBe(9);
    await store.put(address, { ...query, version: 10 }, store.ended(address).revision);
    expect(store.ended(address)).toEqual({ version: 0, revision: 0 });
  });

  test('a write over another revision is a conflict and changes nothing', async () => {
    await store.put(addressOf('one'), game('One'));
    const first = store.revision;
    await store.put(addressOf('one'), game('Two'), first);
    expect(await store.put(addressOf('one'), game('Three'), first)).toEqual({ kind: 'conflict' });
    expect(await store.put(addressOf('one'), game('Three'), 0)).toEqual({ kind: 'conflict' });
    expect(await store.delete(addressOf('one'), first)).toBe(false);
    expect(store.get(addressOf('one'))?.document.name).toBe('Two');
  });

  test('knows the last change of flags and segments of a game, deletions included, whenever it opened', async () => {
    const of = (kind: 'segment' | 'campaign', game = 'one') =>
      ({ game, environment: 'live', kind, key: 'a' }) as const satisfies DocumentAddress;
    const some = { id: 'a', key: 'a', name: '', description: '', createdAt: 1, updatedAt: 1, version: 1 };
    expect(store.targetingRevision('one', 'live')).toBe(0);
    await store.put(of('segment'), { ...some, conditions: {} });
    const made = store.revision;
    await store.put(of('segment', 'two'), { ...some, conditions: {} });
    await store.put(addressOf('one'), game('One'));
    const effective = { version: 1, revision: made, at: 1 };
    await store.put(of('segment'), { ...some, conditions: {}, version: 2, note: 'for people', effective });
    expect(store.targetingRevision('one', 'live')).toBe(made);
    const labelled = await openConfigStore(broker.connect(), clock, silentLogger);
    expect(labelled.targetingRevision('one', 'live')).toBe(made);
    expect(store.targetingRevision('one', 'test')).toBe(0);
    await store.delete(of('segment'));
    const deleted = store.revision;
    await store.put(addressOf('one'), game('Uno'));
    const late = await openConfigStore(broker.connect(), clock, silentLogger);
    for (const each of [store, late]) expect(each.targetingRevision('one', 'live')).toBe(deleted);
    expect(deleted).toBeGreaterThan(made);
    for (const holdout of [{ percentage: 5, salt: 's' }, null]) {
      await store.put(addressOf('one'), { ...game('Uno'), holdout });
      const last = await openConfigStore(broker.connect(), clock, silentLogger);
      for (const each of [store, last]) {
        expect(each.targetingRevision('one', 'live')).toBe(store.revision);
        expect(each.targetingRevision('one', 'test')).toBe(store.revision);
      }
    }
  });

  test('lists by kind, game and environment; keys may hold dots', async () => {
    const key = { kind: 'client', tier: 'pro', scopes: [], hint: 'pk', createdAt: 1, revokedAt: null } as const;
    await store.put(addressOf('one'), game('One'));
    await store.put({ game: 'one', environment: 'live', kind: 'key', key: 'a.b.c' }, { ...key, id: 'l', scopes: [] });
    await store.put({ game: 'one', environment: 'test', kind: 'key', key: 'd' }, { ...key, id: 't', scopes: [] });
    await store.put({ game: 'two', environment: 'live', kind: 'key', key: 'e' }, { ...key, id: 'x', scopes: [] });
    expect(store.list('game').map((entry) => entry.game)).toEqual(['one']);
    expect(store.list('key', 'one').map((entry) => entry.document.id)).toEqual(['l', 't']);
    expect(store.list('key', 'one', 'live').map((entry) => entry.key)).toEqual(['a.b.c']);
    expect(store.list('key')).toHaveLength(3);
  });

  test.each(['.', '..', '.a', 'a.', 'a..b', '=', '=d', 'a=b.c'])(
    'keeps the key %s apart from all others',
    async (key) => {
      const document = {
        kind: 'client',
        id: 'l',
        tier: 'pro',
        scopes: [],
        hint: 'pk',
        createdAt: 1,
        revokedAt: null,
      } as const;
      const address = { game: 'one', environment: 'live', kind: 'key', key } as const;
      await store.put(address, { ...document, scopes: [] }, 0);
      const late = await openConfigStore(broker.connect(), clock, silentLogger);
      expect(late.list('key')).toEqual([{ ...address, document, revision: store.revision }]);
      const others = ['.', '..', '.a', 'a.', 'a..b', '=', '=d', '=e', 'a=b.c', 'a=b=dc', 'a=eb=dc'].filter(
        (one) => one !== key,
      );
      for (const other of others) expect(store.get({ ...address, key: other })).toBeUndefined();
    },
  );

  test('reports every change to listeners, its own and others, once the store holds it', async () => {
    const other = await openConfigStore(broker.connect(), clock, silentLogger);
    const changes: string[] = [];
    const stop = store.onChange((change: ConfigChange) => {
      const name = change.address.kind === 'game' ? change.entry?.document : undefined;
      expect(store.get(change.address)).toEqual(change.entry);
      changes.push(`${change.address.game} ${JSON.stringify(name)}`);
    });
    await store.put(addressOf('one'), game('One'));
    await other.put(addressOf('two'), game('Two'));
    await other.delete(addressOf('one'));
    await clock.flush();
    stop();
    await other.put(addressOf('three'), game('Three'));
    await clock.flush();
    expect(changes).toEqual([
      `one ${JSON.stringify(game('One'))}`,
      `two ${JSON.stringify(game('Two'))}`,
      'one undefined',
    ]);
    expect(store.get(addressOf('three'))).toBeDefined();
  });

  test('a document that does not parse is ignored; the one before it stays', async () => {
    await store.put(addressOf('one'), game('One'));
    const bucket = broker.connect().bucket('CONFIG');
    await bucket.put('one._.game.settings', utf8('{"name":'));
    await bucket.put('one.live.key.k', utf8('[1]'));
    await bucket.put('one.live.surprise.k', utf8('{}'));
    await bucket.put('strange', utf8('{}'));
    await clock.flush();
    expect(store.get(addressOf('one'))?.document.name).toBe('One');
    expect(store.list('key')).toEqual([]);
    expect(store.revision).toBe(5);
    await store.put(addressOf('one'), game('Mended'));
    expect(store.get(addressOf('one'))?.document.name).toBe('Mended');
  });

  test('seen waits for a revision up to its time-out', async () => {
    const other = await openConfigStore(broker.connect(), clock, silentLogger);
    expect(await store.seen(store.revision, 0)).toBe(true);
    const soon = store.seen(store.revision + 1, 1_000);
    const never = store.seen(store.revision + 2, 1_000);
    await other.put(addressOf('one'), game('One'));
    expect(await soon).toBe(true);
    await clock.advance(1_000);
    expect(await never).toBe(false);
    expect(clock.timers).toBe(0);
  });

  test('without an answer, or without seeing its own write, a write is unavailable', async () => {
    faults.onBucketWrite = () => 'lose_request';
    const lost = store.put(addressOf('one'), game('One'));
    const alsoLost = store.delete(addressOf('one'));
    await clock.advance(10_000);
    expect(await lost).toEqual({ kind: 'unavailable' });
    expect(await alsoLost).toBe(false);
    expect(store.get(addressOf('one'))).toBeUndefined();

    delete faults.onBucketWrite;
    store.stop();
    const unseen = store.put(addressOf('one'), game('One'));
    await clock.advance(10_000);
    expect(await unseen).toEqual({ kind: 'unavailable' });
  });

  test('changes made while the log was unreachable are seen afterwards', async () => {
    await store.put(addressOf('gone'), game('Gone'));
    const other = await openConfigStore(broker.connect(), clock, silentLogger);
    log.disconnect();
    await other.put(addressOf('one'), game('One'));
    await other.delete(addressOf('gone'));
    expect(store.get(addressOf('one'))).toBeUndefined();
    log.reconnect();
    await clock.flush();
    expect(store.get(addressOf('one'))?.document.name).toBe('One');
    expect(store.get(addressOf('gone'))).toBeUndefined();
    expect(store.revision).toBe(other.revision);
  });

  test('never claims a revision while it lacks an earlier change, also one that was replaced since', async () => {
    await store.put(addressOf('one'), game('One'));
    const other = await openConfigStore(broker.connect(), clock, silentLogger);
    faults.latencyMs = () => 1;
    log.disconnect();
    const edits = ['Two', 'Three'].flatMap((name) => [
      other.put(addressOf('one'), game(name)),
      other.put(addressOf(name), game(name)),
    ]);
    await clock.advance(10);
    expect((await Promise.all(edits)).map(({ kind }) => kind)).toEqual(Array(4).fill('written'));
    const states: string[] = [];
    store.onChange(() => void Promise.resolve().then(() => states.push(`${store.revision} ${nameOf('one')}`)));
    const nameOf = (id: string) => store.get(addressOf(id))?.document.name;
    faults.latencyMs = createLatencies();
    log.reconnect();
    await clock.advance(100);
    expect(nameOf('Three')).toBe('Three');
    expect(states.filter((state) => state !== '5 Three')).toEqual([]);
  });
});
