import { Button, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Side } from '../parts/lists/side.tsx';
import { Loaded } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';
import { codeParts, runbookEntry } from './runbook-text.ts';

const texts = TEXTS.operations;

/** Opens an entry of the runbook. */
export function RunbookButton({ entry, onOpen }: { entry: string; onOpen: (entry: string) => void }) {
  return (
    <Button size="compact-xs" variant="default" onClick={() => onOpen(entry)}>
      {texts.openRunbook(entry)}
    </Button>
  );
}

/** One entry of the runbook beside the screen. The page is loaded when the first one is opened. */
export function RunbookDrawer({ entry, onClose }: { entry: string | undefined; onClose: () => void }) {
  const page = useQuery({
    queryKey: ['runbook'],
    queryFn: async () => (await import('../../../docs/operations.md?raw')).default,
    enabled: entry !== undefined,
    staleTime: Infinity,
  });
  return (
    <Side
      opened={entry !== undefined}
      onClose={onClose}
      title={entry === undefined ? '' : texts.openRunbook(entry)}
      size="lg"
    >
      {entry === undefined ? null : (
        <Loaded query={page} rows={4}>
          {(text) => <Entry page={text} entry={entry} />}
        </Loaded>
      )}
    </Side>
  );
}

function Entry({ page, entry }: { page: string; entry: string }) {
  const items = runbookEntry(page, entry);
  if (items.length === 0) return <Text>{texts.runbookUnknown}</Text>;
  return (
    <Stack gap="sm">
      {items.map(({ title, text }) => (
        <div key={title}>
          <Text fw={600} size="sm">
            {title}
          </Text>
          <Text>
            {codeParts(text).map((part, place) =>
              // Parts have no identity but their place.
              place % 2 === 1 ? <Code key={place}>{part}</Code> : <span key={place}>{part}</span>,
            )}
          </Text>
        </div>
      ))}
      <Text size="sm" c="dimmed" className="mono">
        {texts.runbookFile(entry)}
      </Text>
    </Stack>
  );
}
