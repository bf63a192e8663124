import { Type } from 'typebox';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { differenceIn, jsonOf } from '../definitions/history/differences.ts';
import { Difference } from '../definitions/history/version-resource.ts';
import { EditEffect } from '../flags/flag-resource.ts';
import { IfMatch } from '../input/if-match.ts';
import { textOrNull } from '../input/fields.ts';
import { answer, jsonAnswer } from '../route/answer.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy, writtenBy } from '../route/route.ts';
import { EXPERIMENT_EXAMPLE, experimentFields, ExperimentShown } from './experiment-resource.ts';
import { experiments } from './experiments.ts';
import { ByKey } from './life-routes.ts';
import { previewShip, ship, type Shipped, undo } from './ship-winner.ts';

/* The routes that make the winner of an experiment what its flag serves, and take that back. */

const Winner = Type.Object(
  {
    variant: Type.String({
      minLength: 1,
      maxLength: TEXT_LIMITS.definitionKeyLength,
      description: 'Key of the variant of the experiment that players get from now on.',
    }),
  },
  { additionalProperties: false, description: 'The winner.' },
);
const WINNER_EXAMPLE = { variant: 'wide' };

const ChangedFlag = Type.Object(
  {
    key: Type.String({ description: 'Key of the flag.' }),
    version: Type.Integer({ description: 'Version of the flag after the change.' }),
    difference: Type.Array(Difference.items, {
      description: 'What differs from the flag before, in words; empty in the answer to a repeat.',
    }),
    edit_effect: EditEffect,
    notes: Type.Array(Type.String({ description: 'A sentence.' }), {
      description: 'Why players do not get the variant yet, if they do not.',
    }),
  },
  { description: 'How the flag changes.' },
);
const FLAG_EXAMPLE = {
  key: 'shop_layout',
  version: 4,
  difference: ['Default serve: none → {"variant":"wide"}'],
  edit_effect: 'reassigns',
  notes: [],
};

const Decided = Type.Object(
  {
    experiment: ExperimentShown,
    flag: ChangedFlag,
    undo: textOrNull('How to take it back: method and path of a request; null: there is nothing to take back.'),
  },
  { description: 'The experiment and its flag after the change.' },
);
const SHIPPED_EXAMPLE = {
  experiment: {
    ...EXPERIMENT_EXAMPLE,
    state: 'shipped',
    actions: ['undo'],
    winner: 'wide',
    shipped: { flag_version: 4, at: '2026-02-15T10:30:00.000Z' },
    stopped_at: '2026-02-15T10:30:00.000Z',
  },
  flag: FLAG_EXAMPLE,
  undo: 'POST /v1/experiments/experiments/wide_shop/undo',
};

const errors = [...experiments.changeErrors, 'CONFLICT'] as const;

function decidedAnswer({ written, flag, before }: Shipped, context: RequestContext) {
  const { document } = written.entry;
  const { key, state, version } = document;
  const body = {
    experiment: experimentFields(document),
    flag: flagJson(flag, before, context),
    undo: state === 'shipped' ? `POST ${experiments.itemPath.replace('{key}', encodeURIComponent(key))}/undo` : null,
  };
  return answer(JSON.stringify(body), { replayed: written.replayed, etag: version });
}

function flagJson(flag: FlagDocument, before: FlagDocument | undefined, context: RequestContext) {
  const { key, version, editEffect = 'none', enabled, shippedBy } = flag;
  const difference = before === undefined ? [] : differenceIn(jsonOf(before), jsonOf(flag), context);
  const notes = enabled || shippedBy === undefined ? [] : [NOT_YET];
  return { key, version, difference, edit_effect: editEffect, notes };
}

const NOT_YET = 'The flag is disabled: no player gets the variant before you enable it.';

const shipRoute = defineRoute({
  ...experiments.shared,
  ...writtenBy('editor', { id: 'experiment.ship', of: 'experiment' }),
  versioned: true,
  method: 'POST',
  path: `${experiments.itemPath}/ship`,
  summary: 'Ship the winner of an experiment',
  description:
    'The variant becomes what the flag serves to the audience of the experiment: by its first rule, or by ' +
    '`default_serve` if the audience is all players and the flag has no rules. The experiment is over. Repeat the ' +
    'request after a failure: it continues where it ended.',
  idempotent: true,
  errors,
  input: { params: ByKey, headers: IfMatch, body: Winner },
  example: WINNER_EXAMPLE,
  reply: { description: 'The winner is shipped.', schema: Decided, example: SHIPPED_EXAMPLE },
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) => ship(params.key, body.variant, headers, context),
    toAnswer: decidedAnswer,
  },
});

const shipPreview = defineRoute({
  ...experiments.shared,
  ...readBy('viewer'),
  method: 'POST',
  path: `${experiments.itemPath}/ship/preview`,
  summary: 'Say what shipping a variant would change',
  description: 'Changes nothing. It refuses what `ship` would refuse.',
  readsOnly: true,
  errors: [experiments.missing().code, 'CONFLICT'],
  input: { params: ByKey, body: Winner },
  example: WINNER_EXAMPLE,
  reply: {
    description: 'How the flag would change.',
    schema: Type.Object({ flag: ChangedFlag }, { description: 'What would change.' }),
    example: { flag: FLAG_EXAMPLE },
  },
  action: {
    kind: 'config',
    read({ params, body }, context: RequestContext) {
      const made = previewShip(params.key, body.variant, context);
      return made.kind === 'failure' ? made : jsonAnswer({ flag: flagJson(made.flag, made.before, context) });
    },
  },
});

const undoRoute = defineRoute({
  ...experiments.shared,
  ...writtenBy('editor', { id: 'experiment.undo', of: 'experiment' }),
  versioned: true,
  method: 'POST',
  path: `${experiments.itemPath}/undo`,
  summary: 'Take back what was shipped',
  description:
    'The flag is as it was before `ship`, and the experiment is stopped. 409 if the flag was changed since: then change ' +
    'the flag, or restore one of its versions.',
  idempotent: true,
  errors,
  input: { params: ByKey, headers: IfMatch },
  reply: {
    description: 'It is taken back.',
    schema: Decided,
    example: {
      ...SHIPPED_EXAMPLE,
      experiment: { ...EXPERIMENT_EXAMPLE, state: 'stopped', actions: ['discard', 'ship'] },
      undo: null,
    },
  },
  action: {
    kind: 'write',
    write: ({ params, headers }, context) => undo(params.key, headers, context),
    toAnswer: decidedAnswer,
  },
});

export const shipRoutes = [shipRoute, shipPreview, undoRoute];
