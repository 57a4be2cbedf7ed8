import { describe, expect, test } from 'vitest';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { leadsOf, placesOf, placesOfDevice, placesOfItem } from '#shared/store/subjects/subject-places.ts';
import type { Lead, StoredItem, SubjectPlace, SubjectScope } from '#shared/store/subjects/subjects.ts';
import { items } from '#shared/store/table.ts';
import { gather } from '#test/fixtures/gather.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { HOME, HOOK, itemOf, NURSE, OTHER_HOME, SENSOR, scopes } from '#test/fixtures/subject-scopes.ts';

const createWorld = async (...stored: StoredItem[]) => {
  const { its, table } = memoryStore();
  for (const put of stored) await table.write({ put });
  const textOf = ({ pk, beginsWith }: SubjectPlace) => (beginsWith === undefined ? pk : `${pk} ${beginsWith}`);
  const listed = (places: ReturnType<typeof placesOf>) => gather(places, textOf);
  return {
    its,
    /** Returns the places for a subject, in order, each as the partition and the prefix if there is one. */
    places: (who: SubjectScope, leads: readonly Lead[] = []) => listed(placesOf(its.subjects, who, leads)),
    ofDevice: () => listed(placesOfDevice(its.subjects, HOME, SENSOR)),
  };
};
const home = `C#${HOME}`;

test('the leads to a customer include deleted users, sensors and webhooks, each once', async () => {
  const { its } = await createWorld(
    itemOf('user', { accountKey: 'key' }),
    itemOf('formerUser', { accountKey: 'old key' }, { userId: 12 }),
    itemOf('sensor'),
    itemOf('formerSensor'),
    itemOf('formerSensor', {}, { sensorId: 'id_former' }),
    itemOf('webhook'),
    itemOf('formerWebhook', {}, { webhookId: 'former' }),
    itemOf('user', { accountKey: 'elsewhere' }, { customerId: OTHER_HOME }),
  );
  expect(await leadsOf(its.subjects, HOME)).toEqual([
    { kind: 'user', id: `${NURSE}`, accountKey: 'key' },
    { kind: 'user', id: '12', accountKey: 'old key' },
    { kind: 'sensor', id: SENSOR },
    { kind: 'sensor', id: 'id_former' },
    { kind: 'webhook', id: HOOK },
    { kind: 'webhook', id: 'former' },
  ]);
  expect(await leadsOf(its.subjects, 99)).toEqual([]);
});

describe('users', () => {
  test("a user's logins are found before the account that leads to them", async () => {
    const { places } = await createWorld(
      itemOf('user', { username: 'Nurse', subject: 'sub' }),
      itemOf('password', { hash: 'of the password' }),
      itemOf('login', { hash: 'login' }),
      itemOf('accessToken', { hash: 'token' }, { slot: 1 }),
      itemOf('resetOfAccount', {}, { hash: 'reset' }),
    );
    const found = await places(scopes.user);
    expect(found.slice(0, 8)).toEqual([
      ...['EXTERNAL#sub', `USERNAME#${usernameKey('nurse')}`, 'SESSION#login', 'RESET#reset', 'SESSION#token'],
      ...['ACCOUNT#key', `${home}#U#${NURSE}`, `HOME#user#${NURSE}`],
    ]);
  });

  test('a user with a password has no place at the identity provider', async () => {
    const { places } = await createWorld(itemOf('user', { username: 'Nurse' }));
    expect((await places(scopes.user))[0]).toMatch(/^USERNAME#/);
  });

  test('a deleted user is still found by account and id, but not by username', async () => {
    const { places } = await createWorld();
    const after = ['ACCOUNT#key', `${home}#U#${NURSE}`, `HOME#user#${NURSE}`];
    expect((await places(scopes.user)).slice(0, 3)).toEqual(after);
    expect((await places({ ...scopes.user, accountKeys: new Set() })).slice(0, 2)).toEqual(after.slice(1));
  });

  test("a user's feedback and acknowledgements are found at all sensors the customer has or had", async () => {
    const { places } = await createWorld(itemOf('sensor'), itemOf('formerSensor', {}, { sensorId: 'id_former' }));
    const atSensors = [SENSOR, 'id_former'].flatMap((id) => [`${home}#S#${id} FEEDBACK#`, `${home}#S#${id} NOTICE#`]);
    expect(await places(scopes.user)).toEqual(expect.arrayContaining(atSensors));
    expect((await places(scopes.sensor)).filter((place) => / (FEEDBACK|NOTICE)#/.test(place))).toEqual([]);
  });
});

describe('places with data about many people', () => {
  const shared = ['CHANGES', 'HITS', 'UNNOTIFIED', 'ANSWERS', 'PEOPLE', 'AUDIT'].map((name) => `${home}#${name}`);
  const stored = [
    itemOf('webhook'),
    itemOf('formerWebhook', {}, { webhookId: 'former' }),
    itemOf('makerFeedback', { customerId: 90, webhookId: 'maker' }),
  ];

  test.each(['user', 'sensor'] as const)('data about a %s is searched among that of others', async (subject) => {
    const { places } = await createWorld(...stored);
    const hooks = [`${home}#W#${HOOK}`, `${home}#W#former`, 'C#90#W#maker'].map((pk) => `${pk} DELIVERY#`);
    const all = [...hooks, ...shared, 'C#0#AUDIT', `${home}#MEMBERS`, home];
    expect((await places(scopes[subject])).slice(-all.length)).toEqual(all);
  });

  test('data about a sensor is searched first under the sensor', async () => {
    const { places } = await createWorld();
    expect((await places(scopes.sensor))[0]).toBe(`${home}#S#${SENSOR}`);
  });

  test('data without a customer is searched only once in the audit log of customer 0', async () => {
    const { places } = await createWorld();
    const found = await places({ ...scopes.sensor, customerId: 0 });
    expect(found.filter((place) => place.endsWith('#AUDIT'))).toEqual(['C#0#AUDIT']);
  });
});

describe('customers', () => {
  const leads: Lead[] = [
    { kind: 'webhook', id: HOOK },
    { kind: 'sensor', id: SENSOR },
    { kind: 'user', id: `${NURSE}`, accountKey: 'key' },
  ];

  test("a customer's data is found through the leads, and the partition with the rest comes last", async () => {
    const { places } = await createWorld(
      itemOf('bot', {}, { botId: 2 }),
      itemOf('sensorGroup'),
      itemOf('ruleById', {}, { ruleId: 6 }),
      itemOf('makerFeedback', { customerId: 90, webhookId: 'maker' }),
    );
    expect(await places(scopes.customer, leads)).toEqual([
      ...['ACCOUNT#key', `${home}#U#${NURSE}`, `HOME#user#${NURSE}`],
      ...[`${home} SENSOR#${SENSOR}`, `${home}#S#${SENSOR}`],
      ...[`HOME#webhook#${HOOK}`, `${home}#W#${HOOK}#FEED`, `${home}#W#${HOOK}`],
      ...['HOME#bot#2', 'HOME#sensor_group#5', 'HOME#rule#6'],
      'C#90#W#maker DELIVERY#',
      ...['CHANGES', 'HITS', 'UNNOTIFIED', 'ANSWERS', 'PEOPLE', 'AUDIT'].map((name) => `${home}#${name}`),
      'C#0#AUDIT',
      ...[`${home}#MEMBERS`, `${home}#RULES`, `${home}#RULELIST`, home],
    ]);
  });

  test('a stage without a webhook for the manufacturer has no place for its feedback', async () => {
    const { places } = await createWorld();
    expect((await places(scopes.customer)).filter((place) => place.endsWith('DELIVERY#'))).toEqual([]);
  });
});

describe('devices', () => {
  const sensor = itemOf('sensor', { manufacturer: 'maker_a', hardwareId: 'AA' });
  const owner = (customerId: number) => itemOf('owner', { customerId }, { kind: 'sensor', id: SENSOR });
  const link = (fields: object) => itemOf('deviceOfSensor', { hash: 'token', pairingHash: 'code', ...fields });
  const last = `${home} SENSOR#${SENSOR}`;

  test('a device keeps its owner until everything else but the sensor is gone', async () => {
    const { ofDevice } = await createWorld(sensor, owner(HOME), link({ formerHash: 'former' }));
    expect(await ofDevice()).toEqual([
      ...['HARDWARE#maker_a#AA', 'DEVICE#token', 'DEVICE#former', 'PAIRING#code', `SENSOR#${SENSOR}`],
      ...[`HOME#sensor#${SENSOR}`, last],
    ]);
  });

  test('a device without a former token has only the current one', async () => {
    const { ofDevice } = await createWorld(sensor, owner(HOME), link({}));
    expect((await ofDevice()).filter((place) => place.startsWith('DEVICE#'))).toEqual(['DEVICE#token']);
  });

  test('a sensor that never had a device token is found by its hardware, owner and id', async () => {
    const { ofDevice } = await createWorld(sensor, owner(HOME));
    expect(await ofDevice()).toEqual(['HARDWARE#maker_a#AA', `HOME#sensor#${SENSOR}`, last]);
  });

  test.each([
    ['was linked by another customer', [sensor, owner(OTHER_HOME), link({})]],
    ['has no owner', [sensor, link({})]],
    ['has left the customer', [owner(HOME), link({})]],
  ])('a device that %s is left alone', async (_, stored) => {
    const { ofDevice } = await createWorld(...stored);
    expect(await ofDevice()).toEqual([last]);
  });
});

describe('items found through others', () => {
  const ofHit = [{ pk: items.feedbackOfHit.pk({ customerId: HOME, hitId: 9 }) }];
  const feedback = { accountId: NURSE };
  test.each([
    ['feedback', { feedback, feedbackRevision: 1 }, ofHit],
    ['feedback from before changes were counted', { feedback }, ofHit],
    ['deleted feedback', { feedback: null, feedbackRevision: 2 }, ofHit],
    ['no feedback', {}, []],
  ])('a hit with %s leads to all feedback it may have', (_, fields, found) => {
    for (const who of Object.values(scopes)) expect(placesOfItem(itemOf('ruleHit', fields), who)).toEqual(found);
  });

  test('a delivery leads to its attempts, unless a customer is erased with the whole partition', () => {
    const delivery = itemOf('delivery');
    const attempts = [{ pk: delivery.pk, beginsWith: 'ATTEMPT#delivery#' }];
    expect([placesOfItem(delivery, scopes.user), placesOfItem(delivery, scopes.sensor)]).toEqual([attempts, attempts]);
    expect(placesOfItem(delivery, scopes.customer)).toEqual([]);
  });

  test.each(['personDelivery', 'event', 'sensor'] as const)('a %s item leads to no others', (kind) => {
    expect(placesOfItem(itemOf(kind, { feedback }), scopes.sensor)).toEqual([]);
  });
});
