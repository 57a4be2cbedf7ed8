import { type AccessPattern, each4KB, each8KB, eachItem, pattern, type StoreCall } from './access-pattern.ts';

/** Access patterns of webhooks and of what is sent to them. */
export const deliveryPatterns = {
  'deliveries.get': pattern('A delivery', ['delivery'], 1, 0),
  'deliveries.getAll': pattern('Some deliveries', ['delivery'], 1, 0, eachItem),
  'deliveries.range': pattern('A page of deliveries of a webhook, by time', ['delivery'], 1, 0, each4KB),
  'deliveryLog.page': pattern(
    'A page of the list of deliveries, and how many there are',
    ['delivery'],
    1,
    0,
    'for each 4 KB of the first 200 looked at, 0.5 behind them: 500 always, 5,000 at most',
  ),
  'deliveryLog.oldest': pattern(
    'How many deliveries would a replay send?',
    ['delivery'],
    1,
    0,
    'as above: 500 at most',
  ),
  'deliveries.bodies': pattern('Long answers to the attempts of a delivery', ['attempt'], 1, 0, each4KB),
  'deliveries.create': pattern('A delivery that waits, once', ['delivery'], 0, 2, 'for each KB'),
  'deliveries.claim': pattern('Who sends it? One, until the claim lapses', ['delivery'], 0, 1, 'for each KB'),
  'deliveries.record': pattern(
    'What came of an attempt',
    ['delivery', 'attempt'],
    0,
    3,
    'for each KB; 2 with a short answer',
  ),
  'deliveries.postpone': pattern('A next attempt at a later time', ['delivery'], 0, 3, 'for each KB'),
  'deliveries.end': pattern('Ended without an attempt', ['delivery'], 0, 2, 'for each KB'),

  'health.probe': pattern('Who tries a receiver that rests? One', ['webhook'], 0, 1),
  'health.takeSlot': pattern('A place among the requests to a receiver in trouble', ['webhook'], 0, 1),
  'health.failed': pattern('One more failure in a row', ['webhook'], 0, 1),
  'health.worked': pattern('The failures have an end', ['webhook'], 0, 1),
  'health.freeSlot': pattern('A place is free again', ['webhook'], 0, 1),
  'health.warn': pattern('A webhook will be switched off, told once', ['webhook'], 0, 1),
  'health.disable': pattern('A webhook switches itself off', ['webhook'], 0, 1),

  'held.ids': { ...pattern('What does a webhook hold?', ['delivery'], 0.5, 0, each8KB), index: 'list' },
  'held.hold': pattern('A delivery is parked', ['delivery', 'webhook'], 0, 8, 'for each KB'),
  'held.release': pattern('A parked delivery goes on', ['delivery', 'webhook'], 0, 7, 'for each KB'),
  'held.end': pattern('A parked delivery ends', ['delivery', 'webhook'], 0, 6, 'for each KB'),
  'held.replace': pattern('What is sent again instead', ['delivery', 'webhook'], 0, 9, 'for each KB'),
  'held.reserve': pattern('The next places in the row of releases', ['webhook'], 0, 1),
  'held.correct': pattern('Nothing is parked, whatever was counted', ['webhook'], 0, 1),
  'held.done': pattern('Nothing is parked any more', ['webhook'], 0, 2),

  'repetitions.endOriginal': pattern(
    'What is sent no more, for a repetition was taken',
    ['delivery'],
    1,
    2,
    'for each KB; 6 when it is parked, with its webhook; 4 more in a replay',
  ),

  'replays.get': pattern('A replay', ['replay'], 1, 0),
  'replays.create': pattern('A new replay, if its webhook runs no other', ['replay', 'webhook'], 1, 5),
  'replays.add': pattern(
    'One more delivery of a replay, once',
    ['replay', 'delivery'],
    0,
    5,
    '6 more in the place of a parked one, with its webhook',
  ),
  'replays.advance': pattern('A step of a replay is done', ['replay'], 0, 3),
  'replays.finish': pattern('A replay has ended', ['replay'], 0, 2),
  'replays.close': pattern('Nothing of an ended replay waits', ['replay'], 0, 1),

  'secrets.rotate': pattern('Another secret of a webhook', ['webhook'], 0, 1),

  'webhooks.get': pattern('A webhook', ['webhook'], 1, 0),
  'webhooks.getAll': pattern('Some webhooks', ['webhook'], 1, 0, eachItem),
  'webhooks.list': pattern('The webhooks of a customer', ['webhook'], 1, 0, each4KB),
  'webhooks.create': pattern(
    'A new webhook, if its bot is there and its customer has room for it',
    ['webhook', 'home', 'bot', 'customer'],
    1,
    8,
  ),
  'webhooks.replace': pattern(
    'A webhook as its owner wants it, if its bot is there',
    ['webhook', 'bot'],
    0,
    4,
    '2 more when it becomes that of a bot',
  ),
  'webhooks.setToken': pattern('A new token of a webhook', ['webhook'], 0, 1),
  'webhooks.remove': pattern('A webhook is gone', ['webhook', 'home', 'customer'], 1, 6),
  'webhooks.forget': pattern('A webhook of a customer who is gone', ['webhook', 'home'], 0, 4),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
