import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { production, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const aclOf = (context: Record<string, unknown>): { template: Template; rules: Record<string, Properties> } => {
  const { template } = stackOf(context);
  const [acl] = Object.values<Properties>(template.findResources('AWS::WAFv2::WebACL'));
  const rules = (acl?.Properties.Rules ?? []).map((rule: Properties) => [rule.Name, rule]);
  return { template, rules: Object.fromEntries(rules) };
};
const rateOf = ({ rules }: ReturnType<typeof aclOf>) => rules['login-rate'].Statement.RateBasedStatement;

const proxied = aclOf(production);
const prod = aclOf({ stage: 'prod' });
const off = [aclOf({}), aclOf({ stage: 'prod', waf: false })];
const on = aclOf({ waf: 'true', loginRate: 50 });

describe('the web ACL', () => {
  it('the web ACL protects the app API, by default only in production', () => {
    const { template } = prod;
    const [id] = Object.keys(template.findResources('AWS::ApiGateway::Stage'));
    const [association] = Object.values<Properties>(template.findResources('AWS::WAFv2::WebACLAssociation'));
    expect(JSON.stringify(association.Properties.ResourceArn)).toContain(`{"Ref":"${id}"}`);
    for (const { template } of off) template.resourceCountIs('AWS::WAFv2::WebACL', 0);
    on.template.resourceCountIs('AWS::WAFv2::WebACL', 1);
  });

  it('the web ACL allows every body that the contracts allow', () => {
    const { rules } = prod;
    const common = rules.AWSManagedRulesCommonRuleSet.Statement.ManagedRuleGroupStatement;
    const counted = common.RuleActionOverrides.map(({ Name, ActionToUse }: Properties) => {
      expect(ActionToUse).toEqual({ Count: {} });
      return Name;
    });
    expect(counted).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_BODY',
        'GenericRFI_BODY',
        'CrossSiteScripting_BODY',
        'NoUserAgent_HEADER',
      ]),
    );
    expect(counted.every((name: string) => name.endsWith('_BODY') || name === 'NoUserAgent_HEADER')).toBe(true);
    for (const rule of Object.values(rules)) expect(rule.VisibilityConfig.CloudWatchMetricsEnabled).toBe(true);
  });

  it('limits attempts per address where a password or code can be guessed', () => {
    const rate = rateOf(on);
    expect(rate).toMatchObject({ AggregateKeyType: 'IP', Limit: 50, EvaluationWindowSec: 300 });
    const paths = rate.ScopeDownStatement.OrStatement.Statements.map(({ ByteMatchStatement }: Properties) => {
      expect(ByteMatchStatement).toMatchObject({ PositionalConstraint: 'ENDS_WITH', FieldToMatch: { UriPath: {} } });
      return ByteMatchStatement.SearchString;
    });
    const oidc = ['/users/login/oidc', '/users/login/oidc/answer'];
    expect(paths).toEqual(['/users/login', '/users/password-reset', '/users/password-reset/confirm', ...oidc]);
  });

  it("counts attempts by the address in a trusted proxy's header", () => {
    expect(rateOf(proxied)).toMatchObject({
      AggregateKeyType: 'FORWARDED_IP',
      ForwardedIPConfig: { HeaderName: 'X-Viewer', FallbackBehavior: 'NO_MATCH' },
    });
  });

  it('counts attempts by connection address too, because requests that bypass the proxy can forge the header', () => {
    const peer = proxied.rules['login-rate-of-peer'].Statement.RateBasedStatement;
    expect(peer).toMatchObject({ AggregateKeyType: 'IP', Limit: 20 * rateOf(proxied).Limit });
    expect(peer.ScopeDownStatement).toEqual(rateOf(proxied).ScopeDownStatement);
    const priorities = Object.values(proxied.rules).map(({ Priority }) => Priority);
    expect(new Set(priorities).size).toBe(priorities.length);
    expect(Object.keys(prod.rules)).not.toContain('login-rate-of-peer');
  });
});
