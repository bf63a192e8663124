import { describe, expect, it } from 'vitest';
import { bodyOf, NEW_WEBHOOK, withoutSecrets } from './edited-webhook.ts';

const EDITED = { ...NEW_WEBHOOK, url: 'https://crm.example.com/hook', events: ['level_up'] };
const SECRET = 'hunter2';

describe('a draft of a webhook', () => {
  it('is stored without headers, and remembers that there were some', () => {
    const stored = withoutSecrets({ ...EDITED, headers: `{"Authorization": "Bearer ${SECRET}"}` });
    expect(stored).toEqual({ ...EDITED, hasLostHeaders: true });
    // Stored again after a reload, before anybody has typed the headers again.
    expect(withoutSecrets({ ...stored, name: 'crm' })).toEqual({ ...EDITED, name: 'crm', hasLostHeaders: true });
    expect(withoutSecrets(EDITED)).toEqual(EDITED);
  });

  it.each([
    `https://ann:${SECRET}@crm.example.com`,
    `https://${SECRET}@crm.example.com`,
    `https://ann:${SECRET}@`,
    `ann:${SECRET}@crm`,
  ])('is stored without the address %s', (url) => {
    expect(JSON.stringify(withoutSecrets({ ...EDITED, url }))).not.toContain(SECRET);
  });

  it('keeps an address with an @ in its path', () => {
    const url = 'https://crm.example.com/@game';
    expect(withoutSecrets({ ...EDITED, url }).url).toBe(url);
  });
});

describe('the fields of an edited webhook', () => {
  it('have the headers only if they were edited', () => {
    expect(bodyOf(EDITED)).not.toHaveProperty('headers');
    expect(bodyOf({ ...EDITED, headers: '{"X-Team": "economy"}' })).toMatchObject({ headers: { 'X-Team': 'economy' } });
    expect(bodyOf({ ...EDITED, headers: '{}' })).toMatchObject({ headers: {} });
  });

  it.each([
    ['no address', { url: ' ' }],
    ['no kind', { events: [] }],
    ['filters that are no object', { filters: '[]' }],
    ['headers that are not JSON', { headers: '{' }],
  ])('are not ready with %s', (_, change) => {
    expect(bodyOf({ ...EDITED, ...change })).toBeUndefined();
  });
});
