import type { Rule } from '#shared/domain/rule/rule.ts';
import { enabledKey } from '../counts.ts';
import type { Table } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';

/** How many rules are enabled for the scope and the situation of a rule. */
export const enabledLike = async (table: Table, rule: Rule): Promise<number> =>
  (await table.get<{ enabled: number }>(enabledKey(rule)))?.enabled ?? 0;

/** Counts one enabled rule more, if this rule is enabled. */
export const enabledMore = (rule: Rule, most: number): Write[] => {
  const add = changes({ add: { enabled: 1 }, if: where('attribute_not_exists(pk) OR #enabled < :most', { most }) });
  return rule.isEnabled ? [{ update: enabledKey(rule), changes: add }] : [];
};

/** Counts one enabled rule less, if this rule is enabled. The count is deleted with the last rule. */
export const enabledLess = async (table: Table, rule: Rule): Promise<Write[]> => {
  const enabled = rule.isEnabled ? await enabledLike(table, rule) : 0;
  const last = { one: 1 };
  if (enabled === 1) return [{ remove: enabledKey(rule), where: where('#enabled = :one', last) }];
  const less = changes({ add: { enabled: -1 }, if: where('#enabled > :one', last) });
  return enabled > 1 ? [{ update: enabledKey(rule), changes: less }] : [];
};

/** What a replacement of a rule changes in the counts; null when the quota of its new scope and situation is used up. */
export const enabledChange = async (table: Table, before: Rule, rule: Rule, most: number): Promise<Write[] | null> => {
  const isLike = enabledKey(before).sk === enabledKey(rule).sk;
  if (isLike && before.isEnabled === rule.isEnabled) return [];
  if (rule.isEnabled && (await enabledLike(table, rule)) >= most) return null;
  return [...(await enabledLess(table, before)), ...enabledMore(rule, most)];
};
