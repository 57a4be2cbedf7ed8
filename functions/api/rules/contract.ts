import * as z from 'zod';
import { paged, pageQuery, searchParameter, sortBy } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { NewRule, Rule, RuleCopy, RuleUpdate } from '#shared/domain/rule/rule.ts';
import { idText, int32, Status } from '#shared/domain/values.ts';

const regions =
  '`regionId` requires a `sensorId` whose room has that region, and limits the rule to events in that region: falls, ' +
  'beds, doors, regions and sitting up. Room presence, sensor events and vital signs have no region, so such rules ' +
  "are refused with 400. A maker A fall belongs to the smallest region that contains the fall's first point, edges " +
  'included. A maker B fall belongs to the region the person entered last and has not left.';

const escalation =
  ' Until someone acknowledges a hit, the recipients of each `escalation` step are notified `afterSeconds` after the ' +
  'hit. With `repeatSeconds`, all recipients are then notified again, each once per round, for at most 20 rounds. If ' +
  '`untilAcknowledged` is false, the escalation also ends when the situation is over: a fall when it is finished or ' +
  'canceled, `sensor_inactive` when the sensor is active again, and room or region situations when the room or ' +
  'region is left or entered again. Changes to the rule apply to steps still due. Acknowledging the hit, or deleting ' +
  'the rule or the sensor, ends the escalation.';

/** The deliveries in a rule test. `step` is 0 for the first recipients. */
const RuleTest = z
  .object({
    deliveries: z.array(
      DeliveryView.pick({ id: true, webhookId: true, userId: true, by: true }).extend({ step: int32(0, 5) }),
    ),
  })
  .meta({ id: 'RuleTest' });

const ByRule = z.object({ ruleId: idText });

/** The store calls used to check what a rule refers to. */
const checking = [
  'sensors.get',
  'sensorGroups.get',
  'rooms.get',
  'webhooks.getAll',
  'recipients.person',
  'channels.verifiedOf',
  'know:channels',
] as const;
const creating = [...checking, 'limits.nextNumber', 'rules.create', 'keep:quotas'] as const;

export const rules = group({
  name: 'rules',
  about: 'Who is notified in which situation',
  operations: {
    listRules: {
      method: 'GET',
      path: '/rules',
      summary: 'List rules',
      description: "Returns a customer's rules. A search may miss changes made in the last second.",
      auth: 'user',
      may: 'logged_in',
      query: z.object({
        ...pageQuery,
        searchText: searchParameter,
        sortBy: sortBy(['id', 'name', 'createDate', 'updateDate'], 'asc(name)'),
        customerId: idText.optional(),
      }),
      success: 200,
      response: paged(Rule),
      uses: ['rules.sortFields', 'rules.getAll', 'rules.list'],
    },
    createRule: {
      method: 'POST',
      path: '/rules',
      summary: 'Create a rule',
      description: `A rule notifies its recipients when a situation occurs at the sensors it watches. ${regions}${escalation}`,
      auth: 'user',
      may: 'manage_rules',
      body: NewRule,
      success: 201,
      response: Rule,
      errors: ['limit_reached'],
      uses: ['customers.get', ...creating],
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
      summary: 'Update a rule',
      description: `Replaces the rule, which may change to another sensor or situation. ${regions}${escalation}`,
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: ByRule,
      body: RuleUpdate,
      success: 200,
      response: Rule,
      errors: ['rule_not_found', 'limit_reached'],
      uses: ['rules.get', ...checking, 'rules.replace', 'keep:quotas'],
    },
    copyRule: {
      method: 'POST',
      path: '/rules/{ruleId}/copies',
      summary: 'Copy a rule',
      description:
        'Creates a copy of the rule under another name. If something the rule refers to no longer exists, or a ' +
        'recipient can no longer be notified, the copy is refused with 400, like a new rule.',
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: ByRule,
      body: RuleCopy,
      success: 201,
      response: Rule,
      errors: ['rule_not_found', 'limit_reached'],
      uses: ['rules.get', ...creating],
    },
    tryRule: {
      method: 'POST',
      path: '/rules/{ruleId}/test',
      summary: 'Test a rule',
      description:
        'Sends a test to all recipients in all steps at once. Title and message begin with "Test: ", and requests ' +
        'have the header `X-Service-Cloud-Test: true`. A test does not create an event, a rule hit or an escalation. ' +
        'On-duty recipients are the users on duty now. A disabled webhook holds the test delivery. A rule can be ' +
        'tested five times a minute.',
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: ByRule,
      success: 202,
      response: RuleTest,
      errors: ['rule_not_found'],
      uses: [
        'rules.get',
        'limits.countFailure',
        'customers.get',
        'recipients.webhooks',
        'recipients.person',
        'duty.get',
        'channels.list',
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
