import { drawToken, hashSecret, newAccountKey } from '#shared/auth/tokens.ts';
import { Permission } from '#shared/domain/identity/permission.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';

export const USERNAME = 'demo';

/** The demo user. The password is null unless the user was just created. */
type Person = { customerId: number; accountKey: string; password: string | null };

const createCustomer = async ({ table, now }: Runtime): Promise<number> => {
  const stores = store(table);
  const id = await stores.limits.nextNumber('customers');
  const time = now();
  const names = { name: 'Demo care home', location: 'Ground floor', email: '' };
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  await stores.customers.create({ id, createDate: time, updateDate: time, ...names, timeZone });
  return id;
};

const createUser = async (
  { table, now, random, passwords, settings }: Runtime,
  customerId: number,
): Promise<string> => {
  const stores = store(table);
  const id = await stores.limits.nextNumber('accounts');
  const time = now();
  const password = Buffer.from(random(12)).toString('base64url');
  const user = {
    id,
    createDate: time,
    updateDate: time,
    customerId,
    username: USERNAME,
    profileImageId: randomUuid(random),
    firstName: 'Demo',
    lastName: 'User',
    email: '',
    telegramId: null,
    mobileNumber: null,
    locale: 'en',
    canLogin: true,
    isAdmin: false,
    permissions: [...Permission.options],
  };
  const hash = await (await passwords()).hash(password);
  const problem = await stores.users.create(user, newAccountKey(random), hash, settings.QUOTAS.users);
  if (problem !== null) throw new Error(`the user ${USERNAME} cannot be created (${problem})`);
  return password;
};

/**
 * Finds the demo user, or creates one in the customer with the demo sensors or, failing that, in a new customer. Throws
 * if a user with that name exists but cannot be used.
 */
export const findDemoUser = async (runtime: Runtime, sensorIds: readonly string[]): Promise<Person> => {
  const { sessions, customers } = store(runtime.table);
  const key = usernameKey(USERNAME);
  let password: string | null = null;
  if (!(await sessions.accountKeyOf(key))) {
    const owners = await Promise.all(sensorIds.map((id) => customers.ownerOf('sensor', id)));
    password = await createUser(
      runtime,
      owners.find((owner) => owner !== null && owner > 0) ?? (await createCustomer(runtime)),
    );
  }
  const accountKey = await sessions.accountKeyOf(key);
  const account = accountKey ? await sessions.account(accountKey) : null;
  if (!accountKey || !account?.customerId) throw new Error(`the user ${USERNAME} belongs to no customer`);
  if (!account.canLogin) throw new Error(`the user ${USERNAME} is not allowed to log in`);
  return { customerId: account.customerId, accountKey, password };
};

/** Starts a session for the demo user without the password, which is not stored. Returns the session token. */
export const startDemoSession = async ({ table, now, random }: Runtime, { accountKey }: Person): Promise<string> => {
  const { sessions } = store(table);
  const account = await sessions.account(accountKey);
  const token = drawToken('session', random, accountKey);
  const { accountId = 0, epoch = 0 } = account ?? {};
  const createDate = now();
  const dates = { createDate, expires: createDate + 86_400_000 };
  await sessions.start(accountKey, hashSecret(token), {
    id: randomUuid(random),
    kind: 'session',
    accountId,
    epoch,
    csrf: newAccountKey(random),
    ...dates,
  });
  return token;
};
