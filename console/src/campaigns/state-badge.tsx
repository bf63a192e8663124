import { StateBadge as Badge, type StateLook } from '../parts/lists/state-badge.tsx';
import { TEXTS } from '../texts.ts';
import type { State } from './campaign-document.ts';

const LOOKS: Readonly<Record<State, StateLook>> = {
  running: { sign: '▶', color: 'green' },
  scheduled: { sign: '◷', color: 'teal' },
  paused: { sign: '‖', color: 'gray' },
  over: { sign: '■', color: 'gray' },
};

export function StateBadge({ state }: { state: State }) {
  return <Badge look={LOOKS[state]} label={TEXTS.campaigns.states[state] ?? state} />;
}
