import { type AccessPattern, counting, each4KB, each8KB, eachItem, pattern, type StoreCall } from './access-pattern.ts';

/** Access patterns of webhooks and of what is sent to them. */
export const deliveryPatterns = {
  'deliveries.get': pattern('A delivery', { get: ['delivery'] }, 1, 0),
  'deliveries.getAll': pattern('Some deliveries', { batchGet: ['delivery'] }, 1, 0, eachItem),
  'deliveries.range': pattern('A page of deliveries of a webhook, by time', { query: ['delivery'] }, 1, 0, each4KB),

  'deliveryLog.page': pattern(
    'A page of the list of deliveries, and how many there are',
    { query: ['delivery'] },
    1,
    0,
    'for each 4 KB of the first 200 looked at, 0.5 behind them: 500 always, 5,000 at most',
  ),
  'deliveryLog.oldest': pattern(
    'How many deliveries would a replay send?',
    { query: ['delivery'] },
    1,
    0,
    'as above: 500 at most',
  ),

  'deliveries.bodies': pattern('Long answers to the attempts of a delivery', { query: ['attempt'] }, 1, 0, each4KB),
  'deliveries.create': pattern(
    'A delivery that waits, once',
    { put: ['delivery'] },
    0,
    2,
    'for each KB; 1 less when a queue remembers it',
  ),
  'deliveries.inQueue': pattern('Does a delivery still wait in a queue?', { get: ['delivery'] }, 1, 0),
  'deliveries.claim': pattern(
    'Who sends it? One, until the claim lapses',
    { get: ['delivery'], update: ['delivery'] },
    0,
    2,
    'for each KB; 1 less when a queue remembers it',
  ),
  'deliveries.record': pattern(
    'What came of an attempt',
    { put: ['attempt'], update: ['delivery', 'replay'] },
    0,
    2,
    'for each KB; 1 with a short answer; 1 more when the next attempt waits longer than a queue can',
  ),
  'deliveries.postpone': pattern(
    'A next attempt at a later time',
    { update: ['delivery'] },
    0,
    3,
    'for each KB; 1 when a queue remembers it',
  ),
  'deliveries.end': pattern('Ended without an attempt', { update: ['delivery', 'replay'] }, 0, 2, 'for each KB'),

  'health.takeSlot': pattern(
    'A place among the requests to a webhook, and the one probe of it',
    { update: ['webhook'] },
    0,
    1,
    'again for each that another took',
  ),
  'health.keepSlot': pattern('A place for longer', { update: ['webhook'] }, 0, 1),
  'health.failed': pattern('One more failure in a row', { update: ['webhook'] }, 0, 1),
  'health.worked': pattern('The failures have an end', { update: ['webhook'] }, 0, 1),
  'health.release': pattern('Places are free again', { update: ['webhook'] }, 0, 1),
  'health.warn': pattern('A webhook will be switched off, told once', { update: ['webhook'] }, 0, 1),
  'health.disable': pattern('A webhook switches itself off', { update: ['webhook'] }, 0, 1),

  'held.ids': pattern('What does a webhook hold?', { queryList: ['heldOfWebhook'] }, 0.5, 0, each8KB),
  'held.hold': pattern('A delivery is parked', { update: ['delivery', 'webhook'] }, 0, 8, 'for each KB'),
  'held.release': pattern('A parked delivery goes on', { update: ['delivery', 'webhook'] }, 0, 7, 'for each KB'),
  'held.end': pattern('A parked delivery ends', { update: ['delivery', 'webhook', 'replay'] }, 0, 6, 'for each KB'),
  'held.replace': pattern(
    'What is sent again instead',
    { put: ['delivery'], update: ['delivery', 'webhook', 'replay'] },
    0,
    9,
    'for each KB',
  ),
  'held.reserve': pattern('The next places in the row of releases', { update: ['webhook'] }, 0, 1),
  'held.correct': pattern('Nothing is parked, whatever was counted', { update: ['webhook'] }, 0, 1),
  'held.done': pattern('Nothing is parked any more', { update: ['webhook'] }, 0, 2),

  'repetitions.endOriginal': pattern(
    'What is sent no more, for a repetition was taken',
    { get: ['delivery'], update: ['delivery', 'webhook', 'replay'] },
    1,
    2,
    'for each KB; 6 when it is parked, with its webhook; 4 more in a replay',
  ),

  'replays.get': pattern('A replay', { get: ['replay'] }, 1, 0),
  'replays.create': pattern(
    'A new replay, if its webhook runs no other',
    { get: ['webhook'], batchGet: ['replay'], put: ['replay'], update: ['webhook'] },
    1,
    5,
  ),
  'replays.add': pattern(
    'One more delivery of a replay, once',
    { put: ['delivery'], update: ['replay', 'delivery', 'webhook'] },
    0,
    5,
    '6 more in the place of a parked one, with its webhook',
  ),
  'replays.advance': pattern('A step of a replay is done', { update: ['replay'] }, 0, 3),
  'replays.finish': pattern('A replay has ended', { update: ['replay'] }, 0, 2),
  'replays.close': pattern('Nothing of an ended replay waits', { update: ['replay'] }, 0, 1),

  'secrets.rotate': pattern('Another secret of a webhook', { update: ['webhook'] }, 0, 1),

  'webhooks.get': pattern('A webhook', { get: ['webhook'] }, 1, 0),
  'webhooks.getAll': pattern('Some webhooks', { batchGet: ['webhook'] }, 1, 0, eachItem),
  'webhooks.recipients': pattern(
    'Webhooks and bots that are to be told something',
    { batchGet: ['webhook', 'bot'] },
    2,
    0,
    eachItem,
  ),
  'webhooks.list': pattern('The webhooks of a customer', { query: ['webhook'] }, 1, 0, each4KB),
  'webhooks.create': pattern(
    'A new webhook, if its bot is there and its customer has room for it',
    counting({ put: ['webhook', 'home'], check: ['bot'] }),
    1,
    8,
  ),
  'webhooks.replace': pattern(
    'A webhook as its owner wants it, if its bot is there',
    { update: ['webhook', 'customer'], check: ['bot'] },
    0,
    4,
    '2 more when it becomes that of a bot',
  ),
  'webhooks.setToken': pattern('A new token of a webhook', { update: ['webhook'] }, 0, 1),
  'webhooks.remove': pattern('A webhook is gone', counting({ remove: ['webhook', 'home'] }), 1, 6),
  'webhooks.forget': pattern('A webhook of a customer who is gone', { remove: ['webhook', 'home'] }, 0, 4),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
