import { unfinishedOf } from '../conditions/unfinished.ts';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { isObject, parseJson, prettyJson } from '../parts/editors/json-text.ts';
import type { Flag } from '../definitions.ts';
import { type Labels, labelsOf } from '../parts/labels/labels.ts';
import { editedServe, type EditedServe, serveOf, USUAL } from './rules/edited-serve.ts';
import { looksSecret } from './secrets.ts';

/* A flag as a person edits it: conditions and values are texts, which need not be valid yet. */

export interface EditedRule {
  id: number;
  name: string;
  segmentId: string;
  /** JSON; empty: no conditions. */
  conditions: string;
  value: boolean;
  serve: EditedServe;
  /** Empty: those of the flag. */
  salt: string;
  bucketBy: string;
  percentage: number;
  priority: number;
  /** ISO 8601, or empty. */
  startAt: string;
  endAt: string;
}

export interface EditedVariant {
  id: number;
  key: string;
  /** JSON. */
  value: string;
  weight: number;
}

export interface EditedFlag {
  name: string;
  description: string;
  enabled: boolean;
  clientVisible: boolean;
  /** JSON. */
  defaultValue: string;
  defaultServe: EditedServe;
  bucketBy: string;
  variants: EditedVariant[];
  /** In the order of evaluation. */
  rules: EditedRule[];
  /** Of the value, as JSON, and the variant one is empty. */
  prerequisites: { id: number; key: string; value: string; variant: string }[];
  labels: Labels;
  /** ISO 8601, or empty. */
  endsAt: string;
}

let lastId = 0;
export function newId(): number {
  // Drafts of an earlier page have ids too: those of a new page follow all of them.
  lastId = Math.max(lastId + 1, Math.floor(performance.timeOrigin + performance.now()));
  return lastId;
}

/** The fields that people edit, as the service has them. */
export function contentOf(flag: Flag): JsonObject {
  const { name, description, enabled, client_visible, default_value, variants, targeting_rules, prerequisites } = flag;
  const { default_serve = null, bucket_by, ends_at } = flag;
  const content: JsonObject = JSON.parse(
    JSON.stringify({
      name,
      description,
      enabled,
      client_visible,
      default_value,
      default_serve,
      bucket_by,
      variants,
      targeting_rules,
      prerequisites,
      ...labelsOf(flag),
      ends_at,
    }),
  );
  return content;
}

export function editedOf(flag: Pick<Flag, 'name' | 'description' | 'enabled'> & Partial<Flag>): EditedFlag {
  const { name, description, enabled, client_visible: clientVisible = true } = flag;
  const { default_value: value = null, variants = [] } = flag;
  const { targeting_rules: rules = [], prerequisites = [] } = flag;
  return {
    name,
    description,
    enabled,
    clientVisible,
    defaultValue: JSON.stringify(value),
    defaultServe: editedServe(flag.default_serve),
    bucketBy: flag.bucket_by ?? 'player',
    variants: variants.map((each) => ({ ...each, id: newId(), value: JSON.stringify(each.value) })),
    rules: rules
      .map((rule) => ({
        id: newId(),
        name: rule.name ?? '',
        segmentId: rule.segment_id ?? '',
        conditions: rule.conditions === undefined ? '' : prettyJson(rule.conditions),
        value: rule.value ?? true,
        serve: editedServe(rule.serve),
        salt: rule.salt ?? '',
        bucketBy: rule.bucket_by ?? '',
        percentage: rule.percentage ?? 100,
        priority: rule.priority ?? 0,
        startAt: rule.start_at ?? '',
        endAt: rule.end_at ?? '',
      }))
      .toSorted((one, other) => one.priority - other.priority),
    prerequisites: prerequisites.map(({ flag_key: key, value: required, variant_key: variant }) => ({
      id: newId(),
      key,
      value: variant === undefined ? JSON.stringify(required) : '',
      variant: variant ?? '',
    })),
    labels: labelsOf(flag),
    endsAt: flag.ends_at ?? '',
  };
}

/** The fields for the service; undefined: some text is not valid yet. */
export function bodyOf(edited: EditedFlag): JsonObject | undefined {
  let isValid = true;
  const json = (text: string) => {
    const parsed = parseJson(text);
    if (parsed.kind === 'value') return parsed.value;
    isValid = false;
    return null;
  };
  const object = (text: string): JsonObject => {
    const value = json(text);
    // A rule for everybody has no conditions: an empty one was begun and not finished.
    if (isObject(value) && Object.keys(value).length > 0 && unfinishedOf(value).length === 0) return value;
    isValid = false;
    return {};
  };
  const time = (text: string): string | null => {
    if (text === '') return null;
    if (Number.isNaN(Date.parse(text))) isValid = false;
    return text;
  };
  const body: JsonObject = {
    name: edited.name,
    description: edited.description,
    enabled: edited.enabled,
    client_visible: edited.clientVisible,
    default_value: json(edited.defaultValue),
    default_serve: serveOf(edited.defaultServe, json) ?? null,
    bucket_by: edited.bucketBy,
    variants: edited.variants.map(({ key, value, weight }) => ({ key, value: json(value), weight })),
    targeting_rules: edited.rules.map((rule) => ({
      name: rule.name,
      segment_id: rule.segmentId === '' ? null : rule.segmentId,
      ...(rule.conditions === '' ? {} : { conditions: object(rule.conditions) }),
      value: rule.value,
      ...ownOf(rule, json),
      percentage: rule.percentage,
      priority: rule.priority,
      start_at: time(rule.startAt),
      end_at: time(rule.endAt),
    })),
    prerequisites: edited.prerequisites.map(({ key, value, variant }) =>
      variant === '' ? { flag_key: key, value: json(value) } : { flag_key: key, variant_key: variant },
    ),
    owner: edited.labels.owner,
    tags: [...edited.labels.tags],
    note: edited.labels.note,
    ends_at: time(edited.endsAt),
  };
  return isValid ? body : undefined;
}

/** What a rule has of its own, beside the flag's. */
function ownOf({ serve, salt, bucketBy }: EditedRule, json: (text: string) => Json): JsonObject {
  const served = serveOf(serve, json);
  return {
    ...(served === undefined ? {} : { serve: served }),
    ...(salt === '' ? {} : { salt }),
    ...(bucketBy === '' ? {} : { bucket_by: bucketBy }),
  };
}

/** The rules of a body of `bodyOf`, in the order in which they apply. */
export function rulesOf(body: JsonObject): { segment_id: string | null; conditions: Json; percentage: number }[] {
  const { targeting_rules: rules } = body;
  return (Array.isArray(rules) ? rules.filter(isObject) : []).map((rule) => ({
    segment_id: typeof rule['segment_id'] === 'string' ? rule['segment_id'] : null,
    conditions: rule['conditions'] ?? {},
    percentage: Number(rule['percentage']),
  }));
}

/** Whether client keys may see a value that looks like a secret. */
export function showsSecret({ clientVisible, defaultValue, defaultServe, variants, rules }: EditedFlag): boolean {
  const served = [defaultServe, ...rules.map(({ serve }) => serve)];
  const texts = [defaultValue, ...[...variants, ...served].map(({ value }) => value)];
  return (
    clientVisible &&
    texts.some((text) => {
      const parsed = parseJson(text);
      return parsed.kind === 'value' && looksSecret(parsed.value);
    })
  );
}

export function newRule(rules: readonly EditedRule[]): EditedRule {
  const priority = rules.at(-1)?.priority ?? 0;
  return {
    id: newId(),
    name: '',
    segmentId: '',
    conditions: '',
    value: true,
    serve: USUAL,
    salt: '',
    bucketBy: '',
    percentage: 100,
    priority,
    startAt: '',
    endAt: '',
  };
}

/** The rules with one of them moved by a place. Priorities stay where they are, so that the order holds. */
export function movedRule(rules: readonly EditedRule[], place: number, by: 1 | -1): EditedRule[] {
  const moved = rules.toSpliced(place, 1);
  const rule = rules[place];
  if (rule === undefined) return [...rules];
  moved.splice(place + by, 0, rule);
  return moved.map((each, index) => ({ ...each, priority: rules[index]?.priority ?? each.priority }));
}
