import { type AccessPattern, pattern, per4KB, perItem, withCount } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Access patterns for webhooks and deliveries. */
export const deliveryPatterns = {
  'deliveries.get': pattern('A delivery', { get: ['delivery', 'personDelivery'] }, [1, 0]),
  'deliveries.getAll': pattern('Some deliveries', { batchGet: ['delivery'] }, [1, 0], perItem),
  'deliveries.dueToPeople': pattern(
    'Which deliveries to people are due?',
    { query: ['personDelivery'] },
    [0.5, 0],
    'per 4 KB of deliveries from the last minutes, due or not: 5,000 at most',
  ),
  'deliveries.range': pattern("A webhook's deliveries in a time range", { query: ['delivery'] }, [1, 0], per4KB),

  'deliveryLog.page': pattern(
    "A page of a webhook's deliveries, with the total",
    { query: ['delivery'] },
    [1, 0],
    'per 4 KB of the first 200 read, then 0.5: at least 500, at most 5,000 deliveries',
  ),
  'deliveryLog.pageOfAll': pattern(
    "A page of deliveries to all of a customer's webhooks and people",
    { query: ['delivery', 'personDelivery'] },
    [1, 0],
    'per 4 KB read for a webhook: at least 3 deliveries each, about 600 in total at most',
  ),
  'deliveryLog.oldest': pattern(
    'How many deliveries would a replay send?',
    { query: ['delivery'] },
    [1, 0],
    'per 4 KB: 500 deliveries at most',
  ),

  'deliveries.responseBodies': pattern(
    "Long response bodies from a delivery's attempts",
    { query: ['attempt'] },
    [1, 0],
    per4KB,
  ),
  'deliveries.create': pattern(
    'Write a pending delivery, once',
    { put: ['delivery', 'personDelivery'] },
    [0, 2],
    'per KB; 1 less if a queue can delay the task long enough',
  ),
  'deliveries.getQueued': pattern(
    'A delivery, and when its queued task is due',
    { get: ['delivery', 'personDelivery'] },
    [1, 0],
  ),
  'attempts.claim': pattern(
    'Claim a delivery for one attempt until the lease ends',
    { get: ['delivery', 'personDelivery'], update: ['delivery', 'personDelivery'] },
    [0, 2],
    'per KB; 1 less if a queue can delay the task long enough',
  ),
  'attempts.recordResult': pattern(
    "Record an attempt's result",
    { put: ['attempt'], update: ['delivery', 'personDelivery', 'replay'] },
    [0, 2],
    'per KB; 1 with a short response; 1 more if no queue can delay the next attempt long enough',
  ),
  'attempts.recordUndeliverable': pattern(
    'Record that a delivered notification did not arrive',
    { update: ['personDelivery'] },
    [0, 1],
    'per KB',
  ),
  'attempts.postpone': pattern(
    'Postpone the next attempt',
    { update: ['delivery'] },
    [0, 3],
    'per KB; 1 if a queue can delay the task long enough',
  ),
  'attempts.replan': pattern(
    'Correct when the next attempt is due after the clock was set back',
    { update: ['delivery', 'personDelivery'] },
    [0, 3],
    'per KB',
  ),
  'deliveries.end': pattern('End a delivery without an attempt', { update: ['delivery', 'replay'] }, [0, 2], 'per KB'),

  'deliveries.createInFeed': pattern(
    'Write a delivery to be fetched and a feed line for it, once',
    { put: ['delivery', 'feedLine'] },
    [0, 2],
    'per KB of the delivery, plus 1',
  ),

  'feeds.cursor': pattern(
    'Which deliveries were handed out but not acknowledged?',
    { get: ['feedCursor'] },
    [1, 0],
    'per 4 KB',
  ),
  'feeds.pendingIds': pattern('Which deliveries can be fetched?', { query: ['feedLine'] }, [1, 0], per4KB),
  'feeds.idsToPost': pattern('Which deliveries are posted instead?', { query: ['feedLine'] }, [1, 0], per4KB),
  'feeds.hasPending': pattern('Can any delivery be fetched?', { query: ['feedLine'] }, [0.5, 0]),
  'feeds.recordHandedOut': pattern(
    'Record which deliveries were handed out',
    { put: ['feedCursor'] },
    [0, 1],
    '5 for 100 deliveries',
  ),
  'feeds.acknowledge': pattern(
    'End a delivery that a reader acknowledged',
    { update: ['delivery', 'replay'], remove: ['feedLine'] },
    [0, 2],
    'per KB of the delivery, plus 1; 3 more in a replay',
  ),
  'feeds.end': pattern(
    'End a delivery that should not be fetched anymore',
    { update: ['delivery', 'replay'], remove: ['feedLine'] },
    [0, 2],
    'as above',
  ),
  'feeds.removeFromFeed': pattern('Remove an ended delivery from the feed', { remove: ['feedLine'] }, [0, 1]),
  'feeds.moveToFeed': pattern(
    'Move a delivery to the feed, instead of posting it',
    { put: ['feedLine'], update: ['delivery'] },
    [0, 3],
    'per KB of the delivery, plus 1',
  ),
  'feeds.moveToPost': pattern(
    'Remove a pending delivery from the feed, to post it',
    { update: ['delivery'], remove: ['feedLine'] },
    [0, 3],
    'per KB of the delivery, plus 1',
  ),
  'feeds.recordFetch': pattern(
    'Record a fetch, once a minute',
    { update: ['webhook'] },
    [0, 2],
    "3 if the webhook's check is rescheduled; 1 more while the webhook holds deliveries",
  ),
  'feeds.recordNoFetch': pattern('Record that nobody fetched', { update: ['webhook'] }, [0, 1]),

  'feedWaits.begin': pattern(
    'Let a fetch wait, if only few are waiting for this customer',
    { get: ['feedWaits'], put: ['feedWaits'] },
    [1, 1],
    'the same again if another fetch began or ended at the same time',
  ),
  'feedWaits.end': pattern(
    "End a fetch's wait when it got deliveries",
    { get: ['feedWaits'], put: ['feedWaits'] },
    [1, 1],
    'as above',
  ),

  'health.takeSlot': pattern(
    "Take a webhook's slot or only probe",
    { update: ['webhook'] },
    [0, 1],
    'the same again for each slot taken by another process',
  ),
  'health.renewSlot': pattern('Extend a slot', { update: ['webhook'] }, [0, 1]),
  'health.failed': pattern('Record a webhook failure', { update: ['webhook'] }, [0, 1]),
  'health.recordSuccess': pattern('Record a webhook success', { update: ['webhook'] }, [0, 1]),
  'health.recordBack': pattern('Record the first success after failures', { update: ['webhook'] }, [0, 1]),
  'health.notePending': pattern('Record since when deliveries are pending', { update: ['webhook'] }, [0, 1]),
  'health.endRelease': pattern('Record that all pending deliveries are released', { update: ['webhook'] }, [0, 1]),
  'health.release': pattern('Release webhook slots', { update: ['webhook'] }, [0, 1]),
  'health.recordWarning': pattern(
    'Record the warning that a webhook will be disabled',
    { update: ['webhook'] },
    [0, 1],
  ),
  'health.clearFailures': pattern('Clear webhook failures that someone has seen', { update: ['webhook'] }, [0, 1]),
  'health.disable': pattern(
    'Disable a webhook because of failures, with a notice',
    { update: ['webhook'], put: ['notice'] },
    [0, 5],
    '1 without a notice',
  ),

  'held.ids': pattern(
    "A webhook's held deliveries: alarms about people, then the oldest others",
    { query: ['heldAlarm'], queryList: ['heldOfWebhook'] },
    [1.5, 0],
    '1 per 4 KB of alarms, 0.5 per 8 KB of all',
  ),
  'held.hold': pattern(
    'Hold a delivery to a disabled webhook',
    { put: ['heldAlarm'], update: ['delivery', 'webhook'] },
    [0, 10],
    'per KB; 2 less if it is not an alarm about a person',
  ),
  'held.release': pattern(
    'Release a held delivery',
    { update: ['delivery', 'webhook'], remove: ['heldAlarm'] },
    [0, 9],
    'as above',
  ),
  'held.end': pattern(
    'End a held delivery',
    { update: ['delivery', 'webhook', 'replay'], remove: ['heldAlarm'] },
    [0, 8],
    'as above',
  ),
  'held.replace': pattern(
    'Replace a held delivery with its redelivery',
    { put: ['delivery'], update: ['delivery', 'webhook', 'replay'], remove: ['heldAlarm'] },
    [0, 11],
    'as above',
  ),
  'held.reserveReleases': pattern('Reserve the next release times', { update: ['webhook'] }, [0, 1]),
  'held.correctDue': pattern(
    'Make a webhook due that would be due too late after the clock was set back',
    { update: ['webhook'] },
    [0, 3],
  ),
  'held.correctCount': pattern('Correct the held delivery count', { update: ['webhook'] }, [0, 1]),
  'held.removeFromDue': pattern('Record that nothing is held anymore', { update: ['webhook'] }, [0, 2]),

  'repetitions.endOriginal': pattern(
    'End a delivery whose redelivery was accepted',
    {
      get: ['delivery', 'personDelivery'],
      update: ['delivery', 'personDelivery', 'webhook', 'replay'],
      remove: ['heldAlarm'],
    },
    [1, 2],
    'per KB; 6 if held, with the webhook, 8 if it is an alarm about a person; 4 more in a replay',
  ),

  'replays.get': pattern('A replay', { get: ['replay'] }, [1, 0]),
  'replays.current': pattern(
    "A webhook's running replays, and the newest one",
    { batchGet: ['replay'] },
    [1, 0],
    perItem,
  ),
  'replays.create': pattern(
    'Create a replay, if the webhook has no other running',
    { get: ['webhook'], batchGet: ['replay'], put: ['replay'], update: ['webhook'] },
    [1, 5],
  ),
  'replays.add': pattern(
    'Add a delivery to a replay, once',
    { put: ['delivery'], update: ['replay', 'delivery', 'webhook'], remove: ['heldAlarm'] },
    [0, 5],
    '6 more to replace a held delivery, with the webhook, 8 if it is an alarm about a person',
  ),
  'replays.advance': pattern('Record a replay step', { update: ['replay'] }, [0, 3]),
  'replays.setPaused': pattern('Pause or resume a replay', { update: ['replay'] }, [0, 3]),
  'replays.finish': pattern('End a replay', { update: ['replay'] }, [0, 2]),
  'replays.close': pattern('Remove an ended replay from the due index', { update: ['replay'] }, [0, 1]),

  'secrets.rotate': pattern("Replace a webhook's secret", { update: ['webhook'] }, [0, 1]),

  'webhooks.get': pattern('A webhook', { get: ['webhook'] }, [1, 0]),
  'webhooks.getAll': pattern('Some webhooks', { batchGet: ['webhook'] }, [1, 0], perItem),
  'recipients.webhooks': pattern('Some webhooks and bots', { batchGet: ['webhook', 'bot'] }, [2, 0], perItem),
  'webhooks.list': pattern("A customer's webhooks", { query: ['webhook'] }, [1, 0], per4KB),
  'webhooks.create': pattern(
    "Create a webhook within the customer's quota, if the bot exists",
    withCount({ put: ['webhook', 'owner'], update: ['sensorGroup'], check: ['bot'] }),
    [1, 8],
    '2 more with a filter that names a group',
  ),
  'webhooks.replace': pattern(
    'Replace a webhook, if the bot exists',
    { update: ['webhook', 'customer', 'sensorGroup'], check: ['bot'] },
    [0, 4],
    '2 more if assigned to a bot, or with a filter that names a group',
  ),
  'webhooks.setToken': pattern("Replace a webhook's token", { update: ['webhook'] }, [0, 1]),
  'webhooks.remove': pattern(
    'Delete a webhook',
    withCount({ put: ['formerWebhook'], remove: ['webhook', 'owner'] }),
    [1, 8],
  ),
  'webhooks.forget': pattern(
    "Delete a deleted customer's webhook",
    { put: ['formerWebhook'], remove: ['webhook', 'owner'] },
    [0, 6],
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
