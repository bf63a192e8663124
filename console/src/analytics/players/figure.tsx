import { UnstyledButton } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import type { BodyOf } from '../../frame/api.ts';
import { TEXTS } from '../../texts.ts';

/* Figures of a result whose players can be shown. */

export type Point = BodyOf<'POST /v1/analytics/queries/players'>['point'];

/** A figure, and what it is called. */
export interface Picked {
  point: Point;
  label: string;
}

const PickContext = createContext<((picked: Picked) => void) | undefined>(undefined);

export function PickProvider({ onPick, children }: { onPick: (picked: Picked) => void; children: ReactNode }) {
  return <PickContext value={onPick}>{children}</PickContext>;
}

/** What shows the players of a figure; undefined: this place shows none. */
export const usePick = () => useContext(PickContext);

interface FigureProps extends Picked {
  /** Without a figure, or at 0, there are no players to show. */
  value: number | null;
  children: ReactNode;
}

/** The text of a figure, which shows its players. */
export function Figure({ value, children, ...picked }: FigureProps) {
  const pick = usePick();
  if (pick === undefined || value === null || value === 0) return <>{children}</>;
  return (
    <UnstyledButton
      fz="inherit"
      fw="inherit"
      td="underline dotted"
      title={TEXTS.analytics.showPlayers}
      onClick={() => pick(picked)}
    >
      {children}
    </UnstyledButton>
  );
}
