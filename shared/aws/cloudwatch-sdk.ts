/** The parts of the AWS SDK used for CloudWatch. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export { CloudWatchClient, type CloudWatchClientConfig, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
