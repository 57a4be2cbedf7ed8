import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { paged, pageQuery, search, sortBy } from '../../shared/domain/page.ts';
import { NewRule, Rule } from '../../shared/domain/rule.ts';
import { idText } from '../../shared/domain/values.ts';

export const rules = group({
  name: 'rules',
  operations: {
    listRules: {
      method: 'GET',
      path: '/rules',
      summary: 'List the rules of a customer',
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
      uses: ['table:read'],
    },
    createRule: {
      method: 'POST',
      path: '/rules',
      summary: 'Create a rule: which situation of which sensors tells whom what',
      auth: 'user',
      may: 'manage_rules',
      body: NewRule,
      success: 201,
      response: Rule,
      uses: ['table:write'],
    },
    getRule: {
      method: 'GET',
      path: '/rules/{ruleId}',
      summary: 'Get a rule',
      auth: 'user',
      may: 'logged_in',
      within: 'rule',
      params: z.object({ ruleId: idText }),
      success: 200,
      response: Rule,
      errors: ['rule_not_found'],
      uses: ['table:read'],
    },
  },
});
