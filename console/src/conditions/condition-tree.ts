import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { isObject } from '../parts/editors/json-text.ts';
import { COUNT_OPERATORS, isOperator, type Operator } from './operands.ts';

/*
 * Conditions as the builder shows them: a tree of tests. `readCondition` and `writeCondition` are inverse as far as
 * meaning goes: nothing of a condition is lost, also if the builder cannot show it. What a person has not finished is
 * written as such, so that it can be refused; left out, it would mean everybody.
 */

export type GroupMode = 'all' | 'any' | 'none' | 'not';

export interface Group {
  kind: 'group';
  id: number;
  /** `not`: not all of the items hold. */
  mode: GroupMode;
  items: Node[];
}

/** One operator on one field. A field may have several tests. */
export interface Test {
  kind: 'test';
  id: number;
  /** Empty while a person has not chosen it. */
  field: string;
  operator: Operator;
  /** undefined: not given yet. */
  operand: Json | undefined;
}

/** A count of events with certain properties. */
export interface EventCount {
  kind: 'events';
  id: number;
  /** Empty while a person has not chosen it. */
  name: string;
  where: Group | undefined;
  withinDays: number | undefined;
  operator: (typeof COUNT_OPERATORS)[number];
  /** undefined: not given yet. */
  count: number | undefined;
}

/** Membership of one of some segments. */
export interface InSegment {
  kind: 'inSegment';
  id: number;
  /** Ids or keys; empty while a person has not chosen any. */
  segments: readonly string[];
}

/** A share of the players. */
export interface Bucket {
  kind: 'bucket';
  id: number;
  /** Empty while a person has not given it. */
  salt: string;
  by: string;
  /** In percent; undefined: not given yet. */
  below: number | undefined;
}

/** A part that the builder cannot show. */
export interface Raw {
  kind: 'raw';
  id: number;
  json: JsonObject;
}

export type Node = Group | Test | EventCount | InSegment | Bucket | Raw;

let lastId = 0;
function newId(): number {
  lastId += 1;
  return lastId;
}

/** The tree of a condition. Its root is a group of tests that must all hold. */
export function readCondition(condition: JsonObject): Group {
  return group('all', Object.entries(condition).flatMap(membersOf));
}

function group(mode: GroupMode, items: Node[]): Group {
  return { kind: 'group', id: newId(), mode, items };
}

const MODES: ReadonlyMap<string, GroupMode> = new Map([
  ['$and', 'all'],
  ['$or', 'any'],
  ['$nor', 'none'],
]);

function membersOf([name, operand]: [string, Json]): Node[] {
  const raw = (): Node[] => [{ kind: 'raw', id: newId(), json: { [name]: operand } }];
  const mode = MODES.get(name);
  if (mode !== undefined) {
    return Array.isArray(operand) && operand.every(isObject) ? [group(mode, operand.map(itemOf))] : raw();
  }
  if (name === '$not') return isObject(operand) ? [{ ...readCondition(operand), mode: 'not' }] : raw();
  if (name === '$inSegment') {
    const isList = Array.isArray(operand) && operand.every((each) => typeof each === 'string');
    return isList ? [{ kind: 'inSegment', id: newId(), segments: operand }] : raw();
  }
  if (name === '$bucket') {
    const bucket = isObject(operand) ? readBucket(operand) : undefined;
    return bucket === undefined ? raw() : [bucket];
  }
  if (name.startsWith('$')) return raw();
  if (name === 'events') {
    const counted = isObject(operand) ? readEventCount(operand) : undefined;
    return counted === undefined ? raw() : [counted];
  }
  const operators = isObject(operand) ? Object.keys(operand).filter((each) => each.startsWith('$')) : [];
  if (isObject(operand) && Object.keys(operand).length === 0) return [test(name, '$eq', undefined)];
  if (!isObject(operand) || operators.length === 0) return [test(name, '$eq', operand)];
  const known = operators.filter(isOperator);
  if (known.length < Object.keys(operand).length) return raw();
  return known.map((operator) => test(name, operator, operand[operator] ?? null));
}

/** An item of a list of conditions: one test stands by itself, several are a group. */
function itemOf(condition: JsonObject): Node {
  const all = readCondition(condition);
  const [only] = all.items;
  return only !== undefined && all.items.length === 1 ? only : all;
}

function test(field: string, operator: Operator, operand: Json | undefined): Test {
  return { kind: 'test', id: newId(), field, operator, operand };
}

const EVENT_MEMBERS: ReadonlySet<string> = new Set(['name', 'where', 'within_days', 'count']);

function readEventCount(operand: JsonObject): EventCount | undefined {
  const { name, where, within_days: withinDays, count } = operand;
  if (typeof name !== 'string' || Object.keys(operand).some((each) => !EVENT_MEMBERS.has(each))) return undefined;
  if (where !== undefined && !isObject(where)) return undefined;
  if (withinDays !== undefined && typeof withinDays !== 'number') return undefined;
  const compared = typeof count === 'number' ? ({ $eq: count } satisfies JsonObject) : count;
  if (!isObject(compared)) return undefined;
  const [entry = ['$gte', undefined], second] = Object.entries(compared);
  const operator = COUNT_OPERATORS.find((each) => each === entry[0]);
  const number = entry[1];
  if (operator === undefined || second !== undefined) return undefined;
  if (number !== undefined && typeof number !== 'number') return undefined;
  return {
    kind: 'events',
    id: newId(),
    name,
    where: where === undefined ? undefined : readCondition(where),
    withinDays,
    operator,
    count: number,
  };
}

function readBucket({ salt = '', by = 'player', below = null, ...others }: JsonObject): Bucket | undefined {
  if (typeof salt !== 'string' || typeof by !== 'string' || Object.keys(others).length > 0) return undefined;
  if (typeof below !== 'number' && below !== null) return undefined;
  return { kind: 'bucket', id: newId(), salt, by, below: below ?? undefined };
}

/** The condition of a tree. */
export function writeCondition({ items }: Pick<Group, 'items'>): JsonObject {
  const written = new Map<string, Json>();
  const rest: JsonObject[] = [];
  for (const part of items.flatMap(partsOf)) {
    if (!join(written, part)) rest.push(part);
  }
  if (rest.length > 0) {
    // What has no room beside its like: a second list of the same kind, or the same operator on the same field.
    const others = written.get('$and') ?? [];
    written.set('$and', [...(Array.isArray(others) ? others : [{ $and: others }]), ...rest]);
  }
  return Object.fromEntries(written);
}

const LISTS = { all: '$and', any: '$or', none: '$nor' } as const;

function partsOf(node: Node): JsonObject[] {
  switch (node.kind) {
    case 'raw':
      return [node.json];
    case 'test':
      return [{ [node.field]: writeTest(node) }];
    case 'events':
      return [{ events: writeEventCount(node) }];
    case 'inSegment':
      return [{ $inSegment: [...node.segments] }];
    case 'bucket':
      return [{ $bucket: writeBucket(node) }];
    case 'group':
      if (node.mode === 'not') return [{ $not: writeCondition(node) }];
      return [{ [LISTS[node.mode]]: node.items.flatMap(writeItem) }];
  }
}

function writeItem(node: Node): JsonObject[] {
  return node.kind === 'group' && node.mode === 'all' ? [writeCondition(node)] : partsOf(node);
}

/** Equality is written as the value itself, unless the value would be read as operators. */
function writeTest({ operator, operand }: Test): Json {
  if (operand === undefined) return {};
  if (operator !== '$eq') return { [operator]: operand };
  const isPlain = !isObject(operand) || !Object.keys(operand).some((name) => name.startsWith('$'));
  return isPlain ? operand : { $eq: operand };
}

function writeEventCount({ name, where, withinDays, operator, count }: EventCount): JsonObject {
  return {
    name,
    ...(where === undefined ? {} : { where: writeCondition(where) }),
    ...(withinDays === undefined ? {} : { within_days: withinDays }),
    count: count === undefined ? {} : operator === '$eq' ? count : { [operator]: count },
  };
}

function writeBucket({ salt, by, below }: Bucket): JsonObject {
  return { salt, ...(by === 'player' ? {} : { by }), ...(below === undefined ? {} : { below }) };
}

/** Adds a part of one member to the members of a condition. Two operators on one field share its member. */
function join(written: Map<string, Json>, part: JsonObject): boolean {
  const [name = '', operand = null] = Object.entries(part)[0] ?? [];
  const held = written.get(name);
  if (held === undefined) {
    written.set(name, operand);
    return true;
  }
  if (name.startsWith('$') || name === 'events' || isUnset(held) || isUnset(operand)) return false;
  const [one, other] = [operatorsOf(held), operatorsOf(operand)];
  if (Object.keys(other).some((operator) => Object.hasOwn(one, operator))) return false;
  written.set(name, { ...one, ...other });
  return true;
}

/** What is not given yet stays apart: joined it would read as an empty object. */
function isUnset(operand: Json): boolean {
  return isObject(operand) && Object.keys(operand).length === 0;
}

function operatorsOf(operand: Json): JsonObject {
  const isOperators = isObject(operand) && Object.keys(operand).some((name) => name.startsWith('$'));
  return isOperators ? operand : { $eq: operand };
}

/** The tree with one node replaced, or removed if `change` returns undefined. */
export function changeNode(root: Group, id: number, change: (node: Node) => Node | undefined): Group {
  const walk = (node: Node): Node | undefined => {
    if (node.id === id) return change(node);
    if (node.kind === 'group') return within(node);
    if (node.kind === 'events' && node.where !== undefined) return { ...node, where: within(node.where) };
    return node;
  };
  const within = (at: Group): Group => {
    const changed = at.id === id ? change(at) : at;
    if (changed?.kind !== 'group') return at;
    return { ...changed, items: changed.items.flatMap((item) => walk(item) ?? []) };
  };
  return within(root);
}

export function newTest(field = ''): Test {
  return test(field, '$eq', undefined);
}

export function newEventCount(): EventCount {
  return { kind: 'events', id: newId(), name: '', where: undefined, withinDays: 7, operator: '$gte', count: 1 };
}

export function newInSegment(): InSegment {
  return { kind: 'inSegment', id: newId(), segments: [] };
}

export function newBucket(): Bucket {
  return { kind: 'bucket', id: newId(), salt: '', by: 'player', below: undefined };
}

export function newGroup(mode: GroupMode = 'any'): Group {
  return group(mode, [newTest()]);
}
