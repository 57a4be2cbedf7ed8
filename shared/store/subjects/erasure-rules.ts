import { isDeepStrictEqual } from 'node:util';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import type { Acknowledgement, FallClosure } from '#shared/domain/rule/acknowledgement-view.ts';
import { type PackedMessage, packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import { type DeliveryItem, deliveryOf } from '../deliveries/delivery-item.ts';
import type { StoredHit } from '../hits/hit-item.ts';
import type { UnnotifiedAlarm } from '../rules/unnotified-alarm.ts';
import { items } from '../table.ts';
import type { StoredItem, SubjectScope } from './subjects.ts';

export type ItemKind = keyof typeof items;
/**
 * What an erasure does with an item: keeps it because it belongs to someone else, removes it, or replaces it with this
 * reduced item.
 */
export type Verdict = 'keep' | 'remove' | StoredItem;
type ErasureRule = (item: StoredItem, who: SubjectScope) => Verdict;
type SubjectKind = SubjectScope['subject']['kind'];
/** The rules for an item kind, by subject kind. Without a rule, the item holds no data about such a subject. */
type KindRules = Readonly<Partial<Record<SubjectKind, ErasureRule>>>;

const remove: ErasureRule = () => 'remove';
const ofAll = { customer: remove, sensor: remove, user: remove };
const ofCustomer = { customer: remove };
const ofUser = { customer: remove, user: remove };
const ofNobody: KindRules = {};
const removeIf = (isOfSubject: boolean): Verdict => (isOfSubject ? 'remove' : 'keep');
const ofOwnAccount: ErasureRule = (item, { accountKeys }) => removeIf(accountKeys.has(String(item.accountKey)));

/** Replaces a name, an address or an id. */
const ERASED = 'erased';

/** Returns the item that stands in for an erased hit, because a customer's hit ids have no gaps. */
const erasedHit = ({ pk, sk, id, createDate, orderDate, ttl, ruleCustomerId, situation }: StoredItem): StoredItem => ({
  pk,
  sk,
  id,
  createDate,
  ...(orderDate !== undefined && { orderDate }),
  updateDate: createDate,
  ttl,
  ruleCustomerId,
  situation,
  isErased: true,
  messages: [],
  ruleId: 0,
  ruleSensorGroupId: 0,
  sensorId: '',
  sensorEventId: ERASED,
});

const erasedUser = { userId: null, name: ERASED };

type Message = Partial<Pick<PackedMessage, 'accountId' | 'publisher' | 'extra'>>;
/** Returns a message to this user with the user removed, and any other message unchanged. */
const messageWithout = <T extends Message>(message: T, id: number): T =>
  message.accountId === id && message.publisher !== 'webhook'
    ? { ...message, accountId: 0, extra: { is_bot: false, display_name: ERASED } }
    : message;

/** Removes a user from a hit: as a recipient, and from the acknowledgement, closure, feedback and escalation. */
const hitWithoutUser: ErasureRule = (item, { subject }) => {
  const { told, messages, acknowledgement, closure, feedback, escalation } = item as unknown as StoredHit;
  const id = Number(subject.id);
  const to = escalation?.to?.filter((recipient) => !recipient.startsWith(`${id} `));
  const reduced = {
    ...item,
    messages: messages.map((message) => messageWithout(message, id)),
    ...(told !== undefined && {
      told: packMessages(unpackMessages(told).map((message) => messageWithout(message, id))),
    }),
    ...(acknowledgement?.userId === id && { acknowledgement: { ...acknowledgement, ...erasedUser } }),
    ...(closure?.userId === id && { closure: { ...closure, ...erasedUser } }),
    ...(feedback?.accountId === id && { feedback: { ...feedback, accountId: 0 } }),
    ...(to && { escalation: { ...escalation, to } }),
  };
  return isDeepStrictEqual(reduced, item) ? 'keep' : reduced;
};

const feedbackWithoutUser: ErasureRule = (item, { subject: { id } }) =>
  item.accountId === id ? { ...item, accountId: 0 } : 'keep';

const feedbackOfHitWithoutUser: ErasureRule = (item, { subject: { id } }) => {
  const feedback = item.feedback as Feedback;
  return feedback.accountId === id ? { ...item, feedback: { ...feedback, accountId: 0 } } : 'keep';
};

/** Removes a user from the acknowledgement in an item. */
const acknowledgementWithoutUser: ErasureRule = (item, { subject: { id } }) => {
  const acknowledgement = item.acknowledgement as Acknowledgement | undefined;
  return acknowledgement && acknowledgement.userId === id
    ? { ...item, acknowledgement: { ...acknowledgement, ...erasedUser } }
    : 'keep';
};

/** Removes a user from the answer to a fall. */
const answerWithoutUser: ErasureRule = (item, { subject: { id } }) => {
  const { acknowledgement, closure } = item as { acknowledgement?: Acknowledgement; closure?: FallClosure };
  const reduced = {
    ...(acknowledgement?.userId === id && { acknowledgement: { ...acknowledgement, ...erasedUser } }),
    ...(closure?.userId === id && { closure: { ...closure, ...erasedUser } }),
  };
  return Object.keys(reduced).length > 0 ? { ...item, ...reduced } : 'keep';
};

/** Removes a user from the emergency contacts. */
const customerWithoutUser: ErasureRule = (item, { subject: { id } }) => {
  const contacts = (item.emergencyContacts ?? []) as { userId: number }[];
  const others = contacts.filter(({ userId }) => userId !== Number(id));
  return others.length < contacts.length ? { ...item, emergencyContacts: others } : 'keep';
};

/** Removes a user's entries from the roster. */
const rosterWithoutUser: ErasureRule = (item, { subject: { id } }) => {
  const entries = item.entries as { userId: number }[];
  const others = entries.filter(({ userId }) => userId !== id);
  return others.length < entries.length ? { ...item, entries: others } : 'keep';
};

/** Removes a room from a plan. */
const planWithoutSensor: ErasureRule = (item, { subject: { id } }) => {
  const rooms = item.rooms as { sensorId: string }[];
  const others = rooms.filter(({ sensorId }) => sensorId !== id);
  return others.length < rooms.length ? { ...item, rooms: others } : 'keep';
};

/** Removes a user from the recipients of a later alarm list. */
const unnotifiedWithoutUser: ErasureRule = (item, { subject: { id } }) => {
  const { deferredTo, refusedTo } = item as Pick<UnnotifiedAlarm, 'deferredTo' | 'refusedTo'>;
  const others = (userIds: readonly number[]) => userIds.filter((userId) => userId !== id);
  const reduced = {
    ...item,
    ...(deferredTo && { deferredTo: others(deferredTo) }),
    ...(refusedTo && { refusedTo: others(refusedTo) }),
  };
  return isDeepStrictEqual(reduced, item) ? 'keep' : reduced;
};

/** Objects whose ids stay in the audit log. They identify only people and customers that are already known. */
const isPseudonym = (kind: string): boolean => kind === 'user' || kind === 'customer';
/** Returns a value in audit details without the ids of erased sensors. */
const withoutSensors = (value: unknown, named: ReadonlySet<string>): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'string' && named.has(`sensor ${part}`) ? ERASED : part,
    ),
  );
/**
 * Removes everything that is the subject or part of it from an audit log line: the actor's name and address, the
 * object, and sensor ids in the details. User ids stay, so that erasing a user does not hide who did what.
 */
const lineWithoutSubject: ErasureRule = (item, { named }) => {
  const { actor, object, details } = item as unknown as StoredAuditEntry;
  const kind = actor.kind === 'device' ? 'sensor' : 'user';
  const isActor = actor.id !== null && actor.kind !== 'key' && named.has(`${kind} ${actor.id}`);
  const isObject = !isPseudonym(object.kind) && named.has(`${object.kind} ${object.id}`);
  const id = isPseudonym(kind) ? actor.id : null;
  const reduced = {
    ...item,
    ...(isActor && { actor: { ...actor, id, name: null }, address: ERASED }),
    ...(isObject && { object: { kind: object.kind, id: ERASED } }),
    ...(details && { details: withoutSensors(details, named) }),
  };
  return isDeepStrictEqual(reduced, item) ? 'keep' : reduced;
};

const delivery = (item: StoredItem) => deliveryOf(item as unknown as DeliveryItem & StoredItem);
const deliveries: KindRules = {
  // The maker's partition holds feedback from every customer.
  customer: (item, { customerId, named }) => {
    const { customerId: owner, feedbackFrom, snapshot } = delivery(item);
    const isFeedback = feedbackFrom
      ? feedbackFrom.customerId === customerId
      : named.has(`sensor ${snapshot.sensor.id}`);
    return removeIf(owner === customerId || isFeedback);
  },
  sensor: (item, { customerId, subject }) => {
    const { snapshot, feedbackFrom } = delivery(item);
    const owner = snapshot.customer?.id ?? feedbackFrom?.customerId ?? customerId;
    return removeIf(snapshot.sensor.id === subject.id && owner === customerId);
  },
  user: (item, { subject: { id } }) => {
    const { snapshot, person, feedbackFrom } = delivery(item);
    return removeIf([person, snapshot.acknowledgement, feedbackFrom].some((named) => named?.userId === id));
  },
};

/** What an erasure of a customer, sensor or user does with each kind of item. */
export const erasureRules: Readonly<Record<ItemKind, KindRules>> = {
  // Service-wide items, items without an owner, and items under hashed names that expire within a day.
  counter: ofNobody,
  heartbeat: ofNobody,
  rate: ofNobody,
  oidcLogin: ofNobody,
  addressKey: ofNobody,
  pushKey: ofNobody,
  makerFeedback: ofNobody,
  canaryHome: ofNobody,
  canaryRound: ofNobody,
  alarmSubscribers: ofNobody,
  provisioningKey: ofNobody,
  listedKey: ofNobody,
  firmware: ofNobody,
  firmwareDefault: ofNobody,
  firmwarePins: ofNobody,
  changedCustomer: ofNobody,
  dutyCheck: ofNobody,
  // Needed by erasures. Leads are removed at the end, and the id of an erased sensor is hashed.
  dataJob: ofNobody,
  lead: ofNobody,
  erasure: ofNobody,
  erasedSensor: ofNobody,
  // Deleted within hours, when the import ends.
  importSteps: ofNobody,
  importTurn: ofNobody,
  session: ofUser,
  account: ofUser,
  password: ofUser,
  otp: ofUser,
  // During an erasure, someone else may register a name that is free again.
  username: { customer: ofOwnAccount, user: ofOwnAccount },
  knownAddress: ofUser,
  login: ofUser,
  accessToken: ofUser,
  idToken: ofUser,
  reset: ofUser,
  resetOfAccount: ofUser,
  externalUser: {
    customer: (item, { customerId }) => removeIf(item.customerId === customerId),
    user: (item, { subject }) => removeIf(item.userId === subject.id),
  },
  owner: { customer: (item, { customerId }) => removeIf(item.customerId === customerId), user: remove },
  // Removed in the same transaction as the customer.
  listedCustomer: ofNobody,
  customer: { customer: remove, user: customerWithoutUser },
  bot: ofCustomer,
  sensorGroup: ofCustomer,
  webhook: ofCustomer,
  formerWebhook: ofCustomer,
  replay: ofCustomer,
  feedCursor: ofCustomer,
  feedWaits: ofCustomer,
  rule: ofCustomer,
  ruleById: ofCustomer,
  wholeRule: ofCustomer,
  listedRule: ofCustomer,
  enabledRules: ofCustomer,
  user: { customer: remove, user: (item, { subject }) => removeIf(item.id === subject.id) },
  formerUser: { customer: remove, user: ofOwnAccount },
  duty: { customer: remove, user: (item, { subject }) => removeIf(item.userId === subject.id) },
  roster: { customer: remove, user: rosterWithoutUser },
  channel: ofUser,
  // Computed from other items, so it can go with any of them.
  watch: ofAll,
  // Lines about objects that had no customer yet are under customer 0.
  auditLine: {
    customer: (item, who) =>
      items.auditLine.read(item)?.customerId === String(who.customerId) ? 'remove' : lineWithoutSubject(item, who),
    sensor: lineWithoutSubject,
    user: lineWithoutSubject,
  },
  sensor: { customer: remove, sensor: (item, { subject }) => removeIf(item.id === subject.id) },
  formerSensor: {
    customer: remove,
    sensor: (item, { subject }) => removeIf(items.formerSensor.read(item)?.sensorId === subject.id),
  },
  groupMember: {
    customer: remove,
    sensor: (item, { subject }) => removeIf(items.groupMember.read(item)?.sensorId === subject.id),
  },
  floorPlan: { customer: remove, sensor: planWithoutSensor },
  sensorState: ofAll,
  room: ofAll,
  config: ofAll,
  event: ofAll,
  message: ofAll,
  notice: { customer: remove, sensor: remove, user: acknowledgementWithoutUser },
  feedback: { customer: remove, sensor: remove, user: feedbackWithoutUser },
  feedbackOfHit: { customer: remove, sensor: remove, user: feedbackOfHitWithoutUser },
  ruleHit: {
    customer: remove,
    sensor: (item, { subject }) => (item.sensorId === subject.id ? erasedHit(item) : 'keep'),
    user: hitWithoutUser,
  },
  lateChange: { customer: remove, sensor: (item, { subject }) => removeIf(item.sensorId === subject.id) },
  fallAnswer: {
    customer: remove,
    sensor: (item, { subject }) => removeIf(items.fallAnswer.read(item)?.sensorId === subject.id),
    user: answerWithoutUser,
  },
  unnotified: {
    customer: remove,
    sensor: (item, { subject }) => removeIf(item.sensorId === subject.id),
    user: unnotifiedWithoutUser,
  },
  delivery: deliveries,
  personDelivery: deliveries,
  // For a sensor or a user, found only through the delivery.
  attempt: ofAll,
  // For a sensor, removed with the delivery.
  heldAlarm: ofCustomer,
  feedLine: ofCustomer,
  hardware: ofCustomer,
  device: ofCustomer,
  deviceOfSensor: ofCustomer,
  pairingCode: ofCustomer,
};
