import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import type { Concern } from './attention.ts';
import { Figures, Panel } from './panel.tsx';
import { RunbookButton } from './runbook.tsx';

const texts = TEXTS.operations;

interface FindingsPanelProps {
  concerns: readonly Concern[];
  onRunbook: (entry: string) => void;
}

/** What needs attention, the most urgent first. */
export function FindingsPanel({ concerns, onRunbook }: FindingsPanelProps) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}`;
  return (
    <Panel title={texts.findings} ok={concerns.length === 0}>
      {concerns.length === 0 ? (
        <Text>{texts.well}</Text>
      ) : (
        <>
          <Text size="sm">{TEXTS.overview.attentionTitle(concerns.length)}</Text>
          <Figures
            label={texts.findings}
            heads={[texts.finding, texts.about, texts.runbook]}
            rows={concerns.map(({ key, text, subject, path, runbook }) => ({
              key,
              cells: [
                text,
                path === undefined ? (
                  <span key="about" className="mono">
                    {subject === '' ? texts.deployment : subject}
                  </span>
                ) : (
                  <Anchor key="about" component={Link} href={`${base}/${path}`} className="break-anywhere">
                    {subject}
                  </Anchor>
                ),
                runbook === undefined ? null : <RunbookButton key="runbook" entry={runbook} onOpen={onRunbook} />,
              ],
            }))}
          />
        </>
      )}
    </Panel>
  );
}
