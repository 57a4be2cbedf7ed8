import * as z from 'zod';
import { lookedHeaders, lookedQuery, paged, sensorOfList, sortBy } from '#shared/api/http/paging.ts';
import { defaults, group } from '#shared/api/operation.ts';
import { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { idText } from '#shared/domain/values.ts';

const shown = defaults({ uses: ['sensors.getAll', 'sensors.list'] });

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
  about: 'Rules that fired, and who was told',
  operations: {
    listRuleHits: {
      method: 'GET',
      path: '/customers/{customerId}/rule-hits',
      summary: 'List the rule hits of the last 120 days of a customer',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: z.object({ customerId: idText }),
      description:
        '`total` is exact, all pages can be read, and all orders are exact. A new hit of a sensor, and a late change, may be ' +
        'missing for a second. Feedback, an acknowledgement and the result of a delivery are changes.',
      ...lookedHeaders,
      query: z.object({
        ...lookedQuery(idText),
        sortBy: sortBy(['id', 'createDate', 'updateDate'], 'desc(createDate)'),
        sensorId: sensorOfList,
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
      summary: 'Acknowledge a rule hit: say that you take care of it',
      description:
        'The first acknowledgement stands. The answer is 200 for whoever made it, and for everybody else a 409 that names ' +
        'them. Customer webhooks get the event `alarm/acknowledged`.',
      body: z.object({}).meta({ examples: [{}] }),
      errors: ['customer_not_found', 'rule_hit_not_found', 'acknowledged_already'],
      uses: ['acknowledgements.make', 'users.get', 'enqueue:events', ...shown.uses],
    },
    withdrawAcknowledgement: {
      ...acknowledgement,
      method: 'DELETE',
      summary: 'Take the acknowledgement of a rule hit back: whoever made it, and whoever has manage_customers, may',
      errors: ['customer_not_found', 'rule_hit_not_found'],
      uses: ['acknowledgements.takeBack', 'enqueue:timers', ...shown.uses],
    },
  },
});
