import { Type, type Static } from 'typebox';
import type { Intervention } from '../../../actors/vocabulary/replies.ts';
import { answer, type Answer } from '../answer.ts';
import { settableAttributes } from '../players/client-attributes.ts';
import { documentText, documentTooLarge } from '../document-text.ts';
import { PlayerId, freeForm } from '../fields.ts';
import { GAME_TAG, GameSessionId, flagMap, flagMapJson } from './game-fields.ts';
import { EventWarnings, GameEvents, Rejected, gameItems } from './game-items.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute } from '../route.ts';

const Body = Type.Object({
  player_id: PlayerId,
  session_id: GameSessionId,
  events: GameEvents,
  state_updates: Type.Optional(freeForm("Changes of the player's attributes: they merge, null deletes.")),
});

const InterventionShape = Type.Object(
  {
    intervention_id: Type.String({
      description: 'To be named by the events intervention_shown and intervention_clicked.',
    }),
    type: Type.String({ description: '`in_app_message`.' }),
    content: Type.Object(
      {
        title: Type.String({ description: 'Its title.' }),
        body: Type.String({ description: 'Its text.' }),
        cta: Type.String({ description: 'What its button says.' }),
      },
      { description: 'What to show.' },
    ),
    display_rules: Type.Object(
      {
        priority: Type.String({ description: 'How urgent it is.' }),
        dismiss_after_seconds: Type.Integer({ description: 'When to take it away, seconds.' }),
      },
      { description: 'How to show it.' },
    ),
  },
  { description: 'Something to show the player.' },
);

export const gameSync = defineRoute({
  method: 'POST',
  path: '/v1/bff/game/sync',
  tag: GAME_TAG,
  summary: 'Send what happened in a session; answers interventions and changed flags',
  description:
    'Events may be hours old (offline play). A bad one is refused alone and listed; a repeat of an event_id is neither ' +
    'accepted again nor refused. One that breaks an enforced schema is kept, and is not accepted. What the call itself leads to is already in its answer.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'game',
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'SESSION_NOT_FOUND'],
  input: { body: Body },
  takesFaultyItems: true,
  reply: {
    statuses: [200],
    description: 'The events are durable.',
    schema: Type.Object(
      {
        events_accepted: Type.Integer({ description: 'Events accepted now.' }),
        interventions: Type.Array(InterventionShape, { description: 'To show the player, the most urgent first.' }),
        updated_flags: flagMap("The session's flags that changed since it was last told."),
        rejected: Rejected,
        warnings: Type.Optional(EventWarnings),
      },
      { description: 'What a sync led to.' },
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
      updated_flags: { double_xp: { enabled: true } },
      rejected: [],
    },
  },
  example: {
    player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
    session_id: 'ses_019bc0de-1234-7abc-8def-0123456789ab',
    events: [{ event_name: 'level_failed', timestamp: '2026-01-15T10:30:00Z', properties: { level: 12 } }],
    state_updates: { level: 12 },
  },
  action: { kind: 'handle', handle: ({ body }, context) => sync(body, context) },
});

async function sync(body: Static<typeof Body>, context: RequestContext): Promise<Answer> {
  const { idempotency, origin, services } = context;
  const session = { playerId: body.player_id.toLowerCase(), sessionId: body.session_id };
  const read = await gameItems('events', body.events, session, context);
  if ('kind' in read) return read;
  const stateUpdates =
    body.state_updates === undefined
      ? null
      : documentText(settableAttributes(body.state_updates, 'state_updates', context));
  if (stateUpdates === undefined) return documentTooLarge('/state_updates');
  const reply = await services.backend.send(origin, session.playerId, {
    kind: 'SyncSession',
    ...session,
    events: read.items,
    stateUpdates,
    ...(idempotency === undefined ? {} : { idempotency }),
  });
  if (reply.kind === 'failure') return reply;
  if (reply.kind !== 'sessionSynced') throw new Error(`a sync was answered with ${reply.kind}`);
  const { eventsAccepted, interventions, flags, replayed = false } = reply;
  return answer(
    `{"events_accepted":${eventsAccepted},"interventions":${JSON.stringify(interventions.map(shown))},` +
      `"updated_flags":${flagMapJson(flags)},"rejected":${JSON.stringify(read.rejected)}${read.warningsJson}}`,
    { replayed },
  );
}

function shown({ interventionId, type, content, displayRules }: Intervention): Static<typeof InterventionShape> {
  const { priority, dismissAfterSeconds } = displayRules;
  return {
    intervention_id: interventionId,
    type,
    content,
    display_rules: { priority, dismiss_after_seconds: dismissAfterSeconds },
  };
}
