import { _, type Ajv2020, type FuncKeywordDefinition, type Options } from 'ajv/dist/2020.js';
import { spend } from './check-steps.ts';
import { oneOfKeyword } from './one-of-keyword.ts';
import type { SchemaPatterns } from './inspect-schema.ts';

/*
 * Replacements for keywords of the JSON Schema library, with the standard's meaning and in time linear in the value.
 * The library's own keywords compare each item of an array with every other, call methods whose names a caller's object
 * may define, and run patterns without a bound on time.
 */

type RegExpEngine = NonNullable<NonNullable<Options['code']>['regExp']>;

/** Replaces the keywords that compare values, and `oneOf`. */
export function withSafeKeywords(ajv: Ajv2020): Ajv2020 {
  for (const definition of [enumKeyword, constKeyword, uniqueItemsKeyword, oneOfKeyword]) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  return ajv;
}

const enumKeyword: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  errors: false,
  error: {
    message: 'must be equal to one of the allowed values',
    params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
  },
  compile: (values: unknown[]) => isOneOf(values),
};

const constKeyword: FuncKeywordDefinition = {
  keyword: 'const',
  errors: false,
  error: { message: 'must be equal to constant', params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}` },
  compile: (value: unknown) => isOneOf([value]),
};

const uniqueItemsKeyword: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: false,
  error: { message: 'must not hold the same item twice' },
  compile: (wanted: boolean) => (items: unknown[]) => !wanted || areUnique(items),
};

function isOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  const texts = new Set(values.map(canonicalText));
  const hasNested = values.some((value) => typeof value === 'object' && value !== null);
  return (value) => (hasNested || typeof value !== 'object' || value === null) && texts.has(charged(value));
}

function areUnique(items: readonly unknown[]): boolean {
  const texts = new Set<string>();
  for (const item of items) {
    const text = charged(item);
    if (texts.has(text)) return false;
    texts.add(text);
  }
  return true;
}

/** Cost of each character of a canonical text, in steps. */
const CHARACTER_STEPS = 5;

function charged(value: unknown): string {
  const text = canonicalText(value);
  spend(text.length * CHARACTER_STEPS);
  return text;
}

/** The JSON of a value with sorted names: equal values have equal texts. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join()}}`;
}

/** The engine for `pattern` and `patternProperties`: RE2 syntax, matched in time linear in the text. */
export function safeRegExp(patterns: SchemaPatterns): RegExpEngine {
  const engine = (pattern: string) => {
    const compiled = patterns.get(pattern);
    if (compiled === undefined) throw new Error(`the pattern ${pattern} was not inspected`);
    return {
      test(text: string): boolean {
        spend(compiled.program * text.length);
        return compiled.matches(text);
      },
      // The library distinguishes patterns by this text.
      toString: () => pattern,
    };
  };
  return Object.assign(engine, { code: 'safeRegExp' });
}
