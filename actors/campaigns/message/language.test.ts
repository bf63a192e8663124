import { describe, expect, it } from 'vitest';
import { aPlayer } from '../../testing-players.ts';
import { languageOf, languageTag, lookupChain } from './language.ts';

const DEVICE = { platform: null, osVersion: null, appVersion: null, build: null, deviceModel: null };

describe('the language of a player', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de-at'],
    [' de_AT.UTF-8 ', 'de-at'],
    ['sr_RS@latin', 'sr-rs'],
    ['zh-Hans_CN', 'zh-hans-cn'],
    ['German', undefined],
    ['', undefined],
    ['de--AT', undefined],
    ['d', undefined],
  ])('reads %j as %j', (text, tag) => {
    expect(languageTag(text)).toBe(tag);
  });

  it.each([
    ['{"language":"fr","locale":"de"}', 'it', 'fr'],
    ['{"language":"German","locale":"de"}', 'it', 'de'],
    ['{"language":7}', 'it', 'it'],
    ['{"name":"language"}', 'it', 'it'],
    ['{}', undefined, undefined],
  ])('is of the attributes %s, else of the device %j', (attributes, locale, language) => {
    const device = locale === undefined ? null : { ...DEVICE, locale };
    expect(languageOf(aPlayer({ attributes, device }))).toBe(language);
  });

  it('is looked for with ever shorter tags, without a single letter at the end', () => {
    expect(lookupChain('zh-hant-cn-x-private1-private2')).toEqual([
      'zh-hant-cn-x-private1-private2',
      'zh-hant-cn-x-private1',
      'zh-hant-cn',
      'zh-hant',
      'zh',
    ]);
  });
});
