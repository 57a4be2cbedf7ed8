import { type DeliveryItem, deliveryOf } from '../deliveries/delivery-item.ts';
import type { Item } from '../engine/request.ts';
import { type StoredHit, unpacked } from '../hits/hit-item.ts';
import { items } from '../table.ts';
import type { ItemKind } from './subject-items.ts';
import type { Found, Who } from './subjects.ts';

type Shown = (item: Found, who: Who) => Item;

/** How an item is found, and when it goes away: nothing of whoever it is about. */
const ofTheTable = ['pk', 'sk', 'duePk', 'dueAt', 'listPk', 'listSk', 'ttl', 'version', 'revision'];
const without =
  (...hidden: readonly string[]): Shown =>
  (item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !ofTheTable.includes(name) && !hidden.includes(name)));
const whole = without();
const keyOnly =
  (kind: 'groupMember' | 'knownAddress', ...names: readonly string[]): Shown =>
  (item) =>
    Object.fromEntries(Object.entries(items[kind].read(item) ?? {}).filter(([name]) => names.includes(name)));

const delivery: Shown = (item, who) => whole({ ...item, ...deliveryOf(item as Found & DeliveryItem) }, who);

/** A hit; for a user only what it says of that user: it is about somebody else. */
const hit: Shown = (item, who) => {
  const { subject } = who;
  const all = unpacked(item as Found & StoredHit);
  if (subject.kind !== 'user') return whole({ ...item, ...all, told: undefined }, who);
  const { id, createDate, situation, acknowledgement, messages } = all;
  return {
    id,
    createDate,
    situation,
    ...(acknowledgement?.userId === subject.id && { acknowledgement }),
    messages: messages.filter(({ accountId, publisher }) => publisher !== 'webhook' && accountId === subject.id),
  };
};

/**
 * What an export shows of each kind of item, without any secret. Null: nothing, because the item only leads to others,
 * repeats one of them, or is a secret and no more.
 */
export const shownOf: Readonly<Record<ItemKind, Shown | null>> = {
  counter: null,
  heartbeat: null,
  rate: null,
  oidcLogin: null,
  addressKey: null,
  pushKey: null,
  makerFeedback: null,
  canaryHome: null,
  canaryRound: null,
  provisioningKey: null,
  listedKey: null,
  firmware: null,
  firmwareDefault: null,
  firmwarePins: null,
  dataJob: null,
  lead: null,
  erasure: null,
  erasedSensor: null,
  password: null,
  otp: null,
  username: null,
  account: null,
  login: null,
  accessToken: null,
  idToken: null,
  reset: null,
  resetOfAccount: null,
  externalUser: null,
  owner: null,
  listedCustomer: null,
  formerUser: null,
  formerWebhook: null,
  rule: null,
  wholeRule: null,
  listedRule: null,
  enabledRules: null,
  lateChange: null,
  feedbackOfHit: null,
  feedLine: null,
  feedCursor: null,
  hardware: null,
  device: null,
  deviceOfSensor: null,
  pairingCode: null,
  session: without('csrf', 'epoch', 'id'),
  knownAddress: keyOnly('knownAddress', 'address'),
  customer: without('hooks'),
  user: without('accountKey', 'subject'),
  channel: without('codeHash', 'codeExpires', 'tries', 'subscription'),
  duty: whole,
  auditLine: whole,
  bot: whole,
  sensor: whole,
  formerSensor: whole,
  sensorGroup: whole,
  groupMember: keyOnly('groupMember', 'groupId', 'sensorId'),
  webhook: without('token', 'secretKey', 'previousSecret', 'previousUntil'),
  ruleById: whole,
  sensorState: whole,
  room: whole,
  config: whole,
  event: whole,
  message: whole,
  notice: whole,
  feedback: whole,
  ruleHit: hit,
  delivery,
  personDelivery: delivery,
  attempt: whole,
  replay: whole,
};
