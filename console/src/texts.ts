import { start, events } from './texts/arriving.ts';
import { common } from './texts/common.ts';
import { header, nav, palette } from './texts/frame.ts';
import { overview } from './texts/overview.ts';
import { account, signIn } from './texts/people.ts';

/** Every text of the console: `common` ones at the top, others by screen. Each file of `texts/` has related screens. */
export const TEXTS = {
  ...common,
  account,
  events,
  header,
  nav,
  overview,
  palette,
  signIn,
  start,
} as const;
