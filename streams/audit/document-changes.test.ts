import { describe, expect, it } from 'vitest';
import type { ApiKeyDocument } from '../../core/vocabulary/documents/documents.ts';
import type { UserDocument } from '../../core/vocabulary/documents/users.ts';
import { boundedTexts } from './bounded-texts.ts';
import { changesOf } from './document-changes.ts';

const USER: UserDocument = {
  id: '0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b',
  email: 'ann@example.com',
  grants: [
    { game: 'one', environment: 'live', role: 'editor' },
    { game: 'two', environment: '*', role: 'viewer' },
  ],
  proved: [{ game: '*', environment: '*' }],
  password: 'scrypt-of-it',
  links: [{ hash: 'link-hash', createdAt: 1, expiresAt: 2 }],
  sessions: [{ hash: 'session-hash', createdAt: 1, expiresAt: 2 }],
  createdAt: 1,
  updatedAt: 1,
};
const PASSKEY = { id: 'p', publicKey: 'k', counter: 0, name: 'Key', rpId: 'localhost', createdAt: 1, lastUsedAt: null };
const LINK = [{ hash: 'another-link', createdAt: 1, expiresAt: 2 }];
const userAt = { game: '_', environment: '_', kind: 'user', key: USER.id } as const;

const WEBHOOK = {
  id: 'wh_1',
  name: 'Hook',
  url: 'https://hooks.example.com/',
  events: ['*'],
  secret: 'whsec_top',
  enabled: true,
  headers: { Authorization: 'Bearer top' },
  retryPolicy: { maxRetries: 3, backoff: 'linear' },
  filters: {},
  createdAt: 1,
  version: 1,
  writes: [{ id: 'mark', bodyHash: 'x', at: 1 }],
} as const;
const webhook = () => ({ ...structuredClone(WEBHOOK), events: ['*'], writes: [] });
const webhookAt = { game: 'one', environment: 'live', kind: 'webhook', key: 'wh_1' } as const;

describe('the audit of a document', () => {
  it('hides secrets, and says which ones changed', () => {
    const after = { ...webhook(), secret: 'whsec_next', headers: { Authorization: 'Bearer next', Other: 'x' } };
    const [change] = changesOf(webhookAt, webhook(), after);
    const texts = JSON.stringify(change);
    for (const secret of ['whsec', 'Bearer', 'mark']) expect(texts).not.toContain(secret);
    expect(change?.action).toBe('secret_rotated');
    expect(JSON.parse(change?.after ?? '')).toMatchObject({
      secret: '[hidden, changed]',
      headers: { Authorization: '[hidden]', Other: '[hidden]', $: '[hidden, changed]' },
    });
    expect(JSON.parse(change?.before ?? '')).toMatchObject({ secret: '[hidden]', url: WEBHOOK.url });
  });

  it('hides the path of a webhook’s URL, and says when only the path changed', () => {
    const before = { ...webhook(), url: 'https://hooks.example.com/T0/top-path?k=top-query' };
    const [moved] = changesOf(webhookAt, before, { ...before, url: 'https://hooks.example.com/T0/next' });
    const [elsewhere] = changesOf(webhookAt, before, { ...before, url: 'https://other.example.com/' });
    expect(JSON.stringify([moved, elsewhere])).not.toMatch(/T0|top-path|top-query|next/);
    expect([moved?.before, moved?.after, elsewhere?.after].map((text) => JSON.parse(text ?? '').url)).toEqual([
      'https://hooks.example.com/[hidden]',
      'https://hooks.example.com/[hidden] [hidden, changed]',
      'https://other.example.com/',
    ]);
  });

  it('has an entry for the deployment and one for each game whose roles changed, without the other games', () => {
    const after: UserDocument = {
      ...USER,
      grants: [
        { game: 'one', environment: 'live', role: 'admin' },
        { game: 'two', environment: '*', role: 'viewer' },
      ],
    };
    const changes = changesOf(userAt, USER, after);
    expect(changes.map(({ game, action }) => [game, action])).toEqual([
      ['_', 'roles_changed'],
      ['one', 'roles_changed'],
    ]);
    expect(changes[1]?.after).not.toContain('two');
    const texts = JSON.stringify(changes);
    for (const secret of ['scrypt', 'link-hash', 'session-hash']) expect(texts).not.toContain(secret);
  });

  it.each([
    ['created', undefined, USER],
    ['deleted', USER, undefined],
    ['signed_in', USER, { ...USER, sessions: [{ hash: 'other', createdAt: 1, expiresAt: 2 }] }],
    ['signed_out', USER, { ...USER, sessions: [] }],
    ['link_made', USER, { ...USER, links: [...USER.links, { hash: 'other', createdAt: 1, expiresAt: 2 }] }],
    ['link_made', { ...USER, passkeys: [PASSKEY] }, { ...USER, links: LINK, sessions: [], password: null }],
    ['passkey_removed', { ...USER, passkeys: [PASSKEY] }, { ...USER, sessions: [] }],
    ['password_changed', USER, { ...USER, password: 'another' }],
  ])('says that a user was %s', (action, before, after) => {
    expect(changesOf(userAt, before, after)[0]?.action).toBe(action);
  });

  it('names a key by its id and says that it was revoked or rotated', () => {
    const before: ApiKeyDocument = {
      id: 'key-1',
      kind: 'server',
      tier: 'pro',
      scopes: [],
      hint: 'sk_live_abcd…',
      createdAt: 1,
      revokedAt: null,
    };
    const address = { game: 'one', environment: 'live', kind: 'key', key: 'f'.repeat(64) } as const;
    const [change] = changesOf(address, before, { ...before, revokedAt: 2 });
    expect(change).toMatchObject({ key: 'key-1', action: 'revoked', game: 'one', environment: 'live' });
    const rotated = { ...before, rotated: { successor: 'key-2', until: 3 } };
    expect(changesOf(address, before, rotated)[0]).toMatchObject({ key: 'key-1', action: 'rotated' });
    expect(changesOf(address, rotated, { ...rotated, revokedAt: 4 })[0]?.action).toBe('revoked');
  });

  it('holds no ids of players, whom an erasure must forget', () => {
    const segment = {
      id: 'seg_1',
      key: 'vip',
      name: 'VIP',
      description: '',
      conditions: {},
      includes: ['6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11'],
      createdAt: 1,
      updatedAt: 1,
      version: 1,
    };
    const address = { game: 'one', environment: 'live', kind: 'segment', key: 'seg_1' } as const;
    const [change] = changesOf(address, segment, { ...segment, includes: [] });
    expect(change?.before).toContain('"includes":{"players":1}');
    expect(change?.before).not.toContain('6f0f5a3e');
  });
});

describe('the texts of a change', () => {
  const bytes = (text: string): number => Buffer.byteLength(text);

  it('are whole while they fit', () => {
    expect(boundedTexts({ a: 1 }, { a: 2 })).toEqual({ before: '{"a":1}', after: '{"a":2}' });
    expect(boundedTexts(undefined, { a: 2 })).toEqual({ before: '', after: '{"a":2}' });
  });

  it('keep only what differs, and the name, of larger documents', () => {
    const large = { key: 'k', same: 'x'.repeat(2_000), other: 1 };
    const texts = boundedTexts(large, { ...large, other: 2 }, 1_000);
    expect(texts).toEqual({ before: '{"key":"k","other":1}', after: '{"key":"k","other":2}' });
  });

  it('give the size of what does not fit', () => {
    const texts = boundedTexts({ key: 'k', text: 'é'.repeat(2_000) }, { key: 'k', text: 'short' }, 1_000);
    expect(texts.before).toBe('{"key":"k","text":{"$left_out_bytes":4002}}');
    expect(texts.after).toBe('{"key":"k","text":"short"}');
  });

  it('stay within the bound for any number of fields', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field_${n}`, n]));
    const { before, after } = boundedTexts({}, many, 1_000);
    expect(bytes(before)).toBeLessThanOrEqual(1_000);
    expect(after).toMatch(/^\{"\$left_out_bytes":\d+\}$/);
  });
});
