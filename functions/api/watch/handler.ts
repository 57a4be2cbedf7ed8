import { serve } from '#shared/api/serve.ts';
import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { sortedBy } from '#shared/domain/page.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { isWorking, MAX_NAMED_SENSORS, unseenTroubles, watchOf } from '#shared/domain/rule/watch.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { watch } from './contract.ts';

type RecipientStore = StoreOf<'recipients.person' | 'channels.verifiedOf'>;

/**
 * Returns the rules none of whose first recipients can be notified. `botOfWebhook` has the healthy webhooks. Recipients on
 * duty count as reachable here; whether anybody is on duty is reported separately.
 */
const unreachableRules = async (
  store: RecipientStore,
  customerId: number,
  rules: readonly Rule[],
  botOfWebhook: ReadonlyMap<string, number | null>,
): Promise<Rule[]> => {
  // Each user is read once, and only for rules that reach no webhook.
  const channelsOfUser = new Map<number, ReturnType<typeof verifiedChannelsOf>>();
  const isReachable = async ({ userId, by }: Recipient): Promise<boolean> => {
    if (userId === undefined) return false;
    const reading = channelsOfUser.get(userId) ?? verifiedChannelsOf(store, customerId, userId);
    channelsOfUser.set(userId, reading);
    return (await reading)?.some((channel) => channel.by === by) ?? false;
  };
  const unreachable = rules.map(async (rule) => {
    const hasReceiver = rule.recipients.some(
      ({ webhookId, botId, onDuty }) => onDuty || (webhookId && botOfWebhook.get(webhookId) === botId),
    );
    return hasReceiver || (await Promise.all(rule.recipients.map(isReachable))).includes(true) ? [] : [rule];
  });
  return (await Promise.all(unreachable)).flat();
};

export const handler = serve(watch, {
  getWatch: async ({ caller, customerId, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const [sensors, rules, webhooks] = await Promise.all([
      store.sensors.list(customerId),
      store.rules.list(customerId, false),
      store.webhooks.list(customerId),
    ]);
    const offline = sensors.filter(({ isActive }) => !isActive);
    const { ofFalls, asksDuty, shown } = watchOf(rules);
    const botOfWebhook = new Map(webhooks.filter(isWorking).map(({ id, botId }) => [id, botId]));
    return {
      sensors: sensors.length,
      silentSensors: {
        total: offline.length,
        first: sortedBy(offline, 'asc(name)').slice(0, MAX_NAMED_SENSORS),
      },
      ...shown,
      unheardRules: await unreachableRules(store, customerId, ofFalls, botOfWebhook),
      isNobodyOnDuty: asksDuty && (await store.duty.usersOnDuty(customerId, now())).length === 0,
      troubles: unseenTroubles(webhooks),
    };
  },
});
