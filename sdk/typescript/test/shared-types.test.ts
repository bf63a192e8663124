import { describe, expect, it } from 'vitest';
import { schemaType, type JsonSchema } from '../src/schema/schema-type.ts';
import { createSharedTypes } from '../scripts/shared-types.ts';

const fields = (...names: string[]) =>
  Object.fromEntries(names.map((name): [string, JsonSchema] => [name, { type: 'string' }]));

function written(...schemas: JsonSchema[]) {
  const shared = createSharedTypes(['Taken']);
  return shared.resolve(
    schemas.map((schema) => schemaType(schema, {}, (type, from) => shared.add(type, from))).join('\n'),
  );
}

const THING = '{ readonly a?: string; readonly b?: string; readonly c?: string; }';
const aThing = (description: string, ...names: string[]) => ({ description, properties: fields(...names) });

describe('types that endpoints share', () => {
  it('are declared once, under the name that their description gives', () => {
    const thing = aThing('A thing with its parts. And more.', 'a', 'b', 'c');
    expect(written(thing, { type: 'array', items: thing })).toEqual({
      text: 'Thing\nreadonly Thing[]',
      declarations: `/** A thing with its parts. */\ntype Thing = ${THING};`,
    });
  });

  it('stay where they are if they occur once, also inside of a type that occurs often', () => {
    const inner = aThing('A part.', 'a', 'b', 'c');
    const outer = { description: 'A thing.', properties: { ...fields('x', 'y'), inner } };
    const { text, declarations } = written(outer, outer, aThing('A leaf.', 'd', 'e', 'f'));
    expect(text).toMatch(/^Thing\nThing\n\{ readonly d\?/);
    expect(declarations).toContain(`readonly inner?: ${THING}`);
    expect(declarations).not.toContain('type Part');
  });

  it('get different names if their descriptions begin alike', () => {
    const things = ['x', 'y', 'z'].map((name) => aThing('A taken thing.', 'a', 'b', name));
    const taken = ['x', 'y', 'z'].map((name) => aThing('Taken.', 'c', 'd', name));
    expect(
      written(...things, ...things, ...taken, ...taken)
        .text.split('\n')
        .slice(0, 3),
    ).toEqual(['TakenThing', 'TakenThing2', 'TakenThing3']);
    expect(
      written(...taken, ...taken)
        .text.split('\n')
        .slice(0, 3),
    ).toEqual(['Taken2', 'Taken3', 'Taken4']);
  });

  it('are written out if they are small or have no description', () => {
    const small = aThing('A thing.', 'a', 'b');
    const nameless = { properties: fields('a', 'b', 'c') };
    expect(written(small, small, nameless, nameless).declarations).toBe('');
  });
});
