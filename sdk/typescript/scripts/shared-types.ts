import { docComment, type JsonSchema } from '../src/schema/schema-type.ts';

/*
 * Gives names to the object types that the endpoints share, so that each is written once.
 *
 * While types are written, a reference stands for each object type; equal types have the same reference. So a type that
 * occurs only inside of one other type is counted once, however often that one occurs.
 */

export interface SharedTypes {
  /** Stores an object type. @returns a reference to it, without spaces */
  add(text: string, schema: JsonSchema): string;
  /**
   * Replaces the references in a text: by names where a type is shared, otherwise by the types themselves.
   * @returns the text, and the declarations of the named types in alphabetical order
   */
  resolve(text: string): { text: string; declarations: string };
}

interface Stored {
  text: string;
  fields: number;
  /** Names that its descriptions suggest, best first. */
  names: Set<string>;
  description: string;
}

/** A type with fewer fields is shorter than a look at its declaration. */
const LEAST_FIELDS = 3;
const REFERENCE = /\uE000(\d+)\uE001/g;

/** @param taken names of other declarations in the file */
export function createSharedTypes(taken: readonly string[]): SharedTypes {
  const types: Stored[] = [];
  const numbers = new Map<string, number>();

  function isShared({ text, fields, names }: Stored, uses: ReadonlyMap<string, number>): boolean {
    return fields >= LEAST_FIELDS && names.size > 0 && (uses.get(text) ?? 0) > 1;
  }

  /** How often the text and the stored types refer to each type. */
  function countUses(text: string): ReadonlyMap<string, number> {
    const uses = new Map<string, number>();
    for (const part of [text, ...types.map((type) => type.text)]) {
      for (const [, number] of part.matchAll(REFERENCE)) {
        const used = types[Number(number)]?.text ?? '';
        uses.set(used, (uses.get(used) ?? 0) + 1);
      }
    }
    return uses;
  }

  /** The names of the shared types. Of two types that suggest one name, the later one gets a number. */
  function namesOf(uses: ReadonlyMap<string, number>): ReadonlyMap<Stored, string> {
    const used = new Set(taken);
    const chosen = new Map<Stored, string>();
    for (const type of types) {
      if (!isShared(type, uses)) continue;
      const [first = ''] = type.names;
      let name = [...type.names].find((each) => !used.has(each)) ?? first;
      for (let number = 2; used.has(name); number++) name = `${first}${number}`;
      used.add(name);
      chosen.set(type, name);
    }
    return chosen;
  }

  return {
    add(text, schema) {
      const number = numbers.get(text) ?? types.length;
      numbers.set(text, number);
      const { description = '', properties } = schema;
      const fields = Object.keys(Object(properties)).length;
      const type = (types[number] ??= { text, fields, names: new Set(), description: '' });
      if (typeof description === 'string' && description !== '') {
        if (type.description === '') type.description = firstSentence(description);
        for (const name of suggestedNames(description)) type.names.add(name);
      }
      return `\uE000${number}\uE001`;
    },
    resolve(text) {
      const names = namesOf(countUses(text));
      const resolved = (part: string): string =>
        part.replaceAll(REFERENCE, (_, number: string) => {
          const type = types[Number(number)];
          if (type === undefined) throw new Error('a reference without a type');
          return names.get(type) ?? resolved(type.text);
        });
      const declarations = [...names]
        .toSorted(([, one], [, other]) => (one < other ? -1 : 1))
        .map(([type, name]) => `${docComment(type.description)}\ntype ${name} = ${resolved(type.text)};`);
      return { text: resolved(text), declarations: declarations.join('\n\n') };
    },
  };
}

const firstSentence = (description: string): string => description.split(/(?<=\.) /)[0] ?? '';

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the', 'its', 'one']);
/** Words that begin the part of a description that tells more about the thing. */
const DETAILS = /\b(?:with|to|in|on|for|that|which|who|and|as|by|during|whether)\b.*$/;

/** The thing that a description names: the short form ("A webhook with its secret." → Webhook), then the long one. */
function suggestedNames(description: string): string[] {
  const sentence = firstSentence(description).replace(/[.:;,(].*$/, '');
  const [first = '', ...others] = sentence.split(' ');
  const text = [first.toLowerCase(), ...others].join(' ');
  return [text.replace(DETAILS, ''), text].map(pascalCase).filter((name) => name !== '');
}

function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && !ARTICLES.has(word));
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}
