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
