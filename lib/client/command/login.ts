import { createClient } from '../client.ts';
import { bodyOf, ok, problemOf } from '../problem.ts';
import { command, type Io, text } from './command.ts';
import { addressOf, keepInProfile, readProfile } from './profiles.ts';
import { readNumber } from './times.ts';

type Reached = Parameters<typeof createClient>[0];

/** Begins a session, and asks for the second factor where the user has one. */
const enter = async (reached: Omit<Reached, 'token'>, io: Io, user: { username: string; password: string }) => {
  const open = createClient({ ...reached } as Reached);
  const attempt = (more: { otp?: string }) => open.POST('/users/login', { body: { ...user, ...more } });
  let answer = await attempt({});
  if (answer.response.status === 401 && Object(answer.error).otpRequired === true)
    answer = await attempt({ otp: (await io.ask('Code of your second factor: ')).trim() });
  const me = bodyOf(answer);
  const token = answer.response.headers.get('Token');
  if (token === null) throw problemOf(answer.response, { message: 'the answer to the login has no header Token' });
  return { me, session: createClient({ ...reached, token } as Reached) };
};

export const login = command({
  about: 'asks for your password, and keeps an access token for later commands',
  help: `sensor-cloud login --url https://cloud.example.com
Asks for name and password; from a pipe, each answer is a line. The password is not kept: an access token with your
rights is, in a file that you alone can read ($XDG_CONFIG_HOME or ~/.config, sensor-cloud/config.json). The next login
with this profile ends it.
  --username NAME              who you are
  --days 90                    how long the token is good`,
  options: { username: text, days: text },
  run: async (given, io) => {
    const days = readNumber('days', given.days, [1, 3_650], 90);
    const profile = await readProfile(io, given.profile);
    const url = addressOf(given, io, profile);
    const username = given.username ?? (await io.ask(`Name for ${url}: `)).trim();
    const password = await io.ask('Password: ', 'hidden');
    const reached = { baseUrl: url, ...(io.fetch && { fetch: io.fetch }), pause: io.pause };
    const { me, session } = await enter(reached, io, { username, password });
    const path = { userId: me.id };
    const expiresAt = io.now() + days * 86_400_000;
    const body = { name: `sensor-cloud on ${io.hostname}`.slice(0, 64), permissions: null, readOnly: false, expiresAt };
    const { id: tokenId, token } = await ok(session.POST('/users/{userId}/access-tokens', { params: { path }, body }));
    await keepInProfile(io, given.profile, { url, token, tokenId, userId: me.id });
    if (profile.tokenId && profile.url === url && profile.userId === me.id)
      await session.DELETE('/users/{userId}/access-tokens/{tokenId}', {
        params: { path: { ...path, tokenId: profile.tokenId } },
      });
    await session.POST('/users/logout', {});
    if (given.json)
      io.out(JSON.stringify({ url, profile: given.profile, userId: me.id, customerId: me.customerId, expiresAt }));
    else io.out(`You are ${me.username} at ${url} (profile ${given.profile}) for ${days} days.`);
  },
});
