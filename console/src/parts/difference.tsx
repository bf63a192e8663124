import { List, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useSegments } from '../definitions.ts';
import { useZone } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { namesSegments, readable } from './readable.ts';

const texts = TEXTS.history;

/** What differs between two versions of a definition, in the service's words. */
export function Difference({ lines }: { lines: readonly string[] }) {
  const shown = useReadable(lines.join('\n'));
  if (lines.length === 0) return <Text size="sm">{texts.same}</Text>;
  return (
    <List size="sm" spacing={2} withPadding aria-label={texts.difference}>
      {lines.map((line, place) => (
        <List.Item key={`${place} ${line}`} className="break-anywhere">
          {shown(line)}
        </List.Item>
      ))}
    </List>
  );
}

/** Shows the service's words with keys of segments and times of the game. @param text all that is to be shown */
export function useReadable(text: string): (line: string) => string {
  const zone = useZone();
  const { data: segments } = useSegments(namesSegments(text));
  return useMemo(() => {
    const keys = new Map((segments ?? []).map(({ segment_id: id, key }) => [id, key]));
    return (line) => readable(line, keys, zone);
  }, [segments, zone]);
}
