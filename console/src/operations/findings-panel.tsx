import { Text } from '@mantine/core';
import type { OpsStatus } from './ops-status.ts';
import { TEXTS } from '../texts.ts';
import { Figures, Panel } from './panel.tsx';
import { RunbookButton } from './runbook.tsx';

const texts = TEXTS.operations;

/** What needs attention, the most urgent first. */
export function FindingsPanel({
  findings,
  onRunbook,
}: {
  findings: OpsStatus['findings'];
  onRunbook: (entry: string) => void;
}) {
  return (
    <Panel title={texts.findings} ok={findings.length === 0}>
      {findings.length === 0 ? (
        <Text>{texts.well}</Text>
      ) : (
        <Figures
          label={texts.findings}
          heads={[texts.finding, texts.about, texts.runbook]}
          rows={findings.map(({ runbook, subject, message }) => ({
            key: `${runbook} ${subject}`,
            cells: [
              message,
              <span key="about" className="mono">
                {subject === '' ? texts.deployment : subject}
              </span>,
              <RunbookButton key="runbook" entry={runbook} onOpen={onRunbook} />,
            ],
          }))}
        />
      )}
    </Panel>
  );
}
