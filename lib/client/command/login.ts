import { ok } from '../problem.ts';
import { command, text } from './command.ts';
import { readProfile, serviceUrlOf, updateProfile } from './profiles.ts';
import { startSession } from './session.ts';
import { readNumber } from './times.ts';

export const login = command({
  about: 'log in, and store an access token for later commands',
  help: `sensor-cloud login --url https://cloud.example.com
Asks for your username and password; a pipe has to provide one per line. The password is not stored. An access token with
your permissions is, in a file that only you can read (sensor-cloud/config.json in $XDG_CONFIG_HOME or ~/.config). The
next login with the same profile revokes it.
  --username NAME              your username
  --days 90                    days until the token expires`,
  options: { username: text, days: text },
  run: async (values, io) => {
    const days = readNumber('days', values.days, [1, 3_650], 90);
    const profile = await readProfile(io, values.profile);
    const url = serviceUrlOf(values, io, profile);
    const username = values.username ?? (await io.ask(`Username for ${url}: `)).trim();
    const password = await io.ask('Password: ', 'hidden');
    const connection = { baseUrl: url, ...(io.fetch && { fetch: io.fetch }), pause: io.pause };
    const { me, session } = await startSession(connection, io, { username, password });
    const path = { userId: String(me.id) };
    const expiresAt = io.now() + days * 86_400_000;
    const body = { name: `sensor-cloud on ${io.hostname}`.slice(0, 64), permissions: null, readOnly: false, expiresAt };
    const { id: tokenId, token } = await ok(session.POST('/users/{userId}/access-tokens', { params: { path }, body }));
    await updateProfile(io, values.profile, { url, token, tokenId, userId: me.id });
    if (profile.tokenId && profile.url === url && profile.userId === me.id)
      await session.DELETE('/users/{userId}/access-tokens/{tokenId}', {
        params: { path: { ...path, tokenId: profile.tokenId } },
      });
    await session.POST('/users/logout', {});
    if (values.json)
      io.out(JSON.stringify({ url, profile: values.profile, userId: me.id, customerId: me.customerId, expiresAt }));
    else io.out(`Logged in to ${url} as ${me.username} for ${days} days (profile ${values.profile}).`);
  },
});
