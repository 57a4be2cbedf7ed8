import type { Maker } from '#lib/client/device-messages.ts';
import { isUrgent, type UrgentSituation } from '#shared/domain/rule/alarm.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, hireFor, homeAt, linkSensor } from '#test/fixtures/home.ts';
import { a, b } from '#test/fixtures/messages.ts';
import { mailEvent, smsEvent, snsNotification } from '#test/fixtures/service-events.ts';
import type { Fault, Story } from '../fault.ts';
import { replaceHook } from '../homes.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

/** How long (ms) after the hit an alarm may go without a notification, an acknowledgement or an email. */
const HEARD_MS = 150_000;
/** The corresponding limit if processes die, because tasks are repeated later. */
const HEARD_AFTER_CRASH_MS = 300_000;
const STEP_MS = 5_000;
const MINUTE = 60_000;
const DAY = 86_400_000;
const PHONE = '+491701234567';
/** The subject of an email about one alarm. Emails about what is not watched, or about a delivery, do not count. */
const ABOUT_ALARM = /^Nobody was notified: /;
/** The subject of emails about sensor alarms. One email covers several alarms. */
const ABOUT_SENSORS = /^\d+ alarms? without a response/;

type Alarming = {
  situation: UrgentSituation;
  maker: Maker;
  /** Returns the device message for the situation at the given time (ms). */
  message: (now: number) => object;
  /** How long (ms) after the message the alarm may be raised. By default, it is raised at once. */
  delay?: number;
};
const fall: Alarming = {
  situation: 'fall_detected',
  maker: 'maker_a',
  message: (now) => ({ ...fallMessage('calling', now), uuid: crypto.randomUUID() }),
};
const others: readonly Alarming[] = [
  { ...fall, situation: 'fall_detected_sensitive', message: (now) => ({ ...fall.message(now), type: 8 }) },
  { situation: 'apnea', maker: 'maker_b', message: (timestamp) => ({ ...b.vital(13, 0, 60), timestamp }) },
  { situation: 'vital_signs_weak', maker: 'maker_b', message: (timestamp) => ({ ...b.vital(16, 9, 50), timestamp }) },
];
/** The sensor goes offline. A sweep, which runs once a minute, notices this after a minute without messages. */
const offline: Alarming = {
  situation: 'sensor_inactive',
  maker: 'maker_a',
  message: () => a.presence(true),
  delay: 3 * MINUTE,
};

/** Creates a separate home with a rule manager and a nurse, neither of whom has a channel yet. */
const furnish = async (scene: Scene, { situation, maker, message }: Alarming) => {
  const { receiver, stores, clock } = scene;
  const admin = await scene.admin();
  const name = scene.fresh('ash');
  const { customerId, client, userId } = await createHome(admin, name, ALL_PERMISSIONS);
  const email = `${name}@example.com`;
  await hireFor(admin, customerId, `${name}-manager`, { email, permissions: ['manage_rules'] });
  const { device, sensorId } = await linkSensor(client, maker);
  const { addRecipient, addRule, addWebhook } = homeAt(client);
  const path = `/${customerId}/call`;
  const url = receiver.urls.http + path;
  return {
    customerId,
    client,
    userId,
    sensorId,
    email,
    path,
    url,
    addWebhook,
    rule: (recipients: Parameters<typeof addRule>[0]['recipients'], more: object = {}) =>
      addRule({ name: situation, situation, recipients, ...more }),
    /** Adds a bot with a webhook to the receiver. */
    call: () => addRecipient('call', { url, secretKey: null }),
    prove: (by: 'sms' | 'telegram' | 'email', address: string) =>
      stores.channels.put({ customerId, userId }, { by, address, provenDate: clock.now() }, null),
    /** Raises an alarm that needs someone's attention. */
    happen: async (): Promise<void> => {
      const sent = message(clock.now());
      while ((await device.call('POST', `/devices/${sensorId}/messages`, sent)).status !== 202)
        await scene.cloud.idle();
    },
  };
};
type Home = Awaited<ReturnType<typeof furnish>>;
/**
 * Prevents a home's alarms from reaching anyone. `sent` runs once the alarms have been sent, and `end` ends the cause.
 */
type Cause = (home: Home, scene: Scene) => Promise<{ sent?: () => Promise<void>; end?: () => Promise<void> } | void>;

const hitsOf = async ({ customerId }: Home, { stores, clock }: Scene) => {
  const page = { page: 0, perPage: 200, sortBy: 'asc(createDate)' };
  return (await stores.hitLists.page(customerId, clock.now() - DAY, page)).hits;
};

/**
 * Returns the event alarms that reached none of the customer's webhooks. Alarms are deleted if someone was notified in
 * time.
 */
const eventAlarmsOf = async ({ customerId }: Home, { stores }: Scene) =>
  (await stores.unnotified.list(customerId)).filter(({ hitId }) => hitId === null);

/** Returns when (ms) a home's manager was emailed about alarms. */
const mailsTo = ({ email }: Home, { managerMails }: Scene, about = ABOUT_ALARM): number[] =>
  managerMails.filter(({ to, subject }) => to === email && about.test(subject)).map(({ at }) => at);

/** Returns the home's alarms that nobody heard of in time. Each alarm needs a separate email. */
const unheard = async (home: Home, scene: Scene, withinMs: number, about: RegExp): Promise<string[]> => {
  const hits = await hitsOf(home, scene);
  const mails = mailsTo(home, scene, about);
  const ofEvents = await eventAlarmsOf(home, scene);
  const alarms = [
    ...hits,
    ...ofEvents.map((alarm) => ({ ...alarm, id: alarm.alarmId, notifiedDate: null, acknowledgement: undefined })),
  ];
  const problems = alarms.length === 0 ? ['there is no alarm'] : [];
  for (const { id, situation, createDate, notifiedDate, acknowledgement } of alarms) {
    const end = createDate + withinMs;
    const isInTime = (at: number | null | undefined): boolean => typeof at === 'number' && at <= end;
    if (!isUrgent(situation) || isInTime(notifiedDate) || isInTime(acknowledgement?.date)) continue;
    const mail = mails.findIndex((at) => at >= createDate && at <= end);
    if (mail < 0) problems.push(`nobody heard of the alarm ${id} of ${situation} within ${withinMs} ms`);
    else mails.splice(mail, 1);
  }
  return problems;
};

/**
 * One to three falls raise alarms that reach nobody, unless someone acknowledges them or the cause ends. All rule
 * managers must be notified of each alarm in time, and the operator's alarm must fire.
 */
const reachingNobody =
  (cause: Cause, withinMs = HEARD_MS, alarming = fall) =>
  async (scene: Scene): Promise<Story> => {
    const { chance, clock, wait, cloud, watch, managerMails } = scene;
    managerMails.length = 0;
    const home = await furnish(scene, alarming);
    const { sent, end } = (await cause(home, scene)) ?? {};
    const falls = 1 + Math.floor(3 * chance());
    const acknowledgedAt = chance() < 0.25 ? Math.floor((chance() * HEARD_MS) / STEP_MS) : -1;
    const problems: string[] = [];
    const about = alarming.situation === 'sensor_inactive' ? ABOUT_SENSORS : ABOUT_ALARM;
    const { delay = 0 } = alarming;
    const acknowledge = ({ id }: { id: number }) =>
      home.client.call('PUT', `/customers/${home.customerId}/rule-hits/${id}/acknowledgement`, {});
    let begun = 0;
    return {
      atOnce: async () => {
        begun = clock.now();
        for (let fall = 0; fall < falls; fall++) {
          await home.happen();
          if (chance() < 0.7) await wait(Math.ceil(chance() * 20_000));
        }
        await cloud.idle();
        await sent?.();
      },
      duringRetries: async () => {
        for (let at = 0; clock.now() < begun + withinMs + falls * 20_000 + delay; at++) {
          if (at === acknowledgedAt) await Promise.all((await hitsOf(home, scene)).slice(0, 1).map(acknowledge));
          await wait(STEP_MS);
        }
        problems.push(...(await unheard(home, scene, withinMs, about)));
        const isRinging = watch.fired(begun, clock.now() + MINUTE).includes('alarms-unnotified');
        if (mailsTo(home, scene, about).length > 0 && !isRinging) problems.push('no alarm of the operator rang');
      },
      heal: async () => {
        await end?.();
        // Reminders end with an acknowledgement.
        await Promise.all((await hitsOf(home, scene)).map(acknowledge));
      },
      after: async () => {
        await ownEvents(scene, home.customerId, home.sensorId);
        return problems;
      },
    };
  };

const down: Cause = async (home, { receiver }) => {
  receiver.down.add(home.path);
  await home.rule([(await home.call()).recipient]);
  return { end: async () => void receiver.down.delete(home.path) };
};

/** All of the customer's webhooks are down, and no rule exists. */
const customerDown: Cause = async (home, { receiver }) => {
  receiver.down.add(home.path);
  await home.addWebhook({ name: 'all', url: home.url, isCustomerHook: true });
  return { end: async () => void receiver.down.delete(home.path) };
};

/** The service accepts each notification for a channel, and later reports it as undeliverable. */
const reportedLater = async (
  home: Home,
  { stores, clock, cloud }: Scene,
  { by, address }: { by: 'email' | 'sms'; address: string },
  eventOf: (reference: Parameters<typeof mailEvent>[1]) => object,
) => {
  const { customerId, userId } = home;
  await home.prove(by, address);
  await home.rule([{ userId, by }]);
  const report = async () => {
    const span = [clock.now() - DAY, clock.now() + DAY] as const;
    const page = { page: 0, perPage: 50, sortBy: 'desc(createDate)', sensorId: '' };
    const { data } = await stores.deliveryLog.pageOfAll(customerId, [null], span, page);
    for (const { id } of data) {
      const event = eventOf({ customerId, deliveryId: id, attempt: 1 });
      const body = JSON.stringify(snsNotification(event));
      await cloud.runtime.queues.send('undeliverable', [{ body, groupId: 'any', delaySeconds: 0 }]);
    }
    await cloud.idle();
  };
  return { sent: report };
};

const causes: Readonly<Record<string, Cause>> = {
  "the rule's receiver is down": down,
  "the only webhook is the customer's, and its receiver is down": customerDown,
  "the rule's webhook is deleted": async (home) => {
    const { recipient, webhook } = await home.call();
    await home.rule([recipient]);
    await home.client.ok('DELETE', `/webhooks/${webhook.id}?force=true`);
  },
  "the rule's bot has no enabled webhook": async (home) => {
    const { recipient, webhook } = await home.call();
    await home.rule([recipient]);
    const hook = { ...webhook, path: home.path, url: home.url };
    await replaceHook(home.client, hook, { isEnabled: false });
    return { end: () => replaceHook(home.client, hook, { isEnabled: true }) };
  },
  'no one is on duty': async (home) => {
    await home.rule([{ onDuty: true, by: 'sms' }]);
  },
  'the user on duty has not verified the channel': async (home, { stores, clock }) => {
    await home.rule([{ onDuty: true, by: 'sms' }]);
    await stores.duty.begin(home.customerId, { userId: home.userId, until: clock.now() + DAY });
  },
  'the user has lost the channel': async (home, { stores }) => {
    const { customerId, userId } = home;
    await home.prove('telegram', '4711');
    await home.rule([{ userId, by: 'telegram' }]);
    await stores.channels.remove({ customerId, userId }, 'telegram');
  },
  "others have used up the day's SMS quota": async (home, { stores, clock }) => {
    await home.prove('sms', PHONE);
    await home.rule([{ userId: home.userId, by: 'sms' }]);
    for (let sms = 0; sms < 100; sms++)
      await stores.limits.take(`sms:${home.customerId}`, 100, DAY / 1_000, clock.now());
  },
  'the service accepts an email and later reports it as undeliverable': (home, scene) =>
    reportedLater(home, scene, { by: 'email', address: 'nurse@example.com' }, (reference) =>
      mailEvent('permanentBounce', reference),
    ),
  'the network accepts an SMS and later reports it as undeliverable': (home, scene) =>
    reportedLater(home, scene, { by: 'sms', address: PHONE }, (reference) =>
      smsEvent('TEXT_UNREACHABLE', 'Phone is off', reference),
    ),
};

/** The escalation rounds reach the receiver, but no one acknowledges the fall. */
const unacknowledged = async (scene: Scene): Promise<Story> => {
  const { clock, wait, cloud, managerMails, watch } = scene;
  managerMails.length = 0;
  const home = await furnish(scene, fall);
  const { recipient } = await home.call();
  await home.rule([recipient], { escalation: [{ afterSeconds: 60, recipients: [recipient] }] });
  const problems: string[] = [];
  return {
    atOnce: async () => {
      await home.happen();
      await cloud.idle();
    },
    duringRetries: async () => {
      const begun = clock.now();
      // Waits for the last step, the time to respond, and tasks that a dead worker left to a sweep.
      while (clock.now() < begun + 2 * MINUTE + HEARD_AFTER_CRASH_MS) await wait(STEP_MS);
      const [hit] = await hitsOf(home, scene);
      if (hit?.unansweredDate == null) problems.push('the hit is not unanswered');
      const mails = mailsTo(home, scene, /^Nobody has responded: /).length;
      if (mails === 0) problems.push('nobody was mailed');
      if (!watch.fired(begun, clock.now() + MINUTE).includes('alarms-unanswered'))
        problems.push('no alarm of the operator rang');
    },
    after: async () => {
      await ownEvents(scene, home.customerId, home.sensorId);
      return problems;
    },
  };
};

const rows = Object.entries(causes).map(
  ([when, cause]): Fault => ({
    title: `${when}: a manager is emailed about each alarm within 150 seconds`,
    settings: { RETRY_SCHEDULE: [] },
    steps: 0,
    mayEnd: ['not_reachable', 'limit_reached', 'undeliverable'],
    story: reachingNobody(cause),
  }),
);

/** Alarms that reach nobody, grouped by cause, and who is notified of them. */
export const ofUnnotified: readonly Fault[] = [
  ...rows,
  ...others.map(
    (alarming): Fault => ({
      title: `a rule's receiver for ${alarming.situation} is down: a manager is emailed about each alarm within 150 seconds`,
      settings: { RETRY_SCHEDULE: [] },
      steps: 0,
      story: reachingNobody(down, HEARD_MS, alarming),
    }),
  ),
  {
    title: "a rule's receiver for sensor_inactive is down: a manager is emailed within 150 seconds",
    settings: { RETRY_SCHEDULE: [], SENSOR_INACTIVE_AFTER_SECONDS: 60 },
    steps: 0,
    story: reachingNobody(down, HEARD_MS, offline),
  },
  {
    title: 'no one acknowledges a fall, and workers die: rule managers are emailed',
    rates: { crashes: ['unanswered.recorded'], crash: 0.5 },
    steps: 0,
    story: unacknowledged,
  },
  {
    title: 'the SMS service is down: a manager is emailed about each alarm within 150 seconds',
    rates: { servicesDown: ['sms'] },
    settings: { RETRY_SCHEDULE: [] },
    steps: 0,
    story: reachingNobody(async (home) => {
      await home.prove('sms', PHONE);
      await home.rule([{ userId: home.userId, by: 'sms' }]);
    }),
  },
  {
    title: 'a receiver is down and alarm checks die: a manager is emailed about each alarm within 5 minutes',
    rates: { crashes: ['alarm.recorded'], crash: 0.5 },
    settings: { RETRY_SCHEDULE: [] },
    steps: 0,
    story: reachingNobody(down, HEARD_AFTER_CRASH_MS),
  },
];
