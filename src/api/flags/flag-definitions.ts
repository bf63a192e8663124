import { Type } from 'typebox';
import { failure } from '../../../core/kernel/errors.ts';
import { FLAG_API_LIMITS } from './limits.ts';
import { answer } from '../route/answer.ts';
import { conditionsOf } from '../definitions/definition-fields.ts';
import { IfNoneMatch, isHeld, notModified } from '../input/if-none-match.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { PERIOD_FIELD } from './evaluate/served-fields.ts';
import { FLAG_EXAMPLE, FlagShown } from './flag-resource.ts';
import { oneOf, textOrNull } from '../input/fields.ts';

/* The route with which servers get what they need to evaluate flags in their own process. */

const { key, version, flag_type, enabled, salt, default_value, default_serve, variants, prerequisites } =
  FlagShown.properties;

const playerIds = (description: string) => Type.Array(Type.String({ description: 'Id of a player.' }), { description });

const RunningExperiment = Type.Object(
  {
    key: Type.String({ description: 'Key of the experiment.' }),
    phase: Type.Integer({ description: 'Its current phase.' }),
    mode: oneOf(['ab', 'aa'], '`aa`: every variant serves what the first one does.'),
    salt: Type.String({ description: 'Seeds who takes part, and the variants.' }),
    bucket_by: Type.String({ description: 'What players are drawn by: `player`, `device` or `attribute:<path>`.' }),
    traffic: Type.Number({ description: 'Percentage of the audience that takes part.' }),
    layer: Type.Union(
      [
        Type.Object(
          {
            key: Type.String({ description: 'Key of the layer.' }),
            from: Type.Number({ description: 'Where the range begins, in percent.' }),
            to: Type.Number({ description: 'Where it ends.' }),
          },
          { description: 'The range.' },
        ),
        Type.Null({ description: 'It is in no layer.' }),
      ],
      { description: 'The range of a layer that it has.' },
    ),
    variants: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'Key of the variant of the flag; `false` or `true` of a boolean flag.' }),
          weight: Type.Number({ description: 'Its weight.' }),
        },
        { description: 'A variant.' },
      ),
      { description: 'The variants of the phase, the control first.' },
    ),
    audience: Type.Object(
      {
        segment_id: textOrNull('Id of the segment; null: all players.'),
        conditions: Type.Optional(conditionsOf('The condition of the audience.')),
      },
      { description: 'Whom it is for.' },
    ),
  },
  { description: 'The experiment that runs on the flag, which decides before its rules; left out if none does.' },
);

const Definitions = Type.Object(
  {
    format: Type.Integer({ description: 'Format of the definitions, 1. Refuse a format that you do not know.' }),
    revision: Type.Integer({
      description:
        'Grows with every change of a flag, experiment or segment of the game and environment. Also the ETag.',
    }),
    environment: oneOf(['live', 'test'], 'Environment of the key.'),
    player_namespace: Type.String({
      description:
        "Namespace of the game's player ids. A player's id is the UUID of version 5 in it of " +
        '`<environment>:<external_id>`, so that a server evaluates by external_id without a request.',
    }),
    holdout: Type.Optional(
      Type.Object(
        {
          percentage: Type.Number({ description: 'Percentage of the players, by their ids.' }),
          salt: Type.String({ description: 'Seeds who is in it.' }),
        },
        { description: 'The players of the game who take part in no experiment; left out if there is none.' },
      ),
    ),
    flags: Type.Array(
      Type.Object(
        {
          key,
          version,
          ...PERIOD_FIELD,
          flag_type,
          enabled,
          salt,
          default_value,
          default_serve,
          bucket_by: Type.Optional(FlagShown.properties.bucket_by),
          variants,
          targeting_rules: FlagShown.properties.targeting_rules,
          prerequisites,
          experiment: Type.Optional(RunningExperiment),
        },
        { description: 'A flag.' },
      ),
      { description: 'The flags, ordered by key, disabled ones too.' },
    ),
    segments: Type.Array(
      Type.Object(
        {
          segment_id: Type.String({ description: 'Id of the segment, as rules name it.' }),
          key: Type.String({ description: 'Key of the segment.' }),
          version: Type.Integer({ description: 'Version of the segment.' }),
          conditions: conditionsOf('The condition of the segment.'),
          static: Type.Optional(
            Type.Literal(true, {
              description:
                "The segment's players are those of a list that only the service has; `conditions` then match no player.",
            }),
          ),
          includes: Type.Optional(playerIds('Ids of players who are in the segment whatever the conditions say.')),
          excludes: Type.Optional(playerIds('Ids of players who are not in it whatever the conditions say.')),
        },
        { description: 'A segment.' },
      ),
      { description: 'The enabled segments that rules of these flags name, ordered by id. Others have no players.' },
    ),
  },
  { description: 'The definitions of flags.' },
);

const {
  name: _name,
  description: _description,
  owner: _owner,
  tags: _tags,
  note: _note,
  ends_at: _ends,
  created_at: _created,
  updated_at: _updated,
  ...flag
} = FLAG_EXAMPLE;

export const getFlagDefinitions = defineRoute({
  method: 'GET',
  path: '/v1/flags/definitions',
  tag: 'Feature flags',
  summary: 'Get all definitions for local evaluation',
  description:
    'All flags of the game and environment, and the conditions of the segments that their rules name: what a server ' +
    'needs to evaluate flags in its own process. Overrides are not included: they belong to single players. Returns ' +
    '304 if `If-None-Match` lists the ETag of the response. `GET /v1/flags/changes` says when to get them again. ' +
    `409: the definitions have more than ${FLAG_API_LIMITS.definitionsChars} characters; evaluate with requests instead.`,
  auth: { keys: ['server'] },
  limitClass: 'none',
  ...readBy('viewer', 'evaluate'),
  errors: ['CONFLICT'],
  input: { headers: IfNoneMatch },
  reply: {
    statuses: [200, 304],
    description: 'The definitions.',
    schema: Definitions,
    example: {
      format: 1,
      revision: 57,
      environment: 'live',
      player_namespace: '1c7e1f1e-9d0f-4c52-8a6e-3f5f4f0b7a11',
      flags: [{ ...flag, period: 2, targeting_rules: flag.targeting_rules.map(({ name: _rule, ...rule }) => rule) }],
      segments: [
        {
          segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
          key: 'spenders',
          version: 1,
          conditions: { is_payer: true },
        },
      ],
    },
  },
  action: {
    kind: 'service',
    async call({ headers }, { key: { game, environment, namespace }, services }) {
      const revision = services.config.targetingRevision(game, environment);
      const etag = `"${revision}"`;
      if (isHeld(headers['If-None-Match'], etag)) return notModified(etag);
      const made = await services.definitionTexts.of(game, environment);
      if (made.kind !== 'text') return tooLarge();
      const players = `"environment":"${environment}","player_namespace":${JSON.stringify(namespace)}`;
      return answer(`{${players},${made.text.slice(1)}`, { etag: revision });
    },
  },
});

function tooLarge() {
  return failure(
    'CONFLICT',
    `The definitions have more than ${FLAG_API_LIMITS.definitionsChars} characters, the maximum for local evaluation; delete ` +
      'flags, shorten their values and conditions, or evaluate with requests.',
  );
}
