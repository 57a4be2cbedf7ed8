import { accessTokenReads, accessTokenWrites } from './access-tokens.ts';
import { backoffWrites } from './backoffs.ts';
import { botReads, botWrites } from './bots.ts';
import type { Table, TableReader } from './client.ts';
import { configReads, configWrites } from './configs.ts';
import { customerReads, customerWrites } from './customers.ts';
import { deliveryReads, deliveryWrites } from './deliveries.ts';
import { deliveryLogReads } from './delivery-log.ts';
import { dueReads, dueWrites } from './due.ts';
import { eventReads, eventWrites } from './events.ts';
import { feedbackReads, feedbackWrites } from './feedback.ts';
import { firmwareReads, firmwareWrites } from './firmwares.ts';
import { healthWrites } from './health.ts';
import { heldReads, heldWrites } from './held.ts';
import { limitWrites } from './limits.ts';
import { provisioningReads, provisioningWrites } from './provisioning.ts';
import { repetitionWrites } from './repetitions.ts';
import { replayReads, replayWrites } from './replays.ts';
import { resetReads, resetWrites } from './resets.ts';
import { roomReads, roomWrites } from './rooms.ts';
import { ruleHitReads, ruleHitWrites } from './rule-hits.ts';
import { ruleReads, ruleWrites } from './rules.ts';
import { secretWrites } from './secrets.ts';
import { sensorGroupReads, sensorGroupWrites } from './sensor-groups.ts';
import { sensorReads, sensorWrites } from './sensors.ts';
import { sessionReads, sessionWrites } from './sessions.ts';
import { userReads, userWrites } from './users.ts';
import { webhookReads, webhookWrites } from './webhooks.ts';

const reads = (table: TableReader) => ({
  accessTokens: accessTokenReads(table),
  bots: botReads(table),
  configs: configReads(table),
  customers: customerReads(table),
  deliveries: deliveryReads(table),
  deliveryLog: deliveryLogReads(table),
  due: dueReads(table),
  events: eventReads(table),
  held: heldReads(table),
  firmwares: firmwareReads(table),
  feedback: feedbackReads(table),
  provisioning: provisioningReads(table),
  rooms: roomReads(table),
  replays: replayReads(table),
  resets: resetReads(table),
  ruleHits: ruleHitReads(table),
  rules: ruleReads(table),
  sensorGroups: sensorGroupReads(table),
  sensors: sensorReads(table),
  sessions: sessionReads(table),
  users: userReads(table),
  webhooks: webhookReads(table),
});

const writes = (table: Table) => ({
  accessTokens: accessTokenWrites(table),
  bots: botWrites(table),
  configs: configWrites(table),
  customers: customerWrites(table),
  deliveries: deliveryWrites(table),
  due: dueWrites(table),
  events: eventWrites(table),
  held: heldWrites(table),
  firmwares: firmwareWrites(table),
  feedback: feedbackWrites(table),
  provisioning: provisioningWrites(table),
  rooms: roomWrites(table),
  replays: replayWrites(table),
  resets: resetWrites(table),
  ruleHits: ruleHitWrites(table),
  rules: ruleWrites(table),
  sensorGroups: sensorGroupWrites(table),
  sensors: sensorWrites(table),
  sessions: sessionWrites(table),
  users: userWrites(table),
  webhooks: webhookWrites(table),
});

/** What a read-only operation holds: there is nothing in it that writes. */
export type StoreReader = ReturnType<typeof reads>;
type Writes = ReturnType<typeof writes>;
export type Store = { [K in keyof StoreReader]: StoreReader[K] & (K extends keyof Writes ? Writes[K] : unknown) } & {
  backoffs: ReturnType<typeof backoffWrites>;
  limits: ReturnType<typeof limitWrites>;
  health: ReturnType<typeof healthWrites>;
  repetitions: ReturnType<typeof repetitionWrites>;
  secrets: ReturnType<typeof secretWrites>;
};

export const storeReader = (table: TableReader): StoreReader => reads(table);

export const store = (table: Table): Store => {
  const [reading, writing] = [reads(table), writes(table)];
  const both = Object.keys(reading).map((noun) => [
    noun,
    { ...reading[noun as keyof StoreReader], ...writing[noun as keyof Writes] },
  ]);
  const unread = {
    backoffs: backoffWrites(table),
    limits: limitWrites(table),
    health: healthWrites(table),
    repetitions: repetitionWrites(table),
    secrets: secretWrites(table),
  };
  return { ...Object.fromEntries(both), ...unread } as Store;
};
