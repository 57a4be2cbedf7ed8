import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { ByCode } from './by-code.tsx';
import { useChannelTexts } from './channel-texts.ts';
import { Duty } from './duty.tsx';
import { Push } from './push.tsx';
import { channelsQuery, kindsQuery } from './queries.ts';

/** The page where a user says by what it is reached, and until when it is on duty. */
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
        {({ kinds: all, pushKey }) => (
          <Loaded query={channels}>
            {(own) => (
              <div className="cards">
                {all.map((by) => {
                  const channel = own.find((ownChannel) => ownChannel.by === by);
                  return by === 'push' ? (
                    <Push key={by} channel={channel} pushKey={pushKey} />
                  ) : (
                    <ByCode key={by} by={by} channel={channel} />
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
