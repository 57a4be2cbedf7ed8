import { checkCells } from '#shared/api/check-cells.ts';
import { channelProblem, referenceProblem } from '#shared/api/rule-problems.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import type { ImportStep, RowProblem } from '#shared/domain/import/import-job.ts';
import type { ImportRow } from '#shared/domain/import/import-view.ts';
import { type Rule, RuleUpdate } from '#shared/domain/rule/rule.ts';
import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import { createOnce, type ImportPlan, type NumberedRow, type Planning, problemsOf } from './plan.ts';
import { type Directory, recipientsIn, stepsIn } from './recipients.ts';
import { convertCells, toFlag, toList, toNumber } from './rows.ts';
import { findSensors, groupsByName, storedHardwareId } from './sensors.ts';

const same = (cell: unknown) => cell;
const columns = {
  name: same,
  title: same,
  message: same,
  situation: same,
  rateLimitSeconds: toNumber,
  includeSimulated: toFlag,
  isEnabled: toFlag,
  repeatSeconds: toNumber,
  untilAcknowledged: toFlag,
};
/** Returns the column for a rule field. Some fields have different names in files. */
const columnOf = (field: string): string =>
  ({ sensorId: 'sensor', regionId: 'sensor', sensorGroupId: 'group', schedule: 'days' })[field] ?? field;

/** What rows in a file can refer to. */
type References = {
  known: ReadonlyMap<string, Rule | null>;
  sensors: ReadonlyMap<string, { id: string; isLinked: boolean }>;
  groups: ReadonlyMap<string, SensorGroup | null>;
  directory: Directory;
  timeZone: string;
};

const readReferences = async (planning: Planning): Promise<References & { all: Rule[] }> => {
  const { call, deps, rows } = planning;
  const { customerId } = call;
  const { store } = deps;
  const hardwareIds = rows.flatMap(({ cells }) => storedHardwareId(String(cells.sensor ?? '')) ?? []);
  const [all, sensors, groups, users, webhooks, customer] = await Promise.all([
    store.rules.list(customerId),
    findSensors(planning, hardwareIds),
    store.sensorGroups.list(customerId),
    store.users.list(customerId),
    store.webhooks.list(customerId),
    store.customers.get(customerId),
  ]);
  const known = new Map<string, Rule | null>();
  for (const rule of all) known.set(rule.name, known.has(rule.name) ? null : rule);
  const named: Map<string, { botId: number; webhookId: string } | null> = new Map();
  for (const { name, botId, id: webhookId } of webhooks)
    if (botId !== null) named.set(name, named.has(name) ? null : { botId, webhookId });
  const directory = {
    users: new Map(users.map((user) => [usernameKey(user.username), user.id])),
    webhooks: named,
    usernameKey,
  };
  return { all, known, sensors, groups: groupsByName(groups), directory, timeZone: customer?.timeZone ?? 'UTC' };
};

type Add = ReturnType<typeof problemsOf>['add'];

/** Returns the sensor or group that a row's rule watches, as rule fields. */
const scopeIn = (cells: ImportRow, { sensors, groups }: References, add: Add): Partial<RuleUpdate> => {
  const { sensor, group } = cells;
  if (sensor !== undefined && group !== undefined) add('group', 'one_scope');
  if (sensor !== undefined) {
    const found = sensors.get(storedHardwareId(String(sensor)) ?? '');
    if (!found?.isLinked) add('sensor', 'unknown_reference');
    return { sensorId: found?.id ?? null, sensorGroupId: null };
  }
  if (group === undefined) return {};
  const found = groups.get(String(group));
  if (!found) add('group', found === null ? 'ambiguous' : 'unknown_reference');
  return { sensorId: null, sensorGroupId: found?.id ?? null };
};

/** Returns the schedule in a row. Omitted fields keep their values from the existing rule. */
const scheduleIn = (cells: ImportRow, before: Rule | null, { timeZone }: References): { schedule?: unknown } => {
  const given = convertCells(cells, { days: toList, from: same, to: same, timeZone: same });
  if (Object.keys(given).length === 0) return {};
  const days = Array.isArray(given.days) ? { days: given.days.map(toNumber) } : {};
  return { schedule: { timeZone, ...before?.schedule, ...given, ...days } };
};

const recipientFields = (cells: ImportRow, { directory }: References, add: Add): Record<string, unknown> => {
  const fields: Record<string, unknown> = {};
  const { recipients, escalation } = cells;
  if (typeof recipients === 'string') {
    const found = recipientsIn(recipients, directory);
    if ('unknown' in found) add('recipients', 'unknown_reference');
    else fields.recipients = found.recipients;
  } else if (recipients !== undefined) fields.recipients = recipients;
  if (typeof escalation === 'string') {
    const found = stepsIn(escalation, directory);
    if ('unknown' in found) add('escalation', 'unknown_reference');
    else fields.escalation = found.steps;
  } else if (escalation !== undefined) fields.escalation = escalation;
  return fields;
};

type Accepted = { row: number; given: RuleUpdate; before: Rule | null };

const updateOf = (rule: Rule): RuleUpdate => RuleUpdate.parse(rule);

/** Returns a row as a rule, or the problems in it. A row for an existing rule keeps any fields it omits. */
const acceptRow = ({ row, cells }: NumberedRow, references: References): Accepted | { problems: RowProblem[] } => {
  const { problems, add } = problemsOf(row);
  const before = references.known.get(String(cells.name ?? '')) ?? null;
  if (references.known.get(String(cells.name ?? '')) === null) add('name', 'ambiguous');
  const scope = scopeIn(cells, references, add);
  const isMoved = before !== null && 'sensorId' in scope && scope.sensorId !== before.sensorId;
  const fields = {
    ...(before && updateOf(before)),
    ...convertCells(cells, columns),
    ...scope,
    // A region belongs to a sensor's room.
    ...(isMoved && { regionId: null }),
    ...scheduleIn(cells, before, references),
    ...recipientFields(cells, references, add),
  };
  const checked = checkCells(row, RuleUpdate, fields, columnOf);
  const reported = new Set(problems.map(({ field }) => field));
  if ('problems' in checked) problems.push(...checked.problems.filter(({ field }) => !reported.has(field)));
  return problems.length > 0 || 'problems' in checked ? { problems } : { row, given: checked.value, before };
};

const isChanged = ({ given, before }: Accepted): boolean =>
  before === null || JSON.stringify(updateOf(before)) !== JSON.stringify(given);

/** Whether more rules than allowed would be enabled for the same scope and situation. */
const exceedsSituation = (all: readonly Rule[], accepted: readonly Accepted[], most: number): boolean => {
  const replaced = new Set(accepted.map(({ before }) => before?.id));
  const after: RuleUpdate[] = [...all.filter(({ id }) => !replaced.has(id)), ...accepted.map(({ given }) => given)];
  const enabled = Map.groupBy(
    after.filter(({ isEnabled }) => isEnabled),
    ({ sensorId, sensorGroupId, situation }) => `${sensorId} ${sensorGroupId} ${situation}`,
  );
  const touched = accepted.filter(isChanged).map(({ given }) => given);
  return touched.some(({ sensorId, sensorGroupId, situation }) => {
    const rules = enabled.get(`${sensorId} ${sensorGroupId} ${situation}`) ?? [];
    return rules.length > most;
  });
};

const stepOf = async (
  { call: { customerId }, deps: { store, now } }: Planning,
  { row, given, before }: Accepted,
): Promise<ImportStep> => {
  const updateDate = now();
  const { id = await store.limits.nextNumber('rules'), createDate = updateDate } = before ?? {};
  const rule = { ...given, id, customerId, createDate, updateDate };
  return { do: before ? 'update_rule' : 'create_rule', row, rule };
};

/** Plans which rules to create and which to change. */
export const planRules = async (planning: Planning): Promise<ImportPlan> => {
  const { call, deps, rows } = planning;
  const references = await readReferences(planning);
  const once = createOnce();
  const accepted: Accepted[] = [];
  const problems: RowProblem[] = [];
  for (const one of rows) {
    const first = one.cells.name === undefined ? null : once(String(one.cells.name), one.row);
    if (first !== null)
      problems.push({ row: one.row, field: 'name', problem: 'duplicate_row', values: { row: first } });
    const result = acceptRow(one, references);
    if ('problems' in result) problems.push(...result.problems);
    else if (first === null) accepted.push(result);
  }
  const changed = accepted.filter(isChanged);
  await inBatches(changed, async ({ row, given, before }) => {
    const found =
      channelProblem(deps.settings, given, before) ?? (await referenceProblem(deps.store, call.customerId, given));
    if (!found) return;
    const { path, problem, values } = found;
    problems.push({ row, field: columnOf(path.split('.')[0] ?? ''), problem, ...(values && { values }) });
  });
  const created = changed.filter(({ before }) => before === null).length;
  const { rules: most, rulesOfOneSituation } = deps.quotas;
  const isFull = created > 0 && references.all.length + created > most;
  const isCrowded = exceedsSituation(references.all, accepted, rulesOfOneSituation);
  const crowded = isCrowded ? ({ of: 'rulesOfOneSituation', most: rulesOfOneSituation } as const) : null;
  return {
    created,
    updated: changed.length - created,
    problems,
    limit: isFull ? { of: 'rules', most } : crowded,
    steps: async () => {
      const steps: ImportStep[] = [];
      for (const rule of changed) steps.push(await stepOf(planning, rule));
      return steps;
    },
  };
};
