import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../core/vocabulary/documents/users.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createPeople, type People } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';

/* Secrets in the configuration of a webhook: who sees the values of its headers, and the path of its URL. */

const PATH = '/v1/integrations/webhooks';
const TOKEN = 'Bearer eyJ-very-secret';
const SECRETS = [TOKEN, 'T024BE7LD', 'xoxb-in-the-path', 'token=in-the-query'];
const URL_WITH_SECRETS = 'https://hooks.example.com/services/T024BE7LD/xoxb-in-the-path?token=in-the-query';

let gateway: Gateway;
let people: People;
let key: string;
let id: string;

beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  people = createPeople(gateway);
  key = await gateway.key();
  const created = await gateway.call(key, 'POST', PATH, {
    url: URL_WITH_SECRETS,
    events: ['*'],
    headers: { Authorization: TOKEN, 'X-Team': 'economy' },
  });
  const { data } = await bodyOf(created);
  id = data['webhook_id'];
  // As sent, like the secret, this once.
  expect(data).toMatchObject({ url: URL_WITH_SECRETS, headers: { Authorization: TOKEN, 'X-Team': 'economy' } });
});
afterAll(() => gateway.close());

const stored = () => gateway.config.list('webhook').find((entry) => entry.key === id)?.document;
const person = (role: Role) => people.signedIn({ game: 'demo', environment: 'live', role });
async function readsOf(call: (method: string, path: string) => Promise<Response>): Promise<string> {
  const answers = await Promise.all([PATH, `${PATH}?limit=1`, `${PATH}/${id}`].map((path) => call('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return (await Promise.all(answers.map((each) => each.text()))).join('\n');
}

describe('the configuration of a webhook', () => {
  it.each(['viewer', 'analyst', 'editor'] as const)('shows a person with the role %s no secret', async (role) => {
    const signedIn = await person(role);
    const text = await readsOf((method, path) => signedIn.call(method, path));
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(text).toContain('"url":"https://hooks.example.com/[hidden]"');
    expect(text).toContain('"headers":{"Authorization":"[hidden]","X-Team":"[hidden]"}');
  });

  it.each(['an admin', 'a server key'])('shows %s the URL, and no value of a header', async (who) => {
    const admin = await person('admin');
    const text = await readsOf((method, path) =>
      who === 'an admin' ? admin.call(method, path) : gateway.call(key, method, path),
    );
    expect(text).toContain(URL_WITH_SECRETS);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('economy');
  });

  it('keeps the values that were shown as hidden when they are sent back', async () => {
    const headers = { Authorization: '[hidden]', 'X-New': 'n' };
    const changed = await gateway.call(key, 'PATCH', `${PATH}/${id}`, { headers });
    expect((await bodyOf(changed)).data).toMatchObject({ headers: { Authorization: '[hidden]', 'X-New': '[hidden]' } });
    expect(stored()?.headers).toEqual({ Authorization: TOKEN, 'X-New': 'n' });

    const unknown = await gateway.call(key, 'PATCH', `${PATH}/${id}`, { headers: { 'X-Other': '[hidden]' } });
    expect([unknown.status, (await bodyOf(unknown)).error.details.fields]).toEqual([
      400,
      [{ path: '/headers/X-Other', message: 'has no stored value that `[hidden]` could keep' }],
    ]);
    const created = await gateway.call(key, 'POST', PATH, {
      url: URL_WITH_SECRETS,
      events: ['*'],
      headers: { Authorization: '[hidden]' },
    });
    expect(created.status).toBe(400);
  });

  it('does not give the stored values to a URL of another origin', async () => {
    const before = stored();
    const moved = (body: object) => gateway.call(key, 'PATCH', `${PATH}/${id}`, body);
    for (const body of [{}, { headers: { Authorization: '[hidden]', 'X-Team': 'economy' } }]) {
      const refused = await moved({ url: 'https://collector.example.org/in', ...body });
      expect([refused.status, (await bodyOf(refused)).error.details.fields]).toEqual([
        400,
        [
          {
            path: '/headers',
            message:
              'a URL of another origin does not get the stored values of Authorization' +
              `${'headers' in body ? '' : ', X-New'}; send them, or {}`,
          },
        ],
      ]);
    }
    expect(stored()).toEqual(before);
    expect((await moved({ url: 'https://hooks.example.com/elsewhere' })).status).toBe(200);
    expect(stored()?.headers).toEqual(before?.headers);
    expect((await moved({ url: 'https://collector.example.org/in', headers: { Authorization: 'new' } })).status).toBe(
      200,
    );
    expect(stored()?.headers).toEqual({ Authorization: 'new' });
    expect((await moved({ url: 'https://other.example.org/in', headers: {} })).status).toBe(200);
  });

  it('answers a repeat as the first time when the values that it kept are gone', async () => {
    const patch = (body: object, headers?: Record<string, string>) =>
      gateway.call(key, 'PATCH', `${PATH}/${id}`, body, headers);
    await patch({ headers: { Authorization: 'kept' } });
    const change = () => patch({ headers: { Authorization: '[hidden]' }, name: 'n' }, { 'Idempotency-Key': 'kept' });
    expect((await change()).status).toBe(200);
    await patch({ headers: {} });
    const repeat = await change();
    expect([repeat.status, repeat.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect(stored()?.headers).toEqual({});
  });

  it('stays hidden in the answer to a rotation', async () => {
    const rotated = await gateway.call(key, 'POST', `${PATH}/${id}/rotate-secret`);
    expect(await rotated.text()).not.toContain(TOKEN);
  });
});
