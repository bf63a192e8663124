import { StateBadge as Badge, type StateLook } from '../parts/lists/state-badge.tsx';
import { TEXTS } from '../texts.ts';
import type { State } from './experiment-document.ts';

const LOOKS: Readonly<Record<State, StateLook>> = {
  draft: { sign: '✎', color: 'gray' },
  running: { sign: '▶', color: 'green' },
  paused: { sign: '‖', color: 'yellow' },
  stopped: { sign: '■', color: 'gray' },
  shipped: { sign: '✓', color: 'teal' },
  discarded: { sign: '×', color: 'gray' },
};

export function StateBadge({ state }: { state: State }) {
  return <Badge look={LOOKS[state]} label={TEXTS.experiments.states[state]} />;
}
