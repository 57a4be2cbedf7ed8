import * as z from 'zod';
import { paged, partialListHeaders, partialListQuery, sensorParameter, sortBy } from '#shared/api/http/paging.ts';
import { acknowledging, defaults, group, withdrawing } from '#shared/api/operation.ts';
import { AcknowledgingUser } from '#shared/domain/rule/acknowledgement-view.ts';
import { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { idText } from '#shared/domain/values.ts';

const withSensors = defaults({ uses: ['sensors.getAll', 'sensors.list'] });

const acknowledgement = defaults({
  path: '/customers/{customerId}/rule-hits/{ruleHitId}/acknowledgement',
  auth: 'user',
  may: 'logged_in',
  within: 'customer',
  params: z.object({ customerId: idText, ruleHitId: idText }),
  success: 200,
  response: RuleHit,
});

export const ruleHits = group({
  name: 'rule-hits',
  about: 'Fired rules, with notifications and acknowledgements',
  operations: {
    listRuleHits: {
      method: 'GET',
      path: '/customers/{customerId}/rule-hits',
      summary: "List a customer's rule hits",
      auth: 'user',
      may: 'logged_in',
      // Without rule hits, a display would not show that a person has stopped breathing.
      display: true,
      within: 'customer',
      params: z.object({ customerId: idText }),
      description:
        'Returns rule hits from the last 120 days. `total` and the order are exact, and all pages can be read. New ' +
        'hits, and changes such as feedback, an acknowledgement or a delivery result, may take a second to appear.',
      ...partialListHeaders,
      query: z.object({
        ...partialListQuery(idText),
        sortBy: sortBy(['id', 'createDate', 'updateDate'], 'desc(createDate)'),
        sensorId: sensorParameter,
      }),
      success: 200,
      response: paged(RuleHit),
      errors: ['customer_not_found'],
      uses: ['customers.get', 'hitLists.page', 'hitLists.pageOfSensor', 'sensors.getAll', 'sensors.list'],
    },
    getRuleHit: {
      method: 'GET',
      path: '/customers/{customerId}/rule-hits/{ruleHitId}',
      summary: 'Get a rule hit',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: z.object({ customerId: idText, ruleHitId: idText }),
      success: 200,
      response: RuleHit,
      errors: ['customer_not_found', 'rule_hit_not_found'],
      uses: ['ruleHits.get', 'sensors.getAll', 'sensors.list'],
    },
    acknowledgeRuleHit: {
      ...acknowledgement,
      method: 'PUT',
      display: true,
      summary: 'Acknowledge a rule hit',
      description:
        "Acknowledges the alarm in the caller's name, and with it the fall the alarm is about. Only the first " +
        'acknowledgement counts: repeating it returns 200 and may change the note; for anyone else, the operation ' +
        'returns 409 with the name of the user who acknowledged. Customer webhooks get the event ' +
        '`alarm/acknowledged`.',
      body: AcknowledgingUser,
      errors: ['customer_not_found', 'rule_hit_not_found', 'acknowledged_already'],
      uses: ['acknowledgements.make', 'users.get', ...acknowledging, ...withSensors.uses],
    },
    withdrawAcknowledgement: {
      ...acknowledgement,
      method: 'DELETE',
      summary: 'Withdraw a rule hit acknowledgement',
      description:
        'Only for the user who acknowledged the rule hit, and for callers with `manage_customers`. Returns 409 once ' +
        'the fall is closed.',
      errors: ['customer_not_found', 'rule_hit_not_found', 'fall_closed'],
      uses: ['acknowledgements.withdraw', ...withdrawing, ...withSensors.uses],
    },
  },
});
