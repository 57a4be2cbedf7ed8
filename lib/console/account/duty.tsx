import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useMe } from '../session/session.tsx';
import { useDates } from '../texts/texts.tsx';
import { Section } from '../ui/section.tsx';
import { Loaded } from '../ui/states.tsx';
import { useChannelTexts } from './channel-texts.ts';
import { dutyQuery, self } from './queries.ts';

const HOUR = 3_600_000;
/** The durations (hours) for which a user can go on duty, up to a long shift. */
const presets = [1, 4, 8, 12] as const;

/** Shows when the user's duty ends, and lets the user go on or off duty. */
export const Duty = ({ customerId }: { customerId: number }) => {
  const texts = useChannelTexts();
  const dates = useDates();
  const { id } = useMe();
  const query = useQuery(dutyQuery(customerId));
  const refresh = [dutyQuery(customerId).queryKey];
  const start = useWrite({
    send: (hours: number) =>
      ok(api.PUT('/users/{userId}/duty', { params: self, body: { until: Date.now() + hours * HOUR } })),
    refresh,
  });
  const end = useWrite({ send: () => ok(api.DELETE('/users/{userId}/duty', { params: self })), refresh });
  const isPending = start.isPending || end.isPending;
  return (
    <Section title={texts.duty}>
      <Loaded query={query} rows={2}>
        {(onDuty) => {
          const own = onDuty.find(({ userId }) => userId === id);
          return (
            <Stack>
              <Text role="status">{own ? texts.onDuty(dates.dateTime(own.until)) : texts.offDuty}</Text>
              <Group>
                {presets.map((hours) => (
                  <Button key={hours} variant="default" disabled={isPending} onClick={() => start.mutate(hours)}>
                    {texts.hours(hours)}
                  </Button>
                ))}
                {own && (
                  <Button variant="default" disabled={isPending} onClick={() => end.mutate()}>
                    {texts.endDuty}
                  </Button>
                )}
              </Group>
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
};
