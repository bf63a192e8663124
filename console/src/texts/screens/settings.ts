/* The settings of a game. */

export const settings = {
  title: 'Game settings',
  intro: 'Both environments share them. Every change is in the audit.',
  figures: 'Figures',
  zone: 'Time zone',
  zoneHelp: 'Days, weeks and midnight of all figures follow it. The console shows all times in it.',
  nowThere: (time: string) => `It is ${time} there now.`,
  currency: 'Currency',
  currencyHelp: 'The ISO 4217 code of the currency of all amounts. Empty: none is named.',
  onlyLive: 'Change them in live: test uses the same settings.',
  changes: (game: string) => `This changes the figures of ${game}, of live and of test.`,
  askTitle: 'Change these settings?',
  zoneChange: (from: string, to: string) => `Time zone: ${from} → ${to}`,
  zoneFollows:
    'All days of the game are built again in the background, of live and of test: seconds for a small game, minutes for ' +
    'a large one. Until then figures by day are incomplete or by the old days, and the console says so. Dates in saved ' +
    'queries and in annotations then mean days of the new zone. Views in SQL follow by themselves.',
  currencyChange: (from: string, to: string) => `Currency: ${from} → ${to}`,
  currencyFollows: 'The code stands beside amounts. Amounts that are recorded stay as they are; nothing is converted.',
  none: 'none',
  building: 'The days of this game are being built again in this time zone.',
  built: 'The days of this game are built up to',
} as const;

export const rates = {
  title: 'Exchange rates',
  intro: (currency: string) =>
    `Purchases in other currencies are converted to ${currency} by the rate of their day in the game’s time zone.`,
  noCurrency: 'Name the currency of the game first: rates convert to it.',
  none: 'The game has no exchange rates, so no purchase is converted.',
  set: (version: number) => `Version ${version}, set`,
  label: 'Rates by currency',
  columns: { currency: 'Currency', count: 'Rates', first: 'First day', last: 'Last day', rate: 'Last rate' },
  tooOld: (days: number) => `older than ${days} days: purchases are refused`,
  upload: 'Replace all by a CSV file',
  uploadHelp: 'With the columns day, currency and rate. It replaces the whole table.',
  add: 'Add a rate',
  addHelp: 'It replaces the rate of that day, if there is one.',
  day: 'Day',
  currency: 'Currency',
  rate: (currency: string) => `Rate in ${currency}`,
  badRate: 'A number greater than 0.',
  download: 'CSV',
  ask: 'Replace the exchange rates?',
  askAdd: (currency: string, day: string) => `Set the rate of ${currency} for ${day}?`,
  replace: 'Replace them',
  counts: (added: string, changed: string, removed: string) =>
    `${added} rates are added, ${changed} changed and ${removed} removed.`,
  changes: (game: string) => `This changes how purchases of ${game} are converted from now on, in live and in test.`,
  keeps: 'Purchases that are recorded keep their amounts.',
  remove: 'Delete the rates',
  removeTitle: 'Delete the exchange rates?',
  removeHelp: 'From then on no purchase is converted: every amount is taken for one in the game’s currency.',
} as const;
