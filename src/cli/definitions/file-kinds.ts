import { DRAFT, emptyContent as emptyExperiment } from '../../../actors/flags/experiment/draft.ts';
import type { Static, TObject } from 'typebox';
import { fixedFaults } from '../../../actors/experiments/fixed-fields.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import {
  EXPERIMENT_STATES,
  type ExperimentDocument,
  hasEnded,
} from '../../../core/vocabulary/documents/experiments.ts';
import type { Labelled } from '../../../core/vocabulary/labels.ts';
import { SavedQueryBody, savedQueryJson } from '../../api/analytics/saved-query-resource.ts';
import { savedQueryContent } from '../../api/analytics/saved-queries.ts';
import { wholeContent as campaignContent } from '../../api/campaigns/campaign-content.ts';
import { CampaignBody, campaignJson } from '../../api/campaigns/campaign-resource.ts';
import { ReadOnly } from '../../api/definitions/definition-fields.ts';
import { labelsIn, relabelled } from '../../api/definitions/definition-labels.ts';
import { EventSchemaBody, eventSchemaJson } from '../../api/event-schemas/event-schema-resource.ts';
import { eventSchemaContent } from '../../api/event-schemas/event-schemas.ts';
import { contentOf as experimentContent, metricFaults } from '../../api/experiments/experiment-content.ts';
import { ExperimentBody, experimentJson } from '../../api/experiments/experiment-resource.ts';
import { contentOf as flagContent, emptyContent, formFaults } from '../../api/flags/flag-content.ts';
import { FlagBody, flagJson } from '../../api/flags/flag-resource.ts';
import { propertyContent } from '../../api/properties/properties.ts';
import { PropertyBody, propertyJson } from '../../api/properties/property-resource.ts';
import { SegmentBody, segmentJson } from '../../api/segments/segment-resource.ts';
import { segmentContent } from '../../api/segments/segments.ts';
import { wholeContent as webhookContent } from '../../api/webhooks/webhook-content.ts';
import { createdWebhookJson, WebhookBody } from '../../api/webhooks/webhook-resource.ts';

/*
 * The kinds of definitions that files hold. A file is the body that creates the definition. Files and answers of the
 * service both become documents by the functions of requests, so a default is the same written down and left out.
 */

/** A definition with all defaults and without what the service makes. */
export interface Normal {
  kind: 'normal';
  /** As the history compares it. */
  document: JsonObject;
  /** As the API takes it, and as files have it. */
  wire: JsonObject;
}

export type Read = Normal | { kind: 'faults'; faults: readonly FieldFault[] };

interface Shape {
  /** Its folder. */
  folder: string;
  /** Path of the list. */
  path: string;
  /** The field of the list in its answer. */
  many: string;
  /** The field by which paths name one. */
  id: string;
  /** The field by which files name one. */
  key: string;
  method: 'PUT' | 'PATCH';
  /** Where it names segments by id; `*`: each item of a list. */
  segments: readonly string[];
  /** Where it names others of its kind by key: these come first. */
  others: readonly string[];
  /** What the service decides about one, such as whether it runs; undefined: nothing. */
  lifeOf: ((answer: JsonObject) => Life) | undefined;
}

interface Life {
  isOver: boolean;
  /** Why it cannot be deleted. */
  stays: string | undefined;
  /** What of a file the service refuses in its state. */
  refusals: (held: JsonObject, wanted: JsonObject) => string[];
}

export interface FileKind extends Shape {
  read: (body: JsonObject) => Read;
  /** What an answer of the service has that a body may have, without players. */
  fields: (answer: JsonObject) => JsonObject;
}

interface Made<B extends TObject, D extends Labelled> {
  body: B;
  /** The document of a request with this body. */
  make: (body: Static<B>) => D | readonly FieldFault[];
  toJson: (document: D) => string;
}

/** What bodies may have and files do not, with the reason. */
const NOT_IN_FILES: Readonly<Record<string, string>> = {
  // They belong to one environment, and no erasure reaches files.
  includes: 'names players, which files do not: it stays as it is in the service',
  excludes: 'names players, which files do not: it stays as it is in the service',
  salt: 'is not for files: each environment has its own',
};
const LIFE = 'is decided in the service: a file neither starts nor stops anything';
/** `secret` is sent only when a webhook is created (webhook-values.ts). */
const NOT_SENT: ReadonlySet<string> = new Set(['version', 'secret', ...Object.keys(NOT_IN_FILES)]);

function fileKind<B extends TObject, D extends Labelled>(
  shape: Pick<Shape, 'folder' | 'path' | 'many' | 'id' | 'key'> & Partial<Shape>,
  { body: schema, make, toJson }: Made<B, D>,
): FileKind {
  const check = compile<TObject, Static<B>>(schema);
  // Other bodies may be answers that are sent back.
  const unfit = {
    ...NOT_IN_FILES,
    ...(shape.lifeOf && Object.fromEntries(readOnlyIn(schema).map((name) => [name, LIFE]))),
  };
  const names = Object.entries(schema.properties).flatMap(([name, field]) =>
    field === ReadOnly || NOT_SENT.has(name) ? [] : [name],
  );
  const fields = (json: JsonObject): JsonObject =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(json, name) ? [[name, json[name] ?? null]] : [])));
  return {
    method: 'PUT',
    segments: [],
    others: [],
    lifeOf: undefined,
    ...shape,
    fields,
    read(body) {
      const refused = Object.entries(unfit).filter(([name]) => Object.hasOwn(body, name));
      if (refused.length > 0) {
        return { kind: 'faults', faults: refused.map(([name, message]) => ({ path: `/${name}`, message })) };
      }
      const key = body[shape.key];
      if (typeof key !== 'string' || key === '') {
        return { kind: 'faults', faults: [{ path: `/${shape.key}`, message: 'is required' }] };
      }
      if (!check.accepts(body)) return { kind: 'faults', faults: check.faultsOf(body) };
      const made = make(body);
      if (isFaults(made)) return { kind: 'faults', faults: made };
      const document = relabelled(made, labelsIn(body, {}));
      return { kind: 'normal', document: objectOf(JSON.stringify(document)), wire: fields(objectOf(toJson(document))) };
    },
  };
}

const readOnlyIn = ({ properties }: TObject): string[] =>
  Object.entries(properties).flatMap(([name, field]) => (field === ReadOnly ? [name] : []));

const isFaults = (made: object): made is readonly FieldFault[] => Array.isArray(made);

function objectOf(text: string): JsonObject {
  const json: Json = JSON.parse(text);
  return isObject(json) ? json : {};
}

const MADE = { createdAt: 0, updatedAt: 0, version: 1 };

const experimentBody = compile<TObject, Static<typeof ExperimentBody>>(ExperimentBody);

function experimentIn(body: Static<typeof ExperimentBody>): ExperimentDocument {
  const empty = emptyExperiment(body.key, '');
  return { key: body.key, ...experimentContent(body, empty, empty), ...DRAFT, ...MADE };
}

function experimentLife({ state: shown }: JsonObject): Life {
  const state = EXPERIMENT_STATES.find((name) => name === shown) ?? 'draft';
  return {
    isOver: hasEnded({ state }),
    stays: state === 'draft' ? undefined : `it is ${state}: --delete leaves it. Stop and discard it in the service.`,
    refusals(held, wanted) {
      if (!experimentBody.accepts(held) || !experimentBody.accepts(wanted)) return [];
      const faults = fixedFaults({ ...experimentIn(held), state }, experimentIn(wanted));
      return faults.map(({ path, message }) => `the service refuses this: \`${path.slice(1)}\` ${message}`);
    },
  };
}

/** In the order in which they are made: each after those that it may name. */
export const FILE_KINDS: readonly FileKind[] = [
  fileKind(
    { folder: 'event-schemas', path: '/v1/events/schemas', many: 'schemas', id: 'event_name', key: 'event_name' },
    {
      body: EventSchemaBody,
      make: (body) => ({ eventName: body.event_name, ...eventSchemaContent(body), ...MADE }),
      toJson: eventSchemaJson,
    },
  ),
  fileKind(
    { folder: 'properties', path: '/v1/properties/properties', many: 'properties', id: 'key', key: 'key' },
    {
      body: PropertyBody,
      make: (body) => ({ key: body.key, ...propertyContent(body, body.key), ...MADE }),
      toJson: (document) => propertyJson(document),
    },
  ),
  fileKind(
    {
      folder: 'segments',
      path: '/v1/segments/segments',
      many: 'segments',
      id: 'segment_id',
      key: 'key',
      segments: ['conditions/$segments'],
      others: ['conditions/$segments'],
    },
    {
      body: SegmentBody,
      make(body) {
        const { key = '' } = body;
        const list = body.kind === 'static' ? { load: '', players: 0, loadedAt: null } : undefined;
        const listed = list === undefined ? {} : { list };
        return { id: '', key, ...segmentContent(body, key, list), ...listed, ...MADE };
      },
      toJson: (document) => segmentJson(document),
    },
  ),
  fileKind(
    {
      folder: 'flags',
      path: '/v1/flags/flags',
      many: 'flags',
      id: 'key',
      key: 'key',
      segments: ['targeting_rules/*/segment_id', 'targeting_rules/*/conditions/$segments'],
      others: ['prerequisites/*/flag_key'],
    },
    {
      body: FlagBody,
      make(body): FlagDocument | readonly FieldFault[] {
        const faults = formFaults(body);
        if (faults.length > 0) return faults;
        const { key } = body;
        const empty = emptyContent(key, body.flag_type);
        return { key, ...flagContent(body, empty, empty), salt: '', ...MADE, archivedAt: null, periods: [] };
      },
      toJson: (document) => flagJson(document),
    },
  ),
  fileKind(
    {
      folder: 'experiments',
      path: '/v1/experiments/experiments',
      many: 'experiments',
      id: 'key',
      key: 'key',
      segments: ['audience/segment_id', 'audience/conditions/$segments'],
      lifeOf: experimentLife,
    },
    {
      body: ExperimentBody,
      make(body) {
        const faults = metricFaults(body);
        return faults.length > 0 ? faults : experimentIn(body);
      },
      toJson: experimentJson,
    },
  ),
  fileKind(
    {
      folder: 'campaigns',
      path: '/v1/campaigns/campaigns',
      many: 'campaigns',
      id: 'campaign_id',
      key: 'key',
      segments: ['audience', 'trigger/segment_entered', 'trigger/segment_exited', 'trigger/conditions/$segments'],
    },
    {
      body: CampaignBody,
      make(body) {
        const { key = '' } = body;
        const content = campaignContent(body, key);
        return content.kind === 'invalid' ? content.faults : { id: '', key, ...content.value, ...MADE };
      },
      toJson: campaignJson,
    },
  ),
  fileKind(
    { folder: 'saved-queries', path: '/v1/analytics/saved-queries', many: 'saved_queries', id: 'key', key: 'key' },
    {
      body: SavedQueryBody,
      make: (body) => ({ key: body.key, ...savedQueryContent(body, body.key), ...MADE }),
      toJson: savedQueryJson,
    },
  ),
  fileKind(
    // Webhooks have no key: files name them by `name`.
    {
      folder: 'webhooks',
      path: '/v1/integrations/webhooks',
      many: 'webhooks',
      id: 'webhook_id',
      key: 'name',
      method: 'PATCH',
    },
    {
      body: WebhookBody,
      make: (body) => ({ id: '', ...webhookContent(body), secret: '', ...MADE }),
      toJson: createdWebhookJson,
    },
  ),
];

/** The segments of a game have ids, by which others name them. */
export const SEGMENTS = 'segments';
