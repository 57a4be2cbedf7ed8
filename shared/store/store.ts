import type { StoreCall } from './access-pattern.ts';
import { accessTokenReads, accessTokenWrites } from './access-tokens.ts';
import { aliveReads } from './alive.ts';
import { backoffWrites } from './backoffs.ts';
import { botReads, botWrites } from './bots.ts';
import type { Table } from './client.ts';
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
import { stateReads, stateWrites } from './states.ts';
import { userReads, userWrites } from './users.ts';
import { webhookReads, webhookWrites } from './webhooks.ts';

/** Everything that is read from the table and written to it, by noun. */
export const store = (table: Table) => ({
  accessTokens: { ...accessTokenReads(table), ...accessTokenWrites(table) },
  alive: aliveReads(table),
  bots: { ...botReads(table), ...botWrites(table) },
  configs: { ...configReads(table), ...configWrites(table) },
  customers: { ...customerReads(table), ...customerWrites(table) },
  backoffs: backoffWrites(table),
  deliveries: { ...deliveryReads(table), ...deliveryWrites(table) },
  deliveryLog: deliveryLogReads(table),
  due: { ...dueReads(table), ...dueWrites(table) },
  events: { ...eventReads(table), ...eventWrites(table) },
  feedback: { ...feedbackReads(table), ...feedbackWrites(table) },
  firmwares: { ...firmwareReads(table), ...firmwareWrites(table) },
  health: healthWrites(table),
  held: { ...heldReads(table), ...heldWrites(table) },
  limits: limitWrites(table),
  provisioning: { ...provisioningReads(table), ...provisioningWrites(table) },
  repetitions: repetitionWrites(table),
  replays: { ...replayReads(table), ...replayWrites(table) },
  resets: { ...resetReads(table), ...resetWrites(table) },
  rooms: { ...roomReads(table), ...roomWrites(table) },
  ruleHits: { ...ruleHitReads(table), ...ruleHitWrites(table) },
  rules: { ...ruleReads(table), ...ruleWrites(table) },
  secrets: secretWrites(table),
  sensorGroups: { ...sensorGroupReads(table), ...sensorGroupWrites(table) },
  sensors: { ...sensorReads(table), ...sensorWrites(table) },
  sessions: { ...sessionReads(table), ...sessionWrites(table) },
  states: { ...stateReads(table), ...stateWrites(table) },
  users: { ...userReads(table), ...userWrites(table) },
  webhooks: { ...webhookReads(table), ...webhookWrites(table) },
});
export type Store = ReturnType<typeof store>;

type NounOf<C> = C extends `${infer N}.${string}` ? N : never;
type CallsOf<C, N extends string> = C extends `${N}.${infer M}` ? M : never;
/** As much of the store as makes these calls. */
export type StoreOf<C extends StoreCall> = {
  [N in NounOf<C> & keyof Store]: Pick<Store[N], CallsOf<C, N> & keyof Store[N]>;
};

/** A store that can make these calls, and no others. */
export const storeOf = <C extends StoreCall>(table: Table, calls: readonly C[]): StoreOf<C> => {
  const whole: Record<string, Record<string, unknown>> = store(table);
  const kept: typeof whole = {};
  for (const call of calls) {
    const [noun = '', name = ''] = call.split('.');
    kept[noun] = { ...kept[noun], [name]: whole[noun]?.[name] };
  }
  return kept as StoreOf<C>;
};
