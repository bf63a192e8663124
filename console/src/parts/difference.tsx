import { List, Text } from '@mantine/core';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.history;

/** What differs between two versions of a definition, in the service's words. */
export function Difference({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <Text size="sm">{texts.same}</Text>;
  return (
    <List size="sm" withPadding aria-label={texts.difference}>
      {lines.map((line, place) => (
        <List.Item key={`${place} ${line}`}>{line}</List.Item>
      ))}
    </List>
  );
}
