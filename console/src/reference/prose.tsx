import { Code, Text } from '@mantine/core';

/** A description with its `code` set apart. */
export function Prose({ text, size = 'sm', dimmed = false }: { text: string; size?: 'sm' | 'md'; dimmed?: boolean }) {
  return (
    <Text size={size} {...(dimmed ? { c: 'dimmed' } : {})} className="break-anywhere">
      {text.split('`').map((part, place) =>
        // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their place
        place % 2 === 1 ? <Code key={place}>{part}</Code> : part,
      )}
    </Text>
  );
}
