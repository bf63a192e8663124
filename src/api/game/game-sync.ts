import { Type } from 'typebox';
import { answer } from '../route/answer.ts';
import { settableAttributes } from '../players/client-attributes.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { freeForm } from '../input/fields.ts';
import { flagMap, flagMapJson } from './game-fields.ts';
import { INTERVENTION_EXAMPLE, interventionJson, InterventionShape } from './intervention.ts';
import { EventWarnings, GameEvents, Rejected, gameItems } from './game-items.ts';
import { sessionCall, SESSION_EVENTS_ROUTE, SESSION_FIELDS } from './session-events-route.ts';

import { defineRoute } from '../route/route.ts';

/* The route that takes the events of an open session and returns interventions and changed flags. */

const Body = Type.Object({
  ...SESSION_FIELDS,
  events: GameEvents,
  state_updates: Type.Optional(
    freeForm("Changes to the player's attributes. They are merged; null deletes an attribute."),
  ),
});

export const gameSync = defineRoute({
  method: 'POST',
  path: '/v1/bff/game/sync',
  summary: 'Send the events of a session and get interventions and changed flags',
  description:
    'Events may be hours old (offline play). An invalid event is listed in `rejected`; the other events are ' +
    'accepted. A repeated event_id is neither counted again nor rejected. An event that violates an enforced schema ' +
    'is quarantined and not counted. The response includes the effects of this call.',
  ...SESSION_EVENTS_ROUTE,
  input: { body: Body },
  reply: {
    description: 'The events are durable.',
    schema: Type.Object(
      {
        events_accepted: Type.Integer({ description: 'Number of events accepted by this call.' }),
        interventions: Type.Array(InterventionShape, { description: 'Interventions to show, most urgent first.' }),
        updated_flags: flagMap('Flags of the session that changed since the last init or sync.'),
        rejected: Rejected,
        warnings: Type.Optional(EventWarnings),
      },
      { description: 'Result of a sync.' },
    ),
    example: {
      events_accepted: 1,
      interventions: [INTERVENTION_EXAMPLE],
      updated_flags: {
        double_xp: { enabled: true, value: true, variant_key: null, reason: 'segment_match', period: 1 },
      },
      rejected: [],
    },
  },
  example: {
    player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
    session_id: 'ses_019bc0de-1234-7abc-8def-0123456789ab',
    events: [{ event_name: 'level_failed', timestamp: '2026-01-15T10:30:00Z', properties: { level: 12 } }],
    state_updates: { level: 12 },
  },
  action: {
    kind: 'command',
    async toCommand({ body }, context) {
      const { session, idempotency } = sessionCall(body, context);
      const read = await gameItems('events', body.events, session, context);
      if ('kind' in read) return read;
      const stateUpdates =
        body.state_updates === undefined
          ? null
          : documentText(settableAttributes(body.state_updates, 'state_updates', context));
      if (stateUpdates === undefined) return documentTooLarge('/state_updates');
      return {
        kind: 'addressed',
        playerId: session.playerId,
        body: {
          kind: 'SyncSession',
          ...session,
          events: read.items,
          stateUpdates,
          ...idempotency,
        },
        read,
      };
    },
    toAnswer(reply, _context, { read }) {
      if (reply.kind !== 'sessionSynced') throw new Error(`a sync was answered with ${reply.kind}`);
      const { eventsAccepted, interventions, flags, replayed = false } = reply;
      return answer(
        `{"events_accepted":${eventsAccepted},"interventions":[${interventions.map(interventionJson).join(',')}],` +
          `"updated_flags":${flagMapJson(flags)},"rejected":${JSON.stringify(read.rejected)}${read.warningsJson}}`,
        { replayed },
      );
    },
  },
});
