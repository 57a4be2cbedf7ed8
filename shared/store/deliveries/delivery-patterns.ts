import { type AccessPattern, counting, each4KB, each8KB, eachItem, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Access patterns of webhooks and of what is sent to them. */
export const deliveryPatterns = {
  'deliveries.get': pattern('A delivery', { get: ['delivery', 'personDelivery'] }, [1, 0]),
  'deliveries.getAll': pattern('Some deliveries', { batchGet: ['delivery'] }, [1, 0], eachItem),
  'deliveries.range': pattern('A page of deliveries of a webhook, by time', { query: ['delivery'] }, [1, 0], each4KB),

  'deliveryLog.page': pattern(
    'A page of the list of deliveries, and their number',
    { query: ['delivery'] },
    [1, 0],
    'for each 4 KB of the first 200 looked at, 0.5 behind them: 500 always, 5,000 at most',
  ),
  'deliveryLog.joined': pattern(
    'A page of the deliveries of all webhooks of a customer, and to its people',
    { query: ['delivery', 'personDelivery'] },
    [1, 0],
    'for each 4 KB of what is read of a webhook: 3 of each always, about 600 together at most',
  ),
  'deliveryLog.oldest': pattern(
    'How many deliveries would a replay send?',
    { query: ['delivery'] },
    [1, 0],
    'for each 4 KB: 500 at most',
  ),

  'deliveries.bodies': pattern('Long answers to the attempts of a delivery', { query: ['attempt'] }, [1, 0], each4KB),
  'deliveries.create': pattern(
    'Write a delivery that waits for its first attempt, once',
    { put: ['delivery', 'personDelivery'] },
    [0, 2],
    'for each KB; 1 less when a queue remembers it',
  ),
  'deliveries.inQueue': pattern(
    'A delivery, and when its task is due in a queue',
    { get: ['delivery', 'personDelivery'] },
    [1, 0],
  ),
  'attempts.claim': pattern(
    'Claim a delivery for one attempt, until the lease ends',
    { get: ['delivery', 'personDelivery'], update: ['delivery', 'personDelivery'] },
    [0, 2],
    'for each KB; 1 less when a queue remembers it',
  ),
  'attempts.record': pattern(
    'Record the result of an attempt',
    { put: ['attempt'], update: ['delivery', 'personDelivery', 'replay'] },
    [0, 2],
    'for each KB; 1 with a short answer; 1 more when the next attempt waits longer than a queue can',
  ),
  'attempts.postpone': pattern(
    'Postpone the next attempt',
    { update: ['delivery'] },
    [0, 3],
    'for each KB; 1 when a queue remembers it',
  ),
  'deliveries.end': pattern(
    'End a delivery without an attempt',
    { update: ['delivery', 'replay'] },
    [0, 2],
    'for each KB',
  ),

  'deliveries.createFetched': pattern(
    'Write a delivery that waits to be fetched, and its place in the feed, once',
    { put: ['delivery', 'feedLine'] },
    [0, 2],
    'for each KB of the delivery, and 1',
  ),

  'feeds.cursor': pattern('What was given and is not taken?', { get: ['feedCursor'] }, [1, 0], 'for each 4 KB'),
  'feeds.waiting': pattern('Which deliveries wait to be fetched?', { query: ['feedLine'] }, [1, 0], each4KB),
  'feeds.isAnyWaiting': pattern('Does any delivery wait to be fetched?', { query: ['feedLine'] }, [0.5, 0]),
  'feeds.note': pattern('Note what was given', { put: ['feedCursor'] }, [0, 1], '5 when it is 100'),
  'feeds.take': pattern(
    'End a delivery that a reader took',
    { update: ['delivery', 'replay'], remove: ['feedLine'] },
    [0, 2],
    'for each KB of the delivery, and 1; 3 more in a replay',
  ),
  'feeds.end': pattern(
    'End a delivery that nobody is to fetch any more',
    { update: ['delivery', 'replay'], remove: ['feedLine'] },
    [0, 2],
    'as above',
  ),
  'feeds.drop': pattern('Take the place of an ended delivery out of its feed', { remove: ['feedLine'] }, [0, 1]),
  'feeds.enter': pattern(
    'Let a delivery wait to be fetched that was to be posted',
    { put: ['feedLine'], update: ['delivery'] },
    [0, 3],
    'for each KB of the delivery, and 1',
  ),
  'feeds.leave': pattern(
    'Let a delivery be posted that waited to be fetched',
    { update: ['delivery'], remove: ['feedLine'] },
    [0, 3],
    'for each KB of the delivery, and 1',
  ),
  'feeds.heard': pattern(
    'Note that somebody has fetched, once a minute',
    { update: ['webhook'] },
    [0, 2],
    '3 when the look at it is moved; 1 more while it holds anything',
  ),
  'feeds.missed': pattern('Note that nobody has fetched', { update: ['webhook'] }, [0, 1]),

  'health.takeSlot': pattern(
    'Take a slot of a webhook, or its one probe',
    { update: ['webhook'] },
    [0, 1],
    'again for each that another took',
  ),
  'health.keepSlot': pattern('Keep a slot for longer', { update: ['webhook'] }, [0, 1]),
  'health.failed': pattern('Record a failure at a webhook', { update: ['webhook'] }, [0, 1]),
  'health.worked': pattern('Record a success at a webhook', { update: ['webhook'] }, [0, 1]),
  'health.release': pattern('Give back slots of a webhook', { update: ['webhook'] }, [0, 1]),
  'health.warn': pattern('Note the warning that a webhook will be switched off', { update: ['webhook'] }, [0, 1]),
  'health.seen': pattern('Forget trouble of a webhook that somebody has seen', { update: ['webhook'] }, [0, 1]),
  'health.disable': pattern(
    'Switch a webhook off because of failures, with the notice of it',
    { update: ['webhook'], put: ['notice'] },
    [0, 5],
    '1 without a notice',
  ),

  'held.ids': pattern(
    'The oldest deliveries that a webhook holds',
    { queryList: ['heldOfWebhook'] },
    [0.5, 0],
    each8KB,
  ),
  'held.hold': pattern(
    'Park a delivery of a webhook that is switched off',
    { update: ['delivery', 'webhook'] },
    [0, 8],
    'for each KB',
  ),
  'held.release': pattern('Release a parked delivery', { update: ['delivery', 'webhook'] }, [0, 7], 'for each KB'),
  'held.end': pattern('End a parked delivery', { update: ['delivery', 'webhook', 'replay'] }, [0, 6], 'for each KB'),
  'held.replace': pattern(
    'Write a repetition in place of a parked delivery',
    { put: ['delivery'], update: ['delivery', 'webhook', 'replay'] },
    [0, 9],
    'for each KB',
  ),
  'held.reserve': pattern('Reserve the next times of release', { update: ['webhook'] }, [0, 1]),
  'held.correct': pattern('Correct the count of parked deliveries', { update: ['webhook'] }, [0, 1]),
  'held.done': pattern('Note that nothing is parked any more', { update: ['webhook'] }, [0, 2]),

  'repetitions.endOriginal': pattern(
    'End a delivery whose repetition was accepted',
    { get: ['delivery', 'personDelivery'], update: ['delivery', 'personDelivery', 'webhook', 'replay'] },
    [1, 2],
    'for each KB; 6 when it is parked, with its webhook; 4 more in a replay',
  ),

  'replays.get': pattern('A replay', { get: ['replay'] }, [1, 0]),
  'replays.current': pattern(
    'Which replays of a webhook run, and which was the newest?',
    { batchGet: ['replay'] },
    [1, 0],
    eachItem,
  ),
  'replays.create': pattern(
    'A new replay, if its webhook runs no other',
    { get: ['webhook'], batchGet: ['replay'], put: ['replay'], update: ['webhook'] },
    [1, 5],
  ),
  'replays.add': pattern(
    'Add a delivery to a replay, once',
    { put: ['delivery'], update: ['replay', 'delivery', 'webhook'] },
    [0, 5],
    '6 more in the place of a parked one, with its webhook',
  ),
  'replays.advance': pattern('Record a step of a replay', { update: ['replay'] }, [0, 3]),
  'replays.pause': pattern('Pause or resume a replay', { update: ['replay'] }, [0, 3]),
  'replays.finish': pattern('End a replay', { update: ['replay'] }, [0, 2]),
  'replays.close': pattern('Take an ended replay out of the due index', { update: ['replay'] }, [0, 1]),

  'secrets.rotate': pattern('Replace the secret of a webhook', { update: ['webhook'] }, [0, 1]),

  'webhooks.get': pattern('A webhook', { get: ['webhook'] }, [1, 0]),
  'webhooks.getAll': pattern('Some webhooks', { batchGet: ['webhook'] }, [1, 0], eachItem),
  'recipients.webhooks': pattern('Webhooks and bots by their ids', { batchGet: ['webhook', 'bot'] }, [2, 0], eachItem),
  'webhooks.list': pattern('The webhooks of a customer', { query: ['webhook'] }, [1, 0], each4KB),
  'webhooks.create': pattern(
    'A new webhook, if its bot is there and its customer has room for it',
    counting({ put: ['webhook', 'owner'], update: ['sensorGroup'], check: ['bot'] }),
    [1, 8],
    '2 more with a filter that names a group',
  ),
  'webhooks.replace': pattern(
    'Replace a webhook, if its bot is there',
    { update: ['webhook', 'customer', 'sensorGroup'], check: ['bot'] },
    [0, 4],
    '2 more when it becomes that of a bot, or with a filter that names a group',
  ),
  'webhooks.setToken': pattern('A new token of a webhook', { update: ['webhook'] }, [0, 1]),
  'webhooks.remove': pattern(
    'Delete a webhook',
    counting({ put: ['formerWebhook'], remove: ['webhook', 'owner'] }),
    [1, 8],
  ),
  'webhooks.forget': pattern(
    'Delete a webhook of a deleted customer',
    { put: ['formerWebhook'], remove: ['webhook', 'owner'] },
    [0, 6],
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
