import './campaigns.css';
import { ActionIcon, Anchor, Group, List, SimpleGrid, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useZone } from '../frame/session.tsx';
import { dayText } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import { type Campaign, spanOf, stateOf } from './campaign-document.ts';
import { daysOfMonth, inMonth, shiftMonth } from './month.ts';
import { StateBadge } from './state-badge.tsx';
import { scheduleText } from './trigger-text.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';

const texts = TEXTS.campaigns;
const PER_DAY = 3;
const DAYS_OF_WEEK = 7;

interface CalendarProps {
  campaigns: readonly Campaign[];
  /** YYYY-MM. */
  month: string;
  onMonth: (month: string) => void;
  hrefOf: (campaign: Campaign) => string;
  nowMs: number;
}

/** When campaigns run: a month in the game's zone, and beside it the same as a list. Those without bounds are in the list only. */
export function Calendar({ campaigns, month, onMonth, hrefOf, nowMs }: CalendarProps) {
  const zone = useZone();
  const days = daysOfMonth(zone, month);
  const weeks = Array.from({ length: days.length / DAYS_OF_WEEK }, (_, week) =>
    days.slice(week * DAYS_OF_WEEK, (week + 1) * DAYS_OF_WEEK),
  );
  const ofMonth = days.filter(({ isInMonth }) => isInMonth);
  const whole = { startMs: ofMonth[0]?.startMs ?? 0, endMs: ofMonth.at(-1)?.endMs ?? 0 };
  const meeting = campaigns.filter((campaign) => inMonth(spanOf(campaign), whole));
  const bounded = meeting.filter((campaign) => Object.keys(spanOf(campaign)).length > 0);
  const today = dayText(zone, nowMs);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <div>
        <Group mb="xs">
          <ActionIcon variant="default" aria-label={texts.previous} onClick={() => onMonth(shiftMonth(month, -1))}>
            ‹
          </ActionIcon>
          <Text fw={600} aria-live="polite">
            {month}{' '}
            <Text span size="sm" c="dimmed">
              ({zone})
            </Text>
          </Text>
          <ActionIcon variant="default" aria-label={texts.next} onClick={() => onMonth(shiftMonth(month, 1))}>
            ›
          </ActionIcon>
        </Group>
        <ScrollRegion label={`${texts.calendar} ${month}`}>
          <table className="month" aria-label={`${texts.calendar} ${month}`}>
            <thead>
              <tr>
                {texts.weekdays.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.map((week) => (
                <tr key={week[0]?.key}>
                  {week.map((day) => {
                    const there = bounded.filter((campaign) => inMonth(spanOf(campaign), day));
                    return (
                      <td
                        key={day.key}
                        className={day.isInMonth ? undefined : 'month-outside'}
                        {...(day.key === today ? { 'aria-current': 'date' as const } : {})}
                      >
                        <span className="month-day">{day.dayOfMonth}</span>
                        {there.slice(0, PER_DAY).map((campaign) => (
                          <Link key={campaign.campaign_id} className="month-entry" href={hrefOf(campaign)}>
                            {campaign.name}
                          </Link>
                        ))}
                        {there.length > PER_DAY ? (
                          <span className="month-more">{texts.more(there.length - PER_DAY)}</span>
                        ) : null}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </div>
      <div>
        <Text fw={600} mb="xs">
          {texts.inMonth}
        </Text>
        {meeting.length === 0 ? (
          <Text c="dimmed">{texts.noneInMonth}</Text>
        ) : (
          <List listStyleType="none" spacing="xs">
            {meeting.map((campaign) => (
              <List.Item key={campaign.campaign_id}>
                <Group gap="xs">
                  <StateBadge state={stateOf(campaign, nowMs)} />
                  <Anchor component={Link} href={hrefOf(campaign)}>
                    {campaign.name}
                  </Anchor>
                  <Text size="sm">{scheduleText(zone, campaign)}</Text>
                </Group>
              </List.Item>
            ))}
          </List>
        )}
      </div>
    </SimpleGrid>
  );
}
