import { differenceIn, jsonOf } from '../definitions/history/differences.ts';
import { type Failure, failure, isFailure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { GameDocument } from '../../../core/vocabulary/documents/game.ts';
import { changedGame, gameAddress, versionOf } from '../../../streams/config/games.ts';
import type { Historied } from '../definitions/history/historied.ts';
import { historyRoutes } from '../definitions/history/history-routes.ts';
import {
  findOldVersion,
  PREVIEW_EXAMPLE,
  RestoreBody,
  RestorePreviewed,
  RESTORES,
} from '../definitions/history/restore-routes.ts';
import { type Basis, basisIn, IfMatch } from '../input/if-match.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import type { WriteContext } from '../route/request-context.ts';
import { defineRoute, type KeyedRoute, readBy, writtenBy } from '../route/route.ts';

/* The routes that read the history of a game's settings, and restore a version of those that PATCH changes. */

interface RestoredSettings {
  /** The settings of an old version that PATCH could set. */
  restored: (version: JsonObject) => Partial<GameDocument>;
  change: (
    values: Partial<GameDocument>,
    basis: Basis,
    context: WriteContext,
  ) => Failure | Promise<{ kind: 'changed'; game: GameDocument } | Failure>;
  toAnswer: (game: GameDocument) => Answer;
}

const OTHERS = 'Settings that only `games set` changes, such as thresholds and approval, stay as they are.';

export function settingsHistoryRoutes(historied: Historied, settings: RestoredSettings): KeyedRoute[] {
  return [...historyRoutes(historied), restore(historied, settings), preview(historied, settings)];
}

const restore = (historied: Historied, { restored, change, toAnswer }: RestoredSettings): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    ...writtenBy('admin', 'none', 'configure'),
    versioned: true,
    method: 'POST',
    path: `${historied.path}/restore`,
    summary: "Restore a version of the game's settings",
    description: `${RESTORES} ${OTHERS}`,
    repeatsById: true,
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    input: { headers: IfMatch, body: RestoreBody },
    example: { version: 3 },
    reply: { description: 'The new version.', schema: historied.schema, example: historied.example },
    action: {
      kind: 'write',
      async write({ headers, body: { version } }, context) {
        const versionNow = historied.versionNow({}, context);
        const found = await findOldVersion(historied, {}, version, context);
        if (isFailure(found)) return found;
        return change(restored(found.document), { ...basisIn({ headers }), version: versionNow }, context);
      },
      toAnswer: ({ game }) => toAnswer(game),
    },
  });

const preview = (historied: Historied, { restored }: RestoredSettings): KeyedRoute =>
  defineRoute({
    ...historied.shared,
    ...readBy('viewer'),
    method: 'POST',
    path: `${historied.path}/restore/preview`,
    summary: "Say what restoring a version of the game's settings would change",
    description: 'Changes nothing.',
    readsOnly: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { body: RestoreBody },
    example: { version: 3 },
    reply: { description: 'What would change.', schema: RestorePreviewed, example: PREVIEW_EXAMPLE },
    action: {
      kind: 'service',
      async call({ body: { version } }, context) {
        const held = context.services.config.get(gameAddress(context.key.game))?.document;
        if (held === undefined) return failure('NOT_FOUND');
        const found = await findOldVersion(historied, {}, version, context);
        if (isFailure(found)) return found;
        const next = changedGame(held, restored(found.document), context.services.clock.wallMs());
        const difference = differenceIn(jsonOf(held), jsonOf(next), context);
        return jsonAnswer({ version: versionOf(held), restores: version, difference, notes: [OTHERS] });
      },
    },
  });
