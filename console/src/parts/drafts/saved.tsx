import { Alert, Code, List, Text } from '@mantine/core';
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { TEXTS } from '../../texts.ts';

/* What the service said when it saved something. Reads of the same document do not repeat its warnings. */

const texts = TEXTS.saved;

export interface Warning {
  path: string;
  message: string;
}

/** A document as the answer to a write shows it. */
export interface Written {
  version: number;
  warnings?: readonly Warning[];
}

const keyOf = (place: readonly string[]): string[] => ['saved', ...place];

/** Notes the answer to a write, for the screen of what was written. @param place kind, game, environment and id */
export function noteSaved(queries: QueryClient, place: readonly string[], { version, warnings = [] }: Written): void {
  queries.setQueryData(keyOf(place), { version, warnings });
}

interface SavedNoticeProps {
  place: readonly string[];
  /** The version that the screen shows: what was said of another one is no longer true. */
  version: number | undefined;
}

/** That something was saved, and what the service found odd in it. */
export function SavedNotice({ place, version }: SavedNoticeProps) {
  const queries = useQueryClient();
  const queryKey = keyOf(place);
  const { data } = useQuery<Required<Written>>({ queryKey, queryFn: skipToken, staleTime: Infinity });
  if (data === undefined || data.version !== version) return null;
  const isOdd = data.warnings.length > 0;
  return (
    <Alert
      color={isOdd ? 'yellow' : 'green'}
      variant="outline"
      role="status"
      title={isOdd ? texts.withWarnings(data.version) : texts.saved(data.version)}
      withCloseButton
      closeButtonLabel={TEXTS.close}
      onClose={() => queries.removeQueries({ queryKey })}
    >
      {isOdd ? <Warnings warnings={data.warnings} /> : null}
    </Alert>
  );
}

/** Names that no event or player has, with the nearest known ones, and what to do about it. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  return (
    <>
      <List size="sm">
        {warnings.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            <Code>{path}</Code> {message}
          </List.Item>
        ))}
      </List>
      <Text size="sm">{texts.remedy}</Text>
    </>
  );
}
