/* The overview. */

export const overview = {
  title: 'Overview',
  intro: 'How the game is doing, and whether the service keeps up.',
  health: 'Service',
  ready: 'ready',
  notReady: 'not ready',
  ok: 'ok',
  attention: 'needs attention',
  check: 'Check',
  state: 'State',
  found: 'What it found',
  definitions: 'Definitions',
  activeEvents: 'Events just now',
  perMinute: 'in the last minute',
  noEvents: 'No event in the last minute.',
  lastEvent: 'Last event',
  firstEvent: 'No event yet. Send the first one.',
  toStart: 'Open the first run',
} as const;
