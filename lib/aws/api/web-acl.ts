import { Stack } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';
import { isGuessable, operationsOf } from './operations.ts';

/**
 * Rules of AWS that only count here, because they would block what the contracts allow: bodies of more than 8 KB (the
 * contracts allow 256 KiB), free text and the addresses of webhooks in a body, and apps without a User-Agent. The
 * functions validate each body by its contract.
 * https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
const COUNTED = [
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'CrossSiteScripting_BODY',
  'NoUserAgent_HEADER',
];

const seen = (metricName: string) => ({ metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true });

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
  visibilityConfig: seen(name),
});

/**
 * Matches the operations at which a password or a code can be guessed. At API Gateway's own address the path begins
 * with the name of the stage, so only its end is compared.
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
  visibilityConfig: seen(name),
});

/** How many callers may try to log in by one address of the proxy within the time of the limit. */
const CALLERS_OF_PROXY = 20;

/**
 * The limits of the operations at which something can be guessed, for each address that calls. Behind a proxy it is the
 * address in the proxy's header. Whoever calls past the proxy can write any address there, and a web ACL cannot check the
 * secret of the proxy, of which the stage has the hash alone: so the address that is connected has a limit, too, by which
 * a call without the header is counted as well.
 */
const loginRates = ({ trustedProxy: { header }, loginRate }: Stage): CfnWebACL.RuleProperty[] => {
  if (header === '') return [rateRule('login-rate', 0, { aggregateKeyType: 'IP', limit: loginRate })];
  const forwardedIpConfig = { headerName: header, fallbackBehavior: 'NO_MATCH' };
  return [
    rateRule('login-rate', 0, { aggregateKeyType: 'FORWARDED_IP', forwardedIpConfig, limit: loginRate }),
    rateRule('login-rate-of-peer', 3, { aggregateKeyType: 'IP', limit: CALLERS_OF_PROXY * loginRate }),
  ];
};

/**
 * Creates a web ACL in front of the API of the apps. A blocked call gets a 403 in the shape of the contracts
 * (gateway-answers.ts).
 */
export const createWebAcl = (scope: Construct, api: SpecRestApi, stage: Stage): CfnWebACL => {
  const acl = new CfnWebACL(scope, 'web-acl', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    // The metrics of the web ACL have this name.
    name: Stack.of(scope).stackName,
    visibilityConfig: seen(Stack.of(scope).stackName),
    rules: [
      ...loginRates(stage),
      managed(1, 'AWSManagedRulesAmazonIpReputationList', []),
      managed(2, 'AWSManagedRulesCommonRuleSet', COUNTED),
    ],
  });
  new CfnWebACLAssociation(scope, 'web-acl-of-api', {
    webAclArn: acl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
  return acl;
};
