import * as z from 'zod';
import type { WebhookRecord } from '../delivery/webhook.ts';
import { kinds } from '../kinds.ts';
import { id, millis, uuid } from '../values.ts';
import { allRecipients, isForDuty } from './recipients.ts';
import type { Rule } from './rule.ts';

const amount = z.int().min(0);

/** A webhook that was switched off by itself, or at which deliveries failed for good, until somebody says that it was seen. */
const Trouble = z
  .object({
    webhookId: uuid,
    name: z.string(),
    isSwitchedOff: z.boolean().meta({ description: 'by the service, and not switched on since' }),
    failedDeliveries: amount.meta({
      description: 'first deliveries of events that failed for good since it was last seen',
    }),
    date: millis.meta({ description: 'when the newest of it happened' }),
  })
  .meta({ id: 'Trouble' });
type Trouble = z.output<typeof Trouble>;

/** The body of a request that says that trouble was seen. */
export const Seen = z.object({ date: millis.meta({ description: 'the `date` of the trouble' }) }).meta({
  id: 'Seen',
  examples: [{ date: 1_795_651_200_000 }],
});

/** How many silent sensors are named. */
export const MOST_NAMED = 10;

/** How far the falls of a customer are watched, and what keeps them from being told. */
export const Watch = z
  .object({
    sensors: amount,
    silentSensors: z.object({
      total: amount,
      first: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .max(MOST_NAMED)
        .meta({ description: 'by name' }),
    }),
    rules: amount,
    fallsTold: z.enum(['all', 'some', 'none']).meta({
      description:
        'where rules that are switched on tell of falls: at all sensors at any time, at some of them or at times, or nowhere',
    }),
    isSilenceTold: z.boolean().meta({ description: 'does a rule that is switched on tell of silent sensors?' }),
    unheardRules: z.array(z.object({ id, name: z.string() })).meta({
      description:
        'rules of falls that reach nobody: each webhook is gone, of another bot by now, switched off, or failed last; each user has no such channel',
    }),
    isNobodyOnDuty: z.boolean().meta({ description: 'a rule of falls tells whoever is on duty, and nobody is' }),
    troubles: z.array(Trouble).meta({ description: 'the newest first' }),
  })
  .meta({ id: 'Watch' });

/** Does a rule, if it is switched on, tell that somebody fell or may have fallen? */
const isOfFalls = ({ situation, isEnabled }: Rule): boolean =>
  isEnabled && kinds[situation].type === 'fall' && /detected|suspected|confirmed/.test(kinds[situation].action);

const isForAll = ({ sensorId, sensorGroupId, schedule }: Rule): boolean =>
  sensorId === null && sensorGroupId === null && schedule === null;

/** What rules say of how far falls are watched. */
export const watchedBy = (rules: readonly Rule[]) => {
  const ofFalls = rules.filter(isOfFalls);
  const atSome = ofFalls.length > 0 ? 'some' : 'none';
  return {
    ofFalls,
    asksDuty: ofFalls.some((rule) => isForDuty(allRecipients(rule))),
    shown: {
      rules: rules.length,
      fallsTold: ofFalls.some(isForAll) ? 'all' : atSome,
      isSilenceTold: rules.some(({ situation, isEnabled }) => isEnabled && situation === 'sensor_inactive'),
    },
  } as const;
};

/** Is a webhook on, and did its last call not fail? */
export const isWell = ({ isEnabled, consecutiveFailures }: WebhookRecord): boolean =>
  isEnabled && consecutiveFailures === 0;

/** What of webhooks nobody has seen yet, the newest first. */
export const troublesOf = (webhooks: readonly WebhookRecord[]): Trouble[] =>
  webhooks
    .flatMap(({ id: webhookId, name, isEnabled, disabledReason, failedDeliveries = 0, troubleDate: date }) =>
      date === undefined
        ? []
        : [{ webhookId, name, isSwitchedOff: !isEnabled && disabledReason !== null, failedDeliveries, date }],
    )
    .filter(({ isSwitchedOff, failedDeliveries }) => isSwitchedOff || failedDeliveries > 0)
    .toSorted((a, b) => b.date - a.date);
