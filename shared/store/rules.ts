import type { Situation } from '../domain/event.ts';
import type { Rule } from '../domain/rule.ts';
import type { Table, TableReader } from './client.ts';
import { absent, changes, present, type Write } from './request.ts';
import { items } from './table.ts';

/** Where a rule is found by an event: at its sensor, its group, or its customer. */
const scopeOf = ({ sensorId, sensorGroupId }: Pick<Rule, 'sensorId' | 'sensorGroupId'>): string =>
  sensorId !== null ? `S:${sensorId}` : sensorGroupId !== null ? `G:${sensorGroupId}` : 'ALL';

const keyOf = (rule: Rule) => {
  const { customerId, situation, id: ruleId } = rule;
  return items.rule({ customerId, scope: scopeOf(rule), situation, ruleId });
};

export const ruleReads = (table: TableReader) => ({
  get: (customerId: number, ruleId: number) => table.get<Rule>(items.ruleById({ customerId, ruleId })),

  list: (customerId: number) => table.queryAll<Rule>({ pk: items.rule.pk({ customerId }) }),

  /** Does any rule watch this group? Consistent: the answer decides whether the group may go. */
  watchesGroup: async (customerId: number, groupId: number): Promise<boolean> => {
    const beginsWith = items.rule.sk({ scope: `G:${groupId}`, situation: '', ruleId: '' }).slice(0, -'#'.length - 16);
    const query = { pk: items.rule.pk({ customerId }), beginsWith, limit: 1, consistent: true };
    return (await table.query<Rule>(query)).items.length > 0;
  },

  /** The rules that watch a situation of one sensor: three short queries, whatever rules other sensors have. */
  forSituation: async (customerId: number, sensor: { id: string; groupId: number }, situation: Situation) => {
    const scopes = [`S:${sensor.id}`, ...(sensor.groupId > 0 ? [`G:${sensor.groupId}`] : []), 'ALL'];
    const found = scopes.map((scope) => {
      const beginsWith = `${items.rule.sk({ scope, situation, ruleId: '' }).slice(0, -16)}`;
      return table.queryAll<Rule>({ pk: items.rule.pk({ customerId }), beginsWith });
    });
    return (await Promise.all(found)).flat();
  },
});

export const ruleWrites = (table: Table) => ({
  /** False when the customer, the sensor, a bot or a webhook that it names does not exist (any more). */
  create: async (rule: Rule): Promise<boolean> => {
    const { customerId, id: ruleId, sensorId, sensorGroupId: groupId } = rule;
    const key = keyOf(rule);
    const named = new Map<string, Write>();
    const mustBe = (check: { pk: string; sk: string }) =>
      named.set(`${check.pk} ${check.sk}`, { check, where: present });
    mustBe(items.customer({ customerId }));
    if (sensorId !== null) mustBe(items.sensor({ customerId, sensorId }));
    // Not only checked: whoever removes the group at the same time notices that there is a rule by now.
    const touched = changes({ add: { version: 1 }, if: present });
    if (groupId !== null) named.set('group', { update: items.sensorGroup({ customerId, groupId }), changes: touched });
    for (const { botId, webhookId } of rule.recipients) {
      mustBe(items.bot({ customerId, botId }));
      mustBe(items.webhook({ customerId, webhookId }));
    }
    const failed = await table.write(
      { put: { ...rule, ...key }, where: absent },
      // Kept twice: where events look for it, and where its id leads to in one read.
      { put: { ...rule, ...items.ruleById({ customerId, ruleId }) } },
      { put: { ...items.home({ kind: 'rule', id: ruleId }), customerId } },
      ...named.values(),
    );
    return failed === null;
  },
});
