/* Parts that many screens share: editors, tables, differences, dialogs. */

export const editor = {
  help: 'Tab leaves the editor. Ctrl ] and Ctrl [ indent.',
  fault: (line: number, column: number, message: string) => `Line ${line}, column ${column}: ${message}`,
  empty: 'The text is empty.',
  goTo: 'Go there',
  format: 'Format',
} as const;

export const conditions = {
  label: 'Conditions',
  builder: 'Builder',
  json: 'JSON',
  as: 'Edit as',
  everybody: 'No condition: this holds for everybody.',
  emptyGroup: 'Nothing in it yet. Add a condition, or remove the group.',
  unfinished: 'The condition is not finished, so it cannot be saved:',
  noField: 'a field that is not chosen',
  noName: 'its name',
  groups: {
    all: 'All of these hold',
    any: 'At least one of these holds',
    none: 'None of these holds',
    not: 'Not all of these hold',
  },
  group: 'Group',
  addTest: 'Add a condition',
  addEvents: 'Add a count of events',
  addInSegment: 'Add segments',
  addBucket: 'Add a share of players',
  addGroup: 'Add a group',
  inSegment: 'Is in one of the segments',
  inSegmentHint: 'Choose segments',
  noSegment: 'No segment matches.',
  bucket: 'Is in a share of the players',
  salt: 'Salt',
  saltHelp: 'Conditions with the same salt choose the same players, those with another one choose independently.',
  by: 'Chosen by',
  bys: { player: 'player', device: 'device', attribute: 'an attribute' },
  byAttribute: 'Name of the attribute',
  below: 'Percentage',
  badBelow: 'A number from 0 to 100.',
  removeTest: (name: string) => `Remove the condition on ${name === '' ? 'a new field' : name}`,
  removeGroup: 'Remove this group',
  raw: 'The builder cannot show this part. It stays as it is; edit it as JSON.',
  rawLabel: 'Part as JSON',
  field: 'Field',
  fieldHint: 'attributes.level',
  operator: 'Operator',
  value: 'Value',
  kind: 'Type of the value',
  kinds: { text: 'text', number: 'number', boolean: 'yes/no', null: 'null', json: 'JSON' },
  list: 'Values',
  listHint: 'Type a value, then Enter',
  listKinds: { text: 'texts', number: 'numbers', json: 'JSON' },
  badNumber: 'Write a number, for example 12.5.',
  badJson: 'This is not JSON. Texts need quotes.',
  eventName: 'Event',
  count: 'How many',
  within: 'Days',
  withinHelp: 'With today; empty: all time',
  badWithin: 'Whole days from 1 to 90.',
  where: 'Of these events, only those with',
  addWhere: 'Filter by properties',
  unreadable: 'The JSON is not valid yet. The builder shows it again once it is.',
  operators: {
    $eq: 'equals',
    $ne: 'does not equal',
    $gt: 'is greater than',
    $gte: 'is at least',
    $lt: 'is less than',
    $lte: 'is at most',
    $veq: 'equals version',
    $vne: 'does not equal version',
    $vgt: 'is later than version',
    $vgte: 'is version or later',
    $vlt: 'is earlier than version',
    $vlte: 'is version or earlier',
    $before: 'is a time before',
    $after: 'is a time after',
    $inCidr: 'is an address in',
    $in: 'is one of',
    $nin: 'is none of',
    $ini: 'is one of (any case)',
    $nini: 'is none of (any case)',
    $all: 'contains all of',
    $alli: 'contains all of (any case)',
    $exists: 'is there',
    $type: 'has the type',
    $size: 'has the length',
    $not: 'does not meet',
    $elemMatch: 'has an element that meets',
    $regex: 'matches',
    $regexi: 'matches (any case)',
    $notRegex: 'does not match',
    $notRegexi: 'does not match (any case)',
  },
} as const;

export const diff = {
  label: 'Changes',
  none: 'Nothing is different.',
  field: 'Field',
  change: 'Change',
  before: 'Before',
  after: 'After',
  kinds: { added: '+ added', removed: '− removed', changed: '± changed' },
  missing: '—',
  whole: 'the whole document',
} as const;

export const confirm = {
  live: (game: string) => `This changes LIVE of ${game}. Players get it at once.`,
  waits: (game: string) =>
    `This changes LIVE of ${game}, once a second person approves it. Until then players keep what they get now.`,
  mayWait: (game: string) =>
    `This changes LIVE of ${game}: at once, or once a second person approves it if a flag or campaign uses it.`,
  test: (game: string) => `This changes the test environment of ${game}.`,
  /** @param change the question of its dialog, or its name */
  undone: (change: string) =>
    `The change failed and was undone: ${change.endsWith('?') ? change.slice(0, -1) : change}`,
} as const;

export const table = {
  sideways: (label: string) => `${label}: scrolls sideways`,
  scrolls: (label: string) => `${label}: scrolls`,
  filter: 'Filter',
  sortBy: (column: string) => `Sort by ${column}`,
  shown: (count: string, all: string) => `${count} of ${all}`,
  noMatch: 'Nothing matches the filter.',
  help: 'Arrow keys move between rows.',
} as const;

/* Beside an event, which has the service's id of the player only. */
export const playerIdentity = {
  external: 'External id',
  id: 'Player id',
  copy: 'Copy',
  unknown: 'not known: the player may be erased',
  open: 'Open the player',
} as const;

export const draft = {
  title: 'You have changes that are not saved. They stay in this tab.',
  discard: 'Discard changes',
} as const;

export const saved = {
  saved: (version: number) => `Saved as version ${version}.`,
  withWarnings: (version: number) => `Saved as version ${version}. Check these names:`,
  remedy: 'If it is a typing error, correct it and save again. If the game has yet to send it, there is nothing to do.',
} as const;

export const conflict = {
  title: 'Another person saved this in the meantime',
  help: (mine: number, theirs: number) =>
    `You started from version ${mine}; the saved one is ${theirs}. Nothing of yours is lost: choose for each field.`,
  field: 'Field',
  base: 'Before',
  mine: 'Yours',
  theirs: 'Theirs',
  choice: 'Take',
  merge: 'Merge into my draft',
  kinds: {
    mine: 'only you changed it',
    theirs: 'only they changed it',
    same: 'both changed it alike',
    conflict: 'both changed it: choose',
  },
} as const;

export const playerCount = {
  counting: 'Players are being counted …',
  unknown: 'How many players this concerns is shown to the role analyst and above.',
  failed: 'The players could not be counted.',
  some: (what: string, players: string, total: string, isExact: boolean) =>
    `${what}: ${isExact ? '' : 'about '}${players} of ${total} players.`,
  all: (what: string, total: string) => `${what}: all ${total} players.`,
  list: (what: string, players: string) => `${what}: the ${players} players of the list.`,
  segmentAfter: 'After this change the segment has',
  audience: 'It can reach',
  rule: (place: number, percentage: number) => `Rule ${place} gives it to ${percentage} % of`,
  byRequest: (what: string) => `${what}: the players whose request meets the condition on the context.`,
  off: 'No player gets it while the flag is off. Once it is on:',
  turnsOff: 'Every player gets the default.',
  pauses: 'No player gets messages of it any more.',
  override: 'This changes the value for 1 player.',
  noRules: 'No rule: all players get the default.',
} as const;

export const history = {
  title: 'History',
  version: (version: number) => `Version ${version}`,
  by: {
    user: (id: string) => `user ${id}`,
    key: (id: string) => `API key ${id}`,
    cli: (id: string) => `${id} (command line)`,
    service: (id: string) => `the service (${id})`,
  },
  reason: (reason: string) => `Why: ${reason}`,
  difference: 'What changed',
  same: 'No difference that can be seen.',
  unconfirmed: 'The service stopped during this change and does not know whether it was made.',
  behind: 'The newest version is there in a moment.',
  more: 'Older versions',
  restore: 'Restore',
  restoreTitle: (version: number) => `Restore version ${version}`,
  changes: 'This changes:',
  reassigns: 'Players who take part in the experiment get other variants: a new period begins.',
  why: 'Why (optional)',
  labelsSaved: 'Saved.',
  details: (name: string) => `Owner, tags and history of ${name}`,
} as const;

export const askWhy = {
  title: 'Why do you change this?',
  help: 'This game keeps a reason with every change of a live definition.',
  label: 'Reason',
  go: 'Go on',
} as const;

export const labels = {
  title: 'For colleagues',
  owner: 'Owner',
  ownerHelp: 'A person or a team',
  tags: 'Tags',
  tagsHelp: 'Type a tag, then Enter',
  note: 'Note',
  tag: 'Tag',
  allTags: 'all',
} as const;

export const managed = {
  title: (by: string) => `Managed by ${by}`,
  help: 'Change it there. What you change here is replaced by its next run.',
  elsewhere: 'The last change was made elsewhere.',
} as const;

export const time = {
  hint: '2026-12-01 18:00',
  bad: (zone: string) => `Write it as 2026-12-01 18:00, in the zone ${zone}.`,
} as const;
