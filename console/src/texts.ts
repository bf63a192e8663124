import { analytics } from './texts/analytics.ts';
import { start, events } from './texts/arriving.ts';
import { chart } from './texts/chart.ts';
import { common } from './texts/common.ts';
import { header, nav, palette } from './texts/frame.ts';
import { operations, scoring } from './texts/operations.ts';
import { overview } from './texts/overview.ts';
import { conditions, confirm, diff, editor, table } from './texts/parts.ts';
import { player, playerCampaigns, playerFlags, players, privacy, timeline } from './texts/players.ts';
import { dictionary, quarantine, schema, schemas, trace } from './texts/schemas.ts';
import { account, passkeys, signIn } from './texts/people.ts';
import { sql } from './texts/sql.ts';
import { audit, keys, users } from './texts/team.ts';
import { attempts, recovery, webhook, webhooks } from './texts/webhooks.ts';

/** Every text of the console: `common` ones at the top, others by screen. Each file of `texts/` has related screens. */
export const TEXTS = {
  ...common,
  account,
  audit,
  keys,
  users,
  attempts,
  conditions,
  confirm,
  dictionary,
  diff,
  editor,
  analytics,
  chart,
  events,
  header,
  nav,
  operations,
  overview,
  palette,
  player,
  playerCampaigns,
  playerFlags,
  players,
  privacy,
  quarantine,
  recovery,
  schema,
  schemas,
  scoring,
  passkeys,
  signIn,
  sql,
  start,
  table,
  timeline,
  trace,
  webhook,
  webhooks,
} as const;
