import { Stack } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';
import { isGuessable, operationsOf } from './operations.ts';

/**
 * AWS rules that only count, because they would block requests the contracts allow: bodies over 8 KB (the contracts
 * allow 256 KiB), free text and webhook URLs in bodies, and apps without a User-Agent. The functions validate each body
 * against its contract. https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
const COUNTED = [
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'CrossSiteScripting_BODY',
  'NoUserAgent_HEADER',
];

const visibility = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: true,
});

const managed = (priority: number, name: string, counted: readonly string[]): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: counted.map((name) => ({ name: name, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visibility(name),
});

/**
 * Returns the statement that matches operations where passwords or codes can be guessed. At the address assigned by API
 * Gateway, paths begin with the stage name, so only the end is compared.
 */
const guessable = (): CfnWebACL.StatementProperty => ({
  orStatement: {
    statements: operationsOf('apps')
      .filter(({ operation }) => isGuessable(operation))
      .map(({ operation }) => ({
        byteMatchStatement: {
          fieldToMatch: { uriPath: {} },
          positionalConstraint: 'ENDS_WITH',
          searchString: operation.path,
          textTransformations: [{ priority: 0, type: 'URL_DECODE' }],
        },
      })),
  },
});

type Rate = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'limit' | 'forwardedIpConfig'>;
const rateRule = (name: string, priority: number, rate: Rate): CfnWebACL.RuleProperty => ({
  name,
  priority,
  action: { block: {} },
  statement: { rateBasedStatement: { ...rate, evaluationWindowSec: 300, scopeDownStatement: guessable() } },
  visibilityConfig: visibility(name),
});

/** How many callers may try to log in through the same proxy address within the rate-limit window. */
const CALLERS_PER_PROXY_ADDRESS = 20;

/**
 * Returns the per-caller rate limits for operations where passwords or codes can be guessed. Behind a proxy, the caller
 * is the address in the proxy header. Requests that bypass the proxy can forge that header, and the web ACL cannot
 * check the proxy secret, because the stage only has a hash. So the connecting address is limited too, which also
 * covers requests without the header.
 */
const loginRates = ({ trustedProxy: { header }, loginRate }: Stage): CfnWebACL.RuleProperty[] => {
  if (header === '') return [rateRule('login-rate', 0, { aggregateKeyType: 'IP', limit: loginRate })];
  const forwardedIpConfig = { headerName: header, fallbackBehavior: 'NO_MATCH' };
  return [
    rateRule('login-rate', 0, { aggregateKeyType: 'FORWARDED_IP', forwardedIpConfig, limit: loginRate }),
    rateRule('login-rate-of-peer', 3, { aggregateKeyType: 'IP', limit: CALLERS_PER_PROXY_ADDRESS * loginRate }),
  ];
};

/** Creates the web ACL for the app API. Blocked requests get a 403 with the usual body (gateway-responses.ts). */
export const createWebAcl = (scope: Construct, api: SpecRestApi, stage: Stage): CfnWebACL => {
  const acl = new CfnWebACL(scope, 'web-acl', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    // The name is a dimension in the web ACL metrics.
    name: Stack.of(scope).stackName,
    visibilityConfig: visibility(Stack.of(scope).stackName),
    rules: [
      ...loginRates(stage),
      managed(1, 'AWSManagedRulesAmazonIpReputationList', []),
      managed(2, 'AWSManagedRulesCommonRuleSet', COUNTED),
    ],
  });
  const association = new CfnWebACLAssociation(scope, 'web-acl-of-api', {
    webAclArn: acl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
  // AWS WAF may not find a newly created stage, so the association comes after the API domain.
  const domain = api.node.tryFindChild('domain');
  if (domain) association.node.addDependency(domain);
  return acl;
};
