import * as z from 'zod';
import type { WebhookRecord } from '../delivery/webhook.ts';
import { kinds } from '../kinds.ts';
import { id, millis, uuid } from '../values.ts';
import { allRecipients, includesOnDuty } from './recipients.ts';
import type { Rule } from './rule.ts';

const amount = z.int().min(0);

/** A webhook that the service disabled, or whose deliveries failed permanently, until somebody marks it as seen. */
const Trouble = z
  .object({
    webhookId: uuid,
    name: z.string(),
    isSwitchedOff: z.boolean().meta({ description: 'disabled by the service, and not enabled since' }),
    failedDeliveries: amount.meta({
      description: 'original deliveries of events that failed permanently since it was last seen',
    }),
    date: millis.meta({ description: 'when the latest problem occurred' }),
  })
  .meta({ id: 'Trouble' });
type Trouble = z.output<typeof Trouble>;

/** The body of a request that marks trouble as seen. */
export const Seen = z.object({ date: millis.meta({ description: 'the `date` of the trouble' }) }).meta({
  id: 'Seen',
  examples: [{ date: 1_795_651_200_000 }],
});

/** The largest number of offline sensors that are named. */
export const MAX_NAMED_SENSORS = 10;

/** How completely falls are watched for a customer, and what keeps people from being notified. */
export const Watch = z
  .object({
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
      description: 'where enabled rules report falls: at all sensors at any time, at some sensors or times, or nowhere',
    }),
    isSilenceTold: z.boolean().meta({ description: 'whether an enabled rule reports offline sensors' }),
    unheardRules: z.array(z.object({ id, name: z.string() })).meta({
      description:
        'fall rules that reach nobody: their webhooks were deleted, belong to another bot, are disabled or failed last, and their users lack the channel',
    }),
    isNobodyOnDuty: z.boolean().meta({ description: 'a fall rule notifies the users on duty, and nobody is' }),
    troubles: z.array(Trouble).meta({ description: 'newest first' }),
  })
  .meta({ id: 'Watch' });

/** Whether an enabled rule reports that somebody fell or may have fallen. */
const isOfFalls = ({ situation, isEnabled }: Rule): boolean =>
  isEnabled && kinds[situation].type === 'fall' && /detected|suspected|confirmed/.test(kinds[situation].action);

const isForAll = ({ sensorId, sensorGroupId, schedule }: Rule): boolean =>
  sensorId === null && sensorGroupId === null && schedule === null;

/** Returns how completely the rules of a customer watch for falls. */
export const watchOf = (rules: readonly Rule[]) => {
  const ofFalls = rules.filter(isOfFalls);
  const atSome = ofFalls.length > 0 ? 'some' : 'none';
  return {
    ofFalls,
    asksDuty: ofFalls.some((rule) => includesOnDuty(allRecipients(rule))),
    shown: {
      rules: rules.length,
      fallsTold: ofFalls.some(isForAll) ? 'all' : atSome,
      isSilenceTold: rules.some(({ situation, isEnabled }) => isEnabled && situation === 'sensor_inactive'),
    },
  } as const;
};

/** Whether a webhook is enabled and its last request did not fail. */
export const isWorking = ({ isEnabled, consecutiveFailures }: WebhookRecord): boolean =>
  isEnabled && consecutiveFailures === 0;

/** Returns the webhooks with unseen trouble, newest first. */
export const unseenTroubles = (webhooks: readonly WebhookRecord[]): Trouble[] =>
  webhooks
    .flatMap(({ id: webhookId, name, isEnabled, disabledReason, failedDeliveries = 0, troubleDate: date }) =>
      date === undefined
        ? []
        : [{ webhookId, name, isSwitchedOff: !isEnabled && disabledReason !== null, failedDeliveries, date }],
    )
    .filter(({ isSwitchedOff, failedDeliveries }) => isSwitchedOff || failedDeliveries > 0)
    .toSorted((a, b) => b.date - a.date);
