import { addresseesOf, deliveryTo, knownOf } from '#shared/api/addressees.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { NOBODY } from '#shared/domain/delivery/ping.ts';
import { type EventContext, serviceOf } from '#shared/domain/delivery/snapshot.ts';
import { pingEvent } from '#shared/domain/event/event.ts';
import type { Customer } from '#shared/domain/identity/customer.ts';
import { randomUuid, timeOrderedId } from '#shared/domain/ids.ts';
import { allRecipients, recipientLists } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { rules } from './contract.ts';

type Uses = (typeof rules)['operations']['tryRule']['uses'][number];
type Test = { step: number; delivery: Delivery };

/** What no sensor said and nothing happened for, in the words of the rule's situation. */
const testContext = (
  { now, random, settings }: Deps<Uses>,
  { situation }: Rule,
  customer: Customer | null,
): EventContext => {
  const time = now();
  const happening = { ...pingEvent, situation };
  return {
    service: serviceOf(settings),
    event: {
      id: timeOrderedId(time, Buffer.from(random(2)).readUInt16BE()),
      uuid: randomUuid(random),
      source: null,
      createDate: time,
      receiveDate: time,
      happening,
      rules: [],
    },
    sensor: { id: NOBODY, hardwareId: '0'.repeat(12), name: 'Test', groupId: 0 },
    customer,
  };
};

/**
 * Makes the deliveries that try a rule: marked tests for all recipients and steps, of no hit that could be acknowledged. A
 * recipient of several steps gets one for each.
 */
export const testsOf = async (deps: Deps<Uses>, rule: Rule, customer: Customer | null): Promise<Test[]> => {
  const known = await knownOf(deps, rule.customerId, allRecipients(rule));
  const eventContext = testContext(deps, rule, customer);
  const marked = { ...rule, title: `Test: ${rule.title}`, message: `Test: ${rule.message}` };
  // A format that only repeats messages of devices can tell of a test.
  const { event } = eventContext;
  const asMessage = { ...eventContext, event: { ...event, source: event.uuid } };
  const made = recipientLists(rule).map(async ({ recipients }, step) => {
    const tests = addresseesOf(recipients, known, asMessage).map(async (addressee) => {
      const round = { round: step, at: event.createDate };
      const [delivery] = await deliveryTo(deps, eventContext, known, { rule: marked, addressee, hit: null, round });
      return delivery ? [{ step, delivery: { ...delivery, isTest: true as const } }] : [];
    });
    return (await Promise.all(tests)).flat();
  });
  return (await Promise.all(made)).flat();
};
