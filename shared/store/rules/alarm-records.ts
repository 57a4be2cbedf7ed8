import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { Table } from '../engine/client.ts';
import type { EscalatingHit } from './escalations.ts';
import type { UnnotifiedAlarm } from './unnotified-alarm.ts';

/** Loaded on first use, because nearly all alarms reach someone and are acknowledged. */
const load = () => import('./record-unnotified.ts');

/** Records of alarms that did not reach anyone or that no one acknowledged (record-unnotified.ts). */
export const alarmRecords = (table: Table) => ({
  record: async (alarm: UnnotifiedAlarm, messages?: readonly RuleMessage[]) =>
    (await load()).recordUnnotified(table, alarm, messages),

  recordUnanswered: async (alarm: UnnotifiedAlarm, hit: EscalatingHit, messages: readonly RuleMessage[]) =>
    (await load()).recordUnanswered(table, alarm, hit, messages),

  finish: async (alarm: UnnotifiedAlarm) => (await load()).finishUnnotified(table, alarm),
});
