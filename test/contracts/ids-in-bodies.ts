import { unknownIds, type World } from './world.ts';

type Id = string | number;
/** An id's path in a body, as named in a 400 response, with an unknown id and another customer's id. */
type IdField = { path: string; body: (id: Id) => unknown; unknown: Id; theirs?: Id };

export const rule = ({ ours: { bot, webhook } }: World) => ({
  name: 'n',
  title: 't',
  message: 'm',
  situation: 'fall_detected',
  recipients: [{ botId: bot.id, webhookId: webhook.id }],
});
export const webhook = ({ ours: { bot } }: World) => ({
  name: 'n',
  url: 'http://127.0.0.1:9/hook',
  format: 'full',
  isCustomerHook: false,
  botId: bot.id,
});

export const opinion = { referenceDate: 1, reason: 'r', description: 'd', classification: 'FALSE_POSITIVE' };

const NUMBER = 987_654_321;
const { webhookId: UUID = '', sensorId: SENSOR = '' } = unknownIds;

const stepTo = (world: World, recipient: object) => ({
  ...rule(world),
  escalation: [{ afterSeconds: 30, recipients: [recipient] }],
});

const ruleIds = (world: World): IdField[] => {
  const { ours, theirs } = world;
  const recipient = { botId: ours.bot.id, webhookId: ours.webhook.id };
  const to = (more: object) => ({ ...rule(world), recipients: [recipient, { ...recipient, ...more }] });
  const withField = (path: string) => ({ path, body: (id: Id) => ({ ...rule(world), [path]: id }) });
  return [
    {
      path: 'recipients.1.webhookId',
      body: (webhookId) => to({ webhookId }),
      unknown: UUID,
      theirs: theirs.webhook.id,
    },
    { path: 'recipients.1.botId', body: (botId) => to({ botId }), unknown: NUMBER, theirs: theirs.bot.id },
    {
      path: 'recipients.1.userId',
      body: (userId) => ({ ...rule(world), recipients: [recipient, { userId, by: 'email' }] }),
      unknown: NUMBER,
      theirs: theirs.userId,
    },
    {
      path: 'escalation.0.recipients.0.webhookId',
      body: (webhookId) => stepTo(world, { ...recipient, webhookId }),
      unknown: UUID,
      theirs: theirs.webhook.id,
    },
    {
      path: 'escalation.0.recipients.0.botId',
      body: (botId) => stepTo(world, { ...recipient, botId }),
      unknown: NUMBER,
      theirs: theirs.bot.id,
    },
    { ...withField('sensorId'), unknown: SENSOR, theirs: theirs.sensor.sensorId },
    {
      path: 'regionId',
      body: (regionId) => ({ ...rule(world), sensorId: ours.sensor.sensorId, regionId }),
      unknown: UUID,
    },
    { ...withField('sensorGroupId'), unknown: NUMBER, theirs: Number(theirs.ids.groupId) },
  ];
};
const webhookIds = (world: World): IdField[] => [
  { path: 'botId', body: (botId) => ({ ...webhook(world), botId }), unknown: NUMBER, theirs: world.theirs.bot.id },
  {
    path: 'sensorGroupId',
    body: (sensorGroupId) => ({ ...webhook(world), isCustomerHook: true, botId: null, sensorGroupId }),
    unknown: NUMBER,
    theirs: Number(world.theirs.ids.groupId),
  },
];

const groupIds = ({ ours, theirs }: World): IdField[] => [
  {
    path: 'sensorIds.1',
    body: (id) => ({ name: 'n', sensorIds: [ours.ids.freeSensorId, id] }),
    unknown: SENSOR,
    theirs: theirs.sensor.sensorId,
  },
];

const planIds = ({ theirs }: World): IdField[] => [
  {
    path: 'rooms.0.sensorId',
    body: (sensorId) => ({ width: 40, height: 20, rooms: [{ sensorId, x: 1, y: 2, rotation: 0 }] }),
    unknown: SENSOR,
    theirs: theirs.sensor.sensorId,
  },
];

const feedbackIds = ({ theirs }: World): IdField[] => [
  {
    path: 'ruleHitId',
    body: (ruleHitId) => ({ ...opinion, ruleHitId }),
    unknown: NUMBER,
    theirs: Number(theirs.ids.ruleHitId),
  },
  { path: 'eventId', body: (eventId) => ({ ...opinion, eventId }), unknown: UUID, theirs: theirs.ids.eventId ?? '' },
];

const contactIds = ({ theirs }: World): IdField[] => [
  { path: '0.userId', body: (userId) => [{ userId, by: 'email' }], unknown: NUMBER, theirs: theirs.userId },
];

const rosterIds = ({ theirs }: World): IdField[] => [
  {
    path: '0.userId',
    body: (userId) => [{ userId, days: [1], from: '08:00', to: '16:00' }],
    unknown: NUMBER,
    theirs: theirs.userId,
  },
];

/** Body fields that contain the id of a customer's object, by operation. */
export const idsInBodies: Readonly<Record<string, (world: World) => IdField[]>> = {
  createFeedback: feedbackIds,
  createRule: ruleIds,
  updateRule: ruleIds,
  createSensorGroup: groupIds,
  updateSensorGroup: groupIds,
  setFloorPlan: planIds,
  setEmergencyContacts: contactIds,
  setRoster: rosterIds,
  createWebhook: webhookIds,
  updateWebhook: webhookIds,
};
/**
 * Fields whose names end in Id but that refer to no customer object, and the customer itself, which has separate tests.
 */
export const otherIds: readonly string[] = ['customerId', 'telegramId', 'hardwareId'];
