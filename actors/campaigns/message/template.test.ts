import { describe, expect, it } from 'vitest';
import { placeholdersOf, templateOf } from './template.ts';

describe('a template', () => {
  it.each([
    ['Hello', ['Hello']],
    ['', []],
    ['a }} b { c', ['a }} b { c']],
    ['{{external_id}}', [{ field: 'external_id' }]],
    ['Hi {{ attributes.name | dear player }}!', ['Hi ', { field: 'attributes.name', fallback: 'dear player' }, '!']],
    [
      '{{a|}}{{b|x|y}}',
      [
        { field: 'a', fallback: '' },
        { field: 'b', fallback: 'x|y' },
      ],
    ],
  ])('%j has the parts %j', (text, parts) => {
    expect(templateOf(text)).toEqual({ parts });
    expect(placeholdersOf(text)).toEqual(parts.filter((part) => typeof part !== 'string'));
  });

  it.each([
    ['Hi {{attributes.name', 'has “{{attributes.name” without }}'],
    ['Hi {{a {{b}}', 'has “{{a {{b}}”: a placeholder is in another one'],
    ['Hi {{}}', 'has a placeholder without a field; write {{<field>|<default>}}'],
    ['Hi {{|you}}', 'has a placeholder without a field; write {{<field>|<default>}}'],
  ])('%j is none', (text, fault) => {
    expect(templateOf(text)).toEqual({ fault });
    expect(placeholdersOf(text)).toEqual([]);
  });
});
