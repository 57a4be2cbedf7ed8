import type { Situation } from '#shared/domain/event/event.ts';
import { formatsWithout } from '#shared/domain/formats/formats.ts';
import type { Quotas } from '#shared/domain/identity/quota.ts';
import { allRecipients, webhooksIn } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { countOneLess, countOneMore, countsOf, enabledKey, quotaRefusal, scopeOf } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, type Condition, changes, present, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { Key } from '../key.ts';
import { groupReference } from '../sensors/group-reference.ts';
import { roomReads } from '../sensors/rooms.ts';
import { readSensor, touchSensor, unchangedSince } from '../sensors/sensor-item.ts';
import { items } from '../table.ts';

type Optional = 'escalation' | 'repeatSeconds' | 'untilAcknowledged';

/** A rule as stored. To keep alarm reads small, default values are left out if the rule has no escalation. */
type StoredRule = Omit<Rule, Optional> & Partial<Pick<Rule, Optional>>;

const ruleItem = ({
  escalation,
  repeatSeconds,
  untilAcknowledged,
  ...rule
}: Omit<Rule, Optional> & Partial<Rule>): StoredRule => ({
  ...rule,
  ...((escalation ?? []).length > 0 && { escalation }),
  ...((repeatSeconds ?? null) !== null && { repeatSeconds }),
  ...(untilAcknowledged === false && { untilAcknowledged }),
});

/** Returns the rule stored in an item. */
const ruleOf = (item: StoredRule): Rule => ({
  escalation: [],
  repeatSeconds: null,
  untilAcknowledged: true,
  ...item,
});

/** Returns the number of rules enabled for a rule's scope and situation. */
const enabledCount = async (table: Table, rule: Rule): Promise<number> =>
  (await table.get<{ enabled: number }>(enabledKey(rule)))?.enabled ?? 0;

/** Returns the write that adds an enabled rule to the count, or none for a disabled rule. */
const countEnabled = (rule: Rule, limit: number): Write[] => {
  if (!rule.isEnabled) return [];
  const add = changes({ add: { enabled: 1 }, if: where('attribute_not_exists(pk) OR #enabled < :limit', { limit }) });
  return [{ update: enabledKey(rule), changes: add }];
};

/**
 * Returns the write that removes a rule from the count of enabled rules, if it was enabled. Removing the last rule
 * deletes the count.
 */
const uncountEnabled = async (table: Table, rule: Rule): Promise<Write[]> => {
  const enabled = rule.isEnabled ? await enabledCount(table, rule) : 0;
  if (enabled < 1) return [];
  if (enabled === 1) return [{ remove: enabledKey(rule), where: where('#enabled = :one', { one: 1 }) }];
  const less = changes({ add: { enabled: -1 }, if: where('#enabled > :one', { one: 1 }) });
  return [{ update: enabledKey(rule), changes: less }];
};

/**
 * Returns the writes that update the counts when a rule is replaced, or null if the quota for the new scope and
 * situation is exhausted.
 */
const recountEnabled = async (table: Table, before: Rule, rule: Rule, limit: number): Promise<Write[] | null> => {
  const isSameCount = enabledKey(before).sk === enabledKey(rule).sk;
  if (isSameCount && before.isEnabled === rule.isEnabled) return [];
  if (rule.isEnabled && (await enabledCount(table, rule)) >= limit) return null;
  return [...(await uncountEnabled(table, before)), ...countEnabled(rule, limit)];
};

type RuleQuotas = Pick<Quotas, 'rules' | 'rulesOfOneSituation'>;

const ruleKey = (rule: Rule) => {
  const { customerId, situation, id: ruleId } = rule;
  return items.rule({ customerId, scope: scopeOf(rule), situation, ruleId });
};

type NamedRule = Pick<Rule, 'id' | 'name'>;
type ListedRule = Pick<Rule, 'id' | 'name' | 'createDate' | 'updateDate'>;
/** Returns the writes for the copies of a rule: one to get it by id, two for lists. */
const putCopies = (rule: Rule, where?: Condition): Write[] => {
  const { customerId, id: ruleId, name, createDate, updateDate } = rule;
  const listed: ListedRule = { id: ruleId, name, createDate, updateDate };
  return [
    { put: { ...ruleItem(rule), ...items.ruleById({ customerId, ruleId }) }, ...(where && { where }) },
    { put: { ...ruleItem(rule), ...items.wholeRule({ customerId, ruleId }) } },
    { put: { ...listed, ...items.listedRule({ customerId, ruleId }) } },
  ];
};

/**
 * A transaction has at most 100 actions, and the rule itself takes up to 15. References beyond this number are checked
 * only when they are read: if a referenced object is deleted right afterward, no one notices, as with any later
 * deletion.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
const MAX_CHECKS = 80;

/**
 * Checks that everything a rule refers to exists, and each webhook belongs to the named bot and has a suitable format.
 */
const referenceChecks = (rule: Rule): Write[] => {
  const { customerId, sensorId, sensorGroupId: groupId, regionId, situation } = rule;
  const checks = new Map<string, Write>();
  const addCheck = (check: Key, condition: Condition) => checks.set(check.pk + check.sk, { check, where: condition });
  if (sensorId !== null && regionId === null) addCheck(items.sensor({ customerId, sensorId }), present);
  if (groupId !== null) checks.set('group', groupReference(customerId, groupId));
  for (const { botId, webhookId } of webhooksIn(allRecipients(rule))) {
    addCheck(items.bot({ customerId, botId }), present);
    const unsuitable = formatsWithout(situation);
    const isSuitable = ['#botId = :botId', ...unsuitable.map((format) => `#format <> :${format}`)].join(' AND ');
    addCheck(
      items.webhook({ customerId, webhookId }),
      where(isSuitable, { botId, ...Object.fromEntries(unsuitable.map((format) => [format, format])) }),
    );
  }
  return [...checks.values()].slice(0, MAX_CHECKS);
};

/**
 * If a rule refers to a region, returns the write that changes the sensor, so that a concurrent request to remove the
 * region notices the rule. Returns null if the region does not exist.
 */
const regionCheck = async (table: Table, { customerId, sensorId, regionId }: Rule): Promise<Write[] | null> => {
  if (sensorId === null || regionId === null) return [];
  const sensor = await readSensor(table, customerId, sensorId);
  const room = await roomReads(table).get(customerId, sensorId);
  const hasRegion = room?.regions.some(({ id }) => id === regionId);
  return sensor && hasRegion ? [touchSensor(customerId, sensorId, {}, unchangedSince(sensor))] : null;
};

/** Requires a rule to be unchanged since it was read. Each change has a later date, so the date serves as a version. */
const unchanged = ({ updateDate }: Rule): Condition => where('#updateDate = :before', { before: updateDate });

export const ruleReads = (table: TableReader) => ({
  get: async (customerId: number, ruleId: number): Promise<Rule | null> => {
    const found = await table.get<StoredRule>(items.ruleById({ customerId, ruleId }));
    return found && ruleOf(found);
  },

  getAll: async (customerId: number, ruleIds: readonly number[]): Promise<Rule[]> =>
    (await table.getAll<StoredRule>(ruleIds.map((ruleId) => items.wholeRule({ customerId, ruleId })))).map(ruleOf),

  /** Returns all rules. If `consistent` is false, they may be a few seconds old, but cost half as much. */
  list: async (customerId: number, consistent = true): Promise<Rule[]> => {
    const query = { pk: items.wholeRule.pk({ customerId }), beginsWith: 'WHOLE#', consistent };
    return (await table.queryAll<StoredRule>(query)).map(ruleOf);
  },

  /** Returns, for all rules, the fields by which rule lists are sorted. */
  sortFields: (customerId: number) =>
    table.queryAll<ListedRule>({ pk: items.listedRule.pk({ customerId }), beginsWith: 'LISTED#' }),

  /** Whether any rule applies to this group. */
  isGroupInUse: async (customerId: number, groupId: number): Promise<boolean> => {
    const beginsWith = items.rule.sk({ scope: `G:${groupId}`, situation: '', ruleId: '' }).slice(0, -'#'.length - 16);
    const query = { pk: items.rule.pk({ customerId }), beginsWith, limit: 1 };
    return (await table.query<Rule>(query)).items.length > 0;
  },

  /** Returns the rules that refer to one of these sensor regions, enabled or not. */
  ofRegions: async (customerId: number, sensorId: string, regionIds: readonly string[]): Promise<NamedRule[]> => {
    const beginsWith = items.rule.sk({ scope: `S:${sensorId}`, situation: '', ruleId: '' }).slice(0, -'#'.length - 16);
    const found = await table.queryAll<Rule>({ pk: items.rule.pk({ customerId }), beginsWith });
    const naming = found.filter(({ regionId }) => regionIds.some((id) => id === regionId));
    return naming.map(({ id, name }) => ({ id, name }));
  },

  /** Returns the rules for a situation at one sensor: three short queries, however many rules other sensors have. */
  forSituation: async (customerId: number, sensor: { id: string; groupId: number }, situation: Situation) => {
    const scopes = [`S:${sensor.id}`, ...(sensor.groupId > 0 ? [`G:${sensor.groupId}`] : []), 'ALL'];
    const found = scopes.map((scope) => {
      const beginsWith = `${items.rule.sk({ scope, situation, ruleId: '' }).slice(0, -16)}`;
      return table.queryAll<StoredRule>({ pk: items.rule.pk({ customerId }), beginsWith });
    });
    return (await Promise.all(found)).flat().map(ruleOf);
  },
});

/**
 * Creates a rule, or returns why it cannot: something the rule refers to does not exist, or a limit is reached. There
 * is one limit for all rules, and one for rules enabled for the same scope and situation.
 */
const createRule = (
  table: Table,
  rule: Rule,
  quotas: RuleQuotas,
): Promise<'done' | 'unknown_reference' | keyof RuleQuotas> =>
  retryOnConflict(async () => {
    const { customerId, id: ruleId } = rule;
    const refusal = await quotaRefusal(table, customerId, 'rules', quotas.rules);
    if (refusal) return refusal === 'limit_reached' ? 'rules' : 'unknown_reference';
    const limit = quotas.rulesOfOneSituation;
    if (rule.isEnabled && (await enabledCount(table, rule)) >= limit) return 'rulesOfOneSituation';
    const region = await regionCheck(table, rule);
    if (!region) return 'unknown_reference';
    // These writes fail if something has changed since it was read, so another attempt may succeed.
    const retriable = [countOneMore(customerId, 'rules', quotas.rules), ...countEnabled(rule, limit), ...region];
    const failed = await table.write(
      ...retriable,
      { put: { ...ruleItem(rule), ...ruleKey(rule) } },
      ...putCopies(rule, absent),
      { put: { ...items.owner({ kind: 'rule', id: ruleId }), customerId } },
      ...referenceChecks(rule),
    );
    if (failed === null) return 'done';
    return failed.some((at) => at >= retriable.length) ? 'unknown_reference' : null;
  });

const ruleWrites = (table: Table) => ({
  create: (rule: Rule, quotas: RuleQuotas) => createRule(table, rule, quotas),

  /** Replaces a rule, and moves it to the new scope. `rule` must have a later updateDate. */
  replace: async (
    before: Rule,
    rule: Rule,
    limit: number,
  ): Promise<'done' | 'changed' | 'unknown_reference' | 'limit_reached'> => {
    const { customerId } = rule;
    const from = ruleKey(before);
    const to = ruleKey(rule);
    const counts = await recountEnabled(table, before, rule, limit);
    if (counts === null) return 'limit_reached';
    const region = await regionCheck(table, rule);
    if (region === null) return 'unknown_reference';
    const retriable = [...putCopies(rule, unchanged(before)), ...counts, ...region];
    const failed = await table.write(
      ...retriable,
      { put: { ...ruleItem(rule), ...to } },
      ...(from.sk === to.sk ? [] : [{ remove: from }]),
      { check: items.customer({ customerId }), where: present },
      ...referenceChecks(rule),
    );
    if (failed === null) return 'done';
    return failed.some((at) => at < retriable.length) ? 'changed' : 'unknown_reference';
  },

  /** Replaces rule recipients without checking them. Returns false if the rule has changed since it was read. */
  setRecipients: async (before: Rule, rule: Rule): Promise<boolean> =>
    (await table.write(...putCopies(rule, unchanged(before)), { put: { ...ruleItem(rule), ...ruleKey(rule) } })) ===
    null,

  /** Deletes a rule. Returns false if it has changed since it was read. */
  remove: (rule: Rule): Promise<boolean> =>
    retryOnConflict(async () => {
      const { customerId, id: ruleId } = rule;
      const customer = await countsOf(table, customerId);
      const failed = await table.write(
        { remove: items.ruleById({ customerId, ruleId }), where: unchanged(rule) },
        { remove: items.wholeRule({ customerId, ruleId }) },
        { remove: items.listedRule({ customerId, ruleId }) },
        { remove: ruleKey(rule) },
        { remove: items.owner({ kind: 'rule', id: ruleId }) },
        ...(customer ? [countOneLess(customerId, 'rules')] : []),
        ...(await uncountEnabled(table, rule)),
      );
      if (failed === null) return true;
      return failed.includes(0) ? false : null;
    }),
});

export const rules = (table: Table) => ({ ...ruleReads(table), ...ruleWrites(table) });
