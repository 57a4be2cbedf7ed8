import type { Equivalent } from './equivalents.ts';

const same = (file: string, why: string, ...changes: readonly [line: string, mutant: string][]): Equivalent[] =>
  changes.map(([line, mutant]) => ({ file, line, mutant, why }));

/** The mutants of workers that no test can notice (equivalents.ts). */
export const workerEquivalents: readonly Equivalent[] = [
  ...same('functions/workers/deliver/alert-managers.ts', 'only alarms for which somebody waits are left', [
    'const deferredTo = alarm.deferredTo?.filter((userId) => !mailed.has(userId)) ?? [];',
    'OptionalChaining: alarm.deferredTo.filter',
  ]),
  ...same(
    'functions/workers/deliver/alert-managers.ts',
    'no time is within the first milliseconds of 1970',
    [
      'const lastReminder = Math.max(0, ...known.map(({ reminderDate = 0 }) => past(reminderDate)));',
      'NumericLiteral: 1',
    ],
    ['const past = (date: number): number => (isFuture(date, now()) ? 0 : date);', 'NumericLiteral: 1'],
  ),
  ...same('functions/workers/deliver/alert-managers.ts', 'somebody who is no manager gets no list', [
    'const waiting = new Set(open.flatMap(({ deferredTo = [] }) => deferredTo));',
    'ArrayDeclaration: ["Stryker was here"]',
  ]),
  ...same('functions/workers/deliver/alert-managers.ts', 'only users who waited are compared', [
    'for (const alarm of open.filter(({ deferredTo = [] }) => deferredTo.some((userId) => mailed.has(userId)))) {',
    'ArrayDeclaration: ["Stryker was here"]',
  ]),
  ...same('functions/workers/deliver/alert-managers.ts', 'no alarm is claimed if none is due', [
    'if (due.length === 0 || lastReminder + HOUR_MS > now()) return;',
    'ConditionalExpression: false',
  ]),
  ...same('functions/workers/deliver/alert-managers.ts', 'a mail knows this cause by its receivers', [
    "if (receivers !== '') return { kind: 'failed', receivers };",
    'StringLiteral: ""',
  ]),
  ...same('functions/workers/deliver/alert-managers.ts', 'without anybody who waits nothing follows', [
    'if (waiting.size === 0) return;',
    'ConditionalExpression: false',
  ]),
  ...same('functions/workers/deliver/early.ts', 'no time is within the first milliseconds of 1970', [
    'const { backDate = 0 } = webhook;',
    'NumericLiteral: 1',
  ]),
  ...same('functions/workers/deliver/gather.ts', 'the person is in the set already', [
    'if (other !== userId && telegramChat(await verifiedChannelsOf(store, customerId, other)) === chat) users.add(other);',
    'ConditionalExpression: true',
  ]),
  ...same(
    'functions/workers/deliver/health.ts',
    'no comparison with NaN is true',
    ["const wait = next.state === 'retrying' ? next.nextAttempt - now() : 0;", 'ConditionalExpression: true'],
    [
      'if (pendingSince !== undefined && time < pendingSince) await store.health.notePending(webhook, time);',
      'ConditionalExpression: true',
    ],
  ),
  ...same('functions/workers/deliver/release.ts', 'nothing more is selected once everything is listed', [
    'if (back.isListed) return store.health.endRelease(webhook, back.date);',
    'ConditionalExpression: false',
  ]),
  ...same(
    'functions/workers/process/check-alarm.ts',
    'an alarm from the future is always later than when it was made',
    ['const setBack = Math.max(0, createDate - made);', 'NumericLiteral: 1'],
  ),
  ...same(
    'functions/workers/process/check-alarm.ts',
    'a field that is undefined is not stored, and counts as missing',
    [
      'const trace = { ...(uuid !== undefined && { uuid }), ...(requestId !== undefined && { requestId }) };',
      'ConditionalExpression: true',
    ],
  ),
  ...same('functions/workers/process/check-alarm.ts', 'without alarms nothing depends on it', [
    'if (hits.some(({ acknowledgement }) => acknowledgement)) return { alarms: [], isSomebodyNotified: true };',
    'BooleanLiteral: false',
  ]),
  ...same(
    'functions/workers/process/decide.ts',
    'the next state keeps the entry of the one before',
    ['...(duePk && dueAt && { duePk, dueAt }),', 'ConditionalExpression: false'],
    ['...(duePk && dueAt && { duePk, dueAt }),', 'ConditionalExpression: true'],
    ['...(duePk && dueAt && { duePk, dueAt }),', 'LogicalOperator: duePk && dueAt || {\n  duePk,\n  dueAt\n}'],
    ['...(duePk && dueAt && { duePk, dueAt }),', 'LogicalOperator: duePk || dueAt'],
    ['...(duePk && dueAt && { duePk, dueAt }),', 'ObjectLiteral: {}'],
  ),
  ...same('functions/workers/process/decide.ts', 'no time is within the first milliseconds of 1970', [
    '? silentAt(next, 0, deps.settings.SENSOR_INACTIVE_AFTER_SECONDS)',
    'NumericLiteral: 1',
  ]),
  ...same('functions/workers/process/decide.ts', "any other word than 'any' means alarms only", [
    "const alarm = timings && isFar ? nextMove(next, timings, 'alarm') : Number.POSITIVE_INFINITY;",
    'StringLiteral: ""',
  ]),
  ...same('functions/workers/process/emergency-contacts.ts', 'the rules of an event are not part of a payload', [
    'const event = { id: 0, uuid: eventUuid, receiveDate: createDate, source: null, createDate, happening, rules: [] };',
    'ArrayDeclaration: ["Stryker was here"]',
  ]),
  ...same(
    'functions/workers/process/emergency-contacts.ts',
    'contacts are people, and nobody on duty or webhook is read for them',
    ['const recipients = await readRecipients(deps, { customerId, customer }, contacts);', 'ObjectLiteral: {}'],
  ),
  ...same(
    'functions/workers/process/emergency-contacts.ts',
    'a rule that only provides texts has no recipients and no conditions',
    ['escalation: [],', 'ArrayDeclaration: ["Stryker was here"]'],
    ['includeSimulated: false,', 'BooleanLiteral: true'],
    ['isEnabled: true,', 'BooleanLiteral: false'],
    ['rateLimitSeconds: 0,', 'NumericLiteral: 1'],
    ['recipients: [],', 'ArrayDeclaration: ["Stryker was here"]'],
    ['untilAcknowledged: true,', 'BooleanLiteral: false'],
    ['updateDate: 0,', 'NumericLiteral: 1'],
  ),
  ...same('functions/workers/process/escalate.ts', 'the rules of an event are not part of a payload', [
    'const event = { ...hit.cause, rules: [] };',
    'ArrayDeclaration: ["Stryker was here"]',
  ]),
  ...same('functions/workers/process/escalate.ts', 'a round that is not open has no receivers', [
    'if (!context && isOpen) await cancelDeliveries(deps, customerId, hit, hit.escalation.to ?? []);',
    'ConditionalExpression: true',
  ]),
  ...same(
    'functions/workers/process/escalate.ts',
    'an open round ends here only without its rule or sensor',
    [
      'if (!context && isOpen) await cancelDeliveries(deps, customerId, hit, hit.escalation.to ?? []);',
      'LogicalOperator: !context || isOpen',
    ],
    [
      'if (!context && isOpen) await cancelDeliveries(deps, customerId, hit, hit.escalation.to ?? []);',
      'LogicalOperator: hit.escalation.to && []',
    ],
  ),
  ...same(
    'functions/workers/process/escalate.ts',
    'only a hit that has changed is read again',
    ["if (!hit) return 'no_escalation';", 'StringLiteral: ""'],
    ["if (!isOpen && (await setBackRounds(deps, task, hit))) return 'not_due';", 'StringLiteral: ""'],
    ["return 'acknowledged';", 'StringLiteral: ""'],
    ["return 'applied';", 'StringLiteral: ""'],
    ["return 'ended';", 'StringLiteral: ""'],
    ["return 'not_due';", 'StringLiteral: ""'],
    ["return { kind: 'ended' };", 'ObjectLiteral: {}'],
    ["return { kind: 'ended' };", 'StringLiteral: ""'],
    ["return { kind: 'not_due' };", 'ObjectLiteral: {}'],
    ["return { kind: 'not_due' };", 'StringLiteral: ""'],
  ),
  ...same(
    'functions/workers/process/failed-round.ts',
    'a message of a webhook is left out twice, which shows the compiler that the others are for people',
    [
      ".filter(({ publisher, step = 0 }) => publisher !== 'webhook' && steps.some((ofRound) => ofRound.step === step))",
      'ConditionalExpression: true',
    ],
    [
      ".filter(({ publisher, step = 0 }) => publisher !== 'webhook' && steps.some((ofRound) => ofRound.step === step))",
      'StringLiteral: ""',
    ],
    ["if (by === 'webhook') return [];", 'ConditionalExpression: false'],
    ["if (by === 'webhook') return [];", 'StringLiteral: ""'],
  ),
  ...same('functions/workers/process/hits.ts', 'a group has at least one delivery', [
    'const [hit = null, ...alsoHits] = [first, ...others].flatMap((delivery) => delivery?.hit ?? []);',
    'OptionalChaining: delivery.hit',
  ]),
  ...same('functions/workers/process/hits.ts', 'without a webhook the list is empty anyway', [
    'if (fitting.length === 0) return [];',
    'ConditionalExpression: false',
  ]),
  ...same('functions/workers/process/hits.ts', 'the deliveries of an event are all to webhooks', [
    'ofEvent: ofEvent.flatMap(({ webhookId, id }) => (webhookId === null ? [] : [{ webhookId, deliveryId: id }])),',
    'ConditionalExpression: false',
  ]),
  ...same('functions/workers/process/hits.ts', 'no message and null mean the same', [
    'return fallMessage === null ? event : { ...event, fallMessage };',
    'ConditionalExpression: false',
  ]),
  ...same('functions/workers/process/inputs.ts', 'no time is within the first milliseconds of 1970', [
    'const earlier = before && !isFuture(before.receiveDate, now) ? before.receiveDate : 0;',
    'NumericLiteral: 1',
  ]),
  ...same('functions/workers/process/judge.ts', 'only null means that it is to be retried', [
    "if (!before || !values) return 'unchanged';",
    'StringLiteral: ""',
  ]),
  ...same('shared/worker/consume.ts', 'a group has either ordered messages or a single one', [
    "if (outcome.kind !== 'retry_later' && records.every(isOrdered)) history.note(group, groupResult(outcome));",
    'MethodExpression: records.some(isOrdered)',
  ]),
  ...same('shared/worker/consume.ts', 'an error has at least one issue', [
    "const reason = error.issues[0]?.message ?? 'the body is not a task';",
    'OptionalChaining: error.issues[0].message',
  ]),
  ...same('shared/worker/poison.ts', 'a map with more entries than the limit has a first one', [
    'if (results.size > MAX_GROUPS && oldest !== undefined) results.delete(oldest);',
    'ConditionalExpression: true',
  ]),
  ...same('shared/worker/poison.ts', 'no comparison with NaN is true', [
    'if (accepted === undefined) return false;',
    'ConditionalExpression: false',
  ]),
  ...same(
    'shared/worker/poison.ts',
    'any other word than that of a result to be noted has the same effect',
    ["(await tryQuarantine(runtime, record, reason)) ? 'done' : 'retry_later';", 'StringLiteral: ""'],
    ["if (outcome.kind === 'retry_later') return 'retry_later';", 'StringLiteral: ""'],
  ),
  ...same('shared/worker/poison.ts', 'only a failed outcome has a failure', [
    "const isBug = (outcome: TaskOutcome) => outcome.kind === 'failed' && outcome.failure === 'other';",
    'ConditionalExpression: true',
  ]),
];
