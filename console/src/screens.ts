import type { ComponentType } from 'react';
import { type Me, readsAllGames } from './session.tsx';
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
  { section: 'understand', path: 'analytics', label: nav.analytics, letter: 'a' },
  { section: 'understand', path: 'sql', label: nav.sql, letter: 'q', isFor: readsAllGames },
  { section: 'operate', path: 'keys', label: nav.keys, letter: 'k', adminOnly: true },
  { section: 'operate', path: 'users', label: nav.users, letter: 'u', adminOnly: true },
  { section: 'operate', path: 'audit', label: nav.audit, letter: 't', adminOnly: true },
];

export const SCREENS: readonly Screen[] = [
  { path: 'overview', load: () => import('./screens/overview.tsx').then(({ Overview }) => ({ default: Overview })) },
  { path: 'start', load: () => import('./screens/start.tsx').then(({ Start }) => ({ default: Start })) },
  { path: 'events', load: () => import('./screens/events.tsx').then(({ Events }) => ({ default: Events })) },
  {
    path: 'analytics',
    load: () => import('./screens/analytics.tsx').then(({ Analytics }) => ({ default: Analytics })),
  },
  { path: 'sql', load: () => import('./screens/sql.tsx').then(({ Sql }) => ({ default: Sql })) },
  { path: 'keys', load: () => import('./screens/keys.tsx').then(({ Keys }) => ({ default: Keys })) },
  { path: 'users', load: () => import('./screens/users.tsx').then(({ Users }) => ({ default: Users })) },
  { path: 'audit', load: () => import('./screens/audit.tsx').then(({ Audit }) => ({ default: Audit })) },
];
