/* Event schemas, the quarantine, the dictionary, and where an event went. */

export const schemas = {
  title: 'Event schemas',
  intro: 'What the properties of events must look like, and what breaks it.',
  create: 'New schema',
  toQuarantine: 'Quarantine',
  toDictionary: 'Event dictionary',
  none: 'No event has a schema yet.',
  noneHelp: 'A schema says which properties events of a name have. Begin with the mode observe: it only counts.',
  columns: { name: 'Event', mode: 'Mode', version: 'Version', faults: 'Faulty (7 days)', updated: 'Changed' },
  modes: {
    observe: 'observe: count faults',
    warn: 'warn: tell the sender too',
    enforce: 'enforce: quarantine faulty events',
  },
  topFaults: 'Top faults of the last 7 days',
  noFaults: 'No fault in the last 7 days.',
  faultColumns: {
    name: 'Event',
    fault: 'Fault',
    where: 'Events are',
    events: 'Events',
    players: 'Players',
    last: 'Last',
  },
  inQuarantine: 'in quarantine',
  accepted: 'accepted',
} as const;

export const schema = {
  newTitle: 'New event schema',
  missing: (name: string) => `Events named “${name}” have no schema.`,
  missingHelp: 'Create one, or see what these events contain in the dictionary.',
  name: 'Event name',
  description: 'Description',
  mode: 'Mode',
  json: 'JSON Schema of the properties',
  jsonHelp: 'Draft 2020-12. Patterns use RE2 syntax. At most 32 KiB and 1,000 keywords.',
  notObject: 'The schema must be a JSON object.',
  nameless: 'The name of the events is missing.',
  dryRun: 'Try on recent events',
  dryRunHelp: 'Checks the newest events with this name, quarantined ones included. Nothing changes.',
  dryRunNeeds: 'Trying a schema needs the role analyst.',
  dryRunResult: (checked: string, invalid: string) => `${invalid} of the ${checked} newest events would be refused.`,
  dryRunNone: 'There is no event with this name yet.',
  dryRunStopped: 'The time ended before all events were checked.',
  dryRunReleasable: (count: string) => `${count} quarantined events would be valid: replay them after you save.`,
  dryRunSince: 'The oldest one was received',
  dryRunColumns: { path: 'Place', message: 'Rule', events: 'Events' },
  examples: 'Newest refused events',
  saveTitle: (name: string) => `Change the schema of ${name}?`,
  createTitle: (name: string) => `Create a schema for ${name}?`,
  enforceWarning: 'In the mode enforce, faulty events wait in quarantine and count nowhere until you replay them.',
  remove: 'Delete',
  removeTitle: (name: string) => `Delete the schema of ${name}?`,
  removeHelp: 'Events with this name are no longer checked. Quarantined events stay and can be replayed.',
} as const;

export const quarantine = {
  title: 'Quarantine',
  intro: 'Events that break an enforced schema. They are kept, count nowhere, and can be replayed.',
  name: 'Event name',
  none: 'Nothing is in quarantine.',
  noneHelp: 'Events get here when they break a schema with the mode enforce.',
  list: 'Quarantined events, newest first',
  columns: { received: 'Received', name: 'Event', player: 'Player', faults: 'Faults', state: 'State' },
  waiting: 'waits',
  released: 'replayed',
  detail: 'Quarantined event',
  replay: 'Replay',
  replayAll: 'all events in quarantine',
  replayTitle: (what: string) => `Replay ${what}?`,
  replayHelp:
    'Checks them against the current schemas and tracks the valid ones, each once, with their own ids and timestamps.',
  running: (replayed: string, failed: string) => `${replayed} replayed, ${failed} still faulty …`,
  done: (replayed: string, failed: string) => `Done: ${replayed} replayed, ${failed} stay in quarantine.`,
  stopped: (replayed: string, failed: string) =>
    `Stopped: ${replayed} replayed, ${failed} still faulty. The others were not tried.`,
  stop: 'Stop',
  failures: 'Events that stay',
} as const;

export const computed = {
  title: 'Computed properties',
  intro: 'What the service computes from events for conditions. The API defines them.',
  none: 'There is no computed property.',
  columns: { key: 'Property', event: 'Event', value: 'Value', owner: 'Owner', tags: 'Tags' },
  of: (aggregate: string, value: string) => `${aggregate} of ${value}`,
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
} as const;

export const dictionary = {
  title: 'Event dictionary',
  intro: 'Which events this game sends, who sends them, and what they contain.',
  filter: 'Filter by name',
  none: 'No event yet.',
  noneHelp: 'Names appear about a second after the first event.',
  noMatch: 'No name matches.',
  more: 'More names occur than are listed.',
  columns: {
    name: 'Event',
    events: 'Events',
    senders: 'Sent by',
    schema: 'Schema',
    faults: 'Faulty',
    first: 'First seen',
    last: 'Last seen',
  },
  senders: { client: 'games', server: 'servers', service: 'the service', import: 'imports' },
  noSchema: 'none',
  properties: (name: string) => `Properties of ${name}`,
  propertiesHelp: 'From the newest 1,000 events.',
  noProperties: 'These events have no properties.',
  propertyColumns: { name: 'Property', share: 'In', types: 'Types', examples: 'Examples' },
  draft: 'Begin a schema',
  watch: 'Watch live',
} as const;

export const trace = {
  title: 'Where it went',
  refresh: 'Look again',
  none: (searchedAll: boolean) =>
    searchedAll
      ? 'No such event is stored. Rejected events are not stored, and events of erased players are deleted.'
      : 'ClickHouse does not hold it, and the log has more records than were searched. Look again in a minute.',
  accepted: 'Accepted',
  quarantined: 'Quarantined',
  appended: 'Appended',
  row: 'Row',
  stream: 'Stream',
  deliveries: 'Deliveries',
  sources: { caller: 'sent by a caller', service: 'made by the service', import: 'imported' },
  trimmed: (sequence: string) => `record ${sequence} of the log, which has trimmed it`,
  record: (sequence: string, index: number, partition: string) =>
    `record ${sequence} of the log, fact ${index}, partition ${partition}`,
  noRow: 'ClickHouse does not hold it yet.',
  inTable: (table: string) => `in ${table}`,
  rows: (rows: number | null) => (rows === null ? '' : `one of ${rows} ${rows === 1 ? 'row' : 'rows'} of its insert`),
  notStreamed: 'not sent to event streams',
  notMatched: 'not matched with webhooks yet',
  noAttempts: 'no webhook subscribes to it, or no attempt is recorded',
  attempt: (attempt: number) => `attempt ${attempt}`,
} as const;
