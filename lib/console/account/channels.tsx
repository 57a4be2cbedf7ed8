import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { useChannelTexts } from './channel-texts.ts';
import { CodeChannel } from './code-channel.tsx';
import { Duty } from './duty.tsx';
import { Push } from './push.tsx';
import { channelsQuery, kindsQuery } from './queries.ts';

/** The page for the user's channels. It also shows whether the user is on duty. */
export const ChannelsPage = () => {
  const { channels: title } = useTexts();
  const texts = useChannelTexts();
  const { customerId } = useMe();
  const kinds = useQuery(kindsQuery);
  const channels = useQuery(channelsQuery);
  useTitle(title);
  return (
    <Stack gap="xl">
      <Title order={1}>{title}</Title>
      {customerId !== null && <Duty customerId={customerId} />}
      <Text>{texts.explain}</Text>
      <Loaded query={kinds}>
        {({ kinds: available, outbox, pushKey }) => (
          <Loaded query={channels}>
            {(own) => (
              <div className="cards">
                {available.map((by) => {
                  const channel = own.find((ownChannel) => ownChannel.by === by);
                  const isOutbox = outbox.includes(by);
                  return by === 'push' ? (
                    <Push key={by} channel={channel} pushKey={pushKey} isOutbox={isOutbox} />
                  ) : (
                    <CodeChannel key={by} by={by} channel={channel} isOutbox={isOutbox} />
                  );
                })}
              </div>
            )}
          </Loaded>
        )}
      </Loaded>
    </Stack>
  );
};
