/* The frame of all screens. */

export const nav = {
  label: 'Screens',
  sections: { watch: 'Watch', target: 'Target', understand: 'Understand', operate: 'Operate' },
  overview: 'Overview',
  start: 'First run',
  events: 'Live events',
  analytics: 'Analytics',
  sql: 'SQL',
  reference: 'API reference',
  players: 'Players',
  dictionary: 'Event dictionary',
  schemas: 'Event schemas',
  segments: 'Segments',
  flags: 'Flags',
  experiments: 'Experiments',
  campaigns: 'Campaigns',
  webhooks: 'Webhooks',
  keys: 'API keys',
  settings: 'Game settings',
  operations: 'Operations',
  scoring: 'Scoring',
  users: 'Users',
  audit: 'Audit',
  approvals: 'Approvals',
  account: 'Account',
} as const;

export const header = {
  game: 'Game',
  environment: 'Environment',
  live: 'live',
  test: 'test',
  search: 'Search or jump to …',
  menu: 'Open the menu',
  account: 'Your account',
  scheme: { auto: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
  signOut: 'Sign out',
  signOutEverywhere: 'Sign out everywhere',
} as const;

export const shortcuts = {
  title: 'Keyboard shortcuts',
  keys: 'Keys',
  what: 'What they do',
  open: 'Show the keyboard shortcuts',
  go: (screen: string) => `Go to ${screen}`,
  all: [
    { keys: ['/'], what: 'Search: screens, flags, segments, campaigns, players' },
    { keys: ['Ctrl', 'K'], what: 'The same, also while you write' },
    { keys: ['?'], what: 'Show these shortcuts' },
    { keys: ['Esc'], what: 'Close a dialog' },
    { keys: ['Ctrl', 'Enter'], what: 'Run the statement, on the SQL screen' },
    { keys: ['←', '→'], what: 'Move along a chart that has the focus' },
  ],
} as const;

export const palette = {
  title: 'Jump to',
  placeholder: 'A screen, flag, segment, experiment, campaign, or a player’s id',
  player: (id: string) => `Player “${id}”`,
  empty: 'Nothing matches.',
  help: 'Keys: / or Ctrl K opens this; g and a letter goes to a screen; ? shows all shortcuts.',
} as const;
