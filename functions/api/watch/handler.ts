import { channelsOf } from '#shared/api/channels-of.ts';
import { serve } from '#shared/api/serve.ts';
import { sorted } from '#shared/domain/page.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { isWell, MOST_NAMED, troublesOf, watchedBy } from '#shared/domain/rule/watch.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { watch } from './contract.ts';

type Reading = StoreOf<'recipients.person' | 'channels.provenOf'>;

/** The rules of which no first recipient can be told; `well`: the bots of webhooks that can. Whoever is on duty is asked for elsewhere. */
const unheardOf = async (
  store: Reading,
  customerId: number,
  rules: readonly Rule[],
  well: ReadonlyMap<string, number | null>,
): Promise<Rule[]> => {
  // Each user is read once, and only for rules that no webhook hears of.
  const asked = new Map<number, ReturnType<typeof channelsOf>>();
  const reaches = async ({ userId, by }: Recipient): Promise<boolean> => {
    if (userId === undefined) return false;
    const reading = asked.get(userId) ?? channelsOf(store, customerId, userId);
    asked.set(userId, reading);
    return (await reading)?.some((channel) => channel.by === by) ?? false;
  };
  const judged = rules.map(async (rule) => {
    const isHeard = rule.recipients.some(
      ({ webhookId, botId, onDuty }) => onDuty || (webhookId && well.get(webhookId) === botId),
    );
    return isHeard || (await Promise.all(rule.recipients.map(reaches))).includes(true) ? [] : [rule];
  });
  return (await Promise.all(judged)).flat();
};

export const handler = serve(watch, {
  getWatch: async ({ caller, customerId, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const [sensors, rules, webhooks] = await Promise.all([
      store.sensors.list(customerId),
      store.rules.list(customerId, false),
      store.webhooks.list(customerId),
    ]);
    const silent = sensors.filter(({ isActive }) => !isActive);
    const { ofFalls, asksDuty, shown } = watchedBy(rules);
    const well = new Map(webhooks.filter(isWell).map(({ id, botId }) => [id, botId]));
    return {
      sensors: sensors.length,
      silentSensors: {
        total: silent.length,
        first: sorted(silent, 'asc(name)').slice(0, MOST_NAMED),
      },
      ...shown,
      unheardRules: await unheardOf(store, customerId, ofFalls, well),
      isNobodyOnDuty: asksDuty && (await store.duty.of(customerId, now())).length === 0,
      troubles: troublesOf(webhooks),
    };
  },
});
