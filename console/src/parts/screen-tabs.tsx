import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScreenTabsProps<T extends string> {
  label: string;
  tabs: readonly T[];
  titles: Readonly<Record<T, string>>;
  /** The open tab, which the screen keeps in its address. */
  open: T;
  onOpen: (tab: T) => void;
  children: (tab: T) => ReactNode;
}

/** The tabs of a screen. Only the open one is drawn. */
export function ScreenTabs<T extends string>({ label, tabs, titles, open, onOpen, children }: ScreenTabsProps<T>) {
  const change = (value: string | null): void => {
    const next = tabs.find((tab) => tab === value);
    if (next !== undefined) onOpen(next);
  };
  return (
    <Tabs value={open} onChange={change} keepMounted={false}>
      <Tabs.List aria-label={label} mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {titles[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab} value={tab}>
          {tab === open ? children(tab) : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
