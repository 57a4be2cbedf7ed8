import { addresseesOf, deliveriesTo, readRecipients } from '#shared/api/addressees.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { type EventContext, serviceFrom } from '#shared/domain/delivery/snapshot.ts';
import { NO_SENSOR_ID } from '#shared/domain/delivery/test-delivery.ts';
import { pingEvent } from '#shared/domain/event/event.ts';
import type { Customer } from '#shared/domain/identity/customer.ts';
import { randomUuid, timeOrderedId } from '#shared/domain/ids.ts';
import { allRecipients, recipientLists } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { rules } from './contract.ts';

type TestUses = (typeof rules)['operations']['tryRule']['uses'][number];
type RuleTest = { step: number; delivery: Delivery };

/** Returns a made-up event for the situation in a rule, from a nonexistent sensor. */
const testContext = (
  { now, random, settings }: Deps<TestUses>,
  { situation }: Rule,
  customer: Customer | null,
): EventContext => {
  const time = now();
  const happening = { ...pingEvent, situation };
  return {
    service: serviceFrom(settings),
    event: {
      id: timeOrderedId(time, Buffer.from(random(2)).readUInt16BE()),
      uuid: randomUuid(random),
      source: null,
      createDate: time,
      receiveDate: time,
      happening,
      rules: [],
    },
    sensor: { id: NO_SENSOR_ID, hardwareId: '0'.repeat(12), name: 'Test', groupId: 0 },
    customer,
  };
};

/**
 * Returns the deliveries for a rule test, marked as tests. There is one for each recipient in each step, without a hit
 * to acknowledge.
 */
export const testsOf = async (deps: Deps<TestUses>, rule: Rule, customer: Customer | null): Promise<RuleTest[]> => {
  const known = await readRecipients(deps, { customerId: rule.customerId, customer }, allRecipients(rule));
  const eventContext = testContext(deps, rule, customer);
  const marked = { ...rule, title: `Test: ${rule.title}`, message: `Test: ${rule.message}` };
  // Lets tests also reach webhooks whose format only forwards device messages.
  const { event } = eventContext;
  const asMessage = { ...eventContext, event: { ...event, source: event.uuid } };
  const testsOfSteps = recipientLists(rule).map(async ({ recipients }, step) => {
    const tests = addresseesOf(recipients, known, asMessage).map(async (addressee) => {
      const round = { round: step, at: event.createDate };
      const [delivery] = await deliveriesTo(deps, eventContext, known, { rule: marked, addressee, hit: null, round });
      return delivery ? [{ step, delivery: { ...delivery, isTest: true as const } }] : [];
    });
    return (await Promise.all(tests)).flat();
  });
  return (await Promise.all(testsOfSteps)).flat();
};
