import { Type } from 'typebox';
import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { Verdict } from '../../event-schemas/event-schemas.ts';
import type { Failure, FieldFault } from '../../../core/kernel/errors.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { unreadByViews } from '../../../core/vocabulary/well-known-events.ts';
import { refusedEvent } from '../players/purchases/client-purchases.ts';
import { refusedNamed } from '../players/named-player.ts';
import type { RequestContext } from '../route/request-context.ts';

/* Checks an event against the caller's permissions and the event's schema. */

/** A validated event: the item for the owner of its player, and the warnings for its sender. */
export interface ValidatedEvent {
  item: TrackItem;
  /** Violations of the event's schema, empty in the mode `observe`; or why views leave the event out. */
  warnings: readonly FieldFault[];
}

/** Schema violations in a response. */
export const Warnings = Type.Array(
  Type.Object(
    {
      path: Type.String({ description: 'JSON Pointer into the properties.' }),
      message: Type.String({ description: 'The rule that the value breaks.' }),
    },
    { description: 'A violation.' },
  ),
  {
    description:
      `The first ${SHARED_LIMITS.quarantineFaults} violations of the event's schema, or why a view leaves an event of the ` +
      'economy or of levels out. Left out if there are none.',
  },
);

/**
 * Refuses an event that the caller may not send, and validates others against the schema of their name. Gateways
 * validate, not the owners of players, because gateways scale out; the item tells the owner to quarantine the event.
 * @returns a promise only while the schema is being compiled, or an owner says where a merged player is
 */
export function validatedEvent(
  item: TrackItem,
  properties: Readonly<Record<string, unknown>>,
  context: Pick<RequestContext, 'key' | 'origin' | 'player' | 'services'>,
): ValidatedEvent | Failure | Promise<ValidatedEvent | Failure> {
  const elsewhere = refusedNamed(item, context);
  if (elsewhere === undefined) return permittedEvent(item, properties, context);
  return elsewhere.then((why) => why ?? permittedEvent(item, properties, context));
}

function permittedEvent(
  item: TrackItem,
  properties: Readonly<Record<string, unknown>>,
  context: Pick<RequestContext, 'key' | 'player' | 'services'>,
): ValidatedEvent | Failure | Promise<ValidatedEvent> {
  const refused = refusedEvent(item.eventName, context);
  if (refused !== undefined) return refused;
  const { key, services } = context;
  const verdict = services.eventSchemas.validate(key, item.eventName, properties, item.properties.length);
  const unread = unreadByViews(item.eventName, properties);
  if (verdict instanceof Promise) return verdict.then((each) => withVerdict(item, each, unread, services));
  return withVerdict(item, verdict, unread, services);
}

function withVerdict(
  item: TrackItem,
  verdict: Verdict | undefined,
  unread: readonly FieldFault[],
  services: Pick<RequestContext['services'], 'metrics'>,
): ValidatedEvent {
  // The game's own schema says more than what views need.
  if (verdict === undefined) return { item, warnings: unread };
  const { mode, version: schemaVersion, faults } = verdict;
  services.metrics.schemaViolations.inc({ mode });
  switch (mode) {
    case 'observe':
      return { item: { ...item, schemaFault: firstOf(faults) }, warnings: NONE };
    case 'warn':
      return { item: { ...item, schemaFault: firstOf(faults) }, warnings: faults };
    case 'enforce':
      return { item: { ...item, quarantine: { schemaVersion, faults } }, warnings: faults };
  }
}

const NONE: readonly FieldFault[] = [];

/** The first violation as text, for the column `schema_fault`. */
export function firstOf([fault]: readonly FieldFault[]): string {
  return fault === undefined ? '' : `${fault.path} ${fault.message}`.trim();
}
