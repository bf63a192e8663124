import { Type } from 'typebox';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import type { TextAnswer } from '../route/answer.ts';
import { defineOpenRoute, defineRoute, forGames, type Route } from '../route/route.ts';
import { STORED } from './ingest.ts';
import { segmentFailures } from './segment-failures.ts';

/*
 * The documents that clients read before they send, and the endpoint of their own metrics. The documents name the host
 * that the client called, so that it sends there.
 */

const tag = 'Segment clients';
const auth = { keys: ['client', 'server'], writeKeys: true } as const;
const mediaType = 'application/json';

const HEADERS = Type.Object({
  Host: Type.Optional(
    Type.String({ maxLength: SEGMENT_CLIENT_LIMITS.hostLength, description: 'The host that you called.' }),
  ),
  'X-Forwarded-Proto': Type.Optional(
    Type.String({
      maxLength: SEGMENT_CLIENT_LIMITS.hostLength,
      description: '`https` if a proxy in front of the service takes TLS.',
    }),
  ),
});

const SETTINGS_EXAMPLE = {
  integrations: { 'Segment.io': { apiKey: 'pk_live_…', apiHost: 'analytics.example.com/v1', protocol: 'https' } },
  metrics: { sampleRate: 0 },
};

const settings = [
  { path: '/v1/projects/{write_key}/settings' },
  { path: '/projects/{write_key}/settings', operationId: 'get_settings_without_version' },
].map((place) =>
  defineRoute({
    method: 'GET',
    ...place,
    tag,
    summary: "Get the settings of Segment's clients",
    description: 'They name this service as the only destination.',
    auth,
    players: 'none',
    limitClass: 'none',
    ...forGames('track'),
    lenientBody: true,
    errors: [],
    failures: segmentFailures,
    input: {
      params: Type.Object({ write_key: Type.String({ description: 'The API key.' }) }),
      headers: HEADERS,
    },
    reply: {
      description: 'The settings.',
      mediaType,
      schema: Type.Object(
        {
          integrations: Type.Object({}, { description: 'Destinations: `Segment.io` is this service.' }),
          metrics: Type.Object({}, { description: "The clients' own metrics: none are wanted." }),
        },
        { description: 'Settings.' },
      ),
      example: SETTINGS_EXAMPLE,
    },
    action: {
      kind: 'config',
      read({ params, headers }) {
        const host = headers.Host ?? '';
        const segment = { apiKey: params.write_key, apiHost: `${host}/v1`, protocol: protocolOf(headers) };
        const integrations = { 'Segment.io': { ...segment, retryQueue: true } };
        return json({ integrations, plan: { track: { __default: { enabled: true } } }, metrics: { sampleRate: 0 } });
      },
    },
  }),
);

const SOURCE_EXAMPLE = {
  source: { id: '9f2c', name: 'demo', writeKey: 'pk_live_…', enabled: true, config: {}, destinations: [] },
  updatedAt: '1970-01-01T00:00:00.000Z',
};

const sourceConfigs = [
  { path: '/sourceConfig' },
  { path: '/sourceConfig/', operationId: 'get_sourceConfig_with_slash' },
].map((place) =>
  defineRoute({
    method: 'GET',
    ...place,
    tag,
    summary: "Get the source configuration of RudderStack's clients",
    description: 'It has no destinations: the client sends to its data plane only.',
    auth,
    players: 'none',
    limitClass: 'none',
    ...forGames('track'),
    lenientBody: true,
    errors: [],
    failures: segmentFailures,
    input: {
      query: Type.Object({
        writeKey: Type.Optional(Type.String({ description: 'The API key.' })),
        p: Type.Optional(Type.String({ description: 'Ignored.' })),
        v: Type.Optional(Type.String({ description: 'Ignored.' })),
        build: Type.Optional(Type.String({ description: 'Ignored.' })),
        lockIntegrationsVersion: Type.Optional(Type.String({ description: 'Ignored.' })),
        lockPluginsVersion: Type.Optional(Type.String({ description: 'Ignored.' })),
      }),
    },
    reply: {
      description: 'The source configuration.',
      mediaType,
      schema: Type.Object(
        {
          source: Type.Object({}, { description: 'The source: the game of the key.' }),
          updatedAt: Type.String({ description: 'Always 1970: it never changes.' }),
        },
        { description: 'Source configuration.' },
      ),
      example: SOURCE_EXAMPLE,
    },
    action: {
      kind: 'config',
      read({ query }, { key }) {
        const none = { enabled: false };
        const source = {
          id: key.id,
          name: key.game,
          writeKey: query.writeKey ?? '',
          enabled: true,
          workspaceId: key.game,
          config: { statsCollection: { errors: none, metrics: none } },
          destinations: [],
          connections: [],
          dataplanes: {},
        };
        return json({ source, updatedAt: SOURCE_EXAMPLE.updatedAt });
      },
    },
  }),
);

/** Clients send none of their own metrics with the settings above; a client with other settings may. */
const clientMetrics = defineOpenRoute({
  method: 'POST',
  path: '/v1/m',
  tag,
  summary: "Discard the metrics of Segment's clients",
  readsOnly: true,
  forBrowsers: true,
  errors: [],
  reply: {
    description: 'The metrics were discarded.',
    mediaType,
    schema: Type.Object(
      { success: Type.Boolean({ description: 'Always true.' }) },
      { description: 'Nothing is stored.' },
    ),
    example: { success: true },
  },
  respond: () => STORED,
});

export const segmentSettingsRoutes: readonly Route[] = [...settings, ...sourceConfigs, clientMetrics];

/** The service itself speaks HTTP only. A wrong header changes nothing but its sender's own settings. */
function protocolOf(headers: { 'X-Forwarded-Proto'?: string }): 'http' | 'https' {
  const [first = ''] = (headers['X-Forwarded-Proto'] ?? '').split(',');
  return first.trim() === 'https' ? 'https' : 'http';
}

function json(document: unknown): TextAnswer {
  return { kind: 'text', contentType: mediaType, body: JSON.stringify(document) };
}
