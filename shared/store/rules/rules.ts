import type { Situation } from '#shared/domain/event/event.ts';
import { muteFor } from '#shared/domain/formats/formats.ts';
import type { Quotas } from '#shared/domain/identity/quota.ts';
import { allRecipients, webhooksIn } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { countsOf, enabledKey, oneLess, oneMore, roomFor, scopeOf } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type Condition, changes, present, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { Key } from '../key.ts';
import { namingGroup } from '../sensors/naming-group.ts';
import { roomReads } from '../sensors/rooms.ts';
import { readSensor, touchSensor, unchangedSince } from '../sensors/sensor-item.ts';
import { items } from '../table.ts';

type Optional = 'escalation' | 'repeatSeconds' | 'untilAcknowledged';

/** A rule as it is stored. What says that it does not escalate is left out, for alarms read it. */
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

/** The rule that an item of the table is. */
const ruleOf = (item: StoredRule): Rule => ({
  escalation: [],
  repeatSeconds: null,
  untilAcknowledged: true,
  ...item,
});

/** How many rules are enabled for the scope and the situation of a rule. */
const enabledLike = async (table: Table, rule: Rule): Promise<number> =>
  (await table.get<{ enabled: number }>(enabledKey(rule)))?.enabled ?? 0;

/** Counts one enabled rule more, if this rule is enabled. */
const enabledMore = (rule: Rule, most: number): Write[] => {
  if (!rule.isEnabled) return [];
  const add = changes({ add: { enabled: 1 }, if: where('attribute_not_exists(pk) OR #enabled < :most', { most }) });
  return [{ update: enabledKey(rule), changes: add }];
};

/** Counts one enabled rule less, if this rule is enabled. The count is deleted with the last rule. */
const enabledLess = async (table: Table, rule: Rule): Promise<Write[]> => {
  const enabled = rule.isEnabled ? await enabledLike(table, rule) : 0;
  if (enabled < 1) return [];
  if (enabled === 1) return [{ remove: enabledKey(rule), where: where('#enabled = :one', { one: 1 }) }];
  const less = changes({ add: { enabled: -1 }, if: where('#enabled > :one', { one: 1 }) });
  return [{ update: enabledKey(rule), changes: less }];
};

/** What a replacement of a rule changes in the counts; null when the quota of its new scope and situation is used up. */
const enabledChange = async (table: Table, before: Rule, rule: Rule, most: number): Promise<Write[] | null> => {
  const isLike = enabledKey(before).sk === enabledKey(rule).sk;
  if (isLike && before.isEnabled === rule.isEnabled) return [];
  if (rule.isEnabled && (await enabledLike(table, rule)) >= most) return null;
  return [...(await enabledLess(table, before)), ...enabledMore(rule, most)];
};

type RuleQuotas = Pick<Quotas, 'rules' | 'rulesOfOneSituation'>;

const keyOf = (rule: Rule) => {
  const { customerId, situation, id: ruleId } = rule;
  return items.rule({ customerId, scope: scopeOf(rule), situation, ruleId });
};

type NamedRule = Pick<Rule, 'id' | 'name'>;
type ListedRule = Pick<Rule, 'id' | 'name' | 'createDate' | 'updateDate'>;
/** A rule where its id leads to in one read, and where lists look for it, whole and by what they sort. */
const shown = (rule: Rule, where?: Condition): Write[] => {
  const { customerId, id: ruleId, name, createDate, updateDate } = rule;
  const listed: ListedRule = { id: ruleId, name, createDate, updateDate };
  return [
    { put: { ...ruleItem(rule), ...items.ruleById({ customerId, ruleId }) }, ...(where && { where }) },
    { put: { ...ruleItem(rule), ...items.wholeRule({ customerId, ruleId }) } },
    { put: { ...listed, ...items.listedRule({ customerId, ruleId }) } },
  ];
};

/**
 * A transaction has at most 100 actions, and the rule itself takes up to 15. What is beyond was there when it was read: a
 * webhook that goes at that very moment is missed like one that goes later.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
const MOST_CHECKS = 80;

/** All that a rule names must be there when it is written, each webhook as one of its bot that can tell of it. */
const checksOf = (rule: Rule): Write[] => {
  const { customerId, sensorId, sensorGroupId: groupId, regionId, situation } = rule;
  const checks = new Map<string, Write>();
  const mustBe = (check: Key, condition: Condition) => checks.set(check.pk + check.sk, { check, where: condition });
  if (sensorId !== null && regionId === null) mustBe(items.sensor({ customerId, sensorId }), present);
  if (groupId !== null) checks.set('group', namingGroup(customerId, groupId));
  for (const { botId, webhookId } of webhooksIn(allRecipients(rule))) {
    mustBe(items.bot({ customerId, botId }), present);
    const mute = muteFor(situation);
    const isFit = ['#botId = :botId', ...mute.map((format) => `#format <> :${format}`)].join(' AND ');
    mustBe(
      items.webhook({ customerId, webhookId }),
      where(isFit, { botId, ...Object.fromEntries(mute.map((format) => [format, format])) }),
    );
  }
  return [...checks.values()].slice(0, MOST_CHECKS);
};

/**
 * Keeps the region that a rule names, if it names one: whoever takes it away at the same time notices that there is a rule
 * by now. Null when it is not there.
 */
const keepRegion = async (table: Table, { customerId, sensorId, regionId }: Rule): Promise<Write[] | null> => {
  if (sensorId === null || regionId === null) return [];
  const sensor = await readSensor(table, customerId, sensorId);
  const room = await roomReads(table).get(customerId, sensorId);
  const isThere = room?.regions.some(({ id }) => id === regionId);
  return sensor && isThere ? [touchSensor(customerId, sensorId, {}, unchangedSince(sensor))] : null;
};

/** The rule as it was read. Each change has a later date, so the date is a version. */
const unchanged = ({ updateDate }: Rule): Condition => where('#updateDate = :before', { before: updateDate });

export const ruleReads = (table: TableReader) => ({
  get: async (customerId: number, ruleId: number): Promise<Rule | null> => {
    const found = await table.get<StoredRule>(items.ruleById({ customerId, ruleId }));
    return found && ruleOf(found);
  },

  getAll: async (customerId: number, ruleIds: readonly number[]): Promise<Rule[]> =>
    (await table.getAll<StoredRule>(ruleIds.map((ruleId) => items.wholeRule({ customerId, ruleId })))).map(ruleOf),

  /** All of them whole; `consistent` false: at half the price, as they were some seconds ago. */
  list: async (customerId: number, consistent = true): Promise<Rule[]> => {
    const query = { pk: items.wholeRule.pk({ customerId }), beginsWith: 'WHOLE#', consistent };
    return (await table.queryAll<StoredRule>(query)).map(ruleOf);
  },

  /** As much of each as a list is sorted by. */
  listed: (customerId: number) =>
    table.queryAll<ListedRule>({ pk: items.listedRule.pk({ customerId }), beginsWith: 'LISTED#' }),

  /** Does any rule watch this group? */
  watchesGroup: async (customerId: number, groupId: number): Promise<boolean> => {
    const beginsWith = items.rule.sk({ scope: `G:${groupId}`, situation: '', ruleId: '' }).slice(0, -'#'.length - 16);
    const query = { pk: items.rule.pk({ customerId }), beginsWith, limit: 1 };
    return (await table.query<Rule>(query)).items.length > 0;
  },

  /** The rules that name a region of this sensor, whether they are enabled or not. */
  namingRegions: async (customerId: number, sensorId: string, regionIds: readonly string[]): Promise<NamedRule[]> => {
    const beginsWith = items.rule.sk({ scope: `S:${sensorId}`, situation: '', ruleId: '' }).slice(0, -'#'.length - 16);
    const found = await table.queryAll<Rule>({ pk: items.rule.pk({ customerId }), beginsWith });
    const naming = found.filter(({ regionId }) => regionIds.some((id) => id === regionId));
    return naming.map(({ id, name }) => ({ id, name }));
  },

  /** The rules that watch a situation of one sensor: three short queries, whatever rules other sensors have. */
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
 * Creates a rule; or says that something that it names does not exist (any more), or which limit is reached: of rules,
 * or of those that are enabled for its scope and situation.
 */
const createRule = (
  table: Table,
  rule: Rule,
  quotas: RuleQuotas,
): Promise<'done' | 'unknown_reference' | keyof RuleQuotas> =>
  retryOnConflict(async () => {
    const { customerId, id: ruleId } = rule;
    const full = await roomFor(table, customerId, 'rules', quotas.rules);
    if (full) return full === 'limit_reached' ? 'rules' : 'unknown_reference';
    const most = quotas.rulesOfOneSituation;
    if (rule.isEnabled && (await enabledLike(table, rule)) >= most) return 'rulesOfOneSituation';
    const region = await keepRegion(table, rule);
    if (!region) return 'unknown_reference';
    const mayChange = [oneMore(customerId, 'rules', quotas.rules), ...enabledMore(rule, most), ...region];
    const failed = await table.write(
      ...mayChange,
      { put: { ...ruleItem(rule), ...keyOf(rule) } },
      ...shown(rule),
      { put: { ...items.owner({ kind: 'rule', id: ruleId }), customerId } },
      ...checksOf(rule),
    );
    if (failed === null) return 'done';
    return failed.some((at) => at >= mayChange.length) ? 'unknown_reference' : null;
  });

const ruleWrites = (table: Table) => ({
  create: (rule: Rule, quotas: RuleQuotas) => createRule(table, rule, quotas),

  /** Replaces a rule and moves it to where events look for it now. `rule` must have a later updateDate. */
  replace: async (
    before: Rule,
    rule: Rule,
    most: number,
  ): Promise<'done' | 'changed' | 'unknown_reference' | 'limit_reached'> => {
    const { customerId } = rule;
    const from = keyOf(before);
    const to = keyOf(rule);
    const counts = await enabledChange(table, before, rule, most);
    if (counts === null) return 'limit_reached';
    const region = await keepRegion(table, rule);
    if (region === null) return 'unknown_reference';
    const mayChange = [...shown(rule, unchanged(before)), ...counts, ...region];
    const failed = await table.write(
      ...mayChange,
      { put: { ...ruleItem(rule), ...to } },
      ...(from.sk === to.sk ? [] : [{ remove: from }]),
      { check: items.customer({ customerId }), where: present },
      ...checksOf(rule),
    );
    if (failed === null) return 'done';
    return failed.some((at) => at < mayChange.length) ? 'changed' : 'unknown_reference';
  },

  /** Replaces whom a rule tells by others of whom nothing is checked. False when it is no longer what was read. */
  setRecipients: async (before: Rule, rule: Rule): Promise<boolean> =>
    (await table.write(...shown(rule, unchanged(before)), { put: { ...ruleItem(rule), ...keyOf(rule) } })) === null,

  /** False when it is no longer what was read. */
  remove: (rule: Rule): Promise<boolean> =>
    retryOnConflict(async () => {
      const { customerId, id: ruleId } = rule;
      const customer = await countsOf(table, customerId);
      const failed = await table.write(
        { remove: items.ruleById({ customerId, ruleId }), where: unchanged(rule) },
        { remove: items.wholeRule({ customerId, ruleId }) },
        { remove: items.listedRule({ customerId, ruleId }) },
        { remove: keyOf(rule) },
        { remove: items.owner({ kind: 'rule', id: ruleId }) },
        ...(customer ? [oneLess(customerId, 'rules')] : []),
        ...(await enabledLess(table, rule)),
      );
      if (failed === null) return true;
      return failed.includes(0) ? false : null;
    }),
});

export const rules = (table: Table) => ({ ...ruleReads(table), ...ruleWrites(table) });
