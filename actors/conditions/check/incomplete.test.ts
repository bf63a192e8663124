import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { propertyFaults } from '../../properties/property-document.ts';
import { compileCondition } from '../compile-condition.ts';

/** The paths that a new definition with the condition is refused for. */
function refusedAt(conditions: JsonObject): string[] {
  const compiled = compileCondition(conditions, { context: true, properties: true });
  return (compiled.kind === 'invalid' ? compiled.faults : compiled.refusals).map(({ path }) => path);
}

const counted = (more: JsonObject): JsonObject => ({ events: { name: 'win', count: { $gte: 1 }, ...more } });

describe('an unfinished condition', () => {
  it.each<[JsonObject, string[]]>([
    // Names.
    [{ 'events.': {} }, ['/events.']],
    [{ 'events..count_7d': { $gte: 1 } }, ['/events..count_7d']],
    [{ 'events. .count_7d': { $gte: 1 } }, ['/events. .count_7d']],
    [{ 'attributes.': 5 }, ['/attributes.']],
    [{ 'attributes. ': 5 }, ['/attributes. ']],
    [{ '': 5 }, ['/']],
    [{ 'computed.': 5 }, ['/computed.']],
    [{ 'computed. ': 5 }, ['/computed. ']],
    [{ 'context. ': 5, 'properties. ': 5 }, ['/context. ', '/properties. ']],
    // Fields without an operator or a value.
    [{ is_payer: {} }, ['/is_payer']],
    [{ 'attributes.x': {}, session_count: {} }, ['/attributes.x', '/session_count']],
    [{ 'events.win.count_7d': {} }, ['/events.win.count_7d']],
    [{ 'computed.best': {} }, ['/computed.best']],
    [{ 'attributes.x': null }, ['/attributes.x']],
    [{ 'attributes.x': { $not: {} } }, ['/attributes.x/$not']],
    [{ 'attributes.x': { $not: null } }, ['/attributes.x/$not']],
    // Lists and groups.
    [{ $and: [] }, ['/$and']],
    [{ $or: [] }, ['/$or']],
    [{ $nor: [] }, ['/$nor']],
    [{ $not: {} }, ['/$not']],
    [{ $or: [{ is_payer: true }, {}] }, ['/$or/1']],
    [{ $and: [{ $or: [] }, { $not: { $and: [{}] } }] }, ['/$and/0/$or', '/$and/1/$not/$and/0']],
    // Operators without a value.
    [
      { 'attributes.x': { $in: [], $nin: [], $ini: [], $nini: [] } },
      ['$in', '$nin', '$ini', '$nini'].map((name) => `/attributes.x/${name}`),
    ],
    [{ 'attributes.x': { $all: [], $alli: [] } }, ['/attributes.x/$all', '/attributes.x/$alli']],
    [{ 'attributes.x': { $all: [{ $in: [] }, {}] } }, ['/attributes.x/$all/0/$in', '/attributes.x/$all/1']],
    [{ 'attributes.x': { $size: {} } }, ['/attributes.x/$size']],
    [{ 'attributes.x': { $size: { $not: {} } } }, ['/attributes.x/$size/$not']],
    [{ 'attributes.x': { $elemMatch: {} } }, ['/attributes.x/$elemMatch']],
    [{ 'attributes.x': { $elemMatch: { kind: {} } } }, ['/attributes.x/$elemMatch/kind']],
    [{ 'attributes.x': { $elemMatch: { $in: [] } } }, ['/attributes.x/$elemMatch/$in']],
    [{ 'attributes.x': { $regex: '' } }, ['/attributes.x/$regex']],
    [{ 'attributes.x': { $notRegexi: ' ' } }, ['/attributes.x/$notRegexi']],
    [{ 'attributes.x': { $gte: '', $lt: ' ' } }, ['/attributes.x/$gte', '/attributes.x/$lt']],
    [{ 'attributes.x': { $gte: null } }, ['/attributes.x/$gte']],
    [{ app_version: { $vgte: '' } }, ['/app_version/$vgte']],
    // Events by their properties.
    [{ events: {} }, ['/events/name']],
    [{ events: null }, ['/events']],
    [counted({ name: '' }), ['/events/name']],
    [counted({ name: ' ' }), ['/events/name']],
    [counted({ count: {} }), ['/events/count']],
    [counted({ count: null }), ['/events/count']],
    [counted({ within_days: null }), ['/events/within_days']],
    [counted({ where: {} }), ['/events/where']],
    [counted({ where: { 'properties.level': {} } }), ['/events/where/properties.level']],
    [counted({ where: { 'properties.': 3 } }), ['/events/where/properties.']],
    [counted({ where: { $or: [] } }), ['/events/where/$or']],
  ])('is refused in a definition: %j', (conditions, paths) => {
    expect(refusedAt(conditions)).toEqual(paths);
  });

  it.each<JsonObject>([
    {},
    { 'attributes.x': '' },
    { 'attributes.x': false },
    { 'attributes.x': 0 },
    { 'attributes.x': { $eq: {} } },
    { 'attributes.x': { $eq: null } },
    { 'attributes.x': { $ne: '' } },
    { 'attributes.x': { $exists: false } },
    { 'attributes.x': { $in: [null] } },
    { 'attributes.x': { $all: [null] } },
    { 'attributes.x': { $elemMatch: { kind: 'sword' } } },
    { $or: [{ is_payer: true }] },
    counted({}),
  ])('is not: %j', (conditions) => {
    expect(refusedAt(conditions)).toEqual([]);
  });

  it('is refused in the filter of a computed property', () => {
    const faultsOf = (where: JsonObject | null) =>
      propertyFaults({ event: 'win', where, aggregate: 'count', value: null, withinDays: null }).map(
        ({ path }) => path,
      );
    expect(faultsOf({})).toEqual(['/where']);
    expect(faultsOf({ 'properties.level': {} })).toEqual(['/where/properties.level']);
    expect(faultsOf({ $and: [] })).toEqual(['/where/$and']);
    expect(faultsOf({ 'properties.level': 3 })).toEqual([]);
    expect(faultsOf(null)).toEqual([]);
  });
});
