import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { useChannelTexts } from '../account/channel-texts.ts';
import { api } from '../api/client.ts';
import { useDates } from '../texts/texts.tsx';

/** The channels that cannot reach a user, with the reasons. Renders nothing if all channels work. */
export const UndeliverableChannels = ({ userId }: { userId: number }) => {
  const texts = useChannelTexts();
  const dates = useDates();
  const { data = [] } = useQuery({
    queryKey: ['channels of a user', userId],
    queryFn: () => ok(api.GET('/users/{userId}/channels', { params: { path: { userId: String(userId) } } })),
    staleTime: 60_000,
  });
  return data.flatMap(({ by, undeliverableDate, undeliverableReason }) =>
    undeliverableDate === null
      ? []
      : [
          <Text key={by} size="sm" c="red">
            {texts.undeliverableBy(texts.kinds[by], dates.dateTime(undeliverableDate), undeliverableReason ?? '')}
          </Text>,
        ],
  );
};
