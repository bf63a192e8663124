import type { ComponentType } from 'react';
import { type Me, readsAllGames } from './frame/session.tsx';
import { TEXTS } from './texts.ts';

/** The screens of a game. To add a screen, add it here. */
export interface Screen {
  /** Below `/console/<game>/<environment>/`. */
  path: string;
  load: () => Promise<{ default: ComponentType<{ params: Readonly<Record<string, string | undefined>> }> }>;
}

/** The entries of the navigation by section, with the letter that follows `g`. */
export interface Entry {
  section: keyof typeof TEXTS.nav.sections;
  path: string;
  label: string;
  letter: string;
  adminOnly?: boolean;
  /** Whether the entry is shown to a user; default: to all. */
  isFor?: (me: Me) => boolean;
}

const { nav } = TEXTS;
export const ENTRIES: readonly Entry[] = [
  { section: 'watch', path: 'overview', label: nav.overview, letter: 'o' },
  { section: 'watch', path: 'start', label: nav.start, letter: 'r' },
  { section: 'watch', path: 'events', label: nav.events, letter: 'e' },
  { section: 'watch', path: 'players', label: nav.players, letter: 'p' },
  { section: 'target', path: 'segments', label: nav.segments, letter: 's' },
  { section: 'target', path: 'flags', label: nav.flags, letter: 'f' },
  { section: 'target', path: 'experiments', label: nav.experiments, letter: 'x' },
  { section: 'target', path: 'campaigns', label: nav.campaigns, letter: 'c' },
  { section: 'understand', path: 'analytics', label: nav.analytics, letter: 'a' },
  { section: 'understand', path: 'dictionary', label: nav.dictionary, letter: 'd' },
  { section: 'understand', path: 'scoring', label: nav.scoring, letter: 'i' },
  { section: 'understand', path: 'sql', label: nav.sql, letter: 'q', isFor: readsAllGames },
  { section: 'operate', path: 'webhooks', label: nav.webhooks, letter: 'w' },
  { section: 'operate', path: 'schemas', label: nav.schemas, letter: 'm' },
  { section: 'operate', path: 'keys', label: nav.keys, letter: 'k', adminOnly: true },
  { section: 'operate', path: 'settings', label: nav.settings, letter: 'y' },
  { section: 'operate', path: 'approvals', label: nav.approvals, letter: 'v' },
  { section: 'operate', path: 'users', label: nav.users, letter: 'u', adminOnly: true },
  { section: 'operate', path: 'audit', label: nav.audit, letter: 't', adminOnly: true },
  { section: 'operate', path: 'operations', label: nav.operations, letter: 'z', adminOnly: true },
];

export const SCREENS: readonly Screen[] = [
  { path: 'overview', load: () => import('./screens/overview.tsx').then(({ Overview }) => ({ default: Overview })) },
  { path: 'start', load: () => import('./screens/team/start.tsx').then(({ Start }) => ({ default: Start })) },
  { path: 'events', load: () => import('./screens/events.tsx').then(({ Events }) => ({ default: Events })) },
  ...['players', 'players/find/*'].map((path) => ({
    path,
    load: () => import('./screens/players/players.tsx').then(({ Players }) => ({ default: Players })),
  })),
  {
    path: 'players/:id',
    load: () => import('./screens/players/player.tsx').then(({ PlayerScreen }) => ({ default: PlayerScreen })),
  },
  {
    path: 'webhooks',
    load: () => import('./screens/webhooks/webhooks.tsx').then(({ Webhooks }) => ({ default: Webhooks })),
  },
  {
    path: 'webhooks/new',
    load: () => import('./screens/webhooks/webhook-form.tsx').then(({ NewWebhook }) => ({ default: NewWebhook })),
  },
  {
    path: 'webhooks/:id',
    load: () => import('./screens/webhooks/webhook.tsx').then(({ WebhookScreen }) => ({ default: WebhookScreen })),
  },
  {
    path: 'schemas',
    load: () => import('./screens/schemas/schemas.tsx').then(({ Schemas }) => ({ default: Schemas })),
  },
  {
    path: 'schemas/new',
    load: () => import('./screens/schemas/schema.tsx').then(({ NewSchema }) => ({ default: NewSchema })),
  },
  {
    path: 'schemas/quarantine',
    load: () => import('./screens/schemas/quarantine.tsx').then(({ Quarantine }) => ({ default: Quarantine })),
  },
  {
    path: 'schemas/of/*',
    load: () => import('./screens/schemas/schema.tsx').then(({ SchemaScreen }) => ({ default: SchemaScreen })),
  },
  {
    path: 'dictionary',
    load: () => import('./screens/schemas/dictionary.tsx').then(({ Dictionary }) => ({ default: Dictionary })),
  },
  { path: 'segments', load: () => import('./screens/segments.tsx').then(({ Segments }) => ({ default: Segments })) },
  { path: 'segments/:id', load: () => import('./screens/segment.tsx').then(({ Segment }) => ({ default: Segment })) },
  { path: 'flags', load: () => import('./screens/flags.tsx').then(({ Flags }) => ({ default: Flags })) },
  { path: 'flags/:key', load: () => import('./screens/flag.tsx').then(({ Flag }) => ({ default: Flag })) },
  {
    path: 'flags/:key/results',
    load: () => import('./screens/flag-results.tsx').then(({ FlagResults }) => ({ default: FlagResults })),
  },
  {
    path: 'experiments',
    load: () => import('./screens/experiments.tsx').then(({ Experiments }) => ({ default: Experiments })),
  },
  {
    path: 'experiments/:key',
    load: () => import('./screens/experiment.tsx').then(({ ExperimentScreen }) => ({ default: ExperimentScreen })),
  },
  {
    path: 'analytics',
    load: () => import('./screens/analytics.tsx').then(({ Analytics }) => ({ default: Analytics })),
  },
  { path: 'sql', load: () => import('./screens/sql.tsx').then(({ Sql }) => ({ default: Sql })) },
  { path: 'keys', load: () => import('./screens/team/keys.tsx').then(({ Keys }) => ({ default: Keys })) },
  {
    path: 'settings',
    load: () => import('./screens/team/settings.tsx').then(({ Settings }) => ({ default: Settings })),
  },
  { path: 'users', load: () => import('./screens/team/users.tsx').then(({ Users }) => ({ default: Users })) },
  {
    path: 'approvals',
    load: () => import('./screens/team/approvals.tsx').then(({ Approvals: Screen }) => ({ default: Screen })),
  },
  { path: 'audit', load: () => import('./screens/team/audit.tsx').then(({ Audit }) => ({ default: Audit })) },
  {
    path: 'campaigns',
    load: () => import('./screens/campaigns.tsx').then(({ Campaigns }) => ({ default: Campaigns })),
  },
  {
    path: 'campaigns/new',
    load: () => import('./screens/campaign.tsx').then(({ CampaignScreen }) => ({ default: CampaignScreen })),
  },
  {
    path: 'campaigns/:id',
    load: () => import('./screens/campaign.tsx').then(({ CampaignScreen }) => ({ default: CampaignScreen })),
  },
  { path: 'scoring', load: () => import('./screens/scoring.tsx').then(({ Scoring }) => ({ default: Scoring })) },
  {
    path: 'operations',
    load: () => import('./screens/operations.tsx').then(({ Operations }) => ({ default: Operations })),
  },
];
