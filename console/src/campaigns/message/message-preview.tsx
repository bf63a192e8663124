import '../campaigns.css';
import { Card, Code, Group, Text } from '@mantine/core';
import { prettyJson } from '../../parts/editors/json-text.ts';
import { TEXTS } from '../../texts.ts';
import type { Shown } from './message-document.ts';

const texts = TEXTS.campaign;

/** The texts of a message. They are texts: nothing in them becomes markup, a picture or a link. */
export function MessagePreview({ shown }: { shown: Shown }) {
  const { title, body, cta, image, deepLink, buttons, data } = shown;
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={600}>
        {texts.preview}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {texts.previewHelp}
      </Text>
      <Card withBorder shadow="sm" maw={360} style={{ overflowWrap: 'anywhere' }}>
        {image === '' ? null : (
          <Text size="xs" c="dimmed" ta="center" mb="xs" className="message-image">
            {image}
          </Text>
        )}
        <Text fw={700}>{title}</Text>
        <Text style={{ whiteSpace: 'pre-wrap' }}>{body}</Text>
        {cta === '' ? null : (
          <Text mt="xs" fw={600} ta="center" className="message-cta">
            {cta}
          </Text>
        )}
        <Group mt={buttons.length === 0 ? 0 : 'xs'} gap="xs" grow>
          {buttons.map(({ label, action }, place) => (
            // Two new buttons have no id yet.
            // oxlint-disable-next-line react/no-array-index-key
            <Text key={place} fw={600} ta="center" className="message-cta" title={action}>
              {label}
            </Text>
          ))}
        </Group>
      </Card>
      {deepLink === '' ? null : (
        <Text size="xs" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {texts.leadsTo(deepLink)}
        </Text>
      )}
      {data === undefined ? null : (
        <Code block mt={4} maw={360}>
          {prettyJson(data)}
        </Code>
      )}
    </section>
  );
}
