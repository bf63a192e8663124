import { describe, expect, it } from 'vitest';
import type { MessageContent, MessageVariant } from '../../../core/vocabulary/message.ts';
import { aCampaign } from '../testing-campaign.ts';
import { campaignConditions } from './campaign-conditions.ts';
import { messageFaults } from './message-faults.ts';

const CONTENT: MessageContent = { title: 'Hi', body: 'x', cta: '' };
const of = (some: Partial<MessageContent>, variants?: MessageVariant[]) =>
  messageFaults({ content: { ...CONTENT, ...some }, ...(variants === undefined ? {} : { variants }) }).map(
    ({ path, message }) => `${path} ${message}`,
  );

describe('the messages of a campaign', () => {
  it('may have placeholders of all fields that conditions read of players', () => {
    const body =
      '{{attributes.name|you}} {{external_id}} {{computed.gems|0}} {{events.win.count_7d}} {{session_count}}';
    const title = '{{total_revenue}} {{platform|any}} {{events.win.last_days_ago|-}} {{days_since_last_seen|0}}';
    expect(of({ body, title, cta: '{{is_payer}} {{device_locale|-}}' })).toEqual([]);
  });

  it.each<[Partial<MessageContent>, string]>([
    [{ title: 'Hi {{attributes.name' }, '/content/title has “{{attributes.name” without }}'],
    [
      { body: '{{attributes.name}}' },
      '/content/body has {{attributes.name}} without a default; write {{attributes.name|<what players without it see>}}',
    ],
    [
      { cta: '{{properties.level|1}}' },
      '/content/cta has {{properties.level}}, which is not known when a message is delivered; keep it as an attribute of ' +
        'the player',
    ],
    [{ title: '{{events|x}}' }, '/content/title has {{events}}, which has no single value; use a computed property'],
    [
      { locales: { de: { title: '{{attributes..name|x}}' } } },
      '/content/locales/de/title has {{attributes..name}}, which has an empty path segment; separate names with single dots',
    ],
    [{ body: '{{external_id}}'.repeat(11) }, '/content/body has 11 placeholders; the maximum is 10'],
    [
      { deepLink: `game://a/${'{{external_id}}'.repeat(4)}` },
      '/content/deep_link has 4 placeholders; the maximum is 3',
    ],
    [{ locales: { german: {} } }, '/content/locales/german must be a language tag (BCP 47), such as de or pt-BR'],
    [{ locales: { 'de-at': {}, 'de-AT': {} } }, '/content/locales/de-AT repeats an earlier language'],
    [
      { locales: { de: { buttonLabels: { take: 'Nehmen' } } } },
      '/content/locales/de/button_labels/take names no button of the message',
    ],
    [{ buttons: [button('a'), button('a')] }, '/content/buttons/1/id repeats an earlier id'],
    [
      { buttons: [button('a', 'javascript:alert(1)')] },
      '/content/buttons/0/action must not be a link with the scheme javascript',
    ],
    [
      { buttons: [button('a', 'do it')] },
      '/content/buttons/0/action must be a link, or a word that the game understands, such as dismiss',
    ],
    [{ image: 'data:image/png;base64,AA' }, '/content/image must not be a link with the scheme data'],
    [
      { image: '/banner.png' },
      '/content/image must be a link with its scheme, such as https://example.com/shop or game://shop',
    ],
    [
      { deepLink: 'https://{{attributes.host|a}}.example/' },
      '/content/deep_link may have placeholders only after the host of the link, in its path or query',
    ],
    [{ deepLink: 'game://a b' }, '/content/deep_link must be a link without spaces, quotes and angle brackets'],
    [{ data: { text: 'x'.repeat(4_096) } }, '/content/data is 4107 bytes as JSON; the maximum is 4096'],
  ])('%j have a fault that names the place', (some, fault) => {
    expect(of(some)).toEqual([fault]);
  });

  it('have faults of variants at their places', () => {
    expect(of({}, [{ key: 'a', weight: 1 }])).toEqual(['/variants must have at least two variants, or be null']);
    expect(
      of({}, [
        { key: 'a', weight: 0 },
        { key: 'a', weight: 0 },
      ]),
    ).toEqual(['/variants/1/key repeats an earlier key', '/variants must have a variant with a weight greater than 0']);
    const content = { ...CONTENT, title: '{{nothing|x}}' };
    expect(
      of({}, [
        { key: 'a', weight: 1 },
        { key: 'b', weight: 1, content },
      ])[0],
    ).toMatch(/^\/variants\/1\/content\/title has \{\{nothing\}\}, which is an unknown field; use one of attributes/);
  });

  it('may take 128 KiB together', () => {
    const locales = Object.fromEntries(
      Array.from({ length: 70 }, (_, n) => [
        `a${String.fromCodePoint(97 + (n % 26))}-x${n}`,
        { body: 'b'.repeat(2_000) },
      ]),
    );
    expect(of({ locales })[0]).toMatch(
      /^\/content and the contents of variants are \d+ bytes as JSON; the maximum is 131072$/,
    );
  });

  it('are what definitions read: as conditions beside those of the trigger', () => {
    const conditions = { 'properties.level': 3 };
    const content = { ...CONTENT, title: '{{computed.gems|0}}', locales: { de: { body: '{{attributes.name|x}}' } } };
    const document = aCampaign({ trigger: { kind: 'event', event: 'e', conditions }, content });
    const read = campaignConditions(document);
    expect(read).toEqual([conditions, { 'computed.gems': { $exists: true }, 'attributes.name': { $exists: true } }]);
    expect(campaignConditions(document)).toBe(read);
  });
});

function button(id: string, action = 'dismiss') {
  return { id, label: 'x', action };
}
