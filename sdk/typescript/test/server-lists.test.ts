import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, ServiceError, type PlayerList } from '../server/server.ts';
import { until } from '../../../test/support/until.ts';
import { createServerWorld, type Reply } from './support/server-world.ts';

const SEGMENT = 'seg_1';
const MEMBERS = `/v1/segments/segments/${SEGMENT}/members`;
const LOADED = { segment_id: SEGMENT, version: 2, received: 2, members: 2, duplicates: 0, unknown: 0, unknown_ids: [] };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'player-analytics-lists-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): { file: string } {
  writeFileSync(join(folder, name), content);
  return { file: join(folder, name) };
}

function setUp(replies: Reply[] = []) {
  const world = createServerWorld();
  world.reply = () => replies.shift() ?? { data: LOADED };
  const server = world.start();
  const replace = (players: PlayerList, options = {}) => server.replaceMembers(SEGMENT, players, options);
  /** The code of the error with which a call ends, while time passes. */
  const failed = async (call: Promise<unknown>): Promise<unknown> => {
    const code = call.then(
      () => 'no error',
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    );
    await world.clock.advance(60_000);
    return code;
  };
  return { world, replace, failed };
}

async function* asynchronous(...ids: string[]): AsyncGenerator<string> {
  yield* ids;
}

const CUT_AND_BUSY: Reply[] = ['cut', { status: 409, code: 'CONFLICT' }, { status: 503, code: 'SERVICE_UNAVAILABLE' }];

describe('a list of players', () => {
  it.each<[string, () => PlayerList, string, string]>([
    ['an array', () => ['ann', 'b"\n'], 'application/x-ndjson', '"ann"\n"b\\"\\n"\n'],
    ['a set', () => new Set(['ann']), 'application/x-ndjson', '"ann"\n'],
    ['an async iterator', () => asynchronous('ann', 'ben'), 'application/x-ndjson', '"ann"\n"ben"\n'],
    ['a function', () => () => asynchronous('ann'), 'application/x-ndjson', '"ann"\n'],
    ['no ids', () => [], 'application/x-ndjson', ''],
    ['a CSV file', () => file('list.csv', 'external_id\nann\n'), 'text/csv', 'external_id\nann\n'],
    ['a packed file', () => file('list.ndjson.gz', gzipSync('"ann"\n')), 'application/x-ndjson', '"ann"\n'],
    ['a file of a given format', () => ({ ...file('list', 'ann\n'), format: 'csv' }), 'text/csv', 'ann\n'],
  ])('is sent from %s', async (_, players, type, text) => {
    const { world, replace } = setUp();
    expect(await replace(players(), { ids: 'player_id' })).toEqual(LOADED);
    const [received] = world.received;
    expect(received).toMatchObject({ method: 'PUT', path: MEMBERS, body: { text } });
    expect(received?.headers['Content-Type']).toBe(type);
    expect(received?.query.get('ids')).toBe('player_id');
    expect(world.clock.timers).toBe(0);
  });

  it('is sent again after a failure, also while the service is busy with the broken attempt', async () => {
    for (const players of [['ann'], () => asynchronous('ann'), file('again.txt', 'ann\n')]) {
      const { world, replace } = setUp([...CUT_AND_BUSY]);
      const replaced = replace(players);
      // Reading a file waits for no timer.
      await until('it is sent', async () => {
        await world.clock.advance(1_000);
        return world.received.length === 4;
      });
      expect(await replaced).toEqual(LOADED);
      expect(new Set(world.received.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(world.received).toHaveLength(4);
    }
  });

  it('is refused in the end with the reason of the attempt that broke', async () => {
    const busy: Reply = { status: 409, code: 'CONFLICT' };
    const { world, replace } = setUp(['cut', busy, busy]);
    const error: unknown = replace(['ann'], { retries: 2 }).catch((reason: unknown) => reason);
    await world.clock.advance(60_000);
    expect(await error).toMatchObject({
      code: 'CONFLICT',
      status: 409,
      message: expect.stringMatching(/CONFLICT: .*NETWORK_ERROR: /),
      mayHaveTakenEffect: true,
      cause: { code: 'NETWORK_ERROR' },
    });
  });

  it('is sent once if its ids can be read once only, or the service refuses it', async () => {
    const once = setUp([...CUT_AND_BUSY]);
    expect(await once.failed(once.replace(asynchronous('ann')))).toBe('NETWORK_ERROR');
    expect(once.world.received).toHaveLength(1);
    const busy = setUp([{ status: 409, code: 'CONFLICT' }]);
    expect(await busy.failed(busy.replace(['ann']))).toBe('CONFLICT');
    expect(busy.world.received).toHaveLength(1);
  });

  it('rejects with the error of its source, and is not sent again', async () => {
    const { world, replace, failed } = setUp();
    const broken = new Error('the query failed');
    const failing = async function* () {
      yield 'ann';
      throw broken;
    };
    expect(await failed(replace(failing))).toBe(broken);
    expect(await failed(replace({ file: join(folder, 'missing.csv') }))).toMatchObject({ code: 'ENOENT' });
    const halfPacked = gzipSync('ann\n'.repeat(1_000)).subarray(0, 20);
    expect(await failed(replace(file('half.csv.gz', halfPacked)))).toMatchObject({ code: 'Z_BUF_ERROR' });
    const mixed: unknown[] = ['ann', 7];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a program in JavaScript may
    expect(await failed(replace(mixed as string[]))).toMatchObject({ message: expect.stringContaining('Id 1 of') });
    expect(world.received).toHaveLength(0);
  });

  it.each<[string, PlayerList]>([
    // @ts-expect-error -- as a program in JavaScript may
    ['nothing', undefined],
    ['a file whose name tells no format', { file: 'list' }],
  ])('is refused for %s', async (_, players) => {
    const { replace, failed } = setUp();
    expect(await failed(replace(players))).toBeInstanceOf(TypeError);
  });

  it('ends without progress, and with the signal of the caller', async () => {
    const { world, replace, failed } = setUp(['hang', 'hang']);
    expect(await failed(replace(['ann'], { retries: 0, timeoutMs: 500 }))).toBe('TIMEOUT');
    const aborter = new AbortController();
    const call = replace(['ann'], { signal: aborter.signal });
    await world.clock.flush();
    aborter.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});

describe('over a connection', () => {
  /** A service that answers when it has read so many bytes, or reads until the connection breaks. */
  async function serve(answerAfterBytes: number) {
    const seen = { bytes: 0, isBroken: false, isWhole: false };
    const service = createHttpServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        seen.bytes += chunk.length;
        if (seen.bytes < answerAfterBytes || response.headersSent) return;
        response.writeHead(400, { 'Content-Type': 'application/json' });
        response.end('{"success":false,"error":{"code":"VALIDATION_ERROR","message":"Line 2 is faulty."}}');
      });
      request.on('end', () => (seen.isWhole = true));
      request.on('error', () => (seen.isBroken = true));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const address = service.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const server = createServer({ baseUrl: `http://127.0.0.1:${port}`, key: 'sk_test_1', flags: false });
    const stop = () => {
      service.closeAllConnections();
      service.close();
    };
    return { server, seen, stop };
  }

  it('is not read further once the service has refused it', async () => {
    const { server, stop } = await serve(1);
    let made = 0;
    let isEnded = false;
    async function* endless() {
      try {
        for (;;) {
          yield `player-${made++}`;
          if (made % 10_000 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        isEnded = true;
      }
    }
    const call = server.replaceMembers(SEGMENT, endless());
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
    await until('the source is closed', () => isEnded);
    stop();
  });

  it('breaks if its source fails, so that the service does not take a part for the whole', async () => {
    const { server, seen, stop } = await serve(Infinity);
    async function* failing() {
      for (let n = 0; n < 100_000; n++) yield `player-${n}`;
      throw new Error('the query failed');
    }
    await expect(server.replaceMembers(SEGMENT, failing)).rejects.toThrow('the query failed');
    await until('the request is broken', () => seen.isBroken);
    expect(seen.isWhole).toBe(false);
    stop();
  });
});

describe('a long answer', () => {
  it('fails, and is not asked for again', async () => {
    const world = createServerWorld();
    world.reply = () => ({ data: 'x'.repeat(2_000) });
    const server = world.start({ maxAnswerBytes: 1_000 });
    const call = server.call('GET /v1/flags/flags/{key}', { path: { key: 'shop' } });
    await expect(call).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG', status: 200, mayHaveTakenEffect: true });
    expect(world.received).toHaveLength(1);
    world.reply = () => ({ data: 'ü'.repeat(300) });
    expect(await server.call('GET /v1/flags/flags/{key}', { path: { key: 'shop' } })).toBe('ü'.repeat(300));
  });

  it('of a failure is one too', async () => {
    const world = createServerWorld();
    world.reply = () => ({ status: 400, code: 'VALIDATION_ERROR', text: 'x'.repeat(2_000) });
    const server = world.start({ maxAnswerBytes: 1_000 });
    const call = server.call('GET /v1/flags/flags/{key}', { path: { key: 'shop' } });
    await expect(call).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG', status: 400, mayHaveTakenEffect: false });
  });
});
