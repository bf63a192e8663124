import { analytics } from './texts/analytics.ts';
import { start, events } from './texts/arriving.ts';
import { chart } from './texts/chart.ts';
import { common } from './texts/common.ts';
import { header, nav, palette } from './texts/frame.ts';
import { overview } from './texts/overview.ts';
import { conditions, confirm, diff, editor, table } from './texts/parts.ts';
import { account, signIn } from './texts/people.ts';
import { sql } from './texts/sql.ts';
import { audit, keys, users } from './texts/team.ts';

/** Every text of the console: `common` ones at the top, others by screen. Each file of `texts/` has related screens. */
export const TEXTS = {
  ...common,
  account,
  audit,
  keys,
  users,
  conditions,
  confirm,
  diff,
  editor,
  analytics,
  chart,
  events,
  header,
  nav,
  overview,
  palette,
  signIn,
  sql,
  start,
  table,
} as const;
