/** Everything that is used of AWS IoT in the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from '@aws-sdk/client-iot-data-plane';
