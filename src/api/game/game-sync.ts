import { Type, type Static } from 'typebox';
import type { Intervention } from '../../../core/vocabulary/commands/replies.ts';
import { answer } from '../route/answer.ts';
import { settableAttributes } from '../players/client-attributes.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { freeForm } from '../input/fields.ts';
import { flagMap, flagMapJson } from './game-fields.ts';
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

const InterventionShape = Type.Object(
  {
    intervention_id: Type.String({
      description:
        'Id of the intervention. Send it as `intervention_id` in `intervention_shown` and `intervention_clicked` ' +
        'events.',
    }),
    type: Type.String({ description: 'Always `in_app_message`.' }),
    content: Type.Object(
      {
        title: Type.String({ description: 'Title.' }),
        body: Type.String({ description: 'Text.' }),
        cta: Type.String({ description: 'Label of the button; empty for no button.' }),
      },
      { description: 'Content to show.' },
    ),
    display_rules: Type.Object(
      {
        priority: Type.String({ description: 'Priority from the campaign, for example `high`.' }),
        dismiss_after_seconds: Type.Integer({ description: 'Seconds after which to hide it; 0 means never.' }),
      },
      { description: 'How to show the content.' },
    ),
  },
  { description: 'An intervention to show to the player.' },
);

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
      interventions: [
        {
          intervention_id: 'int_5a3e6f0f-8d7b-5c39-9a43-0d6f0e9c2b11',
          type: 'in_app_message',
          content: { title: 'Need a hand?', body: 'Take three lives.', cta: 'Take them' },
          display_rules: { priority: 'high', dismiss_after_seconds: 10 },
        },
      ],
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
        `{"events_accepted":${eventsAccepted},"interventions":${JSON.stringify(interventions.map(shown))},` +
          `"updated_flags":${flagMapJson(flags)},"rejected":${JSON.stringify(read.rejected)}${read.warningsJson}}`,
        { replayed },
      );
    },
  },
});

function shown({ interventionId, type, content, displayRules }: Intervention): Static<typeof InterventionShape> {
  const { priority, dismissAfterSeconds } = displayRules;
  return {
    intervention_id: interventionId,
    type,
    content,
    display_rules: { priority, dismiss_after_seconds: dismissAfterSeconds },
  };
}
