import { peopleOnDuty } from '#shared/api/on-duty.ts';
import { reachingChannels } from '#shared/domain/people/duty.ts';
import type { DutyPlan } from '#shared/domain/people/shifts.ts';
import type { By } from '#shared/domain/rule/recipient.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { channelsOnDuty, nextDutyCheck, rulesOnDuty } from '#shared/domain/watch/duty-gap.ts';
import type { DutyCheck } from '#shared/store/people/duty-checks.ts';
import { mailManagers, type WatchDeps } from './mail-managers.ts';

/** If the process running a check dies before sending the emails, another check sends them after this time (ms). */
const MAIL_MS = 90_000;

/** Returns the channels that rules use to notify users on duty, but that currently reach none of them. */
const missingChannels = async (
  { store, settings }: WatchDeps,
  { customerId, rules, plan, time }: { customerId: number; rules: readonly Rule[]; plan: DutyPlan; time: number },
): Promise<By[]> => {
  const wanted = channelsOnDuty(rules, time).filter((by) => settings.CHANNEL_KINDS.includes(by));
  if (wanted.length === 0) return [];
  const people = await peopleOnDuty(store, customerId, plan, time);
  const reaching = people.flatMap(({ channels }) => reachingChannels(channels));
  return wanted.filter((by) => !reaching.includes(by));
};

/** Warns the rule managers by email about channels that reach no one. */
const mailMissing = async (
  deps: WatchDeps,
  customerId: number,
  { missing, rules, time }: { missing: readonly By[]; rules: readonly Rule[]; time: number },
): Promise<void> => {
  const named = rules.filter((rule) => channelsOnDuty([rule], time).some((by) => missing.includes(by)));
  await mailManagers(deps, customerId, async () => {
    const { dutyMail } = await import('#shared/api/messages/duty-mail.ts');
    const url = deps.settings.PUBLIC_URL;
    return (locale, { name: customer, timeZone }) =>
      dutyMail(locale, { customer, timeZone, time, channels: missing, rules: named.map(({ name }) => name), url });
  });
};

/**
 * Checks whether users on duty can be notified through the channels currently named in rules, and emails the rule
 * managers once if they no longer can. `known` are channels just covered by another email. `before` is the last check,
 * or null if there was none. Ends the checks when no rule notifies users on duty anymore. False if another run got
 * there first.
 */
export const checkDuty = async (
  deps: WatchDeps,
  customerId: number,
  before: DutyCheck | null,
  known: readonly By[] = [],
): Promise<boolean> => {
  const { store, now, log, failpoint } = deps;
  const rules = rulesOnDuty(await store.rules.list(customerId, false));
  const customer = rules.length > 0 ? await store.customers.get(customerId, false) : null;
  if (!customer) {
    if (before) await store.dutyChecks.remove(before);
    return true;
  }
  const time = now();
  const plan = { ...(await store.duty.get(customerId)), timeZone: customer.timeZone };
  const missing = await missingChannels(deps, { customerId, rules, plan, time });
  const mailed = [...(before?.isMailed ? before.missing : []), ...known];
  const isNew = missing.some((by) => !mailed.includes(by));
  const next = { customerId, at: nextDutyCheck(rules, plan, time), missing, isMailed: true };
  if (!isNew) {
    const isSame = before?.isMailed && before.at === next.at && before.missing.join() === missing.join();
    return isSame || (await store.dutyChecks.put(next, before)) !== null;
  }
  const claimed = await store.dutyChecks.put({ ...next, at: time + MAIL_MS, isMailed: false }, before);
  if (!claimed) return false;
  log('info', 'nobody on duty can be notified anymore', { customerId, channels: missing });
  failpoint('duty.claimed');
  await mailMissing(deps, customerId, { missing, rules, time });
  return (await store.dutyChecks.put(next, claimed)) !== null;
};
