import type { FallClosure, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { type DeliveryItem, deliveryOf } from '../deliveries/delivery-item.ts';
import type { Item } from '../engine/request.ts';
import { hitOf, type StoredHit } from '../hits/hit-item.ts';
import type { UnnotifiedAlarm } from '../rules/unnotified-alarm.ts';
import { items } from '../table.ts';
import type { ItemKind } from './erasure-rules.ts';
import type { StoredItem, SubjectScope } from './subjects.ts';

type Exporter = (item: StoredItem, who: SubjectScope) => Item;

/** Attributes that exist only for the table and contain nothing about a subject. */
const technicalNames = ['pk', 'sk', 'duePk', 'dueAt', 'listPk', 'listSk', 'ttl', 'version', 'revision'];
const without =
  (...hidden: readonly string[]): Exporter =>
  (item) =>
    Object.fromEntries(
      Object.entries(item).filter(([name]) => !technicalNames.includes(name) && !hidden.includes(name)),
    );
const whole = without();
const keyOnly =
  (kind: 'groupMember' | 'knownAddress', ...names: readonly string[]): Exporter =>
  (item) =>
    Object.fromEntries(Object.entries(items[kind].read(item) ?? {}).filter(([name]) => names.includes(name)));

const delivery: Exporter = (item, who) => whole({ ...item, ...deliveryOf(item as StoredItem & DeliveryItem) }, who);

/** Exports a roster. For a user, exports only that user's entries. */
const roster: Exporter = (item, who) => {
  const { subject } = who;
  const entries = item.entries as { userId: number }[];
  const own = subject.kind === 'user' ? entries.filter(({ userId }) => userId === subject.id) : entries;
  return whole({ ...item, entries: own }, who);
};

/** Exports a customer. For a user, exports no other emergency contacts. */
const customer: Exporter = (item, who) => {
  const { subject } = who;
  const contacts = item.emergencyContacts as { userId: number }[] | undefined;
  const own = subject.kind === 'user' ? contacts?.filter(({ userId }) => userId === subject.id) : contacts;
  return without('hooks')({ ...item, ...(own && { emergencyContacts: own }) }, who);
};

/** Exports an alarm that notified no one. For a user, exports no other recipients of a later list. */
const unnotified: Exporter = (item, who) => {
  const { subject } = who;
  const { deferredTo, refusedTo } = item as Pick<UnnotifiedAlarm, 'deferredTo' | 'refusedTo'>;
  const own = (userIds: number[]) => userIds.filter((id) => subject.kind !== 'user' || id === subject.id);
  const lists = { ...(deferredTo && { deferredTo: own(deferredTo) }), ...(refusedTo && { refusedTo: own(refusedTo) }) };
  return whole({ ...item, ...lists }, who);
};

/** Exports a plan. For a sensor, exports only its own room. */
const floorPlan: Exporter = (item, who) => {
  const { subject } = who;
  const rooms = item.rooms as { sensorId: string }[];
  const own = subject.kind === 'sensor' ? rooms.filter(({ sensorId }) => sensorId === subject.id) : rooms;
  return whole({ ...items.floorPlan.read(item), ...item, rooms: own }, who);
};

/** Exports a hit. For a user, exports only the parts about that user, because the hit is about someone else. */
const hit: Exporter = (item, who) => {
  const { subject } = who;
  const found = hitOf(item as StoredItem & StoredHit);
  if (subject.kind !== 'user') return whole({ ...item, ...found, told: undefined }, who);
  const { id, createDate, situation, acknowledgement, closure, messages } = found;
  return {
    id,
    createDate,
    situation,
    ...(acknowledgement?.userId === subject.id && { acknowledgement }),
    ...(closure?.userId === subject.id && { closure }),
    messages: messages.filter(({ accountId, publisher }) => publisher !== 'webhook' && accountId === subject.id),
  };
};

/** Exports the response to a fall. For a user, exports only the user's own part. */
const fallAnswer: Exporter = (item, { subject }) => {
  const { acknowledgement, closure } = item as { acknowledgement?: NotedAcknowledgement; closure?: FallClosure };
  const isShown = (by: { userId: number | null } | undefined) => subject.kind !== 'user' || by?.userId === subject.id;
  return {
    ...items.fallAnswer.read(item),
    ...(acknowledgement && isShown(acknowledgement) && { acknowledgement }),
    ...(closure && isShown(closure) && { closure }),
  };
};

/**
 * What an export includes from each kind of item, excluding any secrets. Null if it includes nothing of that kind,
 * because the item only leads to others, is a copy, or holds only a secret.
 */
export const exporters: Readonly<Record<ItemKind, Exporter | null>> = {
  counter: null,
  heartbeat: null,
  rate: null,
  oidcLogin: null,
  addressKey: null,
  pushKey: null,
  makerFeedback: null,
  canaryHome: null,
  canaryRound: null,
  alarmSubscribers: null,
  provisioningKey: null,
  listedKey: null,
  firmware: null,
  firmwareDefault: null,
  firmwarePins: null,
  changedCustomer: null,
  dutyCheck: null,
  watch: null,
  dataJob: null,
  lead: null,
  erasure: null,
  erasedSensor: null,
  importSteps: null,
  importTurn: null,
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
  heldAlarm: null,
  feedLine: null,
  feedCursor: null,
  feedWaits: null,
  hardware: null,
  device: null,
  deviceOfSensor: null,
  pairingCode: null,
  session: without('csrf', 'epoch', 'id'),
  knownAddress: keyOnly('knownAddress', 'address'),
  customer,
  user: without('accountKey', 'subject'),
  channel: without('codeHash', 'codeExpires', 'tries', 'subscription'),
  duty: whole,
  roster,
  auditLine: whole,
  bot: whole,
  sensor: whole,
  formerSensor: whole,
  sensorGroup: whole,
  groupMember: keyOnly('groupMember', 'groupId', 'sensorId'),
  floorPlan,
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
  fallAnswer,
  unnotified,
  delivery,
  personDelivery: delivery,
  attempt: whole,
  replay: whole,
};
