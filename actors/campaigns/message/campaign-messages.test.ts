import { describe, expect, it } from 'vitest';
import { aPlayer } from '../../testing-players.ts';
import type { MessageContent } from '../../../core/vocabulary/message.ts';
import { aCampaign, campaignId, campaignSetOf, NOON } from '../testing-campaign.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';

const compiled = (some: Partial<CampaignDocument>) => {
  const [campaign] = campaignSetOf(aCampaign(some)).all;
  if (campaign === undefined) throw new Error('there is no campaign');
  return campaign;
};
const rendered = (
  content: MessageContent,
  attributes: object,
  some: Partial<CampaignDocument> = {},
  variant?: string,
) =>
  compiled({ content, ...some }).render(
    { player: aPlayer({ attributes: JSON.stringify(attributes) }), nowMs: NOON },
    variant,
  );
const titleOf = (title: string, attributes: object) => rendered({ title, body: 'x', cta: '' }, attributes).title;

describe('a message', () => {
  it('has all its parts, with the values of the player', () => {
    const content: MessageContent = {
      title: 'Hi {{attributes.name|player}}',
      body: '{{external_id}} has {{session_count}} sessions',
      cta: 'Go',
      image: 'https://cdn.example/a.png',
      deepLink: 'game://shop?for={{attributes.name|all}}',
      data: { reward: '{{attributes.name}}' },
      buttons: [{ id: 'take', label: 'Take, {{attributes.name|you}}', action: 'dismiss' }],
    };
    expect(rendered(content, { name: 'Ada & Bo' })).toEqual({
      title: 'Hi Ada & Bo',
      body: 'ext-1 has 0 sessions',
      cta: 'Go',
      image: 'https://cdn.example/a.png',
      deepLink: 'game://shop?for=Ada%20%26%20Bo',
      data: '{"reward":"{{attributes.name}}"}',
      buttons: [{ id: 'take', label: 'Take, Ada & Bo', action: 'dismiss' }],
      locale: null,
    });
  });

  it.each([
    [{}, 'player'],
    [{ name: null }, 'player'],
    [{ name: '  ' }, 'player'],
    [{ name: ['a'] }, 'player'],
    [{ name: { first: 'A' } }, 'player'],
    [{ name: true }, 'true'],
    [{ name: 12 }, '12'],
    [{ name: 0.1 + 0.2 }, '0.3'],
    [{ name: 'Jö' }, 'Jö'],
  ])('has the default where %j is no text', (attributes, title) => {
    expect(titleOf('{{attributes.name|player}}', attributes)).toBe(title);
  });

  it('never reads a value as a template, nor more of it than a line of 100 characters', () => {
    expect(titleOf('{{attributes.name|x}}', { name: '{{external_id}}', b: 'no' })).toBe('{{external_id}}');
    expect(titleOf('{{attributes.name|x}}', { name: 'a\r\n\u202eb\u0000c' })).toBe('a b c');
    expect(titleOf('{{attributes.name|x}}', { name: 'a'.repeat(101) })).toBe(`${'a'.repeat(99)}…`);
    expect(titleOf('{{attributes.name|x}}', { name: `${'a'.repeat(98)}😀😀` })).toBe(`${'a'.repeat(98)}\ufffd…`);
  });

  it('has values of links encoded, so that they stay what they are a part of', () => {
    const deepLink = 'game://shop/{{attributes.name|all}}';
    const of = (name: string) => rendered({ title: 'x', body: 'x', cta: '', deepLink }, { name }).deepLink;
    expect(of('../x?y=1#z')).toBe('game://shop/..%2Fx%3Fy%3D1%23z');
    expect(of('\ud800')).toBe('game://shop/%EF%BF%BD');
  });

  describe('of several languages', () => {
    const content: MessageContent = {
      title: 'Hello',
      body: 'A gift',
      cta: '',
      buttons: [
        { id: 'take', label: 'Take', action: 'dismiss' },
        { id: 'later', label: 'Later', action: 'dismiss' },
      ],
      locales: {
        de: { title: 'Hallo', body: 'Ein Geschenk', buttonLabels: { take: 'Nehmen' } },
        'de-AT': { title: 'Servus' },
      },
    };
    it.each([
      ['de-AT', 'de-AT', 'Servus', 'Ein Geschenk', 'Nehmen'],
      ['de_CH', 'de', 'Hallo', 'Ein Geschenk', 'Nehmen'],
      ['DE', 'de', 'Hallo', 'Ein Geschenk', 'Nehmen'],
      ['fr', null, 'Hello', 'A gift', 'Take'],
      ['', null, 'Hello', 'A gift', 'Take'],
    ])('is for %j in %j', (language, locale, title, body, label) => {
      const message = rendered(content, { language });
      expect(message).toMatchObject({ locale, title, body, buttons: [{ label }, { label: 'Later' }] });
    });
  });

  describe('with variants', () => {
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, content: { title: 'B', body: 'b', cta: '' } },
      { key: 'c', weight: 0 },
    ];
    const id = campaignId(7);
    it('is the one of the variant, or that of the campaign', () => {
      const content = { title: 'A', body: 'a', cta: '' };
      const titles = ['a', 'b', 'gone', undefined].map((key) => rendered(content, {}, { variants }, key).title);
      expect(titles).toEqual(['A', 'B', 'A', 'A']);
    });

    it('draws players by weight, always the same', () => {
      const campaign = compiled({ id, variants });
      const drawn = Array.from({ length: 1_000 }, (_, n) => campaign.variantOf(`player-${n}`));
      const share = drawn.filter((key) => key === 'b').length / drawn.length;
      expect(share).toBeGreaterThan(0.45);
      expect(share).toBeLessThan(0.55);
      expect(new Set(drawn)).toEqual(new Set(['a', 'b']));
      expect(drawn).toEqual(
        Array.from({ length: 1_000 }, (_, n) => compiled({ id, variants }).variantOf(`player-${n}`)),
      );
    });

    it('draws independently of the holdout', () => {
      const campaign = compiled({ id, variants, holdoutPercentage: 50 });
      const held = Array.from({ length: 2_000 }, (_, n) => `player-${n}`).filter((one) => campaign.isHeldOut(one));
      const share = held.filter((one) => campaign.variantOf(one) === 'b').length / held.length;
      expect(share).toBeGreaterThan(0.45);
      expect(share).toBeLessThan(0.55);
    });

    it('draws none without variants', () => {
      expect(compiled({ id }).variantOf('player-1')).toBeUndefined();
    });
  });
});
