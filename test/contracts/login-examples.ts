import { type Client, logIn } from '../fixtures/client.ts';
import { beginOidc, followLogin, withCookie } from '../fixtures/issuer.ts';
import { appCode } from '../fixtures/otp.ts';
import type { Example } from './examples.ts';
import type { World } from './world.ts';

const names = { firstName: 'A', lastName: 'B', email: '' };
const password = 'a-password-of-no-interest';
let last = 0;

/** Creates a separate user at our customer, because the request changes the user's login. */
const newUser = async ({ ours, anybody }: World) => {
  const username = `factor ${++last}`;
  const { id } = await ours.client.ok<{ id: number }>('POST', '/users', { username, password, ...names });
  return { client: await logIn(anybody, username, password), params: { userId: String(id) } };
};

/** Begins to set up a second factor, and returns the code. */
const begin = async ({ cloud }: World, client: Client) => {
  const { secret } = await client.ok<{ secret: string }>('POST', '/users/me/otp');
  return appCode(secret, cloud.runtime.now());
};

/** Examples for login operations. */
export const loginExamples: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  getOidc: () => ({}),
  beginOidc: () => ({}),
  finishOidc: async ({ anybody, issuer }) => {
    const { url, cookie } = await beginOidc(anybody);
    issuer.people.set('example', { groups: ['nobody', 'ours'] });
    return { client: withCookie(anybody, cookie), body: { query: (await followLogin(url, 'example')).search } };
  },
  listSessions: () => ({}),
  endSession: async (world) => {
    const { client, params } = await newUser(world);
    const [session] = await client.ok<{ id: string }[]>('GET', '/users/me/sessions');
    return { client, params: { ...params, sessionId: session?.id ?? '' } };
  },
  beginOtp: () => ({}),
  switchOnOtp: async (world) => {
    const { client, params } = await newUser(world);
    return { client, params, body: { otp: await begin(world, client) } };
  },
  removeOtp: async (world) => {
    const { client, params } = await newUser(world);
    await client.ok('PUT', '/users/me/otp', { otp: await begin(world, client) });
    return { params, body: {} };
  },
};
