import type { FieldFault } from '../../../core/kernel/errors.ts';
import { below, isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';

/**
 * The unfinished parts of a new condition: a field, an operator or a list without a value. The language gives most of
 * them a meaning, often "everybody", which is hardly what the author wants. Only the whole condition may be empty:
 * that is how one writes "everybody" on purpose.
 */
export function incompleteFaults(condition: JsonObject, path = ''): FieldFault[] {
  return Object.entries(condition).flatMap(([name, operand]): FieldFault[] => {
    const at = below(path, name);
    switch (name) {
      case '$and':
      case '$or':
      case '$nor':
        if (!Array.isArray(operand)) return [];
        if (operand.length === 0) return [{ path: at, message: EMPTY_LIST }];
        return operand.flatMap((item, index) => nested(item, below(at, index)));
      case '$not':
        return nested(operand, at);
      case '$inSegment':
        return namesFaults(operand, at);
      case '$bucket':
        return isObject(operand) ? bucketFaults(operand, at) : [];
      case 'events':
        return isObject(operand) ? eventsFaults(operand, at) : [];
      default:
        return fieldFaults(name, operand, at);
    }
  });
}

/** A filter of events. Without one all events count, so an empty one is never needed. */
export function incompleteFilterFaults(where: JsonObject): FieldFault[] {
  return Object.keys(where).length === 0 ? [{ path: '', message: EMPTY_FILTER }] : incompleteFaults(where);
}

const EMPTY_LIST = 'is an empty list; give at least one item, or leave the operator out';
const EMPTY_GROUP = 'is an empty condition, which holds for everybody; name a field in it, or leave it out';
const EMPTY_FILTER =
  'is an empty condition; name a property in it, or leave `where` out to count all events of the name';
const EMPTY_OPERATORS =
  'has no operator; give a value, or an operator such as {"$gte": 1}; to compare with an empty object, use {"$eq": {}}';
const EMPTY_TEXT = 'is an empty text; give a value, or leave the operator out';
const NO_VALUE = 'has no value; for a missing value use {"$exists": false}, for null or a missing value {"$eq": null}';
const NO_WINDOW = 'has no value; give a number of days, or leave it out to count the events of all time';
const NO_PERCENTAGE = 'has no value; give the percentage of players, from 0 to 100';
const BLANK_NAME = 'has a name of spaces only; give the name';

function nested(condition: Json, path: string): FieldFault[] {
  if (!isObject(condition)) return [];
  return Object.keys(condition).length === 0 ? [{ path, message: EMPTY_GROUP }] : incompleteFaults(condition, path);
}

function namesFaults(names: Json, path: string): FieldFault[] {
  if (!Array.isArray(names) || names.length === 0) return listFaults(names, path);
  return names.flatMap((name, index) => textFaults(name, below(path, index)));
}

function bucketFaults(
  { salt = null, by = 'player', below: percentage = null }: JsonObject,
  path: string,
): FieldFault[] {
  const isBlank =
    typeof by === 'string' &&
    by
      .slice(by.indexOf(':') + 1)
      .split('.')
      .some((part) => part.trim() === '');
  return [
    ...textFaults(salt, below(path, 'salt')),
    ...(isBlank ? [{ path: below(path, 'by'), message: BLANK_NAME }] : []),
    ...(percentage === null ? [{ path: below(path, 'below'), message: NO_PERCENTAGE }] : []),
  ];
}

function eventsFaults({ name, where, within_days: days, count }: JsonObject, path: string): FieldFault[] {
  const isBlank = typeof name === 'string' && name.trim() === '';
  return [
    ...(isBlank ? [{ path: below(path, 'name'), message: BLANK_NAME }] : []),
    ...(isObject(where) ? incompleteFilterFaults(where).map((fault) => under(below(path, 'where'), fault)) : []),
    ...(days === null ? [{ path: below(path, 'within_days'), message: NO_WINDOW }] : []),
    ...(count === undefined ? [] : valueFaults(count, below(path, 'count'))),
  ];
}

function under(path: string, fault: FieldFault): FieldFault {
  return { ...fault, path: `${path}${fault.path}` };
}

function fieldFaults(name: string, operand: Json, path: string): FieldFault[] {
  const isBlank = name.split('.').some((part) => part.trim() === '');
  return isBlank ? [{ path, message: BLANK_NAME }] : valueFaults(operand, path);
}

/** The faults of what a field must meet: a value, or operators. */
function valueFaults(operand: Json, path: string): FieldFault[] {
  if (operand === null) return [{ path, message: NO_VALUE }];
  if (!isObject(operand)) return [];
  const operators = Object.entries(operand);
  if (operators.length === 0) return [{ path, message: EMPTY_OPERATORS }];
  return operators.flatMap(([name, argument]) => OPERANDS.get(name)?.(argument, below(path, name)) ?? []);
}

type OperandFaults = (argument: Json, path: string) => FieldFault[];

const listFaults: OperandFaults = (list, path) =>
  Array.isArray(list) && list.length === 0 ? [{ path, message: EMPTY_LIST }] : [];

const itemFaults: OperandFaults = (list, path) =>
  Array.isArray(list) && list.length > 0
    ? list.flatMap((item, index) => (isObject(item) ? valueFaults(item, below(path, index)) : []))
    : listFaults(list, path);

const textFaults: OperandFaults = (text, path) =>
  typeof text === 'string' && text.trim() === '' ? [{ path, message: EMPTY_TEXT }] : [];

const elementFaults: OperandFaults = (element, path) => {
  if (!isObject(element)) return [];
  const isOnValue = Object.keys(element).every((key) => key.startsWith('$'));
  return isOnValue ? valueFaults(element, path) : incompleteFaults(element, path);
};

/** What can be unfinished in the argument of an operator. The others take any argument that compiles. */
const OPERANDS: ReadonlyMap<string, OperandFaults> = new Map<string, OperandFaults>([
  ...['$in', '$nin', '$ini', '$nini', '$inCidr'].map((name) => [name, listFaults] as const),
  ...['$all', '$alli'].map((name) => [name, itemFaults] as const),
  ...['$gt', '$gte', '$lt', '$lte'].map((name) => [name, textFaults] as const),
  ...['$veq', '$vne', '$vgt', '$vgte', '$vlt', '$vlte'].map((name) => [name, textFaults] as const),
  ...['$regex', '$regexi', '$notRegex', '$notRegexi'].map((name) => [name, textFaults] as const),
  ['$not', valueFaults],
  ['$size', valueFaults],
  ['$elemMatch', elementFaults],
]);
