import { isDeepStrictEqual } from 'node:util';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { StoredLine } from '#shared/domain/identity/audit.ts';
import type { Acknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { type PackedMessage, packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import { type DeliveryItem, deliveryOf } from '../deliveries/delivery-item.ts';
import type { StoredHit } from '../hits/hit-item.ts';
import { items } from '../table.ts';
import type { Found, Who } from './subjects.ts';

export type ItemKind = keyof typeof items;
/** What an erasure does with an item: nothing (it is of somebody else), removes it, or leaves this of it. */
export type Verdict = 'keep' | 'remove' | Found;
type Rule = (item: Found, who: Who) => Verdict;
type Kind = Who['subject']['kind'];
/** A kind of item, by whose it may be. Of those that are left out it has nothing. */
type Belonging = Readonly<Partial<Record<Kind, Rule>>>;

const all: Rule = () => 'remove';
const itsOwn = { customer: all, sensor: all, user: all };
const ofCustomer = { customer: all };
const ofUser = { customer: all, user: all };
const ofNobody: Belonging = {};
const removeIf = (is: boolean): Verdict => (is ? 'remove' : 'keep');

/** What stands instead of a name, an address or an id. */
const ERASED = 'erased';

/** What keeps the place of an erased hit: the ids of a customer's hits have no gaps. */
const placeOf = ({ pk, sk, id, createDate, ttl, ruleCustomerId, situation }: Found): Found => ({
  pk,
  sk,
  id,
  createDate,
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

const nobody = { userId: null, name: ERASED };

type Message = Partial<Pick<PackedMessage, 'accountId' | 'publisher' | 'extra'>>;
/** A message without a user whom it is for; all others as they are. */
const messageWithout = <T extends Message>(message: T, id: number): T =>
  message.accountId === id && message.publisher !== 'webhook'
    ? { ...message, accountId: 0, extra: { is_bot: false, display_name: ERASED } }
    : message;

/** A hit without a user who was told of it, acknowledged it, or wrote feedback on it. */
const hitWithout: Rule = (item, { subject }) => {
  const { told, messages, acknowledgement, feedback, escalation } = item as unknown as StoredHit;
  const id = Number(subject.id);
  const to = escalation?.to?.filter((receiver) => !receiver.startsWith(`${id} `));
  const left = {
    ...item,
    messages: messages.map((message) => messageWithout(message, id)),
    ...(told !== undefined && {
      told: packMessages(unpackMessages(told).map((message) => messageWithout(message, id))),
    }),
    ...(acknowledgement?.userId === id && { acknowledgement: { ...acknowledgement, ...nobody } }),
    ...(feedback?.accountId === id && { feedback: { ...feedback, accountId: 0 } }),
    ...(to && { escalation: { ...escalation, to } }),
  };
  return isDeepStrictEqual(left, item) ? 'keep' : left;
};

const feedbackWithout: Rule = (item, { subject: { id } }) =>
  item.accountId === id ? { ...item, accountId: 0 } : 'keep';

const feedbackOfHitWithout: Rule = (item, { subject: { id } }) => {
  const feedback = item.feedback as Feedback;
  return feedback.accountId === id ? { ...item, feedback: { ...feedback, accountId: 0 } } : 'keep';
};

const noticeWithout: Rule = (item, { subject: { id } }) => {
  const by = item.acknowledgement as Acknowledgement | undefined;
  return by && by.userId === id ? { ...item, acknowledgement: { ...by, ...nobody } } : 'keep';
};

/** A line without who made the call, and whom or what it was about, as far as those are of the subject. */
const lineWithout: Rule = (item, { named }) => {
  const { actor, object } = item as unknown as StoredLine;
  const kind = actor.kind === 'device' ? 'sensor' : 'user';
  const isActor = actor.id !== null && actor.kind !== 'key' && named.has(`${kind} ${actor.id}`);
  const isObject = named.has(`${object.kind} ${object.id}`);
  if (!isActor && !isObject) return 'keep';
  return {
    ...item,
    ...(isActor && { actor: { ...actor, id: null, name: null }, address: ERASED }),
    ...(isObject && { object: { kind: object.kind, id: ERASED } }),
  };
};

const delivery = (item: Found) => deliveryOf(item as unknown as DeliveryItem & Found);
const deliveries: Belonging = {
  customer: all,
  sensor: (item, { customerId, subject }) => {
    const { sensor, customer } = delivery(item).snapshot;
    return removeIf(sensor.id === subject.id && (customer?.id ?? customerId) === customerId);
  },
  user: (item, { subject: { id } }) => {
    const { snapshot, person } = delivery(item);
    return removeIf(person?.userId === id || snapshot.acknowledgement?.userId === id);
  },
};

/** Every kind of item, with what an erasure does with those of a customer, of a sensor in it, and of a user. */
export const belongings: Readonly<Record<ItemKind, Belonging>> = {
  // Counts and keys of the whole service, what is nobody's, and what goes away within a day under hashed names.

  counter: ofNobody,
  heartbeat: ofNobody,
  rate: ofNobody,
  oidcLogin: ofNobody,
  addressKey: ofNobody,
  pushKey: ofNobody,
  makerFeedback: ofNobody,
  canaryHome: ofNobody,
  canaryRound: ofNobody,
  provisioningKey: ofNobody,
  listedKey: ofNobody,
  firmware: ofNobody,
  firmwareDefault: ofNobody,
  firmwarePins: ofNobody,
  // An erasure keeps itself, and what tells its sensor only to who has the id. Its leads it removes at its end.
  dataJob: ofNobody,
  lead: ofNobody,
  erasure: ofNobody,
  erasedSensor: ofNobody,
  session: ofUser,
  account: ofUser,
  password: ofUser,
  otp: ofUser,
  username: ofUser,
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
  owner: { customer: (item, { customerId }) => removeIf(item.customerId === customerId), user: all },
  // It goes with its customer, in one transaction.
  listedCustomer: ofNobody,
  customer: ofCustomer,
  bot: ofCustomer,
  sensorGroup: ofCustomer,
  webhook: ofCustomer,
  formerWebhook: ofCustomer,
  replay: ofCustomer,
  feedCursor: ofCustomer,
  rule: ofCustomer,
  ruleById: ofCustomer,
  wholeRule: ofCustomer,
  listedRule: ofCustomer,
  enabledRules: ofCustomer,
  user: { customer: all, user: (item, { subject }) => removeIf(item.id === subject.id) },
  formerUser: { customer: all, user: (item, { accountKey }) => removeIf(item.accountKey === accountKey) },
  duty: { customer: all, user: (item, { subject }) => removeIf(item.userId === subject.id) },
  channel: ofUser,
  // Lines about what was of no customer yet are under none.
  auditLine: {
    customer: (item, who) =>
      items.auditLine.read(item)?.customerId === String(who.customerId) ? 'remove' : lineWithout(item, who),
    sensor: lineWithout,
    user: lineWithout,
  },
  sensor: { customer: all, sensor: (item, { subject }) => removeIf(item.id === subject.id) },
  formerSensor: {
    customer: all,
    sensor: (item, { subject }) => removeIf(items.formerSensor.read(item)?.sensorId === subject.id),
  },
  groupMember: {
    customer: all,
    sensor: (item, { subject }) => removeIf(items.groupMember.read(item)?.sensorId === subject.id),
  },
  sensorState: itsOwn,
  room: itsOwn,
  config: itsOwn,
  event: itsOwn,
  message: itsOwn,
  notice: { customer: all, sensor: all, user: noticeWithout },
  feedback: { customer: all, sensor: all, user: feedbackWithout },
  feedbackOfHit: { customer: all, sensor: all, user: feedbackOfHitWithout },
  ruleHit: {
    customer: all,
    sensor: (item, { subject }) => (item.sensorId === subject.id ? placeOf(item) : 'keep'),
    user: hitWithout,
  },
  lateChange: { customer: all, sensor: (item, { subject }) => removeIf(item.sensorId === subject.id) },
  delivery: deliveries,
  personDelivery: deliveries,
  // Those of a single delivery are found by it.
  attempt: { customer: all, sensor: all, user: all },
  feedLine: ofCustomer,
  hardware: ofCustomer,
  device: ofCustomer,
  deviceOfSensor: ofCustomer,
  pairingCode: ofCustomer,
};
