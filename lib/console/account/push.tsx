import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Channel } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { canPush, subscribe } from '../push/subscribe.ts';
import { Section } from '../ui/section.tsx';
import { useChannelTexts } from './channel-texts.ts';
import { channelsQuery, self } from './queries.ts';
import { RemoveChannel } from './remove-channel.tsx';

type PushProps = { channel: Channel | undefined; pushKey: string; isOutbox: boolean };

/** Turns on push notifications for this browser. Only the device that most recently turned them on receives them. */
export const Push = ({ channel, pushKey, isOutbox }: PushProps) => {
  const texts = useChannelTexts();
  const [isRefused, setIsRefused] = useState(false);
  const turnOn = useWrite({
    send: async () => {
      // An unsupported browser or an unreachable push service also counts as a refusal.
      const subscription = await subscribe(pushKey).catch(() => null);
      setIsRefused(subscription === null);
      const params = { path: { ...self.path, by: 'push' as const } };
      return subscription && ok(api.PUT('/users/{userId}/channels/{by}', { params, body: { subscription } }));
    },
    refresh: [channelsQuery.queryKey],
  });
  return (
    <Section title={texts.kinds.push}>
      <Stack>
        {isOutbox && <Alert color="yellow">{texts.outbox}</Alert>}
        <Text>{channel ? texts.pushedTo(channel.address ?? '') : texts.pushExplain}</Text>
        {isRefused && <Alert color="yellow">{texts.pushRefused}</Alert>}
        {canPush() ? (
          <Group>
            <Button onClick={() => turnOn.mutate()} loading={turnOn.isPending}>
              {texts.turnOn}
            </Button>
            {channel && <RemoveChannel channel={channel} />}
          </Group>
        ) : (
          <Text>{texts.cannotPush}</Text>
        )}
      </Stack>
    </Section>
  );
};
