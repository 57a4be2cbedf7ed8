import * as z from 'zod';
import { paged, pageQuery, search, sortBy } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { NewRule, Rule, RuleUpdate } from '#shared/domain/rule/rule.ts';
import { idText, int32, Status } from '#shared/domain/values.ts';

const regions =
  '`regionId` needs a `sensorId` whose room has that region. A rule with it tells of what happens in that region alone: of ' +
  'falls, beds, doors, regions and sitting up. Presence in the room, the sensor and vital signs are in no region: 400. A ' +
  'fall of maker A is where its first point lies, edges included, in the smallest of several regions; one of maker B in ' +
  'the region that the person entered last and has not left.';

const escalating =
  ' While nobody acknowledges a hit, the recipients of each step of `escalation` are told `afterSeconds` after it was made, ' +
  'and, with `repeatSeconds`, all recipients again after the last step, each once, at most 20 times. With ' +
  '`untilAcknowledged` false only while what happened is not over: a fall is over when it is finished or canceled, ' +
  '`sensor_inactive` when the sensor is active, and what tells of a room or a region when that is left or entered again. ' +
  'The steps that the rule has when one is due count. Acknowledging, and deleting the rule or the sensor, end it.';

/** Where each test of a rule can be looked at; `step` is 0 for the first recipients. */
const RuleTest = z
  .object({
    deliveries: z.array(
      DeliveryView.pick({ id: true, webhookId: true, userId: true, by: true }).extend({ step: int32(0, 5) }),
    ),
  })
  .meta({ id: 'RuleTest' });

const ByRule = z.object({ ruleId: idText });

export const rules = group({
  name: 'rules',
  about: 'Who is told of what',
  operations: {
    listRules: {
      method: 'GET',
      path: '/rules',
      summary: 'List the rules of a customer',
      description: 'A search may miss changes of the last second.',
      auth: 'user',
      may: 'logged_in',
      query: z.object({
        ...pageQuery,
        searchText: search,
        sortBy: sortBy(['id', 'name', 'createDate', 'updateDate'], 'asc(name)'),
        customerId: idText.optional(),
      }),
      success: 200,
      response: paged(Rule),
      uses: ['rules.listed', 'rules.getAll', 'rules.list'],
    },
    createRule: {
      method: 'POST',
      path: '/rules',
      summary: 'Create a rule, which tells its recipients when a situation occurs at the sensors that it watches',
      description: regions + escalating,
      auth: 'user',
      may: 'manage_rules',
      body: NewRule,
      success: 201,
      response: Rule,
      errors: ['limit_reached'],
      uses: [
        'customers.get',
        'sensors.get',
        'sensorGroups.get',
        'rooms.get',
        'webhooks.getAll',
        'recipients.person',
        'channels.provenOf',
        'limits.nextNumber',
        'rules.create',
        'keep:quotas',
      ],
    },
    getRule: {
      method: 'GET',
      path: '/rules/{ruleId}',
      summary: 'Get a rule',
      auth: 'user',
      may: 'logged_in',
      within: 'rule',
      params: ByRule,
      success: 200,
      response: Rule,
      errors: ['rule_not_found'],
      uses: ['rules.get'],
    },
    updateRule: {
      method: 'PUT',
      path: '/rules/{ruleId}',
      summary: 'Replace a rule',
      description: `A rule may move to another sensor or situation. ${regions}${escalating}`,
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: ByRule,
      body: RuleUpdate,
      success: 200,
      response: Rule,
      errors: ['rule_not_found', 'limit_reached'],
      uses: [
        'rules.get',
        'sensors.get',
        'sensorGroups.get',
        'rooms.get',
        'webhooks.getAll',
        'recipients.person',
        'channels.provenOf',
        'rules.replace',
        'keep:quotas',
      ],
    },
    tryRule: {
      method: 'POST',
      path: '/rules/{ruleId}/test',
      summary: 'Try a rule: send a marked test to all its recipients and steps at once',
      description:
        'Title and message begin with "Test: ", requests have the header `X-Service-Cloud-Test: true`. There is no event of a ' +
        'sensor, no hit and no escalation. Whoever is on duty is whoever is now. A webhook that is off holds its test.',
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: ByRule,
      success: 202,
      response: RuleTest,
      errors: ['rule_not_found'],
      uses: [
        'rules.get',
        'customers.get',
        'recipients.webhooks',
        'recipients.person',
        'recipients.onDuty',
        'deliveries.create',
        'enqueue:deliveries',
        'service:about',
      ],
    },
    deleteRule: {
      method: 'DELETE',
      path: '/rules/{ruleId}',
      summary: 'Delete a rule',
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: ByRule,
      success: 200,
      response: Status,
      errors: ['rule_not_found'],
      uses: ['rules.get', 'rules.remove'],
    },
  },
});
