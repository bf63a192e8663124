import { Type } from 'typebox';
import type { TrackItem } from '../../../actors/vocabulary/commands.ts';
import type { Verdict } from '../../event-schemas/event-schemas.ts';
import type { Failure, FieldFault } from '../../kernel/errors.ts';
import { refusedEvent } from '../players/client-purchases.ts';
import { refusedPlayer } from '../players/named-player.ts';
import type { RequestContext } from '../request-context.ts';

/** An event as it was read: what goes to the owner of its player, and what its sender is told. */
export interface ValidatedEvent {
  item: TrackItem;
  /** What its schema has against it, where the schema's mode lets that be told. */
  warnings: readonly FieldFault[];
}

/** What is told of events that broke their schema. */
export const Warnings = Type.Array(
  Type.Object(
    {
      path: Type.String({ description: 'JSON Pointer into the properties.' }),
      message: Type.String({ description: 'What is wrong there.' }),
    },
    { description: 'One fault.' },
  ),
  { description: "What the event's schema has against it, the first few faults. Left out where there is none." },
);

/**
 * Refuses an event that its caller may not send, and checks the others against the schema of their name. In the mode `enforce`
 * the command says that the event goes to quarantine: schemas are checked in gateways, which can be scaled out, and not by the
 * owners of players. A promise only while the schema is being compiled.
 */
export function validatedEvent(
  item: TrackItem,
  properties: Readonly<Record<string, unknown>>,
  context: Pick<RequestContext, 'key' | 'player' | 'services'>,
): ValidatedEvent | Failure | Promise<ValidatedEvent> {
  const refused = refusedPlayer(item, context.player) ?? refusedEvent(item.eventName, context);
  if (refused !== undefined) return refused;
  const { key, services } = context;
  const verdict = services.eventSchemas.validate(key, item.eventName, properties, item.properties.length);
  if (verdict instanceof Promise) return verdict.then((each) => withVerdict(item, each, services));
  return withVerdict(item, verdict, services);
}

function withVerdict(
  item: TrackItem,
  verdict: Verdict | undefined,
  services: Pick<RequestContext['services'], 'metrics'>,
): ValidatedEvent {
  if (verdict === undefined) return { item, warnings: NONE };
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

/** The first fault as analysts read it. */
export function firstOf([fault]: readonly FieldFault[]): string {
  return fault === undefined ? '' : `${fault.path} ${fault.message}`.trim();
}
