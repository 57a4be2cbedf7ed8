import { indexKey, item } from './key.ts';

/** The design of the one table, from which both hosts create it. */
export const tableDesign = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: 'ttl',
  indexes: {
    /** Items that wait to be worked on, by time. Sparse: an item leaves the index when it is finished. */
    due: { partitionKey: 'duePk', sortKey: 'dueAt', projection: 'KEYS_ONLY' },
    /** Lists in another order than that of the table's keys. Sparse as well. */
    list: { partitionKey: 'listPk', sortKey: 'listSk', projection: 'KEYS_ONLY' },
  },
} as const;

export type IndexName = keyof typeof tableDesign.indexes;

/**
 * The newest form of items that this version of the code can write. It grows with a change after which the version
 * before cannot work with what is written. The sweep notes in the table which form may be written, and raises that only
 * once no version before comes back: shared/store/README.md.
 */
export const DATA_VERSION = 1;

/**
 * Waiting work is spread over this many partitions of the due index: see shared/GROWTH.md. It may grow, but not shrink:
 * what waits in a shard that nobody looks into is lost.
 */
export const DUE_SHARDS = 32;

/**
 * Every kind of item. All that belongs to a customer starts with `C#{customerId}`, and the customer comes from the
 * session: what belongs to another is not found. Nobody's sensors and users are under customer 0.
 */
export const items = {
  counter: item('COUNTER#{name}', 'COUNTER'),
  heartbeat: item('HEARTBEAT', 'HEARTBEAT'),
  rate: item('RATE#{subject}#{window}', 'RATE'),
  session: item('SESSION#{hash}', 'SESSION'),
  account: item('ACCOUNT#{accountKey}', 'ACCOUNT'),
  password: item('ACCOUNT#{accountKey}', 'PASSWORD'),
  otp: item('ACCOUNT#{accountKey}', 'OTP'),
  username: item('USERNAME#{username}', 'USERNAME'),
  knownAddress: item('ACCOUNT#{accountKey}', 'ADDRESS#{address}'),
  /** Where the session of a login is: the logins of an account in their order. */
  login: item('ACCOUNT#{accountKey}', 'LOGIN#{0createDate}#{sessionId}'),
  accessToken: item('ACCOUNT#{accountKey}', 'TOKEN#{slot}'),
  /** A login that goes on at the issuer, by its state; and what the issuer said at the login of a session. */
  oidcLogin: item('OIDC_LOGIN#{hash}', 'OIDC_LOGIN'),
  idToken: item('SESSION#{hash}', 'ID_TOKEN'),
  /** The users of somebody whom an issuer knows. */
  externalUser: item('EXTERNAL#{hash}', 'USER#{0customerId}'),
  reset: item('RESET#{hash}', 'RESET'),
  /** Where the codes of an account are. */
  resetOfAccount: item('ACCOUNT#{accountKey}', 'RESET#{hash}'),
  owner: item('HOME#{kind}#{id}', 'HOME'),
  /** What a list of all customers shows of one: the one partition that they share, which nothing else reads. */
  listedCustomer: item('CUSTOMERS', 'CUSTOMER#{0customerId}'),
  customer: item('C#{customerId}', 'CUSTOMER'),
  user: item('C#{customerId}', 'USER#{0userId}'),
  /** By what is found what a deleted user left, for as long as anything of it is kept. */
  formerUser: item('C#{customerId}', 'FORMER_USER#{0userId}'),
  /** A channel of a user, with the hash of the code that proves it. */
  channel: item('C#{customerId}#U#{userId}', 'CHANNEL#{by}'),
  /** A user who is on duty. */
  duty: item('C#{customerId}', 'DUTY#{0userId}'),
  /** Who changed what in a customer, and what was refused; of no customer: 0. */
  auditLine: item('C#{customerId}#AUDIT', '{lineId}'),
  bot: item('C#{customerId}', 'BOT#{0botId}'),
  sensor: item('C#{customerId}', 'SENSOR#{sensorId}'),
  formerSensor: item('C#{customerId}', 'FORMER#{sensorId}'),
  /** A sensor that was erased, while messages of before may wait: the hash tells it only to who has its id. */
  erasedSensor: item('C#{customerId}', 'ERASED#{hash}'),
  sensorGroup: item('C#{customerId}', 'GROUP#{0groupId}'),
  groupMember: item('C#{customerId}#MEMBERS', '{0groupId}#{sensorId}'),
  webhook: item('C#{customerId}', 'WEBHOOK#{webhookId}'),
  /** The same of a deleted webhook. */
  formerWebhook: item('C#{customerId}', 'FORMER_WEBHOOK#{webhookId}'),
  rule: item('C#{customerId}#RULES', '{scope}#{situation}#{0ruleId}'),
  ruleById: item('C#{customerId}', 'RULE#{0ruleId}'),
  /** A copy of each rule for lists: reading them never slows down the partition that alarms read. */
  wholeRule: item('C#{customerId}#RULELIST', 'WHOLE#{0ruleId}'),
  /** What a list of rules is sorted by. */
  listedRule: item('C#{customerId}#RULELIST', 'LISTED#{0ruleId}'),
  enabledRules: item('C#{customerId}', 'ENABLED#{scope}#{situation}'),
  sensorState: item('C#{customerId}#S#{sensorId}', 'STATE'),
  room: item('C#{customerId}#S#{sensorId}', 'ROOM'),
  config: item('C#{customerId}#S#{sensorId}', 'CONFIG#{name}'),
  event: item('C#{customerId}#S#{sensorId}', 'EVENT#{0eventId}#{uuid}'),
  message: item('C#{customerId}#S#{sensorId}', 'MESSAGE#{uuid}'),
  notice: item('C#{customerId}#S#{sensorId}', 'NOTICE#{uuid}'),
  feedback: item('C#{customerId}#S#{sensorId}', 'FEEDBACK#{0feedbackId}'),
  feedbackOfHit: item('C#{customerId}#H#{0hitId}', 'FEEDBACK#{0feedbackId}'),
  ruleHit: item('C#{customerId}#HITS', 'HIT#{0hitId}'),
  /** When a hit changed last, if that was later than soon after it was made. */
  lateChange: item('C#{customerId}#CHANGES', 'HIT#{0hitId}'),
  delivery: item('C#{customerId}#W#{webhookId}', 'DELIVERY#{deliveryId}'),
  attempt: item('C#{customerId}#W#{webhookId}', 'ATTEMPT#{deliveryId}#{0number}'),
  /** What waits to be fetched from a webhook without an address, in its order; and what was given and is not taken. */
  feedLine: item('C#{customerId}#W#{webhookId}#FEED', '{time}#{0eventId}#{deliveryId}'),
  feedCursor: item('C#{customerId}#W#{webhookId}', 'FEED'),
  /** What was sent to people, all of a customer in one place: it is sent one by one, and listed together. */
  personDelivery: item('C#{customerId}#PEOPLE', 'DELIVERY#{deliveryId}'),
  replay: item('C#{customerId}#W#{webhookId}', 'REPLAY#{replayId}'),
  /** An export or an erasure, and what an erasure goes by while its subject is gone already. */
  dataJob: item('C#{customerId}#JOBS', 'JOB#{kind}#{jobId}'),
  lead: item('C#{customerId}#JOBS', 'LEAD#{jobId}#{kind}#{id}'),
  /** All erasures, for a recovery to make them again. */
  erasure: item('ERASURES', '{jobId}'),
  canaryHome: item('CANARY', 'HOME'),
  canaryRound: item('CANARY', 'ROUND'),
  /** The key that signs addresses for acknowledging, sealed. */
  addressKey: item('ADDRESS_KEY', 'KEY'),
  /** The key that pushes are signed with. */
  pushKey: item('PUSH_KEY', 'KEY'),
  makerFeedback: item('MAKER_FEEDBACK', 'HOME'),
  hardware: item('HARDWARE#{manufacturer}#{hardwareId}', 'HARDWARE'),
  device: item('DEVICE#{hash}', 'DEVICE'),
  deviceOfSensor: item('SENSOR#{sensorId}', 'DEVICE'),
  pairingCode: item('PAIRING#{hash}', 'PAIRING'),
  provisioningKey: item('PROVISIONING#{hash}', 'PROVISIONING'),
  listedKey: item('PROVISIONING_KEYS', 'KEY#{keyId}'),
  firmware: item('FIRMWARES#{manufacturer}', 'VERSION#{0versionCode}'),
  firmwareDefault: item('FIRMWARES#{manufacturer}', 'DEFAULT'),
  firmwarePins: item('FIRMWARES#{manufacturer}', 'PINS#{0versionCode}'),
} as const;

/** Keys of the index `due`. */
export const due = indexKey(tableDesign.indexes.due, 'DUE#{shard}', '{0time}');

const listKey = <const P extends string, const S extends string>(pk: P, sk: S) =>
  indexKey(tableDesign.indexes.list, pk, sk);

/** Keys of the index `list`, by what is listed. */
export const lists = {
  /** Numbered without gaps in a series. */
  hitsOfSensor: listKey('C#{customerId}#S#{sensorId}#NUMBERED', '{0series}-{0number}-{0createDate}'),
  feedbackOfSensor: listKey('C#{customerId}#S#{sensorId}#FEEDBACK', '{0id}'),
  /** A list reads nothing but its keys, so they contain the whole sensor: `packSensor`. */
  sensorsOfCustomer: listKey('C#{customerId}#SENSORS', '{=packedSensor}'),
  /** The states of those that see a fall which is not over. */
  openFallsOfCustomer: listKey('C#{customerId}#FALLS', '{sensorId}'),
  heldOfWebhook: listKey('C#{customerId}#W#{webhookId}#HELD', '{deliveryId}'),
} as const;
