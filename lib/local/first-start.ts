import type { Passwords } from '#shared/auth/password.ts';
import { drawToken, hashSecret, newAccountKey } from '#shared/auth/tokens.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { Store } from '#shared/store/store.ts';

type AdminDeps = { now: () => number; random: (bytes: number) => Uint8Array; passwords: () => Promise<Passwords> };

/** Creates a system admin. Returns null if the username is taken. */
export const createAdmin = async (store: Store, username: string, password: string, deps: AdminDeps) => {
  if (await store.sessions.accountKeyOf(usernameKey(username))) return null;
  const { now, random, passwords } = deps;
  const time = now();
  const admin = {
    id: await store.limits.nextNumber('accounts'),
    createDate: time,
    updateDate: time,
    customerId: null,
    username,
    firstName: '',
    lastName: '',
    email: '',
    locale: 'en',
    telegramId: null,
    mobileNumber: null,
    profileImageId: randomUuid(random),
    canLogin: true,
    isAdmin: true,
    permissions: [],
  };
  // The quota is 0 because a system admin belongs to no customer, and users are counted per customer.
  const problem = await store.users.create(admin, newAccountKey(random), await (await passwords()).hash(password), 0);
  return problem === null ? admin : null;
};

export type FirstStart = {
  adminUsername: string;
  adminPassword: string | undefined;
  provisioningKey: string | undefined;
};

/**
 * Creates a system admin and a provisioning key for both makers on the first start. Returns the generated secrets,
 * which are printed once and stored only as hashes.
 */
export const firstStart = async (
  store: Store,
  { adminUsername, adminPassword, provisioningKey }: FirstStart,
  deps: AdminDeps,
): Promise<Record<string, string>> => {
  const generated: Record<string, string> = {};
  const password = adminPassword ?? Buffer.from(deps.random(15)).toString('base64url');
  const admin = await createAdmin(store, adminUsername, password, deps);
  if (admin && adminPassword === undefined) generated[`password of ${admin.username}`] = password;
  if (admin || provisioningKey !== undefined) {
    const key = provisioningKey ?? drawToken('provisioning', deps.random);
    const isKnown = await store.provisioning.byHash(hashSecret(key), deps.now());
    if (!isKnown)
      await store.provisioning.put(hashSecret(key), {
        id: randomUuid(deps.random),
        name: 'first',
        createDate: deps.now(),
        manufacturer: null,
        expires: null,
        maxDevices: null,
      });
    if (provisioningKey === undefined) generated['provisioning key'] = key;
  }
  return generated;
};
