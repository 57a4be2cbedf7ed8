/**
 * Prices in USD for eu-central-1, excluding tax and free tiers, in the first volume tier, as of 2026-11-22. The figures
 * come from the AWS price list files, as quoted by third parties. The comments name the sources. Check them before you
 * rely on them.
 */
export const prices = {
  date: '2026-11-22',
  region: 'eu-central-1',
  // AmazonDynamoDB price list, 2026-08-15; https://aws.amazon.com/dynamodb/pricing/on-demand/
  tableWriteUnit: 0.7625 / 1e6,
  tableReadUnit: 0.1525 / 1e6,
  tableGigabyteMonth: 0.306,
  backupGigabyteMonth: 0.2448,
  // AWSQueueService price list, 2025-08-28, per 64 KB in a request; https://aws.amazon.com/sqs/pricing/
  queueRequest: 0.4 / 1e6,
  // Surcharge for messages with a message group in a standard queue (fair queues).
  fairQueueSurcharge: 0.1 / 1e6,
  fifoRequest: 0.5 / 1e6,
  // arm64, the same in all European regions; https://aws.amazon.com/lambda/pricing/
  invocation: 0.2 / 1e6,
  gigabyteSecond: 0.0000133334,
  // HTTP API, per 512 KB (1.00 in us-east-1); https://aws.amazon.com/api-gateway/pricing/
  httpRequest: 1.2 / 1e6,
  // Application Load Balancer: an hour, a capacity unit hour, and a public IPv4 address hour, the same in all Regions.
  // No source lists eu-central-1 for the first price, so it is 1.2 times the us-east-1 price (0.0225), the same ratio
  // as for API Gateway; https://aws.amazon.com/elasticloadbalancing/pricing/, https://aws.amazon.com/vpc/pricing/
  balancerHour: 0.027,
  balancerUnitHour: 0.008,
  publicAddressHour: 0.005,
  // REST API; https://aws.amazon.com/api-gateway/pricing/
  restRequest: 3.7 / 1e6,
  // AWS IoT Core: a connection minute, a message with up to 5 KB, a rule and an action. No source lists eu-central-1,
  // so these are 1.2 times the us-east-1 prices (0.08, 1.00, 0.15, 0.15), the same ratio as for API Gateway;
  // https://aws.amazon.com/iot-core/pricing/
  connectionMinute: 0.096 / 1e6,
  mqttMessage: 1.2 / 1e6,
  mqttRule: 0.18 / 1e6,
  mqttAction: 0.18 / 1e6,
  // AmazonCloudWatch price list, 2026-08-06; https://aws.amazon.com/cloudwatch/pricing/
  logGigabyte: 0.63,
  /** The price per metric read by an alarm. */
  alarmMonth: 0.1,
  /** The price per custom metric. */
  metricMonth: 0.3,
  dashboardMonth: 3,
  // AWSDataTransfer price list, 2026-07-20, out to the internet;
  // https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer
  trafficGigabyte: 0.09,
  // https://aws.amazon.com/kms/pricing/
  keyMonth: 1,
  keyRequest: 0.03 / 10_000,
  // https://aws.amazon.com/waf/pricing/; a rule group costs as much as a rule
  webAclMonth: 5,
  webRuleMonth: 1,
  webRequest: 0.6 / 1e6,
} as const;
