import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import { accept, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { isWhole, sendRaw } from '../../support/wire/raw-http.ts';

/* What other languages and clients write for an absent value, a time and an id, sent as bytes to every door. */

const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

let gateway: Gateway;
let server: string;

beforeAll(async () => {
  gateway = await startGateway();
  server = await gateway.key({ scopes: ['scoring:write'] });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.backend.calls.length = 0;
  gateway.backend.reply = accept;
});

async function post(
  path: string,
  body: string | Buffer,
  method = 'POST',
): Promise<{ status: number | undefined; text: string }> {
  const bytes = Buffer.from(body);
  const head =
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${server}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${bytes.length}\r\n\r\n`;
  const { status, text } = await sendRaw(gateway.port, [Buffer.concat([Buffer.from(head), bytes])], isWhole);
  return { status, text };
}

const commands = (): CommandBody[] =>
  gateway.backend.calls.map(({ body }) => body).filter((body): body is CommandBody => body.kind !== 'GetPlayer');

/** A body with a field at the end, as text. */
const withField = (body: Record<string, unknown>, field: string) => `${JSON.stringify(body).slice(0, -1)},${field}}`;

const EVENT = { player_id: PLAYER, event_name: 'e', event_id: 'i' };
const DOORS: readonly [name: string, path: string, body: Record<string, unknown>, fields: readonly string[]][] = [
  [
    'register',
    '/v1/players/players',
    { external_id: 'p' },
    ['"attributes":[]', '"attributes":null', '"email":null', '"device_id":null', '"device_id":"undefined"'],
  ],
  [
    'an event',
    '/v1/events/events',
    EVENT,
    ['"properties":[]', '"properties":null', '"session_id":null', '"session_id":"[object Object]"', '"timestamp":null'],
  ],
  [
    'a session',
    `/v1/players/players/${PLAYER}/session`,
    { session_id: 's', duration_seconds: 5 },
    ['"start_time":null', '"end_time":"0001-01-01T00:00:00"'],
  ],
  [
    'init',
    '/v1/bff/game/init',
    { player_id: PLAYER },
    ['"device_info":[]', '"device_info":null', '"requested_flags":null'],
  ],
];

describe('an absent value', () => {
  it.each(DOORS.flatMap(([name, path, body, fields]) => fields.map((field) => ({ name, path, body, field }))))(
    'of $name is as if it were not sent: $field',
    async ({ path, body, field }) => {
      const plain = await post(path, JSON.stringify(body));
      const sent = await post(path, withField(body, field));
      expect(sent.status).toBe(plain.status);
      const [expected, found] = commands();
      expect(comparable(found)).toEqual(comparable(expected));
    },
  );

  it('of the year 1 is a time that was never set', async () => {
    for (const unset of ['0001-01-01T00:00:00', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.0000000+00:00']) {
      expect((await post('/v1/events/events', withField(EVENT, `"timestamp":"${unset}"`))).status).toBe(200);
    }
    for (const command of commands()) {
      const [item] = command.kind === 'TrackEvents' ? command.items : [];
      expect(Date.now() - (item?.timestamp ?? 0)).toBeLessThan(60_000);
    }
  });

  it('of an item of a list does not reject it', async () => {
    const items = `[${withField(EVENT, '"properties":[]')},${withField({ ...EVENT, event_id: 'j' }, '"timestamp":null')}]`;
    expect((await post('/v1/events/events/batch', `{"events":${items}}`)).text).toContain('"accepted":2');
    const gameItems = '[{"event_name":"e","properties":[],"timestamp":null,"event_id":null}]';
    const sync = `{"player_id":"${PLAYER}","session_id":"ses_019bc0de-1234-7abc-8def-0123456789ab","events":${gameItems},"state_updates":[]}`;
    expect((await post('/v1/bff/game/sync', sync)).text).not.toContain('VALIDATION_ERROR');
    expect(commands().at(-1)).toMatchObject({ events: [{ properties: '{}' }], stateUpdates: null });
  });

  it('is refused where a field is required, and in definitions and scores', async () => {
    expect((await post('/v1/players/players', '{"external_id":null}')).status).toBe(400);
    expect((await post('/v1/players/players', '{"external_id":"p","attributes":[1]}')).status).toBe(400);
    const segment = '{"key":"s","name":"S","conditions":{},"static":null}';
    expect((await post('/v1/segments/segments', segment)).status).toBe(400);
    const flag = '{"key":"f","name":"F","flag_type":"boolean","targeting_rules":[{"value":true,"conditions":[]}]}';
    expect((await post('/v1/flags/flags', flag)).status).toBe(400);
    const score = '{"device_id":"d","match_wins":null}';
    expect((await post('/v1/scoring/first-user-conversion', score)).status).toBe(422);
  });
});

/** Ids that the service makes are new in each command. */
function comparable(command: CommandBody | undefined): string {
  return JSON.stringify(command, (name, value) =>
    ['eventId', 'sessionId', 'timestamp', 'idempotency'].includes(name) ? undefined : value,
  );
}

describe('a number beyond 64 bits', () => {
  const document = '{"gold":1e20,"list":[-9.5e18],"id":"12345678901234567890"}';
  const session = `"player_id":"${PLAYER}","session_id":"ses_019bc0de-1234-7abc-8def-0123456789ab"`;
  const item = `{"player_id":"${PLAYER}","event_name":"e","properties":${document}}`;
  it.each([
    ['POST', '/v1/events/events', item],
    ['POST', '/v1/events/events/batch', `{"events":[${item}]}`],
    ['POST', '/v1/bff/game/sync', `{${session},"events":[{"event_name":"e","properties":${document}}]}`],
    ['POST', '/v1/bff/game/sync', `{${session},"events":[],"state_updates":${document}}`],
    [
      'POST',
      '/v1/bff/game/end-session',
      `{${session},"session_duration_seconds":5,"final_events":[{"event_name":"e","properties":${document}}]}`,
    ],
    ['POST', '/v1/players/players', `{"external_id":"p","attributes":${document}}`],
    ['PATCH', `/v1/players/players/${PLAYER}`, `{"attributes":${document}}`],
    ['POST', '/v1/track', `{"event":"e","userId":"u","properties":${document}}`],
    ['POST', '/v1/identify', `{"userId":"u","traits":${document}}`],
    ['POST', '/v1/identify', `{"userId":"u","traits":${document.slice(0, -1)},"email":"a@example.com"}}`],
    ['POST', '/v1/batch', `{"batch":[{"type":"track","event":"e","userId":"u","properties":${document}}]}`],
    [
      'POST',
      '/v1/track',
      `{"event":"e","userId":"u","properties":${document.replace('1e20', '100000000000000000000')}}`,
    ],
  ])('is stored with an exponent, which ClickHouse can read: %s %s', async (method, path, body) => {
    expect((await post(path, body, method)).status).toBeLessThan(300);
    const stored = String.raw`{\"gold\":1e+20,\"list\":[-9.5e+18],\"id\":\"12345678901234567890\"}`;
    expect(JSON.stringify(gateway.backend.calls)).toContain(stored);
  });
});

describe('an empty object in the place of a list', () => {
  const session = `"player_id":"${PLAYER}","session_id":"ses_019bc0de-1234-7abc-8def-0123456789ab"`;
  it.each([
    ['/v1/bff/game/init', `"player_id":"${PLAYER}","requested_flags":`],
    ['/v1/bff/game/sync', `${session},"events":`],
    ['/v1/bff/game/end-session', `${session},"session_duration_seconds":5,"final_events":`],
    ['/v1/events/events/batch', '"events":'],
  ])('is a list without items: %s %s', async (path, fields) => {
    const plain = await post(path, `{${fields}[]}`);
    const sent = await post(path, `{${fields}{}}`);
    expect(sent.status).toBe(plain.status);
    const [expected, found] = commands();
    expect(comparable(found)).toEqual(comparable(expected));
    expect((await post(path, `{${fields}{"a":1}}`)).text).toContain('must be array');
  });
});

describe('an id of the caller that is none', () => {
  it.each(['undefined', 'null', '[object Object]', '00000000-0000-0000-0000-000000000000', ' '])(
    '%j recognises no repeat: each event counts',
    async (id) => {
      const item = (name: string) => ({ event_name: name, event_id: id });
      const events = ['a', 'b'].map((name) => ({ player_id: PLAYER, ...item(name) }));
      const batch = await post('/v1/events/events/batch', JSON.stringify({ events }));
      expect(batch.text).toContain('"accepted":2');
      const session = { player_id: PLAYER, session_id: 'ses_019bc0de-1234-7abc-8def-0123456789ab' };
      await post('/v1/bff/game/sync', JSON.stringify({ ...session, events: [item('a'), item('b')] }));
      const ids = JSON.stringify(commands()).match(/"eventId":"[^"]*"/g) ?? [];
      expect(ids).toHaveLength(4);
      expect(new Set(ids).size).toBe(4);
      expect(ids).not.toContain(`"eventId":${JSON.stringify(id)}`);
    },
  );

  it('is refused where a repeat would be paid or counted twice', async () => {
    const player = `/v1/players/players/${PLAYER}`;
    expect((await post(`${player}/purchase?amount=5&transaction_id=undefined`, '')).status).toBe(400);
    expect((await post(`${player}/session`, '{"session_id":"null","duration_seconds":5}')).status).toBe(400);
    expect(commands()).toEqual([]);
  });
});

describe('a byte order mark', () => {
  const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
  it.each([
    ['/v1/players/players', '{"external_id":"bom"}', 201],
    ['/v1/events/events', JSON.stringify(EVENT), 200],
    ['/v1/events/events/batch', JSON.stringify({ events: [EVENT] }), 200],
    ['/v1/batch', '{"batch":[{"type":"page","userId":"u"}]}', 200],
    ['/v1/track', '{"event":"e","userId":"u"}', 200],
    ['/v1/segments/segments', '{"key":"bom","name":"S","conditions":{"is_payer":true}}', 201],
  ])('before the JSON of %s is passed over', async (path, body, status) => {
    const plain = await post(path, body.replace('"bom"', '"plain"'));
    expect((await post(path, Buffer.concat([BOM, Buffer.from(body)]))).status).toBe(plain.status);
    expect([status, 200]).toContain(plain.status);
  });
});

describe('an id that is none', () => {
  const IDS = ['undefined', 'NULL', 'NaN', '[object Object]', '00000000-0000-0000-0000-000000000000', '   ', '"null"'];

  it.each(IDS)('%j is refused at every door and changes nothing', async (id) => {
    const sent = JSON.stringify(id);
    const answers = [
      await post('/v1/players/players', `{"external_id":${sent}}`),
      await post(`/v1/players/players/external/${encodeURIComponent(id)}`, '', 'GET'),
      await post('/ofrep/v1/evaluate/flags', `{"context":{"targetingKey":${sent}}}`),
      await post('/ofrep/v1/evaluate/flags/f', `{"context":{"targetingKey":${sent}}}`),
      await post('/v1/segments/segments/s/members', `{"external_ids":[${sent}]}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    for (const { text } of answers) expect(text).toContain('missing value');
    expect(gateway.backend.calls).toEqual([]);
  });

  it('is not "0", "none" or a name that contains one', async () => {
    for (const id of ['0', 'none', 'Nullsoft', 'undefined_behaviour', '-1']) {
      expect((await post('/v1/players/players', JSON.stringify({ external_id: id }))).status).toBe(201);
    }
  });
});

describe('a time', () => {
  it.each(['20260115T103000Z', '20260115T103000.000Z', '20260115T113000+0100', '2026-01-15T10:30:00'])(
    'may be %s',
    async (time) => {
      expect((await post('/v1/events/events', withField(EVENT, `"timestamp":"${time}"`))).status).toBe(200);
      expect(commands()[0]).toMatchObject({ items: [{ timestamp: Date.UTC(2026, 0, 15, 10, 30) }] });
    },
  );

  it.each(['2026-W03-4', '2026W034T103000Z', '2026-015', '2026015'])(
    'may not be %s, and the answer names a form that may',
    async (time) => {
      const { status, text } = await post('/v1/events/events', withField(EVENT, `"timestamp":"${time}"`));
      expect(status).toBe(400);
      expect(text).toContain('2026-01-15T10:30:00Z');
    },
  );
});
