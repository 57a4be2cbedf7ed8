import type { Store } from './store.ts';
import type { IndexName, items } from './table.ts';

type ItemKind = keyof typeof items;

/** Every call of the store, by its name. */
export type StoreCall = { [N in keyof Store]: `${N}.${keyof Store[N] & string}` }[keyof Store];

export type AccessPattern = {
  question: string;
  index: 'table' | IndexName;
  /** Kinds of items whose keys the call uses. */
  keys: readonly ItemKind[];
  /** Units of one small example: items up to 1 KB, each named once. */
  read: number;
  write: number;
  /** What the units grow with. */
  per?: string;
};

const pattern = (
  question: string,
  keys: readonly ItemKind[],
  read: number,
  write: number,
  per = '',
): AccessPattern => ({
  question,
  index: 'table',
  keys,
  read,
  write,
  ...(per && { per }),
});

const eachItem = 'for each item';
const each8KB = 'for each 8 KB of them';

/**
 * Every question that is asked of the table. A call that is missing here does not compile; test/table.test.ts makes
 * each call and compares the keys and the units.
 */
export const accessPatterns: Readonly<Record<StoreCall, AccessPattern>> = {
  'accessTokens.list': pattern('The access tokens of a user', ['accessToken', 'session'], 1.5, 0, '0.5 for each token'),
  'accessTokens.create': pattern(
    'A new access token, if there is room',
    ['account', 'accessToken', 'session'],
    1,
    6,
    'again when another took the place',
  ),
  'accessTokens.remove': pattern('An access token opens nothing more', ['accessToken', 'session'], 1, 4),
  'accessTokens.removeAll': pattern(
    'The tokens of a user who is gone',
    ['accessToken', 'session'],
    1,
    4,
    'writes for each token',
  ),
  'accessTokens.noteUse': pattern('An access token was used, once a minute', ['session'], 0, 1),

  'bots.get': pattern('A bot', ['bot'], 0.5, 0),
  'bots.getAll': pattern('Some bots', ['bot'], 0.5, 0, eachItem),
  'bots.list': pattern('The bots of a customer', ['bot'], 0.5, 0, each8KB),
  'bots.create': pattern('A new bot, if its customer is there', ['bot', 'home', 'customer'], 0, 6),

  'configs.get': pattern('A configuration of a sensor', ['config'], 1, 0),
  'configs.list': pattern('All configurations of a sensor', ['config'], 0.5, 0, each8KB),
  'configs.put': pattern('A configuration, and what the sensor keeps of it', ['config', 'sensor'], 0, 4, 'for each KB'),

  'customers.get': pattern('A customer, and its webhooks that get every event', ['customer'], 0.5, 0),
  'customers.list': pattern('All customers', ['customer'], 0.5, 0, each8KB),
  'customers.homeOf': pattern('Whose is this id? (system admins, devices)', ['home'], 1, 0),
  'customers.create': pattern('A new customer', ['customer'], 0, 1),

  'deliveries.get': pattern('A delivery', ['delivery'], 0.5, 0),
  'deliveries.create': pattern('A delivery that waits, once', ['delivery'], 0, 2, 'for each KB'),
  'deliveries.claim': pattern('Who sends it? One, until the claim lapses', ['delivery'], 0, 1, 'for each KB'),
  'deliveries.record': pattern('What came of an attempt', ['delivery'], 0, 2, 'for each KB'),
  'deliveries.postpone': pattern('A first attempt at a later time', ['delivery'], 0, 3, 'for each KB'),
  'deliveries.shelve': pattern('Parked, or ended without an attempt', ['delivery'], 0, 2, 'for each KB'),

  'due.beat': pattern('The service is there; since when without a gap?', ['heartbeat'], 1, 1),
  'due.upSince': pattern('Since when is the service there without a gap?', ['heartbeat'], 0.5, 0),
  'due.waiting': { ...pattern('What waits since before a time?', ['event', 'delivery'], 4, 0, each8KB), index: 'due' },

  'events.get': pattern('A message, or the event it became', ['event'], 0.5, 0, 'for each 4 KB; twice when consistent'),
  'events.state': pattern('What a sensor is up to, and the last decision', ['sensorState'], 1, 0, 'for each 4 KB'),
  'events.keep': pattern('A message made durable, once', ['event'], 0, 2, 'for each KB'),
  'events.decide': pattern('A new state with its decision, if nobody was faster', ['sensorState'], 0, 1, 'for each KB'),
  'events.watch': pattern(
    'When is a sensor looked at, by time alone?',
    ['sensorState'],
    0,
    2,
    'for each KB; 3 when moved',
  ),
  'events.add': pattern('A further event of a message, once', ['event'], 0, 2, 'for each KB'),
  'events.finish': pattern('A message is done: it waits no more and is listed', ['event'], 0, 3, 'for each KB'),
  'events.heard': pattern('A device was heard of', ['sensorState'], 0, 1, 'for each KB; 4 when it was silent'),

  'limits.countCall': pattern('The number of this call in this second', ['rate'], 0, 1),
  'limits.secondsToWait': pattern('How long until the next try?', ['rate'], 1, 0),
  'limits.countFailure': pattern(
    'The number of this failure in its window',
    ['rate'],
    0,
    1,
    'and 1 for the first of a window',
  ),
  'limits.nextNumber': pattern('The next id of a sequence', ['counter'], 0, 1),

  'provisioning.byHash': pattern('A provisioning key', ['provisioningKey'], 1, 0),
  'provisioning.put': pattern('A new provisioning key', ['provisioningKey'], 0, 1),
  'provisioning.remove': pattern('A provisioning key is void', ['provisioningKey'], 0, 1),

  'rooms.get': pattern('The room of a sensor', ['room'], 1, 0, 'for each 4 KB'),
  'rooms.put': pattern('A room, and its extent in the sensor', ['room', 'sensor'], 0, 4, 'for each KB'),
  'resets.byHash': pattern('A code that resets a password', ['reset'], 1, 0),
  'resets.create': pattern('A new code that resets a password', ['reset'], 0, 1),
  'resets.use': pattern('A password reset, once for a code', ['reset', 'password', 'account'], 0, 6),

  'ruleHits.get': pattern('A rule hit', ['ruleHit'], 0.5, 0),
  'ruleHits.list': pattern('The rule hits of a customer, 120 days', ['ruleHit'], 0.5, 0, each8KB),
  'ruleHits.create': pattern('A hit, once for its event and rule', ['ruleHit'], 0, 1, 'for each KB'),
  'ruleHits.report': pattern('What became of a message of a hit', ['ruleHit'], 0, 1, 'for each KB'),

  'rules.get': pattern('A rule, by its id', ['ruleById'], 0.5, 0),
  'rules.list': pattern('The rules of a customer', ['rule'], 0.5, 0, each8KB),
  'rules.forSituation': pattern(
    'Which rules watch this situation of this sensor?',
    ['rule'],
    1,
    0,
    'for each 8 KB; 1.5 in a group',
  ),
  'rules.create': pattern(
    'A new rule, if all that it names is there',
    ['rule', 'ruleById', 'home', 'customer', 'sensor', 'bot', 'webhook'],
    0,
    14,
    'with a sensor and one recipient',
  ),

  'sensors.get': pattern('A sensor', ['sensor'], 0.5, 0),
  'sensors.list': pattern('The sensors of a customer', ['sensor'], 0.5, 0, each8KB),
  'sensors.deviceOf': pattern('Which device has this token?', ['device'], 1, 0),
  'sensors.idOfHardware': pattern('Which sensor has this hardware id?', ['hardware'], 1, 0),
  'sensors.pairing': pattern('Which sensor shows this pairing code?', ['pairingCode'], 1, 0),
  'sensors.register': pattern(
    'A new device, if its hardware id is free',
    ['hardware', 'home', 'sensor', 'device', 'deviceOfSensor', 'pairingCode'],
    0,
    12,
  ),
  'sensors.renew': pattern(
    'A new token and pairing code; the old ones are void',
    ['deviceOfSensor', 'pairingCode', 'sensor', 'device'],
    1,
    12,
    '8 without a new token',
  ),
  'sensors.link': pattern(
    "Nobody's sensor becomes a customer's",
    ['deviceOfSensor', 'pairingCode', 'sensor', 'home', 'device', 'customer'],
    1,
    12,
  ),
  'sensors.usePairing': pattern('A pairing code is used up', ['pairingCode'], 0, 1),
  'sensors.setActive': pattern('Is a sensor heard of? For the list', ['sensor'], 0, 1),

  'sessions.session': pattern('A session or access token', ['session'], 1, 0),
  'sessions.account': pattern('What an account may do', ['account'], 1, 0),
  'sessions.accountKeyOf': pattern('Who has this username?', ['username'], 1, 0),
  'sessions.passwordHash': pattern('The password of an account', ['password'], 1, 0),
  'sessions.isKnownAddress': pattern('Did this address log in before?', ['knownAddress'], 0.5, 0),
  'sessions.start': pattern('A new session', ['session'], 0, 1),
  'sessions.end': pattern('A session is over', ['session'], 0, 1),
  'sessions.rehash': pattern('The hash of a password at a new cost', ['password'], 0, 1),
  'sessions.setPassword': pattern('A new password, and all sessions are over', ['password', 'account'], 0, 4),
  'sessions.rememberAddress': pattern('An address that logged in', ['knownAddress'], 0, 1),

  'users.get': pattern('A user', ['user'], 0.5, 0, 'twice when consistent'),
  'users.list': pattern('The users of a customer', ['user'], 0.5, 0, each8KB),
  'users.create': pattern(
    'A new user, if the username is free',
    ['username', 'user', 'account', 'password', 'home', 'customer'],
    0,
    12,
  ),
  'users.setProfile': pattern('A new profile', ['user', 'account'], 0, 4),
  'users.setAccess': pattern('What a user may do from now on', ['user', 'account'], 0, 4),
  'users.remove': pattern('A user is gone', ['user', 'account', 'password', 'username', 'home'], 0, 10),

  'webhooks.get': pattern('A webhook', ['webhook'], 0.5, 0, 'twice when consistent'),
  'webhooks.getAll': pattern('Some webhooks', ['webhook'], 0.5, 0, eachItem),
  'webhooks.list': pattern('The webhooks of a customer', ['webhook'], 0.5, 0, each8KB),
  'webhooks.create': pattern('A new webhook, if its bot is there', ['webhook', 'home', 'bot'], 0, 6),
  'webhooks.recordFailure': pattern('One more failure in a row', ['webhook'], 0, 1),
  'webhooks.recordSuccess': pattern('The failures have an end', ['webhook'], 0, 1),
  'webhooks.disable': pattern('A webhook switches itself off', ['webhook'], 0, 1),
};
