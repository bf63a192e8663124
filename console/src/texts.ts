import { annotations } from './texts/annotations.ts';
import { analytics } from './texts/screens/analytics.ts';
import { start, events } from './texts/arriving.ts';
import { chart } from './texts/chart.ts';
import { campaign, campaigns } from './texts/screens/campaigns.ts';
import { common } from './texts/common.ts';
import { experiment, experiments } from './texts/screens/experiments.ts';
import { results } from './texts/screens/results.ts';
import { flag, flags, overrides, playground, use } from './texts/screens/flags.ts';
import { operations, scoring } from './texts/screens/operations.ts';
import { header, nav, palette, shortcuts } from './texts/frame.ts';
import { overview } from './texts/screens/overview.ts';
import {
  askWhy,
  conditions,
  confirm,
  conflict,
  diff,
  draft,
  editor,
  history,
  labels,
  managed,
  playerCount,
  playerIdentity,
  saved,
  table,
  time,
} from './texts/parts.ts';
import { schedule } from './texts/schedule.ts';
import {
  player,
  playerCampaigns,
  playerFlags,
  players,
  privacy,
  purchases,
  testPlayer,
  timeline,
} from './texts/screens/players.ts';
import { computed, dictionary, quarantine, schema, schemas, trace } from './texts/screens/schemas.ts';
import { account, passkeys, signIn } from './texts/screens/people.ts';
import { segment, segments } from './texts/screens/segments.ts';
import { sql } from './texts/screens/sql.ts';
import { rates, settings } from './texts/screens/settings.ts';
import { approvals, audit, keys, users } from './texts/screens/team.ts';
import { attempts, recovery, webhook, webhooks } from './texts/screens/webhooks.ts';

/** Every text of the console: `common` ones at the top, others by screen. Each file of `texts/` has related screens. */
export const TEXTS = {
  ...common,
  annotations,
  askWhy,
  history,
  account,
  campaign,
  campaigns,
  approvals,
  audit,
  keys,
  users,
  attempts,
  computed,
  conditions,
  confirm,
  conflict,
  dictionary,
  diff,
  draft,
  editor,
  analytics,
  chart,
  events,
  experiment,
  experiments,
  flag,
  flags,
  header,
  labels,
  managed,
  nav,
  operations,
  overrides,
  overview,
  palette,
  playground,
  player,
  playerCampaigns,
  playerFlags,
  testPlayer,
  playerCount,
  playerIdentity,
  players,
  privacy,
  purchases,
  quarantine,
  rates,
  recovery,
  results,
  saved,
  schedule,
  schema,
  schemas,
  scoring,
  passkeys,
  segment,
  segments,
  settings,
  signIn,
  shortcuts,
  sql,
  start,
  table,
  time,
  use,
  timeline,
  trace,
  webhook,
  webhooks,
} as const;
