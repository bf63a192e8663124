import './campaigns.css';
import { Card, Text } from '@mantine/core';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.campaign;

/** The texts of a message. They are texts: nothing in them becomes markup or a link. */
export function MessagePreview({ title, body, cta }: { title: string; body: string; cta: string }) {
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={600}>
        {texts.preview}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {texts.previewHelp}
      </Text>
      <Card withBorder shadow="sm" maw={360} style={{ overflowWrap: 'anywhere' }}>
        <Text fw={700}>{title}</Text>
        <Text style={{ whiteSpace: 'pre-wrap' }}>{body}</Text>
        {cta === '' ? null : (
          <Text mt="xs" fw={600} ta="center" className="message-cta">
            {cta}
          </Text>
        )}
      </Card>
    </section>
  );
}
