import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TEXTS } from '../../texts.ts';

/** Names and values of one thing. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="fact-grid">
      {items.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <dd>{value === null || value === undefined || value === '' ? TEXTS.none : value}</dd>
        </div>
      ))}
    </dl>
  );
}
