import { indexKey, item } from './key.ts';

/** The design of the one table. Both hosts create it from this. */
export const tableDesign = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: 'ttl',
  indexes: {
    /** Items with pending work, by time. Sparse: a finished item leaves the index. */
    due: { partitionKey: 'duePk', sortKey: 'dueAt', projection: 'KEYS_ONLY' },
    /** Lists sorted differently from the table keys. Also sparse. */
    list: { partitionKey: 'listPk', sortKey: 'listSk', projection: 'KEYS_ONLY' },
  },
} as const;

export type IndexName = keyof typeof tableDesign.indexes;

/**
 * The newest data version this code can write. It increases with every change that the previous code version cannot
 * read. The table records which version may be written; the sweep raises that version when a rollback is no longer
 * expected (shared/store/README.md).
 */
export const DATA_VERSION = 1;

/**
 * The number of due index partitions (shared/GROWTH.md). It may grow but must never shrink, because work would be lost
 * in a shard that no sweep reads.
 */
export const DUE_SHARDS = 32;

/**
 * All item kinds. Every key that belongs to a customer starts with `C#{customerId}`, and the customer comes from the
 * session, so another customer's data cannot be found. Sensors and users without a customer are under customer 0.
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
  /** Points to a login session. Lists account logins by time. */
  login: item('ACCOUNT#{accountKey}', 'LOGIN#{0createDate}#{sessionId}'),
  accessToken: item('ACCOUNT#{accountKey}', 'TOKEN#{slot}'),
  /** A login in progress at the identity provider, keyed by its `state` parameter, and the ID token from the login. */
  oidcLogin: item('OIDC_LOGIN#{hash}', 'OIDC_LOGIN'),
  idToken: item('SESSION#{hash}', 'ID_TOKEN'),
  /** Points to the user of someone who logs in through an identity provider. */
  externalUser: item('EXTERNAL#{hash}', 'USER#{0customerId}'),
  reset: item('RESET#{hash}', 'RESET'),
  /** Points to the reset code for an account. */
  resetOfAccount: item('ACCOUNT#{accountKey}', 'RESET#{hash}'),
  /** The customer that owns an id. */
  owner: item('HOME#{kind}#{id}', 'HOME'),
  /** A row in the list of all customers, which share one partition that nothing else reads. */
  listedCustomer: item('CUSTOMERS', 'CUSTOMER#{0customerId}'),
  customer: item('C#{customerId}', 'CUSTOMER'),
  user: item('C#{customerId}', 'USER#{0userId}'),
  /** Leads to a deleted user's remaining data until none is left. */
  formerUser: item('C#{customerId}', 'FORMER_USER#{0userId}'),
  /** A user's channel, with the hash of the verification code. */
  channel: item('C#{customerId}#U#{userId}', 'CHANNEL#{by}'),
  /** The time until which a user is on duty, or since which the user has been off duty. */
  duty: item('C#{customerId}', 'DUTY#{0userId}'),
  roster: item('C#{customerId}', 'DUTY_ROSTER'),
  /** The next check of whether anyone is on duty for a customer. */
  dutyCheck: item('DUTY_CHECKS', 'CUSTOMER#{0customerId}'),
  /** How well falls are covered, as last computed. */
  watch: item('C#{customerId}', 'WATCH'),
  /** A customer in which a user changed something that may affect the watch. Kept until the change has been checked. */
  changedCustomer: item('CHANGED', 'CUSTOMER#{0customerId}'),
  /** An audit log line: who changed what in a customer, and what was refused. Customer 0 stands for no customer. */
  auditLine: item('C#{customerId}#AUDIT', '{lineId}'),
  bot: item('C#{customerId}', 'BOT#{0botId}'),
  sensor: item('C#{customerId}', 'SENSOR#{sensorId}'),
  formerSensor: item('C#{customerId}', 'FORMER#{sensorId}'),
  /** Marks an erased sensor while older messages may still be queued. The hash hides the sensor id. */
  erasedSensor: item('C#{customerId}', 'ERASED#{hash}'),
  sensorGroup: item('C#{customerId}', 'GROUP#{0groupId}'),
  /** The room positions in a group. */
  floorPlan: item('C#{customerId}', 'PLAN#{0groupId}'),
  groupMember: item('C#{customerId}#MEMBERS', '{0groupId}#{sensorId}'),
  webhook: item('C#{customerId}', 'WEBHOOK#{webhookId}'),
  /** Leads to the remaining data of a deleted webhook. */
  formerWebhook: item('C#{customerId}', 'FORMER_WEBHOOK#{webhookId}'),
  rule: item('C#{customerId}#RULES', '{scope}#{situation}#{0ruleId}'),
  ruleById: item('C#{customerId}', 'RULE#{0ruleId}'),
  /** A copy of each rule, so that lists do not load the partition that is read for alarms. */
  wholeRule: item('C#{customerId}#RULELIST', 'WHOLE#{0ruleId}'),
  /** The fields by which rule lists are sorted. */
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
  /** How people responded to a fall: who acknowledged it. Sorted by fall start. Absent until someone responds. */
  fallAnswer: item('C#{customerId}#ANSWERS', 'FALL#{0start}#{sensorId}#{fall}'),
  /** An alarm that reached no one in time. Kept until someone is notified or acknowledges it. */
  unnotified: item('C#{customerId}#UNNOTIFIED', '{alarmId}'),
  /** When a hit last changed, unless that was shortly after the hit was created. */
  lateChange: item('C#{customerId}#CHANGES', 'HIT#{0hitId}'),
  delivery: item('C#{customerId}#W#{webhookId}', 'DELIVERY#{deliveryId}'),
  attempt: item('C#{customerId}#W#{webhookId}', 'ATTEMPT#{deliveryId}#{0number}'),
  /** Lists a held alarm about a person, which is released before other deliveries. */
  heldAlarm: item('C#{customerId}#W#{webhookId}', 'HELD_ALARM#{deliveryId}'),
  /** A delivery to be fetched from a webhook without a URL, and the deliveries handed out but not yet acknowledged. */
  feedLine: item('C#{customerId}#W#{webhookId}#FEED', '{time}#{0eventId}#{deliveryId}'),
  feedCursor: item('C#{customerId}#W#{webhookId}', 'FEED'),
  /** A customer's feed fetches waiting for deliveries. */
  feedWaits: item('C#{customerId}', 'FEED_WAITS'),
  /** The deliveries to people, in one partition per customer. They are sent one by one but listed together. */
  personDelivery: item('C#{customerId}#PEOPLE', 'DELIVERY#{deliveryId}'),
  replay: item('C#{customerId}#W#{webhookId}', 'REPLAY#{replayId}'),
  /** The work an import still has to do. Kept until it ends. The import itself is a job of kind `import`. */
  importSteps: item('C#{customerId}#JOBS', 'STEPS#{jobId}'),
  /** The import running for a customer. Other imports wait. */
  importTurn: item('C#{customerId}#JOBS', 'IMPORT_TURN'),
  /** An export, an erasure or an import, and whatever leads an erasure to a deleted subject's data. */
  dataJob: item('C#{customerId}#JOBS', 'JOB#{kind}#{jobId}'),
  lead: item('C#{customerId}#JOBS', 'LEAD#{jobId}#{kind}#{id}'),
  /** All erasures, to be repeated after a recovery. */
  erasure: item('ERASURES', '{jobId}'),
  canaryHome: item('CANARY', 'HOME'),
  canaryRound: item('CANARY', 'ROUND'),
  alarmSubscribers: item('ALARM_SUBSCRIBERS', 'ALL'),
  /** The encrypted key for signing acknowledgement links. */
  addressKey: item('ADDRESS_KEY', 'KEY'),
  /** The key for signing push messages. */
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

/** The `due` index keys. */
export const due = indexKey(tableDesign.indexes.due, 'DUE#{shard}', '{0time}');

const listKey = <const P extends string, const S extends string>(pk: P, sk: S) =>
  indexKey(tableDesign.indexes.list, pk, sk);

/** The `list` index keys, by list. */
export const lists = {
  /** The hits for a sensor, numbered without gaps within a series. */
  hitsOfSensor: listKey('C#{customerId}#S#{sensorId}#NUMBERED', '{0series}-{0number}-{0createDate}'),
  feedbackOfSensor: listKey('C#{customerId}#S#{sensorId}#FEEDBACK', '{0id}'),
  /** Sensor lists are built from these keys alone, so the keys contain the whole sensor (`packSensor`). */
  sensorsOfCustomer: listKey('C#{customerId}#SENSORS', '{=packedSensor}'),
  /** The states of sensors that see an open fall. */
  openFallsOfCustomer: listKey('C#{customerId}#FALLS', '{sensorId}'),
  /** Urgent events for which no rule fired. `fall` is empty for events that are not about a fall. */
  alarmsWithoutRule: listKey('C#{customerId}#UNRULED', '{0receiveDate}#{action}#{fall}'),
  heldOfWebhook: listKey('C#{customerId}#W#{webhookId}#HELD', '{deliveryId}'),
} as const;
