import type { AnnotatedKind, AnnotationDocument } from '../../../../core/vocabulary/documents/annotation.ts';
import type { Failure, FieldFault } from '../../../../core/kernel/errors.ts';
import { formatTimestamp, parseTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { definitionRoutes, firstVersion } from '../../definitions/definition-routes.ts';
import { remaking } from '../../definitions/history/remaking.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { invalid, writtenBy } from '../../route/route.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';
import {
  Annotation,
  ANNOTATION_BODY_EXAMPLE,
  ANNOTATION_EXAMPLE,
  AnnotationBody,
  AnnotationChange,
  annotationJson,
} from './annotation-resource.ts';

/* The routes that read and write annotations: what people note on days, beside the figures. */

const annotations = definitionRoutes({
  kind: 'annotation',
  tag: 'Analytics',
  path: '/v1/analytics/annotations',
  one: 'annotation',
  many: 'annotations',
  id: { parameter: 'id', field: 'annotation_id', description: 'Id of the annotation.' },
  idOf: ({ id }) => id,
  schema: Annotation,
  example: ANNOTATION_EXAMPLE,
  toJson: annotationJson,
  most: ANALYTICS_LIMITS.annotations,
});

const creating = {
  body: AnnotationBody,
  make(body: AnnotationChange, context: RequestContext): AnnotationDocument | Failure {
    const { id, user } = context.key;
    const madeBy = { kind: user === undefined ? 'key' : 'user', id, email: user?.email ?? '' } as const;
    const made = {
      id: `ann_${context.services.ids.uuidv7(context.origin.receivedAt)}`,
      text: '',
      at: '',
      link: null,
      madeBy,
      ...firstVersion(context),
    };
    return changed(made, body, context);
  },
};

export const annotationRoutes = [
  annotations.listRoute({ description: 'In the order in which they were made.' }),
  annotations.createRoute({
    ...writtenBy('analyst', 'none'),
    description: `The console shows it on every chart over time. A game and environment has at most ${ANALYTICS_LIMITS.annotations}.`,
    ...creating,
    example: ANNOTATION_BODY_EXAMPLE,
  }),
  annotations.getRoute(),
  annotations.changeRoute({
    ...writtenBy('analyst', 'none'),
    method: 'PATCH',
    description: 'Fields that you leave out do not change; `null` removes the link.',
    body: AnnotationChange,
    example: { text: 'Version 2.0 is in the App Store' },
    change: (body, context) => (held) => changed(held, body, context),
  }),
  annotations.deleteRoute({ ...writtenBy('analyst', 'none') }),
  ...annotations.historyRoutes(),
  ...annotations.restoreRoutes({
    ...writtenBy('analyst', 'none'),
    by: { body: AnnotationChange, change: (body, context) => (held) => changed(held, body, context) },
    again: remaking({ ...creating, identified: (document, id) => ({ ...document, id }) }),
  }),
];

function changed(
  held: AnnotationDocument,
  { text = held.text, at, link }: AnnotationChange,
  context: RequestContext,
): AnnotationDocument | Failure {
  const faults: FieldFault[] = [];
  if (at !== undefined && !hasDay(at)) faults.push({ path: '/at', message: DAYS_RULE });
  if (text.trim() === '') faults.push({ path: '/text', message: 'must not be blank' });
  if (link !== undefined && link !== null && !isThere(link, context)) {
    faults.push({ path: '/link/key', message: `names no ${link.kind} of this game and environment` });
  }
  if (faults.length > 0) return invalid(faults);
  return { ...held, text, at: at === undefined ? held.at : momentOf(at), link: link === undefined ? held.link : link };
}

/** Days of ClickHouse's type Date, in every time zone: it takes others for quite another day. */
const DAYS = { fromMs: Date.UTC(1970, 0, 2), toMs: Date.UTC(2149, 0, 1) };
const DAYS_RULE = 'must be from 1970-01-02 to 2148-12-31';

function hasDay(text: string): boolean {
  const ms = parseTimestamp(text) ?? 0;
  return ms >= DAYS.fromMs && ms < DAYS.toMs;
}

/** The text of a valid time: a date stays one. */
function momentOf(text: string): string {
  const moment = formatTimestamp(parseTimestamp(text) ?? 0);
  return /t/i.test(text) ? moment : moment.slice(0, 'yyyy-mm-dd'.length);
}

function isThere({ kind, key }: { kind: AnnotatedKind; key: string }, context: RequestContext): boolean {
  const { game, environment } = context.key;
  const found = context.services.config.get({ game, environment, kind, key });
  return found !== undefined && !('archivedAt' in found.document && found.document.archivedAt !== null);
}
