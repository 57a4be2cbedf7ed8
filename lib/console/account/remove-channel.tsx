import { ok } from '#lib/client/problem.ts';
import type { Channel } from '#openapi';
import { api } from '../api/client.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useChannelTexts } from './channel-texts.ts';
import { channelsQuery, self } from './queries.ts';

/** A button that deletes one of the user's channels after confirmation. */
export const RemoveChannel = ({ channel: { by, address } }: { channel: Channel }) => {
  const texts = useChannelTexts();
  const params = { path: { ...self.path, by } };
  return (
    <DeleteButton
      name={address ?? ''}
      text={texts.removeText}
      send={() => ok(api.DELETE('/users/{userId}/channels/{by}', { params }))}
      refresh={[channelsQuery.queryKey]}
    />
  );
};
