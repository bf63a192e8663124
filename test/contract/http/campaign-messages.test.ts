import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* The messages of campaigns over HTTP: what is stored and answered, and which faults are named where. */

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const PATH = '/v1/campaigns/campaigns';
const CONTENT = {
  title: 'Hi {{attributes.name|player}}',
  body: 'A gift',
  cta: '',
  image: 'https://cdn.example/gift.png',
  deep_link: 'game://shop',
  data: { reward: { coins: 5 } },
  buttons: [
    { id: 'take', label: 'Take', action: 'game://gifts' },
    { id: 'later', label: 'Later', action: 'dismiss' },
  ],
  locales: { de: { title: 'Hallo {{attributes.name|du}}', button_labels: { take: 'Nehmen' } } },
};
const OTHER = { title: 'Other', body: 'x', cta: '' };
const GOOD = { key: 'gift', trigger: { event: 'won' }, content: CONTENT };
const call = async (method: string, path: string, body?: unknown) => {
  const response = await gateway.call(key, method, path, body);
  return { status: response.status, body: await bodyOf(response) };
};
const made = async (some: object = {}): Promise<string> => {
  const { status, body } = await call('POST', PATH, { ...GOOD, ...some });
  expect([status, body.error?.message]).toEqual([201, undefined]);
  return String(body.data['campaign_id']);
};
const faultsOf = async (some: object) => {
  const { status, body } = await call('POST', PATH, { ...GOOD, ...some });
  expect(status).toBe(400);
  return (body.error.details['fields'] ?? []).map(({ path, message }: { path: string; message: string }) => [
    path,
    message,
  ]);
};

describe('the content of a campaign', () => {
  it('is answered as it was sent, also to a GET that is sent back', async () => {
    const id = await made();
    const { body } = await call('GET', `${PATH}/${id}`);
    expect(body.data['content']).toEqual(CONTENT);
    expect([body.data['variants'], body.data['tested']]).toEqual([null, null]);
    const put = await call('PUT', `${PATH}/${id}`, body.data);
    expect(put.status).toBe(200);
    expect(put.body.data['content']).toEqual(CONTENT);
  });

  it('needs a title and a body only; a button without an action dismisses', async () => {
    const id = await made({ content: { title: 'Hi', body: 'x', buttons: [{ id: 'ok', label: 'OK' }] } });
    const { body } = await call('GET', `${PATH}/${id}`);
    const buttons = [{ id: 'ok', label: 'OK', action: 'dismiss' }];
    expect(body.data['content']).toEqual({ title: 'Hi', body: 'x', cta: '', buttons });
  });

  it('has faults at the place of the text, of each variant too', async () => {
    expect(await faultsOf({ content: { ...CONTENT, title: 'Hi {{attributes.name}}' } })).toEqual([
      [
        '/content/title',
        'has {{attributes.name}} without a default; write {{attributes.name|<what players without it see>}}',
      ],
    ]);
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, content: { ...OTHER, locales: { de: { body: '{{computed.gems|0}}' } } } },
    ];
    const [[path, message] = []] = await faultsOf({ variants });
    expect(path).toBe('/variants/1/content/locales/de/body');
    expect(message).toContain('reads computed.gems, which is not a computed property of this game and environment');
  });

  it('has bounds', async () => {
    const buttons = Array.from({ length: 5 }, (_, n) => ({ id: `b${n}`, label: 'x' }));
    expect(await faultsOf({ content: { ...OTHER, buttons } })).toEqual([
      ['/content/buttons', 'has 5 items; the maximum is 4'],
    ]);
    const [[path] = []] = await faultsOf({ content: { ...OTHER, buttons: [{ id: 'a b', label: 'x' }] } });
    expect(path).toBe('/content/buttons/0/id');
  });
});

describe('a computed property', () => {
  it('that a message reads cannot be deleted', async () => {
    const property = { key: 'gems', event: 'found', aggregate: 'count' };
    expect((await call('POST', '/v1/properties/properties', property)).status).toBe(201);
    await made({ content: { ...OTHER, title: 'You have {{computed.gems|no}} gems' } });
    const { status, body } = await call('DELETE', '/v1/properties/properties/gems');
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(JSON.stringify(body.error)).toContain('gift');
  });
});

describe('variants', () => {
  const variants = [
    { key: 'a', weight: 1 },
    { key: 'b', weight: 1, content: OTHER },
  ];

  it('say since which version they are drawn as they are, also when the test has ended', async () => {
    const id = await made({ variants });
    const change = async (body: object) => (await call('PATCH', `${PATH}/${id}`, body)).body.data;
    const drawn = (since: number, weight = 1) => ({
      since,
      variants: [
        { key: 'a', weight: 1 },
        { key: 'b', weight },
      ],
    });
    expect((await call('GET', `${PATH}/${id}`)).body.data).toMatchObject({ variants, tested: drawn(1) });
    // Other texts are the same test.
    const [a, b] = variants;
    expect(await change({ variants: [a, { ...b, content: { ...OTHER, title: 'New' } }] })).toMatchObject({
      version: 2,
      tested: drawn(1),
    });
    expect(await change({ variants: [a, { ...b, weight: 3 }] })).toMatchObject({ version: 3, tested: drawn(3, 3) });
    // A winner is shipped by an edit.
    const shipped = await change({ content: OTHER, variants: null });
    expect(shipped).toMatchObject({ version: 4, content: OTHER, variants: null, tested: drawn(3, 3) });
    expect(await change({ variants: [a, { ...b, weight: 3 }] })).toMatchObject({ version: 5, tested: drawn(5, 3) });
  });
});

it('an explanation has the message as the player would get it', async () => {
  const attributes = JSON.stringify({ name: 'Ada', language: 'de-AT' });
  const ledger = createFakeLedger();
  gateway.backend.reply = (command) => {
    const reply = ledger(command);
    return reply.kind === 'exported' ? { ...reply, player: { ...reply.player, attributes } } : reply;
  };
  await call('POST', '/v1/players/players', { external_id: 'ada' });
  const { status, body } = await call('POST', `${PATH}/explain`, { player: 'ada', campaign: GOOD });
  expect([status, body.error?.message]).toEqual([200, undefined]);
  expect(body.data).toMatchObject({
    variant: null,
    locale: 'de',
    content: {
      title: 'Hallo Ada',
      body: 'A gift',
      data: { reward: { coins: 5 } },
      buttons: [{ id: 'take', label: 'Nehmen', action: 'game://gifts' }, { label: 'Later' }],
    },
  });
});
