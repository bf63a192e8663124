import { Badge } from '@mantine/core';
import { TEXTS } from '../texts.ts';
import type { State } from './campaign-document.ts';

const COLORS: Readonly<Record<State, string>> = { running: 'green', scheduled: 'teal', paused: 'gray', over: 'gray' };
const SIGNS: Readonly<Record<State, string>> = { running: '▶', scheduled: '◷', paused: '‖', over: '■' };

/** Never by colour alone. */
export function StateBadge({ state }: { state: State }) {
  return (
    <Badge variant="outline" color={COLORS[state]} tt="none">
      <span aria-hidden="true">{SIGNS[state]}</span> {TEXTS.campaigns.states[state]}
    </Badge>
  );
}
