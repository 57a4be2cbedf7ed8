import * as z from 'zod';
import type { WebhookRecord } from '../delivery/webhook.ts';
import { isFuture } from '../state/clock.ts';
import { id, millis, uuid } from '../values.ts';
import { Gap } from './gap.ts';

const amount = z.int().min(0);

/**
 * A webhook that the service disabled or whose deliveries failed permanently, listed until someone marks it as seen.
 */
const Trouble = z
  .object({
    webhookId: uuid,
    name: z.string(),
    isSwitchedOff: z.boolean().meta({ description: 'disabled by the service and not enabled since' }),
    failedDeliveries: amount.meta({
      description: 'original event deliveries that failed permanently since this was last seen',
    }),
    date: millis.meta({ description: 'when the latest problem occurred' }),
  })
  .meta({ id: 'Trouble' });
type Trouble = z.output<typeof Trouble>;

/** The request body for marking problems as seen. */
export const Seen = z.object({ date: millis.meta({ description: "the problem's `date`" }) }).meta({
  id: 'Seen',
  examples: [{ date: 1_795_651_200_000 }],
});

/** How long (ms) a watch stays up to date. It is computed at most once per interval. */
export const UP_TO_DATE_MS = 60_000;

/** Whether a watch is up to date. A watch dated in the future was computed before the clock was set back. */
export const isUpToDate = ({ date }: Pick<Watch, 'date'>, now: number): boolean =>
  now - date < UP_TO_DATE_MS && !isFuture(date, now);

/** The maximum number of offline sensors to name. */
export const MAX_NAMED_SENSORS = 10;

/** The names of everything that gaps refer to, by id. */
const namesById = z.record(z.string(), z.string());

/** How well a customer's falls are covered, and what keeps people from being notified. */
export const Watch = z
  .object({
    date: millis.meta({ description: 'when all of this was computed, which happens at most once a minute' }),
    sensors: amount,
    silentSensors: z.object({
      total: amount,
      first: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .max(MAX_NAMED_SENSORS)
        .meta({ description: 'sorted by name' }),
    }),
    rules: amount,
    fallsTold: z.enum(['all', 'some', 'none']).meta({
      description:
        "all: each sensor's `fall_detected` reaches someone at every minute of the coming week, so no gap is about " +
        'falls; none: `fall_detected` never reaches anyone',
    }),
    isSilenceTold: z.boolean().meta({ description: 'whether an enabled rule reports offline sensors' }),
    gaps: z.array(Gap).meta({
      description:
        'alarms about people that reached nobody first, newest first; then gaps about falls. If there are very many ' +
        'gaps of one kind, only the first ones',
    }),
    totalGaps: amount.optional().meta({ description: 'the number of gaps, including those left out of `gaps`' }),
    names: z.object({ sensors: namesById, rules: namesById, webhooks: namesById, users: namesById }).meta({
      description: 'names of what `gaps` refer to, by id, except deleted ones',
    }),
    unheardRules: z.array(z.object({ id, name: z.string() })).meta({
      description:
        'fall rules that reach nobody: the webhooks are disabled, failing or unreachable, and the users lack the ' +
        'channel',
    }),
    isNobodyOnDuty: z.boolean().meta({
      description: 'a fall rule or escalation step notifies the users on duty, but none of them can be notified',
    }),
    troubles: z.array(Trouble).meta({ description: 'newest first' }),
  })
  .meta({ id: 'Watch' });
export type Watch = z.output<typeof Watch>;

/** Returns the webhooks with unseen problems, newest first. */
export const unseenTroubles = (webhooks: readonly WebhookRecord[]): Trouble[] =>
  webhooks
    .flatMap(({ id: webhookId, name, isEnabled, disabledReason, failedDeliveries = 0, troubleDate: date }) =>
      date === undefined
        ? []
        : [{ webhookId, name, isSwitchedOff: !isEnabled && disabledReason !== null, failedDeliveries, date }],
    )
    .filter(({ isSwitchedOff, failedDeliveries }) => isSwitchedOff || failedDeliveries > 0)
    .toSorted((a, b) => b.date - a.date);
