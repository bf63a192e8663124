import { READER_SETTINGS, type SettingPolicy } from './allowed-settings.ts';

const WORDS: Readonly<Record<SettingPolicy['kind'], string>> = {
  bounded: 'at most',
  number: 'any whole number',
  zone: 'the name of a time zone, as `Europe/Berlin`',
  accepted: 'accepted as it is',
  ignored: 'ignored: changes no answer to a reader',
};

/** The rows of the table in docs/sql.md: what is accepted, and the settings. */
export function documentedSettings(): [rule: string, settings: string][] {
  const rows = new Map<string, string[]>();
  for (const [name, policy] of Object.entries(READER_SETTINGS)) {
    const rule =
      policy.kind === 'bounded' ? `${WORDS.bounded} ${policy.most.toLocaleString('en')}` : WORDS[policy.kind];
    rows.set(rule, [...(rows.get(rule) ?? []), `\`${name}\``]);
  }
  return [...rows].map(([rule, names]) => [rule, names.join(', ')]);
}
