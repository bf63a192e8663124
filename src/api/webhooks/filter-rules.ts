import { pointerPart } from '../../../core/kernel/text/json.ts';
import { Type } from 'typebox';
import type { FilterCondition } from '../../../core/vocabulary/documents/documents.ts';
import { WEBHOOK_KINDS, type CatalogueKind, type DataShape } from '../../../core/vocabulary/documents/webhook-kinds.ts';
import { cataloguedKinds, isCatalogueKind, WILDCARDS } from '../../../streams/config/webhooks/webhook-patterns.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';

/* Filters and event kinds of webhooks that can never match: what surely cannot is a fault, the rest a warning. */

type Filters = Readonly<Record<string, FilterCondition>>;

export const WebhookWarnings = Type.Optional(
  Type.Array(
    Type.Object(
      {
        path: Type.String({ description: 'JSON Pointer to the field.' }),
        message: Type.String({ description: 'Why it may never match.' }),
      },
      { description: 'A warning.' },
    ),
    { description: 'Kinds and filters that may never match. Left out if there are none. Ignored in requests.' },
  ),
);

/** Filters that hold for no payload of the webhook's kinds, or for every one. */
export function filterFaults(filters: Filters, events: readonly string[]): FieldFault[] {
  const kinds = cataloguedKinds(events);
  return Object.entries(filters).flatMap(([path, condition]) => {
    const at = `/filters/${pointerPart(path)}`;
    const shapes = kinds.flatMap((kind) => shapeAt(path, WEBHOOK_KINDS[kind].data) ?? []);
    if (shapes.length === 0) return [{ path: at, message: nothingAt(path, kinds) }];
    if (isContradiction(condition)) return [{ path: at, message: 'can never hold: its bounds exclude each other' }];
    return [];
  });
}

/** Kinds and filters that are valid, but look like mistakes. */
export function webhookWarnings(filters: Filters, events: readonly string[]): FieldFault[] {
  // A wildcard is often narrowed by a filter.
  const kinds = cataloguedKinds(events.filter((event) => !WILDCARDS.has(event)));
  const ofFilters = Object.keys(filters).flatMap((path): FieldFault[] => {
    const at = `/filters/${pointerPart(path)}`;
    if (path.split('.').some((part) => part === '')) {
      return [{ path: at, message: 'has a name without characters, which few properties have' }];
    }
    if (path.split('.').some((part) => /^\d+$|\[(?:\d*|\*)\]$/.test(part))) {
      return [{ path: at, message: 'does not look into lists; `contains` on the list itself compares its items' }];
    }
    const without = kinds.filter((kind) => shapeAt(path, WEBHOOK_KINDS[kind].data) === undefined);
    return without.length === 0 ? [] : [{ path: at, message: `is a field that ${without.join(', ')} does not have` }];
  });
  return [...events.flatMap(eventWarning), ...ofFilters];
}

function eventWarning(event: string, index: number): FieldFault[] {
  const path = `/events/${index}`;
  if (WILDCARDS.has(event)) return [];
  if (event.includes('*')) {
    return [{ path, message: 'is the name of one event: only `*`, `event.*` and `player.*` stand for several kinds' }];
  }
  if (event.trim() !== event)
    return [{ path, message: 'begins or ends with a blank, as only an event of that name would' }];
  const like = Object.keys(WEBHOOK_KINDS).find((kind) => kind !== event && plain(kind) === plain(event));
  if (like !== undefined) return [{ path, message: `is the name of an event, not the kind \`${like}\`` }];
  const [group = ''] = event.split('.');
  const isGroup = ['event', 'events', 'player', 'players', 'flag', 'flags'].includes(group.toLowerCase());
  if (!event.includes('.') || event.startsWith('event.') || !isGroup || isCatalogueKind(event)) return [];
  return [{ path, message: 'is the name of an event, not a kind of the catalogue; kinds are written in lower case' }];
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** The shape of what a path selects; undefined if no payload has it. */
function shapeAt(path: string, fields: Readonly<Record<string, DataShape>>): DataShape | undefined {
  const dot = path.indexOf('.');
  const name = dot < 0 ? path : path.slice(0, dot);
  const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (dot < 0 || shape === undefined) return shape;
  return shape === 'object' || shape === 'object or null' || shape === 'any' ? 'any' : undefined;
}

function nothingAt(path: string, kinds: readonly CatalogueKind[]): string {
  if (path.startsWith('data.')) return `begins at \`data\` itself: write \`${path.slice('data.'.length)}\``;
  const fields = [...new Set(kinds.flatMap((kind) => Object.keys(WEBHOOK_KINDS[kind].data)))];
  const own = fields.includes('properties') ? `; a property of an event is \`properties.${path}\`` : '';
  return `is in no payload of this webhook, whose fields are ${fields.join(', ')}${own}`;
}

function isContradiction({ gt, gte, lt, lte, eq, ne, exists, in: list, nin }: FilterCondition): boolean {
  const numbers = (...bounds: unknown[]) => bounds.filter((bound) => typeof bound === 'number');
  const from = Math.max(...numbers(gt, gte));
  const to = Math.min(...numbers(lt, lte));
  if (from > to || (from === to && (from === gt || to === lt))) return true;
  if (exists === false && [gt, gte, lt, lte, eq, list].some((operand) => operand !== undefined)) return true;
  if (eq !== undefined && (eq === ne || (Array.isArray(nin) && nin.includes(eq)))) return true;
  return eq !== undefined && Array.isArray(list) && !list.includes(eq);
}
