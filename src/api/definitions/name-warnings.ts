import { SERVICE_EVENTS } from '../../../core/vocabulary/service-events.ts';
import { Type } from 'typebox';
import type { KnownNamesQuery } from '../../../clickhouse-schema/queries/events/known-names.ts';
import type { QueryResult } from '../../../clickhouse-schema/query-result.ts';
import { within, type Clock } from '../../../core/kernel/clock.ts';
import { nearest } from '../../../core/kernel/text/edit-distance.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import { DEFINITION_LIMITS } from './limits.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { createTurns } from '../route/turns.ts';
import { namesIn, type ConditionName } from './condition-names.ts';
import { operatorWarnings } from './operator-warnings.ts';

/**
 * Warns about names in conditions that no event or player has, and about likely mistakes with operators.
 *
 * Names come from ClickHouse when a definition is written, and are kept for `namesFreshMs`: events and players cost
 * nothing. A name that a list lacks is looked up again, at most once in `namesAskedAgainMs` and list, because it may be
 * new. Without ClickHouse there are no warnings about names; a definition is never refused for a name.
 */
export interface NameWarnings {
  of(scope: { game: string; environment: string }, conditions: readonly WarnedConditions[]): Promise<NameWarning[]>;
}

export interface WarnedConditions {
  conditions: Json;
  /** JSON pointer of the conditions in the body. */
  path: string;
  /** The event whose properties they read. */
  event?: string | undefined;
  /** The pointer of a single name, if it does not follow from the conditions. */
  pathOfName?: string;
}

export interface NameWarning {
  path: string;
  message: string;
  /** The nearest known names. */
  suggestions: string[];
}

export const Warnings = Type.Optional(
  Type.Array(
    Type.Object(
      {
        path: Type.String({ description: 'JSON Pointer into the body.' }),
        message: Type.String({ description: 'What is probably wrong.' }),
        suggestions: Type.Array(Type.String({ description: 'A name that exists.' }), {
          description: 'The nearest known names, at most three.',
        }),
      },
      { description: 'A warning.' },
    ),
    {
      description:
        'Names in conditions that no event or player has yet, operators without `$`, and operators that compare ' +
        'versions as texts. Absent without any. Only in answers to writes and previews.',
    },
  ),
);

export interface NameWarningsOptions {
  knownNames: (query: KnownNamesQuery) => Promise<QueryResult<string[]>>;
  clock: Clock;
}

interface CachedNames {
  atMs: number;
  /** Whether ClickHouse has not answered yet. */
  isPending: boolean;
  names: Promise<ReadonlySet<string> | undefined>;
}

export function createNameWarnings({ knownNames, clock }: NameWarningsOptions): NameWarnings {
  /** The latest last. */
  const held = new Map<string, CachedNames>();

  /** The names, read at most `mostAgeMs` ago, or those that are being read. */
  function namesOf(query: KnownNamesQuery, mostAgeMs: number): Promise<ReadonlySet<string> | undefined> {
    const key = JSON.stringify(query);
    const nowMs = clock.monotonicMs();
    const known = held.get(key);
    if (known !== undefined && (known.isPending || nowMs - known.atMs < mostAgeMs)) return known.names;
    const list: CachedNames = { atMs: nowMs, isPending: true, names: read(query) };
    held.delete(key);
    held.set(key, list);
    void list.names.then((found) => {
      list.isPending = false;
      if (found === undefined && held.get(key) === list) held.delete(key);
    });
    for (const oldest of held.keys()) {
      if (held.size <= DEFINITION_LIMITS.namesHeld) break;
      held.delete(oldest);
    }
    return list.names;
  }

  const read = (query: KnownNamesQuery): Promise<ReadonlySet<string> | undefined> =>
    knownNames(query).then(
      (found) => (found.kind === 'answered' ? new Set(found.value) : undefined),
      () => undefined,
    );

  return {
    async of(scope, conditions) {
      const names = conditions
        .flatMap(({ conditions: one, path, event, pathOfName }) =>
          namesIn(one, event).map((name): ConditionName => ({ ...name, path: pathOfName ?? `${path}${name.path}` })),
        )
        .slice(0, DEFINITION_LIMITS.namesChecked);
      const operators = conditions
        .flatMap(({ conditions: one, path }) =>
          operatorWarnings(one).map((warning) => ({ ...warning, path: `${path}${warning.path}` })),
        )
        .slice(0, DEFINITION_LIMITS.nameWarnings);
      if (names.length === 0) return operators;
      let late = false;
      const found = await within(clock, DEFINITION_LIMITS.namesMs, checkAll());
      late = true;
      return [...operators, ...(found ?? [])].slice(0, DEFINITION_LIMITS.nameWarnings);

      /** Compares one name after another, in turns with other requests. */
      async function checkAll(): Promise<NameWarning[]> {
        const lists = await Promise.all(names.map(knownTo));
        const turns = createTurns(clock);
        const warnings: NameWarning[] = [];
        for (const [place, name] of names.entries()) {
          const pause = turns.pause();
          if (pause !== undefined) await pause;
          if (late || warnings.length >= DEFINITION_LIMITS.nameWarnings) break;
          warnings.push(...warningOf(name, lists[place]));
        }
        return warnings;
      }

      async function knownTo(name: ConditionName): Promise<ReadonlySet<string> | undefined> {
        if (name.kind === 'event' && SERVICE_EVENTS.has(name.name)) return undefined;
        const query = { ...scope, of: sourceOf(name) };
        const known = await namesOf(query, DEFINITION_LIMITS.namesFreshMs);
        return known === undefined || known.has(name.name)
          ? known
          : namesOf(query, DEFINITION_LIMITS.namesAskedAgainMs);
      }
    },
  };
}

function warningOf(name: ConditionName, known: ReadonlySet<string> | undefined): NameWarning[] {
  // A full list may lack names that exist.
  if (known === undefined || known.has(name.name) || known.size >= EVENT_QUERY_LIMITS.namesKnown) return [];
  // An event that never came has no properties, and a warning of its own.
  if (name.kind === 'property' && known.size === 0) return [];
  const suggestions = nearest(name.name, known, DEFINITION_LIMITS.nameSuggestions);
  const hint = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map((one) => `\`${one}\``).join(', ')}?`;
  return [{ path: name.path, message: `${WORDS[name.kind](name)}${hint}`, suggestions }];
}

function sourceOf(name: ConditionName): KnownNamesQuery['of'] {
  if (name.kind === 'event') return { kind: 'events' };
  return name.kind === 'attribute' ? { kind: 'attributes' } : { kind: 'properties', eventName: name.event };
}

const WORDS: { readonly [K in ConditionName['kind']]: (name: ConditionName) => string } = {
  event: ({ name }) => `no event named \`${name}\` was received yet`,
  attribute: ({ name }) =>
    `no attribute \`${name}\` was found in a sample of at most ${EVENT_QUERY_LIMITS.namesSampled} players`,
  property: ({ name }) =>
    `no property \`${name}\` was found in the newest ${EVENT_QUERY_LIMITS.namesSampled} of these events`,
};
