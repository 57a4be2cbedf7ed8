import { Aws, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type IVpc, Peer, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import {
  ApplicationLoadBalancer,
  CfnListenerRule,
  CfnTargetGroup,
  HttpCodeElb,
  HttpCodeTarget,
  ListenerAction,
  ListenerCondition,
  SslPolicy,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { acknowledge } from '../acknowledged.ts';
import { type LambdaName, type PerFunction, valueForFunction } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';
import { operationsOf } from './operations.ts';

/** A network with one public subnet in each of two zones, the minimum for a load balancer. */
const createNetwork = (scope: Construct, id: string): IVpc => {
  const vpc = new Vpc(scope, id, {
    maxAzs: 2,
    natGateways: 0,
    subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 26, mapPublicIpOnLaunch: false }],
    // Otherwise the CDK would add a function to the stack just to restrict the default security group, which is unused.
    restrictDefaultSecurityGroup: false,
  });
  acknowledge(vpc, 'network, no flow log');
  // The types differ in the optional `vpnGatewayId`.
  return vpc as IVpc;
};

/** Returns a fixed response from the load balancer, in the same format as the service's errors. */
const answer = (statusCode: number, message: string) =>
  ListenerAction.fixedResponse(statusCode, {
    contentType: 'application/json',
    messageBody: JSON.stringify({ message, statusCode }),
  });

/** Matches bodies of 1,000,000 bytes or more by counting digits in Content-Length. Lambda targets take 1 MB at most. */
const isTooLarge = ListenerCondition.httpHeader('content-length', ['???????*']);

/** Returns the function behind all device operations, and the paths leading to it. */
const routed = (): { lambda: LambdaName; paths: string[] } => {
  const operations = operationsOf('devices');
  const [lambda, ...others] = new Set(operations.map((operation) => operation.lambda));
  if (lambda === undefined || others.length > 0) throw new Error('a target group has exactly one function');
  const folders = new Set(operations.map(({ operation }) => operation.path.split('/')[1]));
  return { lambda, paths: [...folders].map((folder) => `${BASE_PATH}/${folder}/*`) };
};

/**
 * An Application Load Balancer that devices call instead of the HTTP API, at less than a tenth of the price per
 * request. The HTTP API remains and costs nothing while it is not called, so the domain owner can point the DNS name at
 * either one at any time.
 *
 * This load balancer has no throttle and no access log, and accepts bodies of less than 1,000,000 bytes. Functions
 * respond as they do behind the HTTP API. The load balancer's own responses:
 * - 404 for a path outside the device API and 413 for a body that is too large, with `{message, statusCode}`;
 * - 400, 413 (a body over 1 MB without a Content-Length), 460, 463, 502 (the function failed or was throttled), 503
 *   and 504, each with an AWS page.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html
 */
export class DeviceBalancer extends ApplicationLoadBalancer {
  private readonly certificateArn: string;

  constructor(scope: Construct, id: string, { deviceCertificateArn }: Stage) {
    const vpc = createNetwork(scope, `${id}-network`);
    const securityGroup = new SecurityGroup(scope, `${id}-calls`, {
      vpc,
      description: 'Calls of devices',
      allowAllOutbound: false,
    });
    securityGroup.addIngressRule(Peer.anyIpv4(), Port.tcp(443));
    acknowledge(securityGroup, 'device balancer, open to devices');
    super(scope, id, {
      vpc,
      internetFacing: true,
      securityGroup,
      dropInvalidHeaderFields: true,
      // Devices reporting once a minute keep their connection.
      idleTimeout: Duration.seconds(120),
    });
    this.certificateArn = deviceCertificateArn;
    acknowledge(this, 'device balancer, no access log');
    new CfnOutput(Stack.of(this), 'DeviceBalancerTarget', { value: this.loadBalancerDnsName });
  }

  /** Routes device operations to their function, and lets the load balancer invoke it. */
  addOperations(functions: PerFunction<IFunction>): void {
    const { lambda, paths } = routed();
    const { functionArn } = valueForFunction(functions, lambda);
    const permission = new CfnPermission(this, `invokes-${lambda}`, {
      action: 'lambda:InvokeFunction',
      functionName: functionArn,
      principal: 'elasticloadbalancing.amazonaws.com',
      // This permission must exist before the target group, so it cannot name the group.
      sourceAccount: Aws.ACCOUNT_ID,
    });
    const group = new CfnTargetGroup(this, 'target', {
      targetType: 'lambda',
      targets: [{ id: functionArn }],
      targetGroupAttributes: [{ key: 'lambda.multi_value_headers.enabled', value: 'true' }],
    });
    group.node.addDependency(permission);
    const listener = this.addListener('https', {
      port: 443,
      open: false,
      certificates: [Certificate.fromCertificateArn(this, 'certificate', this.certificateArn)],
      // TLS 1.2 and 1.3, like the HTTP API.
      sslPolicy: SslPolicy.RECOMMENDED_TLS,
      defaultAction: answer(404, 'There is nothing at this path'),
    });
    listener.addAction('too-large', {
      priority: 1,
      conditions: [isTooLarge],
      action: answer(413, 'The body is too large'),
    });
    new CfnListenerRule(this, 'operations', {
      listenerArn: listener.listenerArn,
      priority: 2,
      conditions: [{ field: 'path-pattern', pathPatternConfig: { values: paths } }],
      actions: [{ type: 'forward', targetGroupArn: group.ref }],
    });
  }

  /** Returns the metrics for 5xx responses, from the load balancer itself and from the function. */
  serverErrors(options: MetricOptions): Metric[] {
    return [
      this.metrics.httpCodeElb(HttpCodeElb.ELB_5XX_COUNT, options),
      this.metrics.httpCodeTarget(HttpCodeTarget.TARGET_5XX_COUNT, options),
    ];
  }
}
