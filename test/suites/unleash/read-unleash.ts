import { aFlag, aRule } from '../../../actors/flags/evaluate/testing-flag.ts';
import type {
  FlagDocument,
  FlagPrerequisite,
  FlagRule,
  FlagVariant,
} from '../../../core/vocabulary/documents/documents.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { type Case, linesOf } from '../suite.ts';
import { anyOf, type Constraint, constraintOf, NEVER } from './constraints.ts';

interface Variant {
  name: string;
  weight: number;
  payload?: { type: string; value: string };
  stickiness?: string;
  overrides?: { contextName: string; values: string[] }[];
}

interface Strategy {
  name: string;
  parameters?: Record<string, string>;
  constraints?: Constraint[];
  segments?: number[];
  variants?: Variant[];
}

interface Feature {
  name: string;
  enabled: boolean;
  strategies?: Strategy[];
  variants?: Variant[];
  dependencies?: { feature: string; enabled?: boolean; variants?: string[] }[];
}

interface File {
  name: string;
  features: Feature[];
  segments: { id: number; constraints: Constraint[] }[];
  tests: { description: string; context: JsonObject; toggleName: string; expectedResult: boolean }[];
  variantTests: { description: string; context: JsonObject; toggleName: string; expected: string }[];
}

const NOW_MS = Date.UTC(2026, 10, 27);

export function unleashCases(): Case[] {
  return linesOf<File>(new URL('cases.jsonl', import.meta.url)).flatMap((file) => [
    ...file.tests.map((test): Case => ({
      name: `${file.name}: ${test.description}`,
      flags: flagsOf(file, test.toggleName, false),
      context: contextOf(test.context),
      nowMs: NOW_MS,
      expected: test.expectedResult,
      resultOf: ({ value }) => value === 'true',
    })),
    ...file.variantTests.map((test): Case => ({
      name: `${file.name}: ${test.description}`,
      flags: flagsOf(file, test.toggleName, true),
      context: contextOf(test.context),
      nowMs: NOW_MS,
      expected: test.expected,
      resultOf: ({ variantKey }) => variantKey ?? 'disabled',
    })),
  ]);
}

/** Properties stand beside the other fields. Without a time it is now. */
function contextOf({ properties = {}, ...context }: JsonObject): JsonObject {
  return { currentTime: new Date(NOW_MS).toISOString(), ...context, ...Object(properties) };
}

/** A toggle is a boolean flag and, for its variants, one with them. */
function flagsOf(file: File, name: string, isSplit: boolean): FlagDocument[] | string {
  if (file.features.length === 0) return 'a protocol of changes';
  const feature = file.features.find((each) => each.name === name);
  if (feature === undefined) return 'no such flag';
  const first = flagOf(file, feature, isSplit);
  if (typeof first === 'string') return first;
  const parents = (feature.dependencies ?? []).map((each) => parentOf(file, each));
  const broken = parents.find((parent) => typeof parent === 'string');
  if (typeof broken === 'string') return broken;
  return [first, ...parents.filter((parent) => typeof parent !== 'string')];
}

type Dependency = NonNullable<Feature['dependencies']>[number];

function parentOf(file: File, { feature: name, enabled = true, variants = [] }: Dependency): FlagDocument | string {
  const parent = file.features.find((each) => each.name === name);
  if (parent === undefined) return 'a prerequisite that does not exist, which is refused';
  if ((parent.dependencies ?? []).length > 0) return 'a chain of dependencies, which is an error there';
  if (!enabled && !parent.enabled) return 'a prerequisite that must be switched off';
  if (variants.length > 1) return 'a prerequisite on one of several variants';
  const [wanted] = variants;
  const made = flagOf(file, parent, wanted !== undefined);
  if (wanted === undefined || typeof made === 'string') return made;
  return made.variants.some(({ key }) => key === wanted)
    ? made
    : 'a prerequisite on a variant that the flag does not have, which is refused';
}

function flagOf(file: File, feature: Feature, isSplit: boolean): FlagDocument | string {
  const { name, enabled, strategies: given = [], variants = [], dependencies = [] } = feature;
  const strategies = given.length === 0 ? [{ name: 'default' }] : given;
  const own = given.flatMap((strategy) => strategy.variants ?? []);
  const all = [...new Map([...variants, ...own].map((one) => [one.name, one])).values()];
  const rules = strategies.map((strategy) => rulesOf(file, strategy, isSplit ? variants : undefined));
  const broken = rules.find((made) => typeof made === 'string');
  if (typeof broken === 'string') return broken;
  const shown: FlagVariant[] = all.map((one) => ({
    key: one.name,
    value: one.payload?.value ?? '',
    weight: one.weight,
  }));
  const isWeightless = shown.every(({ weight }) => weight === 0);
  return aFlag({
    key: keyOf(name, isSplit),
    enabled,
    salt: name,
    ...(isSplit ? { flagType: 'string', defaultValue: null } : {}),
    // A flag with variants has one with a weight here.
    variants: isSplit ? [...shown, ...(isWeightless ? [{ key: 'none', value: '', weight: 1 }] : [])] : [],
    rules: rules.flatMap((made) => (typeof made === 'string' ? [] : made)),
    prerequisites: dependencies.map(needOf),
  });
}

const keyOf = (name: string, isSplit: boolean): string => (isSplit ? `${name} by variant` : name);

function needOf({ feature, enabled = true, variants = [] }: Dependency): FlagPrerequisite {
  const [variant] = variants;
  if (variant !== undefined) return { flagKey: keyOf(feature, true), variantKey: variant };
  return { flagKey: feature, value: enabled };
}

/** @param variants of the toggle, if the flag serves them */
function rulesOf(file: File, strategy: Strategy, variants: Variant[] | undefined): FlagRule[] | string {
  const segments = (strategy.segments ?? []).map((id) => file.segments.find((each) => each.id === id)?.constraints);
  const constraints = [...(strategy.constraints ?? []), ...segments.flatMap((found) => found ?? [])].map(constraintOf);
  const all = segments.includes(undefined) ? [...constraints, NEVER] : constraints;
  const places = placesOf(strategy);
  if (typeof places === 'string') return places;
  const own = strategy.variants ?? [];
  const served = variants === undefined ? undefined : own.length > 0 ? own : variants;
  return places.flatMap(({ conditions, ...place }) => {
    const tests = [...all, ...conditions];
    const common = { ...place, ...(tests.length === 0 ? {} : { conditions: { $and: tests } }) };
    if (served === undefined) return [aRule(common)];
    // A toggle that is on, and has no variant for anybody.
    if (served.every(({ weight }) => weight === 0)) return [aRule({ ...common, value: false })];
    const forced = served.flatMap(({ name, overrides = [] }) =>
      overrides.map(({ contextName, values }) =>
        aRule({
          conditions: { $and: [...tests, { [`context.${contextName}`]: { $in: values } }] },
          serve: { variant: name },
        }),
      ),
    );
    const weights = served.map(({ name: key, weight }) => ({ key, weight }));
    const sticky = served[0]?.stickiness ?? strategy.parameters?.['stickiness'] ?? 'default';
    return [...forced, ...stickyRules(sticky, { ...common, conditions: tests }, { weights })];
  });
}

/** One rule for each key of a context that may be used, in turn. */
function stickyRules(sticky: string, common: Place, serve: FlagRule['serve'] & object): FlagRule[] {
  const keys = sticky === 'default' ? ['userId', 'sessionId'] : sticky === 'random' ? [] : [sticky];
  const ruled = keys.map((key) =>
    aRule({
      ...common,
      conditions: { $and: [...common.conditions, { [`context.${key}`]: { $exists: true } }] },
      bucketBy: `attribute:${key}`,
      serve,
    }),
  );
  const { conditions, ...rest } = common;
  return [
    ...ruled,
    aRule({
      ...rest,
      ...(conditions.length === 0 ? {} : { conditions: { $and: conditions } }),
      bucketBy: 'player',
      serve,
    }),
  ];
}

/** A share of players, by what they are put into buckets by. */
type Place = Omit<Partial<FlagRule>, 'conditions'> & { conditions: JsonObject[] };

function placesOf({ name, parameters = {} }: Strategy): Place[] | string {
  const { percentage = '0', groupId: salt = 'none' } = parameters;
  const by = (key: string): Place[] => [
    {
      salt,
      bucketBy: `attribute:${key}`,
      percentage: Number(percentage),
      conditions: [{ [`context.${key}`]: { $exists: true } }],
    },
  ];
  const listed = (key: string, operator: string) => {
    const values = (parameters[key] ?? '').split(',').map((value) => value.trim());
    return [{ conditions: [{ [`context.${operator}`]: { $in: values } }] }];
  };
  switch (name) {
    case 'default':
      return [{ conditions: [] }];
    case 'userWithId':
      return listed('userIds', 'userId');
    case 'gradualRolloutUserId':
      return by('userId');
    case 'gradualRolloutSessionId':
      return by('sessionId');
    case 'gradualRolloutRandom':
      return [{ percentage: Number(percentage), conditions: [] }];
    case 'remoteAddress':
      return [{ conditions: [anyOf('remoteAddress', (parameters['IPs'] ?? '').split(','))] }];
    case 'flexibleRollout':
      return flexible(parameters);
  }
  return 'a strategy that does not exist';
}

function flexible({
  rollout = '100',
  stickiness = 'default',
  groupId: salt = 'none',
}: Record<string, string>): Place[] {
  const share = { salt, percentage: Number(rollout) };
  if (share.percentage === 100) return [{ conditions: [] }];
  const has = (key: string, isThere: boolean): JsonObject => ({ [`context.${key}`]: { $exists: isThere } });
  if (stickiness === 'random') return [{ ...share, conditions: [] }];
  if (stickiness !== 'default') return [{ ...share, bucketBy: `attribute:${stickiness}`, conditions: [] }];
  return [
    { ...share, bucketBy: 'attribute:userId', conditions: [] },
    { ...share, bucketBy: 'attribute:sessionId', conditions: [has('userId', false)] },
    { ...share, conditions: [has('userId', false), has('sessionId', false)] },
  ];
}
