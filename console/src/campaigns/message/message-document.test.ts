import { describe, expect, it } from 'vitest';
import {
  contentAt,
  localesOf,
  shownIn,
  withContent,
  withDefaults,
  withoutLocale,
  withoutVariant,
  withShipped,
  withText,
  withTexts,
  withVariant,
} from './message-document.ts';

const CONTENT = { title: 'Hi {{attributes.name|player}}', body: 'x', cta: '' };
const OTHER = { ...CONTENT, title: 'Other' };

describe('variants', () => {
  it('begin with the message of the campaign and a copy of it', () => {
    const document = withVariant({ content: CONTENT });
    expect(document).toEqual({
      content: CONTENT,
      variants: [
        { key: 'control', weight: 1 },
        { key: 'b', weight: 1, content: CONTENT },
      ],
    });
    expect(withVariant(document)['variants']).toMatchObject([{ key: 'control' }, { key: 'b' }, { key: 'c' }]);
  });

  it('are edited where their content is', () => {
    const document = withVariant({ content: CONTENT });
    expect(withContent(document, 0, OTHER)['content']).toEqual(OTHER);
    const changed = withContent(document, 1, OTHER);
    expect([changed['content'], contentAt(changed, 0), contentAt(changed, 1)]).toEqual([CONTENT, CONTENT, OTHER]);
  });

  it('end by shipping one, or by removing all but one', () => {
    const document = withContent(withVariant({ content: CONTENT }), 1, OTHER);
    expect(withShipped(document, 1)).toEqual({ content: OTHER, variants: null });
    expect(withoutVariant(document, 0)).toEqual({ content: OTHER, variants: null });
    expect(withoutVariant(document, 1)).toEqual({ content: CONTENT, variants: null });
    expect(withoutVariant(withVariant(document), 1)['variants']).toHaveLength(2);
  });
});

describe('a message in a language', () => {
  const content = {
    ...CONTENT,
    buttons: [{ id: 'take', label: 'Take', action: 'dismiss' }],
    locales: { de: { title: 'Hallo', button_labels: { take: 'Nehmen' } }, 'de-AT': { title: 'Servus' } },
  };

  it('has its texts, else those of the shorter tag, else those of the message', () => {
    const shown = (locale: string) => {
      const { title, body, buttons } = shownIn(content, locale);
      return [title, body, buttons[0]?.label];
    };
    expect(shown('de-AT')).toEqual(['Servus', 'x', 'Nehmen']);
    expect(shown('de')).toEqual(['Hallo', 'x', 'Nehmen']);
    expect(shown('')).toEqual(['Hi player', 'x', 'Take']);
  });

  it('is added, edited and removed', () => {
    const french = withTexts(content, 'fr', withText({}, 'title', 'Salut'));
    expect(localesOf(french)).toEqual(['de', 'de-AT', 'fr']);
    expect(shownIn(french, 'fr').title).toBe('Salut');
    expect(withText({ title: 'a' }, 'title', '')).toEqual({});
    expect(withoutLocale(withoutLocale(content, 'de'), 'de-AT')).toEqual({ ...CONTENT, buttons: content.buttons });
  });
});

it('a text is shown with its defaults; what has none stays', () => {
  expect(withDefaults('{{a|b}} {{c}} {{d')).toBe('{{a|b}} {{c}} {{d');
  expect(withDefaults('{{a|b}} {{c}}')).toBe('b {{c}}');
});
